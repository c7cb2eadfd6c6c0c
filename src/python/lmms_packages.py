"""Makes `lmms_eval` and `lmms_eval.tasks` importable without running their own `__init__`, which needs torch, transformers and datasets.

Where lmms-eval is not there, or packages that it needs are not, its modules that tasks import are those of the folder `lmms`. A task folder finds itself by its name.
"""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
import os
import re
import sys
import types
from typing import List, Optional, Sequence

import errors

STAND_INS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lmms")
_TASKS = "lmms_eval.tasks"
#: What modules of lmms-eval that tasks import need themselves. A copy of lmms-eval beside task folders is often there without these packages.
_NEEDS = {
    "lmms_eval.api": ("evaluate", "sacrebleu"),
    "lmms_eval.filters": ("evaluate", "sacrebleu"),
    "lmms_eval.llm_judge": ("aiohttp",),
    "lmms_eval.loggers": ("huggingface_hub", "torch", "transformers"),
    "lmms_eval.utils": ("jinja2", "pytz", "torch", "transformers"),
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
        self.has_stand_ins = True

    def find_spec(self, name: str, path: Optional[Sequence[str]] = None, target: object = None) -> Optional[importlib.machinery.ModuleSpec]:
        folders = self._paths.get(name)
        if self.has_stand_ins and lacks_packages(name):
            return importlib.machinery.PathFinder.find_spec(name, [STAND_INS])
        if name.startswith(_TASKS + ".") and name.count(".") == 2:
            return self._task_folder(name)
        if folders and not self.has_stand_ins:
            folders = [folder for folder in folders if not folder.startswith(STAND_INS)]
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
    return any(importlib.util.find_spec(needed) is None for needed in _NEEDS.get(name, ()))


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


def leave_stand_ins_out() -> None:
    """Models need the whole of lmms-eval, or names of their own (models_load.py)."""
    for finder in sys.meta_path:
        if isinstance(finder, LmmsPackages):
            finder.has_stand_ins = False
