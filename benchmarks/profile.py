"""Where a batch's time goes: by primitive, by lane kernel, by operation.

    megabatt compile SOURCE... --out my_batt
    python -m benchmarks.profile --batt my_batt

Runs the merged program on one batch, in one process, with a clock around every call of a rule
and of a lane kernel. A rule's own time includes its kernels, but not the rules that it calls for a
container's elements. Time in no rule is dispatch.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from benchmarks.batch import batch, batch_options
from megabatt.runtime.arc.language import LANGUAGE
from megabatt.runtime.arc.workload import WORKLOAD, ArcSample
from megabatt.runtime.engine.calls.concurrent import Target
from megabatt.runtime.engine.calls.registry import Primitive, primitive_of
from megabatt.runtime.engine.device.kernels import LaneKernel
from megabatt.runtime.megabatch.programs import merged_program
from megabatt.runtime.megabatch.run.memory import keep_freed_memory
from megabatt.runtime.megabatch.samples import batch_inputs

DISPATCH = "(dispatch)"


@dataclass
class Line:
    """What was counted under one name. seconds: without those of names called within."""

    calls: int = 0
    lanes: int = 0
    seconds: float = 0.0
    in_kernels: float = 0.0


class Clock:
    """A clock that gives time to the innermost name under way."""

    def __init__(self) -> None:
        self.rules: dict[str, Line] = defaultdict(Line)
        self.kernels: dict[str, Line] = defaultdict(Line)
        self.stack = [DISPATCH]
        self.at = time.perf_counter()

    def _pass(self) -> float:
        """Give the seconds since the last event to the rule under way, and return them."""
        now = time.perf_counter()
        passed, self.at = now - self.at, now
        self.rules[self.stack[-1]].seconds += passed
        return passed

    def rule(self, name: str, rule: Callable[..., Any]) -> Callable[..., Any]:
        def timed(frame: Any, *columns: Any) -> Any:
            self._pass()
            self.stack.append(name)
            line = self.rules[name]
            line.calls += 1
            line.lanes += frame.n
            try:
                return rule(frame, *columns)
            finally:
                self._pass()
                self.stack.pop()

        return timed

    def kernel(self, launch: Callable[..., None]) -> Callable[..., None]:
        def timed(kernel: LaneKernel, lanes: int, *args: Any) -> None:
            self._pass()
            launch(kernel, lanes, *args)
            passed = self._pass()
            line = self.kernels[kernel.function.__name__]
            line.calls += 1
            line.lanes += lanes
            line.seconds += passed
            self.rules[self.stack[-1]].in_kernels += passed

        return timed


@dataclass
class Profile:
    """rules, kernels: by name; operations: number -> (text, seconds)."""

    rules: dict[str, Line]
    kernels: dict[str, Line]
    operations: dict[int, tuple[str, float]]
    seconds: float


def profile(folder: str, samples: list[ArcSample]) -> Profile:
    """Run the folder's merged program on the samples as one batch: once to warm up, once timed."""
    keep_freed_memory()
    program = merged_program(folder)
    program.vectorized(batch_inputs(WORKLOAD, samples))
    operations: dict[int, tuple[str, float]] = {}
    last = time.perf_counter()

    def note(number: int, function: Any, args: tuple[Any, ...], *_: Any) -> None:
        nonlocal last
        now = time.perf_counter()
        operations[number] = (_spelled(function, args), now - last)
        last = now

    clock = Clock()
    with _clocked(clock):
        began = last = clock.at = time.perf_counter()
        program.vectorized(batch_inputs(WORKLOAD, samples, note))
        seconds = time.perf_counter() - began
    return Profile(dict(clock.rules), dict(clock.kernels), operations, seconds)


class _clocked:
    """While entered, all rules and kernels run under the clock."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock

    def __enter__(self) -> None:
        self.launch = LaneKernel.__call__
        self.rules = {p: p.rule for p in LANGUAGE.primitives.values() if p.rule is not None}
        LaneKernel.__call__ = self.clock.kernel(self.launch)  # type: ignore[method-assign]
        for primitive, rule in self.rules.items():
            primitive.rule = self.clock.rule(primitive.name, rule)

    def __exit__(self, *_: Any) -> None:
        LaneKernel.__call__ = self.launch  # type: ignore[method-assign]
        for primitive, rule in self.rules.items():
            primitive.rule = rule


def _spelled(function: Any, args: tuple[Any, ...]) -> str:
    return f"{_name(function)}({', '.join(map(_name, args))})"


def _name(value: Any) -> str:
    if isinstance(value, Target):
        return f"x{value.source}" if isinstance(value.source, int) else value.source
    known: Primitive | None = primitive_of(value)
    return known.name if known is not None else repr(value)


@click.command()
@batch_options(samples=1000)
@click.option("--split", type=click.Choice(["training", "evaluation", "all"]), default="all",
              show_default=True, help="Of ARC-AGI-1.")  # fmt: skip
@click.option("--top", type=click.IntRange(min=1), default=30, show_default=True,
              help="Lines of each table.")  # fmt: skip
def main(batt: str, split: str, samples: int, seed: int, top: int) -> None:
    """Print where the time of one batch goes."""
    chosen = batch(samples, seed, split)
    result = profile(batt, chosen)
    console = Console()
    console.print(_lines("primitive", result.rules, result.seconds, top, kernels=True))
    console.print(_lines("kernel", result.kernels, result.seconds, top, kernels=False))
    console.print(_operations(result, top))
    operations, overhead = len(result.operations), result.rules[DISPATCH].seconds
    in_kernels = sum(line.seconds for line in result.kernels.values())
    print(
        f"{len(chosen)} lanes, {operations} operations: {result.seconds:.2f} s, "
        f"{result.seconds / len(chosen) * 1e3:.2f} ms a lane, "
        f"{result.seconds / operations * 1e6:.0f} us an operation; "
        f"{in_kernels / result.seconds:.0%} in kernels, "
        f"{overhead / result.seconds:.0%} in dispatch"
    )


def _lines(title: str, lines: dict[str, Line], seconds: float, top: int, kernels: bool) -> Table:
    table = Table(title, "calls", "lanes", "s", "share", *(["in kernels"] if kernels else []))
    ranked = sorted(lines.items(), key=lambda item: -item[1].seconds)
    for name, line in ranked[:top]:
        row = [name, str(line.calls), str(line.lanes), f"{line.seconds:.3f}",
               f"{line.seconds / seconds:.1%}"]  # fmt: skip
        table.add_row(*row, *([f"{line.in_kernels:.3f}"] if kernels else []))
    return table


def _operations(result: Profile, top: int) -> Table:
    table = Table("operation", "call", "s", "share")
    ranked = sorted(result.operations.items(), key=lambda item: -item[1][1])
    for number, (text, seconds) in ranked[:top]:
        table.add_row(str(number), text[:100], f"{seconds:.3f}", f"{seconds / result.seconds:.1%}")
    return table


if __name__ == "__main__":
    main()
