"""The declared types: what a parameter takes as a value and as a column, and safe defaults.

Every name that a signature is annotated with is defined at the end: `Grid`, `Patch`, ... Each is
a plain Python type for type checkers, annotated with the language's own (`engine.registry.Type`).

As values, arguments come to a primitive's body like this:
    Integer, Numerical, IntegerTuple, Grid   plain ints throughout (Booleans are made Integers)
    Patch                                    a frozenset of pairs or of cells (tuples are made sets)
    Object                                   a frozenset of cells, or a tuple of cells as it stands
    Piece, Element                           a tuple is a Grid, a frozenset a Patch or an Object
    Container, FrozenSet, Tuple              tuples and frozensets of anything
As columns, a rule gets for
    Integer: Ints; Boolean: Bools; IntegerTuple: Pairs; Numerical: Ints or Pairs; Grid: Grids
    Patch: Sets of Pairs, Cells or Empty; Object: Sets or Lists of Cells or Empty
    Piece, Element: Grids, or what Patch and Object get
    Container: any layout of containers, see `views.as_sequences`; FrozenSet: Sets; Tuple: as
        Container, but no Sets; Callable: anything that can be called; Any: any column, unions too
"""

from __future__ import annotations

from collections.abc import Callable as PythonCallable
from itertools import chain
from operator import is_
from typing import Annotated
from typing import Any as PythonAny

from runtime.arc import casts
from runtime.engine.arrays import Array, xp
from runtime.engine.columns import Column, Functions, Hosts, Uniform
from runtime.engine.columns.grids import LEAST_CELL, MOST_CELL
from runtime.engine.encode import encode_uniform
from runtime.engine.packing import BIAS
from runtime.engine.plain import holds_large, plain
from runtime.engine.registry import Cast, Type
from runtime.engine.values import fails


class _Declared(Type):
    """A type whose columns are cast by a function of `casts`."""

    def __init__(
        self,
        name: str,
        default_source: str,
        cast: PythonCallable[[Column], Cast],
        default: PythonAny = None,
    ) -> None:
        self.name = name
        self.default_source = default_source
        self.default = eval(default_source) if default is None else default  # our own literals
        self._cast = cast

    def cast(self, column: Column) -> Cast:
        if isinstance(column, Uniform):
            try:
                value = self.check(column.value)
            except TypeError:
                return casts.all_failed(column)
            if value is column.value:
                column = column.laid_out(encode_uniform)
            else:
                column = encode_uniform(value, len(column))
        if isinstance(column, Hosts):
            return Cast(column, host=xp.ones(len(column), dtype=xp.bool_))
        return self._cast(column)


class _OfIntegers(_Declared):
    """A type of Integers, tuples and sets of them, whose values Booleans may stand in.

    least, most: what Integers its layouts hold.
    """

    least, most = -BIAS, BIAS - 1

    def settled(self, column: Column) -> Column:
        return plain(column)

    def doubtful(self, column: Column) -> Array | None:
        return holds_large(column, self.least, self.most)


class _Integer(_Declared):
    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        return f"{name}.__class__ is not int"

    def check(self, value: PythonAny) -> PythonAny:
        if isinstance(value, bool):
            return int(value)
        if value.__class__ is int:
            return value
        raise self.expected(value)


class _Boolean(_Declared):
    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        return f"{name}.__class__ is not bool"

    def check(self, value: PythonAny) -> PythonAny:
        if value.__class__ is bool:
            return value
        raise self.expected(value)


class _IntegerTuple(_OfIntegers):
    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        return (
            f"{name}.__class__ is not tuple or len({name}) != 2 "
            f"or {name}[0].__class__ is not int or {name}[1].__class__ is not int"
        )

    def check(self, value: PythonAny) -> PythonAny:
        if value.__class__ is tuple and len(value) == 2:
            first, second = value
            if isinstance(first, int) and isinstance(second, int):
                return (int(first), int(second))
        raise self.expected(value)


class _Numerical(_IntegerTuple):
    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        return f"{name}.__class__ is not int and ({super().guard(name, scope)})"

    def check(self, value: PythonAny) -> PythonAny:
        return int(value) if isinstance(value, int) else super().check(value)


class _Container(_Declared):
    """Tuples and frozensets; a Python set is taken for a frozenset."""

    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        return f"{name}.__class__ is not tuple and {name}.__class__ is not frozenset"

    def check(self, value: PythonAny) -> PythonAny:
        if value.__class__ is set:
            return frozenset(value)
        if value.__class__ in (tuple, frozenset):
            return value
        raise self.expected(value)


