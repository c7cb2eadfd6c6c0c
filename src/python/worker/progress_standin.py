"""A stand-in for the package `tqdm`: it shows no progress."""

from __future__ import annotations

import types
from typing import Any, Iterable, Iterator


class Progress:
    """Goes through what it was given."""

    def __init__(self, iterable: Iterable[Any] = (), *_args: Any, total: Any = None, **_options: Any) -> None:
        self._iterable = iterable
        self.n, self.total = 0, total

    def __iter__(self) -> Iterator[Any]:
        return iter(self._iterable)

    def __len__(self) -> int:
        return len(self._iterable)  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        return True

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_error: Any) -> None:
        return None

    def update(self, count: int = 1) -> None:
        self.n += count

    def _drop(self, *_args: Any, **_options: Any) -> None:
        return None

    set_description = set_description_str = set_postfix = set_postfix_str = refresh = reset = close = clear = _drop

    @staticmethod
    def write(text: Any, *_args: Any, **_options: Any) -> None:
        print(text)


def module() -> types.ModuleType:
    made = types.ModuleType("tqdm")
    made.__file__ = __file__
    made.tqdm = Progress  # type: ignore[attr-defined]
    made.trange = lambda *args, **options: Progress(range(*args), **options)  # type: ignore[attr-defined]
    return made
