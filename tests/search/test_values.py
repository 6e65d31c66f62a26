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


def test_calls_on_other_values_are_refused(values):
    others = mb.Values.of_samples(SAMPLES)
    made = others.call_named("rot180", [[others.word("I")]])
    for take in (values.keep, values.matches):
        with pytest.raises(ValueError, match="on the same values"):
            take(made)
        with pytest.raises(TypeError, match="what a call returned, not None"):
            take(None)


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
