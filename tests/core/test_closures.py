"""A program's own functions: equality, order, and the operations and charges of their calls."""

from __future__ import annotations

import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt as mb
import megabatt.runtime.arc as arc
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.engine.language.coding import closure_of, names_of
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.engine.language.values import ascending, show, size_of
from megabatt.runtime.megabatch.verify.compare import find
from megabatt.runtime.program import Lambda, program
from megabatt.runtime.vocabulary import mistakes
from tests.engine.machine_values import own, written
from tests.python.scalar import differences

GRIDS = [([[1, 0, 2], [0, 0, 2]], [[2, 0, 1]]), ([[0, 1], [3, 4]], None)]
small = st.integers(-6, 6)


def evaluated(*operations, limit=1000):
    """Return the last operation's value on the first grid, and the number of failed operations.

    Asserts that the scalar form, and the machine operation by operation, give the same.
    """
    made = program("made", operations, operations[-1][0])
    assert mistakes(made, LANGUAGE) == []
    samples = WORKLOAD.given(GRIDS)
    assert find(WORKLOAD, made, samples, limit) is None
    evaluation = mb.evaluate([made], GRIDS, outputs="all", max_elements=limit)
    assert differences(evaluation, samples, limit) == []
    return evaluation.output(0, 0), int(evaluation.failed[0, 0])


# Equality


ALIKE = ["y add x c", "z double y", "w astuple z y"]


HALVES = ["a double x", "b halve x", "c add a b"]
EQUAL = {
    "other names": (own("c", "x", ALIKE, "w"),
                    own("k", "n", ["p add n k", "q double p", "r astuple q p"], "r")),
    "another order": (own("", "x", HALVES, "c"),
                      own("", "x", [HALVES[1], HALVES[0], HALVES[2]], "c")),
    "an operation that is not needed": (own("", "x", HALVES, "c"),
                                        own("", "x", ["d first x", *HALVES], "c")),
    "a repetition": (own("", "x", HALVES, "c"),
                     own("", "x", [*HALVES[:2], "e halve x", "c add a e"], "c")),
    "a constant and its value": (own("", "x", ["y add x TWO"], "y"), closure_of(
        Lambda((), ("x",), (("y", "add", "x", 2),), "y"), names_of(LANGUAGE))),
}  # fmt: skip


@pytest.mark.parametrize("why", EQUAL)
def test_functions_that_are_alike_are_equal(why):
    one, other = EQUAL[why]
    assert one == other and hash(one) == hash(other) and show(one) == show(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (own("", "x", ["y add x x"], "y"), own("", "x", ["y multiply x x"], "y")),
        (own("", "x y", ["z add x y"], "z"), own("", "x y", ["z add y x"], "z")),
        (own("", "x y", [], "x"), own("", "x y", [], "y")),
        (own("c", "x", ["z add x c"], "z"), own("", "x c", ["z add x c"], "z")),
        (own("", "x", ["z add x ONE"], "z"), own("", "x", ["z add x T"], "z")),
        (own("c", "x", ALIKE, "w")(1), own("c", "x", ALIKE, "w")(2)),
    ],
)
def test_functions_that_differ_are_not_equal(one, other):
    assert one != other and show(one) != show(other)


@given(st.lists(st.tuples(st.sampled_from("abc"), small), max_size=8))
def test_captured_values_tell_functions_apart(captured):
    makers = {
        "a": own("c", "x", ["y add x c"], "y"),
        "b": own("c", "x", ["y add c x"], "y"),
        "c": own("c", "x", ["y multiply c x"], "y"),
    }
    made = [makers[name](value) for name, value in captured]
    assert len(frozenset(made)) == len(set(captured))
    assert pickle.loads(pickle.dumps(made)) == made


def test_functions_come_after_all_named_ones_by_text_then_by_captured_values():
    maker = own("c", "x", ["y add x c"], "y")
    later = own("c", "x", ["y subtract x c"], "y")
    named = [arc.compose(arc.trim, arc.vmirror), arc.vmirror]
    ordered = [*named, maker, maker(1), maker(2), later(0)]
    assert list(ascending(frozenset(ordered))) == ordered


# Calls


def test_a_function_is_made_for_each_element_and_lies_within_others():
    inner = Lambda(("c",), ("x",), (("y", "add", "x", "c"),), "y")
    outer = Lambda((), ("n",), (("f", inner, "n"), ("z", "f", "n")), "z")
    value, failed = evaluated(
        ("things", "objects", "I", "T", "F", "T"), ("colors", "palette", "I"),
        ("f", "apply", written("c", "o", ["k color o", "same equality k c"], "same"), "colors"),
        ("g", written("s", "f", ["some sfilter s f", "n size some"], "n"), "things"),
        ("counts", "apply", "g", "f"), ("sums", "apply", outer, "colors"),
        ("O", "astuple", "counts", "sums"),
    )  # fmt: skip
    assert (value, failed) == ((frozenset({0, 1}), frozenset({0, 2, 4})), 0)


