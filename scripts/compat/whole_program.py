"""Evaluates the tasks that whole_tasks.py wrote with the built program, a folder at a time, and keeps what it reports.

    python whole_program.py PROGRAM TASKS_FOLDER WORK_FOLDER PYTHON [PART/PARTS]

ONLY and SKIP name folders that are evaluated alone, or left out. WHOLE_SECONDS limits the time of one command.
WHOLE_PROMPTS=text gives the model each prompt as one text.
"""

from __future__ import annotations

import glob
import json
import os
import shutil
import signal
import subprocess
import sys
from typing import Any, Dict, List

from real_world import JUDGEMENT, KEYS, SETTINGS

Row = Dict[str, Any]
WORDS = ("A", "yes it is", "B. red", "3", "")
SECONDS = float(os.environ.get("WHOLE_SECONDS", "240"))
#: The Node of the checkout, since the one of the PATH may be too old for the program.
NODE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "node_modules", ".bin", "node")


def model() -> List[str]:
    """Returns the options of the model: one that gets conversations, or one that gets a text, as in lm-evaluation-harness."""
    if os.environ.get("WHOLE_PROMPTS") == "text":
        plugin = os.path.join(os.path.dirname(os.path.abspath(__file__)), "base-model.mjs")
        return ["--plugin", plugin, "--model", "base_model", "--model-args", json.dumps({"words": WORDS})]
    return ["--model", "dummy", "--model-args", json.dumps({"mode": "choose", "words": WORDS})]


class Program:
    def __init__(self, program: str, tasks: str, store: str, home: str, python: str) -> None:
        self._command = [NODE, program]
        self._eval = ["--include-path", tasks, "--python", python, *model()]
        self._eval += ["--judge-model", "dummy", "--judge-args", json.dumps({"mode": "fixed", "text": JUDGEMENT}), "--quiet"]
        self._environment = {**os.environ, "PIPELINE_STORE": store, "HF_HOME": home, "HF_HUB_OFFLINE": "1", **SETTINGS, **{key: "none" for key in KEYS}, "PIPELINE_PYTHON_ENV": ",".join(SETTINGS)}

    def call(self, *words: str) -> "subprocess.CompletedProcess[str]":
        # A group of processes of its own, so that what the program started ends with it.
        with subprocess.Popen(
            [*self._command, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self._environment, start_new_session=True
        ) as process:
            try:
                output, errors = process.communicate(timeout=SECONDS)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def evaluate(self, names: List[str]) -> Row:
        try:
            done = self.call("eval", "--tasks", ",".join(names), *self._eval)
            if done.returncode == 1:
                return {"error": done.stderr.strip()[-1500:]}
            report = self.call("report", "last", "--json")
            samples = self.call("report", "last", "--samples", "all", "--limit", "-1", "--json")
            return {"results": json.loads(report.stdout), "samples": [json.loads(line) for line in samples.stdout.splitlines()]}
        except subprocess.TimeoutExpired:
            return {"error": f"the program needed more than {SECONDS:g} s"}


def main() -> None:
    program, tasks, work, python = sys.argv[1], *(os.path.abspath(one) for one in sys.argv[2:4]), sys.argv[4]
    part, parts = (int(one) for one in sys.argv[5].split("/")) if len(sys.argv) > 5 else (0, 1)
    only = os.environ.get("ONLY", "").split()
    for folder in sorted(os.listdir(os.path.join(work, "whole")))[part::parts]:
        target = os.path.join(work, "program", folder)
        if (only and folder not in only) or folder in os.environ.get("SKIP", "").split():
            continue
        shutil.rmtree(target, ignore_errors=True)
        os.makedirs(target)
        files = sorted(glob.glob(os.path.join(work, "whole", folder, "*", "task.yaml")))
        runner = Program(program, tasks, os.path.join(target, "store"), os.path.join(work, "home"), python)
        outcome = runner.evaluate([os.path.dirname(one) for one in files])
        outcomes = {"*": outcome} if "error" not in outcome or len(files) == 1 else {}
        if not outcomes:
            for file in files:
                outcomes[os.path.basename(os.path.dirname(file))] = runner.evaluate([os.path.dirname(file)])
        with open(os.path.join(target, "outcomes.json"), "w", encoding="utf-8") as sink:
            json.dump(outcomes, sink)
        print(folder, len(files), {name: one.get("error", "ok")[:300] for name, one in outcomes.items()} if any("error" in one for one in outcomes.values()) else "ok", flush=True)


if __name__ == "__main__":
    main()
