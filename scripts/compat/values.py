"""Values for the columns of synthetic docs, in the form in which the program sends docs to Python."""

from __future__ import annotations

import base64
import os
import re
import struct
import wave
from typing import Any, Dict, List

WORDS = ("red", "blue", "seven", "north")

#: The order in which kinds are tried when a function fails on a column.
KINDS = (
    "text letter number float numeral texts letters numbers options rows images image video audio json_list json_rows json_object "
    "object range box boxes bool date clock none python_list bracket long_text url timestamps nested_texts qa"
).split()


class Media:
    """Small real files that docs name."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def image(self, number: int) -> str:
        from PIL import Image

        path = os.path.join(self.folder, f"image{number}.png")
        if not os.path.exists(path):
            picture = Image.new("RGB", (32 + 8 * number, 32), (200, 40 * number, 10))
            for at in range(32):
                picture.putpixel((at, at), (at * 8, 255 - at * 8, number))
            picture.save(path)
        return path

    def audio(self, number: int) -> str:
        path = os.path.join(self.folder, f"audio{number}.wav")
        if not os.path.exists(path):
            with wave.open(path, "wb") as file:
                file.setnchannels(1)
                file.setsampwidth(2)
                file.setframerate(16000)
                file.writeframes(b"".join(struct.pack("<h", (at * 37 * (number + 1)) % 8000 - 4000) for at in range(1600)))
        return path


def make(kind: str, name: str, number: int, media: Media) -> Any:
    """Returns a value of a kind. Docs of different numbers have different values."""
    word, letter = WORDS[number % 4], "ABCD"[number % 4]
    picture = {"$image": {"path": media.image(number)}}
    made: Dict[str, Any] = {
        "text": f"{word} {name.replace('_', ' ')} {number}",
        "letter": letter,
        "number": number + 1,
        "float": 1.5 + number,
        "numeral": str(number + 1),
        "texts": [f"{one} {number}" for one in WORDS],
        "letters": [letter],
        "numbers": [number + 1, number + 2, number + 3, number + 4],
        "options": ["A. red", "B. blue", "C. seven", "D. north"],
        "rows": [{}, {}],
        "images": [picture, {"$image": {"path": media.image(number + 1)}}],
        "image": picture,
        "video": f"clip{number}.mp4",
        "audio": {"$audio": {"path": media.audio(number), "decode": True}},
        "json_list": '["red", "blue", "seven", "north"]',
        "json_rows": '[{"question": "red?", "answer": "blue"}]',
        "json_object": '{"A": "red", "B": "blue", "C": "seven", "D": "north"}',
        "object": {},
        "range": [0.5, 2.5],
        "box": [1.5, 2.5, 20.5, 25.5],
        "boxes": [[1.5, 2.5, 20.5, 25.5], [2.5, 3.5, 21.5, 26.5]],
        "bool": number % 2 == 0,
        "date": f"2024-01-0{number + 1}",
        "clock": f"00:00:0{number + 1}",
        "none": None,
        "python_list": "['red', 'blue', 'seven', 'north']",
        "bracket": f"({letter}) {word}",
        "long_text": f"The {word} house stands on a hill. It has {number + 2} doors. Nobody lives there.",
        "url": f"https://example.com/{number}.png",
        "timestamps": [[0.5, 2.5], [3.5, 4.5]],
        "nested_texts": [["red", "blue"], ["seven"]],
        "qa": f"question {number}? yes",
    }
    return made[kind]


def guess(name: str) -> str:
    """Returns the kind that a column of a name most likely has."""
    low = name.lower()
    rules: List[List[str]] = [
        ["images", r"images$|image_list|visuals|frames$"],
        ["image", r"^(decoded_)?image(_?\d+)?$|_image$|^img\d*$|picture|screenshot"],
        ["audio", r"^audio|audio$|context$|^wav$|speech"],
        ["video", r"video|clip"],
        ["options", r"options|choices|candidates|^mc_"],
        ["letter", r"^answer$|label|^gt$|correct|gold|solution|^option_?[a-h]$|^[A-H]$"],
        ["texts", r"answers|references|targets|keywords|captions"],
        ["number", r"index|idx|_id$|^id$|count|num|width|height|year|level|score"],
        ["float", r"start|end|duration|time|seconds"],
        ["box", r"bbox|box"],
    ]
    for kind, pattern in rules:
        if re.search(pattern, low):
            return kind
    return "text"


def decode(value: Any, wrap: Any) -> Any:
    """Turns a value into Python's. `wrap` makes the object of a mapping."""
    if isinstance(value, list):
        return [decode(item, wrap) for item in value]
    if not isinstance(value, dict):
        return value
    if "$image" in value:
        from PIL import Image

        return Image.open(value["$image"]["path"])
    if "$audio" in value:
        return _audio(value["$audio"]["path"])
    if "$float" in value:
        return float(value["$float"])
    if "$bytes" in value:
        return base64.b64decode(value["$bytes"])
    if "$tuple" in value:
        return tuple(decode(item, wrap) for item in value["$tuple"])
    return wrap({key: decode(item, wrap) for key, item in value.items()})


def _audio(path: str) -> Dict[str, Any]:
    import numpy

    with wave.open(path, "rb") as file:
        samples = numpy.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
        return {"array": samples.astype("float32") / 32768, "path": path, "sampling_rate": file.getframerate()}
