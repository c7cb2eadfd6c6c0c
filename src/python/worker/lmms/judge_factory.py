"""Stands in for `lmms_eval.llm_judge.factory`, whose servers need aiohttp. Whichever server a task names, the judge model of the run answers."""

from __future__ import annotations

import base64
import io
import os
from typing import Any, Dict, List, Optional, Type

from lmms_eval.llm_judge.base import AsyncServerInterface, ServerInterface
from lmms_eval.llm_judge.protocol import Request, Response, ServerConfig


class RunJudge(ServerInterface):
    """The judge model of the run."""

    def is_available(self) -> bool:
        return True

    def evaluate(self, request: Request) -> Response:
        import openai

        config = request.config or self.config
        messages = self.prepare_messages(request)
        if request.images:
            messages = _with_images(messages, request.images)
        payload: Dict[str, Any] = {"model": config.model_name, "messages": messages}
        if config.model_name.startswith(("gpt-5", "o1", "o3", "o4")):
            # Models that reason take no temperature, and another name of the limit.
            payload["max_completion_tokens"] = config.max_tokens
        else:
            payload.update(max_tokens=config.max_tokens, temperature=config.temperature)
        if config.top_p is not None:
            payload["top_p"] = config.top_p
        if config.response_format == "json":
            payload["response_format"] = {"type": "json_object"}
        reply = openai.OpenAI().chat.completions.create(**payload)
        return Response(reply.choices[0].message.content.strip(), reply.model, reply.usage.model_dump(), reply)


def _with_images(messages: List[Dict[str, Any]], images: List[Any]) -> List[Dict[str, Any]]:
    """The images stand after the text of the last message of the user."""
    last = max((index for index, message in enumerate(messages) if message["role"] == "user"), default=None)
    if last is None:
        return messages
    content = messages[last]["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    parts += [{"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{_base64_of(image)}"}} for image in images]
    return [{**message, "content": parts} if index == last else message for index, message in enumerate(messages)]


def _base64_of(image: Any) -> str:
    if isinstance(image, bytes):
        return image.decode()
    from PIL import Image

    opened = Image.open(image) if isinstance(image, str) else image
    buffer = io.BytesIO()
    opened.convert("RGB").save(buffer, format="JPEG", quality=85)
    return base64.b64encode(buffer.getvalue()).decode()


class AsyncRunJudge(RunJudge, AsyncServerInterface):
    """The judge of the run for code that awaits it. The program asks one after the other and answers from its store."""

    def __init__(self, config: Optional[ServerConfig] = None) -> None:
        super().__init__(config or ServerConfig(model_name="gpt-4"))

    async def evaluate_async(self, request: Request) -> Response:
        return self.evaluate(request)


class ProviderFactory:
    _provider_classes: Dict[str, Type[ServerInterface]] = {
        **dict.fromkeys(("openai", "azure", "bedrock", "local"), RunJudge),
        **dict.fromkeys(("async_openai", "async_azure"), AsyncRunJudge),
    }

    @classmethod
    def create_provider(cls, api_type: Optional[str] = None, config: Optional[ServerConfig] = None) -> ServerInterface:
        name = api_type if api_type is not None else os.getenv("API_TYPE", "openai").lower()
        if name not in cls._provider_classes:
            raise ValueError(f"Unknown API type: {name}. Supported types: {list(cls._provider_classes)}")
        return cls._provider_classes[name](config=config)

    @classmethod
    def register_provider(cls, api_type: str, judge_class: Type[ServerInterface]) -> None:
        if not issubclass(judge_class, ServerInterface):
            raise ValueError(f"{judge_class} must be a subclass of ServerInterface")
        cls._provider_classes[api_type] = judge_class
