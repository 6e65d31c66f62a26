"""The cost of a dataset of signals, with half the candidates rejected early.

The last line is a JSON object of the figures.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from megabatt.runtime.megabatch.batches import Settings
from megabatt.runtime.megabatch.run.manifest import program_digest
from megabatt.runtime.megabatch.run.stopping import Stop
from megabatt.runtime.signal.dataset.configuration import Configuration
from megabatt.runtime.signal.dataset.files import begin
from megabatt.runtime.signal.dataset.generation import Generation
from megabatt.runtime.signal.dataset.rejection import EARLY
from megabatt.runtime.signal.workload import WORKLOAD

HALF = {"min_snr_db": 16.5, "min_receivers": 4, "max_gdop": 1.6}
"""Settings that reject some 50 of 100 candidates early."""


@click.command()
@click.option("--batt", default=f"generated/{WORKLOAD.programs}", show_default=True)
@click.option("--samples", type=int, default=40, show_default=True, help="Samples to accept.")
@click.option("--duration-ms", type=float, default=1000.0, show_default=True)
@click.option("--batch-size", type=int, default=64, show_default=True)
@click.option("--workers", type=int, default=1, show_default=True)
def main(batt: str, samples: int, duration_ms: float, batch_size: int, workers: int) -> None:
    """Time early rejection and signals, after a run that compiles kernels."""
    configuration = Configuration(
        num_samples=samples,
        duration_ms=duration_ms,
        batch_size=batch_size,
        **HALF,  # type: ignore[arg-type]
    )
    settings = Settings(WORKLOAD, batt, workers=workers)
    with TemporaryDirectory() as folder:
        warm = Configuration(num_samples=1, duration_ms=duration_ms, **HALF)  # type: ignore[arg-type]
        digest = program_digest(settings, own=False)
        Generation(settings, warm, begin(Path(folder, "warm"), warm, digest), Stop()).run()
        begun = begin(Path(folder, "made"), configuration, digest)
        made = Generation(settings, configuration, begun, Stop())
        began = time.perf_counter()
        made.run()
        seconds = time.perf_counter() - began
    rejected = sum(made.folder.rejected[reason] for reason in EARLY)
    figures = {
        "samples": made.folder.accepted,
        "rejected_early_share": round(rejected / (rejected + made.folder.accepted), 3),
        "early_seconds_share": round(made.seconds["early"] / seconds, 5),
        "signals_per_second": round(made.signals / seconds, 1),
        "samples_per_second": round(made.folder.accepted / seconds, 2),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
