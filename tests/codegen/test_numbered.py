"""Calls of random primitives are numbered: two equal calls in a program stay two draws."""

from megabatt.codegen.output.emit import operations_of
from megabatt.runtime.engine.executor.loading import BulkLoader
from megabatt.runtime.engine.executor.operations import Operations
from megabatt.runtime.merging import merge
from megabatt.runtime.program import program
from megabatt.runtime.signal import LANGUAGE
from tests.codegen import helpers

TWICE = """
def {name}(P, K):
    x1 = tone(P, K)
    x2 = awgn(x1, P, K)
    x3 = awgn(x1, P, K)
    O = add(x2, x3)
    return O
"""


def checked(*sources):
    programs, errors = helpers.checked("".join(sources), LANGUAGE, "list.py")
    assert not errors
    return programs


def test_equal_calls_of_a_program_are_two_operations_and_equal_programs_merge():
    one, two = checked(TWICE.format(name="one"), TWICE.format(name="two"))
    assert [operation[-1] for operation in one.operations[:3]] == [0, 1, 2]
    assert len(operations_of(merge([one]))) == len(operations_of(merge([one, two]))) == 4


def test_a_program_may_give_the_number():
    source = TWICE.format(name="one").replace("x2 = awgn(x1, P, K)", "x2 = awgn(x1, P, K, 1)")
    assert len(operations_of(merge(checked(source)))) == 3


def test_too_few_arguments_are_told_without_the_number():
    source = "def one(P, K):\n    O = tone(P)\n    return O\n"
    _, errors = helpers.checked(source, LANGUAGE, "list.py")
    assert errors == ["list.py:2:9: tone(P, K) takes 2 arguments, not 1"]


def test_programs_in_memory_are_numbered_alike():
    loader = BulkLoader(Operations(LANGUAGE, 1000))
    rows = [["a", "tone", "P", "K"], ["b", "awgn", "a", "P", "K"], ["O", "awgn", "a", "P", "K"]]
    _, b, output = loader.load([program("one", rows)]).targets
    assert b != output
    assert loader.load([program("two", rows)]).outputs == [output]
    given = [["a", "tone", "P", "K", 0], ["O", "awgn", "a", "P", "K", 2]]
    assert loader.load([program("three", given)]).outputs == [output]
    assert loader.load([program("four", [["O", "tone", "P"]])]).outputs == [-1]