class _FrozenSet(_Declared):
    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        return f"{name}.__class__ is not frozenset"

    def check(self, value: PythonAny) -> PythonAny:
        if value.__class__ in (set, frozenset) or value == ():
            return frozenset(value)
        raise self.expected(value)


class _Tuple(_Declared):
    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        return f"{name}.__class__ is not tuple"

    def check(self, value: PythonAny) -> PythonAny:
        if value.__class__ is tuple:
            return value
        if value.__class__ in (set, frozenset) and not value:
            return ()
        raise self.expected(value)


class _Shaped(_OfIntegers):
    """A type that takes a walk through the value to check.

    Values found right are remembered by identity (and so kept alive) for as long as there are
    not too many: most are looked at by several operations.
    """

    def __init__(self, *args: PythonAny, **named: PythonAny) -> None:
        super().__init__(*args, **named)
        self.known: dict[int, PythonAny] = {}

    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        scope[f"known_{name}"] = self.known.get
        return f"known_{name}(id({name}), ...) is not {name}"  # else None would pass for known

    def check(self, value: PythonAny) -> PythonAny:
        value = self.canonical(value)
        if len(self.known) >= _KNOWN_VALUES:
            self.known.clear()
        self.known[id(value)] = value
        return value

    def canonical(self, value: PythonAny) -> PythonAny:
        raise NotImplementedError


class _Integers(_Shaped):
    def canonical(self, value: PythonAny) -> PythonAny:
        if value.__class__ in (tuple, set, frozenset):
            kinds = set(map(type, value))
            if kinds <= _INT and value.__class__ is not set:
                return value
            if kinds <= _INTEGERS:
                return (
                    frozenset(map(int, value))
                    if value.__class__ is not tuple
                    else tuple(map(int, value))
                )
        raise self.expected(value)


class _Grid(_Shaped):
    least, most = LEAST_CELL, MOST_CELL

    def canonical(self, value: PythonAny) -> PythonAny:
        if value.__class__ is tuple:
            if not value:
                return value
            if set(map(type, value)) == {tuple} and len(set(map(len, value))) == 1:
                kinds = set(map(type, chain.from_iterable(value)))
                if kinds <= _INT:
                    return value
                if kinds <= _INTEGERS:
                    return tuple(tuple(map(int, row)) for row in value)
        elif value.__class__ in (set, frozenset) and not value:
            return ()
        raise self.expected(value)


class _Patch(_Shaped):
    def canonical(self, value: PythonAny) -> PythonAny:
        if value.__class__ in (tuple, set, frozenset):
            elements = _patch_elements(value)
            if elements is value:
                return value if value.__class__ is frozenset else frozenset(value)
            if elements is not None:
                return frozenset(elements)
        raise self.expected(value)


class _Object(_Shaped):
    def canonical(self, value: PythonAny) -> PythonAny:
        if value.__class__ in (tuple, set, frozenset):
            elements = _patch_elements(value)
            if elements is not None and (not elements or _is_cell(next(iter(elements)))):
                if value.__class__ is tuple:
                    return tuple(elements)
                return elements if elements.__class__ is frozenset else frozenset(elements)
        raise self.expected(value)


class _Objects(_Shaped):
    """Objects that are tuples stay so, which no rule takes; the scalar form does."""

    def doubtful(self, column: Column) -> Array | None:
        return None

    def canonical(self, value: PythonAny) -> PythonAny:
        if value.__class__ in (tuple, set, frozenset):
            known = _OBJECT.known.get
            checked = [e if known(id(e), ...) is e else _OBJECT.check(e) for e in value]
            if value.__class__ is frozenset and all(map(is_, checked, value)):
                return value
            return frozenset(checked)
        raise self.expected(value)


class _GridOr(_Shaped):
    """A Grid where it is a tuple, else of another type."""

    least, most = LEAST_CELL, MOST_CELL
    other: _Shaped

    def canonical(self, value: PythonAny) -> PythonAny:
        if value.__class__ is tuple:
            return _GRID.check(value)
        return self.other.check(value)


class _TupleOrPatch(_GridOr):
    """Any tuple, or a Patch."""

    def settled(self, column: Column) -> Column:
        return column

    def doubtful(self, column: Column) -> Array | None:
        return None

    def canonical(self, value: PythonAny) -> PythonAny:
        return value if value.__class__ is tuple else self.other.check(value)


