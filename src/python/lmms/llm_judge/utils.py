"""Prompts for judges, and what their replies say."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, Optional, Tuple, Union

from .prompt import BINARY_JUDGE_PROMPT, COMPARATIVE_JUDGE_PROMPT, CORRECTNESS_JUDGE_PROMPT

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_DIGITS = ("0/1", "1/0")
RUBRIC_PROMPT = """Evaluate the following response according to the given rubric.

Question: {question}

Response: {prediction}

Rubric:
{rubric}

Provide a JSON response with scores for each rubric item."""


class JudgePromptBuilder:
    @staticmethod
    def build_binary_prompt(
        question: str, answer: str, prediction: str, output_format: str = "0/1", custom_prompt: Optional[str] = None, **kwargs: Any
    ) -> str:
        if custom_prompt:
            return custom_prompt.format(question=question, answer=answer, pred=prediction, prediction=prediction, **kwargs)
        positive, negative = ("1", "0") if output_format in _DIGITS else ("Yes", "No")
        return BINARY_JUDGE_PROMPT.format(question=question, answer=answer, prediction=prediction, positive=positive, negative=negative)

    @staticmethod
    def build_comparative_prompt(
        question: str,
        response1: str,
        response2: str,
        context: Optional[str] = None,
        score_range: Tuple[Any, Any] = (1, 10),
        custom_prompt: Optional[str] = None,
        evaluation_instruction: Optional[str] = None,
        **kwargs: Any,
    ) -> str:
        given = {"question": question, "response1": response1, "response2": response2}
        if custom_prompt:
            return custom_prompt.format(context=context or "", **given, **kwargs)
        low, high = score_range
        return COMPARATIVE_JUDGE_PROMPT.format(
            context_section=f"[Context]\n{context}\n\n" if context else "",
            min_score=low,
            max_score=high,
            evaluation_instruction=evaluation_instruction or f"Please provide scores from {low} to {high}.",
            **given,
        )

    @staticmethod
    def build_correctness_prompt(question: str, answer: str, prediction: str, output_format: str = "yes/no", **_kwargs: Any) -> str:
        positive, negative = ("Yes", "No") if output_format == "yes/no" else ("1", "0")
        return CORRECTNESS_JUDGE_PROMPT.format(question=question, answer=answer, prediction=prediction, positive=positive, negative=negative)


class ResponseParser:
    @staticmethod
    def parse_binary_response(response: str, output_format: str = "0/1") -> Union[int, bool]:
        """As in lmms-eval, a 1 anywhere in the reply means yes."""
        said = response.strip().lower()
        return int("1" in said) if output_format in _DIGITS else said.startswith("yes")

    @staticmethod
    def parse_score_response(response: str, score_range: Optional[Tuple[float, float]] = None) -> float:
        numbers = _NUMBER.findall(response)
        if not numbers:
            return score_range[0] if score_range else 0.0
        score = float(numbers[0])
        return max(score_range[0], min(score, score_range[1])) if score_range else score

    @staticmethod
    def parse_comparative_response(response: str) -> Tuple[float, float]:
        """The two numbers of the first line, or -1 twice."""
        numbers = _NUMBER.findall(response.strip().split("\n")[0].replace(",", " ").replace(";", " "))
        return (float(numbers[0]), float(numbers[1])) if len(numbers) >= 2 else (-1.0, -1.0)

    @staticmethod
    def parse_json_response(response: str) -> Dict[str, Any]:
        match = re.search(r"\{.*\}", response, re.DOTALL)
        try:
            return json.loads(match.group()) if match else {}
        except ValueError:
            return {}
