"""What the values of a column count for against the budget: their weight, and the cost of calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import int64

from runtime.engine.arrays import Array, offsets_of, xp
from runtime.engine.columns import (
    Bools,
    Cells,
    Column,
    Functions,
    Grids,
    Hosts,
    Indexed,
    Ints,
    Lists,
    Nones,
    Pairs,
    Records,
    Sequences,
    Uniform,
    Union,
)
from runtime.engine.columns.views import as_sequences, interleave
from runtime.engine.kernels import lane_kernel
from runtime.engine.limits import MAX_DEPTH, TOO_DEEP
from runtime.engine.values import depth_of, size_of, total_weight

_OTHER, _INTEGER, _PAIR = 0, 1, 2


def weights(column: Column, levels: int = MAX_DEPTH) -> Array:
    """`values.weight` of every lane's value; int64 (n,).

    levels: how many containers may lie one in the other; what is deeper weighs `TOO_DEEP`.
    """
    n = len(column)
    if isinstance(column, Uniform):
        return xp.full(n, total_weight([column.value], levels), dtype=xp.int64)
    if isinstance(column, Indexed):
        return column.measured(lambda content: weights(content, levels))
    if isinstance(column, Records):
        return weights(interleave(list(column.fields)), levels)
    if isinstance(column, (Grids, Sequences)):
        total = _some(element_weights(column, levels - 1))
        places = _are_places(column) if isinstance(column, Lists) else None
        return total if places is None else xp.where(places, 1, total)
    if isinstance(column, Union):
        return column.measured(lambda part: weights(part, levels))
    if isinstance(column, Hosts):
        each = [total_weight([value], levels) for value in column.decode()]
        return xp.asarray(np.array(each, dtype=np.int64))
    return xp.ones(n, dtype=xp.int64)


def all_weigh_one(column: Column) -> bool:
    """Whether the layout alone says that every value weighs 1."""
    if isinstance(column, Indexed):
        return all_weigh_one(column.content)
    if isinstance(column, Uniform):
        return total_weight([column.value]) == 1
    return isinstance(column, (Ints, Bools, Nones, Functions, Pairs, Cells))


def _some(counts: Array) -> Array:
    return xp.maximum(counts, 1)


def element_weights(column: Column, levels: int = MAX_DEPTH) -> Array:
    """The weights of the elements of every lane's container together; int64 (n,)."""
    if isinstance(column, Grids) and levels > 0:  # a row of two Integers is a pair
        return column.heights * xp.where(column.widths == 2, 1, _some(column.widths))
    sequences = as_sequences(column)
    assert sequences is not None
    content = sequences.content
    if levels < 0:
        return xp.where(sequences.counts > 0, TOO_DEEP, 0)
    if all_weigh_one(content):
        return sequences.counts
    running = offsets_of(weights(content, levels))
    totals = xp.empty(len(sequences), dtype=xp.int64)
    weigh_run(len(sequences), sequences.starts, sequences.counts, running, totals)
    return totals


@lane_kernel
def weigh_run(lane, starts, counts, running, totals):  # type: ignore[no-untyped-def]
    """What the elements of a container weigh, of which `running` has the sums."""
    total = running[starts[lane] + counts[lane]] - running[starts[lane]]
    totals[lane] = min(total, int64(TOO_DEEP))


def _are_places(lists: Lists) -> Array | None:
    """Which tuples are pairs of Integers or cells; bool (n,), or None where the layout says that
    none is."""
    if isinstance(lists.content, (Ints, Bools)):
        return lists.counts == 2
    if not isinstance(lists.content, (Union, Hosts, Uniform)):  # no element is an Integer
        return None
    first, second = _classes_of_two(lists, 1)
    return (first == _INTEGER) & ((second == _INTEGER) | (second == _PAIR))


def _classes_of_two(lists: Lists, levels: int) -> tuple[Array, Array]:
    """What the two elements are of tuples of two; `_OTHER` for those of other lengths."""
    classes = xp.append(_classes(lists.content, levels), xp.zeros(2, dtype=xp.int64))
    at = xp.where(lists.counts == 2, lists.starts, len(lists.content))
    return classes[at], classes[at + 1]


