"""A language is of words or of columns; a primitive has a compiled form or a rule, never both."""

from __future__ import annotations

from typing import Annotated

import pytest

from megabatt.runtime import arc, signal
from megabatt.runtime.core import CORE
from megabatt.runtime.core.types import Container, Declared, Integer
from megabatt.runtime.engine.columns.rules import rule
from megabatt.runtime.engine.language.policy import NUMBER, Policy
from megabatt.runtime.engine.language.registry import Language, Primitives, primitive_of
from megabatt.runtime.engine.machine.forms import compiled
from tests.toy.language import LANGUAGE as TOY

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


def the_rule(frame, n):
    return n


def the_form(heap, n):
    return n


def test_a_primitive_with_one_form_takes_no_other():
    def doubled(n: Integer) -> Integer:
        """Return the number twice."""
        return 2 * n

    with_rule, with_form = (Primitives().primitive(doubled) for _ in range(2))
    rule(with_rule)(the_rule)
    with pytest.raises(TypeError, match="doubled has a rule"):
        compiled(with_rule)(the_form)
    compiled(with_form)(the_form)
    with pytest.raises(TypeError, match="doubled has a compiled form"):
        rule(with_form)(the_rule)


def test_a_rule_needs_columns_of_all_its_types():
    def counted(container: Container) -> Integer:
        """Count the elements."""
        return len(container)

    function = Primitives().primitive(counted)
    with pytest.raises(TypeError, match="no column is of Container"):
        rule(function)(the_rule)
    assert primitive_of(function).rule is None


def test_a_type_without_words_has_no_compiled_form():
    class Odd(Declared):
        def guard(self, name, scope):
            return None

    kind = Annotated[object, Odd("Odd", "()")]

    def odd(x):
        """Return it."""
        return x

    odd.__annotations__ = {"x": kind, "return": kind}
    function = Primitives().primitive(odd)
    with pytest.raises(TypeError, match="Odd has no form on words"):
        compiled(function)(the_form)
