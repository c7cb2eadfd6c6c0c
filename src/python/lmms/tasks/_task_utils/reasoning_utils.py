"""Scores of tasks whose answers stand in tags after the model's reasoning."""

from __future__ import annotations

import importlib
import os
import re
from typing import Any, Callable, Dict, List, Optional

from ._reasoning_prompts import DEFAULT_REASONING_SYSTEM_PROMPT, JUDGE_PROMPT, JUDGE_PROMPT_WITH_ANSWER

MODEL_NAME = os.getenv("JUDGE_MODEL_NAME", "gpt-4o-mini")
USE_LLM_JUDGE = os.getenv("USE_LLM_JUDGE", "False")

_FORMS = [re.compile(rf"<{tag}>.*</{tag}>.*<answer>.*</answer>", re.DOTALL) for tag in ("think", "analysis")]
_FINAL_NUMBER = re.compile(r"\b(\d+(?:\.\d+)?)\b(?:\s*\.?\s*$)")
_CHOICES = "ABCDEFGH"
_WRITTEN = (("({})", 6), ("{}.", 5), ("{}:", 4), ("{})", 3), ("{} ", 2), ("{}-", 1), ("{}_", 1), ("{}=", 1))
_START, _END, _NUMBERED, _PHRASE, _ANYWHERE = 10, 9, 8, 7, 0
_NOUNS = ("answer", "correct answer", "best answer", "option", "correct option", "choice", "correct choice")
_PHRASES = (
    *(f"{article}{noun} is" for noun in _NOUNS for article in ("the ", "")),
    *("the answer", "answer", "correct answer", "the correct answer", "the best answer", "best answer"),
    *("i choose", "i select", "i pick", "my answer is", "my choice is"),
)


def extract_boxed_answer(predict_str: str) -> str:
    r"""The content of the last `\boxed{}` whose brackets are closed."""
    found, opening = "", "\\boxed{"
    at = predict_str.find(opening)
    while at >= 0:
        begin, depth = at + len(opening), 1
        for index in range(begin, len(predict_str)):
            depth += {"{": 1, "}": -1}.get(predict_str[index], 0)
            if depth == 0:
                found = predict_str[begin:index]
                break
        at = predict_str.find(opening, at + 1)
    return found


def extract_anwser_tag(predict_str: str) -> str:
    """The answer in tags, else that in a box, else the number that ends the last such line."""
    tagged = re.search(r"<answer>(.*?)</answer>", predict_str, re.DOTALL)
    if tagged:
        return tagged.group(1)
    boxed = extract_boxed_answer(predict_str)
    if boxed:
        return boxed
    for line in reversed(predict_str.strip().split("\n")):
        number = _FINAL_NUMBER.search(line)
        if number:
            return number.group(1)
    return ""


def format_reward(predict_str: str) -> float:
    """1 for tags or a box, 0.8 for a calculation with an answer, else 0."""
    if any(form.fullmatch(predict_str) for form in _FORMS) or extract_boxed_answer(predict_str):
        return 1.0
    is_calculation = len(predict_str.strip()) > 50 and re.search(r"[=+\-*/()\[\]\\]", predict_str) is not None
    return 0.8 if is_calculation and extract_anwser_tag(predict_str) else 0.0


def simple_parse(predict_str: str) -> str:
    return (predict_str[:-1] if predict_str.endswith(".") else predict_str).strip()


def parse_mcq(predict_str: str) -> str:
    """The letter that is written most clearly; of several such, the first. Nothing found is an empty text."""
    if not predict_str or not predict_str.strip():
        return ""
    text = predict_str.strip()
    for mark in ",.!?;:'\"":
        text = text.strip(mark)
    padded = f" {text} "
    bare, lower = padded.strip(), padded.lower()
    found = [(rank, -padded.rfind(form.format(each)), each) for form, rank in _WRITTEN for each in _CHOICES if form.format(each) in padded]
    for phrase in _PHRASES:
        at = lower.find(phrase)
        if at >= 0:
            found += [(_PHRASE, -padded.find(each, at), each) for each in _CHOICES if padded.find(each, at) >= 0]
    found += [(_START, 0, each) for each in _CHOICES if bare.startswith(each)]
    found += [(_END, 1 - len(padded), each) for each in _CHOICES if bare.endswith(each)]
    for number, each in enumerate(_CHOICES, 1):
        if f"{number}. {each}" in padded:
            found.append((_NUMBERED, -padded.rfind(f"{number}. {each}"), each))
    found = found or [(_ANYWHERE, -padded.rfind(each), each) for each in _CHOICES if each in padded]
    return max(found, key=lambda each: each[:2])[2] if found else ""


