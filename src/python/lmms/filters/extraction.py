"""Filters that extract an answer from a response by patterns."""

from __future__ import annotations

import re
import sys
import unicodedata
from typing import Any, Dict, Iterable, List, Optional, Pattern, Sequence, Tuple

from lmms_eval.api.filter import Filter

_NUMBER = r"#### (\-?[0-9\.\,]+)"
Table = Dict[int, None]
_punctuation: Table = {}


def _punctuation_table() -> Table:
    # The last code point is not in lmms-eval's table either, and it is no punctuation.
    if not _punctuation:
        _punctuation.update({point: None for point in range(sys.maxunicode) if unicodedata.category(chr(point)).startswith("P")})
    return _punctuation


class WhitespaceFilter(Filter):
    """Removes one space at the start."""

    def __init__(self) -> None:
        super().__init__()

    def apply(self, resps: Iterable[Iterable[str]], docs: Any) -> List[List[str]]:
        return [[response[1:] if response.startswith(" ") else response for response in each] for each in resps]


class RegexFilter(Filter):
    """Gives the match of a pattern, or the fallback."""

    def __init__(self, regex_pattern: str = _NUMBER, group_select: int = 0, fallback: str = "[invalid]") -> None:
        self.regex_pattern = regex_pattern
        self.regex = re.compile(regex_pattern)
        self.group_select = group_select
        self.fallback = fallback

    def _selected(self, regex: Pattern[str], response: str) -> Any:
        """The chosen match: of several groups the first that is not empty. No match is an empty list."""
        matches = regex.findall(response)
        if not matches:
            return matches
        chosen = matches[self.group_select]
        if isinstance(chosen, tuple):
            chosen = [group for group in chosen if group][0]
        return chosen.strip()

    def apply(self, resps: Iterable[Iterable[str]], docs: Any) -> List[List[str]]:
        def found(response: str) -> str:
            match = self._selected(self.regex, response)
            # An empty match counts; only an empty list is none.
            return self.fallback if isinstance(match, list) else match

        return [[found(response) for response in each] for each in resps]


class ExtendedRegexFilter(RegexFilter):
    """A base class for filters that compare a response with the texts of options."""

    @property
    def punct_tbl(self) -> Table:
        return _punctuation_table()

    def __init__(
        self,
        regex_pattern: str = _NUMBER,
        group_select: int = 0,
        fallback: str = "[invalid]",
        ignore_case: bool = False,
        ignore_punctuation: bool = False,
        regexes_to_ignore: Optional[Sequence[str]] = None,
    ) -> None:
        super().__init__(regex_pattern, group_select, fallback)
        self.ignore_case = ignore_case
        self.ignore_punctuation = ignore_punctuation
        self.regexes_to_ignore = regexes_to_ignore

    def filter_ignores(self, st: str) -> str:
        for pattern in self.regexes_to_ignore or ():
            st = re.sub(pattern, "", st)
        if self.ignore_case:
            st = st.lower()
        return st.translate(self.punct_tbl) if self.ignore_punctuation else st

    def find_match(self, regex: Pattern[str], resp: str, convert_dict: Optional[Dict[str, str]] = None) -> Any:
        match = self._selected(regex, resp)
        return (convert_dict or {}).get(match, match) if isinstance(match, str) and match else match


class MultiChoiceRegexFilter(ExtendedRegexFilter):
    """Finds the option that a response names, as `(A)`: by the pattern, by an option's text, or by a letter after a colon."""

    def apply(self, resps: Iterable[Iterable[str]], docs: Iterable[Dict[str, Any]]) -> List[List[str]]:
        return [self._found(each, doc["choices"]) for each, doc in zip(resps, docs)]

    def _found(self, responses: Iterable[str], choices: Sequence[str]) -> List[str]:
        letters = [chr(ord("A") + index) for index in range(len(choices))]
        texts = [self.filter_ignores(choice.strip()) for choice in choices]
        # If two options have one text, the last one counts.
        by_text = {text: f"({letter})" for text, letter in zip(texts, letters)}
        by_letter = {letter: f"({letter})" for letter in letters}
        any_text = re.compile("|".join(re.escape(text) for text in texts))
        any_letter = re.compile(r":[\s]*(" + "|".join(letters) + ")")

        def found(response: str) -> str:
            return (
                self.find_match(self.regex, response)
                or self.find_match(any_text, self.filter_ignores(response), by_text)
                or self.find_match(any_letter, response, by_letter)
                or self.fallback
            )

        return [found(response) for response in responses]


class SimpleMultiChoiceRegexFilter(ExtendedRegexFilter):
    """Finds the option whose text the response contains. Options are lines such as `B. blue` of the question."""

    _OPTION = re.compile(r"\b([A-Z])\.\s+([^\n]*)")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)

    def apply(self, resps: Iterable[Iterable[str]], docs: Iterable[Dict[str, Any]]) -> List[str]:
        return [self._found(each, self._OPTION.findall(doc["question"]))[0] for each, doc in zip(resps, docs)]

    def _found(self, responses: Iterable[str], options: List[Tuple[str, str]]) -> List[str]:
        texts = [text.strip() for _letter, text in options]
        # Letters are counted, whatever letters the question has.
        by_text = {text: chr(ord("A") + index) for index, text in enumerate(texts)}
        any_text = re.compile("|".join(re.escape(text) for text in texts))

        def found(response: str) -> str:
            cleaned = re.sub(r"[^\w\s]", "", response).strip()
            match = any_text.search(cleaned)
            return by_text.get(match.group(), cleaned) if match else cleaned

        return [found(response) for response in responses]
