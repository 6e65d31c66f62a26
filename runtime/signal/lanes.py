"""The parameters and keys of lanes, for rules."""

from __future__ import annotations

from typing import Any

from megabatt.runtime.engine.columns import Floats, Ints, Lists
from megabatt.runtime.engine.columns.rules import Frame
from megabatt.runtime.engine.device.arrays import Array, where_set, xp
from megabatt.runtime.engine.device.device import MAX, current
from megabatt.runtime.engine.device.scheduling import ask
from megabatt.runtime.signal.parameters import PARAMETERS, PLACES


def values_of(frame: Frame, parameters: Lists, name: str) -> Array:
    """Return a parameter of every lane, float64 (n,). A lane with a value out of range fails."""
    about = PARAMETERS[name]
    values = parameters.content.data[parameters.starts + PLACES[name]]  # type: ignore[attr-defined]
    wrong = ~((values >= about.least) & (values <= about.most))
    frame.fail(wrong)
    return xp.where(wrong, about.default, values)


class Streams:
    """The lanes' streams of random numbers: one for each lane's key and site.

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
        """The arrays for kernels."""
        return self.seeds, self.samples, self.receivers, self.sites


def numbers_of(reals: Lists) -> Array:
    """Return the numbers of lists of Reals, float64; the lists' starts and counts refer to them."""
    return (
        reals.content.data if isinstance(reals.content, Floats) else xp.empty(0, dtype=xp.float64)
    )


def groups_of(counts: Array) -> list[tuple[int, int]]:
    """Group adjacent lanes, few samples a group; a group is (first lane, end).

    Intermediate results are made for one group at a time. On the CPU the results stay in the cache;
    on a GPU a group has as many samples as an operation may lay out.
    """
    n = len(counts)
    size = _group_size(ask(counts, MAX)) if n else 1
    return [(first, min(first + size, n)) for first in range(0, n, size)]


def _group_size(count: int) -> int:
    """Return the number of lanes of a group if each has `count` samples."""
    return max(1, current().most_elements // (4 * max(count, 1)))


def groups_by_length(counts: Array) -> list[tuple[int, Array]]:
    """Group the lanes that have samples by equal lengths; a group is (length, lanes)."""
    groups = []
    left = counts
    while len(counts):
        length = ask(left, MAX)
        if length == 0:
            break
        lanes = where_set(left == length)
        size = _group_size(length)
        groups += [(length, lanes[at : at + size]) for at in range(0, len(lanes), size)]
        left = xp.where(left == length, 0, left)
    return groups


class Scratch:
    """Memory that groups of lanes reuse, since allocating costs more than the work."""

    def __init__(self, dtype: Any) -> None:
        self._room = xp.empty(0, dtype=dtype)

    def of(self, count: int) -> Array:
        """Return room for `count` elements, not cleared."""
        if len(self._room) < count:
            self._room = xp.empty(count, dtype=self._room.dtype)
        return self._room[:count]
