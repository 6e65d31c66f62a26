"""Finds sets of views that together tell apart all cells of different expected colors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.search.compiled import host_function
from megabatt.runtime.search.rules.views import KINDS, Bytes, Views

_MOST_PAIRS = 4096
"""The most agreeing pairs of views that are found."""
_MOST_VIEWS = 9
_NEAR = 2


def agreeing(views: Views) -> Iterator[list[tuple[int, ...]]]:
    """Yield sets of views that agree with the expected colors: singles and pairs; triples; larger.

    A set is a tuple of places in `views`. A triple has the first view, or one of the views that
    come nearest alone; larger sets grow greedily from one of these same views.
    """
    if not len(views.kinds):
        return
    order = np.random.default_rng(0).permutation(len(views.wanted))
    kinds = np.ascontiguousarray(views.kinds[:, order])
    wanted = views.wanted[order]
    nobody = np.zeros(len(wanted), dtype=np.uint8)
    errors = np.array([_errors(nobody, row, wanted, 1) for row in kinds])
    singles = np.flatnonzero(errors == 0)
    others = np.flatnonzero(errors)
    pairs = others[_pairs(kinds[others], nobody, wanted)]
    yield [*[(single,) for single in singles.tolist()], *map(tuple, pairs.tolist())]
    near = np.argsort(errors, kind="stable")[len(singles) :]
    fixed = list(dict.fromkeys([0, *near[:_NEAR].tolist()]))
    if not len(others):
        return
    yield [
        (place, *pair)
        for place in fixed
        for pair in others[_pairs(kinds[others], kinds[place], wanted)].tolist()
    ]
    yield [chosen for place in fixed for chosen in _greedy(kinds, place, wanted)]


def _greedy(kinds: Bytes, first: int, wanted: Bytes) -> list[tuple[int, ...]]:
    """Add the view that leaves fewest errors, again and again; return nothing if errors stay."""
    chosen = [first]
    _, codes = np.unique(kinds[first], return_inverse=True)
    while len(chosen) < _MOST_VIEWS:
        count = int(codes.max(initial=0)) + 1
        errors = np.array([_errors(codes, row, wanted, count) for row in kinds])
        best = int(errors.argmin())
        if best in chosen:
            return []
        chosen.append(best)
        _, codes = np.unique(codes * KINDS + kinds[best], return_inverse=True)
        if errors[best] == 0:
            return [tuple(chosen)]
    return []


def _pairs(kinds: Bytes, third: Bytes, wanted: Bytes) -> Numbers:
    """Return the pairs of views that agree together with a third view; int64 (pairs, 2)."""
    found = np.empty((_MOST_PAIRS, 2), dtype=np.int64)
    return found[: _agreeing_pairs(np.ascontiguousarray(kinds), third, wanted, found)]


@host_function
def _agreeing_pairs(kinds, third, wanted, found):  # type: ignore[no-untyped-def]
    count = 0
    run = 0
    runs = np.zeros(KINDS * KINDS * KINDS, dtype=np.int64)
    colors = np.zeros(KINDS * KINDS * KINDS, dtype=np.uint8)
    for i in range(len(kinds)):
        for j in range(i):
            run += 1
            agree = True
            for k in range(len(wanted)):
                code = (
                    np.int64(third[k]) * KINDS * KINDS
                    + np.int64(kinds[i, k]) * KINDS
                    + np.int64(kinds[j, k])
                )
                if runs[code] != run:
                    runs[code] = run
                    colors[code] = wanted[k]
                elif colors[code] != wanted[k]:
                    agree = False
                    break
            if agree:
                found[count, 0] = j
                found[count, 1] = i
                count += 1
                if count == len(found):
                    return count
    return count


@host_function
def _errors(codes, kinds, wanted, count):  # type: ignore[no-untyped-def]
    """Count the cells whose expected color is not the most common one of their kind.

    codes: The kinds of cells so far, below `count`.
    """
    counts = np.zeros((count * KINDS, 10), dtype=np.int32)
    for k in range(len(wanted)):
        counts[np.int64(codes[k]) * KINDS + kinds[k], wanted[k] % 10] += 1
    right = 0
    for k in range(len(counts)):
        right += counts[k].max()
    return len(wanted) - right
