"""A lane of the workload: a link of a transmitter to a receiver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from megabatt.runtime.signal import philox
from megabatt.runtime.signal.constants import MODULATIONS, PROFILES
from megabatt.runtime.signal.parameters import PLACES, record

SITE = -1
"""The site of the draws of parameters; no call of a program has it."""

UNIFORM = {
    "snr_db": (0.0, 30.0),
    "rx_power_dbm": (-110.0, -60.0),
    "doppler_hz": (1.0, 100.0),
    "k_factor_db": (0.0, 12.0),
    "delay_spread_s": (1e-7, 5e-6),
    "distance_km": (0.5, 50.0),
    "shadowing_db": (0.0, 8.0),
}
"""The parameters drawn between bounds, and the bounds."""

CHOSEN = {
    "modulation": tuple(range(len(MODULATIONS))),
    "profile": tuple(range(len(PROFILES))),
    "coherence_ms": (0, 0, 50, 100, 200),
    "tx_power_dbm": (30, 40, 50),
    "environment": (0, 1),
    "terrain": (0, 1, 2),
}
"""The parameters drawn from a few values, and the values."""


class Link(NamedTuple):
    """A link. P: its parameters; K: the key of its random numbers."""

    P: tuple[float, ...]
    K: tuple[int, int, int]
    expected: None = None

    @property
    def seed(self) -> int:
        return self.K[0]

    @property
    def sample(self) -> int:
        """The number of the transmitter."""
        return self.K[1]

    @property
    def receiver(self) -> int:
        return self.K[2]

    @property
    def rate(self) -> float:
        return self.P[PLACES["sample_rate_hz"]]

    @property
    def duration(self) -> float:
        return self.P[PLACES["duration_ms"]]

    @property
    def key(self) -> str:
        return f"{self.group}, receiver {self.receiver}"

    @property
    def group(self) -> str:
        return f"transmitter {self.sample}"


def link(seed: int, sample: int, receiver: int, given: Mapping[str, float]) -> Link:
    """Make a link from its numbers, by which parameters that are not given are drawn."""
    count = len(UNIFORM) + len(CHOSEN)
    draws = iter(philox.uniform(seed, sample, receiver, SITE, np.arange(count)).tolist())
    drawn = {name: a + (b - a) * next(draws) for name, (a, b) in UNIFORM.items()}
    for name, values in CHOSEN.items():
        drawn[name] = float(values[int(next(draws) * len(values))])
    return Link(record(**{**drawn, **given}), (seed, sample, receiver))


SAMPLE_FIELDS = (
    pa.field("seed", pa.int64()),
    pa.field("transmitter", pa.int64()),
    pa.field("receiver", pa.int64()),
)


def sample_arrays(samples: list[Link]) -> list[Any]:
    """Return the values of each of `SAMPLE_FIELDS`."""
    columns = zip(*(sample.K for sample in samples), strict=True)
    return [
        pa.array(column, field.type) for column, field in zip(columns, SAMPLE_FIELDS, strict=True)
    ]
