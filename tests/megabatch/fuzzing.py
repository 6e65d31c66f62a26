"""Programs given as Python source, in both forms."""

from __future__ import annotations

import ast
from random import Random

from megabatt.runtime.arc.workload import WORKLOAD, ArcSample
from megabatt.runtime.megabatch.verify.compare import find
from megabatt.runtime.megabatch.verify.generate import program_of
from megabatt.runtime.megabatch.verify.planned import Computed
from megabatt.runtime.program import program


def written(source):
    """Return the program of `def solve_x(I): x1 = f(a, b) ...`. It gives what it assigns last."""
    solver = ast.parse(source).body[0]
    calls = [(s.targets[0].id, s.value) for s in solver.body if isinstance(s, ast.Assign)]
    operations = [[t, c.func.id, *map(_word, c.args)] for t, c in calls]
    return program(solver.name, operations, calls[-1][0])


def _word(node):
    return node.id if isinstance(node, ast.Name) else ast.literal_eval(node)


def sample(I, S=(), C=None):  # noqa: E741 - the language's name
    return ArcSample("", S, I, C, "", 0, False)


def assert_same(source, *samples, max_elements=20_000):
    """Assert that both forms of a program agree on these samples, operation by operation."""
    made = written(source)
    found = find(WORKLOAD, made, list(samples), max_elements)
    assert found is None, f"{made.operations[found.number - 1]}: {found}"


def computed_programs(seed, numbers, samples, max_elements=20_000):
    """Draw random programs with what their scalar forms give, for `planned.differing`."""
    WORKLOAD.language.use()
    computed = []
    for number in numbers:
        made = program_of(WORKLOAD.draws, seed, number)
        chosen = WORKLOAD.draws.samples(Random(f"{seed}:{number}"), samples)
        outcomes = []
        found = find(WORKLOAD, made, chosen, max_elements, keep=outcomes)
        assert found is None, str(found)
        computed.append(Computed(number, made, chosen, outcomes))
    return computed
