"""Finds what a model of the installed lmms-eval consists of: its files, and the packages that it imports."""
from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import os
from typing import Any, Dict, Iterator, List, Tuple

from models_files import imports_of, is_installed, local_file, missing_of

# Files that list all models change with each model that is added.
LISTS = {"models/__init__.py", "models/registry_v2.py"}


def described_lmms(name: str, force_simple: bool) -> Dict[str, Any]:
    """The files of a model within lmms-eval, and all modules that they need."""
    spec = importlib.util.find_spec("lmms_eval") if is_installed("lmms_eval") else None
    if spec is None or not spec.submodule_search_locations:
        return {"files": {}, "modules": {"lmms_eval": True}, "missing": ["lmms-eval"]}
    package = os.path.abspath(list(spec.submodule_search_locations)[0])
    modules: Dict[str, bool] = {"lmms_eval": True, "torch": True}
    missing = missing_of({"loguru": True})
    paths = [] if missing else files_of_class(name, force_simple)
    reached = reach(package, paths, modules)
    files: Dict[str, str] = {}
    for path in reached:
        inside = os.path.relpath(path, package).replace(os.sep, "/")
        decides = inside.startswith(("models/", "..")) or inside == "protocol.py"
        if decides and inside not in LISTS:
            with open(path, "rb") as source:
                files[inside] = hashlib.sha256(source.read()).hexdigest()
    return {"files": files, "modules": modules, "missing": sorted({*missing, *missing_of(modules)})}


def files_of_class(name: str, force_simple: bool) -> List[str]:
    """The file of the class that lmms-eval chooses for a name. A name that it does not know is an error."""
    models = importlib.import_module("lmms_eval.models")
    registry = getattr(models, "MODEL_REGISTRY_V2", None)
    if registry is None:
        folder = os.path.dirname(os.path.abspath(str(models.__file__)))
        files = [os.path.join(folder, kind, f"{name}.py") for kind in ("", "simple", "chat")]
        return [file for file in files if os.path.isfile(file)]
    module = registry.resolve(name, force_simple=force_simple).class_path.rpartition(".")[0]
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.origin:
        raise ImportError(f"lmms-eval lists the model {name}, but has no module {module}")
    return [spec.origin]


def absent_of(paths: List[str]) -> List[str]:
    """The packages that are not installed and that files import where they can, with `try`, `if` or `optional_import`."""
    names = set()
    for path in paths:
        with open(path, "rb") as source:
            tree = ast.parse(source.read(), path)
        names |= {name.split(".")[0] for name, level, _ in imports_of(tree) if level == 0}
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "optional_import"]
        first = [call.args[0] for call in calls if call.args]
        names |= {str(value.value).split(".")[0] for value in first if isinstance(value, ast.Constant)}
    return missing_of({name: True for name in names})


def reach(package: str, paths: List[str], modules: Dict[str, bool]) -> Dict[str, bool]:
    """Follows imports within lmms-eval. Adds other modules with whether loading the model needs them."""
    reached: Dict[str, bool] = {}
    waiting: List[Tuple[str, bool]] = [(path, True) for path in paths]
    while waiting:
        path, needed = waiting.pop()
        if reached.get(path, False) or (path in reached and not needed):
            continue
        reached[path] = needed
        is_model = path not in paths and f"{os.sep}models{os.sep}" not in path
        for name, is_guarded in names_in(path, package):
            local = locals_of(package, name)
            # What a general part of lmms-eval imports within functions is the evaluation, not the model.
            if local and not (is_guarded and is_model):
                waiting.extend((file, needed and not is_guarded) for file in local)
            elif not local:
                top = name.split(".")[0]
                modules[top] = modules.get(top, False) or (needed and not is_guarded)
    return reached


def names_in(path: str, package: str) -> Iterator[Tuple[str, bool]]:
    """The absolute names that a file imports. A relative import outside lmms-eval is left out."""
    with open(path, "rb") as source:
        tree = ast.parse(source.read(), path)
    inside = os.path.relpath(os.path.dirname(path), os.path.dirname(package)).split(os.sep)
    for name, level, is_guarded in imports_of(tree):
        if level == 0:
            yield name, is_guarded
        elif inside[0] == "lmms_eval":
            yield ".".join([*inside[: len(inside) - level + 1], name]).rstrip("."), is_guarded


def locals_of(package: str, name: str) -> List[str]:
    """The files that importing a name of lmms-eval runs: those of its parents and its own."""
    parts = name.split(".")
    if parts[0] != os.path.basename(package):
        return []
    root = os.path.dirname(package)
    found = [local_file(root, ".".join(parts[: end + 1])) for end in range(len(parts))]
    return [file for file in found if file]
