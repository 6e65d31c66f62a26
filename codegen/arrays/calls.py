"""Writes calls of NumPy's functions as plain Python, by the table of `functions`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from megabatt.codegen.analysis.names import as_written
from megabatt.codegen.analysis.nodes import placed
from megabatt.codegen.analysis.ownership import may_change
from megabatt.codegen.analysis.scopes import INSTEAD_OF_MODULES as ADVICE
from megabatt.codegen.arrays.families import REDUCE, REDUCING
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
    Span,
    Type,
    array_of,
    elements,
    is_empty,
    join,
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


_FLAT = {
    2: expression("[v for row in a for v in row]"),
    3: expression("[v for p in a for row in p for v in row]"),
    4: expression("[v for b in a for p in b for row in p for v in row]"),
}
"""The elements of an array, by its rank."""
_EVEN = {
    2: expression("[a][any([len(row) != len(a[0]) for row in a])]"),
    3: expression(
        "[a][not a or not a[0] or any([len(p) != len(a[0]) for p in a])"
        " or any([len(row) != len(a[0][0]) for p in a for row in p])]"
    ),
}
"""An array of a list, by its rank; of lists of several lengths, NumPy makes none."""
_IN_ANY_ORDER = expression("[x][x * 65536 % 1 != 0 or abs(x) > 65536]")
"""A Real that is added without rounding to others of its kind."""
_LINE_IN_ANY_ORDER = expression(
    "[[v][len(a) > 2 and (v * 65536 % 1 != 0 or abs(v) > 65536)] for v in a]"
)
_ROWS_IN_ANY_ORDER = expression(
    "[[[v][len(row) > 2 and (v * 65536 % 1 != 0 or abs(v) > 65536)] for v in row] for row in a]"
)
"""A line of such, or of two Reals; rows like that."""
_BY_AXIS = expression("a if k in (0, -2) else [b][k not in (1, -1)]")
"""One of two results, by an axis of an array of rank 2."""
NOT_EMPTY, _NONE_EMPTY = expression("[a][not a]"), expression("[[b][not b] for b in a]")
_CHECKED = {
    **dict.fromkeys(["L1", "L2"], "[a][len(a) == 0]"),
    "D": "[a][a < 0]",
    **dict.fromkeys(["D1", "D2"], "[a][min(a) < 0]"),
    **dict.fromkeys(["D3", "D4"], "[a][min(a) < (a[0] == 0)]"),
    "D22": "[a][min([min(side) for side in a]) < 0]",
}
"""How arguments are written that fail where NumPy refuses them."""
_FILLED = {
    "full", "full_like", "kron", "ones", "ones_like", "outer", "pad", "zeros", "zeros_like",
}  # fmt: skip
"""The functions that put numbers into arrays, also into those of Booleans."""
_SUMS = {
    "add_accumulate", "cumsum", "mean", "median", "ndimage_center_of_mass", "ndimage_mean",
    "ndimage_sum", "ndimage_sum_labels", "prod", "sum", "trace",
}  # fmt: skip
"""The functions that add elements."""
_PRODUCTS = {"kron", "outer"}
"""The functions that multiply elements, also Booleans and numbers."""
_MOVING = {"moveaxis", "swapaxes"}
"""The functions whose second and third arguments are axes."""
_BY_KEYWORD = {"bincount", "unique"}
"""The functions whose second argument is another than the one that is read."""
_TYPED = {"eye", "full", "full_like", "identity", "ones", "ones_like", "zeros", "zeros_like"}
"""The functions that take the type of their results' elements."""
_TYPED_BY_PLACE = {
    "full": 2, "full_like": 2, "ones": 1, "ones_like": 1, "zeros": 1, "zeros_like": 1,
}  # fmt: skip
"""The place of this type among their arguments."""
_WITHOUT_BOOLEANS = {"abs", "ceil", "floor", "negative", "ptp", "round", "sign", "square"}
"""The functions that NumPy refuses, or rounds in its own way, for Booleans."""
_OF_ANY_LIST = {"copy", "shape", "tolist"}
"""The functions that take an array of an empty list, which has a rank of 1, as one without rows."""
_FLAT_WITHOUT_AXIS = {
    *REDUCING, "append", "cumsum", "delete", "flip", "repeat", "roll", "take", "unique",
}  # fmt: skip
"""The functions for which axis=None is as no axis."""
_BY_ROWS = {"vstack": expression("[x]"), "column_stack": expression("[[v] for v in x]")}
"""How functions that put arrays of rank 2 together take one of rank 1."""


