"""`megabatt.score`: scores texts, such as a model's answers, on a task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property, partial
from operator import getitem
from typing import Any, NamedTuple, overload

import numpy as np
import pyarrow as pa

from megabatt.codegen.errors import ProgramError
from megabatt.codegen.sources.python import Read, Reading, Speech
from megabatt.codegen.sources.text import read_text
from megabatt.reading import speech_of
from megabatt.runtime.arguments import elements, integer
from megabatt.runtime.engine.language.reasons import REASONS
from megabatt.runtime.garbage import no_collection
from megabatt.runtime.megabatch.evaluation import Evaluation, Evaluator
from megabatt.runtime.megabatch.evaluation.result import NONE_KNOWN
from megabatt.runtime.megabatch.frames import Tabular
from megabatt.runtime.megabatch.pictures import fragment_of, preformatted, table_of
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.printable import printable, short
from megabatt.runtime.program import Program, operation_text
from megabatt.runtime.vocabulary import counted, there_are
from megabatt.trying import rank_of

MOST_CHARACTERS = 1 << 20
"""The most characters of a text that is read."""


class Where(NamedTuple):
    """Why and where a text is wrong. failure, line, source: As in `Score`."""

    failure: str = ""
    line: int | None = None
    source: str = ""


@dataclass(frozen=True, repr=False)
class Score:
    """The score of a text on a task. Shares are from 0 to 1, and 0 if no program was run.

    Attributes:
        program: The name of the program in the text; "" if there is none.
        error: Why no program could be read or run, in a line; "" if a program was run.
        fits: Whether every demonstration is right.
        demonstrations: The share of the demonstrations that are right.
        cells: The share of right cells, the mean over the demonstrations.
        tests: The share of the tests that are right; None if no test output is known.
        failed: The number of failed operations that the output needs, in all samples.
        operation: The first failed operation of the first sample with a failure; "" if none failed.
        reason: Why that operation failed: type, value, limit or arity; "" if none failed.
        failure: That failure in a line: "sample 0: crop(I, x, I) failed: `dims` must be an
            IntegerTuple, got a Grid". If no operation failed and no cell is right, the output:
            "sample 0: gives 4, which is no grid"; "" otherwise. The first read of `failure`,
            `line` or `source` runs the operations before the failure again.
        line: The line of the text with the error or the failed operation, from 1; None if there is
            no such line.
        source: The text of that line.
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
    _where: Callable[[], Where] = field(repr=False, compare=False)

    @cached_property
    def _found(self) -> Where:
        return self._where()

    @property
    def failure(self) -> str:
        return self._found.failure

    @property
    def line(self) -> int | None:
        return self._found.line

    @property
    def source(self) -> str:
        return self._found.source

    def __repr__(self) -> str:
        return f"Score({', '.join(f'{name}={getattr(self, name)!r}' for name in _FIELDS)})"

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields to pickle, after looking up where the text is wrong."""
        return {**self.__dict__, "_where": partial(Where, *self._found)}


_WHERE = pa.schema({"failure": pa.string(), "line": pa.int64(), "source": pa.string()})
_FIELDS = (*(one.name for one in fields(Score) if one.repr), *_WHERE.names)


class Scores(Tabular):
    """A `Score` for each text, in the order of the texts."""

    def __init__(
        self, table: pa.Table, where: Callable[[int], Where], can_fit: bool = True
    ) -> None:
        """Make scores.

        Args:
            table: A row for each text, with the fields of `Score` except those of `Where`.
            where: Returns why and where the text of a row is wrong.
            can_fit: Whether the output of a demonstration is known.
        """
        self._table = table
        self._where = where
        self._can_fit = can_fit

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle, after looking up where texts are wrong."""
        found = [self._where(row) for row in range(len(self))]
        return {**self.__dict__, "_where": partial(getitem, found)}

    @overload
    def __getitem__(self, place: int) -> Score: ...
    @overload
    def __getitem__(self, place: slice) -> list[Score]: ...
    def __getitem__(self, place: int | slice) -> Score | list[Score]:
        """Return the score of one text, or of a slice's texts. Raises TypeError and IndexError."""
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(len(self)))]
        place = integer("place", place)
        if not -len(self) <= place < len(self):
            raise IndexError(f"text {short(place)}: {there_are(len(self), 'text')}")
        place %= len(self)
        (row,) = self._table.slice(place, 1).to_pylist()
        return Score(**row, _where=partial(self._where, place))

    def __iter__(self) -> Iterator[Score]:
        for place, row in enumerate(self._table.to_pylist()):
            yield Score(**row, _where=partial(self._where, place))

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with a row for each text and a column for each field of `Score`."""
        table = self._table
        with no_collection():
            found = [self._where(row)._asdict() for row in range(len(self))]
        for name, column in zip(_WHERE.names, pa.Table.from_pylist(found, _WHERE), strict=True):
            table = table.append_column(name, column)
        return table

    def column(self, name: str) -> np.ndarray[Any, Any]:
        """Return one field of all scores, such as "cells". Raises ValueError for another name."""
        if not isinstance(name, str) or name not in _FIELDS:
            raise ValueError(f"column={short(name)} is none of {', '.join(_FIELDS)}")
        table = self.to_arrow() if name in _WHERE.names else self._table
        return table[name].to_numpy()  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        run = int((self.column("error") == "").sum())
        fit = f"{int(self.column('fits').sum()):,} fit" if self._can_fit else NONE_KNOWN
        return f"{counted(len(self), 'text')}, {run:,} with a program that was run: {fit}"

    def _repr_html_(self) -> str:
        first = Scores(self._table.slice(0, _MOST_ROWS), self._where).to_arrow().to_pylist()
        rows = [list(map(_shown, row.values())) for row in first]
        return fragment_of(preformatted(repr(self)), table_of(_FIELDS, rows))


_MOST_ROWS = 50
"""The most scores that a notebook shows."""


def _shown(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else "" if value is None else str(value)


def score(
    texts: Iterable[str],
    task: Any,
    *,
    device: str = "auto",
    max_elements: int | None = None,
    memory: int | str | None = None,
    aliases: Mapping[str, str] | None = None,
    workload: str | Workload[Any] = "arc",
) -> Scores:
    """Score texts, such as a model's answers, on a task.

    Nothing in a text is executed, and C, the expected output, is None. Every text gets a score,
    whatever it contains. Equal texts are read once.

    Args:
        texts: The source of one program each, also in a Markdown fence. If a text has several
            functions, the last one whose name begins with "solve" counts; without such a name, the
            last function counts.
        task: The samples, in any form that `mb.evaluate` takes.
        device: "auto", "cpu" or "cuda".
        max_elements: The container elements that one operation may build; by default the language's
            limit.
        memory: The memory that values may take, in bytes or as in "2GB"; by default half of the
            free memory.
        aliases: Other names for primitives and constants, such as {"vertical_mirror": "vmirror"}.
        workload: The workload whose language the texts are in.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has the right type and a wrong value.
    """
    evaluator = Evaluator(
        task, device=device, max_elements=max_elements, memory=memory, workload=workload,
        blind=True, keeps=False,
    )  # fmt: skip
    read = _Texts(speech_of(evaluator.workload, aliases))
    listed = list(elements("texts", texts, "a list of texts"))
    if listed and all(isinstance(one, Program) for one in listed):
        raise TypeError("texts are programs: megabatt.evaluate takes these, score takes texts")
    with no_collection():
        places = [read.place(text) for text in listed]
    evaluation = evaluator.evaluate([one.program for one in read.texts], outputs="none")
    table = _table(evaluation, read.texts, evaluator).take(pa.array(places, pa.int64()))
    where = cache(partial(_where, evaluation, evaluator, read.texts))
    shown = evaluation.known & ~evaluator.workload.are_tests(evaluator.samples)
    return Scores(table, lambda row: where(places[row]), bool(shown.any()))


class _Text(NamedTuple):
    """A text that was read, with its program or its mistake."""

    text: str
    read: Read | None
    wrong: ProgramError

    @property
    def program(self) -> Program:
        """The program; without one, a program that returns 0."""
        return self.read.program if self.read else Program(self.wrong.name, (), 0)

    @property
    def error(self) -> str:
        return printable(self.wrong.message)


class _Texts:
    """Reads texts; equal texts are read once."""

    def __init__(self, speech: Speech) -> None:
        self._speech = speech
        self._places: dict[str, int] = {}
        self.texts: list[_Text] = []

    def place(self, text: Any) -> int:
        """Return the place of a text among the distinct texts."""
        if not isinstance(text, str):
            return self._add(_Text("", None, _wrong(f"no text, but {short(text)}")))
        if text not in self._places:
            self._places[text] = self._add(_Text(text, *self._read(text)))
        return self._places[text]

    def _add(self, text: _Text) -> int:
        self.texts.append(text)
        return len(self.texts) - 1

    def _read(self, text: str) -> tuple[Read | None, ProgramError]:
        if len(text) > MOST_CHARACTERS:
            most = f"{MOST_CHARACTERS:,} are read at most"
            return None, _wrong(f"{len(text):,} characters; {most}")
        reading = Reading([], [], [])
        read_text("text", text, self._speech, reading, unnamed="program")
        return _chosen(reading)


_SOLVER = "solve"
"""The beginning of the names of the functions that are scored, if a text has such functions."""


def _wrong(message: str) -> ProgramError:
    """Return a mistake of a text as a whole; message "" for none."""
    return ProgramError("text", 0, 0, message)


def _chosen(reading: Reading) -> tuple[Read | None, ProgramError]:
    """Return the program of a text to score, or the text's mistake."""
    right, wrong = reading.programs, reading.errors
    solvers = [read for read in right if read.program.name.startswith(_SOLVER)]
    failed = [error for error in wrong if error.name.startswith(_SOLVER)]
    if solvers or failed:
        right, wrong = solvers, failed
    if right and not (failed and failed[-1].line > right[-1].line_of()):
        return right[-1], _wrong("")
    if not wrong:
        return None, _wrong("no program")
    return None, next(error for error in wrong if error.name == wrong[-1].name)


