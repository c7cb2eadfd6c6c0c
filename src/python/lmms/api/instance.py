"""A request to a model and its responses, as filters of tasks see them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional


@dataclass
class TokenCounts:
    """How many tokens a response took. None means that the model does not tell."""

    input_tokens: Optional[int] = None
    output_tokens: Optional[int] = None
    reasoning_tokens: Optional[int] = None

    def to_dict(self) -> Dict[str, int]:
        return {name: count for name, count in vars(self).items() if count is not None}


@dataclass
class GenerationResult:
    """A response with its token counts."""

    text: str
    token_counts: Optional[TokenCounts] = None


@dataclass
class Instance:
    """One request of a doc. The task and the doc are named in `metadata`."""

    request_type: str
    arguments: tuple  # type: ignore[type-arg]
    idx: int
    metadata: Dict[str, Any] = field(default_factory=dict)
    resps: List[Any] = field(default_factory=list)
    filtered_resps: Dict[str, Any] = field(default_factory=dict)
    raw_filtered_resps: Dict[str, Any] = field(default_factory=dict)
    token_counts: List[Optional[TokenCounts]] = field(default_factory=list)
    task_name: Any = None
    doc_id: Any = None
    repeats: Any = None
    doc: Any = None

    def __post_init__(self) -> None:
        self.task_name = self.metadata["task"]
        self.doc_id = self.metadata["doc_id"]
        self.repeats = self.metadata["repeats"]

    @property
    def args(self) -> tuple:  # type: ignore[type-arg]
        return self.arguments if isinstance(self.arguments, tuple) else (self.arguments,)
