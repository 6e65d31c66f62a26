"""Which values a primitive is called on next: all combinations whose cost lies in a window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

_NARROW = 1e-3
"""A window, in bits, that is not divided further."""


class Place(NamedTuple):
    """What may stand at a place of a primitive, cheapest first.

    numbers: int64 (n,); costs: float64 (n,), ascending: of each value, with what it costs there.
    """

    numbers: Array
    costs: Array

    @classmethod
    def of(cls, numbers: Array, costs: Array) -> Place:
        order = np.argsort(costs, kind="stable")
        return cls(numbers[order], costs[order])


def combinations(
    places: Sequence[Place], above: float, most: float, at_once: int
) -> Iterator[tuple[list[Array], Array]]:
    """All combinations, a value for each place, whose costs sum to more than `above` and at most
    `most`.

    Yields some of them at a time: the values' numbers, an int64 array for each place, and their
    sums. Where there are more than `at_once`, the cheaper ones come first.
    """
    if not all(len(place.costs) for place in places):
        return
    waiting = [(above, most)]
    while waiting:
        low, high = waiting.pop()
        found = _within(places, low, high, at_once if high - low > _NARROW else None)
        if found is None:
            middle = (low + high) / 2
            waiting += [(middle, high), (low, middle)]
        elif len(found[1]):
            yield found


def _within(
    places: Sequence[Place], above: float, most: float, at_once: int | None
) -> tuple[list[Array], Array] | None:
    """All combinations in a window; None where they, or those of its first places, are too many."""
    least = [float(place.costs[0]) for place in places]
    sums = np.zeros(1)
    chosen: list[Array] = []
    for k, place in enumerate(places):
        last = k == len(places) - 1
        ends = np.searchsorted(place.costs, most - sum(least[k + 1 :]) - sums, "right")
        begins = np.searchsorted(place.costs, above - sums, "right") if last else 0 * ends
        counts = np.maximum(ends - begins, 0)
        if at_once is not None and counts.sum() > at_once:
            return None
        into = np.repeat(np.arange(len(sums)), counts)
        at = np.arange(len(into)) - np.repeat(np.cumsum(counts) - counts - begins, counts)
        sums = sums[into] + place.costs[at]
        chosen = [*[numbers[into] for numbers in chosen], place.numbers[at]]
    return chosen, sums
