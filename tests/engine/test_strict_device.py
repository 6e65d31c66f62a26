"""The strict device refuses what CuPy does not do."""

import numpy as np
import pytest

from megabatt.runtime.engine.device.device import computing_on, xp
from tests.engine.strict import Refused, StrictDevice


@pytest.fixture
def device():
    strict = StrictDevice()
    with computing_on(strict):
        yield strict


REFUSED = {
    "an array of the host": lambda a: a + np.arange(3),
    "NumPy on an array of the device": lambda a: np.cumsum(a),
    "a loop over its elements": lambda a: list(a),
    "a slice that ends at an element": lambda a: a[: a[1]],
    "a size on the device": lambda a: xp.zeros(a[1], dtype=xp.int64),
    "a count for each element of repeat": lambda a: xp.repeat(a, a),
    "a choice among several values": lambda a: a.__setitem__(xp.asarray([0, 0, 1]), a),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_device_refuses(name, device):
    with pytest.raises((Refused, AttributeError, TypeError)):
        REFUSED[name](xp.arange(3, dtype=xp.int64))
