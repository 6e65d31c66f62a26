"""Writes calls of NumPy's functions as plain Python, by the table of `functions`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from megabatt.codegen.analysis.nodes import placed
from megabatt.codegen.analysis.scopes import INSTEAD_OF_MODULES as ADVICE
from megabatt.codegen.arrays.forms import Forms, constant_of
from megabatt.codegen.arrays.functions import ALIASES, EACH, TYPES, Form, expression, forms
from megabatt.codegen.arrays.kinds import (
    BOOL,
    BOOLEANS,
    FLOAT,
    INT,
    NO_NUMBERS,
    NOTHING,
    NUMBER,
    OTHER,
    REALS,
    UNKNOWN,
    Array,
    Few,
    Kind,
    Known,
    Many,
    Scalar,
    Type,
    array_of,
    elements,
    is_empty,
    without_sites,
)
from megabatt.codegen.errors import Wrong


class Value(NamedTuple):
    """A rewritten expression. base: What a change of its value changes too; None if it is new."""

    node: Any
    kind: Kind
    base: ast.expr | None = None

    @property
    def rank(self) -> int:
        return getattr(self.kind, "rank", 0)

    @property
    def side(self) -> str:
        return getattr(self.kind, "side", "")


_FLAT = expression("[v for row in a for v in row]")
_EVEN = expression("[a][any([len(row) != len(a[0]) for row in a])]")
_NOT_EMPTY = expression("[a][not a]")
_CHECKED = {
    **dict.fromkeys(["L1", "L2"], "[a][len(a) == 0]"),
    "D": "[a][a < 0]",
    **dict.fromkeys(["D1", "D2"], "[a][min(a) < 0]"),
    "D22": "[a][min([min(side) for side in a]) < 0]",
}
"""How arguments are written that fail where NumPy refuses them."""
_FILLED = {"full", "full_like", "kron", "ones", "ones_like", "pad", "zeros", "zeros_like"}
"""The functions that put numbers into arrays, also into those of Booleans."""
_SUMS = {"cumsum", "mean", "median", "sum", "trace"}
"""The functions that add elements."""
_BY_KEYWORD = {"bincount", "unique"}
"""The functions whose second argument is another than the one that is read."""
_TYPED = {"eye", "full", "full_like", "identity", "ones", "ones_like", "zeros", "zeros_like"}
"""The functions that take the type of their results' elements."""