class NumpyCalls(Forms):
    """Writes the calls of NumPy's functions in one source."""

    def unread(self, node: ast.AST, kind: Kind) -> Wrong:
        """Return why a value of a kind cannot be read."""
        if kind is UNKNOWN:
            return Wrong(node, f"whether `{as_written(node)}` is an array is not known: {ADVICE}")
        return Wrong(node, f"an array cannot be read here: {ADVICE}")

    def each(self, node: ast.AST, form: ast.expr, given: Sequence[Value]) -> Any:
        """Write an expression of x, y and z for each element of arrays, and for numbers."""
        nodes, ranks = [value.node for value in given], [value.rank for value in given]
        return self.of_each(node, form, nodes, ranks)

    def of_elements(
        self, node: ast.AST, form: ast.expr, given: Sequence[Value], of: str
    ) -> Value:
        """Write an expression like `each`, also for rows and columns beside other arrays."""
        if any(value.rank > 2 for value in given):  # there, no row or column is stretched
            given = [
                value._replace(kind=replace(kind, side="")) if isinstance(kind, Array) else value
                for value in given
                for kind in [value.kind]
            ]
        if sum(value.rank > 0 for value in given) > 1:
            given = [self.with_rows(value, node) for value in given]
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
        is_listed = any(map(_is_listed, arrays))
        return Value(made, Array(rank, of, side, is_listed) if rank else Scalar(of))

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
        if array.rank > 1 and not is_even:
            rows = constant_of(value.node) if array.rank == 2 else None
            if not isinstance(rows, list | tuple) or len({*map(len, rows)}) > 1:
                even = self.written(_EVEN[array.rank], {"a": value.node}, value.node)
                value = value._replace(node=even)
                array = replace(array, is_listed=True)
        return value._replace(kind=array)

    def with_rows(self, value: Value, node: ast.AST) -> Value:
        """Return an array that fails if it is made of an empty list: NumPy gives it rank 1 then."""
        if not _is_listed(value):
            return value
        made, kind = self.written(NOT_EMPTY, {"a": value.node}, node), value.kind
        return Value(made, replace(kind, is_listed=False), value.base)  # type: ignore[call-arg]

    def of_numpy(
        self, node: Any, name: str, given: list[Value], named: dict[str, Value]
    ) -> Value:
        """Write a call of a function of NumPy."""
        shown, name = name.removeprefix("ndimage_"), ALIASES.get(name, name)
        if any(is_empty(value.kind) for value in given):
            return self.failing(node)
        if "keepdims" in named and isinstance(constant_of(named["keepdims"].node), bool):
            if constant_of(named.pop("keepdims").node):
                return self._with_sides(node, name, given, named)
        if name in _BY_ROWS and len(given) == 1:
            given = [self._of_rank_2(node, name, given[0])]
            name = "hstack" if name == "column_stack" and _ranks_in(given[0].kind) == {2} else name
        if name.removesuffix(".reduce") in REDUCE and name.endswith(".reduce"):
            if len(given) == 1:
                named.setdefault("axis", Value(ast.Constant(0), INT))
            return self.of_numpy(node, REDUCE[name.removesuffix(".reduce")], given, named)
        name = name.replace(".accumulate", "_accumulate")
        if name in _SPECIAL:
            return _SPECIAL[name](self, node, given, named)
        if name in EACH and (name != "where" or len(given) > 1) and not named:
            return self.of_each_number(node, name, given)
        name = "nonzero" if name == "where" else name
        if name not in forms():
            raise Wrong(node, f"{shown!r} of module 'numpy' is not read: {ADVICE}")
        of, given = self._by_place(node, name, given, named)
        if name != "expand_dims":  # its axis is one of its result
            if _is_open(named.get("axis")) and _rank_with_axes(name, given) == 2:
                return self._by_axis(node, name, given, named)
            if "axis" in named and given:
                named = _with_axis(name, named, given[0].kind)
        if name in _SUMS and given and getattr(array_of(given[0].kind), "of", "") in REALS:
            given = [self._summed(node, name, given[0], named), *given[1:]]
        made = self._by_form(node, name, given, named, of)
        if made is not None:
            return made
        unknown = [value for value in (*given, *named.values()) if value.kind is UNKNOWN]
        if unknown:
            raise self.unread(unknown[0].node, UNKNOWN)
        library = "SciPy" if name.startswith("ndimage_") else "NumPy"
        raise Wrong(node, f"{shown!r} of {library} cannot be read with these arguments: {ADVICE}")

    def _by_place(
        self, node: Any, name: str, given: list[Value], named: dict[str, Value]
    ) -> tuple[str | None, list[Value]]:
        """Return the type of elements that a call asks for, and the arguments that the table knows.

        named: The arguments with names; it gets the axis, and loses the type.
        """
        if name in _TYPED_BY_PLACE and len(given) == _TYPED_BY_PLACE[name] + 1:
            named["dtype"] = given.pop()
        of = self._type(node, named.pop("dtype", None))
        if of and name not in _TYPED:
            raise Wrong(node, f"{name!r} of NumPy is not read with a type of its elements")
        if name in _BY_KEYWORD and len(given) > 1:
            raise Wrong(node, f"{name!r} of NumPy is read with keywords: write axis=0, or its like")
        if name in ("reshape", "transpose") and len(given) > 2:
            sides = ast.Tuple([value.node for value in given[1:]], ast.Load())
            given = [given[0], Value(placed(sides, node), Few((INT,) * (len(given) - 1)))]
        if name == "append" and len(given) == 2 and isinstance(given[1].kind, Scalar):
            listed = ast.List([given[1].node], ast.Load())
            given = [given[0], Value(placed(listed, node), Many(given[1].kind))]
        if name in _MOVING and len(given) == 3:
            axes = (_with_axis(name, {"axis": one}, given[0].kind).get("axis") for one in given[1:])
            given = [given[0], *(axis or one for axis, one in zip(axes, given[1:], strict=True))]
        place = _place_of_axis(name) if name != "expand_dims" else 0
        if place and len(given) == place + 1:
            named["axis"] = given.pop()
        return of, given

    def _by_form(
        self, node: Any, name: str, given: list[Value], named: dict[str, Value], of: str | None
    ) -> Value | None:
        """Write a call by the first form of the table that fits; None if there is none."""
        is_bool = bool(given) and getattr(array_of(given[0].kind), "of", "") == "bool"
        self._check_numbers(node, name, is_bool)
        for form in forms()[name]:
            matched = self._matched(node, form, given, named, name not in _OF_ANY_LIST)
            if matched is not None:
                return self._formed(node, name, form, matched, of)
        return None

    def _formed(
        self, node: Any, name: str, form: Form, matched: dict[str, Value], of: str | None
    ) -> Value:
        """Write a call by a form. matched: The values of the form's parameters."""
        nodes = {parameter: value.node for parameter, value in matched.items()}
        nodes |= {module: ast.Name(word, ast.Load()) for module, word in self.modules.items()}
        made = self.written(form.body, nodes, node)
        kind = _result(form.result, [*matched.values()], of)
        if name == "copy":
            kind = matched["a"].kind
        if name == "reshape" and isinstance(kind, Array):
            kind = replace(kind, side=kind.side or _side_of_shape(matched["shape"].node))
        if name == "argwhere" and isinstance(kind, Array):
            kind = replace(kind, width=matched["a"].rank)
        self._check_filling(node, kind, matched)
        if getattr(form.result, "id", "")[:1] == "J" and name not in _PRODUCTS:
            _check_alike(node, _types_in([*matched.values()]))
        if name in _FILLED and getattr(kind, "of", "") == "bool":
            made = self.each(node, expression("x != 0"), [Value(made, kind)])
        of_result = getattr(form.result, "slice", form.result)  # of a list's elements
        is_view = getattr(of_result, "id", "")[:1] == "W" or name == "ndenumerate"
        base = whole_of(next(iter(matched.values())).base) if is_view else None
        return Value(made, kind, base)

    def _of_rank_2(self, node: ast.AST, name: str, value: Value) -> Value:
        """Return a list of arrays of both ranks as one of arrays of rank 2."""
        parts = getattr(value.node, "elts", [])
        if _ranks_in(value.kind) != {1, 2} or not isinstance(value.kind, Few):
            return value
        arrays = list(map(array_of, value.kind.parts))
        rows = [
            self.written(_BY_ROWS[name], {"x": part}, node) if array and array.rank == 1 else part
            for part, array in zip(parts, arrays, strict=True)
        ]
        kinds = tuple(Array(2, array.of) for array in arrays if array)
        return Value(placed(ast.List(rows, ast.Load()), node), Few(kinds))

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

    def _by_axis(
        self, node: Any, name: str, given: list[Value], named: dict[str, Value]
    ) -> Value:
        """Write a call along one of two axes, which a value tells."""
        late: dict[str, Any] = {}
        given[0] = given[0]._replace(node=self.simple(given[0].node, late))
        first, second = (
            self.of_numpy(node, name, [*given], named | {"axis": Value(ast.Constant(axis), INT)})
            for axis in (0, 1)
        )
        parts = {"a": first.node, "b": second.node, "k": named["axis"].node}
        if join(first.kind, second.kind) is UNKNOWN or any(map(may_change, parts.values())):
            raise Wrong(node, f"{name!r} of NumPy cannot be read with these arguments: {ADVICE}")
        made = self._computed_once(late, self.written(_BY_AXIS, parts, node), node)
        return Value(made, join(first.kind, second.kind), first.base)

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

    def _check_numbers(self, node: ast.AST, name: str, is_bool: bool) -> None:
        """Refuse Booleans that a function does not take."""
        if is_bool and name in _WITHOUT_BOOLEANS:
            raise Wrong(node, f"{name!r} of NumPy is read of numbers alone: write .astype(int)")

    def _summed(
        self, node: ast.AST, name: str, value: Value, named: Mapping[str, Value]
    ) -> Value:
        """Return an array of Reals which fails where the order counts in which NumPy adds them."""
        value = value._replace(kind=array_of(value.kind) or value.kind)
        axis = 0 if value.rank == 1 else None
        if "axis" in named:
            axis = constant_of(named["axis"].node)
        if name in ("mean", "sum") and value.rank <= 2 and axis == value.rank - 1:
            form = _LINE_IN_ANY_ORDER if value.rank == 1 else _ROWS_IN_ANY_ORDER
            return value._replace(node=self.written(form, {"a": value.node}, node))
        form = expression("x | 0") if name == "prod" else _IN_ANY_ORDER
        return value._replace(node=self.each(node, form, [value]))

    def failing(self, node: ast.AST) -> Value:
        """Return an expression that fails: what nothing reaches, but an empty list."""
        nothing = ast.Subscript(ast.Tuple([], ast.Load()), ast.Constant(0), ast.Load())
        return Value(placed(nothing, node), NOTHING)

    def _matched(
        self,
        node: ast.AST,
        form: Form,
        given: list[Value],
        named: dict[str, Value],
        needs_rows: bool,
    ) -> dict[str, Value] | None:
        """Return the arguments by parameter if a form takes them.

        needs_rows: Whether what is made of an empty list fails.
        """
        names = [name for name, _ in form.parameters]
        if len(given) > form.places or not named.keys() <= set(names[len(given) :]):
            return None
        arguments = dict(zip(names, given, strict=False)) | named
        has_columns = "axis" in arguments and constant_of(arguments["axis"].node) not in (0, None)
        arguments = {k: _default(node) for k, node in form.defaults.items()} | arguments
        matched = {}
        for name, wanted in form.parameters:
            value = _fitting(arguments[name], wanted) if name in arguments else None
            if value is None:
                return None
            sort = wanted.id if isinstance(wanted, ast.Name) else ""
            if isinstance(value.kind, Array):
                value = self._of_list(arguments[name], value.kind)
                if has_columns or (needs_rows and sort not in ("R", "I")):
                    value = self.with_rows(value, node)
            elif sort == "L2" and any(one and one.is_listed for one in _arrays_in(value.kind)):
                checked = self.written(_NONE_EMPTY, {"a": value.node}, node)
                value = value._replace(node=checked)
            if sort in ("R", "I") and value.rank > 1:
                flat = self.written(_FLAT[value.rank], {"a": value.node}, node)
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
        self._check_numbers(node, name, "bool" in numbers)
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
        is_open = array.rank == 1 and "dtype" not in named and not _has_element(given[0])
        kind = replace(array, of=of, is_listed=is_open or _is_listed(value))
        if of == array.of or (of == "float" and array.of != "bool"):
            return self.of_numpy(node, "copy", [value], {})._replace(kind=kind)
        form = expression("x != 0" if of == "bool" else "int(x)")
        return Value(self.each(node, form, [value]), kind)

    def _as_array(self, node: ast.AST, given: list[Value], named: dict[str, Value]) -> Value:
        if len(given) == 1 and isinstance(given[0].kind, Array):
            of = self._type(node, named.get("dtype"))
            if of in (None, given[0].kind.of):
                return given[0]
        return self._array(node, given, named)

    def _clip(self, node: ast.AST, given: list[Value], named: dict[str, Value]) -> Value:
        """Write np.clip(...), of which one limit may be None."""
        names = {"min": "a_min", "max": "a_max"}
        arguments = dict(zip(("a", "a_min", "a_max"), given, strict=False))
        arguments |= {names.get(name, name): value for name, value in named.items()}
        limits = {name: value for name, value in arguments.items()
                  if constant_of(value.node) is not None and name != "a"}  # fmt: skip
        is_known = limits.keys() <= {*names.values()}
        if "a" not in arguments or len(given) > 3 or not limits or not is_known:
            raise Wrong(node, f"'clip' of NumPy cannot be read with these arguments: {ADVICE}")
        made = arguments["a"]
        for name, function in (("a_min", "maximum"), ("a_max", "minimum")):
            if name in limits:
                made = self.of_each_number(node, function, [made, limits[name]])
        return made

    def _inverted(self, node: ast.AST, given: list[Value], named: dict[str, Value]) -> Value:
        """Write np.invert(...) of Booleans."""
        if len(given) != 1 or named or getattr(array_of(given[0].kind), "of", "") != "bool":
            raise Wrong(node, f"'invert' of NumPy is read of Booleans alone: {ADVICE}")
        return self.of_each_number(node, "logical_not", given)

    def _as_integer(self, node: ast.AST, given: list[Value], named: dict[str, Value]) -> Value:
        """Write np.int64(number)."""
        if len(given) != 1 or not isinstance(given[0].kind, Scalar) or given[0].kind in NO_NUMBERS:
            raise Wrong(node, f"this is read of one number alone: {ADVICE}")
        made = ast.Call(ast.Name("int", ast.Load()), [given[0].node], [])
        return Value(placed(made, node), INT)