def _where(
    evaluation: Evaluation, evaluator: Evaluator, texts: Sequence[_Text], place: int
) -> Where:
    """Return why and where the text at a place is wrong."""
    _, read, wrong = texts[place]
    if read is None:
        return Where("", wrong.line or None, wrong.source)
    firsts = evaluation.first_failure[place]
    if not (firsts >= 0).any():
        return Where(_difference(evaluation, evaluator, place))
    sample = int((firsts >= 0).argmax())
    at = read.mistake("", int(firsts[sample]))
    failure = evaluation.failure(place, sample, at.source)
    return Where(f"sample {sample}: {failure}", at.line, at.source)


def _difference(evaluation: Evaluation, evaluator: Evaluator, place: int) -> str:
    """Say how the first output differs from the expected one if no cell of any sample is right."""
    known = evaluation.known & (place not in evaluation.errors)
    if not known.any() or (evaluation.cells + evaluation.matches)[place, known].any():
        return ""
    sample = int(known.argmax())
    alone = Evaluator(
        [evaluator.samples[sample]], max_elements=evaluator.max_elements,
        workload=evaluator.workload, blind=evaluator.blind, device="cpu",
    )  # fmt: skip
    output = alone.evaluate([evaluation.programs[place]], outputs="all").output(0, 0)
    difference = evaluator.workload.shown.difference(output, evaluator.samples[sample].expected)
    return difference and f"sample {sample}: {difference}"


