"""Programs that the fuzzer found and shrunk. Each was a difference between the two forms."""

import pytest

from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.engine.language.policy import Policy
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.megabatch.verify.planned import differing
from tests.examples import long_on_device
from tests.megabatch.fuzzing import assert_same, computed_programs, sample

pytestmark = pytest.mark.device

FOUND = {
    "a power that fails to be made is not repeated for ever":
        "x = ulcorner(I); return apply(compose(rbind(rapply, ZERO), "
        "compose(initset, lbind(power, increment))), ulcorner(asindices(I)))",
    "a power beyond the budget is not repeated as often":
        "x = repeat(multiply(height(I), 1000000000), TWO); "
        "return apply(chain(rbind(rapply, ZERO), initset, lbind(power, increment)), x)",
    "pairs among other values are no cells":
        "return vperiod(merge(papply(combine, repeat(neighbors(ORIGIN), T), compress(I))))",
    "equal elements have results of unlike type":
        "return prapply(lbind(branch, F), I, astuple(T, height(I)))",
    "rows that are empty make a grid":
        "x = hmirror(repeat(S, T)); y = repeat(I, ZERO); z = shape(repeat(y, T)); "
        "return colorcount(astuple(S, y), ZERO)",
    "a call has more arguments than any function takes":
        "x = compose(size, vmirror); y = x(I, I, I, I, I); return x(I)",
    "a fold starts from None": "return fold(astuple, index(I, NEG_UNITY), I)",
}  # fmt: skip
SAMPLES = [
    sample(((0,),)), sample(((0, 5),)), sample(((5, 5), (5, 0))),
    sample(((0,),), S=(((((2, 4), (2, 2))), ((8, 6, 8), (6, 6, 6))),)),
]  # fmt: skip


@pytest.mark.parametrize("what", FOUND)
def test_the_forms_agree_where(what):
    assert_same(FOUND[what], *SAMPLES)


# Programs side by side, as device and host run them, and alone


@pytest.mark.parametrize("seed, limit", [(0, 20_000), (2, 10), (3, 300)])
def test_random_programs(seed, limit):
    assert differing(WORKLOAD, computed_programs(seed, range(20), 3, limit), limit) is None


# The limits of nested values and of functions built of functions


MAX_DEPTH = Policy().max_depth

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
