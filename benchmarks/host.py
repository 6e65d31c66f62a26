"""How long the host takes for one pass of a program on a CUDA device: Python, CuPy, no kernel.

    megabatt compile SOURCE... --out my_batt
    make host-cuda
    PYTHONPATH=.venv/host_cuda .venv/bin/python -m benchmarks.host --batt my_batt

The pass is computed on the CUDA device of the tests, which is the host's CPU, and all data that
comes back to the host is recorded. Then the same calls are made again and answered from the record,
as by a GPU that takes no time. NVIDIA's driver, some 2 to 3 us a launch, is not included.
"""

from __future__ import annotations

import ctypes
import gc
import time

import click

from benchmarks.batch import batch as chosen
from benchmarks.batch import batch_options
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.engine.device.device import computing_on
from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.run.device_inputs import inputs_on
from megabatt.runtime.megabatch.run.hardware import opened

_WORK, _RECORD, _REPLAY = 0, 1, 2


@click.command()
@batch_options(samples=100)
@click.option("--times", type=click.IntRange(min=1), default=5, show_default=True,
              help="How often to make the calls again.")  # fmt: skip
@click.option("--parts", type=click.IntRange(min=1), default=1, show_default=True,
              help="Split the program as for this many processes.")  # fmt: skip
def main(batt: str, samples: int, seed: int, times: int, parts: int) -> None:
    """Print the least and most seconds of a pass, and its launches, copies and waits."""
    driver = host_driver()
    settings = Settings(WORKLOAD, batt)
    for part in settings.parts(Batch(0, None, chosen(samples, seed)), parts):
        print(measured(driver, settings, part, times), flush=True)


def measured(driver: ctypes.CDLL, settings: Settings, batch: Batch, times: int) -> str:
    """Measure the program, or a part of it, on a batch; return a line of figures."""
    forms = settings.forms(batch)
    device = opened("cuda:0")
    lanes = len(batch.samples)

    def one_pass() -> float:
        inputs = inputs_on(settings.workload, device, batch.samples).of_lanes(
            range(lanes), batch.solvers
        )
        gc.collect()
        began = time.perf_counter()
        forms.vectorized(inputs).on_host()
        return time.perf_counter() - began

    with computing_on(device):
        driver.host_cuda_mode(_WORK)
        one_pass()  # compiles
        driver.host_cuda_mode(_RECORD)
        one_pass()
        seconds = []
        for _ in range(times):
            before = asked(driver)
            driver.host_cuda_mode(_REPLAY)
            seconds.append(one_pass())
        counts = [after - earlier for after, earlier in zip(asked(driver), before, strict=True)]
    solvers = len(batch.solvers or forms.solvers)
    return (
        f"{lanes} lanes, {solvers} solvers: "
        f"{counts[0]} launches, {counts[1]} copies, {counts[2]} waits; the host alone takes "
        f"{min(seconds):.2f} s (least of {times}; {max(seconds):.2f} s at the most), "
        f"{min(seconds) / counts[0] * 1e6:.1f} us a launch"
    )


def host_driver() -> ctypes.CDLL:
    """Load the driver of the CUDA device that is the host's CPU. Raises ClickException."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        driver.host_cuda_mode  # noqa: B018
    except (OSError, AttributeError):
        message = "needs the host's CUDA device on the path: make host-cuda"
        raise click.ClickException(message) from None
    return driver


def asked(driver: ctypes.CDLL) -> list[int]:
    """Return the numbers of launches, copies and waits so far."""
    counts = (ctypes.c_longlong * 3)()
    driver.host_cuda_asked(counts)
    return list(counts)


if __name__ == "__main__":
    main()
