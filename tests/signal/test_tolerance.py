"""The tolerance within which two values count as the same."""

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
