"""Chooses the cases of tests/e2e/python-parity.test.ts: whole evaluations whose numbers equal those of lmms-eval's evaluator.

    python whole_cases.py WORK_FOLDER TASKS_FOLDER CASES_FOLDER [CASES]

The tasks are those of the published package. Tasks with more kinds of functions come first, one of each folder.
"""

from __future__ import annotations

import glob
import json
import os
import shutil
import sys
from typing import Any, Dict, List, Tuple

import yaml

import task_files
import whole_compare

Row = Dict[str, Any]
LARGEST = 60_000
#: Their media lie below HF_HOME, which the test leaves empty.
OUTSIDE = ("mmvu",)


def kinds(task: task_files.TaskFile) -> List[str]:
    """Returns which keys of the task name Python functions."""
    found = [key for key, value in task.config.items() if isinstance(value, task_files.Reference)]
    found += ["aggregation"] if task.aggregations() else []
    return found + (["filter"] if "Reference(" in str(task.config.get("filter_list")) else [])


def shown(medium: Any) -> Any:
    """Describes a medium as the test does: recordings are only counted, because they are read in several forms."""
    return {"audio": True} if "audio" in medium or str(medium.get("missing", "")).endswith(".wav") else medium


def case(work: str, folder: str, stem: str, tasks: str) -> Row:
    source = os.path.join(work, "whole", folder, stem)
    with open(os.path.join(source, "task.yaml"), encoding="utf-8") as file:
        overlay = yaml.safe_load(file)
    with open(os.path.join(work, "program", folder, stem + ".reference.json"), encoding="utf-8") as file:
        reference = json.load(file)
    prompts = [[{"text": one["text"], "media": [shown(medium) for medium in one["media"]]} for one in reference["prompts"][at]] for at in sorted(reference["prompts"], key=int)]
    return {
        "task": overlay["task"],
        "include": os.path.relpath(overlay["include"], tasks),
        "splits": list(overlay["dataset_kwargs"]["data_files"]),
        "prompts": prompts,
        "values": [whole_compare.plain(one["values"]) for one in sorted(reference["samples"], key=lambda one: one["doc_id"])],
        "results": {key: whole_compare.plain(value) for key, value in reference["results"].items() if value != []},
    }


def main() -> None:
    work, tasks, target = (os.path.abspath(one) for one in sys.argv[1:4])
    wanted = int(sys.argv[4]) if len(sys.argv) > 4 else 45
    known = {task.path: task for task in task_files.tasks(tasks)}
    found: List[Tuple[int, str, str]] = []
    for folder, stem, state, _why in whole_compare.compared(work):
        if state != "equal" or folder in OUTSIDE or os.path.exists(os.path.join(work, "whole", folder, stem, "examples.parquet")):
            continue
        made = case(work, folder, stem, tasks)
        text = json.dumps(made)
        size = len(text) + os.path.getsize(os.path.join(work, "whole", folder, stem, "docs.parquet"))
        if size < LARGEST and work not in text and "NaN" not in text and '"missing"' not in text and '"file"' not in text:
            found.append((-len(kinds(known[os.path.join(tasks, made["include"])])), folder, stem))
    shutil.rmtree(target, ignore_errors=True)
    taken: List[str] = []
    for _count, folder, stem in sorted(found):
        if folder in taken or len(taken) == wanted:
            continue
        taken.append(folder)
        own = os.path.join(target, folder)
        os.makedirs(own)
        shutil.copyfile(os.path.join(work, "whole", folder, stem, "docs.parquet"), os.path.join(own, "docs.parquet"))
        with open(os.path.join(own, "expected.json"), "w", encoding="utf-8") as sink:
            json.dump(case(work, folder, stem, tasks), sink, ensure_ascii=False, indent=1)
            sink.write("\n")
    print(len(taken), "cases of", len(found))


if __name__ == "__main__":
    main()