class NumpyCalls(Forms):
    """Writes the calls of NumPy's functions in one source."""

    def unread(self, node: ast.AST, kind: Kind) -> Wrong:
        """Return why a value of a kind cannot be read."""
        if kind is UNKNOWN:
            return Wrong(node, f"whether `{ast.unparse(node)}` is an array is not known: {ADVICE}")
        return Wrong(node, f"an array cannot be read here: {ADVICE}")

    def each(self, node: ast.AST, form: ast.expr, given: Sequence[Value]) -> Any:
        """Write an expression of x, y and z for each element of arrays, and for numbers."""
        nodes, ranks = [value.node for value in given], [value.rank for value in given]
        return self.of_each(node, form, nodes, ranks)

    def of_elements(
        self, node: ast.AST, form: ast.expr, given: Sequence[Value], of: str
    ) -> Value:
        """Write an expression like `each`, also for rows and columns beside other arrays."""
        arrays = [value for value in given if value.rank]
        wide = next((value for value in arrays if value.side != "column"), None)
        is_row = all(value.side == "row" or value.rank == 1 for value in arrays)
        late: dict[str, Any] = {}
        if wide and any(value.side == "column" for value in arrays):  # it is read twice
            once = wide._replace(node=self.simple(wide.node, late))
            given = [once if value is wide else value for value in given]
            wide = once
        stretched = []
        for value in given:
            if value.side == "column" and wide:
                form_of_row = f"[row * len({'a[0]' if wide.rank == 2 else 'a'}) for row in x]"
                parts = {"x": value.node, "a": wide.node}
                value = value._replace(node=self.written(expression(form_of_row), parts, node))
            elif value.side == "row" and not is_row:
                first = self.written(expression("x[0]"), {"x": value.node}, node)
                value = Value(first, elements(value.kind))
            stretched.append(value)
        made = self._computed_once(late, self.each(node, form, stretched), node)
        rank = max(value.rank for value in given)
        side = "" if rank < 2 else "column" if wide is None else "row" if is_row else ""
        return Value(made, Array(rank, of, side) if rank else Scalar(of))

    def operand(self, node: ast.AST, value: Value) -> Value:
        """Return a value that an operator takes beside an array: an array or a number."""
        kind = value.kind
        if isinstance(kind, Scalar) and kind not in NO_NUMBERS:
            return value._replace(kind=BOOL) if kind in BOOLEANS else value
        if is_empty(kind):
            return Value(self.failing(node).node, INT)
        array = array_of(kind)
        if array is None:
            raise Wrong(node, f"what this array is combined with is not known: {ADVICE}")
        return self._of_list(value, array)

    def _of_list(self, value: Value, array: Array) -> Value:
        """Return a value as an array; fails, as NumPy, if its rows have several lengths."""
        is_even = isinstance(value.kind, Array) or getattr(value.kind, "is_even", False)
        if array.rank == 2 and not is_even:
            rows = constant_of(value.node)
            if not isinstance(rows, list | tuple) or len({*map(len, rows)}) > 1:
                value = value._replace(node=self.written(_EVEN, {"a": value.node}, value.node))
                array = replace(array, is_listed=True)
        return value._replace(kind=array)

    def with_rows(self, value: Value, node: ast.AST) -> Value:
        """Return an array made of a list, which fails if empty: NumPy gives it rank 1 then."""
        return value._replace(node=self.written(_NOT_EMPTY, {"a": value.node}, node))

    def of_numpy(
        self, node: Any, name: str, given: list[Value], named: dict[str, Value]
    ) -> Value:
        """Write a call of a function of NumPy."""
        name = ALIASES.get(name, name)
        if any(is_empty(value.kind) for value in given):
            return self.failing(node)
        if "keepdims" in named and constant_of(named["keepdims"].node) is True:
            del named["keepdims"]
            return self._with_sides(node, name, given, named)
        if name in _SPECIAL:
            return _SPECIAL[name](self, node, given, named)
        if name in EACH and (name != "where" or len(given) > 1) and not named:
            return self.of_each_number(node, name, given)
        name = "nonzero" if name == "where" else name
        if name not in forms():
            raise Wrong(node, f"{name!r} of module 'numpy' is not read: {ADVICE}")
        if name in ("zeros", "ones") and len(given) == 2:
            named["dtype"] = given.pop()
        of = self._type(node, named.pop("dtype", None))
        if of and name not in _TYPED:
            raise Wrong(node, f"{name!r} of NumPy is not read with a type of its elements")
        if name in _BY_KEYWORD and len(given) > 1:
            raise Wrong(node, f"{name!r} of NumPy is read with keywords: write axis=0, or its like")
        if name == "reshape" and len(given) > 2:
            sides = ast.Tuple([value.node for value in given[1:]], ast.Load())
            given = [given[0], Value(placed(sides, node), Few((INT,) * (len(given) - 1)))]
        if "axis" in named and given:
            named = _with_axis(named, given[0].kind)
        if name in _SUMS and given and getattr(array_of(given[0].kind), "of", "") in REALS:
            axis = constant_of([*given[1:], *named.values(), Value(ast.Constant(0), INT)][0].node)
            is_of_lines = name in ("mean", "sum") and axis == given[0].rank - 1
            given = [self._without_reals(node, given[0], is_of_lines), *given[1:]]
        for form in forms()[name]:
            matched = self._matched(node, form, given, named)
            if matched is not None:
                nodes = {name: value.node for name, value in matched.items()}
                nodes |= {k: ast.Name(name, ast.Load()) for k, name in self.modules.items()}
                made = self.written(form.body, nodes, node)
                kind = _result(form.result, [*matched.values()], of)
                self._check_filling(node, kind, matched)
                if getattr(form.result, "id", "")[:1] == "J" and name != "kron":
                    _check_alike(node, _types_in([*matched.values()]))
                if name in _FILLED and getattr(kind, "of", "") == "bool":
                    made = self.each(node, expression("x != 0"), [Value(made, kind)])
                of_result = getattr(form.result, "slice", form.result)  # of a list's elements
                is_view = getattr(of_result, "id", "")[:1] == "W" or name == "ndenumerate"
                base = whole_of(next(iter(matched.values())).base) if is_view else None
                return Value(made, kind, base)
        unknown = [value for value in (*given, *named.values()) if value.kind is UNKNOWN]
        if unknown:
            raise self.unread(unknown[0].node, UNKNOWN)
        raise Wrong(node, f"{name!r} of NumPy cannot be read with these arguments: {ADVICE}")

    def _with_sides(
        self, node: Any, name: str, given: list[Value], named: dict[str, Value]
    ) -> Value:
        """Write a call with keepdims=True."""
        axis = constant_of([*given[1:], *named.values(), Value(None, OTHER)][0].node)
        made = self.of_numpy(node, name, given, named)
        if not isinstance(made.kind, Array) or made.rank != 1 or axis not in (0, 1, -1):
            raise Wrong(node, f"{name!r} of NumPy cannot be read with these arguments: {ADVICE}")
        form, side = ("[x]", "row") if axis == 0 else ("[[v] for v in x]", "column")
        rows = self.written(expression(form), {"x": made.node}, node)
        return Value(rows, Array(2, made.kind.of, side))

    def _check_filling(self, node: ast.AST, kind: Kind, matched: dict[str, Value]) -> None:
        """Refuse what fills an array of another type, and NumPy converts."""
        filling = matched.get("fill_value") or matched.get("constant_values")
        if filling and isinstance(kind, Array):
            is_number = filling.kind not in BOOLEANS
            if kind.of == "int" and filling.kind in (FLOAT, NUMBER):
                raise Wrong(node, "an array of Integers is filled with a Real: write int(...)")
            if kind.of == "bool" and is_number and constant_of(filling.node) not in (0, 1):
                raise Wrong(node, "an array of Booleans is filled with a number: write bool(...)")
            if kind.of != "bool" and not is_number:
                raise Wrong(node, "an array of numbers is filled with a Boolean: write int(...)")

    def _without_reals(self, node: ast.AST, value: Value, is_of_lines: bool) -> Value:
        """Return an array whose Reals fail: NumPy rounds their sums in an order of its own.

        is_of_lines: Whether sums are those of the innermost lines: of two elements, any order will
        do.
        """
        value = value._replace(kind=array_of(value.kind) or value.kind)
        if not is_of_lines:
            return value._replace(node=self.each(node, expression("x | 0"), [value]))
        line = "[v | 0 for v in x] if len(x) > 2 else x"
        form = line if value.rank == 1 else f"[{line} for x in a]"
        made = self.written(expression(form), {"x" if value.rank == 1 else "a": value.node}, node)
        return value._replace(node=made)

    def failing(self, node: ast.AST) -> Value:
        """Return an expression that fails: what nothing reaches, but an empty list."""
        nothing = ast.Subscript(ast.Tuple([], ast.Load()), ast.Constant(0), ast.Load())
        return Value(placed(nothing, node), NOTHING)

    def _matched(
        self, node: ast.AST, form: Form, given: list[Value], named: dict[str, Value]
    ) -> dict[str, Value] | None:
        """Return the arguments by parameter if a form takes them."""
        names = [name for name, _ in form.parameters]
        if len(given) > len(names) or not named.keys() <= set(names[len(given) :]):
            return None
        arguments = dict(zip(names, given, strict=False)) | named
        has_columns = "axis" in arguments and constant_of(arguments["axis"].node) == 1
        arguments = {k: _default(node) for k, node in form.defaults.items()} | arguments
        matched = {}
        for name, wanted in form.parameters:
            value = _fitting(arguments[name], wanted) if name in arguments else None
            if value is None:
                return None
            sort = wanted.id if isinstance(wanted, ast.Name) else ""
            if isinstance(value.kind, Array):
                value = self._of_list(arguments[name], value.kind)
                if getattr(arguments[name].kind, "is_listed", False) and has_columns:
                    value = self.with_rows(value, node)
            if sort == "R" and value.rank == 2:
                flat = self.written(_FLAT, {"a": value.node}, node)
                value = value._replace(node=flat)
            elif sort in _CHECKED and not _is_literal(value.node):
                checked = self.written(expression(_CHECKED[sort]), {"a": value.node}, node)
                value = value._replace(node=checked)
            matched[name] = value
        return matched

    def _type(self, node: ast.AST, value: Value | None) -> str | None:
        """Return what the elements of an array are to be."""
        if value is None:
            return None
        kind = value.kind
        if isinstance(kind, Type):
            return kind.of
        name = kind.name.rpartition(".")[2] if isinstance(kind, Known) else constant_of(value.node)
        if not isinstance(name, str) or name not in TYPES:
            text = ast.unparse(value.node)
            raise Wrong(node, f"elements of type `{text}` are not read: write int or bool")
        return TYPES[name]

    def of_each_number(self, node: ast.AST, name: str, given: list[Value]) -> Value:
        text, of = EACH[name]
        body = expression(text)
        count = len({part.id for part in ast.walk(body) if isinstance(part, ast.Name)} & set("xyz"))
        if len(given) != count:
            raise Wrong(node, f"{name!r} of NumPy cannot be read with these arguments: {ADVICE}")
        given = [self.operand(node, value) for value in given]
        numbers = {value.kind.of for value in (given[1:] if of == "where" else given)}  # type: ignore[attr-defined]
        if of in ("same", "where"):
            _check_alike(node, numbers)
        if name in ("abs", "sign") and "bool" in numbers:
            raise Wrong(node, f"{name!r} of NumPy is read of numbers alone: write .astype(int)")
        every = _widest(numbers)
        of = every if of in ("same", "where") else of
        return self.of_elements(node, body, given, of)

    def _array(self, node: ast.AST, given: list[Value], named: dict[str, Value]) -> Value:
        """Write np.array(...), or .astype(...)."""
        copies = named.pop("copy", None)
        if len(given) == 2:
            named["dtype"] = given.pop()
        is_view = copies is not None and constant_of(copies.node) is not True
        if len(given) != 1 or named.keys() - {"dtype"} or is_view:
            raise Wrong(node, f"np.array cannot be read with these arguments: {ADVICE}")
        (value,) = given
        array = array_of(value.kind)
        if array is None and isinstance(value.kind, Scalar):
            raise Wrong(node, "an array of one number is not read: write the number")
        if array is None:
            raise Wrong(node, f"what np.array makes of this is not known: {ADVICE}")
        value = self._of_list(value, array)
        of = self._type(node, named.get("dtype")) or array.of
        if of == array.of or (of == "float" and array.of != "bool"):
            copied = self.of_numpy(node, "copy", [value], {})
            is_listed = getattr(value.kind, "is_listed", False)
            return copied._replace(kind=Array(array.rank, of, is_listed=is_listed))
        form = expression("x != 0" if of == "bool" else "int(x)")
        return Value(self.each(node, form, [value]), Array(array.rank, of))

    def _as_array(self, node: ast.AST, given: list[Value], named: dict[str, Value]) -> Value:
        if len(given) == 1 and isinstance(given[0].kind, Array):
            of = self._type(node, named.get("dtype"))
            if of in (None, given[0].kind.of):
                return given[0]
        return self._array(node, given, named)

    def _as_integer(self, node: ast.AST, given: list[Value], named: dict[str, Value]) -> Value:
        """Write np.int64(number)."""
        if len(given) != 1 or not isinstance(given[0].kind, Scalar) or given[0].kind in NO_NUMBERS:
            raise Wrong(node, f"this is read of one number alone: {ADVICE}")
        made = ast.Call(ast.Name("int", ast.Load()), [given[0].node], [])
        return Value(placed(made, node), INT)


