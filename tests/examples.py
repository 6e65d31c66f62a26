"""How much the tests draw: little in the gate where that takes long, everything in `make long`."""

from __future__ import annotations

import os

import pytest

LONG = bool(os.environ.get("MEGABATT_TEST_LONG"))
"""Whether every test draws its largest number of examples."""

ON_DEVICE = bool(os.environ.get("MEGABATT_TEST_DEVICE")) and not LONG
"""Whether a device is tested, outside `make long`. An emulated one takes ten times as long."""

long_on_device = pytest.mark.skipif(ON_DEVICE, reason="takes long on an emulated device: make long")


def examples(count: int) -> int:
    """Return how many examples a property test draws. In the gate, on the CPU, it is `count`."""
    if ON_DEVICE:
        return max(count // 8, 5)
    return 4 * count if LONG and "MEGABATT_TEST_DEVICE" not in os.environ else count
