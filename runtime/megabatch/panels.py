"""Samples, programs' outputs and traces as rows of panels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from megabatt.runtime.megabatch.pictures import Panel, Picture, Row, words
from megabatt.runtime.megabatch.trace import Step
from megabatt.runtime.megabatch.workload import Workload


def picture(
    workload: Workload[Any], value: Any, other: Any = None, among: Sequence[Any] = ()
) -> Picture:
    """Draw a value by `Shown.picture`, or write its source if `Shown` has no picture."""
    return workload.shown.picture(value, other, among) or words(value)


def input_panels(workload: Workload[Any], sample: Any) -> list[Panel]:
    """Draw the inputs that a sample does not share with its group."""
    names = [
        name for name in workload.language.inputs
        if name not in workload.shared and name != workload.expected_column
    ]  # fmt: skip
    return [
        Panel("input" if len(names) == 1 else f"input {name}", picture(workload, value))
        for name in names
        for value in [getattr(sample, name)]
    ]


def sample_row(workload: Workload[Any], sample: Any, *more: Panel) -> Row:
    """Draw a sample: its inputs and, if the language has one, the expected output.

    more: Panels to show beside the sample's own.
    """
    expected = sample.expected
    wanted = []
    if expected is not None:
        wanted = [Panel("expected", picture(workload, expected))]
    elif workload.language.expected is not None:
        wanted = [Panel("expected: unknown", words(None))]
    panels = [*input_panels(workload, sample), *wanted, *more]
    return Row(workload.shown.heading(sample), panels)


def output_panel(
    workload: Workload[Any], name: str, value: Any, expected: Any, failed: str = ""
) -> Panel:
    """Draw a program's output, and say whether the output is right.

    expected: The expected output; None if unknown. failed: The failed operations, with reasons.
    """
    good = None if expected is None else bool(workload.language.same(value, expected))
    title = name if good is None else f"{name}: {'right' if good else 'wrong'}"
    notes = [workload.shown.difference(value, expected) if good is False else ""]
    notes.append(f"failed operations: {failed}" if failed else "")
    drawn = picture(workload, value, expected)
    return Panel(title, drawn, good, list(filter(None, notes)))


def step_rows(
    workload: Workload[Any], steps: Sequence[Step], sample: Any, number: int | None = None
) -> Iterator[Row]:
    """Yield a row for every step; for a `number`, only that step's row, with the values it read."""
    inputs = [
        getattr(sample, name) for name in workload.language.inputs if name not in workload.shared
    ]

    def drawn(step: Step, value: Any) -> Picture:
        return picture(workload, value, among=[*step.read.values(), *inputs])

    for step in steps:
        if number in (None, step.number):
            panels = []
            if number is not None:
                panels = [Panel(name, drawn(step, value)) for name, value in step.read.items()]
            name = step.name if number else ""
            title = f"{step.failure}\nit leaves" if step.failure else name
            panels.append(Panel(title, drawn(step, step.value), False if step.failure else None))
            yield Row(str(step), panels)
