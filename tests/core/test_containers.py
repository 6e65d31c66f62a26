"""Containers and tuples: values and charges of the scalar forms."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.core.operators import product_of
from megabatt.runtime.engine.language.limits import LimitError
from megabatt.runtime.engine.language.values import ascending, identical, show
from tests.arc.lanes import assert_same, charge_of, scalar
from tests.engine.machine_values import values

sets = st.frozensets(values, max_size=5)
tuples = st.lists(values, max_size=5).map(tuple)
containers = st.one_of(sets, tuples)


@given(containers)
def test_first_and_last_are_the_ends_of_the_tuple_of_a_container(container):
    elements = arc.totuple(container)
    assert identical(elements, tuple(ascending(container)))
    assert len(elements) == arc.size(container)
    for end, place in ((arc.first, 0), (arc.last, -1)):
        if elements:
            assert identical(end(container), elements[place])
        else:
            with pytest.raises(IndexError):
                end(container)


@given(sets, sets)
def test_sets_combine_meet_and_part_as_sets_do(a, b):
    assert identical(arc.combine(a, b), a | b)
    assert identical(arc.intersection(a, b), a & b)
    assert identical(arc.difference(a, b), a - b)
    assert arc.combine(arc.difference(a, b), arc.intersection(a, b)) == a


def test_of_equal_elements_the_first_set_s_or_the_smaller_set_s_are_kept():
    assert identical(arc.intersection(frozenset({1}), frozenset({True, 2})), frozenset({1}))
    assert identical(arc.intersection(frozenset({1}), frozenset({True})), frozenset({True}))
    assert identical(arc.combine(frozenset({1}), frozenset({True})), frozenset({1}))
    assert identical(arc.insert(True, frozenset({1})), frozenset({1}))
    nested = frozenset({frozenset({1, 3}), frozenset({True, 2})})
    assert identical(arc.merge(nested), frozenset({True, 2, 3}))


@given(tuples, containers)
def test_a_tuple_combined_has_its_own_elements_first(a, b):
    assert identical(arc.combine(a, b), (*a, *ascending(b)))


@given(values, sets, tuples)
def test_an_inserted_value_can_be_removed_and_a_tuple_keeps_its_order(value, some, row):
    assert_same(arc.insert, [(value, some), *((one, some) for one in some)], 1000)
    assert arc.insert(value, some) == some | {value}
    assert arc.remove(value, arc.insert(value, some)) == some - {value}
    assert arc.remove(value, row) == tuple(e for e in row if e != value)


@given(tuples)
def test_dedupe_keeps_the_first_of_equal_elements(elements):
    first = [e for place, e in enumerate(elements) if e not in elements[:place]]
    assert identical(arc.dedupe(elements), tuple(first))


def test_other_is_the_first_element_that_differs():
    assert arc.other(frozenset({4, 9}), 4) == 9
    assert arc.other((5, 5, 7, 6), 5) == 7


@given(st.lists(containers, max_size=4).map(tuple), st.integers(-1, 4))
def test_merge_gives_a_container_of_the_outer_kind_and_sizefilter_a_set(nested, n):
    elements = [e for container in nested for e in ascending(container)]
    assert identical(arc.merge(nested), tuple(elements))
    assert arc.merge(frozenset(nested)) == frozenset(elements)
    for some in (nested, frozenset(nested)):
        assert arc.sizefilter(some, n) == frozenset(e for e in nested if len(e) == n)


@given(values, st.integers(-3, 5), st.integers(-9, 9), st.integers(-9, 9))
def test_repetitions_and_intervals_are_python_s(item, n, start, stop):
    assert arc.repeat(item, n) == (item,) * n
    if n:
        assert arc.interval(start, stop, n) == tuple(range(start, stop, n))


@given(containers, containers)
def test_pair_goes_up_to_the_end_of_the_shorter_and_product_has_all(a, b):
    assert arc.product(a, b) == frozenset((i, j) for i in a for j in b)
    a, b = arc.totuple(a), arc.totuple(b)
    assert arc.pair(a, b) == tuple(zip(a, b, strict=False))


@pytest.mark.parametrize(
    "call, error",
    [
        ((arc.other, (5, 5), 5), IndexError), ((arc.other, frozenset(), 1), IndexError),
        ((arc.merge, ((1, 2), 3)), TypeError), ((arc.sizefilter, ((1,), 2), 1), TypeError),
        ((arc.interval, 0, 5, 0), ValueError),
    ],
    ids=show,
)  # fmt: skip
def test_missing_elements_and_values_that_are_no_containers_fail(call, error):
    succeeded, found, _ = scalar(call[0], call[1:], 1000)
    assert not succeeded and isinstance(found, error)


rows = st.lists(st.integers(0, 9), min_size=3, max_size=3).map(tuple)
places = st.integers(-4, 4)


@given(st.lists(st.one_of(containers, values)) | st.lists(rows), places, places)
def test_an_inner_item_is_an_item_of_an_item(container, outer, inner):
    args = (tuple(container), outer, inner)
    assert_same(arc.inner_item, [args], 1000)
    found = row = scalar(arc.item, args[:2], 1000)
    if row[0]:
        found = scalar(arc.item, (row[1], inner), 1000)
    succeeded, value, _ = scalar(arc.inner_item, args, 1000)
    assert succeeded == found[0]
    assert not succeeded or identical(value, found[1])


alike = st.sampled_from(
    [values, values, rows, rows, st.integers(-3, 9), st.tuples(places, places)]
).flatmap(lambda one: st.tuples(st.lists(one, max_size=5), one))


@given(alike, values, places)
def test_a_tuple_changes_as_a_list_of_python_does(some, other, place):
    listed, value = some
    container = tuple(listed)
    for one in value, other:
        assert_same(arc.append, [(container, one)], 1000)
        assert_same(arc.put, [(container, place, one)], 1000)
        assert identical(arc.append(container, one), (*container, one))
    assert_same(arc.drop, [(container, place), (frozenset(listed), place)], 1000)
    if -len(listed) <= place < len(listed):
        listed[place] = value
        assert identical(arc.put(container, place, value), tuple(listed))
        del listed[place]
        assert identical(arc.drop(container, place), tuple(listed))


@given(st.lists(values, max_size=40), values)
def test_a_change_is_charged_a_sixteenth_of_what_stays(listed, value):
    container = tuple(listed)
    stays = -(-len(container) // 16)
    assert charge_of(arc.append, container, value) == stays + charge_of(arc.initset, value)
    if container:
        assert charge_of(arc.put, container, 0, value) == stays + charge_of(arc.initset, value)
        assert charge_of(arc.drop, container, 0) == stays


@given(values, values)
def test_tuples_of_any_two_values(a, b):
    assert identical(arc.astuple(a, b), (a, b))
    assert arc.astuple(a, arc.size) == (a, arc.size)
    assert identical(arc.initset(a), frozenset({a}))


def test_an_inserted_value_is_charged_through_every_level():
    nested = frozenset({(1, 2, 3), (4,)})
    assert charge_of(arc.initset, nested) == 4
    assert charge_of(arc.astuple, nested, 5) == 5
    assert charge_of(arc.repeat, nested, 5) == 20
    assert charge_of(arc.repeat, nested, -5) == 0
    assert charge_of(arc.combine, nested, nested) == 8
    assert charge_of(arc.insert, (1, 2, 3), nested) == 4
    assert charge_of(arc.merge, (nested, (), (5,))) == 6
    assert charge_of(arc.product, (1, 2), ((3, 4, 5),)) == 8
    assert charge_of(arc.pair, (1, 2, 3), ((3, 4, 5),)) == 4


def test_a_pair_and_a_cell_are_charged_as_one_element_in_arc():
    cells = frozenset({(1, (0, 0)), (2, (0, 1))})
    assert charge_of(arc.initset, cells) == 2
    assert charge_of(arc.astuple, cells, 4) == 3
    assert charge_of(arc.repeat, cells, 5) == 10
    assert charge_of(arc.combine, cells, cells) == 4
    assert charge_of(arc.insert, (1, 2), frozenset({(3, 4)})) == 2
    assert charge_of(arc.merge, (cells, (), (5,))) == 4
    assert charge_of(arc.product, (1, 2), ((3, 4),)) == 4
    assert charge_of(arc.pair, (1, 2, 3), ((3, 4),)) == 2


def test_a_searched_container_is_charged_by_its_length():
    assert charge_of(arc.remove, 3, (1, 2, 3)) == 3
    assert charge_of(arc.intersection, frozenset({1, 2}), frozenset({2})) == 3
    assert charge_of(arc.interval, 0, 10, 4) == 3
    assert charge_of(arc.last, (1, 2, 3)) == 0


def test_a_value_can_not_double_for_ever():
    value, succeeded = (), True
    while succeeded:
        succeeded, value, _ = scalar(arc.astuple, (value, value), 1000)
    assert isinstance(value, LimitError)


def test_repeating_an_empty_tuple_takes_no_time_however_often():
    """It charges nothing, so no limit would end it."""
    assert_same(product_of, [((), 1)])
    began = time.monotonic()
    assert_same(product_of, [((), 2**31 - 1), (2**31 - 1, ())] * 4)
    assert time.monotonic() - began < 5
