"""Programs evaluated side by side give what each gives alone."""

import pytest

from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.engine.machine.functions import Routine
from megabatt.runtime.engine.machine.words import NO_VALUE, WRONG_TYPE
from megabatt.runtime.megabatch.verify.compare import find
from megabatt.runtime.megabatch.verify.planned import differing
from tests.engine.forms import form_of
from tests.megabatch.fuzzing import computed, computed_programs, sample, written

pytestmark = pytest.mark.device

GRIDS = [((0, 1), (2, 3)), ((5,),), ((1, 1, 0), (0, 0, 1)), ()]


@pytest.mark.parametrize("seed, limit", [(0, 20_000), (1, 20_000), (2, 10), (3, 100), (4, 1000)])
def test_random_programs(seed, limit):
    assert differing(WORKLOAD, computed_programs(seed, range(20), 5, limit), limit) is None


MIRRORED = "def solve_x(I):\n    x1 = vmirror(I)\n    O = first(x1)\n    return O\n"


@Routine
def _fails(heap, piece):
    return NO_VALUE


@pytest.mark.parametrize("form", [LANGUAGE.primitives["hmirror"].compiled, _fails])
def test_a_wrong_compiled_form_is_found(form):
    """It is found operation by operation, and side by side."""
    cases = [computed(written(MIRRORED), map(sample, GRIDS))]
    assert differing(WORKLOAD, cases, 20_000) is None
    with form_of("vmirror", form):
        assert find(WORKLOAD, cases[0].program, cases[0].samples, 20_000).number == 1
        case, finding = differing(WORKLOAD, cases, 20_000)
    assert case is cases[0]
    assert (finding.number, finding.lane) == (1, 0)
    assert "side by side" in str(finding)


@Routine
def _of_another_type(heap, piece):
    return WRONG_TYPE


def test_a_wrong_reason_is_found():
    """Both fail: `first` of nothing, for which there is no value, and what is put in its place."""
    cases = [computed(written("def solve_x(I):\n    x1 = first(I)\n"), [sample(())])]
    with form_of("first", _of_another_type):
        assert find(WORKLOAD, cases[0].program, cases[0].samples, 20_000).number == 1
        _, finding = differing(WORKLOAD, cases, 20_000)
    assert "fails (value)" in finding.scalar and "fails (type)" in finding.vectorized
