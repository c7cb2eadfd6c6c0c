"""Compares the program's run of each task with lmms-eval's: prompts, media, values of each doc, aggregates.

    python whole_compare.py WORK_FOLDER
"""

from __future__ import annotations

import glob
import json
import math
import os
import sys
from collections import Counter
from typing import Any, Dict, Iterator, Optional, Tuple

import canonical

Row = Dict[str, Any]


def plain(value: Any) -> Any:
    """Returns a value of either side in one form: numbers as texts of floats."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        if len(value) == 1:
            ((key, inner),) = value.items()
            if key in ("float", "$float"):
                return float(inner)
            if key in ("$tuple", "$set"):
                return plain(inner)
        return {key: plain(item) for key, item in value.items()}
    return value


def same(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return bool(a == b)


def same_value(ours: Any, theirs: Any) -> bool:
    """Compares values of a doc. Aggregations of lmms-eval add keys to the values that are logged later."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() <= theirs.keys() and all(same(value, theirs[key]) for key, value in ours.items())
    return same(ours, theirs)


def difference(ours: Any, theirs: Any) -> str:
    """Says where two values differ first."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in [*theirs, *ours]:
            if key in theirs and (key not in ours or not same(ours[key], theirs[key])):
                return f"{key}: {difference(ours[key], theirs[key])}" if key in ours else f"{key}: missing"
    if isinstance(ours, str) and isinstance(theirs, str):
        at = next((index for index, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
        begin = max(0, at - 20)
        return f"{ours[begin : at + 60]!r} instead of {theirs[begin : at + 60]!r}"
    return f"{json.dumps(ours)[:100]} instead of {json.dumps(theirs)[:100]}"


def medium(part: Row, store: str) -> Any:
    digest = str(part.get("media", ""))[len("sha256:") :]
    path = os.path.join(store, "media", digest[:2], digest[2:])
    if not os.path.exists(path):
        return {"missing": json.dumps(part)[:200]}
    if part["type"] == "image":
        from PIL import Image

        return canonical.real(Image.open(path).convert("RGB"))
    if part["type"] == "audio":
        return {"audio": True}
    return {"file": digest[:16]}


def prompt(request: Row, store: str) -> Row:
    parts = [part for message in request["messages"] for part in ([{"type": "text", "text": message["content"]}] if isinstance(message["content"], str) else message["content"])]
    texts = "\n".join(part["text"] for part in parts if part["type"] == "text")
    return {"text": texts + request.get("continuation", ""), "media": [medium(part, store) for part in parts if part["type"] != "text"]}


def differs(ours: Row, theirs: Row, name: str, store: str) -> Optional[str]:
    docs = {sample["doc_index"]: sample for sample in ours["samples"] if sample["task"] == name}
    if len(docs) != len({one["doc_id"] for one in theirs["samples"]}):
        return f"docs: {len(docs)} instead of {len({one['doc_id'] for one in theirs['samples']})}"
    for at, expected in theirs["prompts"].items():
        sample = docs.get(int(at))
        if sample is None:
            return f"docs: {at} is missing"
        for number, wanted in enumerate(expected):
            requests = [one for one in sample.get("requests", []) if "messages" in one]
            if sample["outcome"] == "failed" or not requests:
                return f"failed: {json.dumps(sample.get('reason') or sample.get('failure') or sample.get('failures') or sample)[:300]}"
            if number >= len(requests):
                return f"requests: {len(requests)} instead of {len(expected)}"
            got = prompt(requests[number], store)
            if got["text"].strip() != wanted["text"].strip():
                return f"prompt: {difference(got['text'].strip(), wanted['text'].strip())}"
            pairs = list(zip(got["media"], wanted["media"]))
            if len(got["media"]) != len(wanted["media"]) or any(not same_medium(a, b) for a, b in pairs):
                return f"media: {json.dumps(got['media'])[:200]} instead of {json.dumps(wanted['media'])[:200]}"
    for one in theirs["samples"]:
        sample = docs[one["doc_id"]]
        if sample["outcome"] not in ("scored", "unparsed"):
            return f"{sample['outcome']}: {json.dumps(sample.get('reason') or sample.get('failure') or sample)[:300]}"
        for metric, wanted in one["values"].items():
            found = [value for key, value in sample["values"].items() if key.split(",")[0] == metric]
            if found and not any(same_value(plain(value), plain(wanted)) for value in found):
                return f"value {metric}: {difference(plain(found[0]), plain(wanted))}"
    reported = ours["results"]["tasks"].get(name, {})
    for key, wanted in theirs["results"].items():
        if key in ("samples",):
            continue
        metric, _, pipeline = key.partition(",")
        got = reported.get(key, reported.get(metric))
        if got is None and wanted == []:
            continue
        if got is None:
            return f"aggregate {key}: missing (reported: {list(reported)[:8]}), {json.dumps(plain(wanted))[:100]}"
        if wanted == []:
            continue
        expected = plain(wanted)
        if isinstance(expected, float):
            # lmms-eval's `bypass` gives 999.
            if (math.isnan(expected) or expected == 999) and got["value"] is None:
                continue
            if got["value"] is None or not same(float(got["value"]), expected):
                return f"aggregate {key}: {got['value']} instead of {expected}"
        elif got["value"] is not None:
            return f"aggregate {key}: {got['value']} instead of {json.dumps(expected)[:100]}"
    return None


def same_medium(a: Any, b: Any) -> bool:
    return same(a, b) or ("audio" in a and ("audio" in b or str(b.get("missing", "")).endswith(".wav")))


def compared(work: str) -> Iterator[Tuple[str, str, str, str]]:
    """Yields folder, name of the task's files, state and reason of each task that both sides evaluated."""
    for folder in sorted(os.listdir(os.path.join(work, "program"))):
        target = os.path.join(work, "program", folder)
        for path in sorted(glob.glob(os.path.join(target, "*.reference.json"))):
            stem = os.path.basename(path)[: -len(".reference.json")]
            with open(path, encoding="utf-8") as file:
                theirs = json.load(file)
            with open(os.path.join(target, "outcomes.json"), encoding="utf-8") as file:
                outcomes = json.load(file)
            ours = outcomes.get("*") or outcomes.get(stem) or {"error": "not run"}
            with open(os.path.join(work, "whole", folder, stem, "task.yaml"), encoding="utf-8") as file:
                name = next(line[len("task: ") :].strip().strip("'\"") for line in file if line.startswith("task: "))
            if "error" in theirs and "error" in ours:
                yield folder, stem, "both refuse", f"{theirs['error'][:150]} | {ours['error'][:600]}"
            elif "error" in theirs:
                yield folder, stem, "fails there", theirs["error"][:200]
            elif "error" in ours:
                yield folder, stem, "fails", ours["error"][:300]
            elif theirs.get("results") == {}:
                yield folder, stem, "no number", "lmms-eval reports no number"
            else:
                found = differs(ours, theirs, name, os.path.join(target, "store"))
                yield folder, stem, "equal" if found is None else "differs", found or ""


def main() -> None:
    rows = list(compared(os.path.abspath(sys.argv[1])))
    for row in rows:
        if row[2] != "equal":
            print("\t".join(row))
    print(Counter(state for _folder, _stem, state, _why in rows))


if __name__ == "__main__":
    main()
