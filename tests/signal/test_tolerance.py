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


SMALL = tuple(value * 1e-6 for value in OF_ONE)
DEVIATION = len(FEATURES)
CENTROID, CREST = FEATURES.index("centroid_hz"), FEATURES.index("crest")
NEAR_ZERO = tuple(
    0.0017 if place % len(FEATURES) in (CENTROID, CREST) else value
    for place, value in enumerate(OF_ONE)
)
DIFFERING = {
    "a deviation of features, as the feature": (OF_ONE, DEVIATION, 1e-3, 10.0),
    "a deviation of joined features": (OF_ONE * 2, len(OF_ONE) + DEVIATION, 1e-3, 10.0),
    "a deviation of joined features, by its own feature alone":
        (OF_ONE + SMALL, len(OF_ONE) + DEVIATION, 1e-7, 1e-3),
    "a mean of features": (OF_ONE, 0, 42_500.001, 42_510.0),
    "a frequency, as the greatest of them": (NEAR_ZERO, CENTROID, 0.0018, 10.0),
    "what is no frequency, by its own size": (NEAR_ZERO, CREST, 0.00170001, 0.0018),
    "other reals, by their own sizes": ((1.0, 1e-7), 1, 1.00001e-7, 2e-7),
}  # fmt: skip
"""Of each kind: values, and the place of a number with a near and a far one in place of it."""


@pytest.mark.parametrize("values, place, near, far", DIFFERING.values(), ids=DIFFERING)
def test_two_values_are_the_same_if_a_number_differs_by_little(values, place, near, far):
    assert same(values, changed(values, place, near))
    assert not same(values, changed(values, place, far))


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
