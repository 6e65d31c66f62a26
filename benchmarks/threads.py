"""The length of the longest thread of every launch, in basic blocks.

    megabatt compile SOURCE... --out my_batt
    make host-cuda
    PYTHONPATH=.venv/host_cuda .venv/bin/python -m benchmarks.threads --batt my_batt

A GPU has many threads, but each is slow, and a launch takes as long as its longest thread. So the
sum over all launches is a lower bound of a pass, however many multiprocessors there are. One pass
is computed on the CUDA device of the tests, which is the host's CPU and counts the basic blocks
that each thread runs. Unlike times, counts are the same on every run and every machine.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from typing import NamedTuple

import click
from rich.console import Console
from rich.table import Table

from benchmarks.batch import batch, batch_options
from benchmarks.host import host_driver
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.engine.device.device import computing_on
from megabatt.runtime.megabatch.programs import merged_program
from megabatt.runtime.megabatch.run.device_inputs import inputs_on
from megabatt.runtime.megabatch.run.hardware import opened


class Kernel(NamedTuple):
    """A kernel's launches, and the basic blocks that its threads ran.

    longest: of the longest thread of each launch, summed over launches; most: of the longest thread
    of any launch; all: of all threads, summed.
    """

    name: str
    launches: int
    longest: int
    most: int
    all: int


@click.command()
@batch_options(samples=100)
@click.option("--top", type=click.IntRange(min=1), default=30, show_default=True,
              help="Lines of the table.")  # fmt: skip
def main(batt: str, samples: int, seed: int, top: int) -> None:
    """Print how many basic blocks the threads of one pass run, by kernel."""
    driver = host_driver()
    os.environ["HOST_CUDA_STEPS"] = "1"
    chosen = batch(samples, seed)
    program = merged_program(batt)
    device = opened("cuda:0")
    with computing_on(device):
        program.vectorized(
            inputs_on(WORKLOAD, device, chosen).of_lanes(range(len(chosen)))
        ).on_host()
    found = sorted(kernels(driver), key=lambda kernel: -kernel.longest)
    longest = sum(kernel.longest for kernel in found)
    table = Table("kernel", "launches", "longest, M", "share", "all, M", "most, M")
    for kernel in found[:top]:
        table.add_row(kernel.name, str(kernel.launches), _millions(kernel.longest),
                      f"{kernel.longest / longest:.1%}", _millions(kernel.all),
                      _millions(kernel.most))  # fmt: skip
    Console().print(table)
    print(
        f"{len(chosen)} lanes, {program.operations} operations: "
        f"{sum(kernel.launches for kernel in found)} launches, whose longest threads run "
        f"{_millions(longest)} M basic blocks one after the other; all threads "
        f"{_millions(sum(kernel.all for kernel in found))} M"
    )


def kernels(driver: ctypes.CDLL) -> Iterator[Kernel]:
    """Yield the driver's counts so far, by kernel."""
    driver.host_cuda_kernel.restype = ctypes.c_char_p
    counts = (ctypes.c_longlong * 4)()
    number = 0
    while (name := driver.host_cuda_kernel(number, counts)) is not None:
        yield Kernel(name.decode(), *counts)
        number += 1


def _millions(steps: int) -> str:
    return f"{steps / 1e6:.3f}"


if __name__ == "__main__":
    main()
