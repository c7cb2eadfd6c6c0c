"""The methods by which tasks ask a judge."""

from __future__ import annotations

import abc
import asyncio
import base64
import io
from typing import Any, Awaitable, Dict, List, Optional

from .protocol import Request, Response, ServerConfig
from .utils import RUBRIC_PROMPT, JudgePromptBuilder, ResponseParser

Result = Dict[str, Any]


class ServerInterface(abc.ABC):
    """A judge."""

    def __init__(self, config: Optional[ServerConfig] = None) -> None:
        self.config = config or ServerConfig(model_name="gpt-4")

    @abc.abstractmethod
    def evaluate(self, request: Request) -> Response:
        """Asks the judge."""

    @abc.abstractmethod
    def is_available(self) -> bool:
        """Whether the judge can be asked."""

    def prepare_messages(self, request: Request) -> List[Dict[str, Any]]:
        messages = list(request.messages)
        if self.config.system_prompt and all(message.get("role") != "system" for message in messages):
            messages.insert(0, {"role": "system", "content": self.config.system_prompt})
        return messages

    def _request(self, prompt: str, **parts: Any) -> Request:
        return Request(messages=[{"role": "user", "content": prompt}], config=self.config, **parts)

    @staticmethod
    def _result(name: str, value: Any, prompt: str, response: Response) -> Result:
        told = {"raw_response": response.content, "model": response.model_used, "prompt": prompt, "success": response.success}
        return {name: value, **told}

    def evaluate_binary(
        self, question: str, answer: str, prediction: str, output_format: str = "0/1", custom_prompt: Optional[str] = None, **kwargs: Any
    ) -> Result:
        prompt = JudgePromptBuilder.build_binary_prompt(question, answer, prediction, output_format, custom_prompt, **kwargs)
        response = self.evaluate(self._request(prompt, question=question, answer=answer, prediction=prediction))
        return self._result("result", ResponseParser.parse_binary_response(response.content, output_format), prompt, response)

    def evaluate_comparative(
        self,
        question: str,
        response1: str,
        response2: str,
        context: Optional[str] = None,
        score_range: Any = (1, 10),
        custom_prompt: Optional[str] = None,
        images: Optional[List[Any]] = None,
        **kwargs: Any,
    ) -> Result:
        prompt = JudgePromptBuilder.build_comparative_prompt(question, response1, response2, context, score_range, custom_prompt, **kwargs)
        response = self.evaluate(self._request(prompt, question=question, response1=response1, response2=response2, context=context, images=images))
        return self._result("scores", ResponseParser.parse_comparative_response(response.content), prompt, response)

    def evaluate_with_rubric(self, question: str, prediction: str, rubric: Dict[str, Any], **_kwargs: Any) -> Result:
        criteria = "\n".join(f"- {name}: {text}" for name, text in rubric.items())
        prompt = RUBRIC_PROMPT.format(question=question, prediction=prediction, rubric=criteria)
        response = self.evaluate(self._request(prompt, question=question, prediction=prediction))
        return self._result("scores", ResponseParser.parse_json_response(response.content), prompt, response)


class AsyncServerInterface(ServerInterface):
    """The same methods for code that awaits them. The program asks one after the other and answers from its store."""

    async def evaluate_async(self, request: Request) -> Response:
        return self.evaluate(request)

    async def evaluate_batch(self, requests: List[Request]) -> List[Response]:
        return list(await asyncio.gather(*(self.evaluate_async(request) for request in requests)))

    async def evaluate_binary_async(self, *args: Any, **kwargs: Any) -> Result:
        return self.evaluate_binary(*args, **kwargs)

    async def evaluate_comparative_async(self, *args: Any, **kwargs: Any) -> Result:
        return self.evaluate_comparative(*args, **kwargs)

    async def evaluate_with_rubric_async(self, *args: Any, **kwargs: Any) -> Result:
        return self.evaluate_with_rubric(*args, **kwargs)

    async def evaluate_binary_batch_async(
        self, questions: List[str], answers: List[str], predictions: List[str], *args: Any, **kwargs: Any
    ) -> List[Result]:
        if not len(questions) == len(answers) == len(predictions):
            raise ValueError("All input lists must have the same length")
        waiting: List[Awaitable[Result]] = [
            self.evaluate_binary_async(*each, *args, **kwargs) for each in zip(questions, answers, predictions)
        ]
        return list(await asyncio.gather(*waiting))


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
