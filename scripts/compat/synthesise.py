"""Makes synthetic docs for lmms-eval's tasks and records what lmms-eval's own functions return for them.

Columns are found by running the functions: a column that is read and absent is added, and one on which a function fails gets another kind of value.

Packages in WORK_FOLDER/packages/FOLDER are imported first for tasks of that folder, where two folders need versions that exclude each other.

    python synthesise.py TASKS_FOLDER WORK_FOLDER VIDEO [SECONDS_PER_FOLDER] [PART/PARTS]

ONLY="FOLDER FOLDER" leaves out the other folders.
"""

from __future__ import annotations

import base64
import copy
import json
import os
import random
import shutil
import signal
import sys
import time
import traceback
from typing import Any, Dict, List, Optional, Tuple

import canonical
import real_world
import synthetic_home
import values
from probe import Missing, Path, Probe, constants, put, wrapper
from task_files import HOOKS, TaskFile, packages_of, tasks
from task_steps import Step, TimeUp, answers_of, broken, load, steps_of, with_error


def run(steps: List[Step], doc: Any, seen: List[Path]) -> Tuple[Tuple[int, int], Optional[BaseException], List[Any]]:
    """Calls the functions in order. Returns how far they came, what stopped them, and what they returned."""
    results: List[Any] = []
    for at, (_name, call) in enumerate(steps):
        random.seed(0)
        try:
            opened = values.decode(copy.deepcopy(doc), wrapper(seen))
            for key, value in opened.items():
                if hasattr(value, "placed"):
                    value.placed((key,))
                for index, item in enumerate(value if isinstance(value, list) else []):
                    if hasattr(item, "placed"):
                        item.placed((key, index))
            results.append(canonical.real(call(opened)))
        except TimeUp:
            raise
        except BaseException as error:  # users' code calls sys.exit()
            line = max((frame.lineno or 0 for frame in traceback.extract_tb(error.__traceback__) if "/tasks/" in frame.filename), default=0)
            return (at, line), error, results
    return (len(steps), 0), None, results


def search(steps: List[Step], first: Dict[str, Any], sources: List[str], media: values.Media, budget: int = 250) -> Tuple[Dict[str, Any], Optional[BaseException]]:
    """Finds a doc on which all functions run."""
    doc = copy.deepcopy(first)
    kinds = [*values.KINDS]
    texts = [text for source in sources for text in constants(source)]
    tried = set()
    while True:
        seen: List[Path] = []
        reached, error, _ = run(steps, doc, seen)
        budget -= 1
        if error is None or budget <= 0:
            return doc, error
        if isinstance(error, Missing):
            try:
                put(doc, error.path, values.make(values.guess(str(error.path[-1])), str(error.path[-1]), 0, media))
                continue
            except (KeyError, TypeError, IndexError):
                return doc, error
        better = None
        for path in list(dict.fromkeys(reversed(seen)))[:6]:
            for candidate in [values.make(kind, str(path[-1]), 0, media) for kind in kinds] + texts:
                key = (path, json.dumps(candidate), reached)
                if key in tried or budget <= 0:
                    continue
                tried.add(key)
                changed = copy.deepcopy(doc)
                try:
                    put(changed, path, candidate)
                except (KeyError, TypeError, IndexError):
                    continue
                budget -= 1
                got, failure, _ = run(steps, changed, [])
                if failure is None or got > reached or (isinstance(failure, Missing) and got >= reached):
                    better = changed
                    break
            if better is not None:
                break
        if better is None:
            return doc, error
        doc = better


def with_media(steps: List[Step], doc: Dict[str, Any], media: values.Media) -> Dict[str, Any]:
    """Adds media where `doc_to_visual` returns none: a function that does without an absent column does not fail."""
    at = next((index for index, (name, _) in enumerate(steps) if name == "doc_to_visual"), None)
    if at is None:
        return doc
    seen: List[Path] = []
    Probe.records_tests = True
    found = run([steps[at]], doc, seen)[2]
    Probe.records_tests = False
    if found != [[]]:
        return doc
    for path in list(dict.fromkeys(seen))[:10]:
        for kind in dict.fromkeys((values.guess(str(path[-1])), "image", "images", "video", "audio")):
            changed = copy.deepcopy(doc)
            try:
                put(changed, path, values.make(kind, str(path[-1]), 0, media))
            except (KeyError, TypeError, IndexError):
                continue
            _, error, results = run(steps, changed, [])
            if error is None and results[at] != []:
                return changed
    return doc


def fresh(task: TaskFile, steps: List[Step], docs: List[Dict[str, Any]]) -> List[List[Any]]:
    """Calls the functions of newly imported modules, one function after the other, because some change their module."""
    load.known.clear()  # type: ignore[attr-defined]
    again = steps_of(task)
    tolerant = len(again) > 0 and again[-1][0] == "process_results "
    columns = [[run([step], doc, [])[2][0] for doc in docs] for step in (with_error(again) if tolerant else again)]
    return [[column[at] for column in columns] for at in range(len(docs))]


def first_docs(folder: str, media: values.Media) -> List[Dict[str, Any]]:
    """Docs to begin with, where texts have a form that is not found by trying."""
    with open(os.path.join(os.path.dirname(__file__), "first-docs.json"), encoding="utf-8") as file:
        known = json.load(file)
    with open(media.image(0), "rb") as picture:
        encoded = base64.b64encode(picture.read()).decode()
    texts = [json.dumps(doc).replace("WAV", media.audio(0)).replace("PICTURE_PATH", media.image(0)) for doc in known.get(folder, [])]
    return [json.loads(text.replace("BASE64", encoded)) for text in texts]


