"""Stands in for packages that code of tasks imports: judge clients always, others only where they are missing."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any, Callable, Dict, Optional, Sequence

import judge_client
import log_standin
import progress_standin
import rows

Make = Callable[[], types.ModuleType]


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives modules that are made here."""

    def __init__(self, always: Dict[str, Make], missing: Dict[str, Make]) -> None:
        self._always = always
        self._missing = missing

    def find_spec(self, name: str, path: Optional[Sequence[str]], target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        is_known = name in self._always or (name in self._missing and importlib.machinery.PathFinder.find_spec(name.partition(".")[0]) is None)
        return importlib.machinery.ModuleSpec(name, self) if is_known else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return (self._always.get(spec.name) or self._missing[spec.name])()

    def exec_module(self, module: types.ModuleType) -> None:
        """The module is whole when it is made."""


class Patcher(importlib.abc.MetaPathFinder):
    """Changes a module of an installed package after it was imported."""

    def __init__(self, name: str, patch: Callable[[types.ModuleType], None]) -> None:
        self._name = name
        self._patch = patch

    def find_spec(self, name: str, path: Optional[Sequence[str]], target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        if name != self._name:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return None
        run, patch = spec.loader.exec_module, self._patch

        def exec_module(module: types.ModuleType) -> None:
            run(module)
            patch(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def install(ask: judge_client.Ask) -> None:
    judge_client.set_keys()
    always: Dict[str, Make] = {"openai": lambda: judge_client.openai_module(ask)}
    missing: Dict[str, Make] = {
        "requests": lambda: judge_client.requests_module(ask),
        "requests.exceptions": lambda: sys.modules["requests"].exceptions,
        "datasets": rows.module,
        "loguru": log_standin.module,
        "tqdm": progress_standin.module,
    }
    sys.meta_path.insert(0, Finder(always, missing))
    sys.meta_path.insert(0, Patcher("requests", lambda module: judge_client.patch_requests(module, ask)))
