"""What the fuzzer has found, shrunk. Each was a difference between the two forms."""

from __future__ import annotations

import pytest

from tests.megabatch.fuzzing import assert_same, sample

pytestmark = pytest.mark.device

ONE_CELL = ((0,),)


def test_a_function_that_gives_one_value_for_all_elements():
    """The tuple's elements were one uniform value, which no type took for Integers or places."""
    assert_same(
        """def solve_x(I):
    x1 = equality(ZERO, I)
    x2 = lbind(branch, x1)
    x3 = rbind(x2, ZERO)
    x4 = apply(x3, I)
    x5 = minimum(x4)
    x6 = rbind(x2, ORIGIN)
    x7 = apply(x6, I)
    x8 = subgrid(x7, I)""",
        sample(ONE_CELL),
    )


def test_a_power_that_fails_to_be_made_is_not_repeated_for_ever():
    """power(increment, 0) fails, but the operation went on to call it: 0, -1, -2, ... times."""
    assert_same(
        """def solve_x(I):
    x1 = ulcorner(I)
    x2 = lbind(power, increment)
    x3 = rbind(rapply, ZERO)
    x4 = asindices(I)
    x5 = ulcorner(x4)
    x6 = compose(initset, x2)
    x7 = compose(x3, x6)
    x8 = apply(x7, x5)""",
        sample(ONE_CELL),
    )


def test_a_power_beyond_the_budget_is_not_repeated_as_often():
    assert_same(
        """def solve_x(I):
    x1 = lbind(power, increment)
    x2 = rbind(rapply, ZERO)
    x3 = chain(x2, initset, x1)
    x4 = height(I)
    x5 = multiply(x4, 1000000000)
    x6 = repeat(x5, TWO)
    x7 = apply(x3, x6)""",
        sample(ONE_CELL),
    )


def test_what_the_scalar_form_gives_is_taken_however_large():
    """A lane that had outgrown the memory was computed by the scalar form; encoding that crashed.

    (Of several samples, some are run as if memory were short.)
    """
    grids = [tuple((row, column, 3, 4, 5) for column in range(5)) for row in range(3)]
    assert_same(
        """def solve_x(I):
    x1 = upscale(I, NINE)
    x2 = objects(x1, T, F, F)
    x3 = apply(toindices, x2)""",
        *map(sample, grids),
    )


def test_pairs_among_other_values_are_no_cells():
    """A lane of pairs alone, beside one of pairs and an Integer, was taken for an empty object."""
    assert_same(
        """def solve_x(I):
    x1 = neighbors(ORIGIN)
    x2 = repeat(x1, T)
    x3 = compress(I)
    x4 = papply(combine, x2, x3)
    x5 = merge(x4)
    x6 = vperiod(x5)""",
        sample(((0, 5),)),
        sample(((5, 5), (5, 0))),
    )


def test_equal_results_of_unlike_type_for_equal_elements():
    """prapply took its results apart by their elements, of which True equals 1."""
    assert_same(
        """def solve_x(I):
    x1 = height(I)
    x2 = astuple(T, x1)
    x3 = lbind(branch, F)
    x4 = prapply(x3, I, x2)""",
        sample(ONE_CELL),
    )


def test_rows_that_are_empty_make_a_grid_whatever_rows_other_samples_have():
    """S is empty in one sample. Its rows had the other's layout and were taken for no rows."""
    assert_same(
        """def solve_x(I):
    x1 = repeat(S, T)
    x2 = hmirror(x1)
    x3 = shape(x1)
    x4 = repeat(I, ZERO)
    x5 = repeat(x4, T)
    x6 = shape(x5)
    x7 = astuple(S, x4)
    x8 = colorcount(x7, ZERO)""",
        sample(ONE_CELL),
        sample(ONE_CELL, S=(((((2, 4), (2, 2))), ((8, 6, 8), (6, 6, 6))),)),
    )


def test_empty_rows_of_several_layouts_make_a_grid():
    assert_same(
        """def solve_x(I):
    x1 = first(C)
    x2 = astuple(x1, S)
    x3 = vmirror(x2)
    x4 = astuple(S, x1)
    x5 = square(x4)
    x6 = last(S)
    x7 = astuple(x6, S)
    x8 = portrait(x7)""",
        sample(ONE_CELL),
        sample(ONE_CELL, S=(((((5, 6, 5), (6, 4, 6))), ((5, 5),)),), C=ONE_CELL),
    )


def test_a_call_with_more_arguments_than_any_function_takes():
    """The machine has room for four. Found by hand: the fuzzer counts arguments right."""
    assert_same(
        """def solve_x(I):
    x1 = compose(size, vmirror)
    x2 = x1(I, I, I, I, I)
    x3 = x1(I)""",
        sample(ONE_CELL),
    )
