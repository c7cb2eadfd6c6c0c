"""Finds what a model's file consists of: its local imports, the packages that it needs, and those that are missing.

Files are parsed and never run, so that a run learns in a fraction of a second what would fail minutes later.
"""
from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import sys
from importlib import metadata
from typing import Any, Dict, Iterator, List, Set, Tuple

# Import names whose package on PyPI has another name.
PACKAGES = {
    "PIL": "Pillow",
    "cv2": "opencv-python",
    "sklearn": "scikit-learn",
    "yaml": "PyYAML",
    "skimage": "scikit-image",
    "qwen_vl_utils": "qwen-vl-utils",
    "lmms_eval": "lmms-eval",
}
STANDARD = set(getattr(sys, "stdlib_module_names", ())) | set(sys.builtin_module_names)
# Provided by stand-ins where lmms-eval is not installed.
PROVIDED = {"lmms_eval"}


def imports_of(tree: ast.AST) -> Iterator[Tuple[str, int, bool]]:
    """Lists imports as name, level of a relative import, and whether their failure is caught or happens later."""
    guarded = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Try, ast.FunctionDef, ast.AsyncFunctionDef, ast.If))
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, 0, id(node) in guarded
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            yield base, node.level, id(node) in guarded
            for alias in node.names:
                yield f"{base}.{alias.name}".lstrip("."), node.level, id(node) in guarded


def local_file(folder: str, name: str) -> str:
    """The file of a module below a folder, or an empty text."""
    base = os.path.join(folder, *[part for part in name.split(".") if part])
    for path in (f"{base}.py", os.path.join(base, "__init__.py")):
        if name and os.path.isfile(path):
            return path
    return ""


def closure_of(file: str) -> Dict[str, Any]:
    """Lists the files that a file imports from its own folder, and the other modules with whether they are needed."""
    root = os.path.dirname(os.path.abspath(file))
    files: Dict[str, str] = {}
    modules: Dict[str, bool] = {}
    waiting = [os.path.abspath(file)]
    while waiting:
        path = waiting.pop()
        if path in files:
            continue
        with open(path, "rb") as source:
            content = source.read()
        files[path] = hashlib.sha256(content).hexdigest()
        for name, level, is_guarded in imports_of(ast.parse(content, path)):
            folder = os.path.dirname(path)
            for _ in range(level - 1):
                folder = os.path.dirname(folder)
            local = local_file(folder if level else root, name)
            if local:
                waiting.append(local)
            elif level == 0 and not local_file(root, name.split(".")[0]):
                top = name.split(".")[0]
                modules[top] = modules.get(top, False) or not is_guarded
    return {
        "files": {os.path.relpath(path, root): digest for path, digest in files.items()},
        "modules": {name: needed for name, needed in modules.items() if name not in STANDARD},
    }


def is_installed(name: str) -> bool:
    """Whether a top-level module can be imported."""
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def versions_of(names: Set[str]) -> Dict[str, str]:
    """The versions of installed modules. A module without a distribution is left out."""
    found: Dict[str, str] = {}
    for name in sorted(names):
        for candidate in (name, PACKAGES.get(name, name), name.replace("_", "-")):
            try:
                found[name] = metadata.version(candidate)
                break
            except metadata.PackageNotFoundError:
                continue
    return found


def missing_of(modules: Dict[str, bool]) -> List[str]:
    """The packages on PyPI of needed modules that are not installed."""
    return sorted(
        {
            PACKAGES.get(name, name)
            for name, needed in modules.items()
            if needed and name not in PROVIDED and name not in STANDARD and not is_installed(name)
        }
    )


def described(kind: str, options: Dict[str, Any]) -> Dict[str, Any]:
    """Describes a model without loading it: files, package versions and missing packages."""
    if kind == "lmms":
        from models_lmms import described_lmms

        found = described_lmms(options["class"], bool(options.get("force_simple")))
    elif kind == "hf":
        modules = {"torch": True, "transformers": True}
        if options.get("task") == "image-text-to-text":
            modules["PIL"] = True
        found = {"files": {}, "modules": modules, "missing": missing_of(modules)}
    else:
        closure = closure_of(options["file"])
        found = {**closure, "missing": missing_of(closure["modules"])}
    return {
        "files": found["files"],
        "packages": versions_of({name for name in found["modules"] if name not in STANDARD}),
        "missing": found["missing"],
        "python": ".".join(map(str, sys.version_info[:2])),
    }
