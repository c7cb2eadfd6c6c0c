"""A stand-in for the package `datasets`, where it is missing: rows in memory, with the methods that `process_docs` uses."""

from __future__ import annotations

import random
import types
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Union

Row = Dict[str, Any]


class Dataset:
    """Rows in a list. Every method returns a new dataset."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._rows: List[Row] = list(rows)

    @classmethod
    def from_list(cls, rows: Iterable[Row], **_options: Any) -> "Dataset":
        return cls(rows)

    @classmethod
    def from_dict(cls, columns: Dict[str, Sequence[Any]], **_options: Any) -> "Dataset":
        return cls(dict(zip(columns, values)) for values in zip(*columns.values()))

    @property
    def column_names(self) -> List[str]:
        return list(dict.fromkeys(name for row in self._rows for name in row))

    @property
    def features(self) -> Dict[str, Any]:
        return dict.fromkeys(self.column_names)

    @property
    def num_rows(self) -> int:
        return len(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __getitem__(self, key: Union[int, slice, str]) -> Any:
        if isinstance(key, str):
            return [row[key] for row in self._rows]
        if isinstance(key, slice):
            return {name: [row.get(name) for row in self._rows[key]] for name in self.column_names}
        return self._rows[key]

    def to_list(self) -> List[Row]:
        return list(self._rows)

    def map(self, function: Callable[..., Any], with_indices: bool = False, batched: bool = False, remove_columns: Any = (), fn_kwargs: Optional[Row] = None, **_options: Any) -> "Dataset":
        given = fn_kwargs or {}
        removed = set([remove_columns] if isinstance(remove_columns, str) else remove_columns or ())
        if batched:
            changed = function({name: self[name] for name in self.column_names}, **given)
            kept = {} if len(next(iter(changed.values()), [])) != len(self) else {name: self[name] for name in self.column_names}
            columns = {**{name: values for name, values in kept.items() if name not in removed}, **changed}
            return Dataset.from_dict(columns)
        rows = []
        for index, row in enumerate(self._rows):
            changed = function(dict(row), index, **given) if with_indices else function(dict(row), **given)
            base = {name: value for name, value in row.items() if name not in removed}
            rows.append({**base, **(changed or {})})
        return Dataset(rows)

    def filter(self, function: Callable[..., bool], with_indices: bool = False, input_columns: Any = None, fn_kwargs: Optional[Row] = None, **_options: Any) -> "Dataset":
        given = fn_kwargs or {}
        names = [input_columns] if isinstance(input_columns, str) else input_columns

        def is_kept(index: int, row: Row) -> bool:
            values = [row] if names is None else [row[name] for name in names]
            return bool(function(*values, *([index] if with_indices else []), **given))

        return Dataset(row for index, row in enumerate(self._rows) if is_kept(index, row))

    def select(self, indices: Iterable[int], **_options: Any) -> "Dataset":
        return Dataset(self._rows[index] for index in indices)

    def take(self, count: int) -> "Dataset":
        return Dataset(self._rows[:count])

    def skip(self, count: int) -> "Dataset":
        return Dataset(self._rows[count:])

    def shuffle(self, seed: Optional[int] = None, **_options: Any) -> "Dataset":
        """The order differs from that of `datasets`, which shuffles by NumPy. Where NumPy is there, it is the same."""
        order = list(range(len(self)))
        try:
            import numpy
        except ImportError:
            random.Random(seed).shuffle(order)
        else:
            order = numpy.random.default_rng(seed).permutation(len(self)).tolist()
        return self.select(order)

    def sort(self, column: str, reverse: bool = False, **_options: Any) -> "Dataset":
        return Dataset(sorted(self._rows, key=lambda row: row[column], reverse=reverse))

    def unique(self, column: str) -> List[Any]:
        return list(dict.fromkeys(self[column]))

    def rename_column(self, old: str, new: str) -> "Dataset":
        return self.rename_columns({old: new})

    def rename_columns(self, names: Dict[str, str]) -> "Dataset":
        return Dataset({names.get(name, name): value for name, value in row.items()} for row in self._rows)

    def remove_columns(self, names: Union[str, Sequence[str]]) -> "Dataset":
        gone = {names} if isinstance(names, str) else set(names)
        return Dataset({name: value for name, value in row.items() if name not in gone} for row in self._rows)

    def select_columns(self, names: Union[str, Sequence[str]]) -> "Dataset":
        kept = [names] if isinstance(names, str) else list(names)
        return Dataset({name: row[name] for name in kept} for row in self._rows)

    def add_column(self, name: str, values: Sequence[Any], **_options: Any) -> "Dataset":
        return Dataset({**row, name: value} for row, value in zip(self._rows, values))

    def _same(self, *_args: Any, **_options: Any) -> "Dataset":
        return self

    cast = cast_column = with_format = flatten_indices = with_transform = _same


class DatasetDict(dict):  # type: ignore[type-arg]
    """Datasets by the name of their split."""

    def map(self, *args: Any, **options: Any) -> "DatasetDict":
        return DatasetDict({split: dataset.map(*args, **options) for split, dataset in self.items()})

    def filter(self, *args: Any, **options: Any) -> "DatasetDict":
        return DatasetDict({split: dataset.filter(*args, **options) for split, dataset in self.items()})


class _Feature:
    """A type of a column, which rows in memory do not need."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.args = args
        self.options = options


def _concatenated(datasets: Iterable[Dataset], **_options: Any) -> Dataset:
    return Dataset(row for dataset in datasets for row in dataset)


def _refuse(*args: Any, **_options: Any) -> Any:
    raise ImportError(f"datasets.load_dataset{args} needs the package datasets: pip install datasets")


def module() -> types.ModuleType:
    made = types.ModuleType("datasets")
    made.__path__ = []  # type: ignore[attr-defined]
    made.__file__ = __file__
    made.Dataset = made.IterableDataset = Dataset  # type: ignore[attr-defined]
    made.DatasetDict = made.IterableDatasetDict = DatasetDict  # type: ignore[attr-defined]
    for name in ("Image", "Audio", "Video", "Value", "Sequence", "Features", "ClassLabel", "DownloadConfig", "List"):
        setattr(made, name, type(name, (_Feature,), {}))
    made.concatenate_datasets = _concatenated  # type: ignore[attr-defined]
    made.load_dataset = made.load_from_disk = made.get_dataset_config_names = _refuse  # type: ignore[attr-defined]
    return made
