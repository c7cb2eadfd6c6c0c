"""The helpers of `lmms_eval.utils` that tasks import."""

from __future__ import annotations

import os
import re
from typing import Optional

from loguru import logger as eval_logger

__all__ = ["eval_logger", "resolve_cache_dir", "sanitize_model_name"]

_UNSAFE = re.compile(r'["<>:/|\\?*\[\]]+')


def resolve_cache_dir(cache_dir: str, base_dir: Optional[str] = None) -> str:
    """Expands variables and `~`. A relative folder lies below `base_dir` if that is given."""
    expanded = os.path.expanduser(os.path.expandvars(cache_dir))
    return expanded if base_dir is None else os.path.join(base_dir, expanded)


def sanitize_model_name(model_name: str, full_path: bool = False) -> str:
    """Makes a file name of a model's name, of which the last two parts are kept."""
    kept = model_name if full_path else "/".join(model_name.split("/")[-2:])
    return _UNSAFE.sub("__", kept)
