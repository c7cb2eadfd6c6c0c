"""Where tasks write files for submission."""

from __future__ import annotations

import os
from typing import Any


def generate_submission_file(file_name: str, args: Any, subpath: str = "submissions") -> str:
    """The absolute path of a file below the output folder, or below the working folder. The folder is created."""
    output = None if args is None else args.output_path
    folder = subpath if output is None else os.path.join(output, subpath)
    os.makedirs(folder, exist_ok=True)
    return os.path.abspath(os.path.join(folder, file_name))
