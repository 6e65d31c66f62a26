"""Booleans, equality and choice."""

import pytest
from hypothesis import example, given
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


@given(a=anything, b=anything)
@example(True, 1)
@example((), frozenset())
@example(None, 0)
def test_equality_is_python_s(a, b):
    assert arc.equality(a, a)
    assert arc.equality(a, b) is (a == b)


@given(a=anything, container=containers)
@example(1, frozenset({(1, 2)}))
def test_a_container_contains_its_elements_alone_and_only_a_tuple_is_searched_at_a_charge(
    a, container
):
    assert arc.contained(a, container) is (a in container)
    assert all(arc.contained(element, container) for element in container)
    searched = len(container) if isinstance(container, tuple) else 0
    missing = arc.lbind(arc.branch, "nothing")
    assert scalar(arc.contained, (missing, container), 1000) == (True, False, searched)


@given(condition=booleans, a=anything, b=anything)
def test_branch_takes_one_of_two_whatever_they_are(condition, a, b):
    assert arc.branch(condition, a, b) is (a if condition else b)
