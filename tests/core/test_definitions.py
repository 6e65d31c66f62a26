"""Each primitive gives what its definition says: of containers, mapping, ranking, and grids."""

import inspect
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.core.operators import product_of
from megabatt.runtime.engine.language.limits import LimitError
from megabatt.runtime.engine.language.values import ascending, identical, order_key, show
from tests.arc import lanes
from tests.arc import test_grids as of_grids
from tests.arc.lanes import assert_defined, assert_same, charge_of, scalar
from tests.arc.test_grids import MEANINGS
from tests.engine import machine_values

small = st.integers(-5, 5)
of_small = st.lists(small, max_size=5)
few = of_small.map(tuple) | of_small.map(frozenset)
values = machine_values.values | lanes.anything
sets = st.frozensets(machine_values.values, max_size=5)
tuples = lanes.tuples(machine_values.values, 5)
containers = sets | tuples | lanes.containers
nested = lanes.tuples(few, 3) | st.frozensets(few, max_size=3)
of_one = [arc.increment, arc.halve, arc.sign, arc.identity, arc.rbind(arc.subtract, 1)]
keys = [arc.identity] * 3 + [arc.invert, arc.even, arc.sign, arc.lbind(arc.contained, (7, 7))]
DRAWN = {
    "a": values, "b": values, "p": st.booleans(), "q": st.booleans(), "n": small, "m": small,
    "step": small, "s": sets, "t": sets, "row": tuples, "c": containers, "d": containers,
    "of_any": lanes.tuples(containers, 4) | st.frozensets(sets, max_size=4), "numbers": few,
    "others": few, "nested": nested, "listed": of_small.map(tuple), "more": of_small.map(tuple),
    "f": st.sampled_from(of_one),
    "each": st.sampled_from([arc.lbind(arc.apply, one) for one in of_one]),
    "test": st.sampled_from([arc.identity, arc.size, arc.first]),
    "adders": few.map(lambda c: type(c)(arc.lbind(arc.add, e) for e in c)),
    "two": st.sampled_from([arc.add, arc.subtract, arc.divide, arc.astuple]),
    "pairs": st.just(arc.astuple), "key": st.sampled_from(keys),
    "ranked": few | lanes.tuples(small | st.booleans(), 5) | containers,
    "repeated": lanes.tuples(st.integers(0, 3) | lanes.anything, 8),
}  # fmt: skip
"""The values of a parameter of a definition, by its name."""


def flat(container, of=ascending):
    """List the elements of a container's elements. of: A function of each element."""
    return [e for inner in ascending(container) for e in ascending(of(inner))]


def by_key(choose, container, key):
    """Call `sorted`, `min` or `max`. Ties stay in ascending order."""
    return choose(ascending(container), key=lambda e: order_key(key(e)))


def commonest(row, times):
    """Return the least of the elements that are there as often as `times` of all says."""
    count = times(map(row.count, row))
    return ascending(frozenset(e for e in row if row.count(e) == count))[0]


