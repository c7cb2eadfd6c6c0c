"""Reads the tasks of an lmms-eval package: their YAML, and which Python functions they name."""

from __future__ import annotations

import glob
import json
import os
import re
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Tuple

import yaml

HOOKS = ("doc_to_text", "doc_to_visual", "doc_to_messages", "doc_to_target", "doc_to_choice")


@dataclass(frozen=True)
class Reference:
    """A function that a YAML file names."""

    module: str
    name: str
    folder: str

    def wire(self) -> Dict[str, str]:
        return {"module": self.module, "name": self.name, "folder": self.folder}


@dataclass
class TaskFile:
    name: str
    folder: str
    path: str
    config: Dict[str, Any] = field(repr=False)

    def reference(self, key: str) -> "Reference | None":
        found = self.config.get(key)
        return found if isinstance(found, Reference) else None

    def aggregations(self) -> List[Tuple[str, Reference]]:
        metrics = self.config.get("metric_list") or []
        return [(one["metric"], one["aggregation"]) for one in metrics if isinstance(one.get("aggregation"), Reference)]

    def kwargs(self) -> "Dict[str, Any] | None":
        """Returns what lmms-eval passes to `doc_to_text` for a model that has no settings of its own."""
        given = self.config.get("lmms_eval_specific_kwargs")
        if given is None:
            return None
        for name in ("default", "dataset"):
            if name in given:
                return {**given, **(given.get(name) or {})}
        return dict(given)


def _read(path: str) -> Dict[str, Any]:
    folder = os.path.dirname(path)

    class Loader(yaml.FullLoader):
        pass

    def function(loader: Any, node: Any) -> Reference:
        module, _, name = loader.construct_scalar(node).rpartition(".")
        return Reference(module, name, folder)

    Loader.add_constructor("!function", function)
    with open(path, encoding="utf-8") as file:
        config = yaml.load(file, Loader) or {}
    if not isinstance(config, dict):
        return {}
    included = config.pop("include", None)
    if included is None:
        return config
    merged: Dict[str, Any] = {}
    for one in reversed([included] if isinstance(included, str) else included):
        merged.update(_read(one if os.path.isfile(one) else os.path.join(folder, one)))
    merged.update(config)
    return merged


def tasks(root: str) -> Iterator[TaskFile]:
    """Yields the tasks below a folder in the order of their paths. A YAML file that names other tasks is a group and left out."""
    for folder, folders, files in os.walk(root):
        folders.sort()
        for file in sorted(files):
            path = os.path.join(folder, file)
            if not file.endswith(".yaml"):
                continue
            try:
                config = _read(path)
            except (OSError, yaml.YAMLError, TypeError, AttributeError) as error:
                yield TaskFile(file, os.path.relpath(folder, root).split(os.sep)[0], path, {"broken": f"{type(error).__name__}: {error}"})
                continue
            with open(path, encoding="utf-8") as text:
                own = re.search(r"^['\"]?task['\"]?\s*:", text.read(), re.MULTILINE) is not None
            if own and isinstance(config.get("task"), str):
                yield TaskFile(config["task"], os.path.relpath(folder, root).split(os.sep)[0], path, config)


def place(path: str) -> str:
    """Returns the part of a task file's path that all copies of lmms-eval, or of lm-evaluation-harness, share."""
    return re.split(r"/(?:lm|lmms)_eval/tasks/", path)[-1]


def synthesised(work: str) -> List[Dict[str, Any]]:
    """Returns the rows of synthesise.py. A task that was done again has its newest row, of the last file by name."""
    paths = sorted(glob.glob(os.path.join(work, "real*.jsonl")))
    rows = [json.loads(line) for path in paths for line in open(path, encoding="utf-8")]
    return list({place(row["file"]): row for row in rows}.values())


def packages_of(folder: str, work: str) -> List[str]:
    """Returns where packages are that only one folder of tasks needs."""
    path = os.path.join(work, "packages", folder)
    return [path] if os.path.isdir(path) else []
