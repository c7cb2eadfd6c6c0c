"""What the program asks of this process: loading functions and calling them."""

from __future__ import annotations

import os
import platform
import sys
from typing import Any, Callable, Dict, List, Optional

import closure
import datasets_bridge
import hooks
import limits
import lmms_packages
import standins
import task_classes
import wire
from calls import Caller
from channel import Channel
from loading import Loader

Outcome = Dict[str, Any]


class Operations:
    """Answers one message after the other. Results of a batch are sent one by one, so that a crash loses only the call that caused it."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.caller = Caller(channel)
        self.loader = Loader([], None)
        self.exchange = ""
        self._seconds = 60.0
        self._import_seconds = 300.0
        self._single: Dict[str, Callable[[Dict[str, Any]], Any]] = {
            "open": self._open,
            "load": self._load,
            "filter": self._filter,
            "class": self._class,
        }
        # One call on all docs, of a function whose module no call has changed.
        self._whole: Dict[str, Callable[[Callable[..., Any], Dict[str, Any]], Any]] = {
            "aggregate": self._aggregate,
            "docs": lambda found, message: datasets_bridge.process_docs(found, message, self.exchange),
            "samples": lambda found, _message: hooks.samples(found),
        }

    def serve(self) -> None:
        ready = {"python": platform.python_version(), "executable": sys.executable, "pid": os.getpid()}
        self.channel.send({"ready": ready})
        while True:
            message = self.channel.receive()
            self.channel.current = (message["id"], 0)
            answer = self._answer(message)
            self.channel.send({"id": message["id"], **answer})

    def _answer(self, message: Dict[str, Any]) -> Outcome:
        op, seconds = message["op"], message.get("seconds") or self._seconds
        if op == "render":
            return self._render(message, seconds)
        if op == "call":
            return self._call(message, seconds)
        whole = self._whole.get(op)
        if whole is not None:
            # Imported first, so that an import that draws random numbers does not change those of the call.
            taken = self.caller.run(lambda: self.loader.take(message["ref"]), max(seconds, self._import_seconds))
            return taken if "error" in taken else self._encoded(self.caller.run(lambda: whole(taken["ok"], message), seconds))
        run = self._single.get(op)
        if run is None:
            return {"error": {"type": "ValueError", "message": f"no operation {op}"}}
        outcome = self.caller.run(lambda: run(message), seconds)
        # `load` describes functions and files, which is plain JSON already.
        return outcome if op in ("open", "load") else self._encoded(outcome)

    def _encoded(self, outcome: Outcome) -> Outcome:
        if "error" in outcome:
            return outcome
        # Encoding may load a picture or compare one, so it is limited and fails like a call.
        return self.caller.run(lambda: wire.encode(outcome["ok"], self.exchange), self._seconds)

    def _open(self, message: Dict[str, Any]) -> None:
        closure.refuse_changes(message.get("files") or {})
        packages: List[str] = list(message.get("packages") or [])
        root: Optional[str] = message.get("root")
        self.exchange = message["exchange"]
        self._seconds = message.get("seconds") or 60.0
        self._import_seconds = self.caller.import_seconds = message.get("importSeconds") or 300.0
        if root is not None:
            sys.path.insert(0, root)
        if message.get("hub") is not None:
            os.environ["HF_HUB_CACHE"] = message["hub"]
        # Tasks look for their videos below this folder, and many fail where the variable is missing.
        os.environ.setdefault("HF_HOME", os.path.join(os.path.expanduser("~"), ".cache", "huggingface"))
        if not message.get("network"):
            limits.refuse_network()
        limits.limit_memory(message.get("memory"))
        self.loader = Loader(packages, root)
        lmms_packages.install(packages)
        standins.install(self.channel.ask)

    def _load(self, message: Dict[str, Any]) -> Any:
        changed = self.loader.begin()
        if changed:
            return {"functions": [], "files": {}, "packages": {}, "changed": changed}
        functions = []
        for ref in message["refs"]:
            outcome = self.caller.run(lambda ref=ref: self.loader.describe(ref), message.get("seconds") or self._seconds)
            functions.append(outcome["ok"] if "ok" in outcome else {"error": outcome["error"]})
        return {"functions": functions, **self.loader.sources(message["refs"])}

    def _render(self, message: Dict[str, Any], seconds: float) -> Outcome:
        given = message["hooks"]
        chosen = [hook for hook in hooks.ORDER if hook in given]
        found = {hook: self.caller.run(lambda hook=hook: self.loader.find(given[hook]), self._import_seconds) for hook in chosen}
        kwargs, target_kwargs = wire.decode(message.get("kwargs")), wire.decode(message.get("targetKwargs"))
        tagged = message["tagged"]
        for index, raw in enumerate(message["docs"]):
            self.channel.current = (message["id"], index)
            opened: Outcome = self.caller.run(lambda: wire.decode(raw), seconds) if tagged else {"ok": raw}
            rendered = {}
            for hook in chosen:
                if "error" in opened or "error" in found[hook]:
                    rendered[hook] = {"error": opened.get("error") or found[hook]["error"]}
                    continue
                function = found[hook]["ok"]
                rendered[hook] = self.caller.run(
                    lambda: wire.encode(hooks.call_hook(hook, function, opened["ok"], kwargs, target_kwargs), self.exchange), seconds
                )
            self.channel.send({"id": message["id"], "part": index, "ok": rendered})
        return {"ok": None}

    def _call(self, message: Dict[str, Any], seconds: float) -> Outcome:
        found = self.caller.run(lambda: self.loader.find(message["ref"]), self._import_seconds)
        tagged = message["tagged"]
        for index, raw in enumerate(message["calls"]):
            self.channel.current = (message["id"], index)
            outcome = found
            if "ok" in found:
                outcome = self.caller.run(lambda: self._called(found["ok"], raw, tagged), seconds)
            self.channel.send({"id": message["id"], "part": index, "ok": outcome})
        return {"ok": None}

    def _called(self, function: Callable[..., Any], raw: Dict[str, Any], tagged: bool) -> Any:
        args, kwargs = raw["args"], raw.get("kwargs") or {}
        if tagged:
            args = wire.decode(args)
            kwargs = {name: wire.decode(value) for name, value in kwargs.items()}
        return wire.encode(function(*args, **kwargs), self.exchange)

    def _aggregate(self, found: Callable[..., Any], message: Dict[str, Any]) -> Any:
        path = message.get("valuesFile")
        values = wire.decode(message["values"]) if path is None else list(hooks.read_lines(path))
        args = wire.decode(message.get("args") or {})
        before = os.getcwd()
        os.chdir(message.get("folder") or before)
        try:
            return hooks.aggregate(found, values, args)
        finally:
            os.chdir(before)

    def _filter(self, message: Dict[str, Any]) -> Any:
        found = self.loader.find(message["ref"])
        kwargs = {name: wire.decode(value) for name, value in (message.get("kwargs") or {}).items()}
        return hooks.filtered(found, kwargs, wire.decode(message["resps"]), wire.decode(message["docs"]))

    def _class(self, message: Dict[str, Any]) -> Any:
        # Functions beside a class may read what its `download` kept.
        found = self.loader.share(message["ref"])
        functions = {key: self.loader.find(ref) for key, ref in message["functions"].items()}
        made = task_classes.made(found, message["config"], functions)
        if message.get("output") is None:
            return None
        return {"docs": task_classes.write_rows(made, message["split"], message["output"], self.exchange)}
