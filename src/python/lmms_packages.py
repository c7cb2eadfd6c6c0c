"""Makes `lmms_eval` and `lmms_eval.tasks` importable without running their own `__init__`, which needs torch, transformers and datasets."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
import types
from typing import List, Optional, Sequence


class LmmsPackages:
    """Finds the two packages as empty ones. Modules in them are found by their paths: task folders that were named, then those of an installed lmms-eval."""

    def __init__(self, packages: Sequence[str]) -> None:
        installed = _installed()
        homes = [os.path.dirname(folder) for folder in packages if os.path.basename(os.path.dirname(folder)) == "lmms_eval"]
        self._paths = {
            "lmms_eval": _distinct([*homes, *installed]),
            "lmms_eval.tasks": _distinct([*packages, *(os.path.join(home, "tasks") for home in installed)]),
        }

    def find_spec(self, name: str, path: Optional[Sequence[str]] = None, target: object = None) -> Optional[importlib.machinery.ModuleSpec]:
        folders = self._paths.get(name)
        if not folders:
            return None
        spec = importlib.machinery.ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]
        spec.submodule_search_locations = list(folders)
        return spec

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        module.__file__ = os.path.join(self._paths[module.__name__][0], "__init__.py")


def _installed() -> List[str]:
    spec = importlib.util.find_spec("lmms_eval")
    return list(spec.submodule_search_locations or []) if spec is not None else []


def _distinct(folders: Sequence[str]) -> List[str]:
    return list(dict.fromkeys(os.path.realpath(folder) for folder in folders if os.path.isdir(folder)))


def install(packages: Sequence[str]) -> None:
    sys.meta_path.insert(0, LmmsPackages(packages))
