"""One call of users' code: its limits, its seeds and its errors."""

from __future__ import annotations

import random
import signal
import sys
import time
from typing import Any, Callable, Dict

from channel import Channel, JudgeError
from errors import TimeLimit, describe


class Caller:
    """Runs calls one after the other in the main thread, where the signal of the clock arrives."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._deadline = 0.0
        self._asked_before = 0.0
        self._seconds = 0.0
        self._is_running = False
        self._is_over = False
        #: How long a call may take that is importing a package, if that is longer than its own limit.
        self.import_seconds = 300.0
        signal.signal(signal.SIGALRM, self._alarm)

    def _alarm(self, _signal: int, frame: Any) -> None:
        if not self._is_running:
            return
        # The time during which the parent answers questions, for example of a judge, is not the call's.
        left = self._deadline + self._channel.asked_seconds() - self._asked_before - time.monotonic()
        # The signal comes again, for code that catches everything.
        signal.setitimer(signal.ITIMER_REAL, max(left, 0.001) if left > 0 else 1.0)
        # A package whose import is broken off cannot be imported again in this process.
        if left > 0 or (self._seconds - left < self.import_seconds and _is_importing(frame)):
            return
        self._is_over = True
        raise TimeLimit(f"the call took longer than {self._seconds:g} s")

    def run(self, function: Callable[[], Any], seconds: float) -> Dict[str, Any]:
        """Returns `{"ok": value}` or `{"error": ...}`. Each call has the same random numbers, so batches make no difference."""
        channel = self._channel
        channel.judge_error = None
        self._seconds = seconds
        self._is_over = False
        try:
            random.seed(0)
            numpy_random = sys.modules.get("numpy.random")
            if numpy_random is not None:
                numpy_random.seed(0)
            self._asked_before = channel.asked_seconds()
            self._deadline = time.monotonic() + seconds
            self._is_running = True
            signal.setitimer(signal.ITIMER_REAL, seconds)
            try:
                value = function()
            finally:
                self._is_running = False
                signal.setitimer(signal.ITIMER_REAL, 0)
            outcome: Dict[str, Any] = {"ok": value}
        except BaseException as error:  # SystemExit and KeyboardInterrupt of users' code must not end this process.
            self._is_running = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            outcome = {"error": describe(error)}
            if isinstance(error, JudgeError):
                channel.judge_error = str(error)
        if channel.judge_error is not None:
            failed = outcome.get("error", {})
            return {"error": {**failed, "type": "JudgeError", "message": channel.judge_error}}
        if self._is_over and "ok" in outcome:
            return {"error": {"type": "TimeLimit", "message": f"the call took longer than {seconds:g} s"}}
        return outcome


def _is_importing(frame: Any) -> bool:
    """Whether a frame of the import system is among those that are running."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
