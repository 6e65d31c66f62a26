"""The declared types: what a parameter takes, and safe defaults.

Every name for signatures is here: those of `core.types`, and ARC's own, such as `Grid`, at the end.

The scalar form of a primitive gets arguments as these values:
    Numerical, IntegerTuple, Grid   plain ints throughout (Booleans are made Integers)
    Patch                           a frozenset of pairs or of cells (tuples are made sets)
    Object                          a frozenset of cells, or a tuple of cells, unchanged
    Piece, Element                  a tuple is a Grid, a frozenset a Patch or an Object
The functions of `words` cast words to these types.
"""

from itertools import chain
from operator import is_
from typing import Annotated
from typing import Any as PythonAny

from megabatt.runtime.arc import words
from megabatt.runtime.arc.values import is_object
from megabatt.runtime.core import types
from megabatt.runtime.core.types import *  # noqa: F403
from megabatt.runtime.core.types import INT, INTEGERS, Declared, FrozenSet, Shaped
from megabatt.runtime.engine.language.policy import types_in_places
from megabatt.runtime.vocabulary import counted

__all__ = [
    "Cell", "Element", "Grid", "Indices", "IndicesSet", "IntegerTuple", "Numerical", "Object",
    "Objects", "Patch", "Piece", "TupleOrPatch", *types.__all__,
]  # fmt: skip


class _Named(Declared):
    """A type whose messages name values in ARC's terms."""

    def described(self, value: PythonAny) -> str:
        return described(value) or super().described(value)


class _IntegerTuple(_Named):
    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        return (
            f"{name}.__class__ is not tuple or len({name}) != 2 "
            f"or {name}[0].__class__ is not int or {name}[1].__class__ is not int"
        )

    def check(self, value: PythonAny) -> PythonAny:
        if value.__class__ is tuple and len(value) == 2 and set(map(type, value)) <= INTEGERS:
            return tuple(map(int, value))
        raise self.expected(value)


class _Cell(_Named):
    def check(self, value: PythonAny) -> PythonAny:
        if value.__class__ is tuple and len(value) == 2 and isinstance(value[0], int):
            return (int(value[0]), _PAIR.check(value[1]))
        raise self.expected(value)

    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        return "True"


class _Numerical(_IntegerTuple):
    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        return f"{name}.__class__ is not int and ({super().guard(name, scope)})"

    def check(self, value: PythonAny) -> PythonAny:
        return int(value) if isinstance(value, int) else super().check(value)


class _Grid(_Named, Shaped):
    def checked(self, value: PythonAny) -> PythonAny:
        if value.__class__ in (tuple, set, frozenset) and not value:
            return ()
        if value.__class__ is tuple and _is_grid(value):
            if set(map(type, chain.from_iterable(value))) <= INT:
                return value
            return tuple(tuple(map(int, row)) for row in value)
        raise self.expected(value)

    def described(self, value: PythonAny) -> str:
        """Name the first element of rows that is no Integer, or say that the rows differ."""
        if value.__class__ is tuple and set(map(type, value)) == {tuple} and not _is_grid(value):
            for i, row in enumerate(value):
                for cell in row:
                    if cell.__class__ not in INTEGERS:
                        what = super().described(cell)
                        return f"a tuple whose row {i} has {what}, not an Integer"
            return "a tuple of rows of different lengths"
        return super().described(value)


class _Patch(_Named, Shaped):
    def checked(self, value: PythonAny) -> PythonAny:
        elements = patch_elements(value)
        if elements is None:
            raise self.expected(value)
        return frozenset(elements)


class _Object(_Named, Shaped):
    def checked(self, value: PythonAny) -> PythonAny:
        elements = patch_elements(value)
        if elements is None or (elements and not is_object(elements)):
            raise self.expected(value)
        return (tuple if value.__class__ is tuple else frozenset)(elements)


class _Objects(_Named, Shaped):
    """A set of objects; objects that are tuples stay tuples."""

    def checked(self, value: PythonAny) -> PythonAny:
        if value.__class__ in (tuple, set, frozenset):
            known = _OBJECT.known.get
            checked = [e if known(id(e), ...) is e else _OBJECT.check(e) for e in value]
            if value.__class__ is frozenset and all(map(is_, checked, value)):
                return value
            return frozenset(checked)
        raise self.expected(value)


class _Piece(_Named, Shaped):
    def checked(self, value: PythonAny) -> PythonAny:
        return (_GRID if value.__class__ is tuple else _PATCH).check(value)


class _Element(_Named, Shaped):
    def checked(self, value: PythonAny) -> PythonAny:
        return (_GRID if value.__class__ is tuple else _OBJECT).check(value)


class _TupleOrPatch(_Named, Shaped):
    def checked(self, value: PythonAny) -> PythonAny:
        return value if value.__class__ is tuple else _PATCH.check(value)


def described(value: PythonAny) -> str:
    """Name a Grid, an Object, Indices or Objects; return "" for any other value."""
    if not value or value.__class__ not in (tuple, frozenset):
        return ""
    if value.__class__ is tuple:
        return "a Grid" if _is_grid(value) else ""
    elements = patch_elements(value)
    if elements is not None:
        return "an Object" if is_object(elements) else "Indices"
    if not all(patch and is_object(patch) for patch in map(patch_elements, value)):
        return ""
    return f"Objects (a set of {counted(len(value), 'object')})"


def _is_grid(value: PythonAny) -> bool:
    return (
        set(map(type, value)) == {tuple}
        and len(set(map(len, value))) == 1
        and set(map(type, chain.from_iterable(value))) <= INTEGERS
    )


def patch_elements(value: PythonAny) -> PythonAny:
    """Return a container if its elements are all pairs or all cells, of plain ints.

    Returns a list of the elements if Booleans had to be made Integers; None if `value` is no patch.
    """
    if value.__class__ not in (tuple, set, frozenset):
        return None
    if not value:
        return value
    if set(map(type, value)) != {tuple}:
        return None
    numbers = types_in_places(value)
    if numbers == INT:
        return value
    if not numbers <= INTEGERS:
        return None
    if is_object(value):
        return [(int(c), (int(i), int(j))) for c, (i, j) in value]
    return [(int(i), int(j)) for i, j in value]


_PAIR = _IntegerTuple("IntegerTuple", "(0, 0)", of_word=words.to_pair)
_GRID = _Grid("Grid", "()", of_word=words.to_grid)
_PATCH = _Patch("Patch", "frozenset()", of_word=words.to_patch)
_OBJECT = _Object("Object", "frozenset()", of_word=words.to_object)

IntegerTuple = Annotated[tuple[int, int], _PAIR]
Numerical = Annotated[PythonAny, _Numerical("Numerical", "0", of_word=words.to_numerical)]
Grid = Annotated[tuple[tuple[int, ...], ...], _GRID]
Object = Annotated[PythonAny, _OBJECT]
Objects = Annotated[
    frozenset[PythonAny], _Objects("Objects", "frozenset()", of_word=words.to_object_set)
]
Indices = Annotated[frozenset[PythonAny], _PATCH]
Patch = Annotated[frozenset[PythonAny], _PATCH]
Piece = Annotated[PythonAny, _Piece("Piece", "()", of_word=words.to_piece)]
Element = Annotated[PythonAny, _Element("Element", "()", of_word=words.to_element)]
TupleOrPatch = Annotated[
    PythonAny, _TupleOrPatch("Piece or tuple", "()", of_word=words.to_tuple_or_patch)
]
Cell = Annotated[tuple[int, tuple[int, int]], _Cell("Cell", "(0, (0, 0))", of_word=words.to_cell)]
IndicesSet = FrozenSet
