"""Where tasks find the videos of a dataset."""

from __future__ import annotations

import os
from typing import Any, Dict


def get_cache_dir(config: Dict[str, Any], sub_dir: str = "videos") -> str:
    return os.path.join(os.environ["HF_HOME"], config["dataset_kwargs"]["cache_dir"], sub_dir)


def _file(folder: str, name: str, suffix: str) -> str:
    return os.path.abspath(os.path.join(folder, name if name.endswith(suffix) else f"{name}.{suffix}"))


def get_video(prefix: str, video_name: Any, suffix: str = "mp4") -> str:
    """The path of a video, whether its suffix is in upper or lower case."""
    tried = [_file(prefix, str(video_name), each) for each in (suffix, suffix.upper(), suffix.lower())]
    for path in tried:
        if os.path.exists(path):
            return path
    raise FileNotFoundError(f"none of these videos exists: {', '.join(dict.fromkeys(tried))}")
