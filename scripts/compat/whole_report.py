"""Writes the section on whole evaluations into the page on compatibility, in place of the one that is there.

    python whole_report.py WORK_FOLDER PAGE
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import List, Tuple

import whole_compare
from compat_report import cell

Row = Tuple[str, str, str, str]
HEADING = "## Whole evaluations"
STATES = {
    "equal": "Prompts, media, the values of each doc and the aggregates are those of lmms-eval.",
    "differs": "Something differs, and the reason says what.",
    "fails": "The program refuses the task or its data, and lmms-eval does not.",
    "no number": "lmms-eval reports no number, because no value has the name of a metric. The program names these values.",
    "lmms-eval fails": "lmms-eval's evaluator raises an error on the synthetic docs. Nothing is compared.",
    "both refuse": "Neither evaluates these docs, for the same reason in most cases: `process_docs` needs the Hub or other columns.",
}


def section(rows: List[Row], tasks: str, left: int) -> str:
    counts = Counter(state for _folder, _task, state, _why in rows)
    lines = [
        HEADING,
        "",
        f"`pipeline eval` and lmms-eval's evaluator ran {len(rows)} tasks of {len({row[0] for row in rows})} folders on the same synthetic docs: up to two of each folder, which differ in their functions, filters or metrics.",
        "lmms-eval's model gave the answers of the program's run, so that all steps are covered: `process_docs`, prompts, filters, scores and aggregations.",
        "Texts are compared byte for byte, images by their pixels, numbers to nine digits. The judge's reply was made up.",
        *([f"The measurement was stopped before it reached {left} other folders."] if left else []),
        "",
        "| Result | Tasks | Meaning |",
        "| --- | ---: | --- |",
        *(f"| {state} | {counts[state]} | {meaning} |" for state, meaning in STATES.items()),
        "",
        "| Task | Result | Reason |",
        "| --- | --- | --- |",
    ]
    lines += [f"| {stem.replace('--', '/')} | {state} | {cell(why, tasks)} |" for _folder, stem, state, why in rows if state != "equal"]
    return "\n".join([*lines, ""])


def main() -> None:
    work, page = (os.path.abspath(one) for one in sys.argv[1:3])
    rows = list(whole_compare.compared(work))
    left = len(set(os.listdir(os.path.join(work, "whole"))) - {row[0] for row in rows})
    with open(page, encoding="utf-8") as file:
        text = file.read()
    before, _, rest = text.partition(HEADING)
    after = rest[rest.index("\n## ") + 1 :] if "\n## " in rest else ""
    if not rest:
        before, _, after = text.partition("## Folders")
        after = "## Folders" + after
    with open(page, "w", encoding="utf-8") as file:
        file.write(before + section(rows, work, left) + ("\n" + after if after else ""))


if __name__ == "__main__":
    main()