def _table(evaluation: Evaluation, texts: Sequence[_Text], evaluator: Evaluator) -> pa.Table:
    """Return a row for each text, without the fields of `Where`."""
    errors = [text.error or evaluation.errors.get(k, "") for k, text in enumerate(texts)]
    ran = np.array([error == "" for error in errors], dtype=np.bool_)
    is_test = evaluator.workload.are_tests(evaluator.samples)
    rank = rank_of(evaluation, is_test)
    no_tests = not (evaluation.known & is_test).any()
    return pa.table({
        "program": pa.array([program.name for program in evaluation.programs], pa.string()),
        "error": pa.array(errors, pa.string()),
        "fits": (rank.right == 1) & ran,
        "demonstrations": rank.right * ran,
        "cells": rank.cells * ran,
        "tests": pa.array(rank.right_tests * ran, mask=np.full(len(ran), no_tests)),
        "failed": np.where(ran, evaluation.failed.clip(0).sum(axis=1), 0),
        **_first_failures(evaluation),
    })  # fmt: skip


def _first_failures(evaluation: Evaluation) -> dict[str, pa.Array]:
    """Return the columns `operation` and `reason`."""
    rows = np.arange(len(evaluation.programs))
    samples = (evaluation.first_failure >= 0).argmax(axis=1)
    places = evaluation.first_failure[rows, samples].tolist()
    operations = [
        "" if place < 0 else operation_text(program, place)
        for program, place in zip(evaluation.programs, places, strict=True)
    ]
    reasons = pa.array(["", *map(str, REASONS)])
    why = np.where(evaluation.failed[rows, samples] < 0, 0, evaluation.reason[rows, samples])
    return {
        "operation": pa.array(operations, pa.string()),
        "reason": reasons.take(pa.array(why)),
    }
