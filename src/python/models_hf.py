"""Runs a model of the Hugging Face Hub, or of a local folder, with a `transformers` pipeline."""
from __future__ import annotations

from typing import Any, Dict, List

import models_media as media
from models_classes import cut

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


def generation_of(request: Dict[str, Any]) -> Dict[str, Any]:
    """The arguments of `generate`. Sampling is on only where the task asks for it."""
    given = {name: value for name, value in request["generation"].items() if value is not None}
    known = {name: given[name] for name in GENERATION if name in given}
    samples = bool(given.get("do_sample", float(given.get("temperature", 0)) > 0))
    if not samples:
        for name in ("temperature", "top_p", "top_k"):
            known.pop(name, None)
    unknown = sorted(set(given) - GENERATION - {"until", "seed"})
    if unknown:
        raise ValueError(f"generation arguments that hf does not take: {', '.join(unknown)}")
    return {**known, "do_sample": samples}


class HubModel:
    """Answers requests with a pipeline."""

    def __init__(self, options: Dict[str, Any], args: Dict[str, Any], exchange: str) -> None:
        import transformers

        self.task = options["task"]
        self.exchange = exchange
        self.batch_size = options.get("batch_size") or 1
        wanted = {"device": options.get("device"), "dtype": options.get("dtype"), "revision": options.get("revision")}
        given = {name: value for name, value in wanted.items() if value is not None}
        if "device" not in given and "device_map" not in args:
            given["device"] = default_device()
        self.pipe = transformers.pipeline(self.task, model=options["pretrained"], **given, **args)

    def answer(self, requests: List[Dict[str, Any]]) -> List[Any]:
        """Answers a batch of requests with the same generation arguments."""
        for request in requests:
            if request["type"] != "generate_until":
                raise NotImplementedError(f"hf does not answer {request['type']}")
        generation = generation_of(requests[0])
        seed = requests[0]["generation"].get("seed")
        if seed is not None:
            import transformers

            transformers.set_seed(int(seed))
        texts = self.texts(requests, generation)
        return [cut({"text": text, "usage": {}}, requests[0]["generation"].get("until")) for text in texts]

    def texts(self, requests: List[Dict[str, Any]], generation: Dict[str, Any]) -> List[str]:
        """The generated texts."""
        if self.task == "automatic-speech-recognition":
            return [self.transcript(request, generation) for request in requests]
        if self.task == "image-text-to-text":
            chats = [media.messages_of(request, self.exchange, "") for request in requests]
            self.refuse_other_media(requests, {"image"})
            outputs = self.pipe(text=chats, generate_kwargs=generation, return_full_text=False, batch_size=self.batch_size)
            return [written(output) for output in outputs]
        self.refuse_other_media(requests, set())
        prompts = [self.prompt(request) for request in requests]
        outputs = self.pipe(prompts, return_full_text=False, batch_size=self.batch_size, **generation)
        return [written(output) for output in outputs]

    def prompt(self, request: Dict[str, Any]) -> Any:
        """A conversation for a tokenizer with a chat template, else one text."""
        if getattr(self.pipe.tokenizer, "chat_template", None) is None:
            return media.text_of(request)
        return [
            {"role": message["role"], "content": "".join(part["text"] for part in media.parts_of(message, "text"))}
            for message in request["messages"]
        ]

    def transcript(self, request: Dict[str, Any], generation: Dict[str, Any]) -> str:
        """What is said in the only clip of a request. The text of the request is not given to such models."""
        clips = media.media_of(request, self.exchange)
        if len(clips) != 1 or not isinstance(clips[0], dict):
            raise ValueError("automatic-speech-recognition takes exactly one audio clip")
        rate = self.pipe.feature_extractor.sampling_rate
        samples = resampled(clips[0]["array"], clips[0]["sampling_rate"], rate)
        longest = getattr(self.pipe.feature_extractor, "n_samples", None)
        # Whisper transcribes more than one window only with timestamps. They are not part of the text.
        is_long = self.pipe.type == "seq2seq_whisper" and longest is not None and len(samples) > longest
        more = {"return_timestamps": True} if is_long else {}
        return self.pipe({"raw": samples, "sampling_rate": rate}, generate_kwargs=generation, **more)["text"]

    def refuse_other_media(self, requests: List[Dict[str, Any]], taken: set) -> None:
        """Refuses media that the pipeline would ignore."""
        for request in requests:
            for message in request["messages"]:
                for part in message["content"]:
                    if part["type"] != "text" and part["type"] not in taken:
                        raise ValueError(f"{self.task} does not take {part['type']}")


def written(output: Any) -> str:
    """The new text in a pipeline's output, which is a list of one result for each prompt."""
    result = output[0] if isinstance(output, list) else output
    text = result["generated_text"]
    return text[-1]["content"] if isinstance(text, list) else text


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
