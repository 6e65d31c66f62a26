"""ARC's language as a whole: what its operations leave when they fail."""

from __future__ import annotations

import pytest

import megabatt.runtime.arc as arc
from megabatt.runtime.arc.language import LANGUAGE
from megabatt.runtime.engine.values import identical


@pytest.mark.parametrize(
    ("name", "default"),
    [
        ("size", 0),
        ("numcolors", 0),
        ("add", 0),
        ("flip", False),
        ("shape", (0, 0)),
        ("astuple", (0, 0)),
        ("rot90", ()),
        ("apply", ()),
        ("objects", frozenset()),
        ("product", frozenset()),
        ("first", ()),
        ("compose", arc.fails),
    ],
)
def test_a_failed_operation_leaves_the_safe_default_of_what_it_calls(name, default):
    assert identical(LANGUAGE.default_of(getattr(arc, name)), default)


@pytest.mark.parametrize("name", sorted(LANGUAGE.primitives))
def test_the_sequential_form_is_written_with_the_default_that_the_other_takes(name):
    written = eval(LANGUAGE.default_source(name), vars(arc))
    assert identical(written, LANGUAGE.default_of(getattr(arc, name)))


def test_the_language_has_all_of_arc_dsl_s_primitives():
    assert len(LANGUAGE.primitives) == 160
    assert {name: getattr(arc, name) for name in LANGUAGE.primitives} == {
        name: primitive.function for name, primitive in LANGUAGE.primitives.items()
    }


def test_every_primitive_has_a_compiled_form():
    without = [name for name, p in LANGUAGE.primitives.items() if p.compiled is None]
    assert without == []
