"""Judges by the name of their server. All of them are the judge model of the run."""

from __future__ import annotations

import os
from typing import Dict, Optional, Type

from .protocol import ServerConfig
from .server import AsyncServerInterface, RunJudge, ServerInterface


class AsyncRunJudge(RunJudge, AsyncServerInterface):
    """The judge of the run for code that awaits it."""


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
