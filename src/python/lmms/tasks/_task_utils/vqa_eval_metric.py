"""Normalizes answers as the evaluation of TextVQA does.

Sources: https://visualqa.org/evaluation.html; the list of contractions of https://github.com/GT-Vision-Lab/VQA (vqaEval.py).
"""

from __future__ import annotations

import re
from typing import Any, Dict

_CONTRACTED = (
    "ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't haven't he'd he'd've he's "
    "how'd how'll how's I'd've I'm I've isn't it'd it'd've it'll ma'am might've mightn't mightn't've must've mustn't needn't "
    "not've o'clock oughtn't 'ow's'at shan't she'd've should've shouldn't shouldn't've somebody'd've somebody'll somebody's "
    "someone'd someone'd've someone'll someone's something'd something'd've something'll that's there'd there'd've there're "
    "there's they'd they'd've they'll they're they've 'twas wasn't we'd've we've weren't what'll what're what's what've when's "
    "where'd where's where've who'd who'd've who'll who's who've why'll why're why's won't would've wouldn't wouldn't've y'all "
    "y'all'd've y'all'll you'd you'd've you'll you're you've"
)


def _contractions() -> Dict[str, str]:
    """Words by their form with one apostrophe missing. As in the public list, "somebody'd" is mapped the other way."""
    found = {"let's": "let's", "she's": "she's", "somebody'd": "somebodyd"}
    for word in _CONTRACTED.split():
        for index, character in enumerate(word):
            if character == "'":
                found[word[:index] + word[index + 1 :]] = word
    return found


class EvalAIAnswerProcessor:
    """Called with an answer, it returns the answer in the form that is compared."""

    CONTRACTIONS = _contractions()
    NUMBER_MAP = {
        "none": "0",
        **{word: str(number) for number, word in enumerate("zero one two three four five six seven eight nine ten".split())},
    }
    ARTICLES = ["a", "an", "the"]
    #: Dots that no digit follows. The look-behind of the original never holds.
    PERIOD_STRIP = re.compile(r"\.(?!\d)")
    COMMA_STRIP = re.compile(r"(?<=\d)(\,)+(?=\d)")
    PUNCTUATIONS = list(";/[]\"{}()=+\\_-><@`,?!")

    def __init__(self, *_args: Any, **_options: Any) -> None:
        """Takes any arguments and uses none."""

    def word_tokenize(self, word: str) -> str:
        return word.lower().replace(",", "").replace("?", "").replace("'s", " 's").strip()

    def process_punctuation(self, in_text: str) -> str:
        """Removes a mark that stands beside a space anywhere, and all marks if a comma is between digits. Other marks become spaces."""
        removes_all = self.COMMA_STRIP.search(in_text) is not None
        text = in_text
        for mark in self.PUNCTUATIONS:
            is_loose = f"{mark} " in in_text or f" {mark}" in in_text
            text = text.replace(mark, "" if is_loose or removes_all else " ")
        # The original passes a flag as the maximum count of dots, and its value is 32.
        return self.PERIOD_STRIP.sub("", text, count=32)

    def process_digit_article(self, in_text: str) -> str:
        words = [self.NUMBER_MAP.get(word, word) for word in in_text.lower().split()]
        return " ".join(self.CONTRACTIONS.get(word, word) for word in words if word not in self.ARTICLES)

    def __call__(self, item: str) -> str:
        line = self.word_tokenize(item).replace("\n", " ").replace("\t", " ").strip()
        return self.process_digit_article(self.process_punctuation(line))