def whole_of(base: ast.expr | None) -> ast.expr | None:
    """Return what a slice is of: a list's slice has its rows, but not its places."""
    while isinstance(base, ast.Subscript) and isinstance(base.slice, ast.Slice):
        base = base.value
    return base


def _with_axis(named: dict[str, Value], kind: Kind) -> dict[str, Value]:
    """Return arguments with an axis from 0 on; without it for the only axis of an array."""
    array, axis = array_of(kind), constant_of(named["axis"].node)
    if array is not None and array.rank == 1 and axis in (0, -1):
        return {name: value for name, value in named.items() if name != "axis"}
    return {**named, "axis": Value(ast.Constant(1), INT)} if axis == -1 else named


def _arrays_in(kind: Kind) -> list[Array | None]:
    """Return the kinds of the arrays in a list of arrays."""
    if isinstance(kind, Few):
        return list(map(array_of, kind.parts))
    return [array_of(kind.of)] if isinstance(kind, Many) and kind.is_list else []


def _types_in(given: Sequence[Value]) -> list[str]:
    """List the types of elements of arrays, and of lists of arrays."""
    lists = [_arrays_in(value.kind) for value in given]
    arrays = [value.kind for value in given if isinstance(value.kind, Array)]
    return [array.of for array in (*arrays, *sum(lists, [])) if array is not None]


