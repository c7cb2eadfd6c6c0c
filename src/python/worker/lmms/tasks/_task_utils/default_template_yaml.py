"""Reads the shared settings of a task folder."""

from __future__ import annotations

import os
from typing import Any


def load_default_template_yaml(task_file: Any) -> Any:
    """The content of `_default_template_yaml` beside a file. Lines with functions are left out, because plain YAML has no such tag."""
    import yaml

    path = os.path.join(os.path.dirname(os.fspath(task_file)), "_default_template_yaml")
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load("".join(line for line in file if "!function" not in line))
