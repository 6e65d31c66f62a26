"""A program's operations on one sample, shown as text or pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from megabatt.runtime.megabatch.panels import output_panel, sample_row, step_rows
from megabatt.runtime.megabatch.pictures import Row, fragment_of, preformatted, text_of
from megabatt.runtime.megabatch.trace import Step
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program
from megabatt.runtime.vocabulary import counted


@dataclass(frozen=True, repr=False)
class Trace:
    """The operations of a program on one sample, each with its value.

    Printing a trace shows each operation with its value below; a notebook shows pictures.

    Attributes:
        program: The program.
        sample: The sample.
        steps: The operations, each a `Step`.
        output: The output of the program.
    """

    program: Program
    sample: Any
    steps: Sequence[Step]
    output: Any
    _workload: Workload[Any] = field(repr=False)

    def rows(self) -> list[Row]:
        """Draw the sample with the output, and the value of every operation."""
        failed = ", ".join(f"{step.name} ({step.reason})" for step in self.steps if step.failure)
        workload, name, expected = self._workload, self.program.name, self.sample.expected
        predicted = output_panel(workload, name, self.output, expected, failed)
        first = sample_row(workload, self.sample, predicted)
        return [first, *step_rows(workload, self.steps, self.sample)]

    def __repr__(self) -> str:
        return text_of(self.rows())

    def _repr_html_(self) -> str:
        rows = self.rows()
        more = len(rows) - _MOST_ROWS
        rest = f"{counted(more, 'more operation')}; print shows all"
        return fragment_of(rows[:_MOST_ROWS], preformatted(rest) if more > 0 else "")


_MOST_ROWS = 300
"""The most rows that a notebook shows: the sample, then the operations."""
