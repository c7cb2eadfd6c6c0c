"""Recordings of docs as `datasets` gives them, and recordings as WAV files."""

from __future__ import annotations

import struct
import sys
import wave
from typing import Any, Dict, Tuple

from pictures import MissingPackage, write_new


class Recording(dict):
    """A dict with `array`, `path` and `sampling_rate`. The file is read at the first access."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._file = path
        self._is_read = False

    def is_untouched(self) -> bool:
        if not self._is_read:
            return True
        if set(dict.keys(self)) != {"array", "path", "sampling_rate"}:
            return False
        array, rate = read(self._file)
        import numpy

        return self["sampling_rate"] == rate and numpy.array_equal(self["array"], array)

    @property
    def file(self) -> str:
        return self._file

    def _read(self) -> None:
        if not self._is_read:
            self._is_read = True
            array, rate = read(self._file)
            for key, value in (("array", array), ("path", self._file), ("sampling_rate", rate)):
                dict.setdefault(self, key, value)

    def __reduce__(self) -> Any:
        return (Recording, (self._file,))


def _reading(name: str) -> Any:
    inherited = getattr(dict, name)

    def method(self: Recording, *args: Any, **kwargs: Any) -> Any:
        self._read()
        return inherited(self, *args, **kwargs)

    method.__name__ = name
    return method


# Every way to look into a dict reads the file first. `__iter__` makes `dict(recording)` and `{**recording}` come this way, too.
for _name in (
    *("__getitem__", "__contains__", "__iter__", "__len__", "__eq__", "__ne__", "__repr__", "__delitem__", "__setitem__"),
    *("get", "keys", "values", "items", "copy", "pop", "popitem", "setdefault", "update"),
):
    setattr(Recording, _name, _reading(_name))


def read(path: str) -> Tuple[Any, int]:
    """Returns the samples of one channel between -1 and 1, and how many there are in a second."""
    try:
        import numpy
    except ImportError as error:
        raise MissingPackage("a recording", "pip install numpy") from error
    try:
        return _read_wav(path, numpy)
    except (wave.Error, EOFError):
        pass
    try:
        import soundfile
    except ImportError as error:
        raise MissingPackage("a recording that is no WAV file", "pip install soundfile") from error
    array, rate = soundfile.read(path)
    return (array.mean(axis=1) if array.ndim > 1 else array), int(rate)


def _read_wav(path: str, numpy: Any) -> Tuple[Any, int]:
    with wave.open(path, "rb") as file:
        channels, width, rate = file.getnchannels(), file.getsampwidth(), file.getframerate()
        data = file.readframes(file.getnframes())
    if width == 1:
        array = (numpy.frombuffer(data, "u1").astype("f8") - 128) / 128
    elif width == 3:
        raw = numpy.frombuffer(data, "u1").reshape(-1, 3)
        whole = numpy.zeros((len(raw), 4), "u1")
        whole[:, 1:] = raw
        array = whole.reshape(-1).view("<i4") / 2.0**31
    else:
        array = numpy.frombuffer(data, f"<i{width}") / 2.0 ** (8 * width - 1)
    return (array.reshape(-1, channels).mean(axis=1) if channels > 1 else array), rate


def is_recording(value: Any) -> bool:
    """Whether a value is a dict of samples and their rate, or such a pair."""
    numpy = sys.modules.get("numpy")
    return (
        numpy is not None
        and isinstance(value, dict)
        and "sampling_rate" in value
        and isinstance(value.get("array"), numpy.ndarray)
    )


def write_recording(value: Any, folder: str) -> Dict[str, Any]:
    """Returns the file of a recording: the parent's if it is unchanged, else a WAV file in the folder."""
    if isinstance(value, Recording) and value.is_untouched():
        return {"path": value.file}
    import numpy

    array = numpy.asarray(value["array"])
    samples = array.astype("<i2") if array.dtype == numpy.int16 else array.astype("<f4")
    # Rows are channels, as `soundfile` and `librosa` have them when they are turned.
    if samples.ndim == 2 and samples.shape[0] < samples.shape[1]:
        samples = samples.T
    channels = 1 if samples.ndim == 1 else samples.shape[1]
    data = _wav(numpy.ascontiguousarray(samples).tobytes(), int(value["sampling_rate"]), channels, samples.dtype.itemsize)
    return {"path": write_new(data, folder, "wav"), "made": True}


def _wav(data: bytes, rate: int, channels: int, width: int) -> bytes:
    """A WAV file of 16-bit integers, or of 32-bit floats so that nothing of such samples is lost."""
    form = 1 if width == 2 else 3
    head = struct.pack("<HHIIHH", form, channels, rate, rate * channels * width, channels * width, 8 * width)
    return b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack("<I", 16) + head + b"data" + struct.pack("<I", len(data)) + data
