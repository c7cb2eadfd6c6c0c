"""Loads a model: a class of a user's file, or a model of the installed lmms-eval."""
from __future__ import annotations

import importlib.util
import os
import sys
import types
from typing import Any, Dict

from models_classes import ClassModel, made_from


def value_of(text: Any) -> Any:
    """Reads an argument's text as lmms-eval does: true, 8 and 0.5 become values, everything else stays a text."""
    if not isinstance(text, str):
        return text
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.isnumeric():
        return int(text)
    try:
        return float(text)
    except ValueError:
        return text


def values_of(args: Dict[str, Any]) -> Dict[str, Any]:
    """Reads all arguments of a class."""
    return {name: value_of(value) for name, value in args.items()}


def stand_in() -> None:
    """Provides the names of lmms-eval that a model's file imports, where lmms-eval is not installed."""
    if importlib.util.find_spec("lmms_eval") is not None:
        return

    class lmms:
        """The base class of models."""

        is_simple = True

        def __init__(self) -> None:
            self._rank, self._world_size = 0, 1
            self.task_dict: Dict[str, Any] = {}

        @property
        def rank(self) -> int:
            return self._rank

        @property
        def world_size(self) -> int:
            return self._world_size

        @classmethod
        def create_from_arg_string(cls, text: str, more: Any = None) -> Any:
            pairs = [pair.split("=", 1) for pair in text.split(",") if "=" in pair]
            return cls(**values_of(dict(pairs)), **(more or {}))

    def register_model(*_: str) -> Any:
        return lambda cls: cls

    from models_classes import Request

    class GenerationResult:
        def __init__(self, text: str, token_counts: Any = None) -> None:
            self.text, self.token_counts = text, token_counts

    class TokenCounts:
        def __init__(self, input_tokens: Any = None, output_tokens: Any = None, reasoning_tokens: Any = None) -> None:
            self.input_tokens, self.output_tokens = input_tokens, output_tokens
            self.reasoning_tokens = reasoning_tokens

    names = {
        "lmms_eval": {},
        "lmms_eval.api": {},
        "lmms_eval.api.model": {"lmms": lmms},
        "lmms_eval.api.registry": {"register_model": register_model},
        "lmms_eval.api.instance": {
            "Instance": Request,
            "GenerationResult": GenerationResult,
            "TokenCounts": TokenCounts,
        },
    }
    for name, members in names.items():
        module = types.ModuleType(name)
        module.__dict__.update(members)
        module.__path__ = []  # type: ignore[attr-defined]
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)


def class_in(file: str, name: str) -> Any:
    """Loads a file as a module with its folder on the path, and returns a class of it."""
    path = os.path.abspath(file)
    sys.path.insert(0, os.path.dirname(path))
    module_name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    spec.loader.exec_module(module)
    found = getattr(module, name, None)
    if not isinstance(found, type):
        raise AttributeError(f"{os.path.basename(file)} has no class {name}")
    return found


def opened(kind: str, options: Dict[str, Any], exchange: str) -> Any:
    """Opens a model. It gets an `answer` method that takes a batch of requests."""
    shared = {"batch_size": options.get("batch_size"), "device": options.get("device")}
    args = values_of(options.get("args") or {})
    if kind == "hf":
        from models_hf import HubModel

        return HubModel(options, args, exchange)
    if kind == "lmms":
        from lmms_eval.models import get_model  # type: ignore[import-not-found]

        return ClassModel(made_from(get_model(options["class"], bool(options.get("force_simple"))), args, shared), exchange)
    stand_in()
    return ClassModel(made_from(class_in(options["file"], options["class"]), args, shared), exchange)
