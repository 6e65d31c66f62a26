"""`megabatt.score`: how texts, such as a model's answers, do on a task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from megabatt.codegen.read_python import Reading
from megabatt.codegen.read_text import read_text
from megabatt.reading import speech_of
from megabatt.runtime.arguments import elements, integer
from megabatt.runtime.engine.language.reasons import REASONS
from megabatt.runtime.engine.memory import collector_paused
from megabatt.runtime.megabatch.evaluation import Evaluation, Evaluator
from megabatt.runtime.megabatch.frames import Tabular
from megabatt.runtime.megabatch.pictures import fragment_of, preformatted, table_of
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.printable import printable, short
from megabatt.runtime.program import Program, source_of

MOST_CHARACTERS = 1 << 20
"""A longer text is not read."""


class Score(NamedTuple):
    """How a text does on a task. Shares are from 0 to 1, and 0 if no program was run.

    Attributes:
        program: The name of the program in the text; "" if there is none.
        error: Why no program could be read or run; "" if one was run.
        fits: Whether every demonstration is right.
        demonstrations: The share of the demonstrations that are right.
        cells: The share of right cells, the mean over the demonstrations.
        tests: The share of the tests that are right; None if no test output is known.
        failed: The number of failed operations in all samples, of those that the output needs.
        operation: The first failed operation of the first sample with a failure; "" if none failed.
        reason: Why that operation failed: type, value, limit or arity; "" if none failed.
    """

    program: str
    error: str
    fits: bool
    demonstrations: float
    cells: float
    tests: float | None
    failed: int
    operation: str
    reason: str


class Scores(Tabular):
    """A `Score` for each text, in the order of the texts."""

    def __init__(self, table: pa.Table) -> None:
        """Make scores of a table with the columns of `Score`."""
        self._table = table

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __getitem__(self, place: int) -> Score:
        """Return the score of one text. Raises TypeError and IndexError."""
        place = integer("place", place)
        if not -len(self) <= place < len(self):
            raise IndexError(f"text {short(place)}: there are {len(self)} texts")
        return Score(**self._table.slice(place % len(self), 1).to_pylist()[0])

    def __iter__(self) -> Iterator[Score]:
        return (Score(**row) for row in self._table.to_pylist())

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with a row for each text; the columns are the fields of `Score`."""
        return self._table

    def column(self, name: str) -> np.ndarray[Any, Any]:
        """Return one field of all scores, such as "cells". Raises ValueError for another name."""
        if not isinstance(name, str) or name not in Score._fields:
            raise ValueError(f"column={short(name)} is none of {', '.join(Score._fields)}")
        return self._table[name].to_numpy()  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        run = int((self.column("error") == "").sum())
        fit = int(self.column("fits").sum())
        return f"{len(self):,} texts, {run:,} with a program that was run: {fit:,} fit"

    def _repr_html_(self) -> str:
        first = self._table.slice(0, _MOST_ROWS).to_pylist()
        rows = [list(map(_shown, row.values())) for row in first]
        return fragment_of(preformatted(repr(self)), table_of(Score._fields, rows))


_MOST_ROWS = 50
"""How many scores a notebook shows."""


