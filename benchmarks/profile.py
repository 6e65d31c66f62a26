"""The time of a batch: by primitive, by operation, by sample.

    megabatt compile SOURCE... --out my_batt
    python -m benchmarks.profile --batt my_batt

Runs the merged program on one batch, in one process. The executor times the operations of every
eighth sample. A primitive's seconds are the sum over the operations that call it, with all their
inner calls.
Then some samples run in batches of their own, which adds the fixed cost of a batch to each.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.batch import batch, batch_options
from megabatt.runtime.arc.language import LANGUAGE
from megabatt.runtime.arc.workload import WORKLOAD, ArcSample
from megabatt.runtime.engine.language.registry import primitive_of
from megabatt.runtime.megabatch.programs import merged_program
from megabatt.runtime.megabatch.samples import batch_inputs
from megabatt.runtime.megabatch.trace import call_text

COMPUTED = "(a computed function)"


@dataclass
class Profile:
    """The seconds of a batch. primitives: name -> (number of operations, seconds); operations:
    number -> (source, seconds)."""

    primitives: dict[str, tuple[int, float]]
    operations: dict[int, tuple[str, float]]
    seconds: float


def profile(folder: str, samples: list[ArcSample]) -> Profile:
    """Run the folder's merged program on the samples as one batch: once to warm up, once timed."""
    program = merged_program(folder)
    program.run(batch_inputs(WORKLOAD, samples), LANGUAGE.max_elements)
    seconds = np.zeros(program.operations + 1)
    began = time.perf_counter()
    program.run(batch_inputs(WORKLOAD, samples, seconds=seconds), LANGUAGE.max_elements)
    taken = time.perf_counter() - began
    primitives: dict[str, tuple[int, float]] = defaultdict(lambda: (0, 0.0))
    operations = {}
    for number, function, args in program.recorded.calls:
        primitive = primitive_of(function)
        name = COMPUTED if primitive is None else primitive.name
        count, so_far = primitives[name]
        primitives[name] = count + 1, so_far + float(seconds[number])
        operations[number] = call_text(function, args), float(seconds[number])
    return Profile(dict(primitives), operations, taken)


_ALONE = 200
"""The most samples that run in batches of their own."""


def seconds_alone(folder: str, samples: list[ArcSample]) -> list[float]:
    """Time the folder's merged program on samples, each as a batch of its own."""
    program = merged_program(folder)
    found = []
    for sample in samples:
        began = time.perf_counter()
        program.run(batch_inputs(WORKLOAD, [sample]), LANGUAGE.max_elements)
        found.append(time.perf_counter() - began)
    return found


@click.command()
@batch_options(samples=1000)
@click.option("--split", type=click.Choice(["training", "evaluation", "all"]), default="all",
              show_default=True, help="Split of ARC-AGI-1.")  # fmt: skip
@click.option("--top", type=click.IntRange(min=1), default=30, show_default=True,
              help="Lines of each table.")  # fmt: skip
def main(batt: str, split: str, samples: int, seed: int, top: int) -> None:
    """Print the time of one batch by primitive, by operation and by sample."""
    chosen = batch(samples, seed, split)
    result = profile(batt, chosen)
    console = Console()
    console.print(_table("primitive", "operations", result.primitives, result.seconds, top))
    console.print(_table("operation", "call", result.operations, result.seconds, top))
    alone = np.array(seconds_alone(batt, chosen[:_ALONE])) * 1e3
    print(f"{len(alone)} lanes alone, ms: median {np.median(alone):.1f}, worst {alone.max():.1f}")
    operations = len(result.operations)
    print(
        f"{len(chosen)} lanes, {operations} operations: {result.seconds:.2f} s, "
        f"{result.seconds / len(chosen) * 1e3:.2f} ms a lane"
    )


def _table(
    title: str, heading: str, lines: Mapping[Any, tuple[Any, float]], seconds: float, top: int
) -> Table:
    table = Table(title, heading, "s", "share")
    for key, (value, taken) in sorted(lines.items(), key=lambda item: -item[1][1])[:top]:
        table.add_row(str(key), str(value)[:100], f"{taken:.3f}", f"{taken / seconds:.1%}")
    return table


if __name__ == "__main__":
    main()
