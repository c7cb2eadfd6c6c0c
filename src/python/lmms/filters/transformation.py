"""Filters that change each response by itself."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Sequence

from lmms_eval.api.filter import Filter
from lmms_eval.api.reasoning import strip_reasoning_tags

_TAGS = [["<think>", "</think>"], ["<thinking>", "</thinking>"]]


class _Each(Filter):
    def change(self, response: Any) -> Any:
        raise NotImplementedError

    def apply(self, resps: Iterable[Iterable[Any]], docs: Any) -> List[List[Any]]:
        return [[self.change(response) for response in each] for each in resps]


class StripThinkingFilter(_Each):
    def __init__(self, tag_pairs: Optional[Sequence[Sequence[str]]] = None) -> None:
        self.tag_pairs = tag_pairs or _TAGS

    def change(self, response: Any) -> Any:
        return strip_reasoning_tags(response, self.tag_pairs) if isinstance(response, str) else response


class LowercaseFilter(_Each):
    def change(self, response: str) -> str:
        return response.lower()


class UppercaseFilter(_Each):
    def change(self, response: str) -> str:
        return response.upper()


class MapFilter(_Each):
    def __init__(self, mapping_dict: Optional[Dict[Any, Any]] = None, default_value: Any = None) -> None:
        if mapping_dict is not None and not isinstance(mapping_dict, dict):
            raise AssertionError("mapping_dict must be a dictionary")
        self.mapping_dict = mapping_dict or {}
        self.default_value = default_value

    def change(self, response: Any) -> Any:
        return self.mapping_dict.get(response, self.default_value)