DEFINITIONS = [
    (arc.flip, lambda p: not p),
    (arc.both, lambda p, q: p and q),
    (arc.either, lambda p, q: p or q),
    (arc.branch, lambda p, a, b: a if p else b),
    (arc.equality, lambda a, b: a == b),
    (arc.contained, lambda a, c: a in c),
    (arc.size, lambda c: len(c)),
    (arc.totuple, lambda c: tuple(ascending(c))),
    (arc.first, lambda c: ascending(c)[0]),
    (arc.last, lambda c: ascending(c)[-1]),
    (arc.combine, lambda s, t: s | t),
    (arc.combine, lambda row, c: (*row, *ascending(c))),
    (arc.intersection, lambda s, t: s & t),
    (arc.difference, lambda s, t: s - t),
    (arc.insert, lambda a, s: s | {a}),
    (arc.remove, lambda a, c: type(c)(e for e in c if e != a)),
    (arc.dedupe, lambda row: tuple(dict.fromkeys(row))),
    (arc.other, lambda c, a: [e for e in ascending(c) if e != a][0]),
    (arc.merge, lambda of_any: type(of_any)(flat(of_any))),
    (arc.sizefilter, lambda of_any, n: frozenset(e for e in of_any if len(e) == n)),
    (arc.initset, lambda a: frozenset({a})),
    (arc.astuple, lambda a, b: (a, b)),
    (arc.repeat, lambda a, n: (a,) * n),
    (arc.interval, lambda n, m, step: tuple(range(n, m, step))),
    (arc.product, lambda c, d: frozenset(product(c, d))),
    (arc.pair, lambda row, listed: tuple(zip(row, listed, strict=False))),
    (arc.apply, lambda f, numbers: type(numbers)(map(f, ascending(numbers)))),
    (arc.mapply, lambda each, nested: type(nested)(flat(nested, each))),
    (arc.rapply, lambda adders, n: type(adders)(add(n) for add in ascending(adders))),
    (arc.papply, lambda two, listed, more: tuple(map(two, listed, more))),
    (arc.mpapply, lambda pairs, listed, more: sum(map(pairs, listed, more), ())),
    (arc.prapply, lambda two, numbers, others: frozenset(
        two(n, m) for n in numbers for m in others)),
    # truth is Python's
    (arc.sfilter, lambda nested, test: type(nested)(filter(test, ascending(nested)))),
    (arc.sfilter, lambda numbers, f: type(numbers)(filter(f, ascending(numbers)))),
    (arc.mfilter, lambda nested, test: type(nested)(flat(tuple(filter(test, ascending(nested)))))),
    (arc.first_of, lambda numbers, f: tuple(filter(f, ascending(numbers)))[:1]),
    (arc.order, lambda ranked, key: tuple(by_key(sorted, ranked, key))),
    (arc.argmin, lambda ranked, key: by_key(min, ranked, key)),
    (arc.argmax, lambda ranked, key: by_key(max, ranked, key)),
    (arc.valmin, lambda ranked, key: key(by_key(min, ranked, key)) if ranked else key(0)),
    (arc.valmax, lambda ranked, key: key(by_key(max, ranked, key)) if ranked else key(0)),
    (arc.maximum, lambda numbers: max(numbers, default=0)),
    (arc.minimum, lambda numbers: min(numbers, default=0)),
    (arc.mostcommon, lambda repeated: commonest(repeated, max)),
    (arc.leastcommon, lambda repeated: commonest(repeated, min)),
]  # fmt: skip


DEFINED = [(DRAWN, *row) for row in DEFINITIONS] + [(of_grids.DRAWN, *row) for row in MEANINGS]


@pytest.mark.parametrize("defined", DEFINED, ids=lambda row: show(row[1]))
@given(st.data())
def test_a_primitive_gives_what_its_definition_says(defined, data):
    drawn, function, definition = defined
    args = [data.draw(drawn[name]) for name in inspect.signature(definition).parameters]
    assert_defined(function, definition, args)


NESTED = frozenset({(0, 0)}), frozenset({(1, 1), (0, 9)}), frozenset({(0, 0), (5, 5)})
ONE, TRUE = frozenset({1}), frozenset({True})
EDGES = [
    # of equal elements, the first set's or the smaller set's are kept
    (arc.intersection, (ONE, frozenset({True, 2})), ONE), (arc.intersection, (ONE, TRUE), TRUE),
    (arc.combine, (ONE, TRUE), ONE), (arc.insert, (True, ONE), ONE),
    (arc.merge, (frozenset({frozenset({1, 3}), frozenset({True, 2})}),), frozenset({True, 2, 3})),
    # empty values are not true
    (arc.sfilter, (((), (0,), TRUE, frozenset(), 0), arc.identity), ((0,), TRUE)),
    (arc.extract, (((), (0,)), arc.identity), (0,)),
    (arc.mapply, (arc.identity, (frozenset({9, 2}), (1,))), (2, 9, 1)),
    # keys of any kind compare in the language's order, and the first element wins a tie
    (arc.argmax, (frozenset(NESTED), arc.lbind(arc.contained, (0, 0))), NESTED[0]),
    (arc.order, ((True, 1, 0), arc.identity), (0, True, 1)),
    (arc.argmax, ((1, 5, True), arc.identity), 5), (arc.mostcommon, ((8, 3, 3, 8, 5),), 3),
    # however often nothing is repeated: it charges nothing, so no limit would end it
    (product_of, ((), 2**31 - 1), ()), (product_of, (2**31 - 1, ()), ()),
]


