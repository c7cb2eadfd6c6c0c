"""Extractors and a check in one call."""

from __future__ import annotations

from typing import Any, List, Optional

from .base import Extractor, Verifier, VerifyResult


class VerificationPipeline:
    def __init__(self, extractors: Optional[List[Extractor]] = None, verifier: Optional[Verifier] = None) -> None:
        if verifier is None:
            raise ValueError("VerificationPipeline requires a verifier")
        self.extractors = extractors or []
        self.verifier = verifier

    def __call__(self, question: str, prediction: str, ground_truth: str, **kwargs: Any) -> VerifyResult:
        extracted = prediction
        for extractor in self.extractors:
            extracted = extractor(extracted, **kwargs)
        result = self.verifier.verify(question, extracted, ground_truth, **kwargs)
        result.metadata.update(raw_prediction=prediction, extracted_prediction=extracted)
        return result

    verify = __call__
