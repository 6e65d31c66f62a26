"""Rewrites the expressions of a source that uses NumPy, and finds their kinds."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from megabatt.codegen.analysis.names import as_written
from megabatt.codegen.analysis.nodes import nodes_in, placed
from megabatt.codegen.analysis.ownership import may_change
from megabatt.codegen.analysis.scopes import INSTEAD_OF_MODULES as ADVICE
from megabatt.codegen.arrays.calls import Value, whole_of
from megabatt.codegen.arrays.chosen import ChosenFunctions
from megabatt.codegen.arrays.forms import call_of_lambda, changed, constant_of
from megabatt.codegen.arrays.functions import LOADS, expression
from megabatt.codegen.arrays.images import OF_IMAGES
from megabatt.codegen.arrays.kinds import (
    ADDING,
    ADDING_ALL,
    BOOL,
    BOOLEANS,
    EITHER,
    FLOAT,
    INT,
    MAY_BE_REALS,
    NOTHING,
    NUMBER,
    OTHER,
    PLAIN,
    REALS,
    REMOVING,
    RESULTS,
    TEXT,
    TRUTH,
    UNKNOWN,
    Array,
    Chosen,
    Container,
    Dict,
    Few,
    Field,
    Function,
    Kind,
    Known,
    Many,
    Scalar,
    Site,
    Span,
    Type,
    Vectorized,
    array_of,
    copied,
    element_at,
    elements,
    entries,
    grown,
    holds_array,
    join,
    joined,
    made_at,
    of_method,
    record_of,
    spread,
)
from megabatt.codegen.errors import Wrong
from megabatt.codegen.fields import for_now

_METHODS = {
    "all", "any", "argmax", "argmin", "argsort", "astype", "clip", "copy", "cumsum", "diagonal",
    "dot", "flatten", "item", "max", "mean", "min", "nonzero", "prod", "ptp", "ravel", "repeat",
    "reshape", "round", "sum", "swapaxes", "take", "tolist", "trace", "transpose",
}  # fmt: skip
"""The methods of arrays that are read; each is a function of NumPy's, too."""


class Frame:
    """The names of a function, of a comprehension or of the module, with their kinds."""

    def __init__(
        self,
        parent: Frame | None,
        function: ast.FunctionDef | None,
        is_comprehension: bool = False,
    ) -> None:
        self.parent = parent
        self.function = function
        self.is_comprehension = is_comprehension
        self.names: dict[str, Kind] = {}
        self.returned: Kind = NOTHING
        self.jumps: list[dict[str, Kind]] = []
        """The names where a `break` or a `continue` leaves the loop at hand."""
        self.elsewhere: set[str] = set()
        """The names of a function around this one that this one assigns."""
        self.growths: dict[Growth, None] = {}
        """What a call adds to containers: to those that it is given, and to those around."""
        self.bindings: dict[tuple[str, Kind], None] = {}
        """What a call assigns to names of functions around."""

    def outward(self) -> Iterator[Frame]:
        """Yield this frame and those around it."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.parent

    def home_of(self, name: str) -> Frame | None:
        """Return the innermost frame with a name."""
        return next((frame for frame in self.outward() if name in frame.names), None)

    def find(self, name: str) -> Kind | None:
        """Return the kind of a name's value; None if the name is unknown."""
        home = self.home_of(name)
        return None if home is None else home.names[name]

    def seen(self) -> frozenset[tuple[str, Kind]]:
        """Return the kinds of all names around a function, except those of the module."""
        found: dict[str, Kind] = {}
        for frame in self.outward():
            if frame.parent is not None:
                found = {**frame.names, **found}
        return frozenset(found.items())

    def within(self) -> list[Frame]:
        """List this frame and those around it up to that of the function at hand."""
        frames = [self]
        while frames[-1].is_comprehension and frames[-1].parent is not None:
            frames.append(frames[-1].parent)
        return frames


class Growth(NamedTuple):
    """One more element of the containers from some sites. key: The kind of its key."""

    sites: frozenset[Site]
    element: Kind
    key: Kind


class Copy(NamedTuple):
    """A function rewritten for arguments of some kinds.

    returned: The kind of its result. changes_given: Whether it changes what it is given.
    """

    name: str
    returned: Kind
    changes_given: bool


MOST_ROUNDS = 12
UNKNOWN_ROUNDS = "what the names of this loop hold is not known"

_OPERATORS: dict[str, ast.operator] = {
    "add": ast.Add(), "divide": ast.Div(), "floor_divide": ast.FloorDiv(), "mod": ast.Mod(),
    "multiply": ast.Mult(), "power": ast.Pow(), "remainder": ast.Mod(), "subtract": ast.Sub(),
    "true_divide": ast.Div(),
}  # fmt: skip
"""The functions of NumPy that are operators."""
_NOT_IN_NUMPY = {"T", "flat", "flatten", "item", "tolist", "windows"}
"""The methods and attributes that are no functions of NumPy."""
_IN = {
    1: "x in y", 2: "any([x in row for row in y])", 3: "any([x in row for p in y for row in p])",
    4: "any([x in row for b in y for p in b for row in p])",
}  # fmt: skip
"""How it is told whether a number is in an array, by the array's rank."""
_SUM = expression("[sum(a, b)][sum(a, b) != functools.reduce(lambda x, y: x + y, a, b)]")
"""A sum of Reals, which fails where Python's floats and NumPy's have different sums."""
_BOOLEAN = {kind.of for kind in BOOLEANS}
_X, _Y = ast.Name("x", ast.Load()), ast.Name("y", ast.Load())
_POWER = expression("[x ** y][y < 0]")
"""Fails where the power of an Integer is a Real."""
_BYTES = {
    "bool": expression("tuple([int(v) for v in a])"),
    "int": expression("tuple([v >> k & 255 for v in a for k in (0, 8, 16, 24, 32, 40, 48, 56)])"),
}
"""The bytes of an array's elements."""


def _of(value: Value) -> str:
    """Return what a value, or its elements, are; "" if that is not known."""
    return getattr(value.kind, "of", "")  # type: ignore[no-any-return]


def _operation(operator: ast.operator, given: Sequence[Value]) -> ast.expr:
    """Return the expression of an operator on x and y.

    Booleans of NumPy are no numbers. NumPy's quotients and rests by 0 are 0, of Integers.
    """
    if isinstance(operator, ast.FloorDiv | ast.Mod) and "float" not in map(_of, given):
        divisor = given[1].node
        if not (isinstance(divisor, ast.Constant) and divisor.value):
            if "number" in map(_of, given):
                raise Wrong(divisor, f"{MAY_BE_REALS}: write .astype(int)")
            sign = "//" if isinstance(operator, ast.FloorDiv) else "%"
            return expression(f"x {sign} (y if y != 0 else 1) if y != 0 else 0")
    if isinstance(operator, ast.Pow) and any(isinstance(one.kind, Array) for one in given):
        return _power(given)
    are_booleans = all(of in _BOOLEAN for of in map(_of, given))
    if are_booleans and isinstance(operator, ast.Add | ast.Mult):
        sign = "|" if isinstance(operator, ast.Add) else "&"
        return expression(f"bool(x) {sign} bool(y)")
    return ast.BinOp(_X, operator, _Y)


