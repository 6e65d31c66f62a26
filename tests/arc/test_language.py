"""ARC's language as a whole: safe defaults, tuples in place of sets, empty values, charges."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.arc import ARC_DSL
from megabatt.runtime.arc.beyond import BEYOND
from megabatt.runtime.arc.language import LANGUAGE, POLICY
from megabatt.runtime.arc.types import Cell, Indices, Integer
from megabatt.runtime.arc.words import color_of
from megabatt.runtime.core import dictionaries, operators, reals
from megabatt.runtime.core.charges import count, times
from megabatt.runtime.engine.language.charges import OfResult
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.language.values import identical
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import compiled
from tests.arc.lanes import LIMIT, assert_same, cells, indices, integers, lanes_of, pairs, scalar
from tests.examples import examples

DEFAULTS = {
    "size": 0, "numcolors": 0, "add": 0, "flip": False, "shape": (0, 0), "astuple": (0, 0),
    "rot90": (), "apply": (), "objects": frozenset(), "product": frozenset(), "first": (),
    "compose": arc.fails,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(LANGUAGE.primitives))
def test_a_failed_operation_leaves_the_safe_default_of_its_primitive(name):
    """The sequential form is written with that default."""
    default = LANGUAGE.default_of(getattr(arc, name))
    assert identical(eval(LANGUAGE.default_source(name), vars(arc)), default)
    assert identical(default, DEFAULTS.get(name, default))


def test_the_language_has_all_of_arc_dsl_s_primitives_in_both_forms():
    modules = {operators.__name__, dictionaries.__name__, reals.__name__}
    added = [p for p in LANGUAGE.primitives.values() if p.module in modules]
    assert len(LANGUAGE.primitives) - len(added) - len(BEYOND.primitives) == 160
    assert len(ARC_DSL) == 160 and ARC_DSL.isdisjoint(BEYOND.primitives)
    for name, primitive in LANGUAGE.primitives.items():
        assert getattr(arc, name) is primitive.function and primitive.compiled is not None


def places_of(*types):
    """List the parameters of some types: the primitive's name, the place, the type's name."""
    return [
        (name, place, declared.name)
        for name, primitive in LANGUAGE.primitives.items()
        for place, declared in enumerate(primitive.types)
        if declared.name in types
    ]


IN_THEIR_ORDER = {"paint", "underpaint", "color"}
"""Primitives to which the order of the cells of a tuple matters."""


def outcomes(name, args, place, values):
    """Call a primitive with each value in one place; return whether it succeeds, and its result.

    The result of a failed call is None.
    """
    found = []
    for value in values:
        succeeded, result, _ = scalar(
            LANGUAGE.primitives[name].function, (*args[:place], value, *args[place + 1 :]), 3000
        )
        found.append((succeeded, result if succeeded else None))
    return found


@pytest.mark.parametrize(
    ("name", "place", "declared"), places_of("Patch", "Object", "Objects", "FrozenSet")
)
@settings(max_examples=examples(16))
@given(data=st.data())
def test_a_tuple_of_places_is_measured_as_the_set_of_its_elements(name, place, declared, data):
    """An empty tuple is the empty set where any set is declared."""
    (args,) = data.draw(lanes_of(LANGUAGE.primitives[name], max_lanes=1))
    of_cells, of_pairs = st.lists(cells, max_size=5), st.lists(pairs, max_size=5)
    places = {"Patch": of_cells | of_pairs, "Object": of_cells}.get(declared, st.just([]))
    places = data.draw(places)
    if name in IN_THEIR_ORDER:
        places = sorted(set(places))
    of_tuple, of_set = outcomes(name, args, place, [tuple(places), frozenset(places)])
    assert identical(of_tuple, of_set)


def color_in(cell: Cell) -> Integer:
    return cell[0]


def color_in_word(heap, cell):
    return color_of(cell)


def test_a_cell_is_a_type_of_both_forms():
    language = Language(inputs=("I",), constants={}, policy=POLICY)
    function = compiled(language.primitive(color_in))(color_in_word)
    right = [(3, (0, 1)), (-3, (7, -1)), (True, (0, True)), (2**25, (0, 0))]
    wrong = [(3, 0, 1), (3, (0, 1, 2)), ((0, 1), 3), (1, (0, None)), 3, (), frozenset()]
    assert [function(cell) for cell in right] == [3, -3, 1, 2**25]
    assert_same(function, [(cell,) for cell in right + wrong], language=language)
    for value in wrong:
        with pytest.raises(TypeError, match="must be a Cell, got"):
            function(value)


# A declared charge: the same in both forms, and paid once


CHARGING = Language(inputs=("I",), constants={}, policy=POLICY)
CHARGES = {
    "nothing": None,
    "a number": 3,
    "a measure of the first argument": count,
    "a function of all arguments": lambda patch, n: 2 * count(patch) + times(n),
    "a measure of the result": OfResult(count),
    "a number below 0": -3,
    "a function below 0": lambda patch, n: -100 * count(patch),
}
def declared(name, charge):
    """Declare a primitive with a charge, in both forms."""

    def same(patch: Indices, n: Integer) -> Indices:
        if n < 0:
            raise ValueError("a number below 0")
        return patch

    def same_on_words(heap, patch, n):
        if n < 0:
            return m.NO_VALUE
        return patch

    same.__name__ = name.replace(" ", "_")
    return compiled(CHARGING.primitive(charge=charge)(same))(same_on_words)


PRIMITIVES = {name: declared(name, charge) for name, charge in CHARGES.items()}


@given(
    lanes=st.lists(st.tuples(indices, integers), min_size=1, max_size=6),
    limit=st.sampled_from([LIMIT, 8]),
)
def test_both_forms_pay_a_declared_charge_once(lanes, limit):
    for primitive in PRIMITIVES.values():
        assert assert_same(primitive, lanes, limit, CHARGING) == []
    patch, n = lanes[0][0], abs(lanes[0][1]) % 100
    size = len(patch)
    due = dict(zip(CHARGES, (0, 3, size, 2 * size + n, size, 0, 0), strict=True))
    for name, elements in due.items():
        assert scalar(PRIMITIVES[name], (patch, n), LIMIT) == (True, patch, elements)