def _classes(column: Column, levels: int) -> Array:
    """`_INTEGER`, `_PAIR` (of Integers; not asked for at level 0) or `_OTHER`; int64 (n,)."""
    n = len(column)
    if isinstance(column, (Ints, Bools)):
        return xp.full(n, _INTEGER, dtype=xp.int64)
    if isinstance(column, Pairs):
        return xp.full(n, _PAIR, dtype=xp.int64)
    if isinstance(column, Records) and levels:
        return _classes(interleave(list(column.fields)), levels)
    if isinstance(column, Lists) and levels:
        first, second = _classes_of_two(column, levels - 1)
        return xp.where((first == _INTEGER) & (second == _INTEGER), _PAIR, _OTHER)
    if isinstance(column, Union):
        return column.measured(lambda part: _classes(part, levels))
    result = xp.zeros(n, dtype=xp.int64)
    if isinstance(column, (Hosts, Uniform)):
        for lane, value in enumerate(column.decode()):
            result[lane] = _class_of(value)
    return result


def _class_of(value: object) -> int:
    if isinstance(value, int):
        return _INTEGER
    if isinstance(value, tuple) and len(value) == 2 and all(isinstance(e, int) for e in value):
        return _PAIR
    return _OTHER


def call_costs(function: Column) -> Array | int:
    """`values.call_cost` of every lane's function; int64 (n,), or an int where all are alike."""
    return 1 + sizes(function) // 16


def sizes(column: Column) -> Array | int:
    """`values.size_of` every lane's function, 0 for what is no function.

    int64 (n,), or an int where it is the same in all lanes.
    """
    if isinstance(column, Functions):
        return column.sizes
    if isinstance(column, Uniform):
        return _of_value(column.value, size_of)
    if isinstance(column, (Indexed, Union, Hosts)):
        return _of_functions(column, size_of, lambda functions: functions.size_array())
    return 0


def as_array(measure: Array | int, lanes: int) -> Array:
    """A measure of every lane, where it may be a number for all of them."""
    return xp.full(lanes, measure, dtype=xp.int64) if isinstance(measure, int) else measure


def _of_value(value: Any, measure: Callable[[Any], int]) -> int:
    return measure(value) if callable(value) else 0


def deepest(column: Column) -> int:
    """The depth (`values.depth_of`) that no lane's function exceeds; 0 where there is none."""
    if isinstance(column, Functions):
        return 1 + max(map(deepest, column.bound))
    if isinstance(column, Indexed):
        return deepest(column.content)
    if isinstance(column, Union):
        return max(map(deepest, column.parts))
    if isinstance(column, Uniform):
        return depth_of(column.value)
    return max(map(depth_of, column.values), default=0) if isinstance(column, Hosts) else 0


def depths(column: Column) -> Array:
    """`values.depth_of` every lane's value; int64 (n,)."""
    return _of_functions(column, depth_of, _depths_of_tree)


def _depths_of_tree(functions: Functions) -> Array:
    return 1 + most_deep(functions.bound, len(functions))


def most_deep(columns: list[Column], lanes: int) -> Array:
    """The greatest depth among each lane's values; int64 (n,)."""
    deepest_yet = xp.zeros(lanes, dtype=xp.int64)
    for column in columns:
        deepest_yet = xp.maximum(deepest_yet, depths(column))
    return deepest_yet


def _of_functions(
    column: Column, of_value: Callable[[Any], int], of_tree: Callable[[Functions], Array]
) -> Array:
    """A measure of every lane's function; 0 for what is no function; int64 (n,)."""
    n = len(column)
    if isinstance(column, Functions):
        return of_tree(column)
    if isinstance(column, Uniform):
        return xp.full(n, _of_value(column.value, of_value), dtype=xp.int64)
    if isinstance(column, Indexed):
        return column.measured(lambda content: _of_functions(content, of_value, of_tree))
    if isinstance(column, Union):
        return column.measured(lambda part: _of_functions(part, of_value, of_tree))
    result = xp.zeros(n, dtype=xp.int64)
    if isinstance(column, Hosts):
        for lane, value in enumerate(column.decode()):
            result[lane] = _of_value(value, of_value)
    return result
