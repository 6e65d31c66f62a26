"""Calls on a bank's values give the scalar form's results, in every lane of every call."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.engine.language.values import identical
from megabatt.runtime.search.bank import Bank
from tests.engine.forms import form_of

GRIDS = [((1, 0, 2), (0, 0, 2)), ((3, 3), (0, 3), (3, 0)), ((5,),)]
LIMIT = 2000


@pytest.fixture
def bank():
    return Bank(LANGUAGE, len(GRIDS), LIMIT)


def numbers(*some):
    return np.array(some, dtype=np.int64)


def called(bank, name, operands):
    return bank.call(LANGUAGE.primitives[name], operands)


def function_of(bank, name):
    return bank.add_function(LANGUAGE.primitives[name].function, -1)


def values_of(made):
    calls, lanes = made.failed.shape
    values = made.values
    return [values[k * lanes : (k + 1) * lanes] for k in range(calls)]


def test_calls_on_values_of_several_layouts(bank):
    plain = {int(bank.add(GRIDS)[0]): GRIDS}
    for constant in (2, (1, 1), True, ()):
        plain[bank.add_constant(constant)] = [constant] * len(GRIDS)
    made = called(bank, "asobject", [numbers(0)])
    plain[int(bank.keep(made)[0])] = values_of(made)[0]
    for name, primitive in LANGUAGE.primitives.items():
        if primitive.arity <= 2 and not any(declared.called for declared in primitive.types):
            chosen = list(itertools.product(sorted(plain), repeat=primitive.arity))
            made = called(bank, name, list(np.array(chosen).T))
            for operands, lanes, failed in zip(chosen, values_of(made), made.failed, strict=True):
                for lane, args in enumerate(zip(*map(plain.get, operands), strict=True)):
                    value, error, _ = attempt(primitive.function, args, LIMIT)
                    assert bool(failed[lane]) == (error is not None), (name, args)
                    assert failed[lane] or identical(value, lanes[lane]), (name, args)


def test_a_call_that_builds_too_much_fails_in_its_own_lanes(bank):
    grid = int(bank.add(GRIDS)[0])
    many, few = bank.add_constant(40), bank.add_constant(2)
    made = called(bank, "upscale", [numbers(grid, grid), numbers(many, few)])
    assert made.failed.tolist() == [[True, True, False], [False] * 3]


def test_a_primitive_without_a_compiled_form_is_computed_by_the_scalar_form():
    with form_of("apply", None):
        bank = Bank(LANGUAGE, len(GRIDS), LIMIT)
        one, two = bank.add_constant(1), bank.add_constant(2)
        add, double = function_of(bank, "add"), function_of(bank, "double")
        rbind = LANGUAGE.primitives["rbind"]
        bound = bank.add_built(rbind, [numbers(add, add), numbers(one, two)], -2)
        functions = np.array([*bound.tolist(), double, one])
        made = called(bank, "apply", [functions, np.full(4, bank.add_constant((1, 5)))])
        assert bank.host_lanes == 12
        assert made.failed.tolist() == [[False] * 3] * 3 + [[True] * 3]
        assert [lanes[0] for lanes in values_of(made)] == [(2, 6), (3, 7), (2, 10), ()]
        assert (bank.fingerprints(bank.keep(made))[0][:3] == made.fingerprints()[0][:3]).all()


def test_calls_on_some_lanes_are_those_of_all_lanes_there(bank):
    grid = int(bank.add(GRIDS)[0])
    operands = [numbers(grid, grid), numbers(bank.add_constant(2), grid)]
    everywhere = called(bank, "upscale", operands)
    some = bank.call(LANGUAGE.primitives["upscale"], operands, numbers(2, 0))
    assert (some.failed == everywhere.failed[:, [2, 0]]).all()
    for found, expected in zip(some.fingerprints(), everywhere.fingerprints(), strict=True):
        assert (found == expected[:, [2, 0]]).all()
    assert values_of(some) == [[lanes[2], lanes[0]] for lanes in values_of(everywhere)]
