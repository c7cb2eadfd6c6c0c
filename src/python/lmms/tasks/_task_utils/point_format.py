"""Reads points from responses."""

from __future__ import annotations

import re
from typing import Any

_PAIR = re.compile(r"[\[\(]\s*([-+]?\d+\.?\d*)\s*,\s*([-+]?\d+\.?\d*)\s*[\]\)]")


def parse_point2d(text: str, width: int, height: int) -> Any:
    """Points in pixels, as a NumPy array. Pairs of integers are thousandths of the picture; other pairs are parts of it."""
    import numpy

    def placed(horizontal: str, vertical: str) -> Any:
        # Dividing floats by 1.0 changes nothing, so both cases are computed in the order of the original.
        scale = 1.0 if "." in horizontal or "." in vertical else 1000
        return int(float(horizontal) / scale * width), int(float(vertical) / scale * height)

    return numpy.array([placed(*pair) for pair in _PAIR.findall(text)])
