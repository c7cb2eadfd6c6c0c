"""Runs synthetic docs through the program's Python workers, compares with lmms-eval's own values, and writes each task's result into results.jsonl.

    python measure.py WORK_FOLDER WORKER_PY TASKS_FOLDER RESULTS

The worker is started with the same interpreter. lmms_eval must be importable in it (PYTHONPATH).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from typing import Any, Dict, List, Optional, Sequence

import canonical
import compat_table
import real_world
import task_files

Row = Dict[str, Any]


class Worker:
    """One Python worker of the program. It refuses network access."""

    def __init__(self, program: str, tasks: str, exchange: str, home: str, packages: Sequence[str] = ()) -> None:
        path = os.pathsep.join([*packages, os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0", "PYTHONUNBUFFERED": "1", "HF_HOME": home, "HF_HUB_OFFLINE": "1", **real_world.SETTINGS, **{key: "none" for key in real_world.KEYS}}
        self._process = subprocess.Popen(
            [sys.executable, "-u", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
        )
        #: What the judge says.
        self.verdict = "1"
        self._read()
        self.ask({"op": "open", "packages": [tasks], "network": False, "exchange": exchange, "seconds": 10})

    def _read(self) -> Row:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if line == "":
            raise EOFError("the worker ended")
        return dict(json.loads(line))

    def ask(self, message: Row) -> Any:
        """Sends a message, and returns the parts of the answer, or the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"id": 1, "tagged": True, **message}) + "\n")
        self._process.stdin.flush()
        parts: List[Any] = []
        while True:
            answer = self._read()
            if "ask" in answer:
                self._process.stdin.write(json.dumps({"answer": answer["ask"], "ok": {"text": self.verdict}}) + "\n")
                self._process.stdin.flush()
            elif "part" in answer:
                parts.append(answer["ok"])
            elif "error" in answer:
                return [answer]
            elif "ok" in answer:
                return parts or [answer]

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


def outcomes(worker: Worker, row: Row) -> List[List[Any]]:
    """Returns what the worker gives for each doc, in the order of the functions."""
    functions, docs = row["functions"], row["docs"]
    columns: Dict[str, List[Any]] = {}
    hooks = {name: one for name, one in functions.items() if name != "process_results" and not (name == "doc_to_target" and row["target_kwargs"])}
    labels = [f"{row['task']}/{index}" for index in range(len(docs))]
    if hooks:
        # One function at a time: the expected values were computed on fresh docs.
        for name, reference in hooks.items():
            rendered = worker.ask({"op": "render", "hooks": {name: reference}, "kwargs": row["kwargs"], "docs": docs, "labels": labels})
            columns[name] = [one.get(name, one) for one in rendered]
    for name in row["names"]:
        if name in columns:
            continue
        more = [row["target_kwargs"]] if name == "doc_to_target" else [row["results"][name]]
        reference = functions["doc_to_target" if name == "doc_to_target" else "process_results"]
        columns[name] = worker.ask({"op": "call", "ref": reference, "calls": [{"args": [doc, *more], "kwargs": {}} for doc in docs], "labels": labels})
    return [[columns[name][index] for name in row["names"]] for index in range(len(docs))]


def compare(worker: Worker, row: Row) -> Row:
    found = outcomes(worker, row)
    for expected, got in zip(row["expected"], found):
        for name, wanted, outcome in zip(row["names"], expected, got):
            if isinstance(wanted, dict) and list(wanted) == ["raises"] and outcome.get("error", {}).get("type") == wanted["raises"]:
                continue
            if "error" in outcome:
                error = outcome["error"]
                return {"state": "fails", "why": f"{name.split(' ')[0]}: {error.get('type')}: {error.get('message')}", "missing": error.get("missing")}
            value = canonical.sent(outcome["ok"])
            if json.dumps(value, sort_keys=True) != json.dumps(wanted, sort_keys=True):
                return {"state": "differs", "why": f"{name}: {json.dumps(value)[:90]} instead of {json.dumps(wanted)[:90]}"}
    at = row["names"].index("doc_to_visual") if "doc_to_visual" in row["names"] else None
    return {"state": "equal", "media": at is not None and any(doc[at] != [] for doc in row["expected"]), "visual": at is not None}