def varied(doc: Any, number: int, media: values.Media) -> Any:
    """Changes the texts that are made up, so that docs differ."""
    if isinstance(doc, dict):
        return {key: varied(value, number, media) for key, value in doc.items()}
    if isinstance(doc, str) and doc.startswith("red ") and doc.endswith(" 0"):
        return f"{values.WORDS[number]}{doc[3:-1]}{number}"
    return doc


def measure(task: TaskFile, known: List[Dict[str, Any]], media: values.Media) -> Dict[str, Any]:
    row: Dict[str, Any] = {"task": task.name, "folder": task.folder, "file": task.path}
    real_world.needs.clear()
    if "broken" in task.config:
        return {**row, "error": task.config["broken"]}
    functions = [reference for key in (*HOOKS, "process_results") if (reference := task.reference(key)) is not None]
    row["functions"] = {key: reference.wire() for key in (*HOOKS, "process_results") if (reference := task.reference(key)) is not None}
    row["kwargs"] = task.kwargs()
    row["target_kwargs"] = (task.config.get("model_specific_target_kwargs") or {}).get("default")
    if not functions:
        return {**row, "python": False}
    try:
        steps = steps_of(task)
    except TimeUp:
        raise
    except BaseException as error:
        return {**row, "error": f"{type(error).__name__}: {error}"[:300], "at": "import", "broken": broken(task)}
    sources = list(dict.fromkeys(os.path.join(one.folder, *one.module.split(".")) + ".py" for one in functions))
    error: Optional[BaseException] = None
    doc: Dict[str, Any] = {}
    for first in [*known[-2:], *first_docs(task.folder, media), {}]:
        doc, error = search(steps, first, sources, media)
        if error is not None and run(with_error(steps), doc, [])[1] is None:
            steps, error = with_error(steps), None
        if error is None:
            break
    if error is not None:
        reached = run(steps, doc, [])[0][0]
        if "unexpected keyword argument 'lmms_eval_specific_kwargs'" in str(error):
            row["broken"] = f"{steps[reached][0]}: {type(error).__name__}: {error}"
        return {**row, "error": f"{type(error).__name__}: {error}"[:300], "at": steps[min(reached, len(steps) - 1)][0], "needs": sorted(real_world.needs)}
    doc = with_media(steps, doc, media)
    known.append(doc)
    docs = [one for one in (doc, varied(doc, 1, media), varied(doc, 2, media)) if run(steps, one, [])[1] is None]
    row["docs"] = docs
    row["names"] = [name for name, _ in steps]
    row["results"] = answers_of(task)
    try:
        row["expected"] = fresh(task, steps, docs)
        row["again"] = fresh(task, steps, docs) == row["expected"]
    except IndexError:
        return {**row, "error": "a function fails when its module is imported again", "at": "search"}
    return {**row, "needs": sorted(real_world.needs)}


def main() -> None:
    if os.environ.get("PYTHONHASHSEED") != "0":
        # Some functions return lists in the order of a set. Workers have this seed.
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})
    root, work, video = (os.path.abspath(one) for one in sys.argv[1:4])
    limit = float(sys.argv[4]) if len(sys.argv) > 4 else 5.0
    os.environ.update({"HF_HOME": os.path.join(work, "home"), "HF_HUB_OFFLINE": "1"})
    media = values.Media(os.path.join(work, "media"))
    media.image(0), media.audio(0)
    shutil.copyfile(video, os.path.join(media.folder, "cockatoo.mp4"))
    import datasets  # noqa: F401  (imported once, before the processes of the folders are made)
    import lmms_eval.api.task  # noqa: F401

    real_world.refuse_network()
    real_world.stub_judges()
    synthetic_home.make(os.path.join(work, "home"), media.folder)
    real_world.place_files(os.path.join(work, "home"), media.folder)
    folders: Dict[str, List[TaskFile]] = {}
    for task in tasks(root):
        folders.setdefault(task.folder, []).append(task)
    only = os.environ.get("ONLY", "").split()
    if only:
        folders = {name: members for name, members in folders.items() if name in only}
    part, parts = (int(one) for one in sys.argv[5].split("/")) if len(sys.argv) > 5 else (0, 1)
    for folder, members in list(folders.items())[part::parts]:
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            continue
        real_world.quiet()
        sys.path[:0] = packages_of(folder, work)
        signal.signal(signal.SIGALRM, _stop)
        end = time.monotonic() + limit
        known: List[Dict[str, Any]] = []
        with open(os.path.join(work, f"real{part}.jsonl"), "a", encoding="utf-8") as file:
            for task in members:
                signal.setitimer(signal.ITIMER_REAL, max(0.3, end - time.monotonic()))
                try:
                    row = measure(task, known, media)
                except TimeUp:
                    row = {"task": task.name, "folder": folder, "file": task.path, "error": "no docs were found in the time given", "at": "search"}
                signal.setitimer(signal.ITIMER_REAL, 0)
                file.write(json.dumps(row, default=str) + "\n")
                file.flush()
        os._exit(0)


def _stop(_number: int, _frame: Any) -> None:
    raise TimeUp()


if __name__ == "__main__":
    main()
