"""How much the tests draw: little in the gate where it takes long, all of it in `make long`."""

from __future__ import annotations

import os

import pytest

LONG = bool(os.environ.get("MEGABATT_TEST_LONG"))
"""Whether every test is to draw as much as it ever does."""

ON_DEVICE = bool(os.environ.get("MEGABATT_TEST_DEVICE")) and not LONG
"""Whether a device is tested that may be emulated, where all takes ten times as long."""

long_on_device = pytest.mark.skipif(ON_DEVICE, reason="takes long on an emulated device: make long")


def examples(count: int) -> int:
    """How many examples a property test draws that draws so many in the gate, on the CPU."""
    if ON_DEVICE:
        return max(count // 8, 5)
    return 4 * count if LONG and "MEGABATT_TEST_DEVICE" not in os.environ else count
