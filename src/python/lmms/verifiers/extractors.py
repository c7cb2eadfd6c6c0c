"""Extracts the part of an answer that is checked."""

from __future__ import annotations

from typing import Any, List, Optional

from lmms_eval.api.reasoning import strip_reasoning_tags

from .base import Extractor


class StripReasoningExtractor(Extractor):
    def __init__(self, tag_pairs: Optional[List[List[str]]] = None) -> None:
        self.tag_pairs = tag_pairs or [["<think>", "</think>"], ["<thinking>", "</thinking>"]]

    def extract(self, text: Any, **_kwargs: Any) -> str:
        if not isinstance(text, str):
            return "" if text is None else str(text)
        return strip_reasoning_tags(text, self.tag_pairs)
