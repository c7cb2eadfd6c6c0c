"""Runs a model of the Hugging Face Hub, or of a local folder, that a `transformers` pipeline loads.

The pipeline chooses and loads the classes. Prompts are made here, because a pipeline that gets several requests pads
them on the tokenizer's side, which changes answers, and rejects a batch in which only some requests have images.
"""
from __future__ import annotations

from typing import Any, Dict, List

import models_media as media
from models_classes import cut
from models_hf_prompts import Prompts
from models_hf_text import generated, scored

# Arguments of lmms-eval's tasks that `generate` has under the same name.
GENERATION = {
    "max_new_tokens",
    "min_new_tokens",
    "temperature",
    "top_p",
    "top_k",
    "do_sample",
    "num_beams",
    "repetition_penalty",
    "length_penalty",
    "no_repeat_ngram_size",
}
SPEECH = "automatic-speech-recognition"


def generation_of(request: Dict[str, Any]) -> Dict[str, Any]:
    """The arguments of `generate`. Sampling is on only where the task asks for it."""
    given = {name: value for name, value in request["generation"].items() if value is not None}
    known = {name: given[name] for name in GENERATION if name in given}
    samples = bool(given.get("do_sample", float(given.get("temperature", 0)) > 0))
    if not samples:
        # A value of the model's own configuration would only lead to a warning.
        known.update(temperature=None, top_p=None, top_k=None)
    unknown = sorted(set(given) - GENERATION - {"until", "seed"})
    if unknown:
        raise NotImplementedError(f"generation arguments that hf does not take: {', '.join(unknown)}")
    return {**known, "do_sample": samples}


class HubModel:
    """Answers requests with the model of a pipeline."""

    def __init__(self, options: Dict[str, Any], args: Dict[str, Any], exchange: str) -> None:
        import transformers

        self.task = options["task"]
        self.exchange = exchange
        wanted = {"device": options.get("device"), "dtype": options.get("dtype"), "revision": options.get("revision")}
        given = {name: value for name, value in wanted.items() if value is not None}
        if "device" not in given and "device_map" not in args:
            given["device"] = default_device()
        self.pipe = transformers.pipeline(self.task, model=options["pretrained"], **given, **args)
        if self.task == SPEECH:
            avoid_broken_torchcodec()
        else:
            self.prompts = Prompts(self.pipe, exchange)

    def answer(self, requests: List[Dict[str, Any]]) -> List[Any]:
        """Answers a batch of requests of one type with the same generation arguments."""
        kind = requests[0]["type"]
        taken = {SPEECH: {"audio"}, "image-text-to-text": {"image"}}.get(self.task, set())
        refuse_other_media(requests, taken, self.task)
        if kind == "loglikelihood" and self.task != SPEECH:
            return scored(self.pipe, self.prompts, requests)
        if kind != "generate_until":
            raise NotImplementedError(f"hf with task={self.task} does not answer {kind}")
        generation, until = generation_of(requests[0]), requests[0]["generation"].get("until")
        if self.task == SPEECH:
            answers = [{"text": self.transcript(request, generation), "usage": {}} for request in requests]
        else:
            answers = generated(self.pipe, self.prompts, requests, generation)
        return [cut(answer, until) for answer in answers]

    def transcript(self, request: Dict[str, Any], generation: Dict[str, Any]) -> str:
        """What is said in the only clip of a request. The text of the request is not given to such models."""
        clips = media.media_of(request, self.exchange)
        if len(clips) != 1:
            raise NotImplementedError(f"{SPEECH} takes exactly one audio clip, not {len(clips)}")
        extractor = self.pipe.feature_extractor
        rate = extractor.sampling_rate
        clip = {"raw": resampled(clips[0]["array"], clips[0]["sampling_rate"], rate), "sampling_rate": rate}
        if not self.pipe.type.startswith("seq2seq"):
            return self.pipe(clip)["text"]  # A model with CTC reads its text from the sound, and generates nothing.
        longest = getattr(extractor, "n_samples", None)
        # Whisper transcribes more than one window only with timestamps. They are not part of the text.
        is_long = self.pipe.type == "seq2seq_whisper" and longest is not None and len(clip["raw"]) > longest
        more = {"return_timestamps": True} if is_long else {}
        return self.pipe(clip, generate_kwargs=generation, **more)["text"]


def refuse_other_media(requests: List[Dict[str, Any]], taken: set, task: str) -> None:
    """Refuses media that the model would ignore."""
    parts = (part for request in requests for message in request["messages"] for part in message["content"])
    for part in parts:
        if part["type"] != "text" and part["type"] not in taken:
            raise NotImplementedError(f"hf with task={task} does not take {part['type']}")


def avoid_broken_torchcodec() -> None:
    """Keeps the pipeline from importing torchcodec where its libraries cannot be loaded. Sound is decoded before."""
    try:
        import torchcodec  # type: ignore[import-not-found]  # noqa: F401
    except Exception:
        from transformers.pipelines import automatic_speech_recognition as pipeline

        if hasattr(pipeline, "is_torchcodec_available"):
            pipeline.is_torchcodec_available = lambda: False


def resampled(samples: Any, rate: int, wanted: int) -> Any:
    """A clip at another rate, by its spectrum. The pipeline resamples only where torchaudio is installed."""
    import numpy

    if rate == wanted or len(samples) == 0:
        return samples
    length = max(1, round(len(samples) * wanted / rate))
    spectrum = numpy.fft.rfft(samples)[: length // 2 + 1]
    return (numpy.fft.irfft(spectrum, length) * (length / len(samples))).astype("float32")


def default_device() -> str:
    """The first GPU, else the CPU."""
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"
