"""Both forms of a primitive side by side: random lanes, and the comparison lane by lane."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import UNLIMITED, LimitError, budget
from megabatt.runtime.engine.language.registry import Language, Primitive
from megabatt.runtime.engine.language.values import identical, of_language
from tests.arc.on_machine import assert_compiled
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


def assert_same(
    function: Any, lanes: list[tuple[Any, ...]], max_elements: int = LIMIT,
    language: Language = arc.LANGUAGE,
) -> list[tuple[Any, ...]]:
    """Check that both forms give the same values (types included), failures and charges.

    Return the arguments of the calls that the machine leaves to the scalar form.
    """
    expected = [scalar(function, args, max_elements) for args in lanes]
    made = [
        assert_compiled(language, function, args, found, max_elements)
        for args, found in zip(lanes, expected, strict=True)
    ]
    return [args for args, by_machine in zip(lanes, made, strict=True) if not by_machine]


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
