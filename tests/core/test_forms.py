"""A language is of words or of columns; a primitive has a compiled form or a rule, never both."""

from __future__ import annotations

import pytest

from megabatt.runtime import arc, signal
from megabatt.runtime.core import CORE
from megabatt.runtime.engine.language.policy import NUMBER, Policy
from megabatt.runtime.engine.language.registry import Language
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
