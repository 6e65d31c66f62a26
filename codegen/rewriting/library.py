"""Defines functions of Python's library in a source that calls them, as `itertools.accumulate`.

Each definition is plain Python, and does what Python's function does. It is read like a function of
the source: what changes a list, or is used later than it is made, is read or refused as there.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from functools import cache

from megabatt.codegen.analysis.names import bound_in, named_in
from megabatt.codegen.analysis.nodes import copy_of_all, forget, nodes_in, placed
from megabatt.codegen.rewriting.definitions import DEFINITIONS
from megabatt.codegen.rewriting.groups import fitting_groups, group_in

_METHODS = {
    "bit_count": "int.bit_count", "bit_length": "int.bit_length", "popitem": "dict.popitem",
}  # fmt: skip
"""The methods, without arguments, that are defined as functions of their owner."""
_CYCLE, _GROUPS, _REPEAT, _SLICE = (
    f"itertools.{name}" for name in ("cycle", "groupby", "repeat", "islice")
)
_GETTER = "operator.itemgetter"
_IN_CALLS = {_CYCLE, _GETTER, _GROUPS, _REPEAT, _SLICE}
"""The functions that are defined for some of their calls alone."""


def with_library(tree: ast.Module) -> ast.Module:
    """Return a source that defines what it calls of Python's library. May change `tree`."""
    bound = Counter(bound_in(tree))
    names = _imported_in(tree, bound)
    has_bits = any(one.attr in {"count", *_METHODS} for one in nodes_in(tree, ast.Attribute))
    if not names and not has_bits:
        return tree
    rewriter = _Rewriter(tree, bound, names)
    rewriter.visit(tree)
    if rewriter.used:
        tree.body[:0] = rewriter.definitions()
        forget(tree)
    return tree


def _imported_in(tree: ast.Module, bound: Mapping[str, int]) -> dict[str, str]:
    """Return what a source imports of the library, by the names that mean nothing else there."""
    known = {*DEFINITIONS, *_IN_CALLS}
    found: dict[str, str] = {}
    times: Counter[str] = Counter()
    for part in nodes_in(tree, ast.ImportFrom):
        times.update(bound_in(part))
        for alias in part.names:
            if alias.name == "*":
                whole = [name for name in known if name.rpartition(".")[0] == part.module]
                found |= {name.rpartition(".")[2]: name for name in whole}
            else:
                found[alias.asname or alias.name] = f"{part.module}.{alias.name}"
    for statement in nodes_in(tree, ast.Import):
        times.update(bound_in(statement))
        found |= {alias.asname or alias.name: alias.name for alias in statement.names}
    known |= {name.rpartition(".")[0] for name in known}
    return {
        name: whole for name, whole in found.items()
        if whole in known and bound[name] <= times[name]
    }


@cache
def _definition(name: str) -> ast.FunctionDef:
    function = ast.parse(DEFINITIONS[name]).body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


@cache
def _read_by(name: str) -> frozenset[str]:
    """Return the names around a definition that it reads."""
    function = _definition(name)
    return frozenset(named_in(function) - set(bound_in(function)))


