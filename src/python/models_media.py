"""Gives the media of a request the form that models in Python expect.

lmms-eval's models get images as PIL images, videos as paths, and audio as a dict with the decoded samples. Media are
opened when they are first used, so a model that reads paths needs no further package.
"""
from __future__ import annotations

import os
from typing import Any, Dict, List


class MissingPackage(Exception):
    """A package that a request needs is not installed."""

    def __init__(self, package: str, why: str) -> None:
        super().__init__(f"{why} needs the package {package}: pip install {package}")
        self.package = package


def named_file(part: Dict[str, Any], exchange: str) -> str:
    """Links a stored medium under a name with its extension, by which many libraries choose a decoder."""
    path = os.path.abspath(part["path"])
    if not part.get("format"):
        return path
    link = os.path.join(exchange, f"{os.path.basename(path)}.{part['format']}")
    if not os.path.exists(link):
        try:
            os.symlink(path, link)
        except FileExistsError:
            pass
    return link


def opened_image(path: str) -> Any:
    """Opens an image in RGB, as lmms-eval's tasks hand it over."""
    try:
        from PIL import Image
    except ImportError:
        raise MissingPackage("Pillow", "an image") from None
    with Image.open(path) as image:
        return image.convert("RGB")


class Audio(Dict[str, Any]):
    """An audio clip with the keys `array`, `sampling_rate` and `path`; it is decoded on first use."""

    def __init__(self, path: str) -> None:
        super().__init__(path=path)

    def __missing__(self, key: str) -> Any:
        if key not in ("array", "sampling_rate"):
            raise KeyError(key)
        samples, rate = decoded_audio(self["path"])
        self.update(array=samples, sampling_rate=rate)
        return self[key]


def decoded_audio(path: str) -> Any:
    """Decodes a clip to one channel of floats in [-1, 1]."""
    try:
        import soundfile
    except ImportError:
        return decoded_wave(path)
    samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    return samples.mean(axis=1), rate


def decoded_wave(path: str) -> Any:
    """Decodes 16-bit WAV without a further decoder."""
    import wave

    try:
        import numpy
    except ImportError:
        raise MissingPackage("numpy", "audio") from None
    try:
        with wave.open(path, "rb") as clip:
            channels, width, rate = clip.getnchannels(), clip.getsampwidth(), clip.getframerate()
            data = clip.readframes(clip.getnframes())
    except (wave.Error, EOFError):
        raise MissingPackage("soundfile", "this audio format") from None
    if width != 2:
        raise MissingPackage("soundfile", "this audio format")
    samples = numpy.frombuffer(data, dtype="<i2").astype("float32") / 32768
    return samples.reshape(-1, channels).mean(axis=1), rate


def medium_of(part: Dict[str, Any], exchange: str) -> Any:
    """The value of a medium: a PIL image, an audio dict, or the path of any other file."""
    path = named_file(part, exchange)
    if part["type"] == "image":
        return opened_image(path)
    if part["type"] == "audio":
        audio = Audio(path)
        audio["array"]  # Libraries test for keys with `in`, which would miss what is decoded later.
        return audio
    return path


def text_of(request: Dict[str, Any]) -> str:
    """The texts of a request as one prompt, for models without conversations."""
    messages = ("".join(part["text"] for part in parts_of(message, "text")) for message in request["messages"])
    return "\n\n".join(text for text in messages if text)


def parts_of(message: Dict[str, Any], kind: str) -> List[Dict[str, Any]]:
    """The parts of one type in a message."""
    return [part for part in message["content"] if part["type"] == kind]


def media_of(request: Dict[str, Any], exchange: str) -> List[Any]:
    """The media of a request in their order."""
    return [
        medium_of(part, exchange)
        for message in request["messages"]
        for part in message["content"]
        if part["type"] != "text"
    ]


def messages_of(request: Dict[str, Any], exchange: str, key: str) -> List[Dict[str, Any]]:
    """The conversation in the form of chat templates, with each medium under `key` or, if empty, under its type."""
    return [
        {
            "role": message["role"],
            "content": [
                {"type": "text", "text": part["text"]}
                if part["type"] == "text"
                else {"type": part["type"], key or part["type"]: medium_of(part, exchange)}
                for part in message["content"]
            ],
        }
        for message in request["messages"]
    ]
