"""Loads a model: a class of a user's file, or a model of the installed lmms-eval."""
from __future__ import annotations

import importlib.util
import os
import sys
from typing import Any, Dict, List

from models_classes import ClassModel, made_from
from models_cpu import compute_on_cpu
from models_lmms import absent_of, files_of_class
from models_standins import stand_in


def value_of(text: Any) -> Any:
    """Reads an argument's text as lmms-eval does: true, 8 and 0.5 become values, everything else stays a text."""
    if not isinstance(text, str):
        return text
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.isnumeric():
        return int(text)
    try:
        return float(text)
    except ValueError:
        return text


def values_of(args: Dict[str, Any]) -> Dict[str, Any]:
    """Reads all arguments of a class."""
    return {name: value_of(value) for name, value in args.items()}


def class_in(file: str, name: str) -> Any:
    """Loads a file as a module with its folder on the path, and returns a class of it."""
    path = os.path.abspath(file)
    sys.path.insert(0, os.path.dirname(path))
    module_name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    spec.loader.exec_module(module)
    found = getattr(module, name, None)
    if not isinstance(found, type):
        raise AttributeError(f"{os.path.basename(file)} has no class {name}")
    return found


def opened(kind: str, options: Dict[str, Any], exchange: str) -> Any:
    """Opens a model. It gets an `answer` method that takes a batch of requests."""
    shared = {"batch_size": options.get("batch_size"), "device": options.get("device")}
    args = values_of(options.get("args") or {})
    if kind == "hf":
        from models_hf import HubModel

        return HubModel(options, args, exchange)
    if kind == "lmms":
        return opened_lmms(options, args, shared, exchange)
    stand_in()
    return ClassModel(made_from(class_in(options["file"], options["class"]), args, shared), exchange)


def opened_lmms(options: Dict[str, Any], args: Dict[str, Any], shared: Dict[str, Any], exchange: str) -> ClassModel:
    """Opens a model of the installed lmms-eval."""
    from lmms_eval.models import get_model  # type: ignore[import-not-found]

    name, force_simple = options["class"], bool(options.get("force_simple"))
    compute_on_cpu()
    try:
        made = made_from(get_model(name, force_simple), args, shared)
    except Exception as error:
        absent = absent_of(files_of_class(name, force_simple))
        if not absent or isinstance(error, ImportError):
            raise
        raise RuntimeError(f"it may need packages that are not installed ({', '.join(absent)})") from error
    return ClassModel(made, exchange, logged_errors())


def logged_errors() -> List[str]:
    """A list to which errors are added that a model of lmms-eval logs, because many catch them and answer nothing."""
    from loguru import logger  # type: ignore[import-not-found]

    errors: List[str] = []

    def is_error(record: Any) -> bool:
        is_models = (record["name"] or "").startswith("lmms_eval.models")
        return is_models and (record["level"].name in ("ERROR", "CRITICAL") or record["message"].startswith("Error"))

    logger.add(lambda message: errors.append(message.record["message"]), level="DEBUG", filter=is_error)
    return errors
