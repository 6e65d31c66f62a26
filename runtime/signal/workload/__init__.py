"""The workload `signals`: lanes of transmitters and receivers with random parameters.

links      a lane, drawn by number; options
output     results in Parquet
shown      how links and runs are shown; pictures: signals and spectra
draws      the parts of the fuzzer's programs and samples
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console

from megabatt.runtime.megabatch.data import Data, DataError
from megabatt.runtime.megabatch.workload import Configured, Workload
from megabatt.runtime.signal import LANGUAGE
from megabatt.runtime.signal.parameters import record, samples_of
from megabatt.runtime.signal.workload.draws import DRAWS
from megabatt.runtime.signal.workload.links import SAMPLE_FIELDS, Link, link, sample_arrays
from megabatt.runtime.signal.workload.output import OUTPUT_FIELDS, output_arrays
from megabatt.runtime.signal.workload.shown import LinksShown

__all__ = ["WORKLOAD", "Link", "link"]

OPTIONS = (
    click.Option(["--links"], type=click.IntRange(min=1), default=64, show_default=True,
                 help="Links from a transmitter to a receiver."),
    click.Option(["--receivers"], type=click.IntRange(min=1), default=8, show_default=True,
                 help="Receivers that hear one transmitter."),
    click.Option(["--data-seed"], type=int, default=0, show_default=True,
                 help="Seed of the links' parameters and signals."),
    click.Option(["--sample-rate-hz"], type=click.FloatRange(1, 1e9), default=200_000.0,
                 show_default=True, help="Complex samples per second."),
    click.Option(["--duration-ms"], type=click.FloatRange(0.001, 1e6), default=1000.0,
                 show_default=True, help="Length of a signal."),
)  # fmt: skip


class LinksWorkload(Workload[Link]):
    """Links of transmitters to receivers, whose parameters are drawn at random."""

    name = "signals"
    language = LANGUAGE
    programs = "signals"
    batch_size = 64
    options = OPTIONS
    draws = DRAWS
    sample_fields = SAMPLE_FIELDS
    output_fields = OUTPUT_FIELDS
    shown = LinksShown()

    def load(  # type: ignore[override]
        self,
        links: int = 64,
        receivers: int = 8,
        data_seed: int = 0,
        sample_rate_hz: float = 200_000.0,
        duration_ms: float = 1000.0,
    ) -> Data[Link]:
        given = {"sample_rate_hz": sample_rate_hz, "duration_ms": duration_ms}
        try:
            samples_of(record(**given))
        except ValueError as error:
            raise DataError(str(error)) from error
        if not -(2**63) <= data_seed < 2**63:
            raise DataError(f"data_seed is {data_seed}; it must be a number of 64 bits")
        numbers = [divmod(k, receivers) for k in range(links)]
        return Data([link(data_seed, sample, receiver, given) for sample, receiver in numbers])

    def variants(self, samples: list[Link], random: np.random.Generator) -> Iterator[Link]:
        """Yield the same links at other times: other keys, and parameters drawn anew."""
        number = 1 + max(sample.sample for sample in samples)
        while True:
            for like in samples:
                given = {"sample_rate_hz": like.rate, "duration_ms": like.duration}
                yield link(like.seed, number, like.receiver, given)
            number += 1

    def run_configured(self, asked: Configured, console: Console) -> int:
        """Make the dataset that the file describes."""
        from megabatt.runtime.signal.dataset.run import run_dataset

        return run_dataset(asked, self, console)

    def load_group(self, group: str, **options: Any) -> Data[Link]:
        """Load the links of a transmitter, or of a dataset's sample: FOLDER or FOLDER/N."""
        from megabatt.runtime.signal.dataset.looking import links_in

        found = links_in(group)
        if found is not None:
            return found
        try:
            return super().load_group(group, **options)
        except DataError as error:
            there = "no dataset in this folder" if Path(group).is_dir() else "no such folder"
            raise DataError(f"there is {there}, and {error}", error.problems) from error

    def sample_arrays(self, samples: list[Link]) -> list[Any]:
        return sample_arrays(samples)

    def output_arrays(self, column: Any) -> list[Any]:
        return output_arrays(column)


WORKLOAD = LinksWorkload()
