"""Users' functions by reference, loaded as lmms-eval loads them."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import os
import sys
from typing import Any, Callable, Dict, List, Optional, Tuple

import errors
import task_classes
from closure import Closure, changed_files

Reference = Dict[str, str]


class Loader:
    """Imports the file of each function anew, as lmms-eval does: what one function keeps in a global is not seen by another."""

    def __init__(self, packages: List[str], root: Optional[str]) -> None:
        self._shared: Dict[str, Any] = {}
        self._code: Dict[str, Any] = {}
        self._failures: Dict[str, BaseException] = {}
        self._functions: Dict[Tuple[str, str, str], Any] = {}
        self._closure = Closure(packages, root)
        self._told: Dict[str, str] = {}

    def begin(self) -> List[str]:
        """Starts a new load: what failed is tried again. Returns files that changed since they were imported, which needs a new process."""
        self._failures.clear()
        return changed_files(self._told)

    def find(self, ref: Reference) -> Callable[..., Any]:
        """Returns the function or class, and raises what its module raises when it is imported."""
        key = _key(ref)
        known = self._functions.get(key)
        if known is None:
            known = self._functions[key] = self._function(ref)
        return known

    def take(self, ref: Reference) -> Callable[..., Any]:
        """Returns the function for one call on all docs, so that the next such call begins with the globals of a module that was just imported."""
        found = self.find(ref)
        del self._functions[_key(ref)]
        return found

    def share(self, ref: Reference) -> Callable[..., Any]:
        """Returns the function or class, whose globals all functions of its file see from now on."""
        path = file_beside(ref["folder"], ref["module"]) if "folder" in ref else None
        if path is not None and path not in self._shared:
            self._add_users_folder(os.path.dirname(path))
            self._shared[path] = self._module(ref, path)
            self._functions.clear()
        return self.find(ref)

    def _function(self, ref: Reference) -> Any:
        folder, name = ref.get("folder"), ref["module"]
        path = None if folder is None else file_beside(folder, name)
        if path is None:
            if folder is not None:
                self._add_users_folder(folder)
            module = importlib.import_module(name)
        else:
            self._add_users_folder(os.path.dirname(path))
            module = self._shared.get(path) or self._module(ref, path)
        try:
            return getattr(module, ref["name"])
        except AttributeError:
            where = path if path is not None else getattr(module, "__file__", name)
            raise ImportError(f"{where} has no function \"{ref['name']}\"") from None

    def _add_users_folder(self, folder: str) -> None:
        real = os.path.realpath(folder) + os.sep
        if real not in errors.users_folders:
            errors.users_folders.append(real)

    def _module(self, ref: Reference, path: str) -> Any:
        failure = self._failures.get(path)
        if failure is not None:
            raise failure
        # A file of this name exists in many folders, so its module gets a name of its own. Classes are found by it in `sys.modules`.
        digest = hashlib.sha256(f"{path}:{ref['name']}".encode()).hexdigest()[:8]
        unique = f"{ref['module'].rpartition('.')[2]}__{digest}"
        spec = importlib.util.spec_from_file_location(unique, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} cannot be imported")
        module = importlib.util.module_from_spec(spec)
        sys.modules[unique] = module
        try:
            # Kept, because a file that changed since would not be the code that was described.
            code = self._code.get(path) or self._code.setdefault(path, spec.loader.get_code(unique))  # type: ignore[attr-defined]
            exec(code, module.__dict__)
        except BaseException as error:
            del sys.modules[unique]
            # A module that took too long may be quicker next time. Any other failure is the same again.
            if isinstance(error, Exception):
                self._failures[path] = error
            raise
        return module

    def describe(self, ref: Reference) -> Dict[str, Any]:
        """What a caller must know of a function: its parameters."""
        found = self.find(ref)
        if task_classes.is_task(found):
            task_classes.check(found)
        try:
            parameters = list(inspect.signature(found).parameters.values())
        except (TypeError, ValueError):  # Functions in C may have no signature.
            parameters = []
        named = [one for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
        return {
            "parameters": [one.name for one in named],
            "required": sum(one.default is one.empty and one.kind is not one.KEYWORD_ONLY for one in named),
            "takesKwargs": any(one.kind is one.VAR_KEYWORD for one in parameters),
            "kind": "class" if inspect.isclass(found) else "function",
        }

    def sources(self, refs: List[Reference]) -> Dict[str, Dict[str, str]]:
        """The files and packages that references import, whether their import succeeded or not."""
        files = []
        for ref in refs:
            path = file_beside(ref["folder"], ref["module"]) if "folder" in ref else None
            if path is not None:
                files.append(path)
            else:
                files += self._closure.files_of(ref["module"])
        found = self._closure.of(files)
        self._told.update(found["files"])
        return found


def _key(ref: Reference) -> Tuple[str, str, str]:
    return (ref.get("folder", ""), ref["module"], ref["name"])


def file_beside(folder: str, module: str) -> Optional[str]:
    """The file that `!function module.name` means in a YAML file of the folder, or None for a module of another place."""
    for name in (module, module.replace(".", os.sep)):
        path = os.path.normpath(os.path.join(folder, f"{name}.py"))
        if os.path.exists(path):
            return path
    return None