def test_a_call_fails_by_a_wrong_number_of_arguments_or_a_failed_operation():
    bad = written("", "x", ["y first x", "z identity TWO", "w astuple y z"], "w")
    assert evaluated(("O", bad, "ONE")) == ((), 1)
    maker = written("c", "x", ["y add x c"], "y")
    calls = ("O", "f", "ONE", "TWO"), ("P", "f"), ("Q", "papply", "f", "I", "I")
    evaluated(("f", maker, "ONE"), *calls)
    with pytest.raises(TypeError, match="captures 1 value, got 2"):
        closure_of(maker, names_of(LANGUAGE))(1, 2)
    with pytest.raises(TypeError, match="takes 1 value, got 0"):
        closure_of(maker, names_of(LANGUAGE))(1)()


# Choices


CHOICES = {
    "what is behind both conditions": (
        ["bad divide x ZERO", "worse double bad", "inner if_else b worse x", "O if_else a inner x"],
        lambda a, b, x: (2 * (x // 0) if b else x) if a else x,
    ),
    "a side of a side, whose condition is needed anyway": (
        ["c flip b", "bad divide ONE ZERO", "inner if_else c bad ONE", "side if_else a inner TWO",
         "O astuple c side"],
        lambda a, b, x: (not b, (1 // 0 if not b else 1) if a else 2),
    ),
    "what both sides need": (
        ["y divide ONE x", "z double y", "O if_else a y z"],
        lambda a, b, x: [2 * (1 // x), 1 // x][a],
    ),
    "what two choices need": (
        ["y divide ONE x", "one if_else a y TWO", "two if_else b y THREE", "O add one two"],
        lambda a, b, x: (1 // x if a else 2) + (1 // x if b else 3),
    ),
    "what a choice and a later condition need": (
        ["y divide TEN x", "one if_else a y TWO", "c greater one TWO", "two if_else c y THREE",
         "O add one two"],
        lambda a, b, x: (one := 10 // x if a else 2) + (10 // x if one > 2 else 3),
    ),
    "what both sides of one side need": (
        ["y divide ONE x", "z double y", "inner if_else b y z", "O if_else a inner x"],
        lambda a, b, x: (1 // x if b else 2 * (1 // x)) if a else x,
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", CHOICES)
@given(a=st.booleans(), b=st.booleans(), x=small)
def test_a_choice_skips_operations_that_only_its_other_side_needs(what, a, b, x):
    rows, plain = CHOICES[what]
    value, error, _ = attempt(own("", "a b x", rows, "O"), (a, b, x), 1000)
    try:
        expected = plain(a, b, x)
    except ZeroDivisionError:
        assert error is not None
    else:
        assert error is None and value == expected


def test_skipped_operations_charge_nothing():
    chosen = written("", "g", ["b portrait g", "n repeat g NINE", "O if_else b n g"], "O")
    evaluated(("O", chosen, "I"), limit=100)
    assert attempt(closure_of(chosen, names_of(LANGUAGE)), (((1, 1),),), 1000)[2] == 1000


# Charges


def test_the_size_of_a_function_counts_its_operations_and_captured_values():
    maker = own("c d", "x", ["y c x", "z astuple y d", "z2 astuple z z"], "z2")
    assert size_of(maker) == 1
    assert size_of(maker(arc.vmirror, 1)) == 3 + 1
    assert size_of(maker(arc.compose(arc.vmirror, arc.trim), arc.trim)) == 3 + 3 + 1
    assert evaluated(("f", written("c", "x", ["y c x"], "y"), "trim"), limit=1) == ((), 1)


def test_a_call_within_a_call_is_charged_as_a_container_s_calls_are():
    twice = own("f", "x", ["y f x", "z f y"], "z")
    function_, calls = arc.vmirror, 0
    for _ in range(4):
        function_, calls = twice(function_), 2 * calls + (2 if function_ is not arc.vmirror else 0)
        left = attempt(function_, (((1, 2),),), 1000)[2]
        assert 1000 - left >= calls


def test_a_function_that_calls_itself_for_ever_fails():
    itself = written("", "f", ["y f f"], "y")
    mapped = written("", "f", ["s initset f", "y apply f s"], "y")
    for loop in (itself, mapped):
        assert evaluated(("O", loop, loop), limit=1 << 17) == ((), 1)


@pytest.mark.parametrize(
    "lowest", ["vmirror", written("", "x", [], "x")], ids=["a primitive", "without operations"]
)
def test_towers_of_functions_fail_by_their_depth_in_both_forms(lowest):
    maker = written("f", "x", ["y f x"], "y")
    rows = [(f"f{k + 1}", maker, f"f{k}" if k else lowest) for k in range(36)]
    calls = [(f"y{k}", f"f{k}", "I") for k in range(29, 36)]
    evaluated(*rows, *calls, limit=1 << 17)


# Parts of functions


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (written("", "x", ["y colour x"], "y"), "unknown primitive 'colour'; did you mean"),
        (written("", "x", ["y add x"], "y"), "takes 2 arguments, not 1"),
        (written("", "x", ["y add x I"], "y"), "captures the input 'I'"),
        (written("", "x", ["y add x z"], "y"), "unknown name 'z'"),
        (written("", "x", ["y add x z", "z add x x"], "y"), "'z' is used before its definition"),
        (written("", "x", ["y add x x", "y add x x"], "y"), "assigns 'y' twice"),
        (written("", "x", ["x add x x"], "x"), "assigns 'x' twice"),
        (written("x", "x", [], "x"), "two parameters 'x'"),
        (written("", "ONE", [], "ONE"), "cannot assign to 'ONE', a constant"),
        (written("", "a b c d", [], "a"), "at most 3 parameters, not 4"),
        (written("a b c d", "", [], "a"), "at most 3 captured values, not 4"),
        (Lambda("ab", ("x",), (), "x"), "captured must be a list of names, not 'ab'"),
        (Lambda((), (3,), (), "x"), "parameters must be a list of names"),
        (Lambda((), ("x",), (("y",),), "x"), "operation 1 must be [variable, function"),
        (Lambda((), ("x",), None, "x"), "operations must be a list of"),
        (Lambda((), ("x",), (), 1.5), "1.5 is no name, Integer or Lambda"),
    ],
)
def test_a_mistake_in_a_function_is_reported_for_its_program_alone(wrong, message):
    operations, right = (("O", wrong, "I"),), program("q", [("O", "vmirror", "I")])
    if re.search("must be|is no name", message):  # it is no function
        with pytest.raises(TypeError, match=re.escape(message)):
            program("p", operations)
    else:
        assert [m for m in mistakes(program("p", operations), LANGUAGE) if message in m]
    evaluation = mb.evaluate([mb.Program("p", operations, "O"), right], GRIDS)
    assert message in evaluation.errors[0] and 1 not in evaluation.errors


def test_an_input_s_name_may_be_captured_and_be_a_parameter():
    value, failed = evaluated(
        ("f", written("I", "o", ["y paint I o"], "y"), "I"),
        ("g", written("", "I", ["y vmirror I"], "y"), "I"), ("O", "equality", "g", "I"),
    )  # fmt: skip
    assert failed == 0


@pytest.mark.parametrize(("levels", "calls", "message"), [(16, 1, "16 deep"), (12, 2, "4096 op")])
def test_functions_are_neither_too_deep_nor_too_large(levels, calls, message):
    made = written("", "x", ["y double x"], "y")
    for _ in range(levels):
        made = Lambda((), ("x",), (("y", made, "x"), ("z", made, "y"))[:calls], "yz"[calls - 1])
    assert message in mistakes(program("p", [("O", made, "ONE")], "O"), LANGUAGE)[0]


def test_a_wrong_function_is_refused_whatever_was_right_before():
    """Even if its words, put together, read like a right function's text."""
    right = written("", "x", ["y add x 1"], "y")
    wrong = right._replace(operations=(), returns="y = add(x, 1); y")
    assert str(wrong) == str(right) and closure_of(right, names_of(LANGUAGE))(2) == 3
    with pytest.raises(ValueError, match="is not assigned"):
        closure_of(wrong, names_of(LANGUAGE))


@pytest.mark.parametrize("nested", [False, True])
def test_a_function_of_lists_is_what_it_is_now(nested):
    rows = [["y", "add", "x", "ONE"]]
    function = Lambda((), ("x",), rows, "y")
    if nested:
        around = (("y", "compose", function, "identity"), ("z", "y", "x"))
        function = Lambda((), ("x",), around, "z")
    assert closure_of(function, names_of(LANGUAGE))(5) == 6
    rows[0][1] = "subtract"
    assert closure_of(function, names_of(LANGUAGE))(5) == 4