class _Callable(_Declared):
    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        return f"not callable({name})"

    def check(self, value: PythonAny) -> PythonAny:
        if callable(value):
            return value
        raise self.expected(value)

    def cast(self, column: Column) -> Cast:
        if isinstance(column, Functions):
            return Cast(column)
        if isinstance(column, Uniform) and callable(column.value):
            return Cast(column)
        if isinstance(column, Hosts):
            return Cast(column, host=xp.ones(len(column), dtype=xp.bool_))
        return casts.all_failed(column)


class _Any(_Declared):
    splits = False

    def guard(self, name: str, scope: dict[str, PythonAny]) -> None:
        return None

    def check(self, value: PythonAny) -> PythonAny:
        return value

    def cast(self, column: Column) -> Cast:
        return Cast(column)


_INT = {int}
_INTEGERS = {int, bool}
_KNOWN_VALUES = 4096


def _is_cell(value: PythonAny) -> bool:
    return value[1].__class__ is tuple


def _patch_elements(value: PythonAny) -> PythonAny:
    """`value` if its elements are all pairs or all cells, of plain ints; a list of such elements
    where Booleans had to be made Integers; None where it is no patch."""
    if not value:
        return value
    if set(map(type, value)) != {tuple} or set(map(len, value)) != {2}:
        return None
    first, second = zip(*value, strict=True)
    kinds = set(map(type, first))
    if not kinds <= _INTEGERS:
        return None
    inner = set(map(type, second))
    if inner == {tuple}:
        if set(map(len, second)) != {2}:
            return None
        kinds |= set(map(type, chain.from_iterable(second)))
        if kinds == _INT:
            return value
        if kinds <= _INTEGERS:
            return [(int(c), (int(i), int(j))) for c, (i, j) in value]
        return None
    kinds |= inner
    if kinds == _INT:
        return value
    return [(int(i), int(j)) for i, j in value] if kinds <= _INTEGERS else None


_GRID = _Grid("Grid", "()", casts.to_grids)
_PATCH = _Patch("Patch", "frozenset()", casts.to_patches)
_OBJECT = _Object("Object", "frozenset()", casts.to_objects)
_PIECE = _GridOr("Piece", "()", casts.to_pieces)
_PIECE.other = _PATCH
_ELEMENT = _GridOr("Element", "()", casts.to_elements)
_ELEMENT.other = _OBJECT
_TUPLE_OR_PATCH = _TupleOrPatch("Piece or tuple", "()", casts.to_tuples_or_patches)
_TUPLE_OR_PATCH.other = _PATCH

Any = Annotated[PythonAny, _Any("Any", "()", Cast)]
Boolean = Annotated[bool, _Boolean("Boolean", "False", casts.to_bools)]
Integer = Annotated[int, _Integer("Integer", "0", casts.to_ints)]
IntegerTuple = Annotated[tuple[int, int], _IntegerTuple("IntegerTuple", "(0, 0)", casts.to_pairs)]
Numerical = Annotated[PythonAny, _Numerical("Numerical", "0", casts.to_numbers)]
IntegerSet = Annotated[PythonAny, _Integers("IntegerSet", "frozenset()", casts.to_integer_sets)]
Grid = Annotated[tuple[tuple[int, ...], ...], _GRID]
Object = Annotated[PythonAny, _OBJECT]
Objects = Annotated[frozenset[PythonAny], _Objects("Objects", "frozenset()", casts.to_object_sets)]
Indices = Annotated[frozenset[PythonAny], _PATCH]
IndicesSet = Annotated[frozenset[PythonAny], _PATCH]
Patch = Annotated[frozenset[PythonAny], _PATCH]
Piece = Annotated[PythonAny, _PIECE]
Element = Annotated[PythonAny, _ELEMENT]
TupleOrPatch = Annotated[PythonAny, _TUPLE_OR_PATCH]
Container = Annotated[PythonAny, _Container("Container", "()", casts.to_containers)]
ContainerContainer = Annotated[
    PythonAny, _Container("ContainerContainer", "()", casts.to_containers)
]
FrozenSet = Annotated[frozenset[PythonAny], _FrozenSet("FrozenSet", "frozenset()", casts.to_sets)]
Tuple = Annotated[tuple[PythonAny, ...], _Tuple("Tuple", "()", casts.to_tuples)]
TupleTuple = Annotated[tuple[PythonAny, ...], _Tuple("TupleTuple", "()", casts.to_tuples)]
Callable = Annotated[PythonAny, _Callable("Callable", "fails", casts.all_failed, fails)]