def _is_listed(value: Value) -> bool:
    """Tell whether a value is an array that has a rank of 1 if it is empty, and another else."""
    return value.rank > 1 and getattr(value.kind, "is_listed", False)


def _has_element(value: Value) -> bool:
    """Tell whether a value is an array, or a list that is written with an element."""
    parts = getattr(value.node, "elts", [])
    return isinstance(value.kind, Array) or any(not isinstance(one, ast.Starred) for one in parts)


def whole_of(base: ast.expr | None) -> ast.expr | None:
    """Return what a slice is of: a list's slice has its rows, but not its places."""
    while isinstance(base, ast.Subscript) and isinstance(base.slice, ast.Slice):
        base = base.value
    return base


def _place_of_axis(name: str) -> int:
    """Return the place of a function's axis among its arguments; 0 if it has none."""
    for form in forms()[name]:
        names = [name for name, _ in form.parameters]
        if "axis" in names:
            return names.index("axis")
    return 0


def _is_open(axis: Value | None) -> bool:
    """Tell whether an axis is an Integer that the source does not tell."""
    return axis is not None and axis.kind == INT and not isinstance(constant_of(axis.node), int)


def _rank_with_axes(name: str, given: Sequence[Value]) -> int:
    """Return the rank of the arrays of whose axes a function takes one; 0 if that is not known."""
    ranks = _ranks_in(given[0].kind) if name == "concatenate" else {given[0].rank}
    return ranks.pop() if len(ranks) == 1 else 0