def _as_sequence(kind: Many | Few) -> Many:
    """Return the kind of a list or tuple that is made of another one's elements."""
    if isinstance(kind, Few):
        return Many(elements(kind))
    return Many(kind.of, kind.is_list, is_no_tuple=kind.is_no_tuple)


def _sliced(kind: Few, index: ast.Slice) -> Kind:
    """Return the kind of a part of a tuple."""
    sides = index.lower, index.upper, index.step
    bounds = [None if side is None else constant_of(side) for side in sides]
    if all(bound is None or isinstance(bound, int) for bound in bounds):
        return Few(kind.parts[slice(*bounds)])
    return Many(joined(kind.parts))


def _is_number(kind: Kind) -> bool:
    return isinstance(kind, Scalar) and kind not in (TEXT, OTHER)


def _power(given: Sequence[Value]) -> ast.expr:
    """Return the expression of x ** y for arrays, which NumPy rounds as x * x if y is 2."""
    exponent = constant_of(given[1].node)
    if exponent == 2:
        return expression("x * x")
    if REALS & set(map(_of, given)):
        raise Wrong(given[1].node, "Reals of an array have powers of 2 alone: write a loop")
    return expression("x ** [y][y < 0]")  # fails, as in NumPy, for a negative exponent


def _not_none(test: ast.expr, is_true: bool) -> set[str]:
    """List the names that are not None where a test is true, or is false."""
    match test:
        case ast.Compare(ast.Name(name), [ast.Is() | ast.IsNot() as operator], [
            ast.Constant(None)
        ]) if isinstance(operator, ast.IsNot) == is_true:
            return {name}
        case ast.Name(name) if is_true:
            return {name}
        case ast.UnaryOp(ast.Not(), operand):
            return _not_none(operand, not is_true)
        case ast.BoolOp(operator, values) if isinstance(operator, ast.And) == is_true:
            return set().union(*(_not_none(value, is_true) for value in values))
    return set()


def _side_of(rank: int, code: str, parts: Sequence[ast.expr]) -> str:
    """Tell whether what an index reads is written as a row or a column of an array."""
    if code in ("n", "sn", "ns"):
        return "column" if code == "sn" else "row"
    if rank == 1 or code not in ("s", "l", "ss", "sl", "ls"):
        return ""
    match list(map(_is_one, parts)):
        case [True] | [True, False]:
            return "row"
        case [False, True]:
            return "column"
    return ""


