"""Judge models as tasks of lmms-eval ask them. What they ask goes to the judge model of the run, whichever server they name."""

from __future__ import annotations

from .factory import ProviderFactory
from .protocol import Request, Response, ServerConfig
from .server import AsyncServerInterface, ServerInterface
from .utils import JudgePromptBuilder, ResponseParser

__all__ = [
    "AsyncServerInterface",
    "JudgePromptBuilder",
    "ProviderFactory",
    "Request",
    "Response",
    "ResponseParser",
    "ServerConfig",
    "ServerInterface",
    "get_server",
]


def get_server(server_name: str, config: ServerConfig | None = None) -> ServerInterface:
    return ProviderFactory.create_provider(api_type=server_name, config=config)
