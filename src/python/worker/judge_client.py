"""Clients of judge models as users' code knows them. Whatever they ask goes to the parent process, which stores, counts and limits it."""

from __future__ import annotations

import json
import os
import types
from typing import Any, Callable, Dict, List, Optional

Ask = Callable[[str, Any], Any]

#: Code of tasks refuses to be imported without a key, which nothing here needs.
KEYS = ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_API_KEY")
ENDPOINTS = {"AZURE_OPENAI_ENDPOINT": "https://judge.invalid", "AZURE_ENDPOINT": "https://judge.invalid"}


class JudgeFailure(BaseException):
    """The judge failed. Not an Exception, so that users' code neither tries again for minutes nor takes a score for it."""


class Answer(types.SimpleNamespace):
    """An object of the API with the methods of its models."""

    def model_dump(self, **_options: Any) -> Dict[str, Any]:
        return json.loads(self.model_dump_json())

    def model_dump_json(self, **_options: Any) -> str:
        return json.dumps(self, default=lambda value: vars(value))

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def get(self, name: str, default: Any = None) -> Any:
        return getattr(self, name, default)


def complete(ask: Ask, payload: Dict[str, Any]) -> Dict[str, Any]:
    """Answers a request in the form of the chat completions API."""
    kept = ("messages", "model", "temperature", "max_tokens", "n", "response_format", "seed")
    request = {name: payload[name] for name in kept if payload.get(name) is not None}
    if "max_tokens" not in request and payload.get("max_completion_tokens") is not None:
        request["max_tokens"] = payload["max_completion_tokens"]
    if (payload.get("n") or 1) > 1:
        # One choice in place of several would change scores without a word.
        raise JudgeFailure(f"the task asks the judge for {payload['n']} replies at once (n={payload['n']}), and one is possible")
    try:
        reply = ask("judge", request)
    except Exception as error:
        raise JudgeFailure(str(error)) from error
    usage = reply.get("usage") or {}
    counted = {"prompt_tokens": usage.get("input", 0), "completion_tokens": usage.get("output", 0)}
    message = {"role": "assistant", "content": reply["text"], "refusal": None, "tool_calls": None}
    choice = {"index": 0, "finish_reason": "stop", "message": message, "logprobs": None}
    return {
        "id": "judge",
        "object": "chat.completion",
        "model": reply.get("model") or payload.get("model") or "judge",
        "choices": [choice],
        "usage": {**counted, "total_tokens": sum(counted.values())},
    }


def _object(value: Any) -> Any:
    if isinstance(value, dict):
        return Answer(**{name: _object(item) for name, item in value.items()})
    return [_object(item) for item in value] if isinstance(value, list) else value


def openai_module(ask: Ask) -> types.ModuleType:
    """A stand-in for the package `openai`: its clients ask the parent."""

    class Completions:
        def create(self, **payload: Any) -> Any:
            return _object(complete(ask, payload))

        parse = create

    class AsyncCompletions:
        async def create(self, **payload: Any) -> Any:
            return _object(complete(ask, payload))

        parse = create

    class Client:
        def __init__(self, api_key: Any = None, **options: Any) -> None:
            self.api_key = api_key
            self.base_url = options.get("base_url") or options.get("azure_endpoint")
            self.chat = types.SimpleNamespace(completions=Completions())
            self.beta = types.SimpleNamespace(chat=self.chat)

        def with_options(self, **_options: Any) -> "Client":
            return self

        def close(self) -> None:
            """Nothing is open."""

    class AsyncClient(Client):
        def __init__(self, api_key: Any = None, **options: Any) -> None:
            super().__init__(api_key, **options)
            self.chat = types.SimpleNamespace(completions=AsyncCompletions())
            self.beta = types.SimpleNamespace(chat=self.chat)

        async def close(self) -> None:  # type: ignore[override]
            """Nothing is open."""

    module = types.ModuleType("openai")
    errors = ["OpenAIError", "APIError", "APIConnectionError", "APITimeoutError", "RateLimitError", "BadRequestError"]
    errors += ["AuthenticationError", "APIStatusError", "InternalServerError", "NotFoundError", "PermissionDeniedError"]
    for name in errors:
        setattr(module, name, type(name, (Exception,), {}))
    for name in ("OpenAI", "AzureOpenAI", "Client"):
        setattr(module, name, Client)
    for name in ("AsyncOpenAI", "AsyncAzureOpenAI", "AsyncClient"):
        setattr(module, name, AsyncClient)
    module.__version__ = "1.0.0"  # type: ignore[attr-defined]
    module.__path__ = []  # type: ignore[attr-defined]
    module.ChatCompletion = Completions()  # type: ignore[attr-defined]
    return module


