"""Sends one run to an experiment tracker through the tracker's own Python package.

The run is JSON on standard input, the answer one line of JSON on standard output. Whatever packages print goes to standard error.
"""

import importlib
import inspect
import json
import os
import sys


def picture_columns(samples):
    """A column for each picture of a prompt: tables show no lists of pictures."""
    most = max((len(sample["pictures"]) for sample in samples), default=0)
    return ["picture" if at == 0 else f"picture_{at + 1}" for at in range(most)]


def pictures_of(sample, columns, make):
    paths = sample["pictures"]
    return [make(paths[at]) if at < len(paths) else None for at in range(len(columns))]


def address_of(run):
    """A run without a server has no address, and some packages raise an error for it."""
    try:
        return getattr(run, "url", None)
    except Exception:
        return None


def folder_of(run, otherwise=None):
    """The folder of a run that has no address."""
    return str(getattr(run, "dir", None) or otherwise or "") or None


def columns_of(samples):
    scores = sorted({name for sample in samples for name in sample["scores"]})
    return scores, ["doc", "prompt", "answer", "target", "outcome"] + scores


def row_of(sample, scores):
    texts = [sample[name] for name in ("doc", "prompt", "answer", "target", "outcome")]
    return texts + [sample["scores"].get(name) for name in scores]


def known(function, given):
    """Keeps the arguments that this version of a package takes."""
    names = inspect.signature(function).parameters
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in names.values()):
        return given
    return {name: value for name, value in given.items() if name in names}


def log(package, run, numbers, step):
    target = run if hasattr(run, "log") else package
    target.log(numbers, **({} if step is None else {"step": step}))


def send_wandb(package, asked):
    settings = {"id": asked["id"], "name": asked["name"], "resume": "allow", "job_type": "eval", **asked["settings"]}
    run = package.init(config=asked["parameters"], **settings)
    log(package, run, asked["metrics"], asked["step"])
    for task, samples in asked["samples"].items():
        scores, columns = columns_of(samples)
        pictures = picture_columns(samples)
        table = package.Table(columns=columns + pictures)
        for sample in samples:
            table.add_data(*row_of(sample, scores), *pictures_of(sample, pictures, package.Image))
        log(package, run, {"samples/" + task: table}, asked["step"])
    if asked["files"]:
        artifact = package.Artifact(asked["id"] + "-results", type="evaluation")
        for path in asked["files"]:
            artifact.add_file(path)
        run.log_artifact(artifact)
    run.finish()
    return address_of(run) or folder_of(run)


def remove_earlier(package, settings, own_id):
    """Removes the rows that were sent of the run before: Trackio adds rows to a run that it continues.

    A run of the same name that holds something else stays. Trackio reads the runs of its local database only.
    """
    if "space_id" in settings or "server_url" in settings or not hasattr(package, "Api"):
        return
    try:
        earlier = [run for run in package.Api().runs(settings["project"]) if run.name == settings["name"]]
    except ValueError:  # The project is gone.
        return
    for run in earlier:
        if (run.config or {}).get("pipeline_id") == own_id:
            run.delete()


def send_trackio(package, asked):
    config = {**asked["parameters"], "pipeline_id": asked["id"]}
    settings = {"name": asked["name"], "config": config, "resume": "allow", **asked["settings"]}
    if asked["replaces"]:
        remove_earlier(package, settings, asked["id"])
    run = package.init(**known(package.init, settings))
    log(package, run, asked["metrics"], asked["step"])
    for task, samples in asked["samples"].items():
        scores, columns = columns_of(samples)
        import pandas

        pictures = picture_columns(samples)
        rows = [row_of(sample, scores) + pictures_of(sample, pictures, package.Image) for sample in samples]
        frame = pandas.DataFrame(rows, columns=columns + pictures)
        log(package, run, {"samples/" + task: package.Table(dataframe=frame)}, asked["step"])
    if asked["files"] and hasattr(package, "Artifact"):
        artifact = package.Artifact(asked["id"] + "-results", type="evaluation")
        for path in asked["files"]:
            artifact.add_file(path)
        package.log_artifact(artifact)
    package.finish()
    return address_of(run) or folder_of(run, getattr(package, "TRACKIO_DIR", None))


def send_swanlab(package, asked):
    given = dict(asked["settings"])
    # Some versions take ids of 21 letters and digits only.
    own = asked["id"].replace("-", "").ljust(21, "0")[:21]
    settings = {"experiment_name": given.pop("name", asked["name"]), "config": asked["parameters"], "id": own}
    run = package.init(**known(package.init, {**settings, "resume": "allow", **given}))
    log(package, run, asked["metrics"], asked["step"])
    for task, samples in asked["samples"].items():
        texts = [package.Text(json.dumps(sample, ensure_ascii=False, indent=1)) for sample in samples]
        shown = [package.Image(path, caption=sample["doc"]) for sample in samples for path in sample["pictures"]]
        log(package, run, {"samples/" + task: texts, **({"pictures/" + task: shown} if shown else {})}, asked["step"])
    package.finish()
    return address_of(run) or folder_of(run)


SENDERS = {"wandb": send_wandb, "trackio": send_trackio, "swanlab": send_swanlab}


def main():
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    asked = json.load(sys.stdin)
    tool = asked["tool"]
    try:
        package = importlib.import_module(tool)
        answer = {"where": SENDERS[tool](package, asked)}
    except ModuleNotFoundError as error:
        answer = {"missing": error.name}
    except BaseException as error:  # A package may end the process where it has no login.
        answer = {"error": f"{type(error).__name__}: {error}"}
    answers.write(json.dumps(answer) + "\n")
    answers.flush()
    # Threads that a package left behind do not keep the answer waiting.
    os._exit(0 if "where" in answer else 1)


if __name__ == "__main__":
    main()