EDGES += [(function, tuple(args), expected) for (function, *args), expected in of_grids.EDGES]


@pytest.mark.parametrize(("function", "args", "expected"), EDGES, ids=show)
def test_a_call_at_the_edge_gives(function, args, expected):
    assert identical(function(*args), expected)
    assert_same(function, [args])


SIXTH = arc.lbind(arc.divide, 6)
FAILING = {Exception: [
    # what is no Boolean, no container or no Integer
    (arc.flip, 0), (arc.both, 1, True), (arc.either, 1, True), (arc.contained, 1, 1),
    (arc.merge, ((1, 2), 3)), (arc.sizefilter, ((1,), 2), 1), (arc.maximum, ((1, 2), (3, 4))),
    (arc.mapply, arc.increment, (1, 2)), (arc.rapply, (arc.increment, arc.toivec), (1, 2)),
    (arc.papply, arc.add, frozenset({1}), (1,)), (arc.mfilter, (1, 2), arc.positive),
    # one element without a result
    (arc.apply, SIXTH, (3, 0)), (arc.mapply, SIXTH, ((3,), 0)), (arc.sfilter, (3, 0), SIXTH),
    (arc.mfilter, ((3,), (0,)), arc.compose(SIXTH, arc.maximum)), (arc.extract, (0, 3), SIXTH),
    *((ranked, (1, (2, 3)), arc.positive) for ranked in (arc.order, arc.argmax, arc.valmin)),
    # no element, and no commonest one in a set
    (arc.other, (5, 5), 5), (arc.other, frozenset(), 1), (arc.extract, (), arc.identity),
    *((common, some) for common in (arc.mostcommon, arc.leastcommon)
      for some in ((), frozenset(), frozenset({1, 2}))),
], **of_grids.FAILING}  # fmt: skip


@pytest.mark.parametrize(
    ("error", "call"), [(error, call) for error, calls in FAILING.items() for call in calls],
    ids=show,
)  # fmt: skip
def test_a_call_without_a_result_fails(error, call):
    succeeded, raised, _ = scalar(call[0], call[1:], 1000)
    assert not succeeded and error in (type(raised), Exception)
    assert_same(call[0], [call[1:]], 1000)


def _stops(*_):
    return next(iter(()))


@pytest.mark.parametrize("function", [arc.apply, arc.mapply, arc.papply, arc.mpapply, arc.prapply])
def test_a_function_that_raises_stop_iteration_fails_and_cuts_no_results(function):
    with pytest.raises(RuntimeError):
        function(_stops, *[(1, 2)] * (len(inspect.signature(function).parameters) - 1))


@pytest.mark.parametrize("function", [arc.order, arc.argmax, arc.argmin, arc.valmax, arc.valmin])
def test_each_key_is_computed_once(function):
    seen = []
    function(frozenset({4, 1, 3}), lambda e: seen.append(e) or -e)
    assert sorted(seen) == [1, 3, 4]