def run_with_judge(worker: Worker, row: Row) -> Row:
    """Runs functions that ask a judge, whose verdict is made up. What they return is not compared."""
    answers = [name for name in row["names"] if name.startswith("process_results")]
    kept = {**row, "docs": row["docs"][:1], "names": [name for name in row["names"] if name not in answers[1:]]}
    error: Row = {}
    for verdict in VERDICTS:
        worker.verdict = verdict
        errors = [outcome["error"] for outcome in outcomes(worker, kept)[0] if "error" in outcome]
        if not errors:
            return {"state": "judge"}
        error = errors[0]
        # Code that tries again and again would do so for each verdict.
        if error.get("type") == "TimeLimit":
            break
    return {"state": "service", "why": f"{' and '.join(row['needs'])}: {error.get('type')}: {error.get('message')}"}


#: The names of states in the results, where they differ.
NAMES = {"unmeasured": "not measured", "broken": "broken in lmms-eval", "yaml": "no Python"}
#: Replies in the forms that tasks ask for.
VERDICTS = ("1", "A", "yes", '{"score": 1, "correct": true}', "Score: 1", "[[1]]", "8 7")


def judged(row: Row, open_worker: Any) -> Row:
    if row.get("python") is False:
        return {"state": "yaml"}
    if row.get("broken"):
        return {"state": "broken", "why": row["broken"]}
    if "error" in row:
        return {"state": "unmeasured", "why": f"{row.get('at', 'YAML')}: {row['error']}"}
    if row["needs"]:
        return run_with_judge(open_worker(), row)
    if not row["again"] or not row["docs"]:
        return {"state": "unmeasured", "why": "the functions return other values when they are called again"}
    return compare(open_worker(), row)


def main() -> None:
    work, program, tasks, results = (os.path.abspath(one) for one in sys.argv[1:5])
    rows = task_files.synthesised(work)
    exchange = os.path.join(work, "exchange")
    os.makedirs(exchange, exist_ok=True)
    measured: List[Row] = []
    worker: Optional[Worker] = None
    folder = ""
    packages: List[str] = []
    left, end = 0, time.monotonic() + float(os.environ.get("MEASURE_SECONDS", "3600"))

    def opened(new: bool = False) -> Worker:
        nonlocal worker, packages
        wanted = task_files.packages_of(folder, work)
        if worker is not None and (new or wanted != packages):
            worker.close()
            worker = None
        if worker is None:
            worker, packages = Worker(program, tasks, exchange, os.path.join(work, "home"), wanted), wanted
        return worker

    for row in sorted(rows, key=lambda one: (one["folder"].lower(), one["task"])):
        if time.monotonic() > end:
            left += 1
            continue
        folder = row["folder"]
        try:
            result = judged(row, opened)
            if result["state"] == "differs":
                # Another task of the folder may have changed the module.
                result = judged(row, lambda: opened(new=True))
        except EOFError as error:
            worker, result = None, {"state": "fails", "why": str(error)}
        measured.append({"folder": folder, "task": row["task"], "file": row["file"], **result})
    if worker is not None:
        worker.close()
    with open(os.path.join(work, "measured.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in measured)
    compat_table.replace(results, "lmms-eval", "functions", [line(one, work) for one in measured])
    missing = sum(1 for _ in task_files.tasks(tasks)) - len(rows)
    bare = sum(1 for one in measured if one.get("visual") and not one["media"])
    print(dict(Counter(one["state"] for one in measured)), f"not reached: {left + missing}, equal tasks without media: {bare}")


def line(row: Row, work: str) -> Dict[str, str]:
    return {
        "file": task_files.place(row["file"]),
        "task": row["task"],
        "result": NAMES.get(row["state"], row["state"]),
        "reason": compat_table.reason(row.get("why", ""), work),
    }


if __name__ == "__main__":
    main()
