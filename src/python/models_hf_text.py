"""Generates texts and scores continuations with a model of `transformers`."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

# How many tokens more than a stop sequence has characters are looked at for it.
MARGIN = 4


def apart(requests: List[Dict[str, Any]], use: Callable[[List[Dict[str, Any]]], List[Any]]) -> List[Any]:
    """Uses requests with images apart from those without, which a processor does not take together. Keeps their order."""
    groups: Dict[bool, List[int]] = {}
    for place, request in enumerate(requests):
        has_images = any(part["type"] != "text" for message in request["messages"] for part in message["content"])
        groups.setdefault(has_images, []).append(place)
    results: List[Any] = [None] * len(requests)
    for places in groups.values():
        for place, result in zip(places, use([requests[place] for place in places])):
            results[place] = result
    return results


def generated(pipe: Any, prompts: Any, requests: List[Dict[str, Any]], generation: Dict[str, Any]) -> List[Any]:
    """The answers to a batch, with their numbers of tokens."""
    return apart(requests, lambda group: group_generated(pipe, prompts, group, generation))


def group_generated(pipe: Any, prompts: Any, requests: List[Dict[str, Any]], generation: Dict[str, Any]) -> List[Any]:
    """The answers to requests that can be computed together."""
    import torch

    inputs = prompts.inputs(requests, [prompts.text(request) for request in requests])
    start = 0 if pipe.model.config.is_encoder_decoder else inputs["input_ids"].shape[1]
    until = requests[0]["generation"].get("until")
    stops = stopping(prompts.tokenizer, start, [until] if isinstance(until, str) else until)
    settings = settings_of(pipe, {"pad_token_id": prompts.tokenizer.pad_token_id, **generation})
    with torch.inference_mode():
        rows = pipe.model.generate(**inputs, **settings, **stops)
    # Some models are given embeddings of the prompt, and return new tokens alone.
    if start > 0 and (rows.shape[1] < start or not torch.equal(rows[:, :start], inputs["input_ids"])):
        start = 0
    sizes = inputs["attention_mask"].sum(dim=1).tolist()
    return [read(prompts.tokenizer, row[start:].tolist(), size) for row, size in zip(rows, sizes)]


def settings_of(pipe: Any, generation: Dict[str, Any]) -> Dict[str, Any]:
    """The arguments of `generate`, with what the pipeline adds where a task gives nothing."""
    if hasattr(pipe, "generation_config"):
        return {"generation_config": pipe.generation_config, **generation}
    # Later pipelines of transformers 5 have no configuration of their own, and complete the arguments of each call.
    return pipe._prepare_generate_kwargs(generation)


def read(tokenizer: Any, tokens: List[int], size: int) -> Dict[str, Any]:
    """The text of new tokens, which end with padding in a batch."""
    ends = {tokenizer.pad_token_id, tokenizer.eos_token_id}
    while len(tokens) > 1 and tokens[-1] in ends and tokens[-2] in ends:
        tokens = tokens[:-1]
    text = tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return {"text": text, "usage": {"inputTokens": int(size), "outputTokens": len(tokens)}}


def stopping(tokenizer: Any, start: int, stops: Any) -> Dict[str, Any]:
    """Ends generation of a row whose new text contains a stop sequence. The text is cut later."""
    wanted = [stop for stop in stops or [] if stop]
    if not wanted:
        return {}
    import torch
    from transformers import StoppingCriteria, StoppingCriteriaList

    longest = max(map(len, wanted)) + MARGIN

    class HasStop(StoppingCriteria):
        """Looks for stop sequences in the last tokens of each row."""

        def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
            ends = input_ids[:, max(start, input_ids.shape[1] - longest) :]
            texts = tokenizer.batch_decode(ends, skip_special_tokens=True, clean_up_tokenization_spaces=False)
            found = [any(stop in text for stop in wanted) for text in texts]
            return torch.tensor(found, dtype=torch.bool, device=input_ids.device)

    return {"stopping_criteria": StoppingCriteriaList([HasStop()])}


def scored(pipe: Any, prompts: Any, requests: List[Dict[str, Any]]) -> List[Any]:
    """The log-likelihoods of continuations. Each is computed alone, so that padding changes none."""
    return [score(pipe, prompts, request) for request in requests]


def score(pipe: Any, prompts: Any, request: Dict[str, Any]) -> Dict[str, Any]:
    """The sum of the logarithms of the probabilities of a continuation's tokens after the prompt."""
    import torch

    if pipe.model.config.is_encoder_decoder:
        raise NotImplementedError("hf scores continuations only with models that continue their prompt")
    text, continuation = divided(prompts, request)
    inputs = prompts.inputs([request], [text])
    tokens = added_tokens(prompts.tokenizer, text, continuation)
    if not tokens:
        raise NotImplementedError("a loglikelihood needs a continuation that is not empty")
    if inputs["input_ids"].shape[1] == 0:
        raise NotImplementedError("a loglikelihood needs a prompt, because this tokenizer puts no token before a text")
    prompt = inputs["input_ids"]
    added = torch.tensor([tokens], device=prompt.device, dtype=prompt.dtype)
    longer = {**inputs, "input_ids": torch.cat([prompt, added], dim=1)}
    for name, value in inputs.items():
        # Masks and types have one number a token of the prompt. A continuation is attended to, and is text.
        if name != "input_ids" and hasattr(value, "shape") and value.shape == prompt.shape and not value.is_floating_point():
            filled = torch.full_like(added, 1 if name == "attention_mask" else 0, dtype=value.dtype)
            longer[name] = torch.cat([value, filled], dim=1)
    with torch.inference_mode():
        logits = pipe.model(**longer).logits[0, -len(tokens) - 1 : -1]
    likelihoods = torch.log_softmax(logits.float(), dim=-1)
    chosen = likelihoods.gather(1, added[0].unsqueeze(1)).sum()
    return {
        "logprob": float(chosen),
        "isGreedy": bool((likelihoods.argmax(dim=-1) == added[0]).all()),
        "continuationTokens": len(tokens),
    }


def divided(prompts: Any, request: Dict[str, Any]) -> Tuple[str, str]:
    """A prompt and its continuation. Spaces at the end of a plain prompt belong to the word that follows them."""
    text = prompts.text(request)
    bare = text if prompts.template_of is not None else text.rstrip()
    return bare, text[len(bare) :] + request["continuation"]


def added_tokens(tokenizer: Any, text: str, continuation: str) -> List[int]:
    """The tokens of a continuation in its place, where some tokenizers write the first word otherwise than at a beginning."""
    before, whole = (tokenizer(one, add_special_tokens=False)["input_ids"] for one in (text, text + continuation))
    if whole[: len(before)] == before:
        return whole[len(before) :]
    return tokenizer(continuation, add_special_tokens=False)["input_ids"]
