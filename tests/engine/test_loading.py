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


def loaded_one_by_one(some, domains):
    """Return the numbers of the programs' results, and of the operations of all of them."""
    with LANGUAGE.in_use():
        loader = BulkLoader(Operations(LANGUAGE, 1000))
        pairs = zip(some, domains, strict=True)
        each = [loader.load([program], [domain]) for program, domain in pairs]
    parts = zip(*[(one.outputs, one.targets) for one in each], strict=True)
    return [np.concatenate(part) for part in parts]


@given(st.lists(programs | malformed, max_size=8))
def test_beside_others_the_same_programs_are_wrong(some):
    at_once = loaded(some)
    wrong = np.flatnonzero(at_once.outputs < 0).tolist()
    assert wrong == [k for k, program in enumerate(some) if loaded([program]).wrong]
    assert set(wrong) == set(at_once.wrong)


@given(programs)
def test_a_program_is_loaded_if_it_has_no_mistakes(program):
    assert bool(loaded([program]).wrong) == bool(mistakes(program, LANGUAGE))


@given(malformed)
def test_what_has_no_program_s_form_is_wrong(program):
    assert set(loaded([program]).wrong) == {0}


def grouped(numbers):
    """Return for each number where it is first."""
    return [numbers.tolist().index(number) for number in numbers.tolist()]


def test_the_same_operations_are_merged_at_once_and_one_by_one():
    some = random_programs(60, seed=1) * 2
    domains = [k % 3 for k in range(len(some))]
    at_once, (outputs, targets) = loaded(some, domains), loaded_one_by_one(some, domains)
    assert not at_once.wrong
    assert grouped(at_once.outputs) == grouped(outputs)
    assert grouped(at_once.targets) == grouped(targets)


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


def test_in_which_parts_programs_are_loaded_changes_nothing(monkeypatch):
    some = [*random_programs(97, seed=5), Program("p", None)]
    expected = loaded(some)
    with LANGUAGE.in_use():
        loader = BulkLoader(Operations(LANGUAGE, 1000))
        parts = [loader.load(some[k : k + 7], [0] * 7).outputs for k in range(0, 98, 7)]
    assert grouped(np.concatenate(parts)) == grouped(expected.outputs)
    monkeypatch.setattr(loading, "_AT_ONCE", 10)
    found = loaded(some)
    assert grouped(found.outputs) == grouped(expected.outputs) and set(found.wrong) == {97}
    assert grouped(found.targets) == grouped(expected.targets)


def test_operations_are_found_again_when_their_table_has_grown(monkeypatch):
    some = random_programs(100, seed=6)
    expected = loaded(some)
    monkeypatch.setattr(operations, "_LEAST_SLOTS", 2)
    with LANGUAGE.in_use():
        loader = BulkLoader(Operations(LANGUAGE, 1000))
        outputs = [loader.load([program], [0]).outputs for program in some]
    assert grouped(np.concatenate(outputs)) == grouped(expected.outputs)


def test_variables_that_are_forgotten_may_be_named_again(monkeypatch):
    monkeypatch.setattr(loading, "_MOST_VARIABLES", 1)
    some = random_programs(50, seed=7)
    with LANGUAGE.in_use():
        loader = BulkLoader(Operations(LANGUAGE, 1000))
        first = loader.load(some, [0] * 50).outputs.tolist()
        assert loader.load(some, [0] * 50).outputs.tolist() == first


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
