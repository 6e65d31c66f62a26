"""Programs are checked and merged alike, all at once or one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt as mb
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine.executor import loading, operations
from megabatt.runtime.engine.executor.loading import BulkLoader
from megabatt.runtime.engine.executor.operations import Operations
from megabatt.runtime.program import Program
from megabatt.runtime.vocabulary import mistakes
from tests.engine.strict import StrictDevice
from tests.python.scalar import random_programs

targets = st.sampled_from(["x", "y", "O", "I", "ONE", "size", 3])
words = st.sampled_from(
    ["x", "y", "O", "I", "S", "ONE", "T", "size", "vmirror", "compose", "rbind", "shift", "objects"]
) | st.sampled_from([0, 1, True, False, 2**31, -5])
rows = st.tuples(targets, words) | st.builds(
    lambda target, words: (target, *words), targets, st.lists(words, min_size=1, max_size=6)
)
right = [
    ("x", "size", "I"), ("y", "compose", "size", "vmirror"), ("O", "y", "I"), ("O", "x", "I"),
    ("x", "objects", "I", "T", "T", "T"), ("y", "shift", "I", "ONE"), ("O", "add", 1, True),
]  # fmt: skip
any_rows = st.one_of(st.sampled_from(right), st.sampled_from(right), rows)
programs = st.builds(
    Program, st.just("p"), st.lists(any_rows, max_size=5).map(tuple), st.sampled_from("xyOIQ")
)
malformed = st.sampled_from(
    [
        Program("p", None), Program("p", 3), Program("p", (None,)), Program("p", ((),)),
        Program("p", (("O",),)), Program("p", (("O", ["x"], "I"),)),
        Program("p", (("O", "vmirror", 1.5),)), Program("p", (("O", "vmirror", "I"),), {}),
        Program("p", (("O", "vmirror", "I"),), 0.5),
    ]
)


def loaded(some, domains=None):
    with LANGUAGE.in_use():
        loader = BulkLoader(Operations(LANGUAGE, 1000))
        return loader.load(some, [0] * len(some) if domains is None else domains)


def loaded_in_parts(some, domains, most):
    """Return the numbers of the programs' results, and of the operations of all of them."""
    with LANGUAGE.in_use():
        loader = BulkLoader(Operations(LANGUAGE, 1000))
        parts = [slice(k, k + most) for k in range(0, len(some), most)]
        each = [loader.load(some[part], domains[part]) for part in parts]
    columns = zip(*[(one.outputs, one.targets) for one in each], strict=True)
    return [np.concatenate(column) for column in columns]


@given(st.lists(programs | malformed, max_size=8))
def test_beside_others_the_same_programs_are_wrong(some):
    at_once = loaded(some)
    wrong = np.flatnonzero(at_once.outputs < 0).tolist()
    assert wrong == [k for k, program in enumerate(some) if loaded([program]).wrong]
    assert set(wrong) == set(at_once.wrong)


@given(programs, malformed)
def test_a_program_is_loaded_if_it_has_no_mistakes(program, no_program):
    assert bool(loaded([program]).wrong) == bool(mistakes(program, LANGUAGE))
    assert set(loaded([no_program]).wrong) == {0}


def grouped(numbers):
    """Return for each number where it is first."""
    return [numbers.tolist().index(number) for number in numbers.tolist()]


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [(loading, "_AT_ONCE", 10), (operations, "_LEAST_SLOTS", 2), (loading, "_MOST_VARIABLES", 1)],
)
def test_in_which_parts_programs_are_loaded_changes_nothing(module, name, value, monkeypatch):
    """Operations are found when their table has grown, forgotten variables are named again."""
    some = [*random_programs(48, seed=5) * 2, Program("p", None)]
    domains = [k % 3 for k in range(len(some))]
    expected = loaded(some, domains)
    assert set(expected.wrong) == {96}
    monkeypatch.setattr(module, name, value)
    for most in (1, 7, 97):
        outputs, targets = loaded_in_parts(some, domains, most)
        assert grouped(outputs) == grouped(expected.outputs)
        assert grouped(targets) == grouped(expected.targets)


OF_WORDS = st.tuples(st.sampled_from(["hmirror", "vmirror"]), st.sampled_from(["I", "x", "y"]))


@given(st.lists(st.lists(OF_WORDS, min_size=1, max_size=5), min_size=1, max_size=4))
def test_operations_are_one_where_they_are_written_alike(some):
    """Variables stand for what they were assigned."""
    written, known = [], []
    for rows in some:
        operations = [("x", "identity", "I"), ("y", "identity", "I")]
        scope = {"I": "I", "x": ("identity", "I"), "y": ("identity", "I")}
        known += [("identity", "I")] * 2
        for place, (name, argument) in enumerate(rows):
            target = "xy"[place % 2]
            operations.append((target, name, argument))
            scope[target] = name, scope[argument]
            known.append(scope[target])
        written.append(Program("p", tuple(operations), "x"))
    targets = loaded(written).targets.tolist()
    assert grouped(np.array(targets)) == [known.index(operation) for operation in known]


def test_integers_are_no_booleans_and_names_are_the_values_that_they_name():
    rows = [["a", "repeat", "I", 1], ["b", "repeat", "I", True], ["c", "repeat", "I", "ONE"],
            ["O", "repeat", "I", "T"]]  # fmt: skip
    a, b, c, output = loaded([mb.program("p", rows)]).targets
    assert a != b and a == c and b == output


MANY = [
    [["f", "rbind", "shift", "UNITY"], ["O", "f", "I", "I", "I", "I", "I", "I"]],
    [["O", "S", "I", "I", "I", "I", "I"]],
    [["f", "compose", "size", "vmirror"], ["x", "f", "I", 1, 2, 3, 4], ["O", "f", "I"]],
]


@pytest.mark.parametrize("rows", MANY)
@pytest.mark.parametrize("device", [None, StrictDevice])
def test_a_call_with_more_arguments_than_any_function_takes_fails(rows, device, monkeypatch):
    if device is not None:
        monkeypatch.setattr("megabatt.runtime.megabatch.given.device_of", lambda *_: device())
    evaluation = mb.evaluate([mb.program("p", rows)], [([[1, 2]], None)], outputs="all")
    assert not evaluation.errors
    assert evaluation.output(0, 0) == (1 if rows is MANY[2] else ())
    assert evaluation.failed[0, 0] == (0 if rows is MANY[2] else 1)
