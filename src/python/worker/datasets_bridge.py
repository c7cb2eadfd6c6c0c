"""`process_docs`: docs from a file as a dataset, and the resulting docs to a file."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List

import audio
import hooks
import rows
import wire


def process_docs(function: Callable[[Any], Any], message: Dict[str, Any], exchange: str) -> Dict[str, int]:
    """Calls `process_docs(dataset)` and returns the number of docs that it left."""
    docs = list(hooks.read_lines(message["input"]))
    result = function(_dataset(docs, message.get("columns")))
    count = 0
    with open(message["output"], "w", encoding="utf-8") as file:
        for doc in result:
            file.write(json.dumps(wire.encode(_plain(doc), exchange), allow_nan=False) + "\n")
            count += 1
    return {"docs": count}


def _plain(doc: Any) -> Any:
    return doc if isinstance(doc, dict) else dict(doc)


def _dataset(docs: List[Dict[str, Any]], columns: Any) -> Any:
    """A dataset of the package `datasets`, or of its stand-in where the package is missing."""
    import datasets

    media = {name for doc in docs[:100] for name, value in doc.items() if _is_medium(value)}
    # The stand-in keeps values as they are, media included.
    if datasets.Dataset is rows.Dataset or not media:
        return datasets.Dataset.from_list(docs)
    return _with_media(datasets, docs, media)


def _is_medium(value: Any) -> bool:
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, audio.Recording) or hasattr(first, "pipeline_path")


def _with_media(datasets: Any, docs: List[Dict[str, Any]], media: Any) -> Any:
    """Columns of media hold paths, which the package opens when a doc is read."""

    def path_of(value: Any) -> Any:
        if isinstance(value, list):
            return [path_of(item) for item in value]
        return value.file if isinstance(value, audio.Recording) else getattr(value, "pipeline_path", None)

    held = [{name: path_of(value) if name in media else value for name, value in doc.items()} for doc in docs]
    dataset = datasets.Dataset.from_list(held)
    for name in sorted(media):
        value = next(doc[name] for doc in docs if name in doc and _is_medium(doc[name]))
        first = value[0] if isinstance(value, list) else value
        feature = datasets.Audio() if isinstance(first, audio.Recording) else datasets.Image()
        dataset = dataset.cast_column(name, [feature] if isinstance(value, list) else feature)
    return dataset
