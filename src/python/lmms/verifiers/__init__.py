"""Checks of answers: what is extracted from an answer, and who says whether it is right."""

from .base import Extractor, Verifier, VerifyResult, parse_binary_response
from .extractors import StripReasoningExtractor
from .pipeline import VerificationPipeline

__all__ = [
    "Extractor",
    "StripReasoningExtractor",
    "VerificationPipeline",
    "Verifier",
    "VerifyResult",
    "parse_binary_response",
]