NESTED_SET, CELLS = frozenset({(1, 2, 3), (4,)}), frozenset({(1, (0, 0)), (2, (0, 1))})
NEXT = arc.rbind(arc.add, 1)
CHARGES = [
    # a value that is held is charged through every level
    (4, arc.initset, NESTED_SET), (5, arc.astuple, NESTED_SET, 5), (20, arc.repeat, NESTED_SET, 5),
    (0, arc.repeat, NESTED_SET, -5), (8, arc.combine, NESTED_SET, NESTED_SET),
    (4, arc.insert, (1, 2, 3), NESTED_SET), (6, arc.merge, (NESTED_SET, (), (5,))),
    (8, arc.product, (1, 2), ((3, 4, 5),)), (4, arc.pair, (1, 2, 3), ((3, 4, 5),)),
    # in ARC, a pair and a cell are one element
    (2, arc.initset, CELLS), (3, arc.astuple, CELLS, 4), (10, arc.repeat, CELLS, 5),
    (4, arc.combine, CELLS, CELLS), (2, arc.insert, (1, 2), frozenset({(3, 4)})),
    (4, arc.merge, (CELLS, (), (5,))), (4, arc.product, (1, 2), ((3, 4),)),
    (2, arc.pair, (1, 2, 3), ((3, 4),)),
    # a container that is searched is charged by its length, a set not at all
    (3, arc.remove, 3, (1, 2, 3)), (3, arc.intersection, frozenset({1, 2}), frozenset({2})),
    (3, arc.interval, 0, 10, 4), (0, arc.last, (1, 2, 3)), (0, arc.contained, 1, ONE),
    (3, arc.contained, 7, (1, 2, 3)), (0, arc.contained, 7, frozenset({1, 2, 3})),
    # functions are charged for their results, a search up to the first hit
    (3, arc.apply, arc.toivec, (5, 6, 7)), (8 + 8, arc.apply, arc.rbind(arc.repeat, 4), (5, 6)),
    (2 * 3, arc.apply, arc.power(arc.increment, 32), (5, 6)),
    (6, arc.prapply, arc.add, (1, 2), (3, 4, 5)), (3, arc.sfilter, (5, 6, 7), arc.even),
    (2 + 2 + 1, arc.apply, arc.lbind(arc.apply, arc.increment), ((1, 2), (3,))),
    *((2, search, (-5, 2, 3, 4), arc.compose(arc.positive, arc.increment))
      for search in (arc.extract, arc.first_of)),
    (3 * 2, arc.order, (5, 6, 7), NEXT), (3, arc.argmax, (5, 6, 7), NEXT),
    (3, arc.argmin, (5, 6, 7), NEXT), (3, arc.valmax, (5, 6, 7), NEXT),
    (3, arc.valmin, (5, 6, 7), NEXT),
]  # fmt: skip


CHARGES += [(charged, *call) for call, charged in of_grids.CHARGES]


@pytest.mark.parametrize("call", CHARGES, ids=show)
def test_a_call_is_charged(call):
    charged, function, *args = call
    assert charge_of(function, *args) == charged
    assert_same(function, [tuple(args)], max(charged - 1, 0))


# Tuples that change, as lists of Python do


rows = st.lists(st.integers(0, 9), min_size=3, max_size=3).map(tuple)
places = st.integers(-4, 4)
held = machine_values.values


@given(st.lists(containers | held) | st.lists(rows), places, places)
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
    [held, held, rows, rows, st.integers(-3, 9), st.tuples(places, places)]
).flatmap(lambda one: st.tuples(st.lists(one, max_size=5), one))


@given(alike, held, places)
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


@given(st.lists(held, max_size=40), held)
def test_a_change_is_charged_a_sixteenth_of_what_stays(listed, value):
    container = tuple(listed)
    stays = -(-len(container) // 16)
    assert charge_of(arc.append, container, value) == stays + charge_of(arc.initset, value)
    if container:
        assert charge_of(arc.put, container, 0, value) == stays + charge_of(arc.initset, value)
        assert charge_of(arc.drop, container, 0) == stays


def test_a_value_can_not_double_for_ever():
    value, succeeded = (), True
    while succeeded:
        succeeded, value, _ = scalar(arc.astuple, (value, value), 1000)
    assert isinstance(value, LimitError)
