"""Tasks that are Python classes: subclasses of lmms-eval's ConfigurableTask that make their own docs in `download`."""

from __future__ import annotations

import inspect
import json
from typing import Any, Dict, List, Optional

import wire

BASES = ("ConfigurableTask", "ConfigurableMessagesTask")
#: What a class may have of its own. Everything else that it has may be a helper, but no hook of the base class.
OWN = frozenset({"__init__", "download", "DATASET_PATH", "DATASET_NAME", "VERSION", "CONFIG", "OUTPUT_TYPE"})
#: The methods and properties of lmms-eval's base classes that decide how a task is asked and scored.
HOOKS = frozenset(
    """training_docs validation_docs test_docs fewshot_docs process_docs doc_to_text doc_to_visual doc_to_target doc_to_choice doc_to_messages
    doc_to_audio construct_requests build_all_requests fewshot_context apply_filters process_results aggregation higher_is_better config
    dump_config has_test_docs has_validation_docs has_training_docs should_decontaminate doc_to_decontamination_query eval_docs""".split()
)

_made: Dict[Any, Any] = {}


class Config:
    """The keys of the YAML file as attributes. What it does not have is None."""

    def __init__(self, values: Dict[str, Any]) -> None:
        self.__dict__.update(values)

    def __getattr__(self, _name: str) -> None:
        return None


class Custom:
    """The docs of lm-evaluation-harness's `custom_dataset`: a function returns them by split."""

    dataset: Any = None


def is_task(found: Any) -> bool:
    """Whether a class is a task of lmms-eval."""
    return inspect.isclass(found) and any(base.__name__ in BASES for base in found.__mro__[1:])


def check(found: Any) -> None:
    """Raises TypeError for a class that decides more than its docs."""
    own: Dict[str, Any] = {}
    for base in found.__mro__:
        if base.__name__ in BASES:
            break
        own.update(vars(base))
    if "download" not in own:
        raise TypeError(f"class {found.__name__} has no download: leave the key class out, for nothing else of a class is used")
    others = sorted(name for name in own if name in HOOKS)
    if others:
        raise TypeError(f"class {found.__name__} overrides {', '.join(others)}: only download is supported. Make functions of them and name these in the YAML")


def made(found: Any, config: Dict[str, Any], functions: Dict[str, Any]) -> Any:
    """The object whose `download` has made its docs. Its constructor is not called, for lmms-eval's own needs all of lmms-eval."""
    if found not in _made and not inspect.isclass(found):
        task = Custom()
        task.dataset = found(**(config.get("metadata") or {}), **(config.get("dataset_kwargs") or {}))
        _made[found] = task
    if found not in _made:
        check(found)
        task = object.__new__(found)
        task._config = Config({**config, **functions})
        task.model_name = task.data_dir = task.cache_dir = task.download_mode = None
        task.DATASET_PATH, task.DATASET_NAME = config.get("dataset_path"), config.get("dataset_name")
        task.lmms_eval_specific_kwargs = config.get("lmms_eval_specific_kwargs")
        task.download(config.get("dataset_kwargs"))
        _made[found] = task
    return _made[found]


def write_rows(task: Any, split: str, output: str, exchange: str) -> int:
    """Writes the docs of a split as JSON lines and returns their number."""
    dataset: Optional[Any] = getattr(task, "dataset", None)
    if dataset is None or split not in dataset:
        known: List[str] = [] if dataset is None else [str(name) for name in dataset]
        what = "it" if isinstance(task, Custom) else f"download of class {type(task).__name__}"
        raise ValueError(f"{what} made no split {split}" + (f" (it made {', '.join(known)})" if known else ""))
    count = 0
    with open(output, "w", encoding="utf-8") as file:
        for doc in dataset[split]:
            line = json.dumps(wire.encode(dict(doc), exchange), allow_nan=False)
            if '{"$image":' in line or '{"$audio":' in line:
                raise TypeError("docs that Python makes cannot have pictures or recordings: give their paths, and open them in doc_to_visual")
            file.write(line + "\n")
            count += 1
    return count
