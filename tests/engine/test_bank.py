"""Calls on a bank's values give what the scalar form gives, in every lane of every call."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine.calls.sequential import attempt
from megabatt.runtime.engine.columns import encode
from megabatt.runtime.engine.device.room import most_at_once
from megabatt.runtime.engine.plan.bank import Bank
from megabatt.runtime.engine.plan.store import Store
from megabatt.runtime.engine.plan.together import Request, keep_together
from megabatt.runtime.engine.plan.together import called as together
from megabatt.runtime.engine.values import equal, fails

GRIDS = [((1, 0, 2), (0, 0, 2)), ((3, 3), (0, 3), (3, 0)), ((5,),)]
LIMIT = 2000


@pytest.fixture(autouse=True)
def language():
    with LANGUAGE.in_use():
        yield


@pytest.fixture
def bank():
    return Bank(LANGUAGE, len(GRIDS), LIMIT)


def numbers(*some):
    return np.array(some, dtype=np.int64)


def called(bank, name, operands):
    return bank.call(LANGUAGE.primitives[name], operands)


def values_of(made):
    shape = made.failed.shape
    decoded = made.column.gathered().decode()
    return [decoded[k * shape[1] : (k + 1) * shape[1]] for k in range(shape[0])]


def check(bank, name, operands, plain):
    """Compare a call with the scalar form and return it. plain: the lanes' values by number."""
    made = called(bank, name, operands)
    function = LANGUAGE.primitives[name].function
    for call, (lanes, failed) in enumerate(zip(values_of(made), made.failed, strict=True)):
        for lane in range(len(GRIDS)):
            args = [plain[int(of[call])][lane] for of in operands]
            value, has_failed, _ = attempt(function, args, LIMIT)
            assert bool(failed[lane]) == has_failed, (name, args)
            assert has_failed or equal(value, lanes[lane]), (name, args)
    return made


def test_calls_on_values_of_several_layouts(bank):
    plain = {int(bank.add(encode(GRIDS))[0]): GRIDS}
    for constant in (2, (1, 1), True, ()):
        plain[bank.add_constant(constant)] = [constant] * len(GRIDS)
    made = called(bank, "asobject", [numbers(0)])
    plain[int(bank.keep(made)[0])] = values_of(made)[0]
    for name, primitive in LANGUAGE.primitives.items():
        if primitive.arity <= 2 and not any(declared.called for declared in primitive.types):
            chosen = np.array(list(itertools.product(sorted(plain), repeat=primitive.arity)))
            check(bank, name, list(chosen.T), plain)


def test_calls_of_functions_of_several_shapes_that_bind_values(bank):
    grid, one, two = int(bank.add(encode(GRIDS))[0]), bank.add_constant(1), bank.add_constant(2)
    plain = {grid: GRIDS, one: [1] * len(GRIDS), two: [2] * len(GRIDS)}
    objects = called(bank, "asobject", [numbers(grid)])
    cells = int(bank.keep(objects)[0])
    plain[cells] = values_of(objects)[0]
    primitives = {
        name: bank.add_function(LANGUAGE.primitives[name].function, -1)
        for name in ("first", "last", "size", "add", "increment", "equality")
    }
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
            value, failed, _ = attempt(primitive.function, args, LIMIT)
            plain[number].append(fails if failed else value)
    functions = numbers(*(number for number in plain if callable(plain[number][0])))
    containers = np.full(len(functions), cells)
    check(bank, "apply", [functions, containers], plain)
    check(bank, "sfilter", [containers, functions], plain)
    check(bank, "argmax", [containers, functions], plain)


def test_what_made_a_value_is_known(bank):
    grid = int(bank.add(encode(GRIDS))[0])
    two = bank.add_constant(2)
    made = called(bank, "upscale", [numbers(grid, grid), numbers(two, grid)])
    assert made.failed.tolist() == [[False] * 3, [True] * 3]
    (kept,) = bank.keep(made.taken(numbers(0)))
    primitive, operands = bank.origin(int(kept))
    assert primitive.name == "upscale" and operands == [grid, two]
    assert bank.origin(grid) == (None, [])
    assert bank.column(numbers(kept)).decode() == values_of(made)[0]


def test_equal_values_have_equal_fingerprints_and_booleans_are_no_integers(bank):
    grid = int(bank.add(encode(GRIDS))[0])
    turned = called(bank, "rot180", [numbers(grid)])
    flipped = bank.keep(called(bank, "vmirror", [numbers(grid)]))
    mirrored = called(bank, "hmirror", [flipped])
    assert same_bits(turned, mirrored)
    assert not same_bits(turned, called(bank, "hmirror", [numbers(grid)]))
    one = bank.add_constant(1)
    true = called(bank, "equality", [numbers(one), numbers(one)])
    assert not same_bits(true, called(bank, "identity", [numbers(one)]))


def same_bits(a, b):
    pairs = zip(a.fingerprints(), b.fingerprints(), strict=True)
    return all((x == y).all() for x, y in pairs)


def test_what_builds_too_much_fails_in_its_own_lanes(bank):
    grid = int(bank.add(encode(GRIDS))[0])
    many, few = bank.add_constant(40), bank.add_constant(2)
    made = called(bank, "upscale", [numbers(grid, grid), numbers(many, few)])
    assert made.failed.tolist() == [[True, True, False], [False] * 3]


