"""Which files and packages a file of users' code imports, read from its import statements.

Statements within functions count, because they run when a doc is rendered or scored.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.metadata
import importlib.util
import os
import sys
import sysconfig
from typing import Dict, Iterator, List, Optional, Set, Tuple

import errors
import lmms_packages

_TASKS = "lmms_eval.tasks"
_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep


class Closure:
    """Follows imports through users' files. What a package imports is told by the package's version."""

    def __init__(self, packages: List[str], root: Optional[str]) -> None:
        self._packages = [os.path.abspath(folder) for folder in packages]
        self._root = None if root is None else os.path.abspath(root)
        self._imports: Dict[str, Tuple[str, List[Tuple[str, List[str]]]]] = {}

    def of(self, files: List[str]) -> Dict[str, Dict[str, str]]:
        """Returns git's identity of each file, and the version of each package."""
        digests: Dict[str, str] = {}
        packages: Dict[str, str] = {}
        waiting = list(files)
        while waiting:
            path = waiting.pop()
            if path in digests:
                continue
            digest, imports = self._read(path)
            digests[path] = digest
            for module, names in imports:
                found = self._found(module, names)
                waiting += found
                if _is_stand_in(module):
                    packages["lmms_eval"] = _stand_ins()
                elif not found:
                    self._add_package(module.partition(".")[0], packages)
        return {"files": dict(sorted(digests.items())), "packages": dict(sorted(packages.items()))}

    def files_of(self, module: str) -> List[str]:
        return self._found(module, [])

    def _read(self, path: str) -> Tuple[str, List[Tuple[str, List[str]]]]:
        with open(path, "rb") as file:
            content = file.read()
        digest = _digest(content)
        known = self._imports.get(path)
        if known is None or known[0] != digest:
            known = self._imports[path] = (digest, list(_imports(content, self._module_name(path))))
        return known

    def _module_name(self, path: str) -> str:
        """The full name of a file below a package folder, which its relative imports go out from."""
        for folder in self._packages:
            if path.startswith(folder + os.sep):
                parts = os.path.relpath(path, folder)[: -len(".py")].split(os.sep)
                return ".".join([_TASKS, *parts])
        for name, module in list(sys.modules.items()):
            if getattr(module, "__file__", None) == path:
                return name
        return ""

    def _found(self, module: str, names: List[str]) -> List[str]:
        """Users' files that an import statement runs: the module's, its parents' `__init__.py`, and submodules among the names."""
        found: Set[str] = set()
        parts = module.split(".")
        for name in [".".join(parts[:count]) for count in range(1, len(parts) + 1)] + [f"{module}.{name}" for name in names]:
            path = self._file(name)
            if path is not None and self._is_users(path):
                found.add(path)
        return sorted(found)

    def _is_users(self, path: str) -> bool:
        if path.startswith(_OWN):
            return False
        folders = self._packages if self._root is None else [*self._packages, self._root]
        return any(path.startswith(folder + os.sep) for folder in folders) or errors.is_users(path)

    def _file(self, name: str) -> Optional[str]:
        if name.startswith(_TASKS + "."):
            below = name[len(_TASKS) + 1 :].replace(".", os.sep)
            for folder in self._packages:
                for path in (os.path.join(folder, f"{below}.py"), os.path.join(folder, below, "__init__.py")):
                    if os.path.exists(path):
                        return path
            # A task folder that lies alone imports its own files by the name that it has in lmms-eval.
            own = lmms_packages.folder_named(below.partition(os.sep)[0])
            inner = below.partition(os.sep)[2]
            for path in () if own is None else (os.path.join(own, f"{inner}.py"), os.path.join(own, inner, "__init__.py")):
                if os.path.exists(path):
                    return path
        loaded = sys.modules.get(name)
        if loaded is not None:
            path = getattr(loaded, "__file__", None)
            # The file of a package that was made without running its `__init__` may be missing.
            return path if isinstance(path, str) and path.endswith(".py") and os.path.exists(path) else None
        if "." in name and name.rpartition(".")[0] not in sys.modules:
            return None
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError, AttributeError):
            return None
        return spec.origin if spec is not None and spec.origin is not None and spec.origin.endswith(".py") else None

    def _add_package(self, module: str, packages: Dict[str, str]) -> None:
        if module == "" or module in packages or _is_standard(module):
            return
        loaded = sys.modules.get(module)
        if str(getattr(loaded, "__file__", None) or "").startswith(_OWN):
            return
        version = _version(module)
        if version is not None:
            packages[module] = version


def _is_stand_in(module: str) -> bool:
    """Whether a module of lmms-eval is one of this program, because no folder of lmms-eval has it, or lmms-eval's own lacks packages."""
    top, _, below = module.partition(".")
    if below and lmms_packages.is_replaced(module):
        return True
    spec = importlib.util.find_spec("lmms_eval") if top == "lmms_eval" else None
    path = below.replace(".", os.sep)
    for folder in [] if spec is None else spec.submodule_search_locations or []:
        if os.path.exists(os.path.join(folder, path)) or os.path.exists(os.path.join(folder, f"{path}.py")):
            return folder.startswith(lmms_packages.STAND_INS)
    return False


@functools.lru_cache(maxsize=None)
def _stand_ins() -> str:
    """Stands for the version of lmms-eval, so that results are computed again when a stand-in changes."""
    digest = hashlib.sha256()
    for folder, folders, names in os.walk(lmms_packages.STAND_INS):
        folders.sort()
        for name in sorted(name for name in names if name.endswith(".py")):
            with open(os.path.join(folder, name), "rb") as file:
                digest.update(file.read())
    try:
        return f"stand-in {digest.hexdigest()[:12]} for {importlib.metadata.version('lmms-eval')}"
    except importlib.metadata.PackageNotFoundError:
        return f"stand-in {digest.hexdigest()[:12]}"


def _digest(content: bytes) -> str:
    """What `git hash-object` prints."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def changed_files(digests: Dict[str, str]) -> List[str]:
    """Returns the files that are no longer as they were."""
    changed = []
    for path, digest in digests.items():
        try:
            with open(path, "rb") as file:
                is_same = _digest(file.read()) == digest
        except OSError:
            is_same = False
        if not is_same:
            changed.append(path)
    return changed


def refuse_changes(digests: Dict[str, str]) -> None:
    """Fails if code changed since its identity was told, because results would be stored as those of other code."""
    changed = changed_files(digests)
    if changed:
        raise RuntimeError(f"{', '.join(changed)} changed while it was in use: start again")


def _imports(content: bytes, name: str) -> Iterator[Tuple[str, List[str]]]:
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return
    package = name.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, []
        elif isinstance(node, ast.ImportFrom):
            parents = package[: len(package) - node.level + 1] if node.level > 0 else []
            module = ".".join([*parents, *([node.module] if node.module else [])])
            if module != "" and (node.level == 0 or parents):
                yield module, [alias.name for alias in node.names]


def _is_standard(module: str) -> bool:
    names = getattr(sys, "stdlib_module_names", None)
    if names is not None:
        return module in names
    # Python 3.9 has no list of its own modules.
    if module in sys.builtin_module_names:
        return True
    spec = importlib.util.find_spec(module)
    origin = "" if spec is None else str(spec.origin)
    return origin.startswith(sysconfig.get_paths()["stdlib"]) and "site-packages" not in origin


def _version(module: str) -> Optional[str]:
    for name in (errors.DISTRIBUTIONS.get(module, module), module):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    loaded = sys.modules.get(module)
    if loaded is None:
        return None
    return str(getattr(loaded, "__version__", "unknown"))
