"""Type validation on the machine decides for values of any form without the scalar form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from tests.arc.lanes import assert_same

CELLS = frozenset({(1, (0, 0)), (2, (0, 1))})

ILL_TYPED = {
    "pairs among cells": (arc.lrcorner, [(((1, 1), (4, (0, 0))),), (((1, 1), (2, 2)),)]),
    "rows among pairs": (arc.box, [(((1, 1), (2, 2, 2)),), (((1, 1), (2, 2)),)]),
    "Booleans in places": (arc.dmirror, [(frozenset({(True, 3)}),), (CELLS,)]),
    "rows of unlike length": (arc.upscale, [(((0, 0), (0,)), 2), (((True, 2), (3, 4)), 2)]),
    "rows that are empty": (arc.colorcount, [(((), ()), 1), (((1,), (1,)), 1)]),
    "an Integer among rows": (arc.trim, [((0, (0, 0), 0),), (((1, 2), (3, 4), (5, 6)),)]),
    "sets of grids": (arc.lowermost, [(frozenset({((1, 2), (3, 4))}),), (CELLS,)]),
    "tuples for a pair": (arc.dneighbors, [((1, (2, 3)),), ((True, 3),), ((1, 2, 3),)]),
    "None for a number": (arc.add, [((1, None), 2), ((1, 2), 3), (4, (5, 6))]),
    "cells for Integers": (arc.maximum, [((1, (0, 0)),), ((1, 2),), ((True, 3),)]),
}


@pytest.mark.parametrize("name", ILL_TYPED)
def test_validation_needs_no_scalar_form(name):
    function, lanes = ILL_TYPED[name]
    assert assert_same(function, lanes) == []


@pytest.mark.parametrize(
    ("function", "lanes"),
    [
        (arc.dmirror, [(frozenset({(1, (0, 1 << 22))}),)]),
        (arc.width, [(frozenset({(0, 1 << 22), (5, 5)}),)]),
    ],
)
def test_what_pairs_on_the_machine_cannot_hold_is_the_scalar_form_s(function, lanes):
    assert assert_same(function, lanes) == lanes


small = st.one_of(st.integers(-9, 9), st.booleans(), st.none())
nested = st.recursive(
    st.one_of(small, st.tuples(small, small), st.tuples(small, st.tuples(small, small))),
    lambda parts: st.one_of(
        st.lists(parts, max_size=4).map(tuple),
        st.frozensets(parts, max_size=4),
        st.tuples(parts, parts),
        st.lists(st.just(()), max_size=3).map(tuple),
    ),
    max_leaves=10,
)
OF_EVERY_TYPE = [arc.dneighbors, arc.double, arc.trim, arc.box, arc.dmirror, arc.maximum, arc.color]


@pytest.mark.parametrize("function", OF_EVERY_TYPE, ids=lambda f: f.__name__)
@given(st.lists(st.tuples(nested), min_size=1, max_size=6))
def test_small_values_of_any_form_need_no_scalar_form(function, lanes):
    assert assert_same(function, lanes) == []
