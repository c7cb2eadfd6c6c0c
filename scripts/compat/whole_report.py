"""Writes the results of whole evaluations into results.jsonl, in place of those that are there.

    python whole_report.py WORK_FOLDER RESULTS [PACKAGE]
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import Dict

import yaml

import compat_table
import whole_compare


def main() -> None:
    work, results = (os.path.abspath(one) for one in sys.argv[1:3])
    package = sys.argv[3] if len(sys.argv) > 3 else "lmms-eval"
    rows = list(whole_compare.compared(work))

    def line(folder: str, stem: str, state: str, why: str) -> Dict[str, str]:
        with open(os.path.join(work, "whole", folder, stem, "task.yaml"), encoding="utf-8") as file:
            task = yaml.safe_load(file)["task"]
        return {"file": stem.replace("--", "/") + ".yaml", "task": task, "result": state, "reason": compat_table.reason(why, work)}

    compat_table.replace(results, package, "evaluation", [line(*row) for row in rows])
    left = len(set(os.listdir(os.path.join(work, "whole"))) - {row[0] for row in rows})
    print(dict(Counter(row[2] for row in rows)), f"folders: {len({row[0] for row in rows})}, not reached: {left}")


if __name__ == "__main__":
    main()
