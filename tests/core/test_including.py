"""The core belongs to no language: each takes the core, with its own inputs and safe defaults.

A language is of words or of columns; a primitive has a compiled form or a rule, never both.
"""

from __future__ import annotations

import types

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.codegen.language import load_language
from megabatt.runtime import signal
from megabatt.runtime.core import CORE
from megabatt.runtime.engine import Vectorized
from megabatt.runtime.engine.language.policy import NUMBER, Policy
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.registry import Language, primitive_of
from megabatt.runtime.engine.language.values import identical
from tests.codegen.helpers import checked, generate, load
from tests.megabatch.commands import same_outcome
from tests.toy.language import LANGUAGE as TOY

TOY_SOLVERS = """
def solve_scaled(W, X): return combine(scaled(X, TWO), insert(W, initset(first(X))))
def solve_largest(W, X): return order(X, lbind(contained, argmax(X, compose(root, root))))
def solve_ends(W, X):
    x1 = first(X)
    return astuple(astuple(x1, first(W)), x1(W))
"""
ARC_SOLVERS = """
def solve_largest(I): return order(I, lbind(contained, argmax(I, first)))
def solve_ends(I):
    x1 = first(I)
    return astuple(astuple(x1, numcolors(x1)), x1(I))
"""


def program(source: str, language_module: str) -> types.ModuleType:
    """Compile a source as the command does; return the program's module."""
    language = load_language(language_module)
    programs, errors = checked(source, language, "solvers.py")
    assert errors == []
    return load(generate(programs, language, language_module)["batt.py"])


TOY_PROGRAM = program(TOY_SOLVERS, "tests.toy")
ARC_PROGRAM = program(ARC_SOLVERS, "megabatt.runtime.arc")

integers = st.one_of(st.integers(-3, 5), st.sampled_from([2**30, -(2**31)]))
values = st.one_of(
    integers, st.booleans(), st.lists(integers, max_size=4).map(tuple),
    st.frozensets(integers, max_size=4),
)  # fmt: skip
reals = st.lists(st.floats(0, 9), max_size=4).map(tuple)


def assert_forms_agree(module: types.ModuleType, samples: list[tuple[object, ...]]) -> None:
    inputs = [("a", *sample) for sample in samples]
    lanes = module.batt_vectorized(inputs).decode()
    assert all(same_outcome(module.batt(*a), b) for a, b in zip(inputs, lanes, strict=True))


@given(st.lists(st.tuples(reals, values, values), min_size=1, max_size=5))
def test_programs_of_two_languages_run_in_one_process(samples):
    assert_forms_agree(TOY_PROGRAM, [(a, b) for a, b, _ in samples])
    assert_forms_agree(ARC_PROGRAM, [((), b, c) for _, b, c in samples])
    assert_forms_agree(TOY_PROGRAM, [(b, a) for a, b, _ in samples])


def test_batches_of_two_languages_may_take_turns():
    """ARC counts a pair as one element, the toy language as two Integers."""
    pairs = ((1, 2), (3, 4), (5, 6))
    in_arc = Vectorized(arc.LANGUAGE, [("a", (), pairs, None)], 1, max_elements=4)
    in_toy = Vectorized(TOY, [("a", pairs, 0)], 1, max_elements=4)
    made = in_arc.call(1, arc.initset, in_arc.input("I"))
    failed = in_toy.call(1, arc.initset, in_toy.input("W"))
    assert in_arc.finish({"set": made}).decode() == [({"set": frozenset({pairs})}, {})]
    assert in_toy.finish({"set": failed}).decode() == [({"set": frozenset()}, {1: Reason.LIMIT})]


def test_failed_calls_leave_the_defaults_of_the_program_s_own_language():
    own = Language(inputs=("A",), constants={}, unknown_default=-2)
    own.include(CORE, defaults={"first": -1, "astuple": (0, 0, 0)})
    for language, first, of_two, unknown in (
        (own, -1, (0, 0, 0), -2), (TOY, (), (), 0.0), (arc.LANGUAGE, (), (0, 0), ()),
    ):  # fmt: skip
        assert identical(language.default_of(arc.first), first)
        assert identical(language.default_of(arc.astuple), of_two)
        assert identical(language.unknown_default, unknown)
    for module, inputs in ((TOY_PROGRAM, ((), ())), (ARC_PROGRAM, ((), (), None))):
        outputs, failed = module.batt("a", *inputs)
        assert outputs["solve_ends"][1] == module.LANGUAGE.unknown_default and len(failed) >= 2


def test_a_program_s_budget_is_that_of_its_language():
    source, most = "def solve_copies():\n    return repeat(ONE, {})\n", arc.LANGUAGE.max_elements
    for count, failed in ((most, {}), (most + 1, {1: Reason.LIMIT})):
        copies = program(source.format(count), "megabatt.runtime.arc")
        outputs = {"solve_copies": () if failed else (1,) * count}
        sample = ("a", *copies.LANGUAGE.inputs)
        assert copies.batt(*sample) == (outputs, failed)
        assert copies.batt_vectorized([sample]).decode() == [(outputs, failed)]


def test_languages_share_what_they_take_name_it_once_and_have_defaults_of_it_alone():
    for name, primitive in CORE.primitives.items():
        assert TOY.primitives[name] is arc.LANGUAGE.primitives[name] is primitive
        assert primitive_of(getattr(arc, name)) is primitive
    assert "rot90" not in TOY.primitives and "scaled" not in arc.LANGUAGE.primitives
    language = Language(inputs=("A",), constants={})
    with pytest.raises(ValueError, match="a default for rot90, which is not included"):
        language.include(CORE, defaults={"rot90": ()})
    language.include(CORE)
    with pytest.raises(ValueError, match="has a primitive append already"):
        language.include(CORE)
    assert language.primitive(arc.vmirror) is arc.vmirror
    assert language.primitives["vmirror"] is arc.LANGUAGE.primitives["vmirror"]
    with pytest.raises(ValueError, match="'C' is not an input"):
        Language(inputs=("A",), constants={}, expected="C")


# Words or columns


LANGUAGES = {"arc": arc.LANGUAGE, "signals": signal.LANGUAGE, "toy": TOY}


@pytest.mark.parametrize("name", LANGUAGES)
def test_no_primitive_has_both_a_rule_and_a_compiled_form(name):
    language = LANGUAGES[name]
    assert language.of_words == (name == "arc")
    for primitive in language.primitives.values():
        assert primitive.rule is None or primitive.compiled is None
        assert primitive.rule is None or not language.of_words
        of_core = primitive.name in CORE.primitives
        assert primitive.compiled is None or language.of_words or of_core
        assert primitive.compiled is not None or not of_core


NARROW = (-(2**31), 2**31 - 1)
OF_COLUMNS = {
    "complex numbers": Policy(integers=NARROW),
    "wide Integers": Policy(has_complex=False),
    "another order": Policy(integers=NARROW, has_complex=False, order=(NUMBER, 0, *range(2, 6))),
}  # fmt: skip


@pytest.mark.parametrize("why", OF_COLUMNS)
def test_values_without_words_make_a_language_one_of_columns(why):
    assert not Language(inputs=(), constants={}, policy=OF_COLUMNS[why]).of_words
    words = Policy(integers=NARROW, has_complex=False)
    assert Language(inputs=(), constants={}, policy=words).of_words
    near = Language(inputs=(), constants={}, policy=words, same=lambda a, b: a == b)
    assert not near.of_words
