"""Evaluates the tasks that whole_tasks.py wrote with lmms-eval's own evaluator, whose model replays the answers of the program's run.

    python whole_reference.py WORK_FOLDER [PART/PARTS]
"""

from __future__ import annotations

import argparse
import glob
import hashlib
import json
import os
import random
import signal
import sys
from typing import Any, Callable, Dict, List, Optional, Tuple

import canonical
import real_world
import synthetic_home
from task_files import packages_of
from task_steps import TimeUp

Row = Dict[str, Any]
SECONDS = 120
Replies = Dict[Tuple[str, int, int, int], Any]


def replies_of(folder: str) -> Replies:
    """Returns the answers of the program's run by task, doc and choice."""
    with open(os.path.join(folder, "outcomes.json"), encoding="utf-8") as file:
        outcomes = json.load(file)
    return {
        (sample["task"], sample["doc_index"], request["choice"], request["sample"]): request["response"]
        for outcome in outcomes.values()
        for sample in outcome.get("samples", [])
        for request in sample.get("requests", [])
        if request.get("response")
    }


def medium(value: Any) -> Any:
    """Describes a medium of a prompt: a picture by its pixels, a file by its path's last part."""
    if isinstance(value, str):
        if os.path.isfile(value) and value.lower().endswith((".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp")):
            from PIL import Image

            return canonical.real(Image.open(value).convert("RGB"))
        if not os.path.isfile(value):
            return {"missing": value}
        with open(value, "rb") as file:
            return {"file": hashlib.sha256(file.read()).hexdigest()[:16]}
    from PIL import Image

    if isinstance(value, Image.Image):
        return canonical.real(value.convert("RGB"))
    try:
        return canonical.real(value)
    except TypeError:
        return {"type": type(value).__name__}


def make_model(replies: Replies, prompts: Dict[int, Any], simple: bool) -> Any:
    from lmms_eval.api.model import lmms

    class Recorder(lmms):
        is_simple = simple

        def loglikelihood(self, requests: List[Any]) -> List[Any]:
            results = []
            for request in requests:
                context, continuation, visual, doc_id, task, split = request.args
                if callable(continuation):
                    continuation = continuation(self.task_dict[task][split][doc_id])
                entry = prompts.setdefault(doc_id, [])
                entry.append({"text": context + str(continuation), "media": [medium(one) for one in (visual(self.task_dict[task][split][doc_id]) or [])] if visual else []})
                reply = replies.get((task, doc_id, request.idx, 0)) or {}
                results.append((-reply.get("logprob", -1.0), reply.get("isGreedy", False)))
            return results

        def generate_until(self, requests: List[Any]) -> List[str]:
            results = []
            for request in requests:
                context, second, third, doc_id, task, split = request.args
                doc = self.task_dict[task][split][doc_id]
                entry = prompts.setdefault(doc_id, [])
                random.seed(0)
                if self.is_simple:
                    entry.append({"text": context, "media": [medium(one) for one in (third(doc) or [])] if third else [], "kwargs": second})
                else:
                    messages = second(doc)
                    parts = [{"role": one["role"], **part} for one in messages for part in ([{"type": "text", "text": one["content"]}] if isinstance(one["content"], str) else one["content"])]
                    entry.append(
                        {
                            "text": "\n".join(part["text"] for part in parts if part["type"] == "text"),
                            "media": [medium(next((part[key] for key in ("url", "image", "audio", "video", "image_url") if key in part), None)) for part in parts if part["type"] != "text"],
                            "kwargs": third,
                        }
                    )
                results.append((replies.get((task, doc_id, 0, len(entry) - 1)) or {}).get("text", "A"))
            return results

        def generate_until_multi_round(self, requests: List[Any]) -> List[str]:
            raise NotImplementedError("several rounds are not measured")

    return Recorder()


def seeded(function: Any) -> Any:
    """Seeds before each call, as the program does, so that guesses do not depend on the calls before."""
    if not callable(function):
        return function

    def called(*args: Any, **more: Any) -> Any:
        import numpy

        random.seed(0)
        numpy.random.seed(0)
        return function(*args, **more)

    return called


def keep_likelihoods() -> None:
    """Mends lmms-eval's evaluator, which turns a log-likelihood with its flag into a text that nothing can score."""
    from lmms_eval import evaluator

    unwrap = evaluator.unwrap_generation_output
    evaluator.unwrap_generation_output = lambda output: (output, None) if isinstance(output, tuple) and isinstance(output[0], float) else unwrap(output)


