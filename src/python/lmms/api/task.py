"""Base classes of tasks that are Python classes. Files that define one load, so that their functions can be used; the class itself cannot."""

from __future__ import annotations

from typing import Any


class Task:
    """A task as a class, which is not supported."""

    def __init__(self, *_args: Any, **_options: Any) -> None:
        raise NotImplementedError(f"the task {type(self).__name__} is a Python class, which is not supported: describe it in YAML")


class ConfigurableTask(Task):
    """A task that is made from YAML."""


class ConfigurableMessagesTask(ConfigurableTask):
    """A task whose prompts are messages."""
