"""Makes lmms-eval's own functions run without services: files that a doc names exist, waiting takes no time, judges are noted and fixed."""

from __future__ import annotations

import os
import pathlib
import shutil
import socket
import sys
import types
from typing import Any, List, Set

#: What functions asked for during the current task: "judge" or "network".
needs: Set[str] = set()
#: Keys that judges' clients need when they are made. Nothing is sent.
KEYS = ("OPENAI_API_KEY", "Deepseek_API")
#: Settings without which some tasks refuse to score.
SETTINGS = {"API_TYPE": "openai", "PROCESSOR": "gpt-4o-mini"}
JUDGEMENT = '{"score": 3, "correct": true, "pred": "yes"}'


def place(path: str, home: str, sample_folder: str) -> bool:
    """Creates a small real file where a function expects one below the fake home. Returns whether there is one now."""
    full = os.path.abspath(path)
    if not full.startswith(os.path.abspath(home) + os.sep):
        return False
    ending = os.path.splitext(full)[1].lower()
    sample = {".mp4": "cockatoo.mp4", ".mkv": "cockatoo.mp4", ".avi": "cockatoo.mp4", ".webm": "cockatoo.mp4", ".wav": "audio0.wav"}.get(ending)
    if sample is None and ending in (".png", ".jpg", ".jpeg", ".webp"):
        sample = "image0.png"
    if sample is None:
        return False
    os.makedirs(os.path.dirname(full), exist_ok=True)
    shutil.copyfile(os.path.join(sample_folder, sample), full)
    return True


def place_files(home: str, sample_folder: str) -> None:
    known = os.path.exists

    def exists(path: Any) -> bool:
        return known(path) or (isinstance(path, (str, os.PathLike)) and place(os.fspath(path), home, sample_folder))

    os.path.exists = exists
    pathlib.Path.exists = lambda path, **_more: exists(path)  # type: ignore[method-assign, assignment]
    pathlib.Path.is_file = lambda path, _known=pathlib.Path.is_file, **_more: exists(path) and _known(path)  # type: ignore[method-assign, misc]
    os.path.isfile = lambda path, _known=os.path.isfile: _known(path) or exists(path) and _known(path)  # type: ignore[misc]


def refuse_network() -> None:
    def refused(*_args: Any, **_more: Any) -> Any:
        needs.add("network")
        raise PermissionError("no network while tasks are measured")

    socket.socket.connect = refused  # type: ignore[method-assign, assignment]
    socket.getaddrinfo = refused


def stub_judges() -> None:
    """Answers every judge request with one text."""
    import time

    time.sleep = lambda _seconds: None
    for name in KEYS:
        os.environ.setdefault(name, "none")
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)

    def created(*_args: Any, **more: Any) -> Any:
        needs.add("judge")
        message = types.SimpleNamespace(content=JUDGEMENT, role="assistant")
        usage = types.SimpleNamespace(prompt_tokens=1, completion_tokens=1, total_tokens=2)
        return types.SimpleNamespace(choices=[types.SimpleNamespace(message=message)], model=more.get("model"), usage=usage)

    try:
        from openai.resources.chat import completions
    except ImportError:
        pass
    else:
        completions.Completions.create = created  # type: ignore[method-assign]
    try:
        import requests
    except ImportError:
        return

    def post(*_args: Any, **more: Any) -> Any:
        needs.add("judge")
        asked = more.get("json") or {}
        body = {"choices": [{"message": {"content": JUDGEMENT}}], "model": asked.get("model"), "usage": {"total_tokens": 2}}
        return types.SimpleNamespace(status_code=200, ok=True, text=JUDGEMENT, json=lambda: body, raise_for_status=lambda: None)

    requests.post = post  # type: ignore[assignment]


def quiet() -> None:
    """Sends what functions print to nowhere."""
    try:
        from loguru import logger

        logger.remove()
    except ImportError:
        pass
    hidden: List[Any] = [open(os.devnull, "w", encoding="utf-8")]
    sys.stdout = hidden[0]
