"""Functions as values: what builds them, what a call does, when two are equal."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.arc import (
    add,
    apply,
    branch,
    chain,
    combine,
    compose,
    decrement,
    divide,
    double,
    fails,
    fork,
    halve,
    identity,
    increment,
    intersection,
    invert,
    lbind,
    matcher,
    multiply,
    positive,
    power,
    rapply,
    rbind,
    remove,
    sign,
    subtract,
)
from megabatt.runtime.engine.limits import MAX_ELEMENTS, LimitError
from megabatt.runtime.engine.values import arity_of, show, size_of
from tests.arc.lanes import assert_same, scalar

small = st.integers(-6, 6)
plain = st.sampled_from([increment, decrement, double, halve, invert, sign, identity])
binary = st.sampled_from([add, subtract, multiply, divide])
integer_functions = st.recursive(
    st.one_of(plain, st.builds(lbind, binary, small), st.builds(rbind, binary, small)),
    lambda inner: st.one_of(
        st.builds(compose, inner, inner),
        st.builds(chain, inner, inner, inner),
        st.builds(fork, binary, inner, inner),
        st.builds(power, inner, st.integers(1, 3)),
    ),
    max_leaves=6,
)
"""Functions of one Integer, built from others to some depth; some fail, dividing by zero."""

BUILT = [
    compose(double, increment),
    chain(double, increment, invert),
    matcher(double, 4),
    rbind(subtract, 1),
    lbind(subtract, 1),
    power(double, 2),
    fork(add, double, increment),
]


def outcome(function, x):
    """Return whether the call succeeds, and its result if it does."""
    succeeded, result, _ = scalar(function, (x,), MAX_ELEMENTS)
    return succeeded, result if succeeded else None


each = pytest.mark.parametrize("function", BUILT, ids=show)


@given(x=small)
def test_what_each_built_function_computes(x):
    assert compose(double, increment)(x) == 2 * (x + 1)
    assert chain(double, increment, invert)(x) == 2 * (1 - x)
    assert matcher(double, 4)(x) is (x == 2)
    assert rbind(subtract, 1)(x) == x - 1
    assert lbind(subtract, 1)(x) == 1 - x
    assert power(double, 3)(x) == 8 * x
    assert fork(multiply, double, increment)(x) == 2 * x * (x + 1)


def test_binding_fixes_the_last_or_the_first_argument():
    assert rbind(branch, 3)(False, 1) == 3
    assert lbind(branch, False)(1, 3) == 3
    assert rbind(rbind(branch, 3), 2)(True) == 2
    assert lbind(lbind(branch, True), 2)(3) == 2
    assert lbind(rbind(branch, 3), True)(2) == 2


def test_functions_take_and_give_functions():
    adders = apply(lbind(lbind, add), (1, 2, 3))
    assert adders == (lbind(add, 1), lbind(add, 2), lbind(add, 3))
    assert rapply(adders, 10) == (11, 12, 13)
    assert matcher(lbind(lbind, add), lbind(add, 5))(5) is True


@each
def test_functions_of_one_name_and_equal_arguments_are_equal(function):
    again = pickle.loads(pickle.dumps(function))
    assert again is not function
    assert again == function
    assert hash(again) == hash(function)
    assert frozenset({again, function}) == frozenset({function})
    assert [other for other in BUILT if other == function] == [function]


def test_functions_that_compute_the_same_are_not_therefore_equal():
    assert lbind(add, 1) != rbind(add, 1)
    assert lbind(add, 1) != increment
    assert compose(identity, increment) != compose(increment, identity)
    assert power(double, 2) != compose(double, double)
    assert lbind(add, (1, 2)) == lbind(add, (1, 2))


@each
def test_a_function_shows_as_source_that_builds_it(function):
    assert eval(show(function), vars(arc).copy()) == function


def test_arity():
    assert arity_of(branch) == 3
    assert arity_of(rbind(branch, 1)) == 2
    assert arity_of(lbind(rbind(branch, 1), True)) == 1
    assert arity_of(lbind(increment, 1)) == 0
    assert {arity_of(function) for function in BUILT} == {1}


def test_a_function_of_no_arguments_can_be_called_but_not_bound():
    constant = lbind(increment, 4)
    assert constant() == 5
    for bind in (lbind, rbind):
        with pytest.raises(TypeError):
            bind(constant, 1)
        assert_same(bind, [(constant, 1), (increment, 1)])
    assert_same(constant, [(), ()])


@each
@pytest.mark.parametrize("arguments", [(), (1, 2), (1, 2, 3)])
def test_a_call_with_a_wrong_number_of_arguments_fails(function, arguments):
    with pytest.raises(TypeError):
        function(*arguments)
    assert_same(function, [arguments, arguments])


def test_a_wrong_number_of_arguments_deep_within_fails():
    for function in (compose(add, increment), fork(increment, double, double), power(add, 2)):
        with pytest.raises(TypeError):
            function(1)
        assert_same(function, [(1,), (2,)])


@pytest.mark.parametrize("n", [0, -1, -(2**31)])
def test_power_needs_one_call_at_least(n):
    with pytest.raises(ValueError):
        power(increment, n)
    assert_same(power, [(increment, n), (increment, 1), (lbind(add, 2), 3)])


@given(f=integer_functions, n=st.integers(1, 4), x=small)
def test_power_repeats(f, n, x):
    expected = (True, x)
    for _ in range(n):
        expected = outcome(f, expected[1]) if expected[0] else expected
    assert outcome(power(f, n), x) == expected


@pytest.mark.parametrize("build", [compose, fork, lbind, rbind, power])
def test_only_what_can_be_called_is_a_function(build):
    arguments = {compose: (increment, 5), fork: (add, increment, ()), power: (7, 2)}
    wrong = arguments.get(build, (frozenset(), 1))
    with pytest.raises(TypeError):
        build(*wrong)
    assert_same(build, [wrong, wrong])


def test_the_default_of_a_failed_function_fails_in_every_call():
    for arguments in ((), (1,), (1, 2)):
        with pytest.raises(ValueError):
            fails(*arguments)
        assert_same(fails, [arguments, arguments])
    assert_same(compose(increment, fails), [(1,), (2,)])


def test_a_match_is_an_equality_of_values_of_any_kind():
    assert matcher(identity, frozenset({1, 2}))(frozenset({2, 1})) is True
    assert matcher(positive, 1)(5) is True
    assert matcher(identity, ())(frozenset()) is False


def test_a_function_charges_its_size_when_it_is_built():
    assert scalar(compose, (double, increment), 100)[2] == 3
    assert scalar(power, (compose(double, increment), 5), 100)[2] == 15
    assert scalar(lbind, (add, lbind(add, 1)), 100)[2] == size_of(add) + 1 + 2
    assert scalar(matcher, (identity, 3), 100)[2] == 2


def test_no_tower_of_functions_outgrows_the_limit():
    thousand = power(increment, 1000)
    succeeded, error, _ = scalar(power, (thousand, 1000), MAX_ELEMENTS)
    assert not succeeded
    assert isinstance(error, LimitError)
    assert_same(power, [(thousand, 1000), (thousand, 2), (thousand, 131), (thousand, 132)])
    twice = fork(fork, identity, identity)
    assert_same(power(twice, 3), [(increment,), (double,)])


def by_hand(f, n, x):
    for _ in range(n):
        x = f(x)
    return x


settling = st.sampled_from(
    [lbind(remove, 3), lbind(combine, frozenset({0, 7})), lbind(intersection, frozenset({1, 2}))]
)


@given(
    lanes=st.lists(
        st.tuples(st.integers(1, 80), st.frozensets(st.integers(0, 9), max_size=6)), min_size=1
    ),
    f=settling,
    limit=st.sampled_from([MAX_ELEMENTS, 200, 40]),
)
def test_repetition_that_stops_early_charges_as_if_it_had_gone_on(lanes, f, limit):
    for n, x in lanes:
        expected = scalar(by_hand, (f, n, x), limit)
        found = scalar(power(f, n), (x,), limit)
        assert found[0] == expected[0]
        assert found == expected or not found[0]
    assert_same(rapply, [((power(f, n),), x) for n, x in lanes], limit)
    assert_same(power(f, lanes[0][0]), [(x,) for _, x in lanes], limit)
