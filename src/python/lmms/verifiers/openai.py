"""A judge model says whether an answer is right."""

from __future__ import annotations

import os
import re
from typing import Any, Callable, Optional, Tuple

from lmms_eval.llm_judge import Request, ServerConfig, get_server

from .base import Verifier, VerifyResult, parse_binary_response

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


class OpenAIVerifier(Verifier):
    """Asks the judge by a prompt of the task, or by one of lmms-eval. A judge that fails has no verdict, so the doc fails with it."""

    def __init__(
        self,
        model: str = "gpt-4o-2024-11-20",
        api_type: Optional[str] = None,
        judge_type: str = "binary",
        custom_prompt: Any = None,
        response_format: str = "binary",
        response_parser: Optional[Callable[[str], VerifyResult]] = None,
        score_range: Tuple[float, float] = (0.0, 10.0),
        max_retries: int = 5,
        retry_delay: float = 2.0,
        temperature: float = 0.0,
        max_tokens: int = 1024,
    ) -> None:
        self.judge_type, self.custom_prompt = judge_type, custom_prompt
        self.response_format, self.response_parser = response_format, response_parser
        self.score_range, self.max_retries, self.retry_delay = score_range, max_retries, retry_delay
        limits: Any = {"num_retries": max_retries, "retry_delay": retry_delay}
        config = ServerConfig(model_name=model, temperature=temperature, max_tokens=max_tokens, **limits)
        self._server = get_server(api_type or os.getenv("API_TYPE", "openai"), config)

    def verify(self, question: str, prediction: str, ground_truth: str, **kwargs: Any) -> VerifyResult:
        prompt = self._prompt(question, prediction, ground_truth, **kwargs)
        if prompt is not None:
            messages = [{"role": "user", "content": prompt}]
            request = Request(messages=messages, images=kwargs.get("images"), config=self._server.config)
            return self._parse(self._server.evaluate(request).content)
        if self.judge_type == "binary":
            return self._binary(question, prediction, ground_truth, kwargs.get("output_format", "0/1"))
        if self.judge_type == "comparative":
            return self._comparative(question, prediction, kwargs.get("reference_response", ground_truth), kwargs.get("images"))
        raise ValueError(f"Unknown judge_type: {self.judge_type!r}")

    def _prompt(self, question: str, prediction: str, ground_truth: str, **kwargs: Any) -> Optional[str]:
        if self.custom_prompt is None:
            return None
        if callable(self.custom_prompt):
            return self.custom_prompt(question, prediction, ground_truth, **kwargs)
        return self.custom_prompt.format(question=question, prediction=prediction, ground_truth=ground_truth, **kwargs)

    def _binary(self, question: str, prediction: str, ground_truth: str, output_format: str) -> VerifyResult:
        said = self._server.evaluate_binary(question=question, answer=ground_truth, prediction=prediction, output_format=output_format)
        is_correct = bool(said["result"])
        return VerifyResult(float(is_correct), is_correct, said["raw_response"], {"model": said["model"]})

    def _comparative(self, question: str, prediction: str, reference: str, images: Any) -> VerifyResult:
        said = self._server.evaluate_comparative(question=question, response1=prediction, response2=reference, images=images)
        first, second = said["scores"]
        low, high = self.score_range
        score = max(0.0, min(1.0, (first - low) / (high - low))) if high > low else 0.0
        metadata = {"score_1": first, "score_2": second, "model": said["model"]}
        return VerifyResult(score, first > second, said["raw_response"], metadata)

    def _parse(self, text: str) -> VerifyResult:
        if self.response_parser is not None:
            return self.response_parser(text)
        if self.response_format == "binary":
            is_correct = parse_binary_response(text)
            return VerifyResult(float(is_correct), is_correct, text)
        if self.response_format == "score":
            score = self._scaled(text)
            return VerifyResult(score, score >= 0.5, text)
        raise ValueError(f"Unknown response_format: {self.response_format!r}")

    def _scaled(self, text: str) -> float:
        """The first number of the reply as a part of the range."""
        numbers = _NUMBER.findall(text)
        if not numbers:
            return 0.0
        low, high = self.score_range
        value = float(numbers[0])
        if high == low:
            return float(value >= high)
        return max(0.0, min(1.0, (value - low) / (high - low)))
