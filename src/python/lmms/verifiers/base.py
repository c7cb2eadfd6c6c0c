"""Base classes of checks, and their result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Dict


@dataclass
class VerifyResult:
    """Whether an answer is right, with a score from 0 to 1."""

    score: float
    is_correct: bool
    raw_output: str = ""
    metadata: Dict[str, Any] = field(default_factory=dict)


class Verifier(ABC):
    @abstractmethod
    def verify(self, question: str, prediction: str, ground_truth: str, **kwargs: Any) -> VerifyResult:
        """Says whether an answer is right."""

    def __call__(self, question: str, prediction: str, ground_truth: str, **kwargs: Any) -> VerifyResult:
        return self.verify(question, prediction, ground_truth, **kwargs)


class Extractor(ABC):
    @abstractmethod
    def extract(self, text: str, **kwargs: Any) -> str:
        """Gives the part of an answer that is checked."""

    def __call__(self, text: str, **kwargs: Any) -> str:
        return self.extract(text, **kwargs)


def parse_binary_response(text: str) -> bool:
    """What a judge's reply says: correct or not, 1 or 0, yes or no."""
    said = text.strip().lower()
    if "incorrect" in said or "not_attempted" in said:
        return False
    return any(word in said for word in ("correct", "yes", "true", "1"))
