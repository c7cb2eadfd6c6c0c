"""Python values as JSON, and back. An object with one key that begins with `$` stands for a value that JSON has not."""

from __future__ import annotations

import base64
import datetime
import decimal
import json
import math
import pathlib
import sys
from typing import Any, Callable, Dict, List, Optional

import media
import pictures

_LARGEST = 2**53 - 1
_TEXTS = (str, bool, type(None))


def decode(value: Any) -> Any:
    """Turns a value of a message into Python's. Pictures and recordings are opened when they are first used."""
    kind = type(value)
    if kind is dict:
        if len(value) == 1:
            (key,) = value
            if key[:1] == "$":
                decoder = _DECODERS.get(key)
                if decoder is None:
                    raise TypeError(f"a value of the unknown form {key}")
                return decoder(value[key])
        return {key: item if type(item) in _TEXTS else decode(item) for key, item in value.items()}
    if kind is list:
        return [item if type(item) in _TEXTS else decode(item) for item in value]
    return value


def _array(value: Dict[str, Any]) -> Any:
    import numpy

    data = base64.b64decode(value["data"])
    return numpy.frombuffer(data, dtype=value["dtype"]).reshape(value["shape"]).copy()


def _datetime(value: Any) -> datetime.datetime:
    """A text, or a text with the name of its time zone."""
    if isinstance(value, str):
        return datetime.datetime.fromisoformat(_iso(value))
    return datetime.datetime.fromisoformat(_iso(value[0])).astimezone(_zone(value[1]))


def _zone(name: str) -> datetime.tzinfo:
    import zoneinfo

    try:
        return zoneinfo.ZoneInfo(name)
    except zoneinfo.ZoneInfoNotFoundError as error:
        raise pictures.MissingPackage(f"the time zone {name}", "pip install tzdata") from error


def _pandas(value: List[str]) -> Any:
    """A time with nanoseconds. Without pandas it is a datetime if it can be one, as pyarrow gives it."""
    kind, text, *zone = value
    try:
        import pandas
    except ImportError as error:
        if kind == "Timestamp" and len(text.partition(".")[2].split("+")[0].split("-")[0]) <= 6:
            return _datetime([text, *zone] if zone else text)
        raise pictures.MissingPackage("a time with nanoseconds", "pip install pandas") from error
    found = getattr(pandas, kind)(text)
    return found.tz_convert(zone[0]) if zone else found


_DECODERS: Dict[str, Callable[[Any], Any]] = {
    "$float": float,
    "$int": int,
    "$bytes": base64.b64decode,
    "$datetime": _datetime,
    "$date": datetime.date.fromisoformat,
    "$time": lambda text: datetime.time.fromisoformat(_iso(text)),
    "$timedelta": lambda parts: datetime.timedelta(*parts),
    "$pandas": _pandas,
    "$decimal": decimal.Decimal,
    "$tuple": lambda items: tuple(decode(items)),
    "$set": lambda items: set(decode(items)),
    "$dict": lambda pairs: {decode(key): decode(item) for key, item in pairs},
    "$array": _array,
    "$image": lambda value: media.open_image(value["path"]),
    "$audio": lambda value: media.open_audio(value["path"]),
    "$file": lambda path: path,
}


def _iso(text: str) -> str:
    """Python before 3.11 does not read `Z`."""
    if text.endswith("Z"):
        text = text[:-1] + "+00:00"
    return text


def encode(value: Any, folder: str) -> Any:
    """Turns a Python value into what a message holds.

    Raises TypeError with the type and the path of a value that has no form.
    """
    try:
        return _encode(value, folder)
    except _Unknown as unknown:
        path = "".join(reversed(unknown.path))
        where = f" at {path}" if path else ""
        raise TypeError(f"a value of type {unknown.kind}{where} cannot be stored") from None
    except RecursionError:
        raise TypeError("a value contains itself or is nested too deeply") from None


class _Unknown(Exception):
    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind
        self.path: List[str] = []


def _encode(value: Any, folder: str) -> Any:
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if kind is int:
        return value if -_LARGEST <= value <= _LARGEST else {"$int": str(value)}
    if kind is float:
        return _float(value)
    if kind is list:
        return _items(value, folder)
    if kind is dict:
        return _dict(value, folder)
    return _other(value, folder)


