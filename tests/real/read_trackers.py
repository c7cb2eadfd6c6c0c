"""Prints as JSON what TensorBoard's reader finds in a folder, and the records of an offline run of W&B."""

import glob
import json
import struct
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from wandb.proto import wandb_internal_pb2

folder, offline = sys.argv[1:]


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

tensorboard = {tag: {"step": event.step, "value": event.value} for tag, event in scalars.items()}
print(json.dumps({"tensorboard": tensorboard, "texts": accumulator.Tags()["tensors"], "wandb": {**run, "history": history}}))
