"""What signals cost: both forms of the bundled chain, and what a batch takes of memory.

    python -m benchmarks.signals [--batch 64] [--samples 200000] [--seconds 10]

Prints CPU seconds of one core: of the scalar form on a few links one by one, of the vectorized form
on batches of them, and of its operations one by one. With --memory N it runs a batch of N links and
prints the peak memory of the process. Two such processes at a time show the signals a second of two
cores.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from itertools import islice
from pathlib import Path

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


def run(forms, samples, observer=None):
    inputs = batch_inputs(WORKLOAD, samples, observer)
    results = forms.vectorized(inputs, max_elements=WORKLOAD.language.max_elements)
    results.on_host()


def by_operation(program, samples):
    """Measure each operation's CPU seconds a link, by its name."""
    forms = own_programs(FOLDER)[program]
    spent, last = Counter(), [time.process_time()]

    def note(number, function, args, target, failures):
        now = time.process_time()
        spent[getattr(function, "__name__", "a function")] += now - last[0]
        last[0] = now

    run(forms, samples)
    last[0] = time.process_time()
    run(forms, samples, note)
    return {name: seconds / len(samples) for name, seconds in spent.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="link_features")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--samples", type=int, default=200_000)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--memory", type=int, help="only a batch of so many links")
    given = parser.parse_args()
    settings = Settings(WORKLOAD, FOLDER)
    if given.memory:
        run(own_programs(FOLDER)[given.program], links(given.memory, given.samples))
        peak = peak_rss_mb() / 1024
        print(f"{given.memory} links of {given.samples} samples: {peak:.2f} GB at most")
        return
    samples = links(given.batch, given.samples)
    vectorized = vectorized_seconds(given.program, samples, given.seconds)
    scalar = scalar_seconds(settings, given.program, samples, given.seconds)
    print(f"{given.program}, {given.samples} samples a signal, batches of {given.batch}:")
    print(f"scalar {scalar * 1e3:.3f} ms, vectorized {vectorized * 1e3:.3f} ms a link and core")
    print(f"{scalar / vectorized:.1f} times as fast; {1 / vectorized:.0f} links a second and core")
    for name, seconds in islice(
        sorted(by_operation(given.program, samples).items(), key=lambda item: -item[1]), 10
    ):
        print(f"    {name:20} {seconds * 1e3:.3f} ms")


if __name__ == "__main__":
    main()
