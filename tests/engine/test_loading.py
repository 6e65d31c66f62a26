"""Programs are checked and merged with the same result all at once or one by one."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt as mb
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine.executor import loading, objects, operations
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
MALFORMED = [
    *[Program("p", rows) for rows in (None, 3, (3,), (None,), ((),), (None, ()), {()}, {"a": ()})],
    *[Program("p", rows) for rows in ((("O",),), (("O", ["x"], "I"),))],
    *[Program("p", (("O", "vmirror", "I"),), word) for word in (0.5, {})],
    Program("p", (("O", "vmirror", 1.5),)),
]
malformed = st.sampled_from(MALFORMED)
PAIRS = [([[1, 2]], None)]


@given(st.lists(programs | malformed, max_size=8))
def test_programs_with_mistakes_are_named_and_the_others_run(some):
    wrong = {k for k, one in enumerate(some) if one in MALFORMED or mistakes(one, LANGUAGE)}
    assert mb.evaluate(some, PAIRS, outputs="none").errors.keys() == wrong


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [(loading, "_AT_ONCE", 10), (operations, "LEAST_SLOTS", 2), (loading, "_MOST_VARIABLES", 1),
     (objects, "LEAST_SLOTS", 2), (objects, "_ROWS", 1), (objects, "_WORDS", 1)],
)  # fmt: skip
def test_the_parts_in_which_programs_are_loaded_change_nothing(module, name, value, monkeypatch):
    """Operations are found after their table has grown, and forgotten variables named again."""
    expected = in_parts()
    monkeypatch.setattr(module, name, value)
    assert in_parts.__wrapped__() == expected


@cache
def in_parts():
    """Return what evaluations say of programs that come one by one, by the dozen, and at once."""
    some, found = [*random_programs(24, seed=5) * 2, Program("p", None)], []
    for most in (1, 12, 49):
        evaluator = mb.Evaluator(PAIRS)
        parts = [evaluator.evaluate(some[k : k + most]) for k in range(0, len(some), most)]
        found += [(part.operations, part.seen, part.failed.tolist()) for part in parts]
    return found


OF_WORDS = st.tuples(st.sampled_from(["hmirror", "vmirror"]), st.sampled_from(["I", "x", "y"]))


@given(st.lists(st.lists(OF_WORDS, min_size=1, max_size=5), min_size=1, max_size=4))
def test_operations_written_alike_are_one(some):
    """Variables stand for the operations that they were assigned."""
    written, known = [], set()
    for rows in some:
        operations = [("x", "identity", "I"), ("y", "identity", "I")]
        scope = {"I": (), "x": ("identity",), "y": ("identity",)}
        for place, (name, argument) in enumerate(rows):
            target = "xy"[place % 2]
            operations.append((target, name, argument))
            scope[target] = name, *scope[argument]
        written.append(Program("p", tuple(operations), "x"))
        known |= {scope["x"][k:] for k in range(len(scope["x"]))}
    assert mb.evaluate(written, PAIRS).operations == len(known)


def test_integers_are_no_booleans_and_names_are_the_values_that_they_name():
    for some, count in [((1, "ONE"), 1), ((True, "T"), 1), ((1, True), 2)]:
        repeated = [mb.program("p", [["O", "repeat", "I", word]]) for word in some]
        assert mb.evaluate(repeated, PAIRS).operations == count


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
    evaluation = mb.evaluate([mb.program("p", rows)], PAIRS, outputs="all")
    assert not evaluation.errors
    assert evaluation.output(0, 0) == (1 if rows is MANY[2] else ())
    assert evaluation.failed[0, 0] == (0 if rows is MANY[2] else 1)