def _check_alike(node: ast.AST, types: Collection[str]) -> None:
    """Refuse Booleans beside numbers, which NumPy converts."""
    if "bool" in types and len({*types}) > 1:
        raise Wrong(node, "these are Booleans beside numbers: write .astype(int), or int(...)")


def _result(node: ast.expr, given: Sequence[Value], of: str | None) -> Kind:
    """Return the kind of a form's result. of: What the elements are to be."""
    if isinstance(node, ast.Tuple):
        return Few(tuple(_result(part, given, of) for part in node.elts))
    if isinstance(node, ast.Subscript):
        return Many(_result(node.slice, given, of))
    assert isinstance(node, ast.Name)
    types = _types_in(given)
    sort, rank = node.id[0], node.id[1:]
    kinds = {
        "A": "int",
        "B": "bool",
        "E": types[0] if types else "",
        "F": "float",
        "J": _widest(types),
        "M": types[0] if types and types[0] in REALS else "int",
        "N": "int",
        "P": "truth" if "bool" in types[:1] else types[0] if types else "",
        "Q": "float",
        "T": "truth",
        "V": "bool" if given[-1].kind in BOOLEANS else getattr(given[-1].kind, "of", "int"),
    }
    found = kinds["E" if sort in "SW" else sort]
    return Array(int(rank), of or found) if rank else Scalar(found)


