"""Estimates before calls are part of the calls' charges: no more operations fail with them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt as mb
import megabatt.runtime.arc as arc
from megabatt.runtime.arc.workload.given import samples_given
from megabatt.runtime.engine.language.limits import LimitError, budget
from megabatt.runtime.engine.language.sequential import attempt
from tests.python import scalar as scalar_module
from tests.python.scalar import computed, random_programs, scalar

TASK = [([[0, 1, 2], [3, 0, 1], [1, 1, 0], [5, 0, 5]], [[1]])]
ELEMENTS = tuple(range(12))
ABOVE = arc.lbind(arc.lbind, arc.greater)
LEAST = arc.lbind(arc.argmin, ELEMENTS)
CHOSEN = arc.compose(arc.lbind(arc.sfilter, ELEMENTS), ABOVE)


class Called(Exception):
    """Raised when a function is called on an element."""


def called(element):
    raise Called


@pytest.mark.parametrize(
    "function, least",
    [
        (arc.identity, 0),
        (arc.lbind(arc.rbind, arc.add), 2),
        (arc.compose(arc.rbind(arc.sfilter, arc.positive), arc.first), 0),
        (CHOSEN, 2 + 12),
        (arc.chain(LEAST, arc.lbind(arc.compose, CHOSEN), ABOVE), 1 + 2 + 9 + 12 * (1 + 14)),
        (arc.power(arc.lbind(arc.rbind, arc.add), 3), 0),
    ],
)
def test_an_estimate_above_the_limit_fails_at_once(function, least):
    explodes = arc.fork(arc.astuple, called, function)
    asked = len(ELEMENTS) * (1 + least)
    assert isinstance(attempt(arc.apply, [explodes, ELEMENTS], asked - 1)[1], LimitError)
    assert isinstance(attempt(arc.apply, [explodes, ELEMENTS], asked)[1], Called)


@given(seed=st.integers(0, 1 << 30), limit=st.sampled_from([10, 40, 200, 1000, 20_000]))
def test_the_same_operations_fail_without_estimates(seed, limit):
    programs = random_programs(6, seed)
    evaluation = mb.evaluate(programs, TASK, max_elements=limit, outputs="none")
    (sample,) = samples_given(TASK)
    for k, program in enumerate(programs):
        failed = scalar(program, sample, limit).failed
        assert failed == int(evaluation.failed[k, 0])
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(scalar_module, "attempt", unestimated)
            assert failed == computed(program, sample, limit).failed


def unestimated(function, args, limit):
    """Do `attempt` as if a charge had been paid before, so that nothing is estimated."""
    budget.begin(limit)
    budget.limit += 1
    try:
        return function(*args), None, budget.left
    except Exception as error:
        return None, error, budget.left
    finally:
        budget.begin()
