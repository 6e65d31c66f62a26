"""Functions as values: their builders, calls and equality."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt as mb
import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import LimitError
from megabatt.runtime.engine.language.values import arity_of, identical, show, size_of
from tests.arc.lanes import LIMIT, assert_same, charge_of, scalar

small = st.integers(-6, 6)
BUILT = {
    arc.compose(arc.double, arc.increment): lambda x: 2 * (x + 1),
    arc.chain(arc.double, arc.increment, arc.invert): lambda x: 2 * (1 - x),
    arc.matcher(arc.double, 4): lambda x: x == 2,
    arc.rbind(arc.subtract, 1): lambda x: x - 1,
    arc.lbind(arc.subtract, 1): lambda x: 1 - x,
    arc.power(arc.double, 3): lambda x: 8 * x,
    arc.fork(arc.multiply, arc.double, arc.increment): lambda x: 2 * x * (x + 1),
}
CONSTANT = arc.lbind(arc.increment, 4)
"""A function of no arguments."""

each = pytest.mark.parametrize("function", BUILT, ids=show)


@each
@given(x=small)
def test_a_built_function_gives_what_its_parts_say(function, x):
    assert identical(function(x), BUILT[function](x))


def test_binding_fixes_the_last_or_the_first_argument_and_leaves_one_less():
    last, first = arc.rbind(arc.branch, 3), arc.lbind(arc.branch, True)
    assert (last(False, 1), first(1, 3), arc.lbind(last, True)(2)) == (3, 1, 2)
    assert (arc.rbind(last, 2)(True), arc.lbind(first, 2)(3), CONSTANT()) == (2, 2, 5)
    assert list(map(arity_of, (arc.branch, last, arc.lbind(last, True), CONSTANT))) == [3, 2, 1, 0]
    assert {arity_of(function) for function in BUILT} == {1}
    assert_same(CONSTANT, [(), ()])


def test_functions_take_and_give_functions_and_match_values_of_any_kind():
    adders = arc.apply(arc.lbind(arc.lbind, arc.add), (1, 2, 3))
    assert adders == (arc.lbind(arc.add, 1), arc.lbind(arc.add, 2), arc.lbind(arc.add, 3))
    assert arc.rapply(adders, 10) == (11, 12, 13)
    assert arc.matcher(arc.lbind(arc.lbind, arc.add), arc.lbind(arc.add, 5))(5) is True
    assert arc.matcher(arc.identity, frozenset({1, 2}))(frozenset({2, 1})) is True
    assert arc.matcher(arc.positive, 1)(5) is True
    assert arc.matcher(arc.identity, ())(frozenset()) is False


@each
def test_functions_of_one_name_and_equal_arguments_are_equal_and_show_as_source(function):
    for again in (pickle.loads(pickle.dumps(function)), eval(show(function), vars(arc).copy())):
        assert again is not function
        assert again == function and hash(again) == hash(function)
        assert frozenset({again, function}) == frozenset({function})
    assert [other for other in BUILT if other == function] == [function]


def test_functions_that_compute_the_same_are_not_therefore_equal():
    assert arc.lbind(arc.add, 1) != arc.rbind(arc.add, 1)
    assert arc.lbind(arc.add, 1) != arc.increment
    assert arc.compose(arc.identity, arc.increment) != arc.compose(arc.increment, arc.identity)
    assert arc.power(arc.double, 2) != arc.compose(arc.double, arc.double)
    assert arc.lbind(arc.add, (1, 2)) == arc.lbind(arc.add, (1, 2))


FAILING = {
    ValueError: [
        *((arc.power, (arc.increment, n)) for n in (0, -1, -(2**31))),
        *((arc.fails, args) for args in ((), (1,), (1, 2))),
        (arc.compose(arc.increment, arc.fails), (1,)),
    ],
    TypeError: [
        *((function, args) for function in BUILT for args in ((), (1, 2), (1, 2, 3))),
        (arc.compose(arc.add, arc.increment), (1,)), (arc.power(arc.add, 2), (1,)),
        (arc.fork(arc.increment, arc.increment, arc.increment), (1,)),
        (arc.compose, (arc.increment, 5)), (arc.fork, (arc.add, arc.increment, ())),
        (arc.power, (7, 2)), (arc.lbind, (frozenset(), 1)), (arc.rbind, (frozenset(), 1)),
        (arc.lbind, (CONSTANT, 1)), (arc.rbind, (CONSTANT, 1)),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("function", "args", "error"),
    [(*call, error) for error, calls in FAILING.items() for call in calls], ids=show,
)  # fmt: skip
def test_a_call_of_no_function_or_with_a_wrong_number_of_arguments_fails(function, args, error):
    """A call fails at once or deep within; a power needs one call, a safe default none."""
    with pytest.raises(error):
        function(*args)
    assert_same(function, [args, args])


def test_a_function_charges_its_size_when_it_is_built():
    assert charge_of(arc.compose, arc.double, arc.increment) == 3
    assert charge_of(arc.power, arc.compose(arc.double, arc.increment), 5) == 15
    assert charge_of(arc.lbind, arc.add, arc.lbind(arc.add, 1)) == size_of(arc.add) + 1 + 2
    assert charge_of(arc.matcher, arc.identity, 3) == 2


def test_functions_within_bound_containers_count_like_bound_functions():
    alone = arc.lbind(arc.add, 1)
    held = (3, frozenset({(alone, arc.add)}), ((alone,), ((1, 2), (3, 4))))
    assert charge_of(arc.rbind, arc.equality, held) == 1 + 2 * size_of(alone) + 2
    assert arc.rbind(arc.equality, held).depth == arc.rbind(arc.equality, alone).depth
    twice = [["x0", "rbind", "astuple", 1]]
    for k in range(24):
        pair = [f"p{k}", "astuple", f"x{k}", f"x{k}"]
        twice += [pair, [f"x{k + 1}", "rbind", "astuple", f"p{k}"]]
    found = mb.evaluate([mb.program("twice", twice, "x24")], [([[1]], [[1]])])
    assert "takes 2,097,150 elements and calls; max_elements" in found.failure(0, 0)


def test_no_tower_of_functions_outgrows_the_limit():
    thousand = arc.power(arc.increment, 1000)
    succeeded, error, _ = scalar(arc.power, (thousand, 1000), LIMIT)
    assert not succeeded
    assert isinstance(error, LimitError)
    assert_same(arc.power, [(thousand, 1000), (thousand, 2), (thousand, 131), (thousand, 132)])
    twice = arc.fork(arc.fork, arc.identity, arc.identity)
    assert_same(arc.power(twice, 3), [(arc.increment,), (arc.double,)])


def by_hand(f, n, x):
    for _ in range(n):
        x = f(x)
    return x


SETTLING = (arc.remove, 3), (arc.combine, frozenset({0, 7})), (arc.intersection, frozenset({1, 2}))
settling = st.sampled_from([arc.lbind(*bound) for bound in SETTLING])
numeric = st.sampled_from([*BUILT, arc.fork(arc.add, arc.lbind(arc.divide, 12), arc.double)])
sets = st.frozensets(st.integers(0, 9), max_size=6)
powers = st.one_of(
    st.tuples(settling, st.integers(1, 80), sets), st.tuples(numeric, st.integers(1, 4), small)
)


@given(st.lists(powers, min_size=1), st.sampled_from([LIMIT, 200, 40]))
def test_a_power_repeats_and_charges_as_if_it_had_gone_on_where_it_stops_early(lanes, limit):
    for f, n, x in lanes:
        expected = scalar(by_hand, (f, n, x), limit)
        found = scalar(arc.power(f, n), (x,), limit)
        assert found[0] == expected[0]
        assert found == expected or not found[0]
        assert_same(arc.power(f, n), [(x,)], limit)
    assert_same(arc.rapply, [((arc.power(f, n),), x) for f, n, x in lanes], limit)