def _float(value: float) -> Any:
    if value % 1 != 0 and math.isfinite(value):
        return value
    return {"$float": repr(value)}


def _items(values: Any, folder: str) -> List[Any]:
    encoded = []
    try:
        for item in values:
            encoded.append(item if type(item) is str else _encode(item, folder))
    except _Unknown as unknown:
        unknown.path.append(f"[{len(encoded)}]")
        raise
    return encoded


def _dict(value: Dict[Any, Any], folder: str) -> Any:
    if "sampling_rate" in value and "array" in value:
        medium = media.encode(value, folder)
        if medium is not None:
            return medium
    encoded = {}
    key: Any = None
    try:
        for key, item in value.items():
            if type(key) is not str:
                return {"$dict": [_items(pair, folder) for pair in value.items()]}
            encoded[key] = item if type(item) is str else _encode(item, folder)
    except _Unknown as unknown:
        unknown.path.append(f"[{key!r}]")
        raise
    if len(encoded) == 1 and key[:1] == "$":
        return {"$dict": [[key, encoded[key]]]}
    return encoded


def _other(value: Any, folder: str) -> Any:
    """Values of less frequent types, and of subclasses such as enumerations and named tuples."""
    medium = media.encode(value, folder)
    if medium is not None:
        return medium
    for kinds, encoder in _ENCODERS:
        if isinstance(value, kinds):
            return encoder(value, folder)
    found = _numbers(value, folder)
    if found is None:
        raise _Unknown(f"{type(value).__module__}.{type(value).__qualname__}".replace("builtins.", ""))
    return found[0]


def _bytes(value: Any, _folder: str) -> Any:
    return {"$bytes": base64.b64encode(bytes(value)).decode("ascii")}


def _sorted_set(value: Any, folder: str) -> Any:
    """Sets have no order, so their items are sorted: equal sets have equal texts."""
    items = _items(value, folder)
    return {"$set": sorted(items, key=lambda item: json.dumps(item, sort_keys=True))}


def _moment(value: datetime.datetime) -> Any:
    # The zones of `zoneinfo` have a key, those of pytz a zone.
    name = getattr(value.tzinfo, "key", None) or getattr(value.tzinfo, "zone", None)
    zone = [name] if isinstance(name, str) else []
    if type(value).__module__.startswith("pandas"):
        return {"$pandas": ["Timestamp", str(value), *zone]}
    return {"$datetime": [value.isoformat(), *zone] if zone else value.isoformat()}


def _duration(value: datetime.timedelta) -> Any:
    if type(value).__module__.startswith("pandas"):
        return {"$pandas": ["Timedelta", str(value)]}
    return {"$timedelta": [value.days, value.seconds, value.microseconds]}


_ENCODERS: "list[tuple[Any, Callable[[Any, str], Any]]]" = [
    (str, lambda value, folder: str.__str__(value)),
    (int, lambda value, folder: _encode(int(value), folder)),
    (float, lambda value, folder: _float(float(value))),
    (tuple, lambda value, folder: {"$tuple": _items(value, folder)}),
    (dict, _dict),
    (list, _items),
    ((bytes, bytearray, memoryview), _bytes),
    ((set, frozenset), _sorted_set),
    (datetime.datetime, lambda value, folder: _moment(value)),
    (datetime.date, lambda value, folder: {"$date": value.isoformat()}),
    (datetime.time, lambda value, folder: {"$time": value.isoformat()}),
    (datetime.timedelta, lambda value, folder: _duration(value)),
    (pathlib.PurePath, lambda value, folder: str(value)),
    (decimal.Decimal, lambda value, folder: {"$decimal": str(value)}),
    ((type({}.keys()), type({}.values()), range), _items),
]


def _numbers(value: Any, folder: str) -> "Optional[list[Any]]":
    """Values of numpy and torch, if these are loaded. The value is in a list, because None is a value, too."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, getattr(torch, "Tensor", ())):
        return [_encode(value.detach().cpu().tolist(), folder)]
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    if isinstance(value, numpy.generic):
        return [_encode(value.item(), folder)]
    if isinstance(value, numpy.ndarray):
        if value.dtype.kind not in "biufc":
            return [_encode(value.tolist(), folder)]
        data = numpy.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
        text = base64.b64encode(data.tobytes()).decode("ascii")
        return [{"$array": {"dtype": data.dtype.name, "shape": list(value.shape), "data": text}}]
    return None
