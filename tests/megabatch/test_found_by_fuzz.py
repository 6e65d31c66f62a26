"""Programs that the fuzzer found and shrunk. Each was a difference between the two forms."""

import pytest

from tests.megabatch.fuzzing import assert_same, sample

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