def measure(file: str, replies: Replies, work: str) -> Row:
    from lmms_eval import evaluator
    from lmms_eval.api.task import ConfigurableMessagesTask, ConfigurableTask
    from lmms_eval.utils import load_yaml_config

    config = load_yaml_config(yaml_path=file, mode="full")
    config.pop("class", None)
    if "process_docs" in config:
        config["process_docs"] = seeded(config["process_docs"])
    # A conversation has neither a description nor examples in lmms-eval.
    has_more = bool(config.get("num_fewshot") or config.get("description")) and "doc_to_messages" not in config
    simple = has_more or config.get("output_type", "generate_until") in ("multiple_choice", "loglikelihood")
    task = (ConfigurableTask if simple else ConfigurableMessagesTask)(config=config, model_name="dummy")
    prompts: Dict[int, Any] = {}
    model = make_model(replies, prompts, simple)
    name = config["task"]
    model.task_dict[name] = task.dataset
    if task.get_config("num_fewshot") is None:
        task.set_config(key="num_fewshot", value=0)
    task.set_fewshot_seed(seed=1234)
    output = os.path.join(work, "written")
    os.makedirs(output, exist_ok=True)
    task.config.process_results = seeded(task.config.process_results)
    arguments = argparse.Namespace(
        output_path=output, log_samples=True, process_with_media=False, reasoning_tags=None, limit=None, model="dummy", model_args="", tasks=name, log_samples_suffix="model_outputs", predict_only=False
    )
    results = evaluator.evaluate(lm=model, task_dict={name: task}, cli_args=arguments, bootstrap_iters=0, log_samples=True)
    known = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "token_counts", "doc_hash", "input_media", "input"}
    samples = [
        {"doc_id": one["doc_id"], "target": canonical.real(one["target"]), "filtered": canonical.real(one["filtered_resps"]), "values": {key: canonical.real(value) for key, value in one.items() if key not in known}}
        for one in results["samples"][name]
    ]
    return {
        "prompts": prompts,
        "samples": samples,
        "results": {key: canonical.real(value) for key, value in results["results"][name].items() if "stderr" not in key and key not in ("alias", " ")},
        "needs": sorted(real_world.needs),
    }


def main() -> None:
    work = os.path.abspath(sys.argv[1])
    os.environ.update({"HF_HOME": os.path.join(work, "home"), "HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": os.path.join(work, "datasets-cache")})
    import datasets
    import librosa
    import soundfile  # noqa: F401

    librosa.resample  # noqa: B018  (loads its modules)
    import lmms_eval.evaluator  # noqa: F401  (imported once, before the processes of the folders are made)

    datasets.disable_progress_bars()
    # A dataset that was processed with other random numbers would be found again.
    datasets.disable_caching()
    keep_likelihoods()
    run(work, measure)


def run(work: str, measured: Callable[[str, Replies, str], Row]) -> None:
    """Evaluates each task in a process of its own, and writes what was found beside the program's outcomes."""
    real_world.refuse_network()
    real_world.stub_judges()
    synthetic_home.make(os.path.join(work, "home"), os.path.join(work, "media"))
    real_world.place_files(os.path.join(work, "home"), os.path.join(work, "media"))
    part, parts = (int(one) for one in sys.argv[2].split("/")) if len(sys.argv) > 2 else (0, 1)
    only = os.environ.get("ONLY", "").split()
    for folder in sorted(os.listdir(os.path.join(work, "whole")))[part::parts]:
        target = os.path.join(work, "program", folder)
        if (only and folder not in only) or not os.path.exists(os.path.join(target, "outcomes.json")):
            continue
        for file in sorted(glob.glob(os.path.join(work, "whole", folder, "*", "task.yaml"))):
            child = os.fork()
            if child:
                os.waitpid(child, 0)
                continue
            _child(file, folder, target, work, measured)
        print(folder, file=sys.stderr, flush=True)


def _child(file: str, folder: str, target: str, work: str, measured: Callable[[str, Replies, str], Row]) -> None:
    out = os.path.join(target, os.path.basename(os.path.dirname(file)) + ".reference.json")
    real_world.quiet()
    hidden = open(os.devnull, "w", encoding="utf-8")
    sys.stderr = hidden
    sys.path[:0] = packages_of(folder, work)
    os.makedirs(os.path.join(work, "cwd"), exist_ok=True)
    os.chdir(os.path.join(work, "cwd"))
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    real_world.needs.clear()
    try:
        row = measured(file, replies_of(target), work)
    except BaseException as error:
        cause: Optional[BaseException] = error
        attempt = getattr(error, "last_attempt", None)
        if attempt is not None and attempt.exception() is not None:
            cause = attempt.exception()
        row = {"error": f"{type(cause).__name__}: {cause}"[:400], "needs": sorted(real_world.needs)}
    signal.setitimer(signal.ITIMER_REAL, 0)
    with open(out, "w", encoding="utf-8") as sink:
        json.dump(row, sink, default=str)
    os._exit(0)


def _stop(_number: int, _frame: Any) -> None:
    raise TimeUp()


if __name__ == "__main__":
    main()
