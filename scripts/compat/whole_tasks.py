"""Writes the synthetic docs of tasks as Parquet files, each with a YAML file that includes the task's own and names these docs.

    python whole_tasks.py TASKS_FOLDER WORK_FOLDER [TASKS_PER_FOLDER]

WORK_FOLDER has the files real*.jsonl of synthesise.py. They may be of another copy of lmms-eval than TASKS_FOLDER.
With a number of tasks, those of a folder that differ in their functions, filters or metrics are taken first.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from typing import Any, Dict, List, Set

import yaml

import task_files
import values

Row = Dict[str, Any]
SPLITS = ("training_split", "validation_split", "test_split", "fewshot_split")


def feature(values: List[Any]) -> Any:
    """Returns the feature of a column, or of a field, from its values."""
    import datasets
    import pyarrow

    known = [value for value in values if value is not None]
    if not known:
        return datasets.Value("null")
    first = known[0]
    if isinstance(first, dict):
        if "$image" in first:
            return datasets.Image()
        if "$audio" in first:
            return datasets.Audio()
        # Parquet has no struct without fields.
        keys = list(dict.fromkeys(key for value in known for key in value)) or ["made_up"]
        return {key: feature([value.get(key) for value in known]) for key in keys}
    if isinstance(first, list):
        return [feature([item for value in known for item in value])]
    return datasets.Value(str(pyarrow.array(known).type).replace("double", "float64"))


def stored(value: Any) -> Any:
    """Returns a value as the dataset holds it: media by their bytes, with their file names."""
    if isinstance(value, list):
        return [stored(item) for item in value]
    if not isinstance(value, dict):
        return value
    for mark in ("$image", "$audio"):
        if mark in value:
            with open(value[mark]["path"], "rb") as file:
                return {"bytes": file.read(), "path": os.path.basename(value[mark]["path"])}
    return {key: stored(item) for key, item in value.items()}


def complete(docs: List[Row], config: Row, media: values.Media) -> List[Row]:
    """Adds the columns that only the YAML names: as a column, or in a template."""
    wanted: List[str] = []
    for key in ("doc_to_text", "doc_to_target", "doc_to_choice", "doc_to_visual"):
        text = config.get(key)
        if isinstance(text, str):
            wanted += [text] if text.isidentifier() else re.findall(r"\{\{\s*([A-Za-z_]\w*)", text)
    missing = [name for name in dict.fromkeys(wanted) if all(name not in doc for doc in docs)]
    # A Parquet file without columns has no rows.
    missing += [] if missing or any(docs) else ["made_up"]
    return [{**doc, **{name: values.make(values.guess(name), name, at, media) for name in missing}} for at, doc in enumerate(docs)]


def write(row: Row, task: task_files.TaskFile, folder: str, media: values.Media) -> None:
    import datasets

    os.makedirs(folder, exist_ok=True)
    docs = complete(row["docs"], task.config, media)
    names = list(dict.fromkeys(name for doc in docs for name in doc))
    features = datasets.Features({name: feature([doc.get(name) for doc in docs]) for name in names})
    columns = {name: [stored(doc.get(name)) for doc in docs] for name in names}
    path = os.path.join(folder, "docs.parquet")
    datasets.Dataset.from_dict(columns, features=features).to_parquet(path)
    splits = [task.config[key].split("[")[0] for key in SPLITS if isinstance(task.config.get(key), str)]
    overlay = {
        "include": task.path,
        "task": row["task"],
        "dataset_path": "parquet",
        "dataset_name": None,
        "dataset_kwargs": {"data_files": {split: path for split in dict.fromkeys(splits or ["test"])}},
    }
    with open(os.path.join(folder, "task.yaml"), "w", encoding="utf-8") as file:
        yaml.safe_dump(overlay, file, sort_keys=False)


def kind(config: Row) -> str:
    """Describes what a task does besides its texts, so that tasks that do the same are measured once."""
    functions = {key: str(value) for key, value in config.items() if isinstance(value, task_files.Reference)}
    return json.dumps([str(config.get(key)) for key in ("output_type", "filter_list", "metric_list")] + [functions])


def main() -> None:
    root, work = (os.path.abspath(one) for one in sys.argv[1:3])
    most = int(sys.argv[3]) if len(sys.argv) > 3 else None
    by_file = {task_files.place(row["file"]): row for row in task_files.synthesised(work)}
    target = os.path.join(work, "whole")
    media = values.Media(os.path.join(work, "media"))
    shutil.rmtree(target, ignore_errors=True)
    taken: Dict[str, Set[str]] = {}
    for task in task_files.tasks(root):
        row = by_file.get(task_files.place(task.path))
        if row is None or not row.get("docs") or "error" in row:
            continue
        kinds = taken.setdefault(row["folder"], set())
        if most is not None and (kind(task.config) in kinds or len(kinds) == most):
            continue
        kinds.add(kind(task.config))
        try:
            write(row, task, os.path.join(target, row["folder"], os.path.relpath(task.path, root).replace(os.sep, "--")[: -len(".yaml")]), media)
        except Exception as error:
            print(row["folder"], row["task"], type(error).__name__, str(error)[:200])


if __name__ == "__main__":
    main()