def _without_dots(index: ast.expr, rank: int) -> ast.expr:
    """Return an array's index with `:` in place of `...`."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    dots = [part for part in parts if constant_of(part) is ...]
    is_number = len(parts) > rank and not nodes_in(index, ast.Slice)  # an array of rank 0
    if len(dots) != 1 or is_number or any(constant_of(part) is None for part in parts):
        return index
    place = parts.index(dots[0])
    slices: list[ast.expr] = [ast.Slice() for _ in range(rank - len(parts) + 1)]
    return placed(ast.Tuple([*parts[:place], *slices, *parts[place + 1 :]], ast.Load()), index)


def _is_one(part: ast.expr) -> bool:
    """Tell whether a slice or a list is certain to be of one place at most."""
    match part:
        case ast.List([one]):
            return not isinstance(one, ast.Starred)
        case ast.Slice(lower=lower, upper=upper, step=None):
            bounds = [None if side is None else constant_of(side) for side in (lower, upper)]
            return bounds in ([None, 1], [0, 1], [-1, None])
    return False


class ArrayExpressions(ChosenFunctions):
    """Rewrites the expressions of one source."""

    def __init__(self, tree: ast.Module) -> None:
        super().__init__(tree)
        self.frame = Frame(None, None)
        self.numpy = self.fresh("numpy")
        self.frame.names[self.numpy] = Known("numpy")
        names = nodes_in(tree, ast.Name)
        self._bound = Counter(part.id for part in names if isinstance(part.ctx, ast.Store))
        counts = Counter(part.id for part in names)
        counts.update(part.arg for part in nodes_in(tree, ast.arg))
        self.lists = {
            name: value.elts
            for part in nodes_in(tree, ast.Assign) if isinstance(part.value, ast.List)
            for value, name in [(part.value, getattr(part.targets[0], "id", ""))]
            if counts[name] == 2 and not nodes_in(value, ast.Starred)
        }  # fmt: skip

    def copy_of(
        self, node: ast.AST, function: Function, given: Sequence[Kind], named: Mapping[str, Kind]
    ) -> Copy:
        """Rewrite a function for arguments of some kinds, and note what a call of it changes."""
        raise NotImplementedError

    def of_function(self, node: ast.Call, function: Function) -> Value:
        """Write a call of a function of the source."""
        raise NotImplementedError

    def bind(self, target: ast.expr, kind: Kind) -> None:
        """Note the kinds of the names of a target."""
        raise NotImplementedError

    # Expressions

    def value(self, node: ast.expr) -> Value:
        """Return an expression rewritten; its value may be a view that nothing holds."""
        read = getattr(self, f"read_{node.__class__.__name__}", None)
        if read is None:
            return Value(node, TEXT if isinstance(node, ast.JoinedStr) else UNKNOWN)
        found: Value = read(node)
        return found._replace(kind=made_at(found.kind, self.frame.function, node))

    def held(self, node: ast.expr) -> Value:
        """Return an expression rewritten, whose value a name or a container will hold."""
        return self.as_held(node, self.value(node))

    def as_held(self, node: ast.AST, value: Value) -> Value:
        """Return a value as one that may be held: a view holds what it is of."""
        value = self.as_number(node, value)
        if value.base in (None, value.node) or not isinstance(value.kind, Array | Many):
            return value
        if may_change(value.base):  # it would be computed twice
            raise Wrong(node, "a view of what changes here is not read: assign it to a name before")
        both = ast.Tuple([value.node, value.base], ast.Load())
        made = placed(ast.Subscript(both, ast.Constant(0), ast.Load()), node)
        return Value(made, value.kind, made)

    def plain(self, node: ast.expr) -> Value:
        """Return an expression rewritten that is, and holds, no array."""
        value = self.held(node)
        if holds_array(value.kind):
            raise self.unread(node, value.kind)
        return value

    def test(self, node: ast.expr) -> ast.expr:
        """Return a rewritten expression of which only the truth matters."""
        value = self.held(node)
        if isinstance(value.kind, Array) or value.kind is UNKNOWN:
            what = f"`{as_written(node)}` may be an array, which is neither true nor false"
            raise Wrong(node, f"{what}: write .any() or .all()")
        return value.node  # type: ignore[no-any-return]

    def exclude_none(self, test: ast.expr, is_true: bool) -> set[str]:
        """Note which names that may only be None have no value, as a test has excluded None."""
        names = self.frame.names
        found = {name for name in _not_none(test, is_true) if names.get(name) == OTHER}
        names.update(dict.fromkeys(found, NOTHING))
        return found

    def allow_none(self, names: Iterable[str]) -> None:
        """Note that names may be None again."""
        for name in names:
            self.frame.names[name] = join(self.frame.names[name], OTHER)

    def read_Constant(self, node: ast.Constant) -> Value:
        kinds = {bool: TRUTH, int: INT, float: FLOAT, str: TEXT}
        if getattr(node, "is_unset", False):
            return Value(node, NOTHING)
        return Value(node, kinds.get(type(node.value), OTHER))

    def read_Name(self, node: ast.Name) -> Value:
        kind = self.frame.find(node.id)
        if isinstance(kind, Function):
            return Value(node, kind)
        if isinstance(kind, Vectorized):
            raise Wrong(node, "a function of np.vectorize is called here alone: write a loop")
        return Value(node, Known(node.id) if kind is None else kind, node)

    def read_Attribute(self, node: ast.Attribute) -> Value:
        owner = self.value(node.value)
        match owner.kind, node.attr:
            case Known(name), attribute:
                if (name, attribute) == ("numpy", "newaxis"):
                    return Value(placed(ast.Constant(None), node), OTHER)
                is_number = name in ("math", "numpy") and attribute in ("e", "inf", "pi")
                return Value(node, FLOAT if is_number else Known(f"{name}.{attribute}"))
            case Span(), "start" | "stop":
                place = ast.Constant(("start", "stop").index(node.attr))
                return Value(placed(ast.Subscript(owner.node, place, ast.Load()), node), INT)
            case Array(rank), "ndim":
                ranks = expression(f"{rank} if a else 1" if owner.kind.is_listed else f"{rank}")
                return Value(self.written(ranks, {"a": owner.node}, node), INT)
            case Array(_, of), "dtype":
                return Value(node, Type(of))
            case Array(), "flat":
                flat = self.of_numpy(node, "flatten", [owner], {})
                return Value(flat.node, Many(elements(flat.kind)), whole_of(owner.base))
            case Array(), "T" | "shape" | "size":
                return self.of_numpy(node, node.attr, [owner], {})
            case kind, _ if kind is UNKNOWN or isinstance(kind, Array):
                raise self.unread(node, kind)
        kind = NOTHING if owner.kind is NOTHING else PLAIN
        return Value(placed(ast.Attribute(owner.node, node.attr, node.ctx), node), kind)

    def read_Tuple(self, node: ast.Tuple | ast.List | ast.Set) -> Value:
        parts = [self.held(part) for part in node.elts]
        made = changed(node, elts=[part.node for part in parts])
        kinds = [part.kind for part in parts]
        if isinstance(node, ast.Set):
            self._check_keys(node, kinds)
        if any(isinstance(part, ast.Starred) for part in node.elts):
            kinds = [
                elements(kind) if isinstance(part, ast.Starred) else kind
                for part, kind in zip(node.elts, kinds, strict=True)
            ]
        elif isinstance(node, ast.Tuple) or (
            isinstance(node, ast.List) and joined(kinds) is UNKNOWN
        ):
            return Value(made, Few(tuple(kinds)), made)
        is_list = isinstance(node, ast.List)
        kind = Many(joined(kinds), not isinstance(node, ast.Set), is_no_tuple=is_list)
        return Value(made, kind, made)

    read_List = read_Set = read_Tuple

    def _check_keys(self, node: ast.AST, kinds: Sequence[Kind]) -> None:
        """Refuse arrays where NumPy does."""
        if any(map(holds_array, kinds)):
            raise Wrong(node, "an array is no key, and no element of a set: write tuple(...)")

    def read_Starred(self, node: ast.Starred) -> Value:
        value = self.held(node.value)
        return Value(placed(ast.Starred(value.node, node.ctx), node), value.kind)

    def read_Dict(self, node: ast.Dict) -> Value:
        keys = [self.held(key) if key else None for key in node.keys]
        self._check_keys(node, [key.kind for key in keys if key])
        values = [self.held(value) for value in node.values]
        kind: Kind = Dict(
            joined(key.kind for key in keys if key),
            joined(
                value.kind if key else element_at(value.kind, None)
                for key, value in zip(keys, values, strict=True)
            ),
        )
        names = [getattr(key, "value", None) for key in node.keys]
        if all(isinstance(name, str) for name in names):
            kinds = (value.kind for value in values)
            kind = record_of(dict(zip(map(str, names), kinds, strict=True)))
        made = ast.Dict([key.node if key else None for key in keys], [v.node for v in values])
        return Value(placed(made, node), kind)

    def read_UnaryOp(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            test = self.test(node.operand)
            if isinstance(test, ast.Constant):
                return Value(placed(ast.Constant(not test.value), node), TRUTH)
            return Value(placed(ast.UnaryOp(node.op, test), node), TRUTH)
        value = self.value(node.operand)
        of = getattr(value.kind, "of", None)
        made = ast.UnaryOp(node.op, _X)
        match node.op, value.kind:
            case _, Many() | Few() | Dict() | Known():
                raise self.unread(node, UNKNOWN)
            case ast.Invert(), (Array() | Scalar()) if of == "bool":
                made = ast.UnaryOp(ast.Not(), _X)
            case _, Scalar("any" | "either"):
                raise Wrong(node, f"`{as_written(node)}` may be of a Boolean: write int(...)")
            case ast.Invert(), _ if of in REALS:
                raise Wrong(node, f"this operator is read of Integers alone: {ADVICE}")
            case (ast.USub() | ast.UAdd()), Array() | Scalar() if of == "bool":
                raise Wrong(node, "NumPy refuses this operator of Booleans: write ~, or `not`")
            case _ if value.kind in (UNKNOWN, PLAIN):
                raise self.unread(node.operand, UNKNOWN)
        if isinstance(value.kind, Array):
            return Value(self.each(node, made, [value]), value.kind)
        kind = INT if value.kind == TRUTH else value.kind
        return Value(placed(ast.UnaryOp(made.op, value.node), node), kind)

    def read_BinOp(self, node: ast.BinOp) -> Value:
        return self.operated(node, node.op, self.value(node.left), self.value(node.right))

    def operated(self, node: ast.AST, operator: ast.operator, a: Value, b: Value) -> Value:
        """Return the result of an operator on two values."""
        kinds = a.kind, b.kind
        if isinstance(a.kind, Array) or isinstance(b.kind, Array):
            if NOTHING in kinds:
                return self.failing(node)
            if isinstance(operator, ast.MatMult):
                return self.of_numpy(node, "dot", [a, b], {})
            given = [self.operand(node, value) for value in (a, b)]
            of = self._type_of(node, operator, {value.kind.of for value in given})  # type: ignore[attr-defined]
            return self.of_elements(node, _operation(operator, given), given, of)
        if UNKNOWN in kinds:
            raise self.unread(node, UNKNOWN)
        if PLAIN in kinds and not {*kinds} & {INT, FLOAT, NUMBER, TEXT}:
            raise self.unread(node, UNKNOWN)  # Booleans of NumPy's, perhaps
        pair = ast.BinOp(a.node, operator, b.node)
        kind: Kind = PLAIN
        match kinds:
            case Scalar(one), Scalar(other) if {TEXT, OTHER}.isdisjoint(kinds):
                of = self._type_of(node, operator, {one, other})
                if of == "int" and isinstance(operator, ast.Pow):
                    if not isinstance(b.node, ast.Constant | ast.UnaryOp):
                        made = self.written(_POWER, {"x": a.node, "y": b.node}, node)
                        return Value(made, INT)
                    of = "int" if isinstance(b.node, ast.Constant) else "number"
                if of == "bool":
                    made = self.each(node, _operation(operator, [a, b]), [a, b])
                    return Value(made, Scalar(of))
                kind = Scalar(of)
            case Few(one), Few(other) if isinstance(operator, ast.Add):
                kind = Few(one + other)
            case (Many() | Few()), (Many() | Few()):
                kind = join(*(_as_sequence(k) for k in kinds))
            case ((Many() | Few()) as many, Scalar()) | (Scalar(), (Many() | Few()) as many):
                kind = _as_sequence(many)
            case _ if NOTHING in kinds:
                kind = NOTHING
            case _ if holds_array(a.kind) or holds_array(b.kind):
                raise self.unread(node, UNKNOWN)
        a, b = self.as_held(node, a), self.as_held(node, b)
        made = placed(pair, node)
        return Value(made, kind, made)

    def _type_of(self, node: ast.AST, operator: ast.operator, of: set[str]) -> str:
        """Return what the results of an operator on elements are; refuse what NumPy rounds."""
        is_of_bits = isinstance(operator, ast.BitAnd | ast.BitOr | ast.BitXor)
        if isinstance(operator, ast.Div):
            return "float"
        if REALS & of:
            if is_of_bits or isinstance(operator, ast.LShift | ast.RShift):
                raise Wrong(node, f"this operator is read of Integers alone: {ADVICE}")
            return "float" if "float" in of else "number"
        if "int" in of or of == {"truth"}:
            return "truth" if is_of_bits and of == {"truth"} else "int"
        if is_of_bits:
            both = "bool" if "bool" in of else "either"
            return of.pop() if len(of) == 1 else "any" if "any" in of else both
        if "bool" in of and "any" not in of and isinstance(operator, ast.Add | ast.Mult):
            return "bool"
        raise Wrong(node, "these may be NumPy's Booleans, which are no numbers: write int(...)")

    def read_Compare(self, node: ast.Compare) -> Value:
        parts = [self.value(part) for part in (node.left, *node.comparators)]
        a, b, *more = parts
        operator = node.ops[0]
        is_identity = all(isinstance(one, ast.Is | ast.IsNot) for one in node.ops)
        if is_identity and any(part.kind != OTHER for part in (b, *more)):
            raise Wrong(node, "`is` is read of None alone beside NumPy: write `==`")
        if is_identity or not any(isinstance(part.kind, Array) for part in parts):
            made = changed(node, left=a.node, comparators=[part.node for part in (b, *more)])
            if not is_identity:
                self._check_compared(node, [part.kind for part in parts])
            others = ast.Is | ast.IsNot | ast.In | ast.NotIn
            is_truth = all(isinstance(one, others) for one in node.ops)
            return Value(made, TRUTH if is_truth else EITHER)
        if more:
            raise self.unread(node, UNKNOWN)
        if NOTHING in (a.kind, b.kind):
            return self.failing(node)
        if isinstance(operator, ast.In | ast.NotIn):
            return self._contained(node, operator, a, b)
        given = [self.operand(node, value) for value in (a, b)]
        return self.of_elements(node, ast.Compare(_X, [operator], [_Y]), given, "bool")

    def _check_compared(self, node: ast.Compare, kinds: Sequence[Kind]) -> None:
        """Refuse arrays, and a number beside a list: NumPy compares each element."""
        for operator, a, b in zip(node.ops, kinds, kinds[1:], strict=False):
            if isinstance(operator, ast.In | ast.NotIn):
                b = elements(b)  # of a dictionary, the keys
            if holds_array(a) or holds_array(b):
                raise self.unread(node, UNKNOWN)
            is_list = [isinstance(kind, Many | Few) for kind in (a, b)]
            is_number = [kind is PLAIN or _is_number(kind) for kind in (a, b)]
            if (is_list[0] and is_number[1]) or (is_number[0] and is_list[1]):
                raise self.unread(node, UNKNOWN)
            if isinstance(operator, ast.In | ast.NotIn) and b is PLAIN and is_number[0]:
                raise self.unread(node, UNKNOWN)

    def _contained(self, node: ast.AST, operator: ast.cmpop, a: Value, b: Value) -> Value:
        """Read `number in array`."""
        if not _is_number(a.kind) or not isinstance(b.kind, Array):
            raise self.unread(node, UNKNOWN)
        text = _IN[b.kind.rank]
        made = self.written(expression(text), {"x": a.node, "y": b.node}, node)
        if isinstance(operator, ast.NotIn):
            made = placed(ast.UnaryOp(ast.Not(), made), node)
        return Value(made, TRUTH)

    def read_BoolOp(self, node: ast.BoolOp) -> Value:
        parts, excluded = [], set[str]()
        for part in node.values:
            parts.append(self.held(part))
            excluded |= self.exclude_none(part, isinstance(node.op, ast.And))
        self.allow_none(excluded)
        for part, value in zip(node.values[:-1], parts, strict=False):
            if isinstance(value.kind, Array) or value.kind is UNKNOWN:
                self.test(part)
        made = changed(node, values=[part.node for part in parts])
        return Value(made, joined(part.kind for part in parts), made)

    def read_IfExp(self, node: ast.IfExp) -> Value:
        test = self.test(node.test)
        if isinstance(test, ast.Constant):
            return self.held(node.body if test.value else node.orelse)
        ways = []
        for is_true, part in ((True, node.body), (False, node.orelse)):
            excluded = self.exclude_none(node.test, is_true)
            ways.append(self.held(part))
            self.allow_none(excluded)
        body, orelse = ways
        made = changed(node, test=test, body=body.node, orelse=orelse.node)
        return Value(made, join(body.kind, orelse.kind), made)

    def read_NamedExpr(self, node: ast.NamedExpr) -> Value:
        value, frame, name = self.held(node.value), self.frame.within()[-1], node.target.id
        if name in frame.elsewhere:
            self.rebind(name, value.kind, frame.parent)
        else:  # this may be computed never, as behind `and`
            frame.names[name] = join(frame.names.get(name, NOTHING), value.kind)
        made = changed(node, value=value.node)
        return Value(made, value.kind, made)

    def read_ListComp(self, node: Any) -> Value:
        """Rewrite a comprehension, with the kinds that names have in any of its rounds."""
        for _ in range(MOST_ROUNDS):
            before = [dict(frame.names) for frame in self.frame.outward()]
            made = self._comprehension(node)
            if before == [frame.names for frame in self.frame.outward()]:
                return made
        raise Wrong(node, UNKNOWN_ROUNDS)

    read_DictComp = read_GeneratorExp = read_SetComp = read_ListComp

    def _comprehension(self, node: Any) -> Value:
        with for_now(self, frame=Frame(self.frame, self.frame.function, is_comprehension=True)):
            generators = []
            for part in node.generators:
                over = self.held(part.iter)
                self.bind(part.target, self.elements(part.iter, over.kind))
                ifs = [self.test(condition) for condition in part.ifs]
                generators.append(ast.comprehension(part.target, over.node, ifs, part.is_async))
            if isinstance(node, ast.DictComp):
                key, value = self.held(node.key), self.held(node.value)
                self._check_keys(node.key, [key.kind])
                made = changed(node, key=key.node, value=value.node, generators=generators)
                return Value(made, Dict(key.kind, value.kind), made)
            element = self.held(node.elt)
            if isinstance(node, ast.SetComp):
                self._check_keys(node.elt, [element.kind])
            made = changed(node, elt=element.node, generators=generators)
            is_list = isinstance(node, ast.ListComp)
            return Value(made, Many(element.kind, is_list, is_no_tuple=is_list), made)

    def elements(self, node: ast.AST, kind: Kind) -> Kind:
        """Return the kind of the elements of an iterable."""
        if kind is UNKNOWN:
            raise self.unread(node, kind)
        return elements(kind)

    # Subscripts

    def _of_an_array(self, node: ast.expr, owner: ast.expr) -> Value | None:
        """Return what is written as a field or a property if it is an attribute of no object."""
        name = getattr(node, "attribute", "")  # a mark of `records` and `methods`
        if not name or isinstance(self.value(owner).kind, Dict | Few):
            return None
        return self.read_Attribute(placed(ast.Attribute(owner, name, ast.Load()), node))

    def read_Subscript(self, node: ast.Subscript) -> Value:
        if attribute := self._of_an_array(node, node.value):
            return attribute
        owner = self.value(node.value)
        if isinstance(owner.kind, Known):
            of_brackets = self.of_brackets(node, owner.kind.name)
            if of_brackets is not None:
                return of_brackets
        if isinstance(owner.kind, Array):
            return self._of_array(node, owner)
        if owner.kind is UNKNOWN:
            raise self.unread(node.value, UNKNOWN)
        owner = self.as_held(node.value, owner)
        index = self.value(node.slice)
        if holds_array(index.kind):
            raise self.unread(node.slice, index.kind)
        if index.kind in (BOOL, FLOAT) and not isinstance(owner.kind, Dict):
            raise Wrong(node.slice, "an index is an Integer: write int(...)")
        if isinstance(node.slice, ast.Slice):
            kind = copied(owner.kind)
            if isinstance(kind, Few):
                kind = _sliced(kind, node.slice)
        else:
            place = constant_of(node.slice)
            kind = element_at(owner.kind, place)
            parts = getattr(owner.node, "elts", []) if isinstance(owner.kind, Few) else []
            if place in range(len(parts)) and not may_change(owner.node):
                part = parts[place]  # of what is written for a.shape
                return Value(part, kind, part)
        made = placed(ast.Subscript(owner.node, index.node, node.ctx), node)
        return Value(made, kind, made)

    def read_Slice(self, node: ast.Slice) -> Value:
        parts = {
            name: self.number(part).node
            for name in ("lower", "upper", "step")
            if (part := getattr(node, name)) is not None
        }
        return Value(placed(ast.Slice(**parts), node), OTHER)

    def number(self, node: ast.expr) -> Value:
        """Return an Integer that is an index, a side or the like."""
        value = self.value(node)
        if holds_array(value.kind) or value.kind == FLOAT:
            raise Wrong(node, f"`{as_written(node)}` must be an Integer here: write int(...)")
        return value

    def index(self, node: ast.expr, rank: int) -> tuple[str, list[Any]]:
        """Return the codes of the parts of an array's index, see `LOADS`, and the parts."""
        node = _without_dots(node, rank)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "ix_":
            return "X", self._crossed(node)
        if lists := self._columns(node):
            return "ll", lists
        if not isinstance(node, ast.Tuple):
            value = self.value(node)
            if isinstance(value.kind, Few) and not isinstance(node, ast.List):
                if may_change(value.node):  # it would be computed twice
                    raise Wrong(node, "an index that changes something is not read: name it before")
                parts = getattr(value.node, "elts", None) or [
                    placed(ast.Subscript(value.node, ast.Constant(k), ast.Load()), node)
                    for k in range(len(value.kind.parts))
                ]
                code = "".join(map(self._code, parts, value.kind.parts))
                return code, list(map(self.as_index, parts, value.kind.parts))
            if isinstance(value.kind, Many) and not value.kind.is_no_tuple:
                what = f"whether `{as_written(node)}` is a list or a tuple is not known"
                raise Wrong(node, f"{what}: write np.array(...), or a[i, j]")
            values, nodes = [value], [node]
        else:
            values, nodes = [self.value(part) for part in node.elts], node.elts
        codes = [
            "s" if isinstance(part, ast.Slice)
            else "n" if constant_of(value.node) is None else self._code(part, value.kind)
            for part, value in zip(nodes, values, strict=True)
        ]
        return "".join(codes), [self.as_index(value.node, value.kind) for value in values]

    def _code(self, node: ast.AST, kind: Kind) -> str:
        if kind in (INT, NUMBER) or kind is NOTHING:  # an index that is a Real fails
            return "i"
        if isinstance(kind, Span):
            return "s"
        array = array_of(kind)
        if array is None or array.of in REALS or array.rank > 2:
            raise Wrong(node, f"this index of an array cannot be read: {ADVICE}")
        return ("lL" if array.of == "int" else "mM")[array.rank - 1]

    def _columns(self, node: ast.expr) -> list[Any]:
        """Return both lists of the index `tuple(cells.T)`, or of `tuple(zip(*cells))`."""
        match node:
            case ast.Call(ast.Name("tuple"), [ast.Attribute(cells, "T")], []):
                is_array = True
            case ast.Call(
                ast.Name("tuple"), [ast.Call(ast.Name("zip"), [ast.Starred(cells)], [])], []
            ):
                is_array = False
            case _:
                return []
        value = self.value(cells)
        array = value.kind if is_array else array_of(value.kind)
        if not isinstance(array, Array) or (array.rank, array.of) != (2, "int"):
            return []
        if may_change(value.node):  # it would be computed twice
            raise Wrong(node, "an index that changes something is not read: name it before")
        is_known = is_array and array.width == 2
        over = "x" if is_known else "[x][not x or len(x[0]) != 2]"
        forms = (expression(f"[p[{place}] for p in {over}]") for place in (0, 1))
        return [self.written(form, {"x": value.node}, node) for form in forms]

    def _crossed(self, node: ast.Call) -> list[Any]:
        """Return the two lists of a call of np.ix_, as one index."""
        values = [self.value(part) for part in node.args]
        codes = "".join(map(self._code, node.args, (value.kind for value in values)))
        if codes not in ("ll", "lm", "ml", "mm") or node.keywords:
            raise Wrong(node, f"this index of an array cannot be read: {ADVICE}")
        lists = [
            self.of_numpy(node, "flatnonzero", [value], {}) if code == "m" else value
            for code, value in zip(codes, values, strict=True)
        ]
        parts = {"x": lists[0].node, "y": lists[1].node}
        return [self.written(expression("list(x), list(y)"), parts, node)]

    def _of_array(self, node: ast.Subscript, owner: Value) -> Value:
        code, parts = self.index(node.slice, owner.rank)
        kind: Any = owner.kind
        form = LOADS.get((kind.rank, code))
        if form is None:
            raise Wrong(node, f"this index of an array cannot be read: {ADVICE}")
        text, rank = form
        has_columns = len(code) > 1 and code[0] != "i"
        whole = self.with_rows(owner, node) if has_columns else owner
        given = dict(zip("axyzw", [whole.node, *parts], strict=False))
        made = self.written(expression(text), given, node)
        if not rank:
            return Value(made, Scalar(kind.of))
        is_of_rows = kind.rank > 1 and code in ("i", "l", "m", "s")
        width, is_listed = (kind.width, kind.is_listed) if is_of_rows else (0, False)
        array = Array(rank, kind.of, _side_of(kind.rank, code, parts), is_listed, width)
        base = None if set(code) & set("lLmMX") else owner.base
        if base is not None and base is owner.node and code in ("i", "s") and kind.rank > 1:
            return Value(made, array, made)
        return Value(made, array, whole_of(base))

    # Calls

    def read_Call(self, node: ast.Call) -> Value:
        if attribute := self._of_an_array(node, node.args[0] if node.args else node):
            return attribute
        called = node.func
        if isinstance(called, ast.Call) and self.is_vectorize(called.func):
            return self.of_vectorized(node, called)
        if isinstance(called, ast.Attribute):
            owner = self.value(called.value)
            if isinstance(owner.kind, Known):
                return self._of_known(node, f"{owner.kind.name}.{called.attr}")
            fields = dict(owner.kind.fields) if isinstance(owner.kind, Dict) else {}
            if isinstance(fields.get(called.attr), Chosen) and called.attr not in dir(dict):
                field = ast.Subscript(called.value, ast.Constant(called.attr), ast.Load())
                return self.value(changed(node, func=placed(field, called)))
            return self._of_method(node, called, owner)
        if isinstance(called, ast.Name):  # it is not around the function at hand
            kind = self.frame.within()[-1].names.get(called.id)
            if isinstance(kind, Vectorized):
                return self.of_vectorized(node, kind.made)
        function = self.value(called)
        if isinstance(function.kind, Known):
            return self._of_known(node, function.kind.name)
        if isinstance(function.kind, Function):
            return self.of_function(node, function.kind)
        if isinstance(function.kind, Chosen):
            return self.of_chosen(node, function)
        if function.kind is NOTHING:
            return self.failing(node)
        if function.kind is not PLAIN:
            raise Wrong(node, f"what `{as_written(called)}` calls is not known here")
        return self._of_plain(node, function.node)

    def is_vectorize(self, called: ast.expr) -> bool:
        """Tell whether what is called is np.vectorize."""
        match called:
            case ast.Attribute(ast.Name(module), "vectorize"):
                return self.frame.find(module) == Known("numpy")
            case ast.Name(name):
                return self.frame.find(name) == Known("numpy.vectorize")
        return False

    def arguments(self, node: ast.Call) -> tuple[list[Value], dict[str, Value]]:
        """Return the rewritten arguments of a call, in order and by keyword."""
        named = {keyword.arg or "**": self.held(keyword.value) for keyword in node.keywords}
        return list(map(self.held, node.args)), named

    def call(
        self, node: ast.Call, called: ast.expr, given: Sequence[Value], named: Mapping[str, Value]
    ) -> ast.expr:
        """Return a call like another, of another function with rewritten arguments."""
        keywords = [
            changed(part, value=value.node)
            for part, value in zip(node.keywords, named.values(), strict=True)
        ]
        return placed(ast.Call(called, [value.node for value in given], keywords), node)  # type: ignore[no-any-return]

    def _of_plain(self, node: ast.Call, called: ast.expr) -> Value:
        """Write a call of a function that takes no arrays."""
        given, named = self.arguments(node)
        parts = [*node.args, *(part.value for part in node.keywords)]
        for part, value in zip(parts, (*given, *named.values()), strict=True):
            if holds_array(value.kind):
                what = f"`{as_written(called)}` of an array is not read"
                raise Wrong(part, f"{what}: {ADVICE}")
        made = self.call(node, called, given, named)
        return Value(made, PLAIN, made)

    def _of_known(self, node: ast.Call, name: str) -> Value:
        module, _, function = name.rpartition(".")
        if name.startswith("numpy."):
            if function in _NOT_IN_NUMPY or "_accumulate" in name or "ndimage_" in name:
                raise Wrong(node, f"{function!r} of module {module!r} is not read: {ADVICE}")
            return self._of_numpy(node, name.removeprefix("numpy."))
        if module == "scipy.ndimage" and function in OF_IMAGES:
            return self._of_numpy(node, f"ndimage_{function}")
        if name.startswith("scipy."):
            raise Wrong(node, f"{function!r} of module {module!r} is not read: {ADVICE}")
        if name == "slice":
            return self.of_slice(node)
        if function == "isinstance" and len(node.args) == 2:
            return self._of_class(node, *node.args)
        if function in RESULTS:
            return self._of_python(node, function)
        return self._of_plain(node, node.func)

    def _of_class(self, node: ast.Call, of: ast.expr, classes: ast.expr) -> Value:
        """Write isinstance(...) if it is known whether a value is an array, or a list."""
        parts = classes.elts if isinstance(classes, ast.Tuple) else [classes]
        names = {getattr(self.value(part).kind, "name", "") for part in parts}
        value = self.value(of)
        kind = value.kind
        is_list = isinstance(kind, Many) and (kind.is_even or kind.is_no_tuple)
        is_known = is_list or isinstance(kind, Array)
        if not is_known or not names <= {"list", "numpy.ndarray", "tuple"} or may_change(of):
            raise Wrong(node, "isinstance is not read beside NumPy: leave it out")
        if ("list" if is_list else "numpy.ndarray") not in names:
            return Value(placed(ast.Constant(False), node), TRUTH)
        made = ast.Compare(value.node, [ast.IsNot()], [ast.Constant(None)])
        return Value(placed(made, node), TRUTH)

    def _of_python(self, node: ast.Call, name: str) -> Value:
        """Write a call of a function of Python whose result has a known kind."""
        takes_function = name in ("map", "filter", "defaultdict") and bool(node.args)
        args = node.args[int(takes_function) :]
        given = [self.held(part) for part in args]
        kinds = list(spread(args, [value.kind for value in given]))
        is_sum = name == "sum" and len(kinds) == 1 and not node.keywords
        if is_sum and isinstance(elements(kinds[0]), Array):
            listed = placed(ast.Call(ast.Name("list", ast.Load()), [given[0].node], []), node)
            arrays = Value(listed, Many(elements(kinds[0])))
            return self.of_numpy(node, name, [arrays], {"axis": Value(ast.Constant(0), INT)})
        has_key = any(part.arg == "key" for part in node.keywords)
        for part, value in zip(args, given, strict=True):
            self._check_argument(part, value.kind, name, len(given), has_key)
        pairs = zip(args, given, strict=True)
        many = any(isinstance(p, ast.Starred) and not isinstance(v.kind, Few) for p, v in pairs)
        if many and name in ("max", "min") and not isinstance(joined(kinds), Scalar):
            raise Wrong(node, f"{name} of a star: write {name} of the container itself")
        if many:
            kinds = [joined(kinds)]
        if isinstance(joined(kinds[:1]), Array) and name in ("copy", "deepcopy"):
            return self.of_numpy(node, "copy", given, {})
        if isinstance(joined(kinds[:1]), Array) and name == "abs":
            return self.of_each_number(node, "abs", given)
        nodes = [value.node for value in given]
        if takes_function:
            called_with = [] if name == "defaultdict" else list(map(elements, kinds))
            self.check_late(node.args[0])
            function, kind = self.function(node.args[0], called_with)
            nodes.insert(0, function)
            kinds = kinds if name == "filter" else [kind]
        named = []
        for keyword in node.keywords:
            if keyword.arg == "key":
                over = elements(kinds[0]) if len(kinds) == 1 else joined(kinds)
                named.append(self._key(keyword, over))
                continue
            value = self.held(keyword.value)
            kinds += [value.kind] if keyword.arg == "default" else []
            named.append(changed(keyword, value=value.node))
        made = placed(ast.Call(node.func, nodes, named), node)
        if name == "sum" and elements(kinds[0]) in (FLOAT, NUMBER):
            module = ast.Name(self.modules["functools"], ast.Load())
            listed = ast.Call(ast.Name("list", ast.Load()), nodes[:1], [])
            start = [*nodes[1:], *(part.value for part in named), ast.Constant(0)][0]
            made = self.written(_SUM, {"a": listed, "b": start, "functools": module}, node)
        if name == "sum" and kinds[1:] and isinstance(kinds[1], Scalar) and kinds[1] != INT:
            raise Wrong(node, "a sum that starts with a Boolean is not read: leave False out")
        if name in ("max", "min") and (many or len(given) > 1):
            return Value(made, joined(kinds), made)
        if many and name in ("zip", "product"):
            return Value(made, Many(Many(elements(kinds[0])), False), made)
        return Value(made, self._kind_of_result(node, name, kinds), made)

    def _key(self, keyword: ast.keyword, of: Kind) -> ast.keyword:
        """Return the rewritten `key=` of a function that orders values of a kind."""
        function, kind = self.function(keyword.value, [of])
        if holds_array(kind):
            raise self.unread(keyword.value, kind)
        return changed(keyword, value=function)  # type: ignore[no-any-return]

    def check_late(self, node: ast.expr) -> None:
        """Refuse what is computed later if what it reads may be of another kind then."""
        is_late = isinstance(node, ast.Lambda | ast.GeneratorExp)
        for part in nodes_in(node, ast.Name) if is_late else ():
            kind = self.frame.find(part.id)
            if self._bound[part.id] > 1 and kind not in (None, INT, OTHER):
                raise Wrong(part, f"{part.id!r} may change before it is read here: rename it")

    def _kind_of_result(self, node: ast.AST, name: str, kinds: Sequence[Kind]) -> Kind:
        try:
            return RESULTS[name](kinds)
        except IndexError:
            raise Wrong(node, f"{name} needs an argument: write one") from None

    def _check_argument(
        self, node: ast.AST, kind: Kind, name: str, count: int, has_key: bool
    ) -> None:
        """Refuse an array where a function of Python would not take it as a list."""
        of = elements(kind)
        takes_elements = name in ("max", "min", "sorted", "sum", "any", "all", "set", "Counter")
        is_wrong = kind is UNKNOWN
        if takes_elements and (count == 1 or name not in ("max", "min")):
            is_wrong = is_wrong or (holds_array(of) and not (has_key and of is not UNKNOWN))
        elif name in ("max", "min", "int", "float", "bool", "range", "divmod", "round"):
            is_wrong = is_wrong or isinstance(kind, Array | Chosen)
        if name == "range" and kind in (BOOL, FLOAT):
            raise Wrong(node, "the bounds of a range are Integers: write int(...)")
        if is_wrong:
            raise self.unread(node, kind if kind is UNKNOWN else of)

    def function(self, node: ast.expr, kinds: Sequence[Kind]) -> tuple[ast.expr, Kind]:
        """Return a function that is called with arguments of some kinds, and its result's kind."""
        if isinstance(node, ast.Lambda):
            names = [argument.arg for argument in node.args.args]
            least = len(names) - len(node.args.defaults)
            if not least <= len(kinds) <= len(names) or node.args.vararg:
                raise Wrong(node, "this function cannot be read beside NumPy: write a loop")
            if not all(isinstance(one, ast.Constant) for one in node.args.defaults):
                raise Wrong(node, "beside NumPy a default is a constant: write a loop")
            with for_now(self, frame=Frame(self.frame, self.frame.function)):
                self.frame.names |= dict.fromkeys(names, PLAIN)
                self.frame.names |= zip(names, kinds, strict=False)
                body = self.held(node.body)
            return changed(node, body=body.node), body.kind
        value = self.value(node)
        if isinstance(node, ast.Attribute):
            owner = self.value(node.value).kind
            if isinstance(owner, Dict):
                return value.node, of_method(owner, node.attr, kinds)
        if isinstance(value.kind, Function):
            copy = self.copy_of(node, value.kind, kinds, {})
            if copy.changes_given:
                raise Wrong(node, "this function changes what it is given: write a loop")
            return placed(ast.Name(copy.name, ast.Load()), node), copy.returned
        known = value.kind.name if isinstance(value.kind, Known) else ""
        if isinstance(value.kind, Chosen) or known.startswith("numpy.") and len(kinds) == 1:
            names = [self.fresh("x") for _ in kinds]
            call = ast.Call(node, [ast.Name(name, ast.Load()) for name in names], [])
            return self.function(placed(call_of_lambda(names, call, []).func, node), kinds)
        name = known.rpartition(".")[2]
        if name in RESULTS:
            for kind in kinds:
                self._check_argument(node, kind, name, len(kinds), False)
            return value.node, self._kind_of_result(node, name, kinds)
        if any(map(holds_array, kinds)) or holds_array(value.kind):
            raise self.unread(node, UNKNOWN)
        return value.node, PLAIN

    # Functions of NumPy's

    def _of_numpy(self, node: ast.Call, name: str) -> Value:
        """Write a call of a function of NumPy, or of its like."""
        special = self.of_special(node, name)
        if special is not None:
            return special
        given, named = self._arguments(node, name == "ndindex")
        if name in _OPERATORS:
            if len(given) == 2 and not named:
                given = [self.operand(node, value) for value in given]
                if any(value.rank for value in given):
                    return self.operated(node, _OPERATORS[name], *given)
            what = f"{name!r} of NumPy is read of two values, one of them an array"
            raise Wrong(node, f"{what}: write an operator, such as a + b")
        return self.of_numpy(node, name, given, named)

    def _arguments(
        self, node: ast.Call, takes_tuple: bool
    ) -> tuple[list[Value], dict[str, Value]]:
        """Return the arguments of a call of NumPy, in order and by keyword.

        takes_tuple: Whether a tuple may stand for all arguments.
        """
        args = node.args
        if any(isinstance(part, ast.Starred) for part in args):
            if not takes_tuple or len(args) > 1:
                raise Wrong(node, "this star cannot be read beside NumPy: write each argument")
            args = [part.value for part in args if isinstance(part, ast.Starred)]
        named = {part.arg or "**": self.value(part.value) for part in node.keywords}
        return list(map(self.value, args)), named

    # Methods

    def _of_method(self, node: ast.Call, called: ast.Attribute, owner: Value) -> Value:
        name, kind = called.attr, owner.kind
        if isinstance(kind, Array) and name in _METHODS:
            given, named = self._arguments(node, name in ("reshape", "transpose"))
            return self.of_numpy(node, name, [owner, *given], named)
        if isinstance(kind, Array) and name == "tobytes" and kind.of in _BYTES:
            if node.args or node.keywords:
                raise Wrong(node, "tobytes takes no arguments: leave them out")
            flat = self.of_numpy(node, "flatten", [owner], {})
            return Value(self.written(_BYTES[kind.of], {"a": flat.node}, node), Many(INT, False))
        if isinstance(kind, Array):
            raise Wrong(node, f"`.{name}` of this array is not read: {ADVICE}")
        if kind is UNKNOWN:
            raise self.unread(node, kind)
        if isinstance(kind, Scalar) and name in ("item", "tolist", "astype"):
            if name == "astype":
                if len(node.args) != 1 or self._type(node, self.value(node.args[0])) != "int":
                    raise Wrong(node, "a number is converted to int alone: write bool(...)")
                return self._as_integer(node, [owner], {})
            return owner._replace(kind=TRUTH if kind in BOOLEANS else kind)
        function = changed(called, value=owner.node)
        given, named = self.arguments(node)
        kinds = list(spread(node.args, [value.kind for value in given]))
        if isinstance(kind, Few) and name in ("insert", "pop", "remove", "reverse", "sort"):
            raise self.unread(node, UNKNOWN)
        if name in ADDING and kinds:
            element = elements(kinds[0]) if name in ADDING_ALL else kinds[-1]
            key: Kind = kinds[0]
            if isinstance(kind, Dict) and name == "update":
                key, element = entries(key)
            self.grow(called.value, element, key)
        elif name in REMOVING:
            self.grow(called.value, NOTHING)
        elif name == "sort":
            return self._of_sort(node, function, kind)
        elif name in ("count", "index", "remove") and any(map(holds_array, [kind, *kinds])):
            raise self.unread(node, UNKNOWN)
        result = of_method(kind, name, kinds)
        if holds_array(kind) and result is PLAIN and name not in ADDING:
            raise self.unread(node, UNKNOWN)
        made = self.call(node, function, given, named)
        return Value(made, result, made)

    def _of_sort(self, node: ast.Call, function: ast.expr, kind: Kind) -> Value:
        of = elements(kind)
        keywords = [self._key(one, of) if one.arg == "key" else one for one in node.keywords]
        if holds_array(of) and not any(part.arg == "key" for part in keywords):
            raise self.unread(node, UNKNOWN)
        return Value(placed(ast.Call(function, [], keywords), node), OTHER)

    def grow(self, owner: ast.expr, element: Kind, key: Kind = NOTHING) -> None:
        """Note that a container has one more element."""
        kind = self.value(owner).kind
        if kind is PLAIN and holds_array(element):
            raise Wrong(owner, "this gets an array, and is not known to be a list: make it before")
        if isinstance(kind, Container):
            self.note(Growth(kind.sites, element, key))
        while isinstance(owner, ast.Subscript):
            whole = self.value(owner.value).kind
            if isinstance(whole, Dict):  # it may be a defaultdict
                self.note(Growth(whole.sites, NOTHING, self.key_of(owner.slice)))
            owner = owner.value

    def key_of(self, index: ast.expr) -> Kind:
        """Return the kind of a key of a dictionary."""
        constant = getattr(index, "value", None)
        return Field(constant) if isinstance(constant, str) else self.value(index).kind

    def note(self, growth: Growth) -> None:
        """Note a growth in the kinds of all names."""
        for frame in self.frame.outward():
            for name, kind in frame.names.items():
                frame.names[name] = grown(kind, *growth)
            frame.growths[growth] = None

    def rebind(self, name: str, kind: Kind, frame: Frame | None) -> None:
        """Note another value of a name. frame: The frame from which the name is looked up."""
        frame = frame and frame.home_of(name)
        if frame is None:
            return
        frame.names[name] = join(frame.names[name], kind)
        inside = self.frame.within()
        if frame not in inside:
            inside[-1].bindings[name, kind] = None
