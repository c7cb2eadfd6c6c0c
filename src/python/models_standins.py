"""Provides the names of lmms-eval that a model's file imports, where lmms-eval or a package that it needs is not installed."""
from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from typing import Any, Dict, List, Optional, Tuple

from models_classes import Request

Media = Tuple[List[Any], List[Any], List[Any]]


class CacheHook:
    """lmms-eval's models report partial answers to it. Answers are stored elsewhere here."""

    def add_partial(self, *_: Any) -> None:
        """Takes an answer."""


class lmms:
    """The base class of models."""

    is_simple = True

    def __init__(self) -> None:
        self._rank, self._world_size = 0, 1
        self.cache_hook = CacheHook()
        self.task_dict: Dict[str, Any] = {}

    @property
    def rank(self) -> int:
        """The number of this process."""
        return self._rank

    @property
    def world_size(self) -> int:
        """How many processes share the requests."""
        return self._world_size

    def set_cache_hook(self, cache_hook: Any) -> None:
        """Replaces the hook."""
        self.cache_hook = cache_hook

    @classmethod
    def create_from_arg_string(cls, text: str, more: Any = None) -> Any:
        """Makes a model from `name=value,name=value`."""
        from models_load import values_of

        pairs = [pair.split("=", 1) for pair in text.split(",") if "=" in pair]
        return cls(**values_of(dict(pairs)), **(more or {}))


def register_model(*_: str) -> Any:
    """A decorator that leaves a class as it is."""
    return lambda cls: cls


class GenerationResult:
    """A text with its token counts."""

    def __init__(self, text: str, token_counts: Any = None) -> None:
        self.text, self.token_counts = text, token_counts


class TokenCounts:
    """Numbers of tokens, or None where they are not known."""

    def __init__(self, input_tokens: Any = None, output_tokens: Any = None, reasoning_tokens: Any = None) -> None:
        self.input_tokens, self.output_tokens = input_tokens, output_tokens
        self.reasoning_tokens = reasoning_tokens


class ChatMessages:
    """A conversation, as chat models of lmms-eval read it."""

    def __init__(self, messages: List[Dict[str, Any]]) -> None:
        part = types.SimpleNamespace
        self.messages = [
            part(role=message["role"], content=[part(**content) for content in message["content"]]) for message in messages
        ]

    def extract_media(self) -> Media:
        """The images, videos and audio clips in their order."""
        parts = [part for message in self.messages for part in message.content]
        images, videos, audios = ([part.url for part in parts if part.type == kind] for kind in ("image", "video", "audio"))
        return images, videos, audios

    def to_hf_messages(
        self, video_kwargs: Optional[Dict[str, Any]] = None, image_kwargs: Optional[Dict[str, Any]] = None
    ) -> List[Dict[str, Any]]:
        """The conversation for a chat template of `transformers`, with settings for each video and image."""
        more = {"video": video_kwargs or {}, "image": image_kwargs or {}}
        return [
            {
                "role": message.role,
                "content": [
                    {"type": "text", "text": part.text}
                    if part.type == "text"
                    else {"type": part.type, part.type: part.url, **more.get(part.type, {})}
                    for part in message.content
                ],
            }
            for message in self.messages
        ]


NAMES: Dict[str, Dict[str, Any]] = {
    "lmms_eval": {},
    "lmms_eval.api": {},
    "lmms_eval.api.model": {"lmms": lmms, "CacheHook": CacheHook},
    "lmms_eval.api.registry": {"register_model": register_model},
    "lmms_eval.api.instance": {"Instance": Request, "GenerationResult": GenerationResult, "TokenCounts": TokenCounts},
    "lmms_eval.protocol": {"ChatMessages": ChatMessages},
}


class Guarded(importlib.abc.Loader):
    """Loads a module of the installed lmms-eval, or its stand-in if a package that it imports is not installed.

    lmms-eval imports torch and others in files that many classes need only for the name of their base class.
    """

    def __init__(self, loader: Any, members: Dict[str, Any]) -> None:
        self.loader, self.members = loader, members

    def create_module(self, spec: Any) -> Any:
        """Leaves the making of the module to the other loader."""
        return self.loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        """Runs the file of lmms-eval."""
        try:
            self.loader.exec_module(module)
        except ModuleNotFoundError as error:
            if not error.name or error.name.split(".")[0] == "lmms_eval":
                raise
            print(f"{module.__name__} is replaced by a stand-in, because lmms-eval needs {error.name} for it", file=sys.stderr)
            module.__dict__.update(self.members)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of the installed lmms-eval that have stand-ins."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        """The specification of a module with a loader that falls back to the stand-in."""
        members = NAMES.get(name)
        spec = importlib.machinery.PathFinder.find_spec(name, path) if members else None
        if spec is not None and spec.loader is not None:
            spec.loader = Guarded(spec.loader, members or {})
        return spec


def stand_in() -> None:
    """Puts the names in place. Where lmms-eval is installed, its own are used if they can be imported."""
    if importlib.util.find_spec("lmms_eval") is not None:
        sys.meta_path.insert(0, Finder())
        return
    for name, members in NAMES.items():
        module = types.ModuleType(name)
        module.__dict__.update(members)
        module.__path__ = []  # type: ignore[attr-defined]
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
