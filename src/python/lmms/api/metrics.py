"""The metrics of `lmms_eval.api.metrics` that tasks call. A name that is not here is not approximated: importing it fails."""

from __future__ import annotations

import math
from typing import Any, Dict, Sequence, Union

from lmms_eval.api.registry import register_aggregation, register_metric


def levenshtein_distance(s1: Sequence[Any], s2: Sequence[Any]) -> int:
    """The smallest number of insertions, deletions and substitutions that turn one sequence into the other."""
    previous = list(range(len(s2) + 1))
    for row, left in enumerate(s1, 1):
        current = [row]
        for column, right in enumerate(s2, 1):
            if left == right:
                current.append(previous[column - 1])
            else:
                current.append(1 + min(previous[column - 1], previous[column], current[-1]))
        previous = current
    return previous[-1]


@register_aggregation("mean")
def mean(arr: Sequence[float]) -> float:
    return sum(arr) / len(arr)


@register_aggregation("median")
def median(arr: Sequence[float]) -> float:
    """The element in the middle of the given order. As in lmms-eval, the values are not sorted."""
    return arr[len(arr) // 2]


def pop_stddev(arr: Sequence[float]) -> float:
    center = mean(arr)
    return math.sqrt(sum([(value - center) ** 2 for value in arr]) / len(arr))


def sample_stddev(arr: Sequence[float]) -> float:
    center = mean(arr)
    return math.sqrt(sum([(value - center) ** 2 for value in arr]) / (len(arr) - 1))


def mean_stderr(arr: Sequence[float]) -> float:
    return sample_stddev(arr) / math.sqrt(len(arr))


@register_metric(metric="anls", higher_is_better=True, output_type="generate_until", aggregation="mean")
def anls(references: Sequence[str], predictions: Sequence[Any], thresh_hold: float = 0.5) -> Dict[str, Union[int, float]]:
    """The similarity to the closest reference, or 0 below the threshold."""
    first = predictions[0]
    predicted = first if isinstance(first, str) else first[0]
    cleaned = " ".join(predicted.strip().lower().split())
    distances = []
    for reference in references:
        # The length is that of the texts as given, although the distance is that of the cleaned texts.
        length = max(len(reference.upper()), len(predicted.upper()))
        edits = levenshtein_distance(" ".join(reference.strip().lower().split()), cleaned)
        distances.append(float(edits) / float(length) if length > 0 else 0.0)
    similarity = 1 - min(distances)
    return {"anls": 0 if similarity < thresh_hold else similarity}
