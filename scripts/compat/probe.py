"""A doc that says which columns a function reads, and the constants of a function's module that a column may hold."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Any, Callable, Dict, List, Tuple

Path = Tuple[Any, ...]


class Missing(KeyError):
    """A function read a column that the doc does not have."""

    def __init__(self, path: Path) -> None:
        super().__init__(path[-1])
        self.path = path


class Probe(dict):  # type: ignore[type-arg]
    """A mapping that records what is read."""

    #: Whether `key in doc` counts as reading the column.
    records_tests = False

    def __init__(self, values: Dict[str, Any], path: Path, seen: List[Path]) -> None:
        super().__init__(values)
        self._path = path
        self._seen = seen
        for key, value in values.items():
            _name(value, (*path, key))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            self._seen.append((*self._path, key))
            if key not in self.keys():
                raise Missing((*self._path, key))
        return super().__getitem__(key)

    def get(self, key: Any, default: Any = None) -> Any:
        if isinstance(key, str):
            self._seen.append((*self._path, key))
        return super().get(key, default)

    def __contains__(self, key: Any) -> bool:
        if Probe.records_tests and isinstance(key, str):
            self._seen.append((*self._path, key))
        return super().__contains__(key)

    def placed(self, path: Path) -> None:
        self._path = path
        for key, value in self.items():
            _name(value, (*path, key))


def _name(value: Any, path: Path) -> None:
    if isinstance(value, Probe):
        value.placed(path)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _name(item, (*path, index))


def wrapper(seen: List[Path]) -> Callable[[Dict[str, Any]], Probe]:
    return lambda values: Probe(values, (), seen)


def put(doc: Dict[str, Any], path: Path, value: Any) -> None:
    """Sets a column. In a list of mappings each item gets it, so that the items are alike."""
    at: Any = doc
    for index, key in enumerate(path[:-1]):
        if isinstance(at, list):
            for item in at:
                put(item, path[index + 1 :], value)
            return
        at = at[key]
    if isinstance(at, list):
        return
    at[path[-1]] = value


@lru_cache(maxsize=None)
def constants(path: str) -> Tuple[str, ...]:
    """Returns the short texts that a module compares values with or looks them up by."""
    try:
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, UnicodeDecodeError):
        return ()
    found: Dict[str, None] = {}
    for node in ast.walk(tree):
        values: List[Any] = []
        if isinstance(node, ast.Compare):
            values = [node.left, *node.comparators]
            values += [item for one in values if isinstance(one, (ast.List, ast.Set, ast.Tuple)) for item in one.elts]
        elif isinstance(node, ast.Dict):
            values = list(node.keys)
        for one in values:
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and 0 < len(one.value) < 60:
                found.setdefault(one.value)
    return tuple(found)[:80]
