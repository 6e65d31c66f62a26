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
    cases = [computed(written(f"return identity({name}(I))"), map(sample, grids))]
    assert differing(WORKLOAD, cases, 20_000) is None
    with form_of(name, form):
        assert find(WORKLOAD, cases[0].program, cases[0].samples, 20_000).number == 1
        case, finding = differing(WORKLOAD, cases, 20_000)
    assert case is cases[0] and (finding.number, finding.lane) == (1, 0)
    assert scalar in finding.scalar and f"side by side: {vectorized}" in finding.vectorized