def _with_axis(name: str, named: dict[str, Value], kind: Kind) -> dict[str, Value]:
    """Return arguments with an axis from 0 on; without it for the only axis of an array."""
    array, axis = array_of(kind), constant_of(named["axis"].node)
    rank = array.rank if array else 2
    rank -= name == "concatenate" and rank > 1
    axes = axis if isinstance(axis, tuple) else (axis,)
    if not all(isinstance(one, int) and -rank <= one < rank for one in axes):
        is_flat = axis is None and name in _FLAT_WITHOUT_AXIS
        return {k: value for k, value in named.items() if k != "axis"} if is_flat else named
    places = [one % rank for one in axes]
    places = places if name == "roll" else sorted(places)  # which moves along one after the other
    is_all = isinstance(axis, tuple) and name in REDUCING and len(places) == rank
    if (array is not None and rank == 1 and len(axes) == 1) or is_all:
        return {k: value for k, value in named.items() if k != "axis"}
    made: Any = places[0] if isinstance(axis, int) else tuple(places)
    return {**named, "axis": Value(ast.parse(repr(made), mode="eval").body, INT)}


def _side_of_shape(shape: ast.AST) -> str:
    """Tell whether a shape is written as that of a row or a column."""
    match shape:
        case ast.Tuple([ast.Constant(1), _]):
            return "row"
        case ast.Tuple([_, ast.Constant(1)]):
            return "column"
    return ""


