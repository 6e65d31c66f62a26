"""A declared charge: the same in both forms, and paid once, whether or not the rule asks for it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.arc import FAMILIES, charges
from megabatt.runtime.arc.types import Indices, Integer
from megabatt.runtime.core.charges import count, times
from megabatt.runtime.engine.calls.charges import Formula, OfResult
from megabatt.runtime.engine.calls.registry import Language, rule
from megabatt.runtime.engine.device.arrays import xp
from tests.arc.lanes import assert_same, indices, integers, scalar

pytestmark = pytest.mark.device

LANGUAGE = Language(inputs=("I",), constants={})
CHARGES = {
    "nothing": None,
    "a number": 3,
    "a measure of the first argument": count,
    "a function of all arguments": lambda patch, n: 2 * count(patch) + times(n),
    "a measure of the result": OfResult(count),
}
FORMULAS = {
    name: value
    for module in (charges, *FAMILIES)
    for name, value in vars(module).items()
    if isinstance(value, Formula)
}


def declared(charge, way):
    """Declare a primitive with that charge. way: what its rule does besides returning patches."""

    def same(patch: Indices, n: Integer) -> Indices:
        if n < 0:
            raise ValueError("a number below 0")
        return patch

    primitive = LANGUAGE.primitive(charge=charge, replace=True)(same)

    @rule(primitive)
    def same(frame, patch, n):
        if "leaves lanes" in way:
            frame.leave_to_host(n.data > 5)
        frame.fail(n.data < 0)
        if "asks" in way and charge is not None and not isinstance(charge, int):
            allowed = frame.pay(patch)
            return patch.shortened(xp.where(allowed, patch.counts, 0))
        return patch

    return primitive


WAYS = ("", "asks", "leaves lanes", "leaves lanes, then asks")
CASES = {(name, way): declared(charge, way) for name, charge in CHARGES.items() for way in WAYS}


@pytest.mark.parametrize("case", CASES, ids=", ".join)
@given(
    lanes=st.lists(st.tuples(indices, integers), min_size=1, max_size=6),
    limit=st.sampled_from([131_072, 8]),
)
def test_both_forms_pay_it_once(case, lanes, limit):
    assert_same(CASES[case], lanes, limit)


@given(indices, st.integers(0, 9))
def test_the_scalar_form_pays_what_is_declared(patch, n):
    size = len(patch)
    due = dict(zip(CHARGES, (0, 3, size, 2 * size + n, size), strict=True))
    for name, elements in due.items():
        assert scalar(CASES[name, ""], (patch, n), 131_072) == (True, patch, elements)


@pytest.mark.parametrize("name", FORMULAS)
@given(data=st.data())
def test_a_formula_is_the_same_for_ints_and_for_arrays(name, data):
    formula = FORMULAS[name]
    arity = formula.of_ints.__code__.co_argcount
    numbers = st.tuples(*[st.integers(-3, 1000)] * arity)
    rows = data.draw(st.lists(numbers, min_size=1, max_size=5))
    arrays = [xp.asarray(np.array(column, dtype=np.int64)) for column in zip(*rows, strict=True)]
    found = [formula(*row) for row in rows]
    assert {type(number) for number in found} == {int}
    assert formula(*arrays).tolist() == found
