"""Operations on models: describe one without loading it, open it, and answer batches of requests."""
from __future__ import annotations

import json
import os
import random
import sys
import traceback
import zlib
from typing import Any, Dict, List

import models_files
import models_load

# Exceptions that a further attempt does not change.
REJECTIONS = (NotImplementedError,)

_open: Dict[str, Any] = {}


def handle(op: str, message: Dict[str, Any], exchange: str) -> Any:
    """Carries out one operation. `exchange` is a folder for files of this process."""
    if op == "model.describe":
        return models_files.described(message["kind"], message["options"])
    if op == "model.open":
        _open["model"] = models_load.opened(message["kind"], message["options"], exchange)
        return {"lacks": getattr(_open["model"], "lacks", [])}
    if op == "model.answer":
        seed(message["requests"])
        return _open["model"].answer(message["requests"])
    raise ValueError(f"no operation {op}")


def seed(requests: List[Dict[str, Any]]) -> None:
    """Makes draws of a model repeatable: they depend on the requests of the batch, and not on what was asked before.

    The requests contain the numbers of their samples, so that samples of one prompt differ.
    """
    asked = [
        [request["type"], request["generation"], request.get("sample"), request.get("continuation"), contents_of(request)]
        for request in requests
    ]
    number = zlib.crc32(json.dumps(asked, sort_keys=True).encode())
    random.seed(number)
    for name in ("numpy", "torch"):
        module = sys.modules.get(name)
        if module is not None:
            (module.random.seed if name == "numpy" else module.manual_seed)(number)


def contents_of(request: Dict[str, Any]) -> List[str]:
    """The texts of a request and the names of its media, which do not depend on the folder of the store."""
    parts = [part for message in request["messages"] for part in message["content"]]
    return [part["text"] if part["type"] == "text" else os.path.basename(part["path"]) for part in parts]


def error_of(error: BaseException) -> Dict[str, Any]:
    """Describes an exception with the last places in which it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    first = first_cause(error)
    places = [f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} in {frame.name}" for frame in frames]
    described = {
        "type": type(error).__name__,
        "message": str(error) if first is error else f"{error}, because of {type(first).__name__}: {first}",
        "trace": places[-6:],
        "isRejection": isinstance(error, REJECTIONS),
        # torch says it in words where the memory of the machine, and not of a GPU, is used up.
        "isOutOfMemory": isinstance(error, MemoryError) or "DefaultCPUAllocator: can't allocate memory" in str(error),
    }
    if isinstance(first, ModuleNotFoundError) and first.name:
        top = first.name.split(".")[0]
        described["missing"] = f"pip install {models_files.PACKAGES.get(top, top)}"
    return described


def first_cause(error: BaseException) -> BaseException:
    """The first exception of a chain. Libraries that import lazily say only that an import failed."""
    seen = {id(error)}
    while error.__cause__ is not None and id(error.__cause__) not in seen:
        error = error.__cause__
        seen.add(id(error))
    return error
