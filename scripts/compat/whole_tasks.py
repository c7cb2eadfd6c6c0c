"""Writes the synthetic docs of tasks as Parquet files, each with a YAML file that includes the task's own and names these docs.

    python whole_tasks.py TASKS_FOLDER WORK_FOLDER [TASKS_PER_FOLDER]

WORK_FOLDER has the files real*.jsonl of synthesise.py. They may be of another copy of lmms-eval than TASKS_FOLDER.
With a number of tasks, those of a folder that differ in their functions, filters or metrics are taken first.
ONLY="FOLDER FOLDER" leaves the other folders as they are.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import Any, Dict, List, Set

import yaml

import task_files
import values

Row = Dict[str, Any]
#: Columns that a YAML file names and the real dataset does not have, by folder. lmms-eval takes the name as the text.
ABSENT = {"textvqa": ("answer",)}
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
        item = feature([item for value in known for item in value])
        # As in the Hub's datasets: lmms-eval takes such columns out of the docs that are scored.
        return datasets.Sequence(item) if isinstance(item, datasets.Image) else [item]
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


def template_columns(text: str) -> Dict[str, List[str]]:
    """Returns the columns that a template reads, each with the fields that it reads of them."""
    from jinja2 import Environment, meta, nodes

    tree = Environment().parse(text)
    columns: Dict[str, List[str]] = {name: [] for name in sorted(meta.find_undeclared_variables(tree))}
    for node in tree.find_all((nodes.Getattr, nodes.Getitem)):
        if isinstance(node.node, nodes.Name) and node.node.name in columns:
            field = node.attr if isinstance(node, nodes.Getattr) else getattr(node.arg, "value", None)
            if isinstance(field, str) and not hasattr(str, field) and not hasattr(list, field):
                columns[node.node.name].append(field)
    return columns


def complete(docs: List[Row], task: task_files.TaskFile, media: values.Media) -> List[Row]:
    """Adds the columns that only the YAML names: as a column, or in a template."""
    config, absent = task.config, ABSENT.get(task.folder, ())
    wanted: Dict[str, List[str]] = {}
    for key in ("doc_to_text", "doc_to_target", "doc_to_choice", "doc_to_visual"):
        text = config.get(key)
        if isinstance(text, str):
            wanted.update({text: []} if text.isidentifier() else template_columns(text))
    # The number of a choice, which is one counted from 0 and from 1.
    target, choices = config.get("doc_to_target"), config.get("doc_to_choice")
    has_index = config.get("output_type") == "multiple_choice" and isinstance(target, str) and "index" not in target and "'A'" not in str(choices)
    indices = ([target] if target.isidentifier() else template_columns(target)) if has_index else []
    missing = {name: fields for name, fields in wanted.items() if name not in absent and all(name not in doc for doc in docs)}
    if not missing and not any(docs):
        # A Parquet file without columns has no rows.
        missing = {"made_up": []}

    def made(name: str, at: int) -> Any:
        if name in indices:
            return 1
        kind = "options" if config.get("doc_to_choice") == name else values.guess(name)
        # The columns of a template are texts: `context` is a recording for functions alone.
        return values.make("text" if kind == "audio" and "audio" not in name.lower() else kind, name, at, media)

    def column(name: str, fields: List[str], at: int) -> Any:
        return {field: made(field, at) for field in fields} if fields else made(name, at)

    return [{**doc, **{name: column(name, fields, at) for name, fields in missing.items()}} for at, doc in enumerate(docs)]


def write(row: Row, task: task_files.TaskFile, folder: str, media: values.Media) -> None:
    import datasets

    os.makedirs(folder, exist_ok=True)
    docs = complete(row["docs"], task, media)
    names = list(dict.fromkeys(name for doc in docs for name in doc))
    features = datasets.Features({name: feature([doc.get(name) for doc in docs]) for name in names})

    def save(part: List[Row], path: str) -> None:
        columns = {name: [stored(doc.get(name)) for doc in part] for name in names}
        datasets.Dataset.from_dict(columns, features=features).to_parquet(path)

    path, examples = os.path.join(folder, "docs.parquet"), os.path.join(folder, "examples.parquet")
    # Docs that are asked are no examples: the program leaves out an example that equals the doc, and refuses a file that is evaluated.
    shown = docs[max(1, len(docs) * 2 // 7) :] if task.config.get("num_fewshot") else []
    save(docs[: len(docs) - len(shown)], path)
    splits = {key: task.config[key].split("[")[0] for key in SPLITS if isinstance(task.config.get(key), str)}
    evaluated = splits.get("test_split") or splits.get("validation_split")
    files = {split: path for split in splits.values()} or {"test": path}
    if shown:
        save(shown, examples)
        files = {split: path if split == evaluated else examples for split in files}
    overlay = {
        "include": task.path,
        "task": row["task"],
        "dataset_path": "parquet",
        "dataset_name": None,
        "dataset_kwargs": {"data_files": files},
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
    with open(os.path.join(os.path.dirname(__file__), "whole-docs.json"), encoding="utf-8") as file:
        # Docs of folders whose `process_docs` needs columns or values that trying does not find.
        written: Dict[str, List[Row]] = json.loads(file.read().replace("PICTURE_PATH", media.image(0)))
    only = os.environ.get("ONLY", "").split()
    for folder in only or [""]:
        shutil.rmtree(os.path.join(target, folder), ignore_errors=True)
    taken: Dict[str, Set[str]] = {}
    for task in task_files.tasks(root):
        row = by_file.get(task_files.place(task.path))
        if only and task.folder not in only:
            continue
        if row is not None and row["folder"] in written:
            row = {**row, "docs": written[row["folder"]]}
        elif row is None or "error" in row:
            continue
        elif row.get("python") is False:
            # Nothing but the YAML reads columns of these docs.
            row = {**row, "docs": [{}, {}]}
        if not row.get("docs"):
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
