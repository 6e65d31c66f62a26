"""Booleans, equality and choice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from tests.arc.lanes import anything, containers, scalar

booleans = st.booleans()


@given(a=booleans, b=booleans)
def test_de_morgan(a, b):
    assert arc.flip(arc.both(a, b)) is arc.either(arc.flip(a), arc.flip(b))
    assert arc.flip(arc.flip(a)) is a


@pytest.mark.parametrize(
    ("function", "args"), [(arc.flip, (0,)), (arc.both, (1, True)), (arc.either, (1, True)),
                           (arc.contained, (1, 1))]
)  # fmt: skip
def test_an_integer_is_no_boolean_and_contains_nothing(function, args):
    with pytest.raises(TypeError):
        function(*args)


def test_equality_compares_values_of_any_kind():
    assert arc.equality(frozenset({(1, 2), (3, 4)}), frozenset({(3, 4), (1, 2)})) is True
    assert arc.equality((1, 2), (2, 1)) is False
    assert arc.equality(True, 1) is True
    assert arc.equality((), frozenset()) is False
    assert arc.equality(None, 0) is False
    assert arc.equality(arc.compose(arc.flip, arc.flip), arc.compose(arc.flip, arc.flip)) is True
    assert arc.equality(arc.lbind(arc.increment, 1), arc.lbind(arc.increment, 2)) is False


@given(a=anything, b=anything)
def test_equality_is_symmetric_and_holds_for_a_value_and_itself(a, b):
    assert arc.equality(a, a)
    assert arc.equality(a, b) is arc.equality(b, a)


def test_contained_looks_at_elements_not_at_parts_of_elements():
    assert arc.contained((1, 2), frozenset({(1, 2), (3, 4)})) is True
    assert arc.contained(1, frozenset({(1, 2)})) is False
    assert arc.contained(3, (5, 3)) is True
    assert arc.contained((0, 0), ((0, 0), (0, 1))) is True
    assert arc.contained(1, ()) is False


@given(container=containers)
def test_a_container_contains_each_of_its_elements_and_only_a_tuple_is_searched_at_a_charge(
    container,
):
    assert all(arc.contained(element, container) for element in container)
    searched = len(container) if isinstance(container, tuple) else 0
    missing = arc.lbind(arc.branch, "nothing")
    assert scalar(arc.contained, (missing, container), 1000) == (True, False, searched)


@given(condition=booleans, a=anything, b=anything)
def test_branch_takes_one_of_two_whatever_they_are(condition, a, b):
    assert arc.branch(condition, a, b) is (a if condition else b)
