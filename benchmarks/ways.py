"""A pass on a GPU by its machine and by columns, side by side, in one run.

    megabatt compile SOURCE... --out my_batt
    python -m benchmarks.ways --batt my_batt --lanes 100,1000

Each pass compares the outputs with what is expected on the device, as a run without `--out` does.
The first one of each way compiles and is not timed.
"""

from __future__ import annotations

import json
import time

import click

from benchmarks.batch import program_folder
from megabatt.runtime.arc.workload import WORKLOAD, load, samples_of
from megabatt.runtime.engine.device.device import Device, computing_on
from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.run.device_inputs import DeviceInputs
from megabatt.runtime.megabatch.run.device_worker import DeviceWorker
from megabatt.runtime.megabatch.run.hardware import choose, opened
from megabatt.runtime.megabatch.samples import augmented, spread_evenly


@click.command()
@click.option(
    "--batt",
    default="generated",
    show_default=True,
    metavar="DIR",
    callback=program_folder,
    help="Folder that `megabatt compile` wrote.",
)
@click.option(
    "--lanes",
    default="100,1000",
    show_default=True,
    metavar="N,N,...",
    help="How many samples a pass computes.",
)
@click.option("--times", type=click.IntRange(min=1), default=3, show_default=True,
              help="Passes of each way.")  # fmt: skip
def main(batt: str, lanes: str, times: int) -> None:
    """Print the seconds of each pass, as JSON."""
    try:
        names, _ = choose("cuda")
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    settings, device = Settings(WORKLOAD, batt), opened(names[0])
    by_lanes = {
        count: {way: seconds_of(settings, device, count, way, times) for way in WAYS}
        for count in map(int, lanes.replace(",", " ").split())
    }
    print(json.dumps({"device": names[0], "seconds_by_lanes": by_lanes}))


WAYS = ("machine", "columns")


def seconds_of(settings: Settings, device: Device, lanes: int, way: str, times: int) -> list[float]:
    """Time passes of one of the ways; the list is of their seconds."""
    samples = samples_of(load("arcagi", "all").tasks)
    chosen = augmented(WORKLOAD, spread_evenly(samples, min(lanes, len(samples)), seed=0), lanes)
    batch = Batch(0, None, chosen)
    worker = DeviceWorker(settings, [batch], device, compares=True)
    if way == "columns":
        with settings.language.in_use(), computing_on(device):
            worker.inputs = DeviceInputs(settings.workload, device, chosen)
    seconds = []
    for _ in range(times + 1):
        began = time.perf_counter()
        worker.results(batch)
        seconds.append(round(time.perf_counter() - began, 4))
    return seconds[1:]


if __name__ == "__main__":
    main()
