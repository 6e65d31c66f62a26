"""The cost of signals: seconds of both forms of the bundled chain, and the memory of a batch.

    python -m benchmarks.signals [--batch 64] [--samples 200000] [--seconds 10]

Prints CPU seconds of one core: of the scalar form on a few links one by one, of the vectorized form
on batches of them, and of its operations one by one. With --memory N it runs a batch of N links and
prints the peak memory of the process. Two such processes at a time show the signals a second of two
cores.
"""

from __future__ import annotations

import time
from collections import Counter
from itertools import islice
from pathlib import Path

import click
import numpy as np

from megabatt.runtime.megabatch.batches import Settings
from megabatt.runtime.megabatch.programs import own_programs
from megabatt.runtime.megabatch.run.memory import peak_rss_mb
from megabatt.runtime.megabatch.samples import batch_inputs
from megabatt.runtime.signal.workload import WORKLOAD

FOLDER = str(Path(__file__).parent.parent / "generated" / "signals")


def links(count, samples):
    """Draw `count` links with signals of `samples` samples."""
    data = WORKLOAD.load(links=count, duration_ms=samples / 200.0)
    return data.samples


def scalar_seconds(settings, program, samples, seconds):
    """Measure the scalar form's CPU seconds a link."""
    forms = own_programs(FOLDER)[program]
    settings.scalar(forms, samples[0])
    begin, done = time.process_time(), 0
    for sample in samples:
        settings.scalar(forms, sample)
        done += 1
        if time.process_time() - begin > seconds:
            break
    return (time.process_time() - begin) / done


def vectorized_seconds(program, samples, seconds):
    """Measure the vectorized form's CPU seconds a link."""
    forms = own_programs(FOLDER)[program]
    run(forms, samples)
    begin, done = time.process_time(), 0
    while not done or time.process_time() - begin < seconds:
        run(forms, samples)
        done += len(samples)
    return (time.process_time() - begin) / done


def run(forms, samples, seconds=None):
    inputs = batch_inputs(WORKLOAD, samples, seconds=seconds)
    results = forms.vectorized(inputs, max_elements=WORKLOAD.language.max_elements)
    results.on_host()


def by_operation(program, samples):
    """Measure each operation's seconds a link, by its name."""
    forms = own_programs(FOLDER)[program]
    seconds = np.zeros(forms.recorded.operations + 1)
    run(forms, samples)
    run(forms, samples, seconds)
    spent = Counter()
    for number, function, _ in forms.recorded.calls:
        spent[getattr(function, "__name__", "a function")] += seconds[number]
    return {name: seconds / len(samples) for name, seconds in spent.items()}


@click.command()
@click.option("--program", default="link_features", show_default=True)
@click.option("--batch", default=64, show_default=True, help="Links computed at once.")
@click.option("--samples", default=200_000, show_default=True, help="Samples of a signal.")
@click.option("--seconds", default=10.0, show_default=True, help="Seconds of each measurement.")
@click.option("--memory", type=int, help="Only run a batch of this many links.")
def main(program, batch, samples, seconds, memory):
    """Time both forms of a program on links."""
    settings = Settings(WORKLOAD, FOLDER)
    if memory:
        run(own_programs(FOLDER)[program], links(memory, samples))
        peak = peak_rss_mb() / 1024
        print(f"{memory} links of {samples} samples: {peak:.2f} GB at most")
        return
    drawn = links(batch, samples)
    vectorized = vectorized_seconds(program, drawn, seconds)
    scalar = scalar_seconds(settings, program, drawn, seconds)
    print(f"{program}, {samples} samples a signal, batches of {batch}:")
    print(f"scalar {scalar * 1e3:.3f} ms, vectorized {vectorized * 1e3:.3f} ms a link and core")
    print(f"{scalar / vectorized:.1f} times as fast; {1 / vectorized:.0f} links a second and core")
    for name, spent in islice(
        sorted(by_operation(program, drawn).items(), key=lambda item: -item[1]), 10
    ):
        print(f"    {name:20} {spent * 1e3:.3f} ms")


if __name__ == "__main__":
    main()
