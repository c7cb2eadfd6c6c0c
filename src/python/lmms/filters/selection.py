"""Filters that choose among the responses of a doc."""

from __future__ import annotations

from collections import Counter
from typing import Any, Iterable, List, Sequence

from lmms_eval.api.filter import Filter
from lmms_eval.api.registry import register_filter


@register_filter("take_first")
class TakeFirstFilter(Filter):
    def apply(self, resps: Iterable[Sequence[Any]], docs: Any) -> List[Any]:
        return [each[0] if each else "" for each in resps]


@register_filter("take_first_k")
class TakeKFilter(Filter):
    def __init__(self, **kwargs: Any) -> None:
        self.k = kwargs.pop("k")
        super().__init__(**kwargs)

    def apply(self, resps: Iterable[Sequence[Any]], docs: Any) -> List[Any]:
        given = list(resps)
        if len(given[0]) < self.k:
            raise AssertionError(f"{self.k} responses per doc are needed, and there are {len(given[0])}: increase repeats")
        return [each[: self.k] for each in given]


@register_filter("majority_vote")
class MajorityVoteFilter(Filter):
    def apply(self, resps: Iterable[Sequence[Any]], docs: Any) -> List[List[Any]]:
        return [[Counter(each).most_common(1)[0][0]] for each in resps]
