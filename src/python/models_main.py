"""Entry of a process that holds one model. It reads one JSON message a line and writes one answer a line.

Models need no time limit and may reach the network, unlike the functions of tasks, so they have a process of their own.
"""
from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import sys
import threading
from typing import Any, Dict


def main() -> None:
    """Serves until the parent closes its end."""
    own = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != own]
    sys.path.append(own)
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    source = os.fdopen(os.dup(0), "r", encoding="utf-8")
    # What users' code prints must not appear between the messages.
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    exchange = sys.argv[1]
    waiting: "queue.Queue[Dict[str, Any]]" = queue.Queue()
    threading.Thread(target=read, args=(source, waiting, exchange), daemon=True).start()
    import models

    write(out, json.dumps({"ready": {"python": sys.version.split()[0], "executable": sys.executable, "pid": os.getpid()}}))
    while True:
        message = waiting.get()
        try:
            line = json.dumps({"id": message["id"], "ok": models.handle(message["op"], message, exchange)}, allow_nan=False)
        except (Exception, SystemExit) as error:
            line = json.dumps({"id": message["id"], "error": models.error_of(error)})
        write(out, line)


def read(source: Any, waiting: "queue.Queue[Dict[str, Any]]", exchange: str) -> None:
    """Reads messages in a thread, so that this process ends with its parent even while a model computes."""
    for line in source:
        waiting.put(json.loads(line))
    shutil.rmtree(exchange, ignore_errors=True)
    end_family()


def end_family() -> None:
    """Ends this process with those that the model started, which share its group."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(0)


def write(out: Any, line: str) -> None:
    """Writes one message."""
    out.write(line + "\n")
    out.flush()


if __name__ == "__main__":
    main()
