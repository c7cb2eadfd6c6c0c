"""A stand-in for the package `loguru`: what is logged goes to the standard error."""

from __future__ import annotations

import sys
import types
from typing import Any


class Logger:
    """Writes warnings and errors. Other messages are dropped."""

    def _write(self, message: Any, *args: Any, **kwargs: Any) -> None:
        text = str(message)
        print(text.format(*args, **kwargs) if args or kwargs else text, file=sys.stderr)

    warning = error = exception = critical = _write

    def _drop(self, *_args: Any, **_kwargs: Any) -> None:
        return None

    debug = info = success = trace = log = add = remove = configure = level = _drop

    def _same(self, *_args: Any, **_kwargs: Any) -> "Logger":
        return self

    opt = bind = patch = _same

    def catch(self, *args: Any, **_kwargs: Any) -> Any:
        return args[0] if args and callable(args[0]) else lambda function: function


def module() -> types.ModuleType:
    made = types.ModuleType("loguru")
    made.logger = Logger()  # type: ignore[attr-defined]
    return made
