"""Removes a model's reasoning from its response."""

from __future__ import annotations

from typing import Sequence


def strip_reasoning_tags(text: str, tag_pairs: Sequence[Sequence[str]]) -> str:
    """Removes what stands between tags. An end tag without a start tag belongs to a prompt that begins the reasoning, so all before it goes."""
    for opening, closing in tag_pairs:
        while opening in text:
            start = text.find(opening)
            end = text.find(closing, start)
            if end < 0:
                break
            text = text[:start] + text[end + len(closing) :]
        if closing in text and opening not in text:
            text = text.rsplit(closing, 1)[-1]
    return text.strip()
