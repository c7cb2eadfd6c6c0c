"""What a judge is asked and what it replies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple


@dataclass
class ServerConfig:
    """How a judge is asked. Retries and limits are the program's, so those of tasks have no effect."""

    model_name: str
    temperature: float = 0.0
    max_tokens: int = 1024
    top_p: Optional[float] = None
    timeout: int = 60
    num_retries: int = 5
    retry_delay: float = 10
    max_concurrent: int = 10
    system_prompt: Optional[str] = None
    response_format: Optional[str] = None
    judge_type: str = "general"
    output_format: Optional[str] = None
    score_range: Optional[Tuple[float, float]] = None
    evaluation_criteria: Optional[Dict[str, Any]] = None


@dataclass
class Request:
    """Messages for the judge, or the parts of which they are made."""

    messages: List[Dict[str, Any]]
    images: Optional[List[Any]] = None
    config: Optional[ServerConfig] = None
    question: Optional[str] = None
    answer: Optional[str] = None
    prediction: Optional[str] = None
    context: Optional[str] = None
    options: Optional[List[str]] = None
    response1: Optional[str] = None
    response2: Optional[str] = None
    custom_prompt: Optional[str] = None
    prompt_kwargs: Dict[str, Any] = field(default_factory=dict)


@dataclass
class Response:
    """The judge's reply."""

    content: str
    model_used: str
    usage: Optional[Dict[str, int]] = None
    raw_response: Any = None
    parsed_result: Any = None
    success: bool = True
    error_message: Optional[str] = None
