"""The lines between this process and the one that started it."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
from typing import Any, Dict, Optional


class JudgeError(Exception):
    """The judge model failed, or none is configured."""


class AskError(Exception):
    """A question to the parent failed."""


def _end_with_children() -> None:
    """Ends the whole process group, because the parent is gone and nobody else ends what users' code started."""
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(0)


class Channel:
    """Reads messages in a thread of its own, so that answers arrive while a call waits for them."""

    def __init__(self) -> None:
        self._out = os.dup(1)
        source = os.fdopen(os.dup(0), "rb", buffering=1 << 20)
        os.set_inheritable(self._out, False)
        os.dup2(2, 1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
        self._messages: "queue.SimpleQueue[Dict[str, Any]]" = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._asks: Dict[int, "queue.SimpleQueue[Dict[str, Any]]"] = {}
        self._last_ask = 0
        self._asking_since: Optional[float] = None
        self._asked_seconds = 0.0
        self._pid = os.getpid()
        #: The message and the call within it that run now.
        self.current: "tuple[int, int]" = (0, 0)
        #: The judge's failure during the current call. The call fails even if users' code catches the exception.
        self.judge_error: Optional[str] = None
        threading.Thread(target=self._read, args=(source,), daemon=True).start()

    def _read(self, source: Any) -> None:
        for line in source:
            message = json.loads(line)
            if "answer" in message:
                waiting = self._asks.get(message["answer"])
                if waiting is not None:
                    waiting.put(message)
            else:
                # A line without this text has no tagged value (wire.py), so nothing of it needs decoding.
                message["tagged"] = b'"$' in line
                self._messages.put(message)
        _end_with_children()

    def receive(self) -> Dict[str, Any]:
        return self._messages.get()

    def send(self, message: Any) -> None:
        """Writes one line at once, so that it is out if the next call ends this process."""
        data = memoryview(json.dumps(message, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n")
        with self._lock:
            while data:
                data = data[os.write(self._out, data) :]

    def asked_seconds(self) -> float:
        """How long questions were open in all. This time does not count for a call's limit."""
        since = self._asking_since
        return self._asked_seconds + (0.0 if since is None else time.monotonic() - since)

    def ask(self, kind: str, request: Any) -> Any:
        """Asks the parent and waits for the answer, from any thread.

        Raises JudgeError or AskError if the parent answers with an error.
        """
        if os.getpid() != self._pid:
            raise AskError("a forked process cannot ask: ask from threads instead of processes")
        waiting: "queue.SimpleQueue[Dict[str, Any]]" = queue.SimpleQueue()
        with self._lock:
            self._last_ask += 1
            number = self._last_ask
            if not self._asks:
                self._asking_since = time.monotonic()
            self._asks[number] = waiting
        message_id, call = self.current
        try:
            self.send({"ask": number, "id": message_id, "call": call, "kind": kind, "request": request})
            answer = waiting.get()
        finally:
            with self._lock:
                del self._asks[number]
                if not self._asks and self._asking_since is not None:
                    self._asked_seconds += time.monotonic() - self._asking_since
                    self._asking_since = None
        if "error" not in answer:
            return answer["ok"]
        error = answer["error"]
        if error.get("type") == "JudgeError":
            self.judge_error = error.get("message", "")
            raise JudgeError(self.judge_error)
        raise AskError(f"{error.get('type')}: {error.get('message')}")