def relax_exact_match(predict_str: str, ground_truth: str, relax_portion: float = 0.9) -> float:
    """1 if both name the same option, or if one text is nearly the whole of the other."""
    letter = parse_mcq(ground_truth)
    if letter:
        return 1.0 if parse_mcq(predict_str) == letter else 0.0
    for part, whole in ((predict_str, ground_truth), (ground_truth, predict_str)):
        if part in whole and len(part) >= relax_portion * len(whole):
            return 1.0
    return 1.0 if predict_str.strip() == ground_truth.strip() else 0.0


def llm_as_judge_sync(predict_str: str, ground_truth: str, extra_info: Optional[Dict[str, Any]]) -> int:
    """What the judge says, 1 or 0. A reply that is no number is 0."""
    import openai

    given = {"answer": ground_truth, "prediction": predict_str}
    if extra_info is not None and "question" in extra_info:
        prompt = JUDGE_PROMPT_WITH_ANSWER.format(question=extra_info["question"], **given)
    else:
        prompt = JUDGE_PROMPT.format(**given)
    messages = [{"role": "user", "content": [{"type": "text", "text": prompt}]}]
    reply = openai.OpenAI().chat.completions.create(messages=messages, max_tokens=5, model=MODEL_NAME)
    try:
        return int(reply.choices[0].message.content)
    except (TypeError, ValueError):
        return 0


def _is_equal(gold: str, predicted: str) -> int:
    # A missing package must not count as a wrong answer, so it is imported outside of the `try`.
    math_verify = importlib.import_module("math_verify")
    try:
        return int(math_verify.verify(math_verify.parse(gold), math_verify.parse(predicted)))
    except Exception:  # As in lmms-eval, what cannot be parsed is not equal.
        return 0


def acc_reward(
    predict_str: str,
    ground_truth: str,
    extra_info: Optional[Dict[str, Any]] = None,
    format_reward_score: float = 0.0,
    solution_str: Optional[str] = None,
) -> float:
    """1 if the answer is right: as a text, as mathematics, or by the judge if USE_LLM_JUDGE is `True`."""
    predicted, gold = simple_parse(predict_str), simple_parse(ground_truth)
    score: float = relax_exact_match(predicted, gold) or _is_equal(gold, predicted)
    if score or USE_LLM_JUDGE != "True":
        return score
    score = llm_as_judge_sync(predicted, ground_truth, extra_info)
    is_short = solution_str is not None and len(solution_str) < 500
    return llm_as_judge_sync(str(solution_str), ground_truth, extra_info) if not score and format_reward_score == 0.0 and is_short else score


def compute_score(data_source: Any, solution_str: str, ground_truth: str, extra_info: Optional[Dict[str, Any]] = None) -> Dict[str, Any]:
    """The score of an answer, a tenth of which is for its form."""
    share = 0.1
    form = format_reward(solution_str)
    answer = extract_anwser_tag(solution_str).strip()
    accuracy = acc_reward(answer, ground_truth, extra_info, form, solution_str)
    return {
        "score": (1.0 - share) * accuracy + share * form,
        "acc_score": accuracy,
        "format_reward_score": form,
        "predict_str": simple_parse(answer),
        "ground_truth": simple_parse(ground_truth),
    }


def make_reasoning_doc_to_messages(
    doc_to_visual_fn: Callable[..., List[Any]], doc_to_text_fn: Callable[..., str], system_prompt: Optional[str] = None
) -> Callable[..., List[Dict[str, Any]]]:
    def doc_to_messages(doc: Any, lmms_eval_specific_kwargs: Any = None) -> List[Dict[str, Any]]:
        question = doc_to_text_fn(doc, lmms_eval_specific_kwargs)
        content = [{"type": "image", "url": visual} for visual in doc_to_visual_fn(doc)]
        content.append({"type": "text", "text": question.strip()})
        instruction = [{"type": "text", "text": system_prompt or DEFAULT_REASONING_SYSTEM_PROMPT}]
        return [{"role": "system", "content": instruction}, {"role": "user", "content": content}]

    return doc_to_messages


def make_reasoning_process_results(
    data_source: Any,
    doc_to_text_fn: Callable[..., str],
    gt_key: str = "answer",
    metrics_prefix: str = "",
    extra_info_fn: Optional[Callable[[Any], Dict[str, Any]]] = None,
) -> Callable[..., Dict[str, float]]:
    def process_results(doc: Any, results: List[str]) -> Dict[str, float]:
        extra = {"question": doc_to_text_fn(doc, None), **(extra_info_fn(doc) if extra_info_fn else {})}
        scores = [compute_score(data_source, answer.strip(), str(doc[gt_key]), extra) for answer in results]
        count = len(results) or 1
        return {
            f"{metrics_prefix}acc_score": sum(score["acc_score"] for score in scores) / count,
            f"{metrics_prefix}format_score": sum(score["format_reward_score"] for score in scores) / count,
        }

    return process_results
