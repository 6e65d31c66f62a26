"""The core is in no language: a language takes it, with inputs and safe defaults of its own."""

from __future__ import annotations

import types

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.codegen.check import check
from megabatt.codegen.emit import render
from megabatt.codegen.language import load_language
from megabatt.codegen.read_python import read_python
from megabatt.runtime.core import CORE
from megabatt.runtime.engine import Vectorized
from megabatt.runtime.engine.language.registry import Language, primitive_of
from megabatt.runtime.engine.language.values import identical
from megabatt.runtime.merging import merge
from tests.core import small_language

SMALL = small_language.LANGUAGE

SMALL_SOLVERS = """
def solve_doubles(A, B):
    x1 = apply(twice, A)
    return combine(x1, insert(B, initset(first(A))))

def solve_ends(A, B):
    x1 = first(A)
    x2 = astuple(x1, HEAD(B))
    return astuple(x2, x1(B))

def solve_largest(A, B):
    x1 = argmax(A, compose(twice, twice))
    return order(A, lbind(contained, x1))
"""

ARC_SOLVERS = """
def solve_ends(I):
    x1 = first(I)
    x2 = astuple(x1, numcolors(x1))
    x3 = x1(I)
    return astuple(x2, x3)

def solve_largest(I):
    x1 = argmax(I, first)
    return order(I, lbind(contained, x1))
"""


def program(source: str, language_module: str) -> types.ModuleType:
    """Compile a source as the command does; return the program."""
    language = load_language(language_module)
    solvers, errors = read_python("solvers.py", source)
    programs, more = check(solvers, language)
    assert [*errors, *more] == []
    module = types.ModuleType("generated")
    text = render(programs, merge(programs), language, language_module)["batt.py"]
    exec(compile(text, "batt.py", "exec"), module.__dict__)
    return module


SMALL_PROGRAM = program(SMALL_SOLVERS, "tests.core.small_language")
ARC_PROGRAM = program(ARC_SOLVERS, "megabatt.runtime.arc")

integers = st.one_of(st.integers(-3, 5), st.sampled_from([2**30, -(2**31)]))
values = st.one_of(
    integers,
    st.booleans(),
    st.lists(integers, max_size=4).map(tuple),
    st.frozensets(integers, max_size=4),
    st.lists(st.lists(integers, max_size=3).map(tuple), max_size=3).map(tuple),
)


def assert_forms_agree(module: types.ModuleType, samples: list[tuple[object, ...]]) -> None:
    inputs = [("a", *sample) for sample in samples]
    lanes = module.batt_vectorized(inputs).decode()
    for sample, (values, failures) in zip(inputs, lanes, strict=True):
        outputs, failed = module.batt(*sample)
        assert failed == failures
        assert outputs.keys() == values.keys()
        assert all(identical(outputs[name], values[name]) for name in outputs)


@given(st.lists(st.tuples(values, values), min_size=1, max_size=5))
def test_programs_of_two_languages_run_in_one_process(samples):
    assert_forms_agree(SMALL_PROGRAM, samples)
    assert_forms_agree(ARC_PROGRAM, [((), a, b) for a, b in samples])
    assert_forms_agree(SMALL_PROGRAM, [(b, a) for a, b in samples])


def test_batches_of_two_languages_may_take_turns():
    """ARC counts a pair as one element, the small language as two Integers."""
    pairs = ((1, 2), (3, 4), (5, 6))
    in_arc = Vectorized(arc.LANGUAGE, [("a", (), pairs, None)], 1, max_elements=4)
    in_small = Vectorized(SMALL, [("a", pairs, 0)], 1, max_elements=4)
    made = in_arc.call(1, arc.initset, in_arc.input("I"))
    failed = in_small.call(1, arc.initset, in_small.input("A"))
    assert in_arc.finish({"set": made}).decode() == [({"set": frozenset({pairs})}, ())]
    assert in_small.finish({"set": failed}).decode() == [({"set": frozenset()}, (1,))]


def test_what_fails_leaves_the_defaults_of_the_program_s_own_language():
    outputs, failed = SMALL_PROGRAM.batt("a", (), ())
    assert outputs["solve_ends"] == ((-1, -1), -2) and len(failed) == 4
    (in_arc, _) = ARC_PROGRAM.batt("a", (), (), None)
    assert in_arc["solve_ends"] == (((), 0), ())
    assert SMALL.default_of(arc.astuple) == (0, 0, 0)
    assert arc.LANGUAGE.default_of(arc.astuple) == (0, 0)


def test_a_program_s_budget_is_that_of_its_language():
    source = "def solve_copies():\n    return repeat(ONE, {})\n"
    for module, most in (("tests.core.small_language", 100), ("megabatt.runtime.arc", 131_072)):
        for count, failed in ((most, ()), (most + 1, (1,))):
            copies = program(source.format(count), module)
            outputs = {"solve_copies": () if failed else (1,) * count}
            sample = ("a", *copies.LANGUAGE.inputs)
            assert copies.batt(*sample) == (outputs, failed)
            assert copies.batt_vectorized([sample]).decode() == [(outputs, failed)]


def test_languages_share_functions_and_rules():
    for name, primitive in CORE.primitives.items():
        assert SMALL.primitives[name] is arc.LANGUAGE.primitives[name] is primitive
        assert primitive_of(getattr(arc, name)) is primitive
    assert "rot90" not in SMALL.primitives and "twice" not in arc.LANGUAGE.primitives


def test_what_a_language_takes_is_named_once_and_its_defaults_are_of_what_it_takes():
    language = Language(inputs=("A",), constants={})
    with pytest.raises(ValueError, match="a default for rot90, which is not included"):
        language.include(CORE, defaults={"rot90": ()})
    language.include(CORE)
    with pytest.raises(ValueError, match="has a primitive apply already"):
        language.include(CORE)
    with pytest.raises(ValueError, match="'C' is not an input"):
        Language(inputs=("A",), constants={}, expected="C")
