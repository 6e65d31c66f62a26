"""The demands of one pass of a program on a GPU: launches, the host's waits, transferred bytes.

    megabatt compile SOURCE... --out my_batt
    python -m benchmarks.launches --batt my_batt

Needs no GPU: the pass is computed on the strict device of the tests, which counts them all.
"""

from __future__ import annotations

import click

from benchmarks.batch import batch, batch_options
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.engine.device.device import computing_on
from megabatt.runtime.megabatch.programs import merged_program
from megabatt.runtime.megabatch.run.device_inputs import inputs_on
from tests.engine.strict import StrictDevice

_LAUNCH, _SYNC = 18e-6, 10e-6
"""Seconds of the host's time for a launch and for a wait on an idle device.

The time of a kernel's threads is not included. A launch takes 15 us of Python and CuPy, as
`benchmarks.host` measures, and 3 us of CUDA's driver. The wait is typical of CUDA."""

_MOST_ELEMENTS = 1 << 27
"""The elements that an operation may build, as on a GPU with 64 GB free."""


@click.command()
@batch_options(samples=1000)
def main(batt: str, samples: int, seed: int) -> None:
    """Print the launches, array calls, waits and bytes of one pass, and a lower bound of time."""
    chosen = batch(samples, seed)
    program = merged_program(batt)
    device = StrictDevice()
    device.most_elements = _MOST_ELEMENTS
    with computing_on(device):
        inputs = inputs_on(WORKLOAD, device, chosen).of_lanes(range(len(chosen)))
        program.vectorized(inputs).on_host()
    launches = device.launches + device.array_calls
    floor = launches * _LAUNCH + device.syncs * _SYNC
    print(
        f"{len(chosen)} lanes, {program.operations} operations: {device.launches} launches of "
        f"kernels, {device.array_calls} calls on arrays, {device.syncs} waits; "
        f"{device.bytes_sent / 1e6:.1f} MB sent in {device.sent}, "
        f"{device.bytes_fetched / 1e6:.1f} MB fetched in {device.fetched}; "
        f"floor of a pass {floor:.2f} s at {_LAUNCH * 1e6:.0f} us a launch and "
        f"{_SYNC * 1e6:.0f} us a wait"
    )


if __name__ == "__main__":
    main()
