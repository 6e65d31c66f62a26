"""The results of programs on samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from megabatt.runtime.arguments import integer
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.megabatch.evaluation.explained import why_last_fails
from megabatt.runtime.megabatch.evaluation.judging import ResultTable
from megabatt.runtime.megabatch.evaluation.merged import Merged
from megabatt.runtime.megabatch.evaluation.outputs import Bits
from megabatt.runtime.megabatch.evaluation.traced import Trace
from megabatt.runtime.megabatch.frames import Tabular
from megabatt.runtime.megabatch.panels import output_panel, sample_row
from megabatt.runtime.megabatch.pictures import Row, fragment_of, preformatted, table_of
from megabatt.runtime.megabatch.trace import trace_of_program
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.merging import number_calls, without_dead
from megabatt.runtime.printable import printable, short
from megabatt.runtime.program import Program, cut_call, operation_text
from megabatt.runtime.vocabulary import counted


class EvaluationCall(NamedTuple):
    """The data that all evaluations of a call share; see `Evaluation`.

    programs: The number of evaluated programs. blind: Whether programs read None for the expected
    output. outputs: The outputs to keep, one of `OUTPUTS`.
    """

    programs: int
    workload: Workload[Any]
    max_elements: int
    blind: bool
    outputs: str
    seen: int
    host_share: float
    seconds: float
    checking_seconds: float


@dataclass(eq=False, repr=False)
class Evaluation(Tabular):
    """The results of programs on samples.

    Attributes:
        programs: The evaluated programs.
        errors: Why programs were not run, by the program's place.
    """

    programs: Sequence[Program]
    errors: dict[int, str]
    _table: ResultTable
    _part: slice
    """The samples' places in the table."""
    _samples: Sequence[Any]
    _call: EvaluationCall

    @cached_property
    def _results(self) -> ResultTable:
        return self._table.of(self._part)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle, with only this evaluation's part of the table."""
        return {**self.__dict__, "_table": self._results, "_part": slice(None)}

    @cached_property
    def operations(self) -> int:
        """The number of distinct operations that the outputs of all programs need."""
        with self._call.workload.language.in_use():
            merged = Merged(self._call.workload, self._call.max_elements, self._call.blind)
            return merged.count_operations(merged.add(self.programs))

    @property
    def seen(self) -> int:
        """The number of these operations that the evaluator keeps from earlier calls.

        Several threads that share the programs of a call keep none.
        """
        return self._call.seen

    @property
    def host_share(self) -> float:
        """The share of calls that Python computed; a call is an operation on one sample."""
        return self._call.host_share

    @property
    def seconds(self) -> float:
        """The seconds of the whole call, which may have evaluated other programs too."""
        return self._call.seconds

    @property
    def checking_seconds(self) -> float:
        """The part of `seconds` for checking and merging the programs, on average of threads."""
        return self._call.checking_seconds

    @property
    def known(self) -> Bits:
        """bool (samples,): whether the expected output is known."""
        return self._results.known

    @property
    def matches(self) -> Bits:
        """bool (programs, samples): whether the output equals the expected output."""
        return self._results.matches

    @property
    def cells(self) -> Bits:
        """float32 (programs, samples): the share of right cells; 0 for a grid whose size is wrong,
        and where no output is known."""
        return self._results.cells

    @property
    def closeness(self) -> Bits | None:
        """float32 (programs, samples): how close the output comes to the expected output, from 0
        to 1; None if the call did not ask for closeness."""
        return self._results.closeness

    @property
    def failed(self) -> Bits:
        """int64 (programs, samples): the number of failed operations; -1 where the program was not
        run."""
        return self._results.failed

    @property
    def first_failure(self) -> Bits:
        """int32 (programs, samples): the place of the first failed operation that the output needs,
        counted from 0; -1 where none failed."""
        return self._results.first_failure

    @property
    def reason(self) -> Bits:
        """uint8 (programs, samples): the `Reason` of the first failure."""
        return self._results.reason

    @cached_property
    def fits(self) -> Bits:
        """bool (programs,): whether every known output is right; False if no output is known."""
        if not self.known.any():
            return np.zeros(len(self.programs), dtype=np.bool_)
        return np.array(self.matches[:, self.known].all(axis=1), dtype=np.bool_)

    @cached_property
    def limited(self) -> Bits:
        """bool (programs,): whether only the limit on elements prevents a program from fitting.

        Every known output is right, except where the first failed operation failed by the limit.
        """
        by_limit = self.reason[:, self.known] == Reason.LIMIT
        spared = (self.matches[:, self.known] | by_limit).all(axis=1)
        return np.array(spared & by_limit.any(axis=1) & ~self.fits, dtype=np.bool_)

    def output(self, program: int, sample: int) -> Any:
        """Return the output of a program on a sample, as a plain value.

        Args:
            program: The program's place; below 0 it counts from the end.
            sample: The sample's place; below 0 it counts from the end.

        Raises:
            TypeError: A place is not an integer.
            LookupError: There is no such output, or it was not kept (see `outputs`).
        """
        program, sample = self._place(program, sample)
        if self.failed[program, sample] < 0:
            raise LookupError(f"program {program} was not run on sample {sample}")
        if (program, sample) not in self._results.outputs:
            raise LookupError(
                f"the output of program {program} on sample {sample} was not kept "
                f"(outputs={self._call.outputs!r}); outputs='all' keeps every one"
            )
        return self._results.outputs[program, sample]

    def trace(self, program: int, sample: int) -> Trace:
        """Run a program on a sample once more, and return the value of every operation.

        Args:
            program: The program's place; below 0 it counts from the end.
            sample: The sample's place; below 0 it counts from the end.

        Raises:
            TypeError: A place is not an integer.
            LookupError: There is no such program or sample, or the program was not run.
        """
        program, sample = self._place(program, sample)
        return self._traced(self.programs[program], sample)

    def failure(self, program: int, sample: int, line: str = "") -> str:
        """Say why the first failed operation that the output needs failed; "" if none failed.

        An example is "crop(I, x, I) failed: `dims` must be an IntegerTuple, got a Grid". The failed
        operation and the operations that it needs run once more.

        Args:
            program: The program's place; below 0 it counts from the end.
            sample: The sample's place; below 0 it counts from the end.
            line: The line of the source, if it is shown too. A call of a function that it does not
                name, such as of a loop, is then "a step in this code".

        Raises:
            TypeError: A place is not an integer.
            LookupError: There is no such program or sample, or the program was not run.
        """
        program, sample = self._place(program, sample)
        place = int(self.first_failure[program, sample])
        if place < 0:
            return ""
        if line.split()[:1] == ["raise"]:
            return "this line raises an exception"
        primitives = self._call.workload.language.primitives
        operations = number_calls(self.programs[program], primitives).operations[: place + 1]
        leading = without_dead(Program("", operations, operations[-1][0]))
        why = why_last_fails(
            self._call.workload, leading, self._seen(sample), self._call.max_elements
        )
        reason = why or str(Reason(self.reason[program, sample]))
        call = operation_text(self.programs[program], place).split(" = ", 1)[-1]
        is_there = not line or call.partition("(")[0] in line
        what = cut_call(call) if is_there else "a step in this code"
        return printable(f"{what} failed: {reason}")

    def _traced(self, program: Program, place: int) -> Trace:
        """Trace a program on the sample at `place`."""
        workload, limit = self._call.workload, self._call.max_elements
        steps, output = trace_of_program(workload.language, program, self._seen(place), limit)
        return Trace(program, self._samples[place], steps, output, workload)

    def _seen(self, place: int) -> Any:
        """Return the sample at `place` as the programs saw it."""
        sample = self._samples[place]
        return self._call.workload.unanswered(sample) if self._call.blind else sample

    def _place(self, program: int, sample: int) -> tuple[int, int]:
        """Return the places of a program and a sample, counted from the beginning.

        Raises TypeError, and LookupError for a missing place or a program that was not run.
        """
        program = integer("program", program)
        sample = integer("sample", sample)
        programs, samples = self.matches.shape
        if not (-programs <= program < programs and -samples <= sample < samples):
            where = f"program {short(program)} on sample {short(sample)}"
            raise LookupError(
                f"{where}: there are {counted(programs, 'program')} "
                f"and {counted(samples, 'sample')}"
            )
        program, sample = program % programs, sample % samples
        if program in self.errors:
            raise LookupError(f"program {program} was not run: {self.errors[program]}")
        return program, sample

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with a row for each program and sample, program by program.

        The columns are `program` and `place`, the program's name and place; the sample's columns,
        as in the workload's `sample_fields`; `matches`, `cells` and `closeness`, null where no
        output is known or the program was not run; `failed`, the number of failed operations;
        `first_failure`, `operation` and `reason`, the first failed operation's place, its source,
        and why it failed, null where none failed; `error`, why the program was not run; and the
        output, as in the workload's `output_fields`, null where it was not kept.
        """
        workload, (programs, samples) = self._call.workload, self.matches.shape
        names = pa.array([program.name for program in self.programs], pa.string())
        places = pa.array(np.repeat(np.arange(programs, dtype=np.int32), samples))
        of_samples = pa.array(np.tile(np.arange(samples), programs))
        arrays = workload.sample_arrays(list(self._samples))
        not_run = self.failed < 0
        unknown = (~self.known | not_run).ravel()
        closeness = np.zeros_like(self.cells) if self.closeness is None else self.closeness
        errors = pa.array([self.errors.get(k) for k in range(programs)], pa.string())
        columns = {
            "program": names.take(places).dictionary_encode(),
            "place": places,
            **_named(workload.sample_fields, [array.take(of_samples) for array in arrays]),
            "matches": pa.array(self.matches.ravel(), mask=unknown),
            "cells": pa.array(self.cells.ravel(), mask=unknown),
            "closeness": pa.array(closeness.ravel(), mask=unknown | (self.closeness is None)),
            "failed": pa.array(self.failed.ravel(), mask=not_run.ravel()),
            **self._first_failures(),
            "error": errors.take(places),
            **_named(workload.output_fields, self._results.outputs.arrays(workload)),
        }
        return pa.table(columns)

    def _first_failures(self) -> dict[str, pa.Array]:
        """Return the columns of `to_arrow` that describe first failures."""
        firsts = self.first_failure.ravel()
        longest = max((len(program.operations) for program in self.programs), default=0) + 1
        keys = np.repeat(np.arange(len(self.programs)) * longest, len(self.known)) + firsts
        distinct, which = np.unique(keys[firsts >= 0], return_inverse=True)
        texts = [
            operation_text(self.programs[program], place)
            for program, place in zip(*np.divmod(distinct, longest), strict=True)
        ]
        of_rows = np.zeros(len(firsts), dtype=np.int64)
        of_rows[firsts >= 0] = which
        reasons = pa.array([str(reason) for reason in Reason])
        why = self.reason.ravel()
        return {
            "first_failure": pa.array(firsts, mask=firsts < 0),
            "operation": pa.array(texts, pa.string()).take(pa.array(of_rows, mask=firsts < 0)),
            "reason": reasons.take(pa.array(why, mask=why == Reason.NONE)),
        }

    def __repr__(self) -> str:
        return "\n".join(map(printable, self._lines()))

    def _lines(self) -> list[str]:
        programs, samples = self.matches.shape
        rate = self._call.programs / self.seconds if self.seconds else 0
        speed = f"{self.seconds:.2f} s ({counted(round(rate), 'program')} a second)"
        if programs != self._call.programs:
            speed = f"a call for {counted(self._call.programs, 'program')} of {speed}"
        lines = [
            f"{counted(programs, 'program')} on {counted(samples, 'sample')} "
            f"in {speed}: "
            + (f"{int(self.fits.sum()):,} fit" if self.known.any() else NONE_KNOWN),
            f"{counted(self.operations, 'operation')}, {self.seen:,} of them seen before; "
            f"{100 * self.host_share:.2f} % of the calls computed by Python",
        ]
        if self.errors:
            first = min(self.errors)
            name = self.programs[first].name
            lines.append(
                f"{counted(len(self.errors), 'program')} not run; "
                f"the first, {name}: {self.errors[first]}"
            )
        best = self._best()
        if best:
            lines.append("best: " + ", ".join(best))
        return lines

    def _best(self) -> list[str]:
        right = self.matches.sum(axis=1)
        of = int(self.known.sum())
        return [f"{self.programs[k].name} {right[k]}/{of}" for k in self._ranked(5) if right[k]]

    def _ranked(self, most: int) -> list[int]:
        """Return the places of the best programs that were run, the best first."""
        close = self.cells.sum(axis=1) if self.closeness is None else self.closeness.sum(axis=1)
        order = np.lexsort((-close, -self.matches.sum(axis=1)))
        return [k for k in order.tolist() if k not in self.errors][:most]

    def _repr_html_(self) -> str:
        best = self._ranked(_MOST_ROWS)
        head = ["program", "right", "cells", "failed operations", "the first of them"]
        table = table_of(head, map(self._table_row, best))
        return fragment_of(preformatted(repr(self)), table, self._drawn(best[:1]))

    def _table_row(self, program: int) -> list[str]:
        known = self.known
        cells = f"{100 * self.cells[program, known].mean():.0f} %" if known.any() else ""
        return [
            self.programs[program].name,
            f"{self.matches[program].sum()}/{known.sum()}",
            cells,
            str(self.failed[program].clip(0).sum()),
            self._first_failure(program),
        ]

    def _first_failure(self, program: int) -> str:
        """Say which operation failed first, and why, on the first sample with a failure."""
        failed = np.flatnonzero(self.first_failure[program] >= 0)
        if not len(failed):
            return ""
        place, reason = (of[program, failed[0]] for of in (self.first_failure, self.reason))
        return f"{operation_text(self.programs[program], place)} ({Reason(reason)})"

    def _drawn(self, programs: Sequence[int]) -> list[Row]:
        """Draw the first samples, with the kept outputs of some programs."""
        workload, outputs = self._call.workload, self._results.outputs
        return [
            sample_row(workload, sample, *(
                output_panel(workload, self.programs[k].name, outputs[k, place], sample.expected)
                for k in programs if (k, place) in outputs
            ))
            for place, sample in enumerate(self._samples[:_MOST_DRAWN])
        ]  # fmt: skip


NONE_KNOWN = "no expected output is known, so none can fit"
_MOST_ROWS, _MOST_DRAWN = 20, 6
"""The most programs and samples that a notebook shows."""


def _named(fields: Iterable[pa.Field], arrays: Iterable[pa.Array]) -> dict[str, pa.Array]:
    return {field.name: array for field, array in zip(fields, arrays, strict=True)}
