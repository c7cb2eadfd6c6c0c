"""Chooses the cases of tests/python/parity.test.ts: one task of a folder, whose functions run without heavy packages.

    python make_cases.py WORK_FOLDER WORKER_PY CASES_FOLDER [FOLDERS]

The interpreter has the published lmms_eval, Pillow, numpy, PyYAML and loguru.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import sys
from typing import Any, Dict, List

from measure import Worker, outcomes
import canonical
import task_files

MEDIA_RESULT = re.compile(r'"(image|audio|array|bytes)": ')
Row = Dict[str, Any]


def without_media(row: Row) -> Row:
    """Leaves out functions that return media, because the test compares JSON."""
    kept = [at for at, _ in enumerate(row["names"]) if not any(MEDIA_RESULT.search(json.dumps(doc[at])) for doc in row["expected"])]
    names = [row["names"][at] for at in kept]
    used = {name.split(" ")[0] for name in names}
    return {
        **row,
        "names": names,
        "expected": [[doc[at] for at in kept] for doc in row["expected"]],
        "functions": {key: one for key, one in row["functions"].items() if key in used},
    }


def equal(worker: Worker, row: Row) -> bool:
    for expected, got in zip(row["expected"], outcomes(worker, row)):
        if any("error" in one for one in got) or [canonical.sent(one["ok"]) for one in got] != expected:
            return False
    return True


def main() -> None:
    work, program, target = (os.path.abspath(one) for one in sys.argv[1:4])
    wanted = int(sys.argv[4]) if len(sys.argv) > 4 else 40
    spec = importlib.util.find_spec("lmms_eval")
    assert spec is not None and spec.submodule_search_locations
    tasks = os.path.join(list(spec.submodule_search_locations)[0], "tasks")
    rows = task_files.synthesised(work)
    cases: List[str] = []
    taken = set()
    worker = Worker(program, tasks, os.path.join(work, "exchange"), os.path.join(work, "home"))
    for row in sorted(rows, key=lambda one: (one["folder"].lower(), one["task"])):
        if row["folder"] in taken or "expected" not in row or row["needs"] or "raises" in json.dumps(row["expected"]) or "likelihoods" in json.dumps(row["names"]) or not row["again"] or len(row["docs"]) < 2:
            continue
        taken.add(row["folder"])
        row = without_media(row)
        root = row["file"][: row["file"].index("/tasks/") + len("/tasks")]
        for one in row["functions"].values():
            one["folder"] = one["folder"].replace(root, tasks)
        try:
            if len(row["names"]) < 4 or not equal(worker, row):
                continue
        except EOFError:
            worker = Worker(program, tasks, os.path.join(work, "exchange"), os.path.join(work, "home"))
            continue
        keys = ("task", "folder", "functions", "kwargs", "target_kwargs", "docs", "names", "expected")
        text = json.dumps({key: row[key] for key in keys}, ensure_ascii=False).replace(tasks, "TASKS").replace(os.path.join(work, "media"), "MEDIA")
        if len(text) < 8000 and "/work" not in text and work not in text:
            cases.append(text)
        if len(cases) == wanted:
            break
    worker.close()
    os.makedirs(os.path.join(target, "media"), exist_ok=True)
    for name in sorted(set(re.findall(r"MEDIA/([\w.]+)", "\n".join(cases)))):
        shutil.copyfile(os.path.join(work, "media", name), os.path.join(target, "media", name))
    with open(os.path.join(target, "cases.jsonl"), "w", encoding="utf-8") as file:
        file.write("\n".join(cases) + "\n")
    print(len(cases), "cases")


if __name__ == "__main__":
    main()