def test_large_values_that_functions_bind_are_laid_out_for_some_calls_at_a_time():
    bank = Bank(LANGUAGE, 3, 10_000)
    grid = int(bank.add(encode([((lane,) * 30,) * 30 for lane in range(3)]))[0])
    patches = int(bank.add(encode([frozenset({frozenset({(0, 0)})})] * 3))[0])
    fill, mirror = [
        bank.add_function(LANGUAGE.primitives[name].function, -1) for name in ("fill", "vmirror")
    ]
    lbind, compose = LANGUAGE.primitives["lbind"], LANGUAGE.primitives["compose"]
    of_grid = bank.add_built(lbind, [numbers(fill), numbers(grid)], -2)
    filled = bank.add_built(lbind, [of_grid, numbers(bank.add_constant(5))], -3)
    turned = bank.add_built(compose, [numbers(mirror), filled], -3)
    functions = np.repeat(np.concatenate([filled, turned]), 250)
    assert 3 * len(functions) * 30 * 30 > most_at_once()
    made = called(bank, "apply", [functions, np.full(len(functions), patches)])
    assert not made.failed.any() and not bank.host_lanes
    for lane, (left, right) in enumerate(zip(values_of(made)[0], values_of(made)[-1], strict=True)):
        row = (5, *[lane] * 29)
        assert left == {(row, *[(lane,) * 30] * 29)}
        assert right == {(row[::-1], *[(lane,) * 30] * 29)}


def test_functions_of_several_shapes_can_be_handed_to_the_scalar_form(bank, monkeypatch):
    one, two = bank.add_constant(1), bank.add_constant(2)
    add = bank.add_function(LANGUAGE.primitives["add"].function, -1)
    double = bank.add_function(LANGUAGE.primitives["double"].function, -1)
    bound = bank.add_built(LANGUAGE.primitives["rbind"], [numbers(add, add), numbers(one, two)], -2)
    functions = [*bound.tolist(), double]
    containers = np.full(3, bank.add_constant((1, 5)))
    monkeypatch.setattr(LANGUAGE.primitives["apply"], "rule", None)
    made = called(bank, "apply", [np.array(functions), containers])
    assert [lanes[0] for lanes in values_of(made)] == [(2, 6), (3, 7), (2, 10)]
    assert bank.host_lanes == 9


def two_banks(shared):
    """Return banks of three and two lanes with like values, in one store or in a store each."""
    store = Store()
    banks = []
    for grids in (GRIDS, GRIDS[1:]):
        bank = Bank(LANGUAGE, len(grids), LIMIT, store if shared else None)
        bank.add(encode(grids))
        bank.keep(called(bank, "asobject", [numbers(0)]))
        for constant in (2, (1, 1), (3, 0, 2), True):
            bank.add_constant(constant)
        banks.append(bank)
    for name in ("first", "size", "add"):
        for bank in banks:
            bank.add_function(LANGUAGE.primitives[name].function, -1)
    first, _, add = range(len(banks[0]) - 3, len(banks[0]))
    banks[0].add_built(LANGUAGE.primitives["rbind"], [numbers(add, add), numbers(2, 3)], -2)
    banks[1].add_built(LANGUAGE.primitives["matcher"], [numbers(first), numbers(2)], -3)
    return banks


def taken(bank, primitive):
    """Return what is tried at each place of a primitive: functions where it calls one."""
    data = np.flatnonzero(bank.layouts >= 0).tolist()
    functions = np.flatnonzero(bank.layouts < 0).tolist()
    return [[2, *functions] if declared.called else data for declared in primitive.types]


def test_calls_of_several_banks_made_together_give_what_each_gives_alone():
    ours, alone = two_banks(shared=True), two_banks(shared=False)
    for name, primitive in LANGUAGE.primitives.items():
        if primitive.arity > 2 or primitive.builds is not None:
            continue
        lanes = [numbers(1), np.arange(2)]
        chosen = [np.array(list(itertools.product(*taken(bank, primitive)))).T for bank in ours]
        requests = [Request(*of) for of in zip(ours, [primitive] * 2, chosen, lanes, strict=True)]
        made = together(requests)
        for bank, one, operands, where in zip(alone, made, chosen, lanes, strict=True):
            expected = bank.call(primitive, list(operands), where)
            assert (one.failed == expected.failed).all(), name
            right = ~one.failed.ravel()
            for bits, wanted in zip(one.fingerprints(), expected.fingerprints(), strict=True):
                assert (bits.ravel()[right] == wanted.ravel()[right]).all(), name
            assert one.column.decode() == expected.column.decode() or one.failed.any(), name


def test_values_made_together_are_kept_together():
    banks = two_banks(shared=True)
    rot90 = LANGUAGE.primitives["rot90"]
    some = zip(banks, together([Request(b, rot90, [numbers(0)], b.every) for b in banks]),
               strict=True)  # fmt: skip
    keep_together(list(some))
    for bank, grids in zip(banks, (GRIDS, GRIDS[1:]), strict=True):
        last = len(bank) - 1
        assert bank.origin(last) == (rot90, [0])
        assert bank.column(numbers(last)).decode() == list(map(rot90.function, grids))
        assert bank.layouts[last] == bank.layouts[0]
