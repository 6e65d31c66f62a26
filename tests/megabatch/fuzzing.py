"""Programs given as the bodies of Python functions, in both forms."""

from random import Random

import megabatt as mb
from megabatt.runtime.arc.workload import WORKLOAD, ArcSample
from megabatt.runtime.megabatch.verify.compare import find
from megabatt.runtime.megabatch.verify.generate import program_of
from megabatt.runtime.megabatch.verify.planned import Expected, differing


def written(body):
    """Return the program of a function's body, such as `x = size(I); return x`."""
    (made,) = mb.parse(f"def solve_x(I): {body}")
    return made


def sample(I, S=(), C=None):  # noqa: E741 - the language's name
    return ArcSample("", S, I, C, "", 0, False)


def computed(made, samples, max_elements=20_000, number=0):
    """Return a program with its scalar form's results. Asserts that the other form agrees."""
    samples, outcomes = list(samples), []
    found = find(WORKLOAD, made, samples, max_elements, keep=outcomes)
    assert found is None, f"{made.operations[found.number - 1]}: {found}"
    return Expected(number, made, samples, outcomes)


def assert_same(body, *samples, max_elements=20_000):
    """Assert that a program gives the same in both forms and by every executor.

    Returns the outcome of its last operation in each sample.
    """
    case = computed(written(body), samples, max_elements)
    found = differing(WORKLOAD, [case], max_elements)
    assert found is None, str(found[1])
    return case.outcomes[-1]


def computed_programs(seed, numbers, samples, max_elements=20_000):
    """Draw random programs with their scalar forms' results, for `planned.differing`."""
    WORKLOAD.language.use()
    draws = WORKLOAD.draws
    return [
        computed(
            program_of(draws, seed, number), draws.samples(Random(f"{seed}:{number}"), samples),
            max_elements, number,
        )
        for number in numbers
    ]
