"""Evaluates the tasks that whole_tasks.py wrote of lm-evaluation-harness with its own evaluator, whose model replays the answers of the program's run.

    python whole_reference_lm.py WORK_FOLDER [PART/PARTS]
"""

from __future__ import annotations

import os
import random
import sys
from typing import Any, Dict, List

import canonical
import real_world
from whole_reference import Replies, Row, run, seeded

NOT_METRICS = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash"}


def make_model(replies: Replies, prompts: Dict[int, Any]) -> Any:
    from lm_eval.api.model import LM

    class Recorder(LM):
        def _reply(self, request: Any, text: str, choice: int) -> Row:
            entry = prompts.setdefault(request.doc_id, [])
            entry.append({"text": text, "media": []})
            # A request comes as often as its task repeats it.
            sample = len(entry) - 1 if request.request_type == "generate_until" else 0
            return dict(replies.get((request.task_name, request.doc_id, choice, sample)) or {})

        def loglikelihood(self, requests: List[Any]) -> List[Any]:
            found = [self._reply(one, "".join(one.args), one.idx) for one in requests]
            return [(one.get("logprob", -1.0), one.get("isGreedy", False)) for one in found]

        def loglikelihood_rolling(self, requests: List[Any]) -> List[float]:
            return [self._reply(one, one.args[0], 0).get("logprob", -1.0) for one in requests]

        def generate_until(self, requests: List[Any]) -> List[str]:
            return [self._reply(one, one.args[0], 0).get("text", "A") for one in requests]

    return Recorder()


def measure(file: str, replies: Replies, _work: str) -> Row:
    from lm_eval import evaluator
    from lm_eval.api.task import ConfigurableTask
    from lm_eval.tasks._yaml_loader import load_yaml

    config = load_yaml(file, resolve_func=True)
    if "process_docs" in config:
        config["process_docs"] = seeded(config["process_docs"])
    task = ConfigurableTask(config=config)
    prompts: Dict[int, Any] = {}
    if task.get_config("num_fewshot") is None:
        task.set_config(key="num_fewshot", value=0)
    task.set_fewshot_seed(seed=1234)
    random.seed(0)
    name = config["task"]
    results = evaluator.evaluate(lm=make_model(replies, prompts), task_dict={name: task}, bootstrap_iters=0, log_samples=True, confirm_run_unsafe_code=True)
    assert results is not None
    samples = [
        {"doc_id": one["doc_id"], "target": canonical.real(one["target"]), "values": {key: canonical.real(value) for key, value in one.items() if key not in NOT_METRICS}}
        for one in results["samples"][name]
    ]
    reported = results["results"][name].items()
    return {
        "prompts": prompts,
        "samples": samples,
        "results": {key: canonical.real(value) for key, value in reported if "," in key and "stderr" not in key},
        "needs": sorted(real_world.needs),
    }


def main() -> None:
    work = os.path.abspath(sys.argv[1])
    os.environ.update({"HF_HOME": os.path.join(work, "home"), "HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": os.path.join(work, "datasets-cache")})
    import datasets
    import lm_eval.evaluator  # noqa: F401  (imported once, before the processes of the folders are made)

    datasets.disable_progress_bars()
    datasets.disable_caching()
    run(work, measure)


if __name__ == "__main__":
    main()
