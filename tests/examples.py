"""The number of examples that tests draw: few in the gate, the most in `make long`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

LONG = bool(os.environ.get("MEGABATT_TEST_LONG"))
"""Whether every test draws its largest number of examples."""

ON_DEVICE = bool(os.environ.get("MEGABATT_TEST_DEVICE")) and not LONG
"""Whether a device is tested, outside `make long`. An emulated device takes ten times as long."""

WITHOUT_PANDAS = str(Path(__file__).with_name("without_pandas"))
"""A folder that hides pandas where it comes first in the path of modules."""

long_on_device = pytest.mark.skipif(ON_DEVICE, reason="takes long on an emulated device: make long")


def examples(count: int) -> int:
    """Return the number of examples of a property test: in the gate, on the CPU, `count`."""
    if ON_DEVICE:
        return max(count // 8, 5)
    return 4 * count if LONG and "MEGABATT_TEST_DEVICE" not in os.environ else count
