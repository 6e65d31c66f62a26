"""ARC's language as a whole: what its operations leave when they fail."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.arc.language import LANGUAGE
from megabatt.runtime.engine.machine.words import COLOR_BIAS
from megabatt.runtime.engine.values import identical
from tests.arc.lanes import lanes_of, scalar
from tests.arc.on_machine import HOSTED, assert_compiled
from tests.examples import examples


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


def integers_in(value):
    """Return the Integers in a value, and those that a function binds."""
    parts = value if isinstance(value, (tuple, frozenset)) else getattr(value, "args", ())
    return {abs(value)} if value.__class__ is int else {0}.union(*map(integers_in, parts))


@pytest.mark.parametrize("name", sorted(LANGUAGE.primitives))
@settings(max_examples=examples(8))
@given(data=st.data())
def test_a_call_is_left_to_the_scalar_form_only_where_parts_of_pairs_do_not_fit(name, data):
    function = LANGUAGE.primitives[name].function
    for args in data.draw(lanes_of(LANGUAGE.primitives[name])):
        found = scalar(function, args, 3000)
        before = len(HOSTED)
        assert_compiled(function, args, found, 3000)
        if len(HOSTED) > before:
            assert max(integers_in((*args, found[1]))) >= COLOR_BIAS, HOSTED[-1]
