"""Calls on a bank's values give what the scalar form gives, in every lane of every call."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.engine.language.values import fails, identical, total_weight
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


def check(bank, name, operands, plain):
    """Compare a call with the scalar form and return it. plain: the lanes' values by number."""
    made = called(bank, name, operands)
    function = LANGUAGE.primitives[name].function
    for call, (lanes, failed) in enumerate(zip(values_of(made), made.failed, strict=True)):
        for lane in range(len(GRIDS)):
            args = [plain[int(of[call])][lane] for of in operands]
            value, error, _ = attempt(function, args, LIMIT)
            assert bool(failed[lane]) == (error is not None), (name, args)
            assert failed[lane] or identical(value, lanes[lane]), (name, args)
    return made


def test_calls_on_values_of_several_layouts(bank):
    plain = {int(bank.add(GRIDS)[0]): GRIDS}
    for constant in (2, (1, 1), True, ()):
        plain[bank.add_constant(constant)] = [constant] * len(GRIDS)
    made = called(bank, "asobject", [numbers(0)])
    plain[int(bank.keep(made)[0])] = values_of(made)[0]
    for name, primitive in LANGUAGE.primitives.items():
        if primitive.arity <= 2 and not any(declared.called for declared in primitive.types):
            chosen = np.array(list(itertools.product(sorted(plain), repeat=primitive.arity)))
            check(bank, name, list(chosen.T), plain)


def test_calls_of_functions_of_several_shapes_that_bind_values(bank):
    grid, one, two = int(bank.add(GRIDS)[0]), bank.add_constant(1), bank.add_constant(2)
    plain = {grid: GRIDS, one: [1] * len(GRIDS), two: [2] * len(GRIDS)}
    objects = called(bank, "asobject", [numbers(grid)])
    cells = int(bank.keep(objects)[0])
    plain[cells] = values_of(objects)[0]
    names = ("first", "last", "size", "add", "increment", "equality")
    primitives = {name: function_of(bank, name) for name in names}
    for name, number in primitives.items():
        plain[number] = [LANGUAGE.primitives[name].function] * len(GRIDS)
    built = [
        ("rbind", (primitives["add"], one)),
        ("lbind", (primitives["add"], two)),
        ("compose", (primitives["increment"], primitives["first"])),
        ("matcher", (primitives["first"], two)),
        ("power", (primitives["increment"], two)),
        ("fork", (primitives["equality"], primitives["first"], primitives["size"])),
        ("compose", (primitives["size"], one)),  # fails when it is built
    ]
    for name, operands in built:
        primitive = LANGUAGE.primitives[name]
        number = int(bank.add_built(primitive, [numbers(of) for of in operands], -2)[0])
        plain[number] = []
        for lane in range(len(GRIDS)):
            args = [plain[of][lane] for of in operands]
            value, error, _ = attempt(primitive.function, args, LIMIT)
            plain[number].append(value if error is None else fails)
    functions = numbers(*(number for number in plain if callable(plain[number][0])))
    containers = np.full(len(functions), cells)
    check(bank, "apply", [functions, containers], plain)
    check(bank, "sfilter", [containers, functions], plain)
    check(bank, "argmax", [containers, functions], plain)


def test_what_builds_too_much_fails_in_its_own_lanes(bank):
    grid = int(bank.add(GRIDS)[0])
    many, few = bank.add_constant(40), bank.add_constant(2)
    made = called(bank, "upscale", [numbers(grid, grid), numbers(many, few)])
    assert made.failed.tolist() == [[True, True, False], [False] * 3]


def test_large_values_that_functions_bind_are_not_copied():
    bank = Bank(LANGUAGE, 3, 10_000)
    grid = int(bank.add([((lane,) * 30,) * 30 for lane in range(3)])[0])
    patches = int(bank.add([frozenset({frozenset({(0, 0)})})] * 3)[0])
    fill, mirror = function_of(bank, "fill"), function_of(bank, "vmirror")
    lbind, compose = LANGUAGE.primitives["lbind"], LANGUAGE.primitives["compose"]
    of_grid = bank.add_built(lbind, [numbers(fill), numbers(grid)], -2)
    filled = bank.add_built(lbind, [of_grid, numbers(bank.add_constant(5))], -3)
    turned = bank.add_built(compose, [numbers(mirror), filled], -3)
    functions = np.repeat(np.concatenate([filled, turned]), 250)
    before = bank.nbytes
    made = called(bank, "apply", [functions, np.full(len(functions), patches)])
    assert not made.failed.any() and not bank.host_lanes
    assert bank.nbytes - before < 30 * 30
    for lane, (left, right) in enumerate(zip(values_of(made)[0], values_of(made)[-1], strict=True)):
        row = (5, *[lane] * 29)
        assert left == {(row, *[(lane,) * 30] * 29)}
        assert right == {(row[::-1], *[(lane,) * 30] * 29)}


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


def test_what_is_learnt_of_calls_is_what_is_learnt_of_their_values(bank):
    given = numbers(*bank.add([*GRIDS, *GRIDS[::-1]]), bank.add_constant((1, 1)))
    for name in ("rot90", "asobject", "size", "palette", "partition", "initset", "identity"):
        made = called(bank, name, [given])
        made = made.taken(np.flatnonzero(~made.failed.any(axis=1)))
        kept = bank.keep(made)
        assert (bank.layouts[kept] == made.layouts).all(), name
        for learnt, found in zip(made.fingerprints(), bank.fingerprints(kept), strict=True):
            assert (learnt == found).all(), name
        assert bank.values(kept) == made.values
        assert bank.weights(kept).tolist() == [total_weight(lanes) for lanes in values_of(made)]
