"""The page on compatibility with lmms-eval's tasks."""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import Any, Dict, List

Row = Dict[str, Any]
STATES = ("equal", "yaml", "judge", "service", "fails", "differs", "broken", "unmeasured")

NAMES = {"unmeasured": "not measured", "broken": "broken in lmms-eval"}


def cell(text: str, tasks: str) -> str:
    home = os.environ.get("HF_HOME")
    placed = text.replace(tasks, "tasks").replace(home, "$HF_HOME") if home else text.replace(tasks, "tasks")
    placed = re.sub(r"/[^ ]*/lmms_eval/tasks/", "tasks/", re.sub(r"/[^ ]*site-packages/", "", placed))
    short = " ".join(placed.split())[:200]
    return "`" + re.sub(r"[`|]", "'", short) + "`"


def text(rows: List[Row], commit: str, python: str, tasks: str, unreached: int) -> str:
    folders: Dict[str, Counter[str]] = {}
    for row in rows:
        folders.setdefault(row["folder"], Counter())[row["state"]] += 1
    total = Counter(row["state"] for row in rows)
    whole = sum(1 for counts in folders.values() if counts["equal"] and not counts["differs"] and not counts["fails"])
    bare = sum(1 for row in rows if row.get("visual") and not row["media"])
    lines = [
        "# Compatibility with lmms-eval's tasks",
        "",
        f"`scripts/compat/measure.py` generates this page. It was measured with lmms-eval at commit {commit} and CPython {python}.",
        "",
        "The measurement makes up to three synthetic docs for a task, on which lmms-eval's own functions run.",
        "The program's Python worker then calls the same functions on the same docs.",
        "The returned values are compared: texts byte for byte, images by their pixels, numbers exactly.",
        "`process_results` gets three answers: `A`, `yes it is` and an empty answer, or the likelihoods of two choices. The worker has no network access.",
        "",
        "Where lmms-eval's function raises an error for the empty answer, the worker has to raise the same type of error.",
        "Functions that read the Hub's cache find a small made-up snapshot there.",
        "",
        "This table does **not** cover datasets on the Hub, `process_docs`, filters, aggregations, or YAML templates.",
        "It calls the worker directly, and no model is run. [Whole evaluations](#whole-evaluations) were measured for fewer tasks.",
        "",
        "| Result | Tasks | Meaning |",
        "| --- | ---: | --- |",
        f"| equal | {total['equal']} | The worker returns what lmms-eval's functions return. |",
        f"| no Python | {total['yaml']} | The YAML names none of the functions measured here, so the worker is not involved. |",
        f"| judge | {total['judge']} | The functions ask a judge, whose reply was made up, and return values. They were not compared. |",
        f"| service | {total['service']} | The functions need a judge's reply in a form of their own, or the network. |",
        f"| fails | {total['fails']} | A function fails in the worker and not in lmms-eval. |",
        f"| differs | {total['differs']} | The worker returns another value than lmms-eval. |",
        f"| broken in lmms-eval | {total['broken']} | With the packages installed here, lmms-eval itself cannot load the YAML or call its function: a function, name, module or parameter does not exist. The reason is lmms-eval's own error. |",
        f"| not measured | {total['unmeasured']} | A function cannot be imported without files of the Hub or other packages, or no synthetic doc was found on which all functions run. That says nothing of the task: most of these need texts in a form of their own, or files of the Hub. |",
        f"| all | {len(rows)} | |",
        "",
        f"The measurement was stopped before it reached {unreached} other tasks." if unreached else "All tasks of the package were reached.",
        "",
        f"In {whole} of {len(folders)} folders, at least one task was equal and no task failed or differed.",
        "",
        f"For {bare} of the equal tasks, `doc_to_visual` returned no media for the synthetic docs, so only their texts and scores were compared.",
        "",
        "## Folders",
        "",
        "| Folder | Tasks | Equal | No Python | Judge | Service | Fails | Differs | Broken | Not measured |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for folder, counts in folders.items():
        lines.append(f"| {folder} | {sum(counts.values())} | " + " | ".join(str(counts[state] or "") for state in STATES) + " |")
    lines += ["", "## Tasks", "", "Tasks without Python are not listed.", "", "| Folder | Task | Result |", "| --- | --- | --- |"]
    lines += [f"| {row['folder']} | {row['task']} | {NAMES.get(row['state'], row['state'])} |" for row in rows if row["state"] != "yaml"]
    lines += ["", "## Reasons", "", "Tasks of a folder with the same reason share a row.", "", "| Folder | Tasks | Result | Reason |", "| --- | ---: | --- | --- |"]
    reasons = Counter((row["folder"], row["state"], row["why"]) for row in rows if row.get("why"))
    for (folder, state, why), count in reasons.items():
        lines.append(f"| {folder} | {count} | {NAMES.get(state, state)} | {cell(why, tasks)} |")
    return "\n".join(lines) + "\n"