class Reply:
    """What `requests.post` returns for a judge request."""

    status_code = 200
    ok = True
    reason = "OK"

    def __init__(self, body: Dict[str, Any]) -> None:
        self._body = body
        self.text = json.dumps(body)
        self.content = self.text.encode()
        self.headers = {"content-type": "application/json"}

    def json(self) -> Dict[str, Any]:
        return self._body

    def raise_for_status(self) -> None:
        """A judge that fails raises before there is a reply."""


def posted(ask: Ask, options: Dict[str, Any]) -> Optional[Reply]:
    """Answers a POST that asks a chat model; None for any other."""
    payload = options.get("json")
    if payload is None and isinstance(options.get("data"), (str, bytes)):
        try:
            payload = json.loads(options["data"])
        except ValueError:
            return None
    if not isinstance(payload, dict) or not isinstance(payload.get("messages"), list):
        return None
    return Reply(complete(ask, payload))


def patch_requests(module: types.ModuleType, ask: Ask) -> None:
    """Makes posts to chat models of the package `requests` ask the parent."""
    post, session = module.post, module.Session

    def judged_post(url: str, data: Any = None, json: Any = None, **options: Any) -> Any:
        reply = posted(ask, {"data": data, "json": json})
        return post(url, data=data, json=json, **options) if reply is None else reply

    def judged_session_post(self: Any, url: str, data: Any = None, json: Any = None, **options: Any) -> Any:
        reply = posted(ask, {"data": data, "json": json})
        return session.request(self, "POST", url, data=data, json=json, **options) if reply is None else reply

    module.post = judged_post  # type: ignore[attr-defined]
    session.post = judged_session_post


def requests_module(ask: Ask) -> types.ModuleType:
    """A stand-in for the package `requests` where it is missing: it asks judges and nothing else."""
    module = types.ModuleType("requests")
    exceptions = types.ModuleType("requests.exceptions")
    names: List[str] = ["RequestException", "HTTPError", "ConnectionError", "Timeout", "ReadTimeout", "JSONDecodeError"]
    for name in names:
        error = type(name, (Exception,), {})
        setattr(module, name, error)
        setattr(exceptions, name, error)

    def refuse(*_args: Any, **_options: Any) -> Any:
        raise PermissionError("the package requests is not installed, and code of tasks has no network: pip install requests, --allow-network")

    def post(_url: str, data: Any = None, json: Any = None, **_options: Any) -> Any:
        reply = posted(ask, {"data": data, "json": json})
        return refuse() if reply is None else reply

    class Session:
        headers: Dict[str, str] = {}

        def post(self, url: str, **options: Any) -> Any:
            return post(url, **options)

        get = request = mount = refuse

    module.post, module.get, module.Session = post, refuse, Session  # type: ignore[attr-defined]
    module.exceptions = exceptions  # type: ignore[attr-defined]
    module.__path__ = []  # type: ignore[attr-defined]
    return module


def set_keys() -> None:
    """Gives code that looks for a key something to find."""
    for name in KEYS:
        os.environ.setdefault(name, "none")
    for name, value in ENDPOINTS.items():
        os.environ.setdefault(name, value)
