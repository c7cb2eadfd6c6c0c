"""The functions of a task, called as lmms-eval calls them."""

from __future__ import annotations

import inspect
import json
import types
from typing import Any, Callable, Dict, Iterator, List, Optional

import wire

#: The order of the calls on one doc. A function may change the doc, and the next one sees the change.
ORDER = ("doc_to_visual", "doc_to_text", "doc_to_audio", "doc_to_messages", "doc_to_target", "doc_to_choice", "description", "gen_prefix")


def takes_kwargs(hook: str, function: Callable[..., Any]) -> bool:
    """Whether a function takes `lmms_eval_specific_kwargs` after the doc. Only texts, media and messages depend on them."""
    if hook in ("doc_to_target", "doc_to_choice"):
        return False
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    kinds = [one.kind for one in parameters.values()]
    if "lmms_eval_specific_kwargs" in parameters:
        return True
    if hook == "doc_to_messages" and inspect.Parameter.VAR_KEYWORD in kinds:
        return True
    return len(parameters) >= 2 or inspect.Parameter.VAR_POSITIONAL in kinds


def call_hook(hook: str, function: Callable[..., Any], doc: Any, kwargs: Optional[Dict[str, Any]], target_kwargs: Any = None) -> Any:
    """Calls a function of a task. `target_kwargs`, which may be any value, is for `doc_to_target` alone."""
    if hook == "doc_to_target" and target_kwargs is not None:
        return function(doc, target_kwargs)
    if kwargs is None or not takes_kwargs(hook, function):
        return function(doc)
    if hook == "doc_to_messages":
        return function(doc, lmms_eval_specific_kwargs=kwargs)
    return function(doc, kwargs)


class AggregationArgs(types.SimpleNamespace):
    """The command line's arguments as aggregations see them. What was not given is None, or the text that lmms-eval has as its default."""

    model = model_args = tasks = gen_kwargs = ""
    log_samples_suffix = "model_outputs"

    def __getattr__(self, _name: str) -> None:
        return None


def aggregate(function: Callable[..., Any], values: List[Any], args: Dict[str, Any]) -> Any:
    try:
        takes_args = "args" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        takes_args = False
    return function(values, args=AggregationArgs(**args)) if takes_args else function(values)


def filtered(found: Any, kwargs: Dict[str, Any], resps: List[Any], docs: List[Any]) -> List[Any]:
    """Applies a filter class, or a function that takes responses and docs. It leaves a text or a list of texts of each doc."""
    if inspect.isclass(found):
        result = found(**kwargs).apply(resps, docs)
    else:
        result = found(resps, docs, **kwargs)
    listed = [one if isinstance(one, str) else list(one) for one in result]
    if len(listed) != len(resps):
        raise ValueError(f"the filter returned {len(listed)} results for {len(resps)} docs")
    return listed


def samples(found: Any) -> List[Any]:
    """Examples for prompts: a list, or a function that returns one."""
    return list(found() if callable(found) else found)


def read_lines(path: str) -> Iterator[Any]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip():
                value = json.loads(line)
                yield wire.decode(value) if '"$' in line else value
