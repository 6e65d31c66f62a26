"""Programs given as Python source, in both forms."""

from __future__ import annotations

import ast
from random import Random

from megabatt.runtime.arc.workload import WORKLOAD, ArcSample
from megabatt.runtime.megabatch.verify.compare import Operation, find
from megabatt.runtime.megabatch.verify.generate import program_of
from megabatt.runtime.megabatch.verify.planned import Computed


def operations(source):
    """The operations of `def solve_x(I): x1 = f(a, b) ...`."""
    body = ast.parse(source).body[0].body
    calls = [(s.targets[0].id, s.value) for s in body if isinstance(s, ast.Assign)]
    return [Operation(t, c.func.id, tuple(map(ast.unparse, c.args))) for t, c in calls]


def sample(I, S=(), C=None):  # noqa: E741 - the language's name
    return ArcSample("", S, I, C, "", 0, False)


def assert_same(source, *samples, max_elements=20_000):
    """Both forms of a program agree on these samples, operation by operation."""
    program = operations(source)
    found = find(WORKLOAD, program, list(samples), max_elements)
    assert found is None, f"{program[found.number - 1]}: {found}"


def computed_programs(seed, numbers, samples, max_elements=20_000):
    """Random programs with what their scalar forms give, for `planned.differing`."""
    WORKLOAD.language.use()
    computed = []
    for number in numbers:
        program = program_of(WORKLOAD.draws, seed, number)
        chosen = WORKLOAD.draws.samples(Random(f"{seed}:{number}"), samples)
        outcomes = []
        found = find(WORKLOAD, program, chosen, max_elements, keep=outcomes)
        assert found is None, str(found)
        computed.append(Computed(number, program, chosen, outcomes))
    return computed
