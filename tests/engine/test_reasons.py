"""Reasons of failed calls: errors of scalar forms, and their messages."""

from __future__ import annotations

import pytest

from megabatt.runtime import arc
from megabatt.runtime.engine.language.limits import SHORTAGES, LimitError
from megabatt.runtime.engine.language.reasons import Reason, detail_of
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.engine.language.values import show
from tests.engine.machine_values import tower

GRID = ((1, 2), (3, 4))
OBJECT = frozenset({(1, (0, 0))})
OBJECTS = frozenset({OBJECT, frozenset({(2, (0, 1))})})

CALLS = {
    (arc.vmirror, 3): (Reason.TYPE, "`piece` must be a Piece, got an Integer"),
    (arc.move, GRID, OBJECTS, (1, 0)): (
        Reason.TYPE, "`obj` must be an Object, got Objects (a set of 2 objects)",
    ),
    (arc.recolor, 3, ((1, 2, 3),)): (Reason.TYPE, "`patch` must be a Patch, got a Grid"),
    (arc.hconcat, OBJECT, GRID): (Reason.TYPE, "`a` must be a Grid, got an Object"),
    (arc.hconcat, (1, 2), GRID): (Reason.TYPE, "`a` must be a Grid, got a tuple of 2 Integers"),
    (arc.item, OBJECTS, 0): (
        Reason.TYPE,
        "`container` must be a Tuple, got a set of 2 sets, which has no places: "
        "write first(...) or totuple(...)",
    ),
    (arc.size, True): (Reason.TYPE, "`container` must be a Container, got a Boolean"),
    (arc.apply, None, GRID): (Reason.TYPE, "`function` must be a Callable, got None"),
    (arc.canvas, arc.vmirror, (1, 1)): (Reason.TYPE, "`value` must be an Integer, got a function"),
    (3, GRID): (Reason.TYPE, "'int' object is not callable"),
    (arc.mapply, arc.size, GRID): (Reason.TYPE, "only containers are merged, got Integer"),
    (arc.divide, 1, 0): (Reason.VALUE, "integer division or modulo by zero"),
    (arc.power, arc.size, 0): (Reason.VALUE, "power: n must be at least 1"),
    (arc.canvas, 1, (30, 40)): (
        Reason.LIMIT, "takes 1,200 elements and calls; max_elements allows 1,000",
    ),
    (arc.initset, tower(40, 0, 1)): (
        Reason.LIMIT, "builds 1,099,511,627,776 elements or more, or a value nested too deeply",
    ),
    (arc.add, 2**31 - 1, 1): (Reason.LIMIT, "an Integer out of range"),
    (arc.add, 1): (Reason.ARITY, "add needs 1 more value: 'b'"),
    (arc.size, GRID, GRID): (Reason.ARITY, "size takes 1 value, got 2"),
    (arc.compose(arc.size, arc.size), GRID, GRID): (
        Reason.ARITY, "the function called takes 1 value, got 2",
    ),
    (arc.fork(arc.add, arc.size, arc.size),): (
        Reason.ARITY, "the function called needs 1 more value: 'x'",
    ),
    (arc.sfilter, GRID, arc.shift): (Reason.ARITY, "shift needs 1 more value: 'directions'"),
    (arc.lbind(arc.add, 1), 1, 2): (Reason.ARITY, "lbind: a function of 1 value is called with 2"),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=show)
def test_a_call_that_fails_says_why(call):
    reason, detail = CALLS[call]
    with arc.LANGUAGE.in_use():
        _, error, _ = attempt(call[0], call[1:], 1000)
    assert Reason.of(error) == reason
    assert detail == detail_of(error)


def test_other_errors_are_of_the_value_and_reasons_are_read_as_words():
    assert {Reason.of(error()) for error in (ValueError, KeyError, IndexError)} == {Reason.VALUE}
    assert {Reason.of(error()) for error in SHORTAGES} == {Reason.NOT_COMPUTED}
    assert Reason.of(None) == Reason.NONE
    assert Reason.of(LimitError()) == Reason.LIMIT
    assert detail_of(LimitError()) == "LimitError"
    assert list(map(str, Reason)) == ["none", "type", "value", "limit", "arity", "not computed"]
