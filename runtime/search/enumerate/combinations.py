"""The values that a primitive is called on next: all combinations whose cost lies in a window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.search.compiled import host_function

Array = np.ndarray[Any, Any]

_NARROW = 1e-3
"""The width, in bits, of a window that is not divided further."""


class Choices(NamedTuple):
    """The values known so far, cheapest first.

    numbers, heads: int64 (n,). costs: float64 (n,). layouts: int64 (n,), -1 for functions.
    made: bool (n,), whether an operation has made the value.
    """

    numbers: Array
    costs: Array
    heads: Array
    layouts: Array
    made: Array


class Taken(NamedTuple):
    """The values that a place takes.

    layouts: bool (layouts + 1,), the last for functions. edges: float64 (heads,), the cost of each
    head there. step: The least cost of the head there if an operation has made the value.
    """

    layouts: Array
    edges: Array
    step: float


class PlaceChoices(NamedTuple):
    """The values that may stand at a place of a primitive, cheapest first.

    numbers: int64 (n,), the values' numbers. costs: float64 (n,), ascending: the cost of each value
    plus the cost of the value's head at this place.
    """

    numbers: Array
    costs: Array


def left_for(choices: Choices, taken: Sequence[Taken], most: float) -> list[float] | None:
    """Return the cost left for each place in calls of cost `most`, if the others cost least.

    Returns None if there are no such calls.
    """
    least = [_least(*choices[1:], *place, most) for place in taken]
    total = sum(least)
    return None if total > most else [most - (total - of_place) for of_place in least]


def places_of(choices: Choices, taken: Sequence[Taken], most: float) -> list[PlaceChoices] | None:
    """Return the choices at each place of a primitive in calls that cost at most `most`.

    Returns None if there are no such calls.
    """
    left = left_for(choices, taken, most)
    if left is None:
        return None
    places = []
    for place, of_place in zip(taken, left, strict=True):
        found, costs = _affordable(*choices[1:], *place, of_place)
        order = np.argsort(costs, kind="stable")
        places.append(PlaceChoices(choices.numbers[found[order]], costs[order]))
    return places


@host_function
def _cost_at(k: int, costs: Array, heads: Array, made: Array, edges: Array, step: float) -> float:
    edge = edges[heads[k]]
    if made[k] and edge < step:
        edge = step
    return costs[k] + edge


@host_function
def _least(
    costs: Array, heads: Array, layouts: Array, made: Array,
    takes: Array, edges: Array, step: float, most: float,
) -> float:  # fmt: skip
    """Return the least cost of a value at a place; infinity if the cost is more than `most`."""
    least = np.inf
    for k in range(len(costs)):
        if costs[k] > most or costs[k] > least:
            break
        if takes[layouts[k]]:
            least = min(least, _cost_at(k, costs, heads, made, edges, step))
    return least if least <= most else np.inf


@host_function
def _affordable(
    costs: Array, heads: Array, layouts: Array, made: Array,
    takes: Array, edges: Array, step: float, most: float,
) -> tuple[Array, Array]:  # fmt: skip
    """Find the values that a place takes at a cost of at most `most`, and their costs there."""
    end = np.searchsorted(costs, most, "right")
    found = np.empty(end, dtype=np.int64)
    at_place = np.empty(end, dtype=np.float64)
    count = 0
    for k in range(end):
        if takes[layouts[k]]:
            cost = _cost_at(k, costs, heads, made, edges, step)
            if cost <= most:
                found[count] = k
                at_place[count] = cost
                count += 1
    return found[:count].copy(), at_place[:count].copy()


def combinations(
    places: Sequence[PlaceChoices], above: float, most: float, at_once: int
) -> Iterator[tuple[list[Array], Array]]:
    """Yield the combinations that cost more than `above` and at most `most`.

    A combination has a value for each place, and costs their sum. Each yield has several
    combinations: the values' numbers, an int64 array for each place, and the sums. If there are
    more than `at_once`, the cheaper combinations come first.
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
    places: Sequence[PlaceChoices], above: float, most: float, at_once: int | None
) -> tuple[list[Array], Array] | None:
    """Return all combinations in a window; None if they exceed `at_once` at some place."""
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
