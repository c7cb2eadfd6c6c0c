"""Finds media files that a doc names by a relative path."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Iterator, List, Optional, Sequence

_EXTENSIONS = {
    "video": ("mp4", "webm", "mkv", "mov", "avi", "flv", "wmv"),
    "audio": ("wav", "mp3", "m4a", "aac", "flac", "ogg", "opus", "webm"),
}
_FOLDERS = {"video": ("video", "videos", "clips"), "audio": ("audio", "audios", "clips")}


def _roots(media_type: str, cache_dir: Optional[str], env_vars: Sequence[str]) -> Iterator[Path]:
    for name in (*env_vars, "LMMS_EVAL_MEDIA_ROOT"):
        value = os.getenv(name, "").strip()
        if value:
            yield Path(os.path.expanduser(value))
    home = Path(os.path.expanduser(os.getenv("HF_HOME", "").strip() or "~/.cache/huggingface"))
    yield home
    if not cache_dir:
        return
    first, second = home / cache_dir, home / "datasets" / cache_dir
    names = _FOLDERS["audio" if media_type == "audio" else "video"]
    yield from (first, second, *(first / name for name in names), *(second / name for name in names[:2]))


def _variants(path: Path, media_type: str) -> List[Path]:
    """The path with its suffix in other cases, or with each known suffix if it has none."""
    if path.suffix:
        return [path, path.with_suffix(path.suffix.lower()), path.with_suffix(path.suffix.upper())]
    known = _EXTENSIONS["audio" if media_type == "audio" else "video"]
    return [path.with_suffix(f".{suffix}") for each in known for suffix in (each, each.upper())]


def resolve_media_reference(
    reference: Any,
    media_type: str = "video",
    cache_dir: Optional[str] = None,
    env_vars: Sequence[str] = (),
    extra_subdirs: Sequence[str] = (),
) -> Any:
    """The path of the first file that exists. Addresses, values that are no texts and files that are not found stay as they are."""
    if not isinstance(reference, str) or not reference.strip():
        return reference
    value = reference.strip()
    if value.lower().startswith(("http://", "https://")):
        return reference
    for given in (Path(os.path.expanduser(value)), Path(value)):
        if given.exists():
            return str(given)
    for root in _roots(media_type, cache_dir, env_vars):
        for folder in (root, *(root / name for name in extra_subdirs if name)):
            for name in (value, os.path.basename(value)):
                for path in _variants(folder / name, media_type):
                    if path.exists():
                        return str(path)
    return reference
