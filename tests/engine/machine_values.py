"""Random values for the machine: values with words of their own, values that just lack such words,
and values in the heap. They are few enough that equal values are drawn again."""

from __future__ import annotations

from math import inf
from typing import Any

from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine.language.closures import Closure
from megabatt.runtime.engine.language.coding import closure_of, names_of
from megabatt.runtime.engine.language.limits import MAX_ELEMENTS
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.engine.language.values import fails
from megabatt.runtime.literals import is_real
from megabatt.runtime.program import Lambda

edges = st.sampled_from(
    [sign * (1 << bits) + off for bits in (19, 20) for sign in (1, -1) for off in (-1, 0, 1)]
    + [2**31 - 1, -(2**31), 255, 256]
)
integers = st.one_of(st.integers(-2, 9), edges)
numbers = st.one_of(integers, st.booleans())
reals = st.one_of(
    st.sampled_from([0.0, 0.5, 1.0, -1.5, 2.5, 3.5, 1 / 3, 2.0**31, 2.0**-255, -(2.0**254)]),
    st.sampled_from([2.0**254, inf, -inf]), st.floats(-9, 9, width=16), st.floats(allow_nan=False),
).filter(is_real).map(lambda value: value + 0.0)  # fmt: skip
pairs = st.tuples(integers, integers)
cells = st.tuples(integers, pairs)
odd_pairs = st.tuples(numbers, numbers)
odd_cells = st.tuples(numbers, st.one_of(odd_pairs, cells))
places = st.one_of(pairs, cells, odd_pairs, odd_cells)


def tables(of: Any = integers, most: int = 4) -> Any:
    """Return a strategy for tuples of tuples of one length."""
    return st.integers(0, most).flatmap(
        lambda width: st.lists(st.tuples(*[of] * width), max_size=most).map(tuple)
    )


def grids(most: int = 12) -> Any:
    """Return a strategy for tables of bytes."""
    return tables(st.integers(0, 255), most)


def written(captured: str, parameters: str, operations: list[str], returns: str) -> Lambda:
    """Return a function as programs have it; the texts are split into words."""
    rows = tuple(tuple(operation.split()) for operation in operations)
    return Lambda(tuple(captured.split()), tuple(parameters.split()), rows, returns)


def own(captured: str, parameters: str, operations: list[str], returns: str) -> Closure:
    """Return a program's own function. The parameters are those of `written`."""
    return closure_of(written(captured, parameters, operations, returns), names_of(LANGUAGE))


CAPTURING_ONE = [
    own("c", "x", ["y add x c"], "y"),
    own("c", "x", ["y add c x"], "y"),
    own("c", "", [], "c"),
    own("c", "x", ["s size x", "b equality s c", "z if_else b x c"], "z"),
]
CAPTURING_TWO = own("c d", "x y", ["u d x", "v astuple u c", "w astuple v y"], "w")


def built_of(functions: Any, bound: Any) -> Any:
    """Return a strategy for functions built of other functions and of values."""
    few = st.one_of(functions, bound)
    calls = st.one_of(
        st.tuples(st.just(arc.compose), functions, functions),
        st.tuples(st.just(arc.chain), functions, functions, functions),
        st.tuples(st.just(arc.fork), functions, functions, functions),
        st.tuples(st.just(arc.power), functions, st.integers(1, 3)),
        st.tuples(st.just(arc.matcher), functions, few),
        st.tuples(st.sampled_from([arc.lbind, arc.rbind]), functions, few),
        st.tuples(st.sampled_from(CAPTURING_ONE), few),
        st.tuples(st.just(CAPTURING_TWO), few, functions),
    )
    made = calls.map(lambda call: attempt(call[0], call[1:], MAX_ELEMENTS))
    return made.filter(lambda found: not found[1]).map(lambda found: found[0])


primitives = st.sampled_from(
    [
        arc.apply, arc.compose, arc.add, arc.identity, arc.size, arc.fork, arc.lbind, fails,
        own("", "x", [], "x"), own("", "x", ["y astuple x ORIGIN", "z first y"], "z"),
        *CAPTURING_ONE[:2], CAPTURING_TWO,
    ]
)  # fmt: skip
functions = st.recursive(
    primitives,
    lambda children: built_of(children, st.one_of(numbers, pairs, tables(most=2))),
    max_leaves=5,
)
atoms = st.one_of(numbers, reals, st.none(), functions, places)


def _containers(children: Any) -> Any:
    return st.one_of(
        st.lists(children, max_size=4).map(tuple),
        st.frozensets(children, max_size=4),
        st.tuples(children, children),
    )


values = st.one_of(
    st.recursive(
        st.one_of(
            atoms, atoms, tables(), tables(numbers, 3), st.frozensets(places, max_size=6),
            st.lists(places, max_size=4).map(tuple), st.frozensets(numbers, max_size=20),
        ),
        _containers,
        max_leaves=10,
    ),
    st.recursive(st.sampled_from([0, 1, True, False, None, (0, 1), ()]), _containers, max_leaves=4),
)
columns = st.lists(values, min_size=1, max_size=8)



def tower(levels: int, in_sets: int, value: Any) -> Any:
    """Return a value within `levels` containers. in_sets: Bits that tell sets from tuples."""
    for level in range(levels):
        value = frozenset([value]) if in_sets >> level & 1 else (value,)
    return value


towers = st.builds(tower, st.integers(0, 34), st.integers(0, 2**34 - 1), st.one_of(atoms, tables()))
