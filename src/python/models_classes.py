"""Runs a user's model class: one with lmms-eval's interface, or a plain class with `generate`.

The requests stand for the docs of one task, so that a class finds each doc by `self.task_dict[task][split][doc_id]`
as it does in lmms-eval. No two requests have the same doc_id, because some classes remember answers or name files by it.
"""
from __future__ import annotations

import copy
import inspect
import math
import sys
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

    def __init__(self, made: Any, exchange: str, errors: Optional[List[str]] = None) -> None:
        self.made = made
        # Errors that the class logged and did not raise.
        self.errors: List[str] = [] if errors is None else errors
        self.exchange = exchange
        self.asked = 0
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
        method = self.method(kind)
        self.errors.clear()
        docs = dict(enumerate(requests, self.asked))
        self.asked += len(requests)
        self.made.task_dict = {TASK: {SPLIT: docs}}
        answers = method([self.instance(kind, request, index) for index, request in docs.items()])
        if answers is None or isinstance(answers, (str, bytes)) or not hasattr(answers, "__iter__"):
            raise TypeError(f"{kind} must return a list with an answer to each request, not {type(answers).__name__}")
        answers = list(answers)
        if len(answers) != len(requests):
            raise ValueError(f"{kind} returned {len(answers)} answers to {len(requests)} requests")
        read = answer_of if kind.startswith("generate_") else likelihood_of
        results = [read(answer) for answer in answers]
        if self.errors and any(result.get("text") == "" for result in results):
            raise RuntimeError(f"the model answered nothing after it logged: {self.errors[-1]}")
        return results

    def method(self, kind: str) -> Any:
        """The method that answers requests of a type. One that a base class only declares is not there."""
        method = getattr(self.made, kind, None)
        if method is None or getattr(method, "__isabstractmethod__", False):
            raise NotImplementedError(f"class {type(self.made).__name__} has no {kind}")
        return method

    def instance(self, kind: str, request: Dict[str, Any], index: int) -> Request:
        """A request with the arguments in the order that the class's interface has."""
        text, generation = media.text_of(request), completed(request["generation"])
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
        continuation = (request["continuation"],) if request["type"] == "loglikelihood" else ()
        return likelihood_of(self.method(request["type"])(messages, *continuation))


def completed(generation: Dict[str, Any]) -> Dict[str, Any]:
    """Generation arguments of a class of lmms-eval. A task's temperature of 0 is not kept, and some classes sample without it."""
    greedy = {} if "temperature" in generation or "do_sample" in generation else {"temperature": 0, "do_sample": False}
    return {**copy.deepcopy(generation), **greedy}


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
    """Reads `(logprob, is_greedy)`, or a number alone, as `loglikelihood_rolling` returns it.

    Most models of lmms-eval return the loss, whose smallest value lmms-eval takes for the best. The logarithm of a
    probability is never above 0 and a loss is never below, so the sign tells which of both a number is.
    """
    values = list(value) if isinstance(value, (tuple, list)) else [value]
    number = float(values[0])
    if not math.isfinite(number):
        raise ValueError(f"a log-likelihood must be a finite number, not {number}")
    answer: Dict[str, Any] = {"logprob": -abs(number) if number else 0.0}
    if len(values) > 1 and values[1] is not None:
        answer["isGreedy"] = bool(values[1])
    if len(values) > 2 and values[2] is not None:
        answer["continuationTokens"] = int(values[2])
    return answer


def made_from(cls: Any, args: Dict[str, Any], shared: Dict[str, Any]) -> Any:
    """Makes an object of a class. `shared` arguments, such as batch_size, are given only to a class that takes them."""
    # A class without a constructor may still have the one of `object`, whose signature takes everything.
    parameters = {} if cls.__init__ is object.__init__ else inspect.signature(cls.__init__).parameters
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    is_lmms = hasattr(cls, "generate_until")
    given = {name: value for name, value in shared.items() if value is not None and name not in args}
    # lmms-eval declares methods abstract that no task of a run may need. They are reported when they are needed.
    if getattr(cls, "__abstractmethods__", None):
        cls.__abstractmethods__ = frozenset()
    if has_own_maker(cls):
        made = cls.create_from_arg_string(",".join(f"{name}={value}" for name, value in args.items()), given)
    else:
        wanted = {name: value for name, value in given.items() if name in parameters or (takes_all and is_lmms)}
        made = cls(**without_gpu(parameters, {**args, **wanted}))
    clean = getattr(made, "eval", None)
    if callable(clean) and is_lmms and not inspect.signature(clean).parameters:
        clean()
    return made


def has_own_maker(cls: Any) -> bool:
    """Whether a class replaces lmms-eval's way to make an object from the text of its arguments."""
    owner = next((base for base in cls.__mro__ if "create_from_arg_string" in vars(base)), None)
    return owner is not None and owner.__name__ != "lmms"


def without_gpu(parameters: Any, args: Dict[str, Any]) -> Dict[str, Any]:
    """Adds `device=cpu` where a class would choose a GPU that is not there, as most of lmms-eval's do."""
    torch = sys.modules.get("torch")
    parameter = parameters.get("device")
    chooses = parameter is not None and "device" not in args and str(parameter.default).startswith("cuda")
    if not chooses or torch is None or torch.cuda.is_available():
        return args
    print("There is no GPU, so the model gets device=cpu. To choose another place, give device=…", file=sys.stderr)
    return {**args, "device": "cpu"}
