"""Extracts the letter of an option from a response."""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple

_CHOICES = "ABCDEFGH"
_NOUNS = ("answer", "correct answer", "best answer", "correct option", "best option", "choice", "correct choice")
_PHRASES = (
    *(f"{article}{noun} is" for noun in _NOUNS for article in ("the ", "")),
    *("i choose", "i select", "i pick", "my answer is", "my choice is"),
    *("옵션", "정답은", "답은", "답:", "答案是", "答案为", "选", "答えは"),
)
#: How a letter is written, and how surely it is meant.
_FORMS: Sequence[Tuple[str, int]] = (("({})", 6), ("{}.", 5), ("{}:", 4), ("{})", 3), ("{} ", 2))
_START, _END, _PHRASE, _ANYWHERE = 10, 9, 7, 0


def extract_mcq_answer(response: str, choices: Optional[Sequence[str]] = None) -> str:
    """The letter that is written most clearly; of several such, the last. Nothing found is an empty text."""
    if not response or not response.strip():
        return ""
    letters = list(choices or _CHOICES)
    text = response.strip()
    for mark in ",.!?;:'\"":
        text = text.strip(mark)
    padded = f" {text} "
    found = [(rank, padded.rfind(form.format(letter)), letter) for form, rank in _FORMS for letter in letters if form.format(letter) in padded]
    found += _after_phrases(padded, letters)
    bare = padded.strip()
    for letter in letters:
        if bare.startswith(letter) and (len(bare) == 1 or not bare[1].isalpha()):
            found.append((_START, 0, letter))
        if bare.endswith(letter) and (len(bare) == 1 or not bare[-2].isalpha()):
            found.append((_END, len(padded) - 1, letter))
    if not found:
        found = [(_ANYWHERE, padded.rfind(letter), letter) for letter in letters if letter in padded]
    # Of equal candidates the first one stays, as a stable sort has it.
    return max(found, key=lambda each: each[:2])[2] if found else ""


def _after_phrases(text: str, letters: List[str]) -> List[Tuple[int, int, str]]:
    lower = text.lower()
    found = []
    for phrase in _PHRASES:
        at = lower.find(phrase)
        if at < 0:
            continue
        for letter in letters:
            position = text.find(letter, at + len(phrase))
            if position >= 0:
                found.append((_PHRASE, position, letter))
    return found
