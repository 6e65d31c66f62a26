"""Writes the calls of NumPy's functions that take functions, slices or blocks, or change arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from megabatt.codegen.analysis.names import assigned_in, named_in
from megabatt.codegen.analysis.nodes import nodes_in, placed
from megabatt.codegen.analysis.ownership import may_change, names_changed_in
from megabatt.codegen.analysis.scopes import INSTEAD_OF_MODULES as ADVICE
from megabatt.codegen.arrays.calls import NOT_EMPTY, NumpyCalls, Value
from megabatt.codegen.arrays.forms import constant_of
from megabatt.codegen.arrays.functions import expression
from megabatt.codegen.arrays.kinds import (
    BOOLEANS,
    FLOAT,
    INT,
    NOTHING,
    Array,
    Few,
    Function,
    Kind,
    Known,
    Many,
    Scalar,
    Span,
    array_of,
    elements,
)
from megabatt.codegen.errors import Wrong

_ALONG = {
    (0, 0): "[f([row[j] for row in a]) for j in range([len(a[0])][len(a[0]) == 0])]",
    (1, 0): "[f(row) for row in [a][len(a) == 0]]",
    (0, 1): "(lambda c: [[column[i] for column in c] for i in range(len([c][len({*[len(column)"
    " for column in c]}) != 1][0]))])([f([row[j] for row in a]) for j in range(len(a[0]))])",
    (1, 1): "(lambda c: [list([row][len(row) != len(c[0])]) for row in c])([f(row) for row in a])",
}
"""How a function makes lines along an axis numbers, or lines."""
_EACH = {1: "[f(v) for v in [a][len(a) == 0]]", 2: "[[f(v) for v in [row][len(row) == 0]]"
         " for row in [a][len(a) == 0]]"}  # fmt: skip
"""How a function makes each element a number; NumPy needs a first one."""
_EVERYWHERE = ast.Slice()
_OF_GRIDS = {"numpy.c_", "numpy.mgrid", "numpy.ogrid", "numpy.r_"}
_CHANGING = {"copyto", "place", "put", "putmask"}
"""The functions that change their first argument."""
_BLOCKS = [Array(2, of) for of in ("bool", "float", "int", "number")]
_OF_SPANS = {"numpy.index_exp", "numpy.s_"}


class SpecialCalls(NumpyCalls):
    """Writes calls by what they would be in NumPy with simpler functions."""

    numpy: str
    """A name of NumPy that the source does not have."""
    lists: Mapping[str, Sequence[ast.expr]]
    """The elements of the lists in brackets that have one name, which is read once."""

    def value(self, node: ast.expr) -> Value:
        """Return an expression rewritten."""
        raise NotImplementedError

    def number(self, node: ast.expr) -> Value:
        """Return an Integer that is an index, a side or the like."""
        raise NotImplementedError

    def function(self, node: ast.expr, kinds: Sequence[Kind]) -> tuple[ast.expr, Kind]:
        """Return a function that is called with arguments of some kinds, and its result's kind."""
        raise NotImplementedError

    def _named(self, name: str, *args: ast.expr, **named: Any) -> ast.Call:
        """Return a call of a function of NumPy."""
        keywords = [ast.keyword(key, ast.Constant(value)) for key, value in named.items()]
        function = ast.Attribute(ast.Name(self.numpy, ast.Load()), name, ast.Load())
        return ast.Call(function, [*args], keywords)

    # Slices that are values

    def span(self, node: ast.expr) -> Value:
        """Return a slice as a value."""
        if isinstance(node, ast.Tuple):
            parts = list(map(self.span, node.elts))
            made = ast.Tuple([part.node for part in parts], ast.Load())
            return Value(placed(made, node), Few(tuple(part.kind for part in parts)))
        if not isinstance(node, ast.Slice):
            return self.value(node)
        if node.step is not None:
            raise Wrong(node, "a slice with a step is no value here: write it as an index")
        sides = [self.number(side).node if side else ast.Constant(None)
                 for side in (node.lower, node.upper)]  # fmt: skip
        return Value(placed(ast.Tuple(sides, ast.Load()), node), Span())

    def of_slice(self, node: ast.Call) -> Value:
        """Write slice(...)."""
        sides = [None if constant_of(side) is None else side for side in node.args]
        if node.keywords or not 1 <= len(sides) <= 2:
            raise Wrong(node, "a slice with a step is no value here: write it as an index")
        return self.span(placed(ast.Slice(*[None, *sides][-2:]), node))

    def as_index(self, node: Any, kind: Kind) -> Any:
        """Return a part of an index: of a slice that is a value, one in brackets."""
        if isinstance(kind, Array) and kind.rank == 1 and kind.is_listed:
            return self.written(NOT_EMPTY, {"a": node}, node)
        if not isinstance(kind, Span):
            return node
        sides = getattr(node, "elts", None) or [
            ast.Subscript(node, ast.Constant(k), ast.Load()) for k in range(2)
        ]
        return placed(ast.Slice(*sides), node)

    def of_brackets(self, node: ast.Subscript, name: str) -> Value | None:
        """Write np.mgrid[...] and its like; nothing for what else has brackets."""
        if name in _OF_SPANS:
            return self.span(node.slice)
        if name not in _OF_GRIDS:
            return None
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        lines = [self._line(part) for part in parts]
        if name == "numpy.c_":
            made: ast.expr = self._named("column_stack", ast.List(lines, ast.Load()))
        elif name == "numpy.r_":
            made = self._named("concatenate", ast.List(lines, ast.Load()))
        elif len(parts) != 2 or not all(isinstance(part, ast.Slice) for part in parts):
            raise Wrong(node, f"this use of NumPy cannot be read: {ADVICE}")
        elif name == "numpy.mgrid":
            made = self._named("stack", self._named("meshgrid", *lines, indexing="ij"))
        else:
            made = ast.Tuple(self._crossing(*lines), ast.Load())
        return self.value(placed(made, node))

    def _line(self, part: ast.expr) -> ast.expr:
        """Return what stands for a slice or a number in the brackets of a grid."""
        if not isinstance(part, ast.Slice):
            is_number = isinstance(self.value(part).kind, Scalar)
            return ast.List([part], ast.Load()) if is_number else part
        if part.upper is None or isinstance(getattr(part.step, "value", None), complex):
            raise Wrong(part, f"this use of NumPy cannot be read: {ADVICE}")
        sides = [part.lower or ast.Constant(0), part.upper, part.step or ast.Constant(1)]
        return self._named("arange", *sides)

    def _crossing(self, column: ast.expr, row: ast.expr) -> list[ast.expr]:
        """Return two arrays of rank 1, or lists, as a column and a row."""
        indices = [_EVERYWHERE, ast.Constant(None)], [ast.Constant(None), _EVERYWHERE]
        return [
            ast.Subscript(self._named("asarray", line), ast.Tuple(index, ast.Load()), ast.Load())
            for line, index in zip((column, row), indices, strict=True)
        ]

    # Functions of functions, and of lists in brackets

    def of_special(self, node: ast.Call, name: str) -> Value | None:
        """Write a call of a special function; nothing for another."""
        if name.endswith(".outer") and len(node.args) == 2 and not node.keywords:
            return self.value(
                placed(self._named(name.removesuffix(".outer"), *self._crossing(*node.args)), node)
            )
        return _SPECIAL[name](self, node) if name in _SPECIAL else None

    def _given(self, node: ast.Call, names: Sequence[str], count: int) -> list[ast.expr]:
        """Return the arguments of a call by name, of which some must be there."""
        found = dict(zip(names, node.args, strict=False))
        found |= {part.arg or "**": part.value for part in node.keywords}
        wanted = [found.pop(name, None) for name in names]
        if found or len(node.args) > len(names) or None in wanted[:count]:
            raise Wrong(node, f"this use of NumPy cannot be read: {ADVICE}")
        return wanted  # type: ignore[return-value]

    def _along(self, node: ast.Call) -> Value:
        """Write np.apply_along_axis(...)."""
        function, side, array = self._given(node, ("func1d", "axis", "arr"), 3)
        value, axis = self.value(array), constant_of(side)
        kind = array_of(value.kind)
        if kind is None or kind.rank != 2 or axis not in (0, 1, -1, -2):
            raise Wrong(node, f"this use of NumPy cannot be read: {ADVICE}")
        value = self._of_list(value, kind)
        written, result = self.function(function, [Array(1, kind.of)])
        line = array_of(result)
        made_of = Array(1, _type_of(node, result)) if line is None else _of_lines(node, line)
        form = _ALONG[axis % 2, made_of.rank - 1]
        made = self.written(expression(form), {"f": written, "a": value.node}, node)
        return Value(made, made_of)

    def of_vectorized(self, node: ast.Call, made: ast.Call) -> Value:
        """Write np.vectorize(...)(...)."""
        if len(made.args) != 1 or len(node.args) != 1 or made.keywords or node.keywords:
            raise Wrong(node, f"this use of NumPy cannot be read: {ADVICE}")
        value = self.value(node.args[0])
        kind = array_of(value.kind)
        if self._may_act(made.args[0], set()):  # NumPy calls it once more
            raise Wrong(node, "a function that changes something is not vectorized: write a loop")
        if kind is None or kind.rank not in _EACH:
            raise Wrong(node, f"this use of NumPy cannot be read: {ADVICE}")
        function, result = self.function(made.args[0], [Scalar(kind.of)])
        of = _type_of(node, result)
        form = _EACH[kind.rank].replace("f(v)", "f(v) + 0" if of == "int" else "f(v)")
        value = self._of_list(value, kind)
        written = self.written(expression(form), {"f": function, "a": value.node}, node)
        return Value(written, Array(kind.rank, of))

    def _may_act(self, function: ast.AST, seen: set[str]) -> bool:
        """Tell whether a function, or one that it names, may change more than its own names."""
        for name in named_in(function) - seen:
            seen.add(name)
            kind = self.value(ast.Name(name, ast.Load())).kind
            if isinstance(kind, Function) and self._may_act(kind.node, seen):
                return True
        if isinstance(function, ast.FunctionDef):
            own = assigned_in(function.body) - {part.arg for part in nodes_in(function, ast.arg)}
            return bool(nodes_in(function, ast.Nonlocal) or names_changed_in(function) - own)
        return may_change(function)

    def _from_function(self, node: ast.Call) -> Value:
        """Write np.fromfunction(..., dtype=int)."""
        function, shape, of = self._given(node, ("function", "shape", "dtype"), 3)
        if self._type(node, self.value(of)) != "int":
            raise Wrong(node, "np.fromfunction is read with dtype=int alone: write it")
        written, result = self.function(function, [Array(2, "int")] * 2)
        if not isinstance(result, Array) or result.rank != 2:
            raise Wrong(node, f"this use of NumPy cannot be read: {ADVICE}")
        places = self.value(placed(self._named("indices", shape), node))
        form = expression("(lambda places: f(places[0], places[1]))(a)")
        made = self.written(form, {"f": written, "a": places.node}, node)
        return Value(made, Array(2, result.of))

    def _selected(self, node: ast.Call) -> Value:
        """Write np.select(...)."""
        tests, choices, default = self._given(node, ("condlist", "choicelist", "default"), 2)
        made = default or ast.Constant(0)
        pairs = list(zip(self._listed(node, tests), self._listed(node, choices), strict=True))
        for test, choice in reversed(pairs):
            kind = array_of(self.value(test).kind)
            if kind is None or kind.of != "bool":
                raise Wrong(test, "np.select needs arrays of Booleans here: write a == b")
            made = self._named("where", test, choice, made)
        return self.value(placed(made, node))

    def _listed(self, node: ast.AST, given: ast.expr) -> Sequence[ast.expr]:
        """Return the elements of a list in brackets, or of a name that always is one."""
        if isinstance(given, ast.List):
            return given.elts
        parts = self.lists.get(getattr(given, "id", ""))
        if parts is None:
            raise Wrong(node, "np.select is read of lists in brackets: write them so")
        return [
            part if isinstance(part, ast.Constant)
            else placed(ast.Subscript(given, ast.Constant(k), ast.Load()), node)
            for k, part in enumerate(parts)
        ]  # fmt: skip

    def _block(self, node: ast.Call) -> Value:
        """Write np.block(...)."""
        (blocks,) = self._given(node, ("arrays",), 1)
        if not isinstance(blocks, ast.List):
            kind, row = self.value(blocks).kind, self.fresh("row")
            if not isinstance(kind, Many) or not _is_row(elements(kind)):
                raise Wrong(node, "np.block is read of lists in brackets: write them so")
            over = ast.comprehension(ast.Name(row, ast.Store()), blocks, [], 0)
            each = ast.ListComp(self._named("hstack", ast.Name(row, ast.Load())), [over])
            return self.value(placed(self._named("vstack", each), node))
        lists = [part for part in blocks.elts if isinstance(part, ast.List)]
        rows = [part for part in blocks.elts if part in lists or _is_row(self.value(part).kind)]
        parts = sum([row.elts for row in lists], []) or ([] if rows else blocks.elts)
        kinds = [self.value(part).kind for part in parts]
        if NOTHING in kinds:
            return self.failing(node)
        if not all(isinstance(kind, Array) for kind in kinds):
            raise Wrong(node, "np.block is read of arrays alone: write np.full(...), or its like")
        if not rows:
            return self.value(placed(self._named("hstack", blocks), node))
        if len(rows) < len(blocks.elts):
            raise Wrong(node, f"this use of NumPy cannot be read: {ADVICE}")
        beside: list[ast.expr] = [self._named("hstack", row) for row in rows]
        return self.value(placed(self._named("vstack", ast.List(beside, ast.Load())), node))

    # Functions that change arrays

    def changing(self, call: ast.Call) -> ast.stmt | None:
        """Return the statement of plain NumPy that a call is which changes an array, or None."""
        match call:
            case ast.Call(ast.Attribute(owner, "sort"), [], _):
                if not isinstance(self.value(owner).kind, Array):
                    return None
                made = self._named("sort", owner)
                made.keywords = call.keywords
                return self._assignment(call, owner, _EVERYWHERE, made)
            case ast.Call(ast.Attribute(ast.Attribute() as add, "at"), [a, place, number], []):
                if self.value(add).kind == Known("numpy.add") and self._is_number(number):
                    return self._added(call, a, place, number)
            case ast.Call(ast.Attribute(module, name), [a, *rest], []) if name in _CHANGING:
                if self.value(module).kind != Known("numpy"):
                    return None
                if name == "copyto" and len(rest) == 1:
                    return self._assignment(call, a, _EVERYWHERE, rest[0])
                if name in ("place", "putmask") and len(rest) == 2 and self._is_number(rest[1]):
                    return self._assignment(call, a, *rest)
                if name == "put" and len(rest) == 2 and self.value(a).rank == 1:
                    return self._assignment(call, a, *rest) if self._is_number(rest[1]) else None
        return None

    def _is_number(self, node: ast.expr) -> bool:
        return self.value(node).kind == INT

    def _assignment(
        self, call: ast.Call, array: ast.expr, place: ast.expr, value: ast.expr
    ) -> ast.stmt:
        return placed(ast.Assign([ast.Subscript(array, place, ast.Store())], value), call)  # type: ignore[no-any-return]

    def _added(
        self, call: ast.Call, array: ast.expr, place: ast.expr, number: ast.expr
    ) -> ast.stmt | None:
        """Return np.add.at(array, place, number) as a loop."""
        lists = place.elts if isinstance(place, ast.Tuple) else [place]
        if len(lists) != self.value(array).rank or not isinstance(number, ast.Constant):
            return None
        if any(getattr(array_of(self.value(one).kind), "rank", 0) != 1 for one in lists):
            return None
        names = [self.fresh("x") for _ in lists]
        stored: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
        loaded: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names]
        is_one = len(names) == 1
        index = loaded[0] if is_one else ast.Tuple(loaded, ast.Load())
        target = stored[0] if is_one else ast.Tuple(stored, ast.Store())
        strict = ast.keyword("strict", ast.Constant(True))
        over = lists[0] if is_one else ast.Call(ast.Name("zip", ast.Load()), lists, [strict])
        element = ast.Subscript(array, index, ast.Store())
        body: list[ast.stmt] = [ast.AugAssign(element, ast.Add(), number)]
        return placed(ast.For(target, over, body, []), call)  # type: ignore[no-any-return]


def _type_of(node: ast.AST, kind: Kind) -> str:
    """Return what an array of numbers holds of which the first decides what NumPy makes of them."""
    if kind in (INT, FLOAT):
        return kind.of  # type: ignore[attr-defined, no-any-return]
    if kind in BOOLEANS:
        return "bool"
    raise Wrong(node, f"what NumPy makes of this function's results is not known: {ADVICE}")


def _of_lines(node: ast.AST, line: Array) -> Array:
    """Return the kind of an array of rank 2 of lines that a function gives."""
    if line.rank != 1 or line.of == "number":
        raise Wrong(node, f"what NumPy makes of this function's results is not known: {ADVICE}")
    return Array(2, line.of)


_SPECIAL: dict[str, Callable[..., Value]] = {
    "apply_along_axis": SpecialCalls._along,
    "block": SpecialCalls._block,
    "fromfunction": SpecialCalls._from_function,
    "select": SpecialCalls._selected,
}


def _is_row(kind: Kind) -> bool:
    """Tell whether a value is a list of arrays that stand beside each other in np.block."""
    return isinstance(kind, Many) and kind.of in (NOTHING, *_BLOCKS)
