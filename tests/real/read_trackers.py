"""Prints as JSON what TensorBoard's reader finds in a folder, the records of offline runs of W&B and SwanLab, and what Trackio's own storage has."""

import glob
import json
import struct
import os
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
import trackio
from swanlab.proto.swanlab.record.v1 import record_pb2
from swanlab.sdk.internal.core_python.store import DataStoreReader
from trackio.sqlite_storage import SQLiteStorage
from wandb.proto import wandb_internal_pb2

folder, offline, local = sys.argv[1:]


def read_records(path):
    """The file is a log of blocks of 32 KiB. A record has a header of 7 bytes, and may be split."""
    with open(path, "rb") as file:
        data = file.read()
    position, parts = 7, b""
    while position + 7 <= len(data):
        left = 32768 - position % 32768
        if left < 7:
            position += left
            continue
        _, size, kind = struct.unpack_from("<IHB", data, position)
        position += 7
        parts += data[position : position + size]
        position += size
        if kind in (1, 4):
            record = wandb_internal_pb2.Record()
            record.ParseFromString(parts)
            parts = b""
            yield record


(events,) = glob.glob(f"{folder}/*")
accumulator = EventAccumulator(events)
accumulator.Reload()
scalars = {tag: accumulator.Scalars(tag)[-1] for tag in accumulator.Tags()["scalars"]}

(log,) = glob.glob(f"{offline}/**/offline-run-*/*.wandb", recursive=True)
run, history = {}, {}
for record in read_records(log):
    kind = record.WhichOneof("record_type")
    if kind == "run":
        settings = [item.key or "/".join(item.nested_key) for item in record.run.config.update]
        run = {"name": record.run.display_name, "project": record.run.project, "settings": settings}
    if kind == "history":
        for item in record.history.item:
            history[item.key or "/".join(item.nested_key)] = json.loads(item.value_json)



def read_trackio(run):
    logs = SQLiteStorage.get_logs(run.project, run.name)
    tables = [value for log in logs for name, value in log.items() if name.startswith("samples/")]
    artifacts = SQLiteStorage.list_artifacts(run.project)
    trackio.init(run.project, name="reader", auto_log_gpu=False)
    folders = [trackio.use_artifact(artifact["name"] + ":latest").download() for artifact in artifacts]
    trackio.finish()
    return {
        "name": run.name,
        "settings": list(run.config),
        "logs": [{name: value for name, value in log.items() if isinstance(value, (int, float))} for log in logs],
        "rows": [len(table["_value"]) for table in tables],
        "files": sorted(name for one in folders for name in os.listdir(one)),
    }


def read_swanlab(path):
    reader = DataStoreReader()
    reader.open(path)
    run = {"scalars": {}, "texts": 0}
    while (data := reader.scan()) is not None:
        record = record_pb2.Record()
        record.ParseFromString(data)
        kind = record.WhichOneof("record_type")
        if kind == "start":
            run.update({"id": record.start.id, "name": record.start.name, "project": record.start.project})
        if kind == "scalar":
            run["scalars"][record.scalar.key] = record.scalar.value.number
        if kind == "media":
            run["texts"] += len(record.media.value.items)
    with open(os.path.join(os.path.dirname(path), "files", "config.yaml"), encoding="utf-8") as file:
        run["settings"] = [line[:-2] for line in file if line.endswith(":\n") and not line.startswith(" ")]
    return run


answer = {
    "tensorboard": {tag: {"step": event.step, "value": event.value} for tag, event in scalars.items()},
    "texts": accumulator.Tags()["tensors"],
    "wandb": {**run, "history": history},
    "swanlab": [read_swanlab(path) for path in sorted(glob.glob(f"{local}/*/*.swanlab"))],
}
with os.fdopen(os.dup(1), "w") as out:
    # Trackio prints lines of its own.
    os.dup2(2, 1)
    answer["trackio"] = [read_trackio(one) for one in trackio.Api().runs("trials")]
    out.write(json.dumps(answer))
