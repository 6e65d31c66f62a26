"""Programs that the fuzzer found and shrunk. Each was a difference between the two forms."""

import pytest

from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.engine.machine.functions import Routine
from megabatt.runtime.engine.machine.words import NO_VALUE, WRONG_TYPE
from megabatt.runtime.megabatch.verify.compare import find
from megabatt.runtime.megabatch.verify.planned import differing
from tests.engine.forms import form_of
from tests.megabatch.fuzzing import assert_same, computed, computed_programs, sample, written

pytestmark = pytest.mark.device

FOUND = {
    "a power that fails to be made is not repeated for ever": """
    x1 = ulcorner(I)
    x2 = lbind(power, increment)
    x3 = rbind(rapply, ZERO)
    x4 = asindices(I)
    x5 = ulcorner(x4)
    x6 = compose(initset, x2)
    x7 = compose(x3, x6)
    x8 = apply(x7, x5)""",
    "a power beyond the budget is not repeated as often": """
    x1 = lbind(power, increment)
    x2 = rbind(rapply, ZERO)
    x3 = chain(x2, initset, x1)
    x4 = height(I)
    x5 = multiply(x4, 1000000000)
    x6 = repeat(x5, TWO)
    x7 = apply(x3, x6)""",
    "pairs among other values are no cells": """
    x1 = neighbors(ORIGIN)
    x2 = repeat(x1, T)
    x3 = compress(I)
    x4 = papply(combine, x2, x3)
    x5 = merge(x4)
    x6 = vperiod(x5)""",
    "equal elements have results of unlike type": """
    x1 = height(I)
    x2 = astuple(T, x1)
    x3 = lbind(branch, F)
    x4 = prapply(x3, I, x2)""",
    "rows that are empty make a grid": """
    x1 = repeat(S, T)
    x2 = hmirror(x1)
    x3 = repeat(I, ZERO)
    x4 = repeat(x3, T)
    x5 = shape(x4)
    x6 = astuple(S, x3)
    x7 = colorcount(x6, ZERO)""",
    "a call has more arguments than any function takes": """
    x1 = compose(size, vmirror)
    x2 = x1(I, I, I, I, I)
    x3 = x1(I)""",
    "a fold starts from None": """
    x1 = index(I, NEG_UNITY)
    x2 = fold(astuple, x1, I)""",
}
SAMPLES = [
    sample(((0,),)), sample(((0, 5),)), sample(((5, 5), (5, 0))),
    sample(((0,),), S=(((((2, 4), (2, 2))), ((8, 6, 8), (6, 6, 6))),)),
]  # fmt: skip


@pytest.mark.parametrize("what", FOUND)
def test_the_forms_agree_where(what):
    assert_same(f"def solve_x(I):{FOUND[what]}", *SAMPLES)


# Programs side by side, as device and host run them, and alone


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
