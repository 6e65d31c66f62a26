"""The parameters and keys of lanes, as rules read them."""

from __future__ import annotations

import numpy as np

from megabatt.runtime.engine.calls.frames import Frame
from megabatt.runtime.engine.columns import Floats, Ints, Lists
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.device.device import current, to_host
from megabatt.runtime.signal.parameters import PARAMETERS, PLACES


def values_of(frame: Frame, parameters: Lists, name: str) -> Array:
    """A parameter of every lane, float64 (n,). Lanes where it is out of range fail."""
    about = PARAMETERS[name]
    values = parameters.content.data[parameters.starts + PLACES[name]]  # type: ignore[attr-defined]
    wrong = ~((values >= about.least) & (values <= about.most))
    frame.fail(wrong)
    return xp.where(wrong, about.default, values)


class Streams:
    """The streams of random numbers that lanes draw from: of their keys, at a site each.

    seeds, samples, receivers, sites: int64 (n,).
    """

    def __init__(self, keys: Lists, sites: Ints) -> None:
        numbers = keys.content.data  # type: ignore[attr-defined]
        self.seeds = numbers[keys.starts]
        self.samples = numbers[keys.starts + 1]
        self.receivers = numbers[keys.starts + 2]
        self.sites = sites.data

    @property
    def arrays(self) -> tuple[Array, Array, Array, Array]:
        """As kernels take them."""
        return self.seeds, self.samples, self.receivers, self.sites


def numbers_of(reals: Lists) -> Array:
    """What lists of Reals have in them, float64; their starts and counts say where."""
    return (
        reals.content.data if isinstance(reals.content, Floats) else xp.empty(0, dtype=xp.float64)
    )


def groups_of(counts: Array) -> list[tuple[int, int]]:
    """Lanes in groups of neighbours that have few samples together: from which, up to which.

    What is only needed for a while is then made for a group at a time. On the CPU it stays in the
    cache; on a GPU a group has as many samples as an operation may lay out.
    """
    ends = np.cumsum(to_host(counts))
    groups, first, before = [], 0, 0
    while first < len(ends):
        last = int(np.searchsorted(ends, before + current().most_elements // 4, side="right"))
        last = max(last, first + 1)
        groups.append((first, last))
        first, before = last, int(ends[last - 1])
    return groups
