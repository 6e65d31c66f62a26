"""Both forms of a primitive side by side: random lanes, and the comparison lane by lane."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import UNLIMITED, LimitError, budget
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.registry import Language, Primitive
from megabatt.runtime.engine.language.values import identical, of_language, show
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.layout import (
    BUDGET,
    END,
    FULL,
    HOST,
    MOST_OPERANDS,
    TOP,
    WRONG,
)
from megabatt.runtime.search.calls import learnt
from tests.engine.machine_calls import call_once, made, reason_in
from tests.engine.machine_values import built_of, reals, values

integers = st.one_of(
    st.integers(-3, 12),
    st.integers(-3, 12),
    st.sampled_from([-(2**31), 2**31 - 1, 2**20, -(2**20) - 1, 127, 128, -128, -129]),
)
booleans = st.booleans()
small = st.integers(-2, 9)
pairs = st.tuples(st.integers(-4, 8), st.integers(-4, 8))
wide_pairs = st.one_of(pairs, pairs, st.tuples(integers, integers))
colors = st.integers(0, 9)
cells = st.tuples(colors, pairs)
indices = st.frozensets(pairs, max_size=6)
objects = st.frozensets(cells, max_size=6)
one_color = st.builds(lambda c, s: frozenset((c, ij) for ij in s), colors, indices)
patch_sets = st.one_of(indices, objects, one_color)
far = st.sampled_from([-70, -1, 0, 1, 62, 63, 64, 125, 126, 127, 2**20 - 1, -(2**20)])
far_indices = st.frozensets(st.tuples(far, far), max_size=4)


@st.composite
def grids(draw: Any, max_side: int = 5, cells: Any = None) -> Any:
    h, w = draw(st.integers(0, max_side)), draw(st.integers(0, max_side))
    few = st.sampled_from(draw(st.lists(colors, min_size=1, max_size=3)))
    few = few if cells is None else cells
    return tuple(tuple(draw(few) for _ in range(w)) for _ in range(h))


def tuples(elements: Any, most: int) -> Any:
    return st.lists(elements, max_size=most).map(tuple)


filled_grids = grids().filter(lambda grid: grid and grid[0])
odd_grids = grids(3, st.one_of(st.integers(-1, 300), st.booleans()))
patches = st.one_of(indices, objects, one_color, tuples(cells, 4), tuples(pairs, 4))
odd_patches = st.frozensets(wide_pairs, max_size=3)
object_sets = st.frozensets(st.one_of(objects, one_color), max_size=4)
of_one = st.sampled_from(
    [
        arc.size, arc.first, arc.last, arc.identity, arc.color, arc.increment, arc.height,
        arc.toindices, arc.palette, arc.initset, arc.positive, arc.even, arc.ulcorner,
        arc.normalize, arc.numcolors, arc.flip,
    ]
)  # fmt: skip
of_several = st.sampled_from(
    [
        arc.add, arc.subtract, arc.greater, arc.equality, arc.contained, arc.branch, arc.combine,
        arc.apply, arc.mapply, arc.rapply, arc.sfilter, arc.order, arc.compose, arc.lbind,
        arc.rbind, arc.hmatching, arc.shift,
    ]
)  # fmt: skip
built = st.recursive(
    st.one_of(of_one, of_one, of_several),
    lambda inner: built_of(inner, st.one_of(small, pairs, booleans)),
    max_leaves=4,
)
functions = st.one_of(of_one, built)
odd = st.sampled_from(
    [
        (True, 0), ((1,), (2, 3)), frozenset({(1, 2), (3, (4, 5))}), ((0, 1), (2, 3), (0, 1)),
        frozenset({frozenset({(1, (0, 0))})}), frozenset({True, 2}), frozenset({((1, 2), (3, 4))}),
        ((1, 1), (4, (0, 0))), ((1, 1), (2, 2, 2)), (0, (0, 0), 0), (1, None), arc.apply,
    ]
)  # fmt: skip
wrong = st.one_of(odd, values)
containers = st.one_of(
    tuples(integers, 5), st.frozensets(integers, max_size=5), indices, objects, object_sets,
    tuples(objects, 3), pairs, cells, grids(3), tuples(pairs, 4), tuples(indices, 3),
    st.frozensets(grids(2), max_size=3), st.frozensets(indices, max_size=3),
    tuples(st.one_of(integers, pairs, booleans), 4), st.tuples(objects, integers),
    tuples(functions, 3),
)  # fmt: skip
anything = st.one_of(
    integers, booleans, reals, pairs, cells, grids(3), patches, containers, functions, wrong
)

BY_TYPE: dict[str, Any] = {
    "Any": anything,
    "Boolean": booleans,
    "Integer": integers,
    "Number": st.one_of(integers, booleans, reals),
    "IntegerTuple": wide_pairs,
    "Numerical": st.one_of(integers, wide_pairs),
    "IntegerSet": st.one_of(st.frozensets(integers, max_size=5), tuples(integers, 4)),
    "Grid": st.one_of(grids(), grids(), grids(), odd_grids),
    "Object": st.one_of(objects, one_color, tuples(cells, 5)),
    "Objects": object_sets,
    "Patch": st.one_of(patches, patches, patches, odd_patches),
    "Piece": st.one_of(patches, grids()),
    "Element": st.one_of(objects, one_color, grids()),
    "Piece or tuple": st.one_of(patches, grids(), containers),
    "Container": containers,
    "ContainerContainer": st.one_of(object_sets, tuples(containers, 3), grids(3)),
    "FrozenSet": st.one_of(indices, objects, object_sets, st.frozensets(integers, max_size=5)),
    "Tuple": st.one_of(tuples(integers, 5), tuples(objects, 3), grids(3), pairs),
    "TupleTuple": tuples(pairs, 4),
    "Callable": functions,
}

LIMIT = 131_072
"""The default limit of a call in tests, high enough that only exploding calls exceed it."""


def argument(declared: Any) -> Any:
    """Return a strategy for values of a declared type, and seldom of another type."""
    right = BY_TYPE[declared.name]
    return st.integers(0, 11).flatmap(lambda k: wrong if k == 0 else right)


def lanes_of(primitive: Primitive, max_lanes: int = 6, **given: Any) -> Any:
    """Return a strategy for lists of argument tuples. given: strategies for parameters by name."""
    arguments = [
        given.get(name, argument(declared))
        for name, declared in zip(primitive.parameters, primitive.types, strict=True)
    ]
    return st.lists(st.tuples(*arguments), min_size=1, max_size=max_lanes)


def scalar(
    function: Callable[..., Any], args: tuple[Any, ...], max_elements: int
) -> tuple[bool, Any, int]:
    """Return whether a call succeeds, its result or error, and its charge (0 if it fails)."""
    budget.left = max_elements
    try:
        return True, function(*args), max_elements - budget.left
    except Exception as error:
        return False, error, 0
    finally:
        budget.left = UNLIMITED


def charge_of(function: Callable[..., Any], *args: Any) -> int:
    """Return the charge of a call. Asserts that the call succeeds."""
    succeeded, result, charged = scalar(function, args, 1000)
    assert succeeded, result
    return charged


@cache
def _heap_of(language: Language) -> Heap:
    return Heap(language, 1 << 22)


def assert_compiled(
    language: Language, function: Any, args: tuple[Any, ...], expected: tuple[bool, Any, int],
    max_elements: int,
) -> bool:
    """Check that the machine gives the scalar form's result, or leaves the call to that form.

    expected: Whether the scalar form succeeds, its result or error, and its charge. Returns whether
    the machine makes the call.
    """
    heap = _heap_of(language)
    top = heap.top
    words = [heap.put(value) for value in (function, *args)]
    begin = heap.top
    result = call_once(heap, words, max_elements)
    used = heap.top - begin
    spent = max_elements - int(heap.array[BUDGET])
    succeeded, right, charged = expected
    value = heap.get(result) if result > WRONG else None
    canonical = not succeeded or result <= WRONG or _has_form_of(heap, result, right)
    heap.array[TOP] = top
    in_little_room = calls_in_little_room(heap, words, max_elements, begin, used)
    text = f"{getattr(function, '__name__', function)}({', '.join(map(show, args))})"
    assert set(in_little_room) <= {result, FULL}, f"{text}: {result} has no room, {in_little_room}"
    if result == HOST:
        return False
    if not succeeded:
        assert reason_in(result) == Reason.of(right), (
            f"{text}: scalar fails ({right!r}), machine: {reason_in(result)}, {show(value)}"
        )
    else:
        assert result > WRONG, f"{text}: scalar gives {show(right)}, machine fails ({result})"
        assert identical(value, right), f"{text}: scalar {show(right)}, machine {show(value)}"
        assert canonical, f"{text}: {show(value)} lacks the form that `put` gives it"
        assert spent == charged, f"{text}: scalar charges {charged}, machine {spent}"
    return True


def calls_in_little_room(
    heap: Heap, words: list[int], max_elements: int, begin: int, used: int
) -> list[int]:
    """Make a call with its heap's top at `begin`, with room for 0 to `used` words.

    Returns the word of the result for each room.
    """
    end = int(heap.array[END])
    padded = [*words, *[0] * (MOST_OPERANDS - len(words))]
    results = []
    for room in {*range(min(used, 4)), *np.linspace(0, used, 7).astype(int).tolist()}:
        heap.array[TOP], heap.array[END] = begin, begin + room
        behind = heap.array[begin + room : begin + room + 64]
        behind[:] = -1
        results.append(int(made(heap.array, *padded, len(words) - 1, max_elements)))
        heap.array[END] = end
        assert (behind == -1).all(), "written where there is no room"
    return results


def _has_form_of(heap: Heap, word: int, value: Any) -> bool:
    """Tell whether a word is a value's word, or stands for equal nodes.

    Tells also whether the word has the value's fingerprint and kind.
    """
    words = np.array([word]), np.array([heap.put(value)])
    made, put = ([of[0] for of in learnt(heap, one)] for one in words)
    return bool(heap.same(*words)[0]) and made == put


def assert_same(
    function: Any, lanes: list[tuple[Any, ...]], max_elements: int = LIMIT,
    language: Language = arc.LANGUAGE,
) -> list[tuple[Any, ...]]:
    """Check that both forms give the same values (types included), failures and charges.

    Return the arguments of the calls that the machine leaves to the scalar form.
    """
    return [
        args
        for args in lanes
        if not assert_compiled(language, function, args, scalar(function, args, max_elements),
                               max_elements)
    ]  # fmt: skip


def assert_defined(function: Any, definition: Any, args: list[Any]) -> None:
    """Check that both forms of a primitive give what its definition gives.

    All fail if no value is defined, or if it has an Integer beyond the language's.
    """
    try:
        expected = of_language(definition(*args))
    except (ArithmeticError, IndexError, LimitError, TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            function(*args)
    else:
        assert identical(function(*args), expected)
    assert_same(function, [tuple(args)])
