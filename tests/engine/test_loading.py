"""Programs are checked and merged alike by both loaders, all at once or one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt as mb
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine.plan import loading, operations
from megabatt.runtime.engine.plan.graph import Graph
from megabatt.runtime.engine.plan.loading import loader_for
from megabatt.runtime.engine.plan.operations import Operations
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
        Program("p", None),
        Program("p", 3),
        Program("p", (None,)),
        Program("p", ((),)),
        Program("p", (("O",),)),
        Program("p", (("O", ["x"], "I"),)),
        Program("p", (("O", "vmirror", 1.5),)),
        Program("p", (("O", "vmirror", "I"),), {}),
        Program("p", (("O", "vmirror", "I"),), 0.5),
    ]
)


def loaded(kind, some, domains=None):
    with LANGUAGE.in_use():
        loader = loader_for(kind(LANGUAGE, 1000))
        return loader.load(some, [0] * len(some) if domains is None else domains)


@given(st.lists(programs | malformed, max_size=8))
def test_both_loaders_find_the_same_programs_wrong(some):
    at_once, one_by_one = loaded(Operations, some), loaded(Graph, some)
    wrong = np.flatnonzero(at_once.outputs < 0).tolist()
    assert wrong == np.flatnonzero(one_by_one.outputs < 0).tolist()
    assert set(wrong) == set(at_once.wrong) == set(one_by_one.wrong)


@given(programs)
def test_a_program_is_loaded_if_it_has_no_mistakes(program):
    assert bool(loaded(Operations, [program]).wrong) == bool(mistakes(program, LANGUAGE))


def grouped(numbers):
    """Return for each number where it is first."""
    return [numbers.tolist().index(number) for number in numbers.tolist()]


@pytest.mark.parametrize("seed", range(3))
def test_both_loaders_merge_the_same_operations(seed):
    some = random_programs(200, seed) * 2
    domains = [k % 3 for k in range(len(some))]
    at_once, one_by_one = loaded(Operations, some, domains), loaded(Graph, some, domains)
    assert not at_once.wrong and not one_by_one.wrong
    assert grouped(at_once.outputs) == grouped(one_by_one.outputs)
    assert grouped(at_once.targets) == grouped(one_by_one.targets)


def test_in_which_parts_programs_are_loaded_changes_nothing(monkeypatch):
    some = [*random_programs(293, seed=5), Program("p", None)]
    expected = loaded(Operations, some)
    with LANGUAGE.in_use():
        loader = loader_for(Operations(LANGUAGE, 1000))
        parts = [loader.load(some[k : k + 7], [0] * 7).outputs for k in range(0, 294, 7)]
    assert grouped(np.concatenate(parts)) == grouped(expected.outputs)
    monkeypatch.setattr(loading, "_AT_ONCE", 10)
    found = loaded(Operations, some)
    assert grouped(found.outputs) == grouped(expected.outputs) and set(found.wrong) == {293}
    assert grouped(found.targets) == grouped(expected.targets)


def test_operations_are_found_again_when_their_table_has_grown(monkeypatch):
    some = random_programs(300, seed=6)
    expected = loaded(Operations, some)
    monkeypatch.setattr(operations, "_LEAST_SLOTS", 2)
    with LANGUAGE.in_use():
        loader = loader_for(Operations(LANGUAGE, 1000))
        outputs = [loader.load([program], [0]).outputs for program in some]
    assert grouped(np.concatenate(outputs)) == grouped(expected.outputs)


def test_variables_that_are_forgotten_may_be_named_again(monkeypatch):
    monkeypatch.setattr(loading, "_MOST_VARIABLES", 1)
    some = random_programs(50, seed=7)
    with LANGUAGE.in_use():
        loader = loader_for(Operations(LANGUAGE, 1000))
        first = loader.load(some, [0] * 50).outputs.tolist()
        assert loader.load(some, [0] * 50).outputs.tolist() == first


def test_integers_are_no_booleans_and_names_are_the_values_that_they_name():
    rows = [["a", "repeat", "I", 1], ["b", "repeat", "I", True], ["c", "repeat", "I", "ONE"],
            ["O", "repeat", "I", "T"]]  # fmt: skip
    a, b, c, output = loaded(Operations, [mb.program("p", rows)]).targets
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
