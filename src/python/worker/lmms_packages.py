"""Makes `lmms_eval` and `lmms_eval.tasks` importable without running their own `__init__`, which needs torch, transformers and datasets.

Modules of lmms-eval come from a copy of it beside task folders, or from an installed one (`pip install --no-deps lmms-eval` is enough). The folder `lmms`
has the few that most task folders import, for those that lie alone, and those whose own file needs packages that are missing. A task folder finds itself by its name.
"""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
import os
import re
import sys
import types
from typing import Any, Dict, List, Optional, Sequence

import errors

STAND_INS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lmms")
_TASKS = "lmms_eval.tasks"
#: Modules of lmms-eval that have a stand-in: its file, and the packages without which it takes the place of lmms-eval's own.
_REPLACED = {
    "lmms_eval.api.task": ("api/task.py", ("accelerate", "evaluate", "huggingface_hub", "sacrebleu", "tenacity", "torch", "transformers")),
    "lmms_eval.llm_judge.factory": ("judge_factory.py", ("aiohttp",)),
    "lmms_eval.loggers": ("loggers/__init__.py", ("huggingface_hub", "torch", "transformers")),
    "lmms_eval.utils": ("utils.py", ("jinja2", "pytz", "torch", "transformers")),
}
#: Modules of lmms-eval that can do much without packages which they import: what needs such a package fails when it is called.
_PLACEHOLDERS = {
    "lmms_eval.api.metrics": {"sacrebleu": "sacrebleu"},
    "lmms_eval.api.registry": {"evaluate": "evaluate", "lmms_eval.api.model": "torch"},
}
#: The program writes stored code of one folder to a folder of this name.
_STORED = re.compile(r"python-[0-9a-f]{64}")


class LmmsPackages:
    """Finds the two packages as empty ones. Modules in them are found by their paths: task folders that were named, then those of an installed lmms-eval."""

    def __init__(self, packages: Sequence[str]) -> None:
        installed = _installed()
        homes = [os.path.dirname(folder) for folder in packages if os.path.basename(os.path.dirname(folder)) == "lmms_eval"]
        self._paths = {
            "lmms_eval": _distinct([*homes, *installed, STAND_INS]),
            _TASKS: _distinct([*packages, *(os.path.join(home, "tasks") for home in installed), os.path.join(STAND_INS, "tasks")]),
        }

    def find_spec(self, name: str, path: Optional[Sequence[str]] = None, target: object = None) -> Optional[importlib.machinery.ModuleSpec]:
        if lacks_packages(name):
            file = os.path.join(STAND_INS, _REPLACED[name][0])
            folders = [os.path.dirname(file)] if file.endswith("__init__.py") else None
            return importlib.util.spec_from_file_location(name, file, submodule_search_locations=folders)
        if name in _PLACEHOLDERS:
            return _with_placeholders(importlib.machinery.PathFinder.find_spec(name, path), _PLACEHOLDERS[name])
        if name.startswith(_TASKS + ".") and name.count(".") == 2:
            return self._task_folder(name)
        folders = self._paths.get(name)
        if not folders:
            return None
        spec = importlib.machinery.ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]
        spec.submodule_search_locations = list(folders)
        return spec

    def _task_folder(self, name: str) -> Optional[importlib.machinery.ModuleSpec]:
        """The folder of users' code that has the name of the package, where no folder of tasks has it."""
        if importlib.machinery.PathFinder.find_spec(name, self._paths[_TASKS]) is not None:
            return None
        folder = folder_named(name.rpartition(".")[2])
        if folder is None:
            return None
        init = os.path.join(folder, "__init__.py")
        if os.path.exists(init):
            return importlib.util.spec_from_file_location(name, init, submodule_search_locations=[folder])
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [folder]
        return spec

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        module.__file__ = os.path.join(self._paths[module.__name__][0], "__init__.py")


@functools.lru_cache(maxsize=None)
def lacks_packages(name: str) -> bool:
    """Whether a module of lmms-eval needs packages that are not installed, so that a stand-in takes its place."""
    return any(importlib.util.find_spec(needed) is None for needed in _REPLACED.get(name, ("", ()))[1])


def is_replaced(name: str) -> bool:
    """Whether a module or package of lmms-eval is a stand-in or has one in it."""
    return any(lacks_packages(replaced) for replaced in _REPLACED if replaced == name or name.startswith(replaced + ".") or replaced.startswith(name + "."))


class _Missing(types.ModuleType):
    """A module that is not there. What is taken from it raises."""

    lmms = object
    package = ""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ModuleNotFoundError(f"No module named '{self.package}'", name=self.package)


def _with_placeholders(spec: Optional[importlib.machinery.ModuleSpec], needed: Dict[str, str]) -> Optional[importlib.machinery.ModuleSpec]:
    """Lets a module be imported without packages. Nothing else sees that something stands for them."""
    absent = {name: package for name, package in needed.items() if importlib.util.find_spec(package) is None}
    if spec is None or spec.loader is None or not absent:
        return spec
    run = spec.loader.exec_module

    def exec_module(module: types.ModuleType) -> None:
        for name, package in absent.items():
            sys.modules[name] = placeholder = _Missing(name)
            placeholder.package = package
        try:
            run(module)
        finally:
            for name in absent:
                del sys.modules[name]

    spec.loader.exec_module = exec_module  # type: ignore[method-assign]
    return spec


def folder_named(name: str) -> Optional[str]:
    """The folder of users' code, or the one around it, that has this name."""
    for folder in errors.users_folders:
        path = folder.rstrip(os.sep)
        while os.path.dirname(path) != path:
            if os.path.basename(path) == name or _STORED.fullmatch(os.path.basename(path)):
                return path
            path = os.path.dirname(path)
    return None


def _installed() -> List[str]:
    spec = importlib.util.find_spec("lmms_eval")
    return list(spec.submodule_search_locations or []) if spec is not None else []


def _distinct(folders: Sequence[str]) -> List[str]:
    return list(dict.fromkeys(os.path.realpath(folder) for folder in folders if os.path.isdir(folder)))


def install(packages: Sequence[str]) -> None:
    sys.meta_path.insert(0, LmmsPackages(packages))
