"""The measured results, results.jsonl: a line for each task, with the result of its functions and of its whole evaluation, each with its reason.

A reason is left out where the result is `equal` or says enough, and the task's name where it is that of its file. scripts/compat-table.ts makes a
table of it.
"""

from __future__ import annotations

import json
import os
import re
from typing import Dict, Iterable, List, Mapping, Tuple

Row = Dict[str, str]
KEYS = ("package", "file", "task", "functions", "functions_reason", "evaluation", "evaluation_reason")


def read(path: str) -> Dict[Tuple[str, str], Row]:
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        rows: List[Row] = [json.loads(line) for line in file]
    return {(row["package"], row["file"]): row for row in rows}


def replace(path: str, package: str, column: str, found: Iterable[Mapping[str, str]]) -> None:
    """Replaces the results of a package in one column, `functions` or `evaluation`. Each of `found` has `file`, `task`, `result` and `reason`."""
    rows = read(path)
    for row in rows.values():
        if row["package"] == package:
            row.pop(column, None)
            row.pop(f"{column}_reason", None)
    for one in found:
        row = rows.setdefault((package, one["file"]), {"package": package, "file": one["file"]})
        row[column] = one["result"]
        if one["task"] != os.path.basename(one["file"])[: -len(".yaml")]:
            row["task"] = one["task"]
        if one["reason"]:
            row[f"{column}_reason"] = one["reason"]
    kept = [row for row in rows.values() if "functions" in row or "evaluation" in row]
    with open(path, "w", encoding="utf-8") as file:
        for row in sorted(kept, key=lambda one: (one["package"] != "lmms-eval", one["file"].lower())):
            file.write(json.dumps({key: row[key] for key in KEYS if key in row}, ensure_ascii=False) + "\n")


def reason(text: str, *folders: str) -> str:
    """Returns the beginning of a reason in one line, without the places of one machine."""
    for folder in (*folders, os.environ.get("HF_HOME", "")):
        text = text.replace(folder + os.sep, "") if folder else text
    text = re.sub(r"[^ ]*(?:site-packages|(?:lm|lmms)_eval/tasks)/", "", text)
    return " ".join(text.split())[:160]
