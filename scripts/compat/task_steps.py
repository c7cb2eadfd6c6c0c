"""The functions of a task in the order in which lmms-eval calls them, as calls of one doc."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
from typing import Any, Callable, Dict, List, Optional, Tuple

import values
from probe import Missing
from task_files import HOOKS, Reference, TaskFile

Step = Tuple[str, Callable[[Any], Any]]


class TimeUp(BaseException):
    """The time for a folder is over."""


def load(reference: Reference) -> Any:
    from lmms_eval.utils import import_function  # noqa: F401  (fails early where lmms-eval is absent)

    path = os.path.join(reference.folder, *reference.module.split(".")) + ".py"
    spec = importlib.util.spec_from_file_location(reference.module, path)
    assert spec is not None and spec.loader is not None
    if not os.path.exists(path):
        # As in lmms-eval: a name that is no file beside the YAML is a module of the package.
        return getattr(importlib.import_module(reference.module), reference.name)
    if path not in load.known:  # type: ignore[attr-defined]
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        load.known[path] = module  # type: ignore[attr-defined]
    return getattr(load.known[path], reference.name)  # type: ignore[attr-defined]


load.known = {}  # type: ignore[attr-defined]


def steps_of(task: TaskFile) -> List[Step]:
    kwargs, steps = task.kwargs(), []
    for hook in HOOKS:
        reference = task.reference(hook)
        if reference is None:
            continue
        function = load(reference)
        if hook == "doc_to_target" and task.config.get("model_specific_target_kwargs"):
            settings = task.config["model_specific_target_kwargs"].get("default")
            steps.append((hook, lambda doc, f=function, given=settings: f(doc, given)))
            continue
        if hook == "doc_to_messages":
            # As in lmms-eval: by keyword, also where the second parameter has another name.
            named = inspect.signature(function).parameters
            given = {"lmms_eval_specific_kwargs": kwargs} if kwargs is not None and ("lmms_eval_specific_kwargs" in named or len(named) == 2) else {}
            steps.append((hook, lambda doc, f=function, more=given: f(doc, **more)))
            continue
        takes = len(inspect.signature(function).parameters) >= 2 and hook in ("doc_to_text", "doc_to_visual")
        steps.append((hook, (lambda doc, f=function: f(doc, kwargs)) if takes and kwargs is not None else function))
    reference = task.reference("process_results")
    if reference is not None:
        scored = load(reference)
        for name, results in answers_of(task).items():
            steps.append((name, lambda doc, given=results: scored(doc, values.decode(given, dict))))
    return steps


def answers_of(task: TaskFile) -> Dict[str, Any]:
    """Returns what `process_results` gets: texts, or the likelihoods of the choices for tasks that compare those."""
    if task.config.get("output_type") == "multiple_choice":
        return {f"process_results likelihoods {at}": [{"$tuple": [0.5 + at, False]}, {"$tuple": [1.5 - at, True]}] for at in (0, 1)}
    return {f"process_results {answer}": [answer] for answer in ("A", "yes it is", "")}


def with_error(steps: List[Step]) -> List[Step]:
    """Lets the last answer, which is empty, raise in lmms-eval. The worker has to raise the same type of error."""
    if not steps or steps[-1][0] != "process_results ":
        return steps
    name, call = steps[-1]

    def tried(doc: Any) -> Any:
        try:
            return call(doc)
        except (Missing, TimeUp):
            raise
        except Exception as error:
            return {"raises": type(error).__name__}

    return [*steps[:-1], (name, tried)]


def broken(task: TaskFile) -> Optional[str]:
    """Returns why lmms-eval itself cannot load the YAML, if the fault is in its own files."""
    from lmms_eval.utils import load_yaml_config

    try:
        load_yaml_config(yaml_path=task.path, mode="full")
    except (AttributeError, NameError) as error:
        return f"{type(error).__name__}: {error}"
    except ModuleNotFoundError as error:
        return f"ModuleNotFoundError: {error}" if (error.name or "").startswith("lmms_eval.") else None
    except Exception:
        return None
    return None