def _widest(types: Collection[str]) -> str:
    """Return the type of elements that arrays of some types have together."""
    if len({*types}) == 1:
        return next(iter(types))
    return next((of for of in ("float", "number") if of in types), "int")


def _is_literal(node: ast.expr) -> bool:
    """Tell whether an expression is a constant, or a tuple or list in brackets of such."""
    parts = ast.Constant | ast.Tuple | ast.List | ast.expr_context
    return all(isinstance(part, parts) for part in ast.walk(node))


def _default(node: ast.expr) -> Value:
    """Return the value of a parameter that is left out: a number, a word or an array."""
    if isinstance(node, ast.List):
        return Value(node, Array(2, "int"))
    return Value(node, INT if isinstance(constant_of(node), int) else OTHER)


def _fitting(value: Value, wanted: ast.expr) -> Value | None:
    """Return a value as what a form's parameter wants; None if it is none."""
    kind, array = value.kind, array_of(value.kind)
    if not isinstance(wanted, ast.Name):
        return value if constant_of(value.node) == constant_of(wanted) else None
    sort, rank = wanted.id[0], wanted.id[1:]
    if wanted.id in ("N", "D"):
        return value if kind in (INT, NOTHING, FLOAT, NUMBER, *BOOLEANS) else None
    if sort in "AIR":
        fits = array is not None and rank in ("", str(array.rank))
        is_other = sort == "I" and array is not None and array.of != "int"
        return value._replace(kind=array) if array and fits and not is_other else None
    if sort == "L":
        ranks = {each and str(each.rank) for each in _arrays_in(kind)}
        return value if ranks == {rank} else None
    if rank == "1" and kind in (INT, NOTHING):
        return value._replace(node=placed(ast.Tuple([value.node], ast.Load()), value.node))
    kind, inner = without_sites(kind), Few((INT, INT)) if rank == "22" else INT
    if isinstance(value.node, ast.List) and kind == Many(inner):
        kind = Few((inner,) * len(value.node.elts))
    return value if kind == Few((inner,) * min(int(rank), 2)) else None


_SPECIAL: dict[str, Callable[..., Value]] = {
    "array": NumpyCalls._array,
    "asarray": NumpyCalls._as_array,
    "astype": NumpyCalls._array,
    **dict.fromkeys(["int32", "int64", "int_"], NumpyCalls._as_integer),
}
