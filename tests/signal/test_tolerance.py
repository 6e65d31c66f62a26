"""The tolerance within which two values count as the same."""

from math import inf, nan

import numpy as np
import pytest

from megabatt.runtime.signal.constants import FEATURES, STATISTICS
from megabatt.runtime.signal.tolerance import same

MEANS, DEVIATIONS = (42_500.0,) * len(FEATURES), (1e-7,) * len(FEATURES)
OF_ONE = (*MEANS, *DEVIATIONS, *MEANS, *MEANS)
assert len(OF_ONE) == len(FEATURES) * len(STATISTICS)


def changed(values, place, value):
    return (*values[:place], value, *values[place + 1 :])


def test_a_deviation_of_features_differs_by_as_much_as_the_feature():
    assert same(OF_ONE, changed(OF_ONE, len(FEATURES), 1e-3))
    assert not same(OF_ONE, changed(OF_ONE, len(FEATURES), 10.0))
    assert not same(OF_ONE, changed(OF_ONE, 0, 42_510.0))


def test_a_deviation_of_joined_features_differs_so_too():
    small = tuple(value * 1e-6 for value in OF_ONE)
    place = len(OF_ONE) + len(FEATURES)
    for second, allowed in ((OF_ONE, True), (small, False)):
        both = OF_ONE + second
        assert same(both, changed(both, place, 1e-3)) == allowed


def test_a_frequency_differs_by_as_much_as_the_greatest_of_them():
    place = FEATURES.index("centroid_hz")
    others = FEATURES.index("crest")
    near_zero = OF_ONE
    for chunk in range(len(STATISTICS)):
        for at in (place, others):
            near_zero = changed(near_zero, chunk * len(FEATURES) + at, 0.0017)
    assert same(near_zero, changed(near_zero, place, 0.0018))
    assert not same(near_zero, changed(near_zero, place, 10.0))
    assert not same(near_zero, changed(near_zero, others, 0.0018))


def test_other_reals_differ_by_their_own_size():
    assert same((1.0, 1e-7), (1.00001, 1e-7))
    assert not same((1.0, 1e-7), (1.0, 2e-7))


@pytest.mark.parametrize("number", [inf, -inf, nan])
@pytest.mark.parametrize("of_two", [
    lambda number: number,
    lambda number: (number, 1.0),
    lambda number: changed(OF_ONE, 0, number),
    lambda number: np.array([number, 1.0]),
    lambda number: np.array([number, 1.0], dtype=np.complex64),
])  # fmt: skip
def test_a_number_that_is_not_finite_is_the_same_as_itself_alone(of_two, number):
    assert same(of_two(number), of_two(number))
    for other in {inf, -inf, 5.0, 1e30} - {number}:
        assert not same(of_two(number), of_two(other))
        assert not same(of_two(other), of_two(number))


def test_beside_an_infinite_number_others_have_the_same_tolerance():
    for kind in np.float64, np.complex64:
        value, near, far = (np.array([inf, 1.0, one], dtype=kind) for one in (2.0, 2.000001, 3.0))
        assert same(value, near) and not same(value, far)
