"""The limits of nested values and of functions built of functions, the same in both forms."""

import pytest

from megabatt.runtime.engine.language.policy import Policy
from megabatt.runtime.engine.language.reasons import Reason
from tests.examples import long_on_device
from tests.megabatch.fuzzing import assert_same, sample

MAX_DEPTH = Policy().max_depth

pytestmark = pytest.mark.device

LANES = [sample(tuple((k, k) for _ in range(k))) for k in (1, 2, 3)]


def last_fails(body):
    """Flag the lanes in which the last operation exceeds the limit. Asserts that forms agree."""
    return [outcome.reason == Reason.LIMIT for outcome in assert_same(body, *LANES)]


CONTAINERS = [
    ("compose(identity, initset)", "height(I)", MAX_DEPTH + 1),
    ("rbind(repeat, ONE)", "height(I)", MAX_DEPTH + 1),
    ("rbind(astuple, T)", "height(I)", MAX_DEPTH + 2),  # the innermost pair counts as a value
]


@pytest.mark.parametrize(
    ("wrap", "first", "deepest"),
    [*(pytest.param(*row, marks=long_on_device) for row in CONTAINERS),
     ("lbind(compose, increment)", "lbind(add, TWO)", MAX_DEPTH - 1)],
)  # fmt: skip
def test_containers_are_nested_and_functions_built_of_functions_up_to_a_limit(wrap, first, deepest):
    for times, fails in [(deepest, False), (deepest + 1, True), (1000, True)]:
        found = last_fails(f"return power({wrap}, {times})({first})")
        assert found == [fails] * len(LANES), times


@long_on_device
def test_lanes_that_go_on_do_not_take_along_those_that_became_too_deep():
    """A lane of three rows nests its value 3 x 15 deep; a lane of one row, 15 deep."""
    body = "x = height(I); return power(power(compose(identity, initset), x), 15)(x)"
    assert last_fails(body) == [False, False, True]


@long_on_device
def test_pairing_a_value_with_itself_again_and_again_ends_at_once():
    """Found by fuzz: 255 levels of tuples, each level walked by all the deeper levels."""
    body = "x = repeat(dedupe(I), TWO); y = fork(pair, dedupe, lbind(other, x)); "
    assert_same(f"{body}return apply(power(y, 255), repeat(x, TWO))", *LANES)
