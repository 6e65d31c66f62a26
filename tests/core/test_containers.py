"""Containers and tuples: what the scalar forms mean, and lanes that share what they hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import UNLIMITED, LimitError, budget
from megabatt.runtime.engine.language.values import ascending, identical

atoms = st.one_of(st.integers(-2, 4), st.none(), st.booleans())
values = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple), st.frozensets(inner, max_size=3)
    ),
    max_leaves=6,
)
sets = st.frozensets(values, max_size=5)
tuples = st.lists(values, max_size=5).map(tuple)
containers = st.one_of(sets, tuples)


def charge_of(function, *args):
    budget.left = 1000
    try:
        function(*args)
        return 1000 - budget.left
    finally:
        budget.left = UNLIMITED


@given(containers)
def test_first_and_last_are_the_ends_of_the_tuple_of_a_container(container):
    elements = arc.totuple(container)
    assert len(elements) == arc.size(container)
    if elements:
        assert identical(arc.first(container), elements[0])
        assert identical(arc.last(container), elements[-1])


@pytest.mark.parametrize("function", [arc.first, arc.last])
@pytest.mark.parametrize("empty", [(), frozenset()])
def test_an_empty_container_has_no_first_and_no_last(function, empty):
    with pytest.raises(IndexError):
        function(empty)


def test_the_elements_of_a_set_come_in_the_order_of_the_language():
    mixed = frozenset({(1,), 7, None, frozenset({0}), -3})
    assert arc.totuple(mixed) == (None, -3, 7, (1,), frozenset({0}))
    assert arc.first(frozenset({(3, (0, 1)), (3, (0, 0)), (4, (0, 0))})) == (3, (0, 0))


@given(sets, sets)
def test_sets_combine_meet_and_part_as_sets_do(a, b):
    assert arc.combine(a, b) == a | b
    assert arc.intersection(a, b) == a & b
    assert arc.difference(a, b) == a - b
    parted = arc.combine(arc.difference(a, b), arc.intersection(a, b))
    assert identical(parted, a)


def test_of_equal_elements_those_of_the_first_set_are_kept():
    assert identical(arc.intersection(frozenset({1}), frozenset({True, 2})), frozenset({1}))
    assert identical(arc.intersection(frozenset({True, 2}), frozenset({1})), frozenset({True}))
    assert identical(arc.combine(frozenset({1}), frozenset({True})), frozenset({1}))
    assert identical(arc.insert(True, frozenset({1})), frozenset({1}))
    nested = frozenset({frozenset({1, 3}), frozenset({True, 2})})
    assert identical(arc.merge(nested), frozenset({True, 2, 3}))


@given(tuples, containers)
def test_a_tuple_combined_has_its_own_elements_first(a, b):
    assert identical(arc.combine(a, b), (*a, *ascending(b)))


@given(values, sets)
def test_what_is_inserted_can_be_removed(value, container):
    assert value in arc.insert(value, container)
    assert arc.remove(value, arc.insert(value, container)) == container - {value}


@given(values, tuples)
def test_removing_from_a_tuple_keeps_the_order_of_the_rest(value, container):
    assert arc.remove(value, container) == tuple(e for e in container if e != value)


@given(tuples)
def test_dedupe_keeps_the_first_of_equal_elements(elements):
    kept = arc.dedupe(elements)
    assert frozenset(kept) == frozenset(elements)
    assert len(kept) == len(frozenset(elements))
    positions = [elements.index(e) for e in kept]
    assert positions == sorted(positions)
    assert all(identical(elements[at], e) for at, e in zip(positions, kept, strict=True))


def test_other_is_the_first_element_that_differs():
    assert arc.other(frozenset({4, 9}), 4) == 9
    assert arc.other((5, 5, 7, 6), 5) == 7
    with pytest.raises(IndexError):
        arc.other((5, 5), 5)
    with pytest.raises(IndexError):
        arc.other(frozenset(), 1)


@given(st.lists(containers, max_size=4).map(tuple))
def test_merge_gives_the_elements_of_all_in_a_container_of_the_outer_kind(nested):
    elements = [e for container in nested for e in ascending(container)]
    assert identical(arc.merge(nested), tuple(elements))
    assert arc.merge(frozenset(nested)) == frozenset(elements)


def test_only_containers_can_be_merged():
    with pytest.raises(TypeError):
        arc.merge(((1, 2), 3))


@given(st.frozensets(containers, max_size=5), st.integers(-1, 4))
def test_sizefilter_keeps_the_elements_of_a_size(nested, n):
    assert arc.sizefilter(nested, n) == frozenset(e for e in nested if len(e) == n)
    assert arc.sizefilter(tuple(nested), n) == arc.sizefilter(nested, n)


def test_sizefilter_fails_on_what_has_no_size():
    with pytest.raises(TypeError):
        arc.sizefilter(((1,), 2), 1)


@given(values, st.integers(-3, 5))
def test_repeat_gives_as_many_as_asked_for(item, num):
    assert arc.repeat(item, num) == (item,) * max(num, 0)


def test_intervals_are_ranges():
    assert arc.interval(2, 9, 3) == (2, 5, 8)
    assert arc.interval(3, 0, -1) == (3, 2, 1)
    assert arc.interval(3, 0, 1) == ()
    with pytest.raises(ValueError):
        arc.interval(0, 5, 0)


@given(tuples, tuples)
def test_pair_goes_up_to_the_end_of_the_shorter(a, b):
    n = min(len(a), len(b))
    assert arc.pair(a, b) == tuple((a[k], b[k]) for k in range(n))


@given(containers, containers)
def test_product_has_every_element_with_every_one(a, b):
    assert arc.product(a, b) == frozenset((i, j) for i in a for j in b)


def test_tuples_of_any_two_values():
    assert arc.astuple(3, 4) == (3, 4)
    assert arc.astuple(frozenset({1}), arc.size) == (frozenset({1}), arc.size)
    assert arc.initset((1, 2)) == frozenset({(1, 2)})


def test_what_is_put_in_is_charged_through_every_level():
    nested = frozenset({(1, 2, 3), (4,)})
    assert charge_of(arc.initset, nested) == 4
    assert charge_of(arc.astuple, nested, 5) == 5
    assert charge_of(arc.repeat, nested, 5) == 20
    assert charge_of(arc.repeat, nested, -5) == 0
    assert charge_of(arc.combine, nested, nested) == 8
    assert charge_of(arc.insert, (1, 2, 3), nested) == 7
    assert charge_of(arc.merge, (nested, (), (5,))) == 6
    assert charge_of(arc.product, (1, 2), ((3, 4, 5),)) == 8
    assert charge_of(arc.pair, (1, 2, 3), ((3, 4, 5),)) == 4


def test_what_is_looked_through_is_charged_by_its_length():
    assert charge_of(arc.remove, 3, (1, 2, 3)) == 3
    assert charge_of(arc.intersection, frozenset({1, 2}), frozenset({2})) == 3
    assert charge_of(arc.interval, 0, 10, 4) == 3
    assert charge_of(arc.last, (1, 2, 3)) == 0


def test_a_value_can_not_double_for_ever():
    budget.left = 1000
    value = ()
    try:
        with pytest.raises(LimitError):
            while True:
                budget.left = 1000
                value = arc.astuple(value, value)
    finally:
        budget.left = UNLIMITED
