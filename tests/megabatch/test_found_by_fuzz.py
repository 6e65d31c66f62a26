"""Programs that the fuzzer found and shrunk. Each was a difference between the two forms."""

from random import Random

import pytest

import megabatt as mb
from megabatt.runtime.arc.workload import WORKLOAD, ArcSample
from megabatt.runtime.engine.language.policy import Policy
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.megabatch.verify.compare import find
from megabatt.runtime.megabatch.verify.generate import program_of
from megabatt.runtime.megabatch.verify.planned import Expected, differing
from tests.examples import long_on_device

pytestmark = pytest.mark.device


def sample(I, S=()):  # noqa: E741 - the language's name
    return ArcSample("", S, I, None, "", 0, False)


def computed(made, samples, max_elements=20_000, number=0):
    """Return a program with its scalar form's results. Asserts that the other form agrees."""
    samples, outcomes = list(samples), []
    found = find(WORKLOAD, made, samples, max_elements, keep=outcomes)
    assert found is None, f"{made.operations[found.number - 1]}: {found}"
    return Expected(number, made, samples, outcomes)


def assert_same(body, *samples):
    """Assert that a program gives the same in both forms and by every executor.

    Returns the outcome of its last operation in each sample.
    """
    (made,) = mb.parse(f"def solve_x(I): {body}")
    case = computed(made, samples)
    found = differing(WORKLOAD, [case], 20_000)
    assert found is None, str(found[1])
    return case.outcomes[-1]


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
    draws, cases = WORKLOAD.draws, []
    for number in range(20):
        samples = draws.samples(Random(f"{seed}:{number}"), 3)
        cases.append(computed(program_of(draws, seed, number), samples, limit, number))
    assert differing(WORKLOAD, cases, limit) is None


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
