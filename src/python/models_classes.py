"""Runs a user's model class: one with lmms-eval's interface, or a plain class with `generate`.

The requests of a batch stand for the docs of one task, so that a class finds each doc by
`self.task_dict[task][split][doc_id]` as it does in lmms-eval.
"""
from __future__ import annotations

import copy
import inspect
from typing import Any, Dict, List, Optional

import models_media as media

TASK, SPLIT = "pipeline", "test"


class Request:
    """One request in the shape of lmms-eval's `Instance`."""

    def __init__(self, kind: str, arguments: tuple, index: int) -> None:
        self.request_type = kind
        self.arguments = arguments
        self.args = arguments
        self.idx = index
        self.metadata = {"task": TASK, "doc_id": index, "repeats": 1}
        self.task_name, self.doc_id, self.repeats = TASK, index, 1
        self.resps: List[Any] = []
        self.filtered_resps: Dict[str, Any] = {}
        self.token_counts: List[Any] = []
        self.doc: Optional[Dict[str, Any]] = None


class ClassModel:
    """Answers requests with an object of a user's class."""

    def __init__(self, made: Any, exchange: str) -> None:
        self.made = made
        self.exchange = exchange
        self.is_batched = hasattr(made, "generate_until")
        if not self.is_batched and not hasattr(made, "generate"):
            raise TypeError(f"class {type(made).__name__} has neither generate_until nor generate")
        # The base class of lmms-eval has the method only to say that the class has none.
        picturing = getattr(type(made), "generate_visual_cot", None)
        has_pictures = picturing is not None and picturing.__module__ != "lmms_eval.api.model"
        self.lacks = [] if has_pictures and self.is_batched else ["generate_visual_cot"]

    def answer(self, requests: List[Dict[str, Any]]) -> List[Any]:
        """Answers a batch of requests of one type, in their order."""
        kind = requests[0]["type"]
        if not self.is_batched:
            return [self.answer_alone(request) for request in requests]
        method = getattr(self.made, kind, None)
        if method is None:
            raise NotImplementedError(f"class {type(self.made).__name__} has no {kind}")
        docs = dict(enumerate(requests))
        self.made.task_dict = {TASK: {SPLIT: docs}}
        answers = list(method([self.instance(kind, request, index) for index, request in docs.items()]))
        if len(answers) != len(requests):
            raise ValueError(f"{kind} returned {len(answers)} answers to {len(requests)} requests")
        read = answer_of if kind.startswith("generate_") else likelihood_of
        return [read(answer) for answer in answers]

    def instance(self, kind: str, request: Dict[str, Any], index: int) -> Request:
        """A request with the arguments in the order that the class's interface has."""
        text, generation = media.text_of(request), copy.deepcopy(request["generation"])
        place = (index, TASK, SPLIT)
        if kind == "loglikelihood_rolling":
            return Request(kind, (text,), index)
        if kind == "loglikelihood":
            return Request(kind, (text, request["continuation"], self.visuals, *place), index)
        # lmms-eval gives these requests to all models in the form without conversations.
        if kind == "generate_visual_cot" or getattr(self.made, "is_simple", True):
            return Request(kind, (text, generation, self.visuals, *place), index)
        return Request(kind, (text, self.messages, generation, *place), index)

    def visuals(self, doc: Dict[str, Any]) -> List[Any]:
        """`doc_to_visual` of a request."""
        return media.media_of(doc, self.exchange)

    def messages(self, doc: Dict[str, Any], *_: Any) -> List[Dict[str, Any]]:
        """`doc_to_messages` of a request."""
        return media.messages_of(doc, self.exchange, "url")

    def answer_alone(self, request: Dict[str, Any]) -> Any:
        """Answers one request with a plain class."""
        messages = media.messages_of(request, self.exchange, "")
        if request["type"] == "generate_until":
            generation = copy.deepcopy(request["generation"])
            answer = answer_of(self.made.generate(messages, **generation))
            return cut(answer, generation.get("until"))
        method = getattr(self.made, request["type"], None)
        if method is None:
            raise NotImplementedError(f"class {type(self.made).__name__} has no {request['type']}")
        continuation = (request["continuation"],) if request["type"] == "loglikelihood" else ()
        return likelihood_of(method(messages, *continuation))


def cut(answer: Dict[str, Any], until: Any) -> Dict[str, Any]:
    """Ends a text before its first stop sequence."""
    stops = [until] if isinstance(until, str) else list(until or [])
    places = [answer["text"].find(stop) for stop in stops if stop]
    found = [place for place in places if place >= 0]
    return {**answer, "text": answer["text"][: min(found)]} if found else answer


def answer_of(value: Any) -> Dict[str, Any]:
    """Reads a generated text with its token counts: a text, lmms-eval's result object, or a pair of text and counts."""
    counts = None
    if isinstance(value, (tuple, list)) and len(value) == 2 and isinstance(value[0], str):
        value, counts = value
    elif hasattr(value, "text"):
        value, counts = value.text, getattr(value, "token_counts", None)
    if not isinstance(value, str):
        raise TypeError(f"an answer must be a text, not {type(value).__name__}")
    usage = {name: count(counts, field) for name, field in FIELDS.items()}
    return {"text": value, "usage": {name: number for name, number in usage.items() if number is not None}}


FIELDS = {"inputTokens": "input_tokens", "outputTokens": "output_tokens", "reasoningTokens": "reasoning_tokens"}


def count(counts: Any, field: str) -> Optional[int]:
    """One token count, if it is known."""
    value = counts.get(field) if isinstance(counts, dict) else getattr(counts, field, None)
    return None if value is None else int(value)


def likelihood_of(value: Any) -> Dict[str, Any]:
    """Reads `(logprob, is_greedy)`, or a number alone, as `loglikelihood_rolling` returns it."""
    values = list(value) if isinstance(value, (tuple, list)) else [value]
    answer: Dict[str, Any] = {"logprob": float(values[0])}
    if len(values) > 1:
        answer["isGreedy"] = bool(values[1])
    if len(values) > 2:
        answer["continuationTokens"] = int(values[2])
    return answer


def made_from(cls: Any, args: Dict[str, Any], shared: Dict[str, Any]) -> Any:
    """Makes an object of a class. `shared` arguments, such as batch_size, are given only to a class that takes them."""
    # The constructor of `object` has a signature that takes everything, although it takes nothing.
    parameters = {} if cls.__init__ is object.__init__ else inspect.signature(cls.__init__).parameters
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    is_lmms = hasattr(cls, "generate_until")
    wanted = {
        name: value
        for name, value in shared.items()
        if value is not None and name not in args and (name in parameters or (takes_all and is_lmms))
    }
    made = cls(**args, **wanted)
    clean = getattr(made, "eval", None)
    if callable(clean) and is_lmms and not inspect.signature(clean).parameters:
        clean()
    return made