def _shown(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else "" if value is None else str(value)


def score(
    texts: Iterable[str],
    task: Any,
    *,
    device: str = "auto",
    max_elements: int | None = None,
    memory: int | str | None = None,
    workload: str | Workload[Any] = "arc",
) -> Scores:
    """Score texts, such as a model's answers, on a task.

    Nothing in a text is executed, and no program sees the output that is expected of it. Whatever a
    text contains, it gets a score. Equal texts are read once.

    Args:
        texts: Each the source of one program, also in a Markdown fence. If it has several
            functions, the last one whose name begins with "solve" counts; if there is none, the
            last one.
        task: The samples, in any form that `mb.evaluate` takes.
        device: "auto", "cpu" or "cuda".
        max_elements: The container elements that one operation may build; by default the language's
            limit.
        memory: The memory that values may take, in bytes or as in "2GB"; by default half of the
            free memory.
        workload: The workload whose language the texts are in.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has the right type and a wrong value.
    """
    evaluator = Evaluator(
        task, device=device, max_elements=max_elements, memory=memory, workload=workload,
        blind=True, keeps=False,
    )  # fmt: skip
    read = _Read(evaluator.workload)
    listed = elements("texts", texts, "a list of texts")
    with collector_paused():
        places = [read.place(text) for text in listed]
    evaluation = evaluator.evaluate(read.programs, outputs="none")
    return Scores(_table(evaluation, read, evaluator).take(pa.array(places, pa.int64())))


class _Read:
    """Texts that are read, equal ones once: a program for each, and what is wrong with it."""

    def __init__(self, workload: Workload[Any]) -> None:
        self._speech = speech_of(workload)
        self._places: dict[str, int] = {}
        self.programs: list[Program] = []
        self.errors: list[str] = []

    def place(self, text: Any) -> int:
        """Return the place of a text's program."""
        if not isinstance(text, str):
            return self._add(_NOTHING, f"no text, but {short(text)}")
        if text not in self._places:
            self._places[text] = self._add(*self._read(text))
        return self._places[text]

    def _add(self, program: Program, error: str) -> int:
        self.programs.append(program)
        self.errors.append(printable(error))
        return len(self.programs) - 1

    def _read(self, text: str) -> tuple[Program, str]:
        if len(text) > MOST_CHARACTERS:
            return _NOTHING, f"{len(text):,} characters; {MOST_CHARACTERS:,} are read at most"
        reading = Reading([], [], [])
        read_text("text", text, self._speech, reading, unnamed="program")
        return _chosen(reading)


_SOLVER = "solve"
"""How the names of functions begin that a text is scored by, if it has any such."""
_NOTHING = Program("", (), 0)
"""Stands for the program of a text that has none, or none that can be read."""


def _chosen(reading: Reading) -> tuple[Program, str]:
    """Return the program that a text is scored by, and what is wrong with it, if anything is."""
    right, wrong = reading.programs, reading.errors
    solvers = [read for read in right if read.program.name.startswith(_SOLVER)]
    failed = [error for error in wrong if error.name.startswith(_SOLVER)]
    if solvers or failed:
        right, wrong = solvers, failed
    if right and not (failed and failed[-1].line > right[-1].line_of()):
        return right[-1].program, ""
    if not wrong:
        return _NOTHING, "no program"
    name = wrong[-1].name
    first = next(error for error in wrong if error.name == name)
    return _NOTHING._replace(name=name), f"line {first.line}: {first.message}"


def _table(evaluation: Evaluation, read: _Read, evaluator: Evaluator) -> pa.Table:
    """Return a row for each program."""
    errors = [error or evaluation.errors.get(k, "") for k, error in enumerate(read.errors)]
    ran = np.array([error == "" for error in errors], dtype=np.bool_)
    is_test = evaluator.workload.are_tests(evaluator.samples)
    shown, tests = evaluation.known & ~is_test, evaluation.known & is_test
    right = evaluation.matches & ran[:, None]
    return pa.table({
        "program": pa.array([program.name for program in read.programs], pa.string()),
        "error": pa.array(errors, pa.string()),
        "fits": right[:, shown].all(axis=1) & shown.any(),
        "demonstrations": _mean(right[:, shown]),
        "cells": _mean(evaluation.cells[:, shown] * ran[:, None]),
        "tests": pa.array(_mean(right[:, tests]), mask=np.full(len(ran), not tests.any())),
        "failed": np.where(ran, evaluation.failed.clip(0).sum(axis=1), 0),
        **_first_failures(evaluation),
    })  # fmt: skip


def _first_failures(evaluation: Evaluation) -> dict[str, pa.Array]:
    """Return the columns `operation` and `reason`."""
    rows = np.arange(len(evaluation.programs))
    samples = (evaluation.first_failure >= 0).argmax(axis=1)
    places = evaluation.first_failure[rows, samples].tolist()
    operations = [
        "" if place < 0 else source_of(program.operations[place])
        for program, place in zip(evaluation.programs, places, strict=True)
    ]
    reasons = pa.array(["", *map(str, REASONS)])
    why = np.where(evaluation.failed[rows, samples] < 0, 0, evaluation.reason[rows, samples])
    return {
        "operation": pa.array(operations, pa.string()),
        "reason": reasons.take(pa.array(why)),
    }


def _mean(shares: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the mean of each row; 0 where there are no columns."""
    return shares.sum(axis=1, dtype=np.float64) / max(shares.shape[1], 1)
