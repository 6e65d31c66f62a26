"""Enumerations on several tasks in step: each call is made for all of them together.

A call costs about as much for a few values as for a few thousand. Tasks want the same primitives
called in the same order, as the grammar is the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from megabatt.runtime.engine.columns import Unsupported
from megabatt.runtime.engine.limits import SHORTAGES
from megabatt.runtime.engine.plan.together import Made, Request, called, keep_together

if TYPE_CHECKING:
    from megabatt.runtime.search.enumerate.enumeration import Enumeration, Found

LOAD_AT_ONCE = 1 << 15
"""The load of calls that are made together: their lanes, or the weight of the values that functions
are called on. Much heavier ones would have to be made in parts, and each part would make the steps
of every function again."""


class Wanted(NamedTuple):
    """Calls that an enumeration needs before it can go on.

    place: how far it has come, in an order that is the same for all tasks; load: of the calls.
    """

    request: Request
    place: tuple[float, ...]
    load: int


def run_together(
    enumerations: Sequence[Enumeration],
    most_candidates: int | None = None,
    going_on: Callable[[Enumeration], bool] = lambda enumeration: True,
) -> Iterator[tuple[Enumeration, Found]]:
    """Go on with enumerations from where they have stopped, and yield what they find.

    They must have one space. Each makes the candidates that it makes alone, but for some that fail:
    values made together may lie in other layouts, which tell less about what takes them.
    most_candidates: how many each makes at most, in all runs together; going_on: asked for each
    between calls.
    """
    while True:
        for one in enumerations:
            for found in one.take_found():
                yield one, found
        left = [
            one
            for one in enumerations
            if (most_candidates is None or one.counts.candidates < most_candidates)
            and going_on(one)
        ]
        if not left:
            return
        with left[0].language.in_use():
            pausing = [one for one in left if one.wanted is None]
            for one in pausing:
                one.go_on()
            if not pausing:
                _call(_next(left))


def _next(enumerations: Sequence[Enumeration]) -> list[tuple[Enumeration, Wanted]]:
    """Return whose calls are made next: of those that are behind as many as may be made at once."""
    wanting = [(one, one.wanted) for one in enumerations if isinstance(one.wanted, Wanted)]
    behind = min(wanted.place for _, wanted in wanting)
    chosen: list[tuple[Enumeration, Wanted]] = []
    load = 0
    for one, wanted in wanting:
        if wanted.place == behind and (not chosen or load + wanted.load <= LOAD_AT_ONCE):
            chosen.append((one, wanted))
            load += wanted.load
    return chosen


def _call(chosen: Sequence[tuple[Enumeration, Wanted]]) -> None:
    """Make the calls that enumerations want, all of one primitive, and let them go on."""
    began = time.perf_counter()
    try:
        made = called([wanted.request for _, wanted in chosen])
        _ = made[0].results.fingerprints  # takes memory too
    except (*SHORTAGES, Unsupported) as error:
        if len(chosen) == 1:
            chosen[0][0].give_up(error)
        else:
            for pair in chosen:
                _call([pair])
        return
    chosen[0][0].space.seconds_calling += time.perf_counter() - began
    for (one, _), of_one in zip(chosen, made, strict=True):
        one.go_on(of_one)
    keeping = [(one, one.wanted) for one, _ in chosen if isinstance(one.wanted, Made)]
    if keeping:
        keep_together([(one.bank, kept) for one, kept in keeping])
    for one, _ in keeping:
        one.go_on()
