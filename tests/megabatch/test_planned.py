"""Programs give the same results evaluated side by side and alone."""

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


@Routine
def _fails(heap, piece):
    return NO_VALUE


@Routine
def _of_another_type(heap, piece):
    return WRONG_TYPE


HMIRROR = LANGUAGE.primitives["hmirror"].compiled


@pytest.mark.parametrize(
    "name, form, grids, scalar, vectorized",
    [("vmirror", HMIRROR, GRIDS, "((1, 0), (3, 2))", "((2, 3), (0, 1))"),
     ("vmirror", _fails, GRIDS, "((1, 0), (3, 2))", "fails (value)"),
     ("first", _of_another_type, [()], "fails (value)", "fails (type)")],
)  # fmt: skip
def test_a_wrong_compiled_form_is_found(name, form, grids, scalar, vectorized):
    """Both comparisons find it, operation by operation and side by side; also a wrong reason."""
    source = f"def solve_x(I):\n    x1 = {name}(I)\n    O = identity(x1)\n    return O\n"
    cases = [computed(written(source), map(sample, grids))]
    assert differing(WORKLOAD, cases, 20_000) is None
    with form_of(name, form):
        assert find(WORKLOAD, cases[0].program, cases[0].samples, 20_000).number == 1
        case, finding = differing(WORKLOAD, cases, 20_000)
    assert case is cases[0] and (finding.number, finding.lane) == (1, 0)
    assert scalar in finding.scalar and f"side by side: {vectorized}" in finding.vectorized
