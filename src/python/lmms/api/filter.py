"""The base class of filters, and a sequence of filters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List


class Filter:
    """Changes responses. A filter without a method of its own leaves them as they are."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Subclasses keep their arguments."""

    def apply(self, resps: Any, docs: Any) -> Any:
        return resps


@dataclass
class FilterEnsemble:
    """Filters that are applied one after the other, under one name."""

    name: str
    filters: List[Filter]

    def apply(self, instances: List[Any], docs: Any) -> None:
        resps: Any = [instance.resps for instance in instances]
        for step in self.filters:
            resps = step.apply(resps, docs)
        for instance, filtered in zip(instances, resps):
            instance.filtered_resps[self.name] = filtered
