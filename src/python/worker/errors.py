"""Exceptions of users' code as plain data."""

from __future__ import annotations

import os
import sysconfig
import traceback
from typing import Any, Dict, List, Optional

_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep
_INSTALLED = tuple(
    {
        os.path.realpath(path) + os.sep
        for name in ("stdlib", "platstdlib", "purelib", "platlib")
        for path in [sysconfig.get_paths().get(name)]
        if path
    }
)

#: Packages whose name differs from that of their module.
DISTRIBUTIONS = {
    "azure": "azure-identity azure-ai-inference",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python-headless",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "fitz": "PyMuPDF",
    "git": "GitPython",
    "google": "google-generativeai",
    "levenshtein": "Levenshtein",
    "lmms_eval": "--no-deps lmms-eval",
    "math_verify": "math-verify",
    "PIL": "Pillow",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "PyYAML",
}


class TimeLimit(BaseException):
    """A call took too long. It is no Exception, so that `except Exception` in users' code does not catch it."""


#: Folders of users' code, which may lie within an installed package (`lmms_eval/tasks`).
users_folders: List[str] = []


def is_users(file: str) -> bool:
    """Whether a file belongs to users' code: not to Python, an installed package or this program."""
    if file.startswith("<"):
        return False
    real = os.path.realpath(file)
    if any(real.startswith(folder) for folder in users_folders):
        return True
    return not real.startswith(_OWN) and not real.startswith(_INSTALLED) and "site-packages" not in real


def _frames(error: BaseException) -> List[Any]:
    return [frame for frame in traceback.extract_tb(error.__traceback__) if is_users(frame.filename)]


def _place(frame: Any) -> str:
    return f"{os.path.basename(frame.filename)}:{frame.lineno}"


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as unprintable:  # An exception's own __str__ may fail.
        return f"(its text cannot be shown: {type(unprintable).__name__})"


def _missing(error: Optional[BaseException]) -> Optional[str]:
    while error is not None:
        told = getattr(error, "missing", None)
        if isinstance(told, str):
            return told
        if isinstance(error, ModuleNotFoundError) and error.name:
            module = error.name.partition(".")[0]
            # A file beside the code is no package, and installing one of its name would be wrong.
            if any(os.path.exists(os.path.join(folder, f"{module}.py")) for folder in users_folders):
                return None
            return f"pip install {DISTRIBUTIONS.get(module, module)}"
        # The folders of stand-ins have few of the names of lmms-eval's.
        if type(error) is ImportError and (error.name or "").startswith("lmms_eval.") and (error.path or _OWN).startswith(_OWN):
            return f"pip install {DISTRIBUTIONS['lmms_eval']}"
        error = error.__cause__ or error.__context__
    return None


def describe(error: BaseException) -> Dict[str, Any]:
    """Returns type, message and place of an exception, and the lines of users' code that led to it."""
    trace: List[str] = []
    place: Optional[str] = None
    current: Optional[BaseException] = error
    seen = set()
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        frames = _frames(current)
        if current is not error:
            trace.append(f"caused by {type(current).__name__}: {_text(current)}")
        trace += [f"{_place(frame)} in {frame.name}" for frame in frames]
        if place is None and frames:
            place = _place(frames[-1])
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    if isinstance(error, SyntaxError) and error.filename and is_users(error.filename):
        place = f"{os.path.basename(error.filename)}:{error.lineno}"
    found: Dict[str, Any] = {"type": type(error).__name__, "message": _text(error)}
    if place is not None:
        found["place"] = place
    if trace:
        found["trace"] = trace[-50:]
    missing = _missing(error)
    if missing is not None:
        found["missing"] = missing
    return found