class _Rewriter(ast.NodeTransformer):
    """Puts the names of definitions where a source reads functions of the library.

    names: What the source imports, by the names that it has there. used: The definitions that are
    read, with the first place.
    """

    def __init__(
        self, tree: ast.Module, bound: Mapping[str, int], names: Mapping[str, str]
    ) -> None:
        self.used: dict[str, ast.expr] = {}
        self._bound = bound
        self._names = names
        self._groups = fitting_groups(tree, self._is_groups)

    def definitions(self) -> list[ast.stmt]:
        """Return the definitions of what is read, each at the place that reads it first."""
        made: list[ast.stmt] = []
        left = dict(self.used)
        while left:
            name, place = left.popitem()
            function = copy_of_all(_definition(name))
            function.name = f" {name}"
            for part in ast.walk(function):
                if isinstance(part, ast.Name) and part.id in DEFINITIONS:
                    if part.id not in self.used:
                        self.used[part.id] = left[part.id] = place
                    part.id = f" {part.id}"
                if isinstance(part, ast.expr | ast.stmt | ast.arg):
                    _put_behind(part, place)
            function.col_offset = -1  # before all that the module computes in this line
            made.append(function)
        return made

    def _whole(self, node: ast.AST) -> str:
        """Return the qualified name of what a node reads; "" if it is not of the library."""
        match node:
            case ast.Name(name, ast.Load()):
                return self._names.get(name, "")
            case ast.Attribute(ast.Name("int"), "bit_count" | "bit_length" as method):
                return "" if self._bound.get("int") else _METHODS[method]
            case ast.Attribute(ast.Name(module), name, ast.Load()) if module in self._names:
                return f"{self._names[module]}.{name}"
        return ""

    def _is_groups(self, node: ast.AST) -> bool:
        """Tell whether a node is a call of `groupby`."""
        return isinstance(node, ast.Call) and self._whole(node.func) == _GROUPS

    def _named(self, name: str, place: ast.expr) -> ast.expr | None:
        """Return what reads a definition; None if the source hides what the definition reads."""
        if name not in DEFINITIONS or any(map(self._bound.get, _read_by(name))):
            return None
        self.used.setdefault(name, place)
        return placed(ast.Name(f" {name}", ast.Load()), place)

    def _read(self, node: ast.expr) -> ast.expr:
        whole = self._whole(node)
        return node if whole in _IN_CALLS else self._named(whole, node) or node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._read(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        return self._read(node)

    def visit_For(self, node: ast.For) -> ast.For:
        """Make the group of `for key, group in groupby(rows)` an iterator over its list."""
        name = group_in(node.target, node.iter, self._groups)
        self.generic_visit(node)
        if name:
            made = ast.Call(ast.Name("iter", ast.Load()), [ast.Name(name, ast.Load())], [])
            node.body.insert(0, placed(ast.Assign([ast.Name(name, ast.Store())], made), node))
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name, given = self._called(node)
        called = self._named(name, node.func) if name else None
        if called is not None:
            is_own = {"iter", "list"} & self._bound.keys()
            is_new = name.startswith("zip") and not is_own and all(map(_is_new, given))
            node = placed(ast.Call(called, given, node.keywords), node)
            for around in ("list", "iter") if is_new else ():  # a loop may change what it is of
                node = placed(ast.Call(ast.Name(around, ast.Load()), [node], []), node)
        self.generic_visit(node)
        is_getter = self._whole(node.func) == _GETTER and not node.keywords
        return _getter(node) if is_getter else node

    def _called(self, call: ast.Call) -> tuple[str, list[ast.expr]]:
        """Return the definition for a call, and the arguments; "" if any may be called."""
        given, whole = call.args, self._whole(call.func)
        if any(isinstance(one, ast.Starred) for one in given):
            return "", []
        match call.func, given:
            case ast.Attribute(owner, method), [] if method in _METHODS and not call.keywords:
                return ("" if self._bound.get(method) else _METHODS[method]), [owner]
            case ast.Attribute(ast.Call(ast.Name("bin"), [number]), "count"), [ast.Constant("1")]:
                return ("" if self._bound.get("bin") else "int.bit_count"), [number]
            case ast.Name("zip"), [one, other] if not call.keywords:
                if (cycled := self._cycled(other)) is not None:
                    return "zip with a cycle", [one, cycled]
                if (cycled := self._cycled(one)) is not None:
                    return "zip of a cycle", [cycled, other]
            case _, [over, *bounds] if whole == _SLICE and bounds:
                bounds = [ast.Constant(0), *bounds] if len(bounds) == 1 else bounds
                cycled = self._cycled(over)
                return whole if cycled is None else "slice of a cycle", [cycled or over, *bounds]
            case _ if whole == _GROUPS and call in self._groups:
                return whole, given
            case _, [_, _] if whole == _REPEAT:
                return whole, given
        return "", []

    def _cycled(self, node: ast.expr) -> ast.expr | None:
        """Return what `cycle(x)` repeats, or `[x]` for `repeat(x)`; None for another node."""
        match node:
            case ast.Call(function, [over], []) if self._whole(function) == _CYCLE:
                return over
            case ast.Call(function, [one], []) if self._whole(function) == _REPEAT:
                return placed(ast.List([one], ast.Load()), one)
        return None


def _is_new(node: ast.expr) -> bool:
    """Tell whether nothing else holds a list, tuple or range."""
    is_made = isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("range", "sorted")
    return is_made or isinstance(node, ast.List | ast.ListComp | ast.Tuple)


def _getter(call: ast.Call) -> ast.expr:
    """Return the function that `itemgetter(1)` gives; the call if places are not written out."""
    one = ast.Name(" one", ast.Load())
    parts: list[ast.expr] = [ast.Subscript(one, place, ast.Load()) for place in call.args]
    kinds = ast.Constant | ast.UnaryOp | ast.USub
    if not parts or not all(isinstance(n, kinds) for p in call.args for n in ast.walk(p)):
        return call
    body = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
    taken = ast.arguments([], [ast.arg(one.id)], None, [], [], None, [])
    return placed(ast.Lambda(taken, body), call)


def _put_behind(part: ast.expr | ast.stmt | ast.arg, place: ast.expr) -> None:
    """Put a node of a definition in a line of the source, and each node in another column."""
    column = 1000 * part.lineno + part.col_offset
    part.lineno = part.end_lineno = place.lineno
    part.col_offset = part.end_col_offset = column
