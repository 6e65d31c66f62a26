"""`megabatt.Values`: calls on numbers give the values of programs."""

import numpy as np
import pytest

import megabatt as mb
from megabatt.codegen.lists import __path__ as LISTS
from megabatt.runtime.arc import LANGUAGE

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


def test_unknown_names_and_wrong_calls_are_refused(values):
    with pytest.raises(LookupError, match="'J' is no input"):
        values.word("J")
    with pytest.raises(LookupError, match="'rot91' is no primitive"):
        values.call_named("rot91", [[0]])
    with pytest.raises(TypeError, match="rot90 takes 1 argument, not 2"):
        values.call_named("rot90", [[0], [0]])
    with pytest.raises(TypeError, match="compose builds functions"):
        values.call_named("compose", [[0], [0]])
    with pytest.raises(ValueError, match="no samples"):
        mb.Values.of_samples([])
    unknown = mb.Values.of_samples([([[1]], None)])
    with pytest.raises(ValueError, match="not known"):
        unknown.matches(unknown.call_named("rot90", [np.array([unknown.word("I")])]))
