"""Reads the chosen option from a response by the rules of MMMU and of its variants."""

from __future__ import annotations

import random
import re
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

_MARKS = ",.!?;:'"
_JAPANESE = r"[\u3040-\u30FF\u4E00-\u9FFF]"
Positions = Callable[[str], int]


def get_multi_choice_info(options: Sequence[Any], start_chr: str = "A") -> Tuple[Dict[str, Any], List[str]]:
    """The options by letter, and the letters."""
    by_letter = {chr(ord(start_chr) + index): option for index, option in enumerate(options)}
    return by_letter, list(by_letter)


def _padded(response: str, marks: str) -> str:
    for mark in marks:
        response = response.strip(mark)
    return f" {response} "


def _by_text(response: str, options: Dict[str, Any]) -> List[str]:
    """The options whose text the response contains. Short responses are not searched."""
    if len(response.split()) <= 5:
        return []
    return [letter for letter, text in options.items() if text.lower() in response.lower()]


def _last(candidates: List[str], position: Positions) -> str:
    """The candidate that stands last; of several at one position, the first of the list."""
    return max(candidates, key=position)


def _mmmu(response: str, letters: Sequence[str], options: Dict[str, Any], pattern: Optional[str]) -> str:
    bracketed = [letter for letter in letters if f"({letter})" in response]
    if bracketed:
        return _last(bracketed, lambda letter: response.rfind(f"({letter})"))
    found = [letter for letter in letters if f"{letter} " in response]
    if not found and pattern is not None:
        found = [letter for letter in letters if re.search(f"{pattern}{letter}{pattern}", response)]
    if not found:
        found = [letter for letter in letters if f"{letter}." in response]
    if found:
        # Letters that end a word or a sentence have no such position, so the first of them is taken.
        return _last(found, lambda letter: response.rfind(f" {letter} "))
    named = _by_text(response, options)
    if named:
        return _last(named, lambda letter: response.lower().rfind(options[letter].lower()))
    return random.choice(letters)


def parse_mmmu_multi_choice_response(response: str, all_choices: Sequence[str], index2ans: Dict[str, Any]) -> str:
    """The chosen letter. If there is none, a random one, as MMMU has it."""
    return _mmmu(_padded(response, _MARKS), all_choices, index2ans, None)


def parse_jmmmu_multi_choice_response(response: str, all_choices: Sequence[str], index2ans: Dict[str, Any]) -> str:
    """The same for responses in Japanese, where a letter may stand between other characters."""
    return _mmmu(_padded(response, _MARKS + "、。！？；："), all_choices, index2ans, _JAPANESE)


def parse_videommmu_multi_choice_response(response: str, all_choices: Sequence[str], index2ans: Dict[str, Any]) -> str:
    """The chosen letter, or a text that says that there is none."""
    if response in ("API Error", ""):
        return "API Error"
    padded = _padded(response, _MARKS)
    dotted = [letter for letter in all_choices if f"{letter}." in padded]
    marked = [letter for letter in all_choices if f"{letter}:" in padded]
    # Both kinds are candidates, and their positions are those of the first kind that occurs.
    for form, found in (("{}.", dotted + marked if dotted else []), ("{}:", marked), ("({})", None), ("{} ", None)):
        candidates = found if found is not None else [letter for letter in all_choices if form.format(letter) in padded]
        if candidates:
            shown = " {} " if form == "{} " else form
            return _last(candidates, lambda letter: padded.rfind(shown.format(letter)))
    named = _by_text(padded, index2ans)
    if named:
        return _last(named, lambda letter: padded.lower().rfind(index2ans[letter].lower()))
    return "No Answer Found."


_FULL_WIDTH = {ord("Ａ") + index: chr(ord("A") + index) for index in range(26)}
_OPTION_LINE = re.compile(r"\s*(?:[-*・>\u2022]\s*)?[A-ZＡ-Ｚ][.)\u3001\u3002：:]", re.IGNORECASE)
_ANNOUNCED = re.compile(
    r"(?:answer|final|correct|solution|ans|正解(?:は)?|答え(?:は)?|解答(?:は)?)"
    r"\s*[:：]?\s*[【\[(\u3010\u3011*_-]*([A-Z])[】\])*_-]*\b",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[【\[(*]*([A-Z])[】\])*]*\b", re.IGNORECASE)


def parse_jmmmu_pro_multi_choice_response(response: str, all_choices: Sequence[str]) -> str:
    """The announced letter, or else the last letter outside lines that list options. `X` means that there is none."""
    letter = _announced((response or "").translate(_FULL_WIDTH))
    return letter if letter and letter in all_choices else "X"


def _announced(text: str) -> Optional[str]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return None
    match = _ANNOUNCED.search(lines[0]) or _ANNOUNCED.search(text)
    if match:
        return match.group(1).upper()
    letters = [letter.upper() for line in lines if not _OPTION_LINE.match(line) for letter in _LETTER.findall(line)]
    return letters[-1] if letters else None
