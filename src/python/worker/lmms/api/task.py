"""Base classes of tasks that are Python classes. Only their `download` is called (task_classes.py)."""

from __future__ import annotations

from typing import Any


class Task:
    """A task as a class. The program makes its objects without the constructor."""

    _config: Any = None

    def __init__(self, *_args: Any, **_options: Any) -> None:
        raise NotImplementedError(f"the task {type(self).__name__} is made by the program, which calls only its download")

    @property
    def config(self) -> Any:
        return self._config

    def download(self, dataset_kwargs: Any = None) -> None:
        """A class that loads a dataset of the Hub needs no download of its own, so that the key `class` can be left out."""
        raise NotImplementedError("the download of ConfigurableTask itself is not available to a class: load the docs in the class")


class ConfigurableTask(Task):
    """A task that is made from YAML."""


class ConfigurableMessagesTask(ConfigurableTask):
    """A task whose prompts are messages."""
