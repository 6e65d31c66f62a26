"""Programs evaluated side by side give what each gives alone."""

from __future__ import annotations

import pytest

from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.engine.machine.functions import Routine
from megabatt.runtime.engine.machine.words import FAILED
from megabatt.runtime.megabatch.verify.compare import find, little_room
from megabatt.runtime.megabatch.verify.planned import Computed, differing
from tests.engine.forms import form_of
from tests.megabatch.fuzzing import computed_programs, sample, written

pytestmark = pytest.mark.device

GRIDS = [((0, 1), (2, 3)), ((5,),), ((1, 1, 0), (0, 0, 1)), ()]


@pytest.mark.parametrize("seed", range(5))
def test_random_programs(seed):
    assert differing(WORKLOAD, computed_programs(seed, range(20), 5), 20_000) is None


@pytest.mark.parametrize("limit", [10, 100, 1000])
def test_random_programs_that_may_build_little(limit):
    cases = computed_programs(11, range(15), 4, limit)
    assert differing(WORKLOAD, cases, limit) is None


def test_random_programs_where_memory_is_short():
    cases = computed_programs(12, range(10), 4)
    with little_room(60):
        assert differing(WORKLOAD, cases, 20_000) is None


SOURCES = {
    "functions that bind values": """
def solve_x(I):
    x1 = mostcolor(I)
    x2 = lbind(ofcolor, I)
    x3 = palette(I)
    x4 = mapply(x2, x3)
    x5 = matcher(identity, x1)
    O = sfilter(x3, x5)
    return O
""",
    "functions that are built for each element": """
def solve_x(I):
    x1 = lbind(lbind, shift)
    x2 = fork(apply, x1, asindices)
    x3 = rbind(matcher, ONE)
    x4 = compose(x3, identity)
    x5 = asindices(I)
    x6 = lbind(rbind, add)
    x7 = apply(x6, x5)
    O = rapply(x7, UNITY)
    return O
""",
    "functions that a value chooses": """
def solve_x(I):
    x1 = height(I)
    x2 = even(x1)
    x3 = branch(x2, vmirror, hmirror)
    x4 = compose(x3, rot90)
    x5 = x4(I)
    x6 = branch(x2, x4, size)
    O = x6(I)
    return O
""",
    "functions bound as values": """
def solve_x(I):
    x1 = height(I)
    x2 = even(x1)
    x3 = branch(x2, vmirror, hmirror)
    x4 = lbind(compose, x3)
    x5 = x4(rot90)
    x6 = initset(x3)
    x7 = first(x6)
    x8 = lbind(apply, x7)
    O = x5(I)
    return O
""",
    "calls of what is no function": """
def solve_x(I):
    x1 = height(I)
    x2 = apply(x1, I)
    x3 = compose(x1, size)
    x4 = fork(add, x3, size)
    x5 = x4(I)
    O = mapply(x5, I)
    return O
""",
    "the same call twice in a function": """
def solve_x(I):
    x1 = fork(combine, asobject, asobject)
    x2 = fork(difference, x1, asobject)
    x3 = compose(x2, vmirror)
    O = x3(I)
    return O
""",
    "powers": """
def solve_x(I):
    x1 = power(rot90, THREE)
    x2 = height(I)
    x3 = power(vmirror, x2)
    x4 = compose(x1, x3)
    O = x4(I)
    return O
""",
}


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("limit", [20_000, 30, 8, 3])
def test_functions(name, limit):
    program = written(SOURCES[name])
    samples = [sample(grid) for grid in GRIDS]
    outcomes = []
    assert find(WORKLOAD, program, samples, limit, keep=outcomes) is None
    mirrored = samples[::-1]
    cases = [
        Computed(0, program, samples, outcomes),
        Computed(1, program, mirrored, [of_lanes[::-1] for of_lanes in outcomes]),
    ]
    found = differing(WORKLOAD, cases, limit)
    assert found is None, str(found[1])


MIRRORED = "def solve_x(I):\n    x1 = vmirror(I)\n    O = first(x1)\n    return O\n"


@Routine
def _fails(heap, piece):
    return FAILED


@pytest.mark.parametrize("form", [LANGUAGE.primitives["hmirror"].compiled, _fails])
def test_a_wrong_compiled_form_is_found(form):
    """It is found operation by operation, and side by side."""
    program, samples = written(MIRRORED), [sample(grid) for grid in GRIDS]
    outcomes = []
    assert find(WORKLOAD, program, samples, 20_000, keep=outcomes) is None
    cases = [Computed(0, program, samples, outcomes)]
    assert differing(WORKLOAD, cases, 20_000) is None
    with form_of("vmirror", form):
        assert find(WORKLOAD, program, samples, 20_000).number == 1
        case, finding = differing(WORKLOAD, cases, 20_000)
    assert case is cases[0]
    assert (finding.number, finding.lane) == (1, 0)
    assert "side by side" in str(finding)
