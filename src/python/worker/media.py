"""Pictures and recordings: opened from the parent's files, and written to files for the parent."""

from __future__ import annotations

import sys
from typing import Any, Optional

import audio
import pictures


def open_image(path: str) -> Any:
    """Returns a PIL image whose pixels are read when they are first used."""
    return pictures.open_image(path)


def open_audio(path: str) -> Any:
    """Returns a dict as `datasets` gives it, whose samples are read when they are first used."""
    return audio.Recording(path)


def encode(value: Any, folder: str) -> Optional[Any]:
    """Returns the form of a medium, or None for any other value."""
    image = sys.modules.get("PIL.Image")
    if image is not None and isinstance(value, image.Image):
        return {"$image": pictures.write_image(value, folder)}
    if isinstance(value, audio.Recording) or audio.is_recording(value):
        return {"$audio": audio.write_recording(value, folder)}
    return None
