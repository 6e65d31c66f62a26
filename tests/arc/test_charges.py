"""A declared charge: the same in both forms, and paid once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.arc.policy import POLICY
from megabatt.runtime.arc.types import Indices, Integer
from megabatt.runtime.core.charges import count, times
from megabatt.runtime.engine.language.charges import OfResult
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import compiled
from tests.arc.lanes import LIMIT, assert_same, indices, integers, scalar

LANGUAGE = Language(inputs=("I",), constants={}, policy=POLICY)
CHARGES = {
    "nothing": None,
    "a number": 3,
    "a measure of the first argument": count,
    "a function of all arguments": lambda patch, n: 2 * count(patch) + times(n),
    "a measure of the result": OfResult(count),
    "a number below 0": -3,
    "a function below 0": lambda patch, n: -100 * count(patch),
}
def declared(name, charge):
    """Declare a primitive with a charge, in both forms."""

    def same(patch: Indices, n: Integer) -> Indices:
        if n < 0:
            raise ValueError("a number below 0")
        return patch

    def same_on_words(heap, patch, n):
        if n < 0:
            return m.NO_VALUE
        return patch

    same.__name__ = name.replace(" ", "_")
    return compiled(LANGUAGE.primitive(charge=charge)(same))(same_on_words)


PRIMITIVES = {name: declared(name, charge) for name, charge in CHARGES.items()}


@given(
    lanes=st.lists(st.tuples(indices, integers), min_size=1, max_size=6),
    limit=st.sampled_from([LIMIT, 8]),
)
def test_both_forms_pay_a_declared_charge_once(lanes, limit):
    for primitive in PRIMITIVES.values():
        assert assert_same(primitive, lanes, limit, LANGUAGE) == []
    patch, n = lanes[0][0], abs(lanes[0][1]) % 100
    size = len(patch)
    due = dict(zip(CHARGES, (0, 3, size, 2 * size + n, size, 0, 0), strict=True))
    for name, elements in due.items():
        assert scalar(PRIMITIVES[name], (patch, n), LIMIT) == (True, patch, elements)
