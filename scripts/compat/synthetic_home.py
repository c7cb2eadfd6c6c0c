"""A small cache below HF_HOME, in which functions find the snapshots and files that they would have downloaded."""

from __future__ import annotations

import json
import os
import shutil
import zipfile

#: Any commit will do, because nothing is downloaded.
COMMIT = "0" * 40

#: Datasets of the Hub whose snapshot is looked up, and files that are opened without asking whether they exist.
SNAPSHOTS = {
    "PeterPanonly/COVER": (),
    "PLM-Team/Spatial-Visualization-Benchmark": (),
    "RyanWW/XModBench": ("red.png",),
    "TencentARC/Video-Holmes": (),
    "VisuLogic/VisuLogic": ("images.zip",),
    "WangYipu2002/CrossPoint-Bench": ("image/red.png",),
    "Weizhen011210/MetaVQA-Eval": ("obs/red.png",),
    "camelCase12/vpct-1": ("sim_1_initial.png",),
    "hrinnnn/PerceptionComp": (),
    "nvidia/PhysicalAI-VANTAGE-Bench": ("data/vqa/videos/clip0.mp4",),
    "pangyyyyy/OmniSpatial": (),
    "raivn/VideoNet": ("clip0.mp4", "videos/clip0.mp4"),
    "shi-labs/physical-ai-bench-understanding": (),
}

#: Files below HF_HOME that are opened without asking whether they exist.
FILES = (
    "megabench_data/red.png",
    "datasets/longvideobench/videos/clip0.mp4",
    "datasets/longvideobench/subtitles/synthetic.json",
    "falconbench/full_videos/clip0.mp4",
    "ovobench/chunked_videos/1.mp4",
    "ovobench/chunked_videos/1_0.mp4",
    "WorldSense/synthetic.srt",
    "WorldSense/clip0.mp4",
)

SRT = "1\n00:00:00,100 --> 00:00:01,500\na red house\n\n"
SUBTITLES = [{"start": "00:00:00.5", "end": "00:00:01.5", "line": "a red house"}]


def make(home: str, samples: str) -> None:
    for repository, names in SNAPSHOTS.items():
        # Some tasks look below HF_HOME itself instead of its folder `hub`.
        for cache in (os.path.join(home, "hub"), home):
            root = os.path.join(cache, "datasets--" + repository.replace("/", "--"))
            os.makedirs(os.path.join(root, "refs"), exist_ok=True)
            with open(os.path.join(root, "refs", "main"), "w", encoding="utf-8") as file:
                file.write(COMMIT)
            snapshot = os.path.join(root, "snapshots", COMMIT)
            os.makedirs(snapshot, exist_ok=True)
            for name in names:
                _write(os.path.join(snapshot, name), samples)
    for name in FILES:
        _write(os.path.join(home, name), samples)


def _write(path: str, samples: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if path.endswith(".zip"):
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(os.path.join(samples, "image0.png"), "images/red.png")
    elif path.endswith(".srt"):
        with open(path, "w", encoding="utf-8") as file:
            file.write(SRT)
    elif path.endswith(".json"):
        with open(path, "w", encoding="utf-8") as file:
            json.dump(SUBTITLES, file)
    else:
        shutil.copyfile(os.path.join(samples, "image0.png" if path.endswith(".png") else "cockatoo.mp4"), path)
