"""The name of the module in lmms-eval."""

from .server import AsyncServerInterface, ServerInterface

__all__ = ["AsyncServerInterface", "ServerInterface"]
