"""`megabatt.Values` and their bank: calls on numbers give the values of programs, in every lane."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt as mb
from megabatt.codegen.lists import __path__ as LISTS
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.engine.language.values import identical
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.search.bank import Bank
from megabatt.runtime.search.calls import learnt
from tests.engine.forms import form_of
from tests.engine.machine_calls import pack
from tests.engine.machine_values import values as any_values

SAMPLES = [([[1, 0, 2], [0, 0, 2]], [[2, 0, 0], [2, 0, 1]]), ([[3, 3], [0, 3]], [[3, 0], [3, 3]])]


@pytest.fixture
def values():
    return mb.Values.of_samples(SAMPLES)


def number_of(values, program):
    numbers = {}
    for target, function, *words in program.operations:
        operands = [numbers[word] if word in numbers else values.word(word) for word in words]
        numbers[target] = values.operation(function, operands)
    return numbers[program.returns]


def test_operations_one_by_one_give_what_the_program_gives(values):
    every = mb.read(f"{LISTS[0]}/training.py")
    own = LANGUAGE.primitives
    programs = [p for p in every if all(row[1] in own for row in p.operations)][:40]
    evaluation = mb.evaluate(programs, SAMPLES, outputs="all")
    for k, program in enumerate(programs):
        number = number_of(values, program)
        if values.layouts[number] >= 0:
            assert values.plain(number) == [evaluation.output(k, s) for s in range(len(SAMPLES))]


def test_values_are_compared_with_the_expected_outputs(values):
    grid = values.word("I")
    made = values.call_named("rot180", [[grid]])
    assert values.matches(made).tolist() == [[True, True]]
    assert values.matches(values.call_named("rot90", [[grid]])).tolist() == [[False, False]]
    (number,) = values.keep(made)
    assert mb.evaluate([values.program(number)], SAMPLES).fits.all()


def test_a_program_has_each_operation_once(values):
    grid = values.word("I")
    turned = values.operation("rot90", [grid])
    both = values.operation("hconcat", [turned, turned])
    assert values.program(both).operations == (("x1", "rot90", "I"), ("O", "hconcat", "x1", "x1"))


def test_failed_calls_leave_the_safe_default(values):
    number = values.operation("upscale", [values.word("I"), values.word("I")])
    assert values.plain(number) == [(), ()]


# The bank


GRIDS = [((1, 0, 2), (0, 0, 2)), ((3, 3), (0, 3), (3, 0)), ((5,),)]
LIMIT = 2000


@pytest.fixture
def bank():
    return Bank(LANGUAGE, len(GRIDS), LIMIT)


def array_of(*some):
    return np.array(some, dtype=np.int64)


def called(bank, name, operands):
    return bank.call(LANGUAGE.primitives[name], operands)


def function_of(bank, name):
    return bank.add_function(LANGUAGE.primitives[name].function, -1)


def values_of(made):
    calls, lanes = made.failed.shape
    values = made.values
    return [values[k * lanes : (k + 1) * lanes] for k in range(calls)]


def test_calls_on_values_of_several_layouts_give_or_fail_what_the_scalar_form_does(bank):
    """Upscaling by 40 builds too much in some lanes alone."""
    plain = {int(bank.add(GRIDS)[0]): GRIDS}
    for constant in (2, 40, (1, 1), True, ()):
        plain[bank.add_constant(constant)] = [constant] * len(GRIDS)
    made = called(bank, "asobject", [array_of(0)])
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


def test_a_primitive_without_a_compiled_form_is_computed_by_the_scalar_form():
    with form_of("apply", None):
        bank = Bank(LANGUAGE, len(GRIDS), LIMIT)
        one, two = bank.add_constant(1), bank.add_constant(2)
        add, double = function_of(bank, "add"), function_of(bank, "double")
        rbind = LANGUAGE.primitives["rbind"]
        bound = bank.add_built(rbind, [array_of(add, add), array_of(one, two)], -2)
        functions = np.array([*bound.tolist(), double, one])
        made = called(bank, "apply", [functions, np.full(4, bank.add_constant((1, 5)))])
        assert bank.host_lanes == 12
        assert made.failed.tolist() == [[False] * 3] * 3 + [[True] * 3]
        assert [lanes[0] for lanes in values_of(made)] == [(2, 6), (3, 7), (2, 10), ()]
        assert (bank.fingerprints(bank.keep(made))[0][:3] == made.fingerprints()[0][:3]).all()


def test_calls_on_some_lanes_are_those_of_all_lanes_there(bank):
    grid = int(bank.add(GRIDS)[0])
    operands = [array_of(grid, grid), array_of(bank.add_constant(2), grid)]
    everywhere = called(bank, "upscale", operands)
    some = bank.call(LANGUAGE.primitives["upscale"], operands, array_of(2, 0))
    assert (some.failed == everywhere.failed[:, [2, 0]]).all()
    for found, expected in zip(some.fingerprints(), everywhere.fingerprints(), strict=True):
        assert (found == expected[:, [2, 0]]).all()
    assert values_of(some) == [[lanes[2], lanes[0]] for lanes in values_of(everywhere)]


@given(st.lists(any_values, min_size=1, max_size=8))
def test_fingerprints_are_the_same_for_the_same_values_alone(some):
    """They are the same in any heap, packed or not."""
    heap, other = Heap(LANGUAGE, 1 << 16), Heap(LANGUAGE, 1 << 16)
    packed = [pack(other.array, other.top, other.put(value)) for value in some]
    first = np.transpose(learnt(heap, heap.put_all(some)))
    second = np.transpose(learnt(other, np.array(packed)))
    for a, of_a in zip(some, first, strict=True):
        for b, of_b in zip(some, second, strict=True):
            assert (of_a == of_b)[:2].all() == identical(a, b)