def _ranks_in(kind: Kind) -> set[int]:
    """Return the ranks of the arrays in a list of arrays; 0 of what is none."""
    return {array.rank if array else 0 for array in _arrays_in(kind)}


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
        return Many(_result(node.slice, given, of), is_no_tuple=True)
    assert isinstance(node, ast.Name)
    types = _types_in(given)
    sort, rank, side = node.id[0], node.id[1:2], node.id[2:]
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
    if sort == "Y":
        return Span()
    found = kinds["E" if sort in "SW" else sort]
    side = {"r": "row", "c": "column"}.get(side, "")
    return Array(int(rank), of or found, side) if rank else Scalar(found)


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
    if wanted.id == "K":
        return value if kind in (INT, NOTHING) else None
    if sort in "ABIR":
        fits = array is not None and rank in ("", str(array.rank))
        is_other = array is not None and {"I": "int", "B": "bool"}.get(sort, array.of) != array.of
        return value._replace(kind=array) if array and fits and not is_other else None
    if sort == "L":
        ranks = {each and str(each.rank) for each in _arrays_in(kind)}
        return value if ranks == {rank} else None
    if rank == "1" and kind in (INT, NOTHING):
        return value._replace(node=placed(ast.Tuple([value.node], ast.Load()), value.node))
    kind, inner = without_sites(kind), Few((INT, INT)) if rank == "22" else INT
    if isinstance(value.node, ast.List) and elements(kind) == inner:
        kind = Few((inner,) * len(value.node.elts))
    return value if kind == Few((inner,) * (2 if rank == "22" else int(rank))) else None


_SPECIAL: dict[str, Callable[..., Value]] = {
    "array": NumpyCalls._array,
    "asarray": NumpyCalls._as_array,
    "astype": NumpyCalls._array,
    "clip": NumpyCalls._clip,
    "invert": NumpyCalls._inverted,
    **dict.fromkeys(["int32", "int64", "int_"], NumpyCalls._as_integer),
}
