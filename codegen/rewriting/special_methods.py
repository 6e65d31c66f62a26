"""Writes calls of methods where Python calls them by itself.

`len(shape)` becomes `shape.__len_of_Shape()`. A class stays as it is if Python may also call its
methods where that is not certain here, as for `sorted(shapes)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from megabatt.codegen.analysis.carriers import OF_PYTHON, Carriers
from megabatt.codegen.analysis.nodes import (
    annotations_in,
    called_name,
    copy_of_all,
    forget,
    last_name,
    nodes_in,
    placed,
)
from megabatt.codegen.analysis.objects import OPERATORS, OTHER, Objects
from megabatt.codegen.fields import for_now
from megabatt.codegen.rewriting.classes import ClassWriter, Unclear, said_of, with_classes_written
from megabatt.codegen.rewriting.places import PURE

_ORDERS = {ast.Lt: "__lt__", ast.LtE: "__le__", ast.Gt: "__gt__", ast.GtE: "__ge__"}
_READ = {
    "__bool__", "__call__", "__contains__", "__eq__", "__getitem__", "__hash__", "__iter__",
    "__len__", "__setitem__", *OPERATORS.values(), *_ORDERS.values(),
}  # fmt: skip
_ITERATING = {
    "Counter", "all", "any", "deque", "dict", "enumerate", "extend", "filter", "frozenset", "list",
    "map", "max", "min", "set", "sorted", "sum", "tuple", "update", "zip",
}  # fmt: skip
"""Functions and methods that iterate over their arguments."""
_HOLDING = {
    "add", "append", "appendleft", "copy", "count", "deepcopy", "discard", "get", "index", "insert",
    "isinstance", "print", "remove", "setdefault",
}  # fmt: skip
"""Functions and methods that call no method of an object they are given, but may compare it."""
_OF_CONTAINERS = {
    "deque", "enumerate", "extend", "frozenset", "len", "list", "next", "reversed", "set", "tuple",
    "zip",
}  # fmt: skip
"""Functions and methods that call no method of an object in a container which they are given."""
_LOOKS = ast.In | ast.NotIn
_PLACES = (
    ast.AnnAssign | ast.Attribute | ast.ClassDef | ast.Dict | ast.DictComp | ast.Expr
    | ast.FormattedValue | ast.FunctionDef | ast.GeneratorExp | ast.JoinedStr | ast.Lambda
    | ast.List | ast.ListComp | ast.NamedExpr | ast.Return | ast.Set | ast.SetComp | ast.Tuple
    | ast.Yield | ast.arg | ast.arguments
)  # fmt: skip
"""Where Python calls no method of an object, but may compare it."""
_PLACES_OF_CONTAINERS = (
    ast.Assign | ast.AugAssign | ast.BinOp | ast.BoolOp | ast.Compare | ast.If | ast.IfExp
    | ast.Starred | ast.Subscript | ast.UnaryOp | ast.While | ast.YieldFrom | ast.comprehension
)  # fmt: skip
"""Where Python calls no method of an object in a container."""


class _Special(NamedTuple):
    """A class with methods that Python calls by itself, which `names` are."""

    definition: ast.ClassDef
    names: set[str]


def with_special_methods_called(tree: ast.Module) -> ast.Module:
    """Return a source in which no class has methods that Python calls by itself, if possible."""
    return with_classes_written(tree, _class_of, _Calls)[0]


def _class_of(
    definition: ast.ClassDef, bound: Mapping[str, int], tree: ast.Module
) -> _Special | None:  # fmt: skip
    """Return what a class has; None if nothing is to be written otherwise, or cannot be."""
    kinds = {called_name(one) for one in (*definition.decorator_list, *definition.bases)}
    functions = [part.name for part in definition.body if isinstance(part, ast.FunctionDef)]
    names = {name for name in functions if name in _READ}
    is_read = kinds <= {"dataclass", "object"} and not {"bool", "iter", "len"} & bound.keys()
    return _Special(definition, names) if names and is_read else None


class _Calls(ClassWriter):
    """Writes calls of methods where Python calls them by itself."""

    def __init__(self, classes: Mapping[str, _Special], tree: ast.Module) -> None:
        super().__init__(classes)
        definitions = nodes_in(tree, ast.ClassDef)
        parts = (part for one in definitions for part in one.body)
        members = {part.name for part in parts if isinstance(part, ast.FunctionDef)}
        for call in nodes_in(tree, ast.Call):
            call.args = [*map(_with_parameter, call.args)]
            for word in call.keywords:
                word.value = _with_parameter(word.value)
        forget(tree)
        self._objects = Objects(tree, {one.name for one in definitions}, members)
        self._is_equality = False
        """Whether the function at hand is an `__eq__`."""

    def statements(self, body: list[ast.stmt]) -> Iterator[ast.stmt]:
        """Yield the statements of a module. Raises Unclear where Python may call other methods."""
        made = ast.Module([*super().statements(body)], [])
        forget(made)
        _Check(self._classes, self._objects, made).visit(made)
        yield from made.body

    def written(self, one: _Special) -> Iterator[ast.stmt]:
        """Yield a class whose methods have other names."""
        of = one.definition
        of.body = [part for part in of.body if getattr(part, "name", "") != "__hash__"]
        for part in of.body:
            if isinstance(part, ast.FunctionDef) and part.name in one.names:
                part.name = _renamed(part.name, of.name)
        yield self.visit(of)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Write a function; one that returns an iterator returns what that is over."""
        for end in nodes_in(node, ast.Return) if node.name.startswith("__iter_of") else ():
            match end.value:
                case ast.Call(ast.Name("iter"), [value]):
                    end.value = self._called(value, "__iter__")
        with for_now(self, _is_equality=node.name.startswith("__eq_of")):
            return self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST:
        """Write that a value of another kind is not equal where `__eq__` gives up for it."""
        match node:
            case ast.If(
                ast.UnaryOp(ast.Not(), ast.Call(ast.Name("isinstance"))),
                [ast.Return(ast.Name("NotImplemented")) as end],
            ) if self._is_equality:
                end.value = placed(ast.Constant(False), end)
        return self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """Write an error where a method gives up; Python would try others then."""
        if getattr(node.value, "id", "") == "NotImplemented":
            if self._is_equality:
                what = "`__eq__` must return a Boolean, not NotImplemented"
                raise Unclear(*self._classes, why=lambda _: what)
            return placed(ast.Raise(ast.Name("TypeError", ast.Load())), node)
        return self.generic_visit(node)

    def visit(self, node: ast.AST) -> Any:
        """Write a node otherwise, and then its parts."""
        return super().visit(self._with_calls(node))

    def _with_calls(self, node: ast.AST) -> ast.AST:
        """Return a node in which methods are called; its parts are as they were."""
        call = self._called
        match node:
            case ast.If() | ast.While() | ast.IfExp() | ast.Assert():
                node.test = self._tested(node.test)
            case ast.UnaryOp(ast.Not()):
                node.operand = self._tested(node.operand)
            case ast.For() | ast.comprehension():
                node.iter = call(node.iter, "__iter__")
                if isinstance(node, ast.comprehension):
                    node.ifs = [*map(self._tested, node.ifs)]
            case ast.Starred(ctx=ast.Load()) | ast.YieldFrom() | ast.Assign([ast.Tuple()]):
                node.value = call(node.value, "__iter__")
            case ast.Assign([ast.Subscript(owner, index)], value) if not _acts(value):
                made = call(owner, "__setitem__", index, value)
                return node if made is owner else placed(ast.Expr(made), node)
            case ast.AugAssign(ast.Name(name), operator, value):
                before = placed(ast.Name(name, ast.Load()), node)
                made = call(before, OPERATORS.get(type(operator), ""), value)
                return node if made is before else placed(ast.Assign([node.target], made), node)
            case ast.Call(ast.Name("bool"), [one], []):
                node.args = [self._tested(one)]
            case ast.Call(ast.Name("len"), [owner], []):
                return call(owner, "__len__", instead=node)
            case ast.Call(ast.Name() as owner, given, []):
                if owner.id in _ITERATING and not self._objects.is_own(owner.id):
                    over = _iterated_by(owner.id, given)
                    node.args = [call(one, "__iter__") if one in over else one for one in given]
                return call(owner, "__call__", *given, instead=node)
            case ast.Call(ast.Attribute(owner, name), given) if name in _ITERATING and (
                name not in self._objects.members or self._objects.class_of(owner) == OTHER
            ):
                node.args = [call(one, "__iter__") for one in given]
            case ast.BinOp(owner, operator, other):
                return call(owner, OPERATORS.get(type(operator), ""), other, instead=node)
            case ast.Subscript(owner, index, ast.Load()) if not isinstance(index, ast.Slice):
                return call(owner, "__getitem__", index, instead=node)
            case ast.Compare(value, [ast.In()], [owner]) if not _acts(value):
                made = call(owner, "__contains__", value)
                return node if made is owner else _truth(made)
            case ast.Compare(value, [ast.NotIn()], [owner]) if not _acts(value):
                made = call(owner, "__contains__", value)
                return node if made is owner else placed(ast.UnaryOp(ast.Not(), made), node)
            case ast.Compare(owner, [ast.Eq()], [other]):
                return self._equal(owner, other, node)
            case ast.Compare(owner, [ast.NotEq()], [other]):
                made = self._equal(owner, other, node)
                return node if made is node else placed(ast.UnaryOp(ast.Not(), made), node)
            case ast.Compare(owner, [operator], [other]):
                return call(owner, _ORDERS.get(type(operator), ""), other, instead=node)
        return node

    def _called(
        self, owner: ast.expr, name: str, *given: ast.expr, instead: ast.expr | None = None
    ) -> ast.expr:
        """Return a call of an object's method; if it has none, `instead`, or the owner."""
        of = self._classes.get(self._objects.class_of(owner) or OTHER)
        if of is None or name not in of.names or isinstance(owner, ast.Starred):
            return owner if instead is None else instead
        function = ast.Attribute(owner, _renamed(name, of.definition.name), ast.Load())
        return placed(ast.Call(function, [*given], []), owner)

    def _equal(self, owner: ast.expr, other: ast.expr, node: ast.expr) -> ast.expr:
        """Return a comparison of values that may be None; of None, Python asks the other value.

        It stays if nothing is to be called, or if that is not certain.
        """
        made = self._called(owner, "__eq__", other)
        asked = self._called(other, "__eq__", ast.Constant(None))
        is_new = isinstance(other, ast.Call) and called_name(other) in self._classes
        is_certain = self._objects.class_of(other) in (OTHER, self._objects.class_of(owner))
        if asked is not other and not is_new:
            is_certain &= not nodes_in(other, ast.Call)
            asked = ast.BoolOp(ast.Or(), [_is_none(other), asked])
        if made is owner or nodes_in(owner, ast.Call) or not is_certain:
            return node
        of_none = _is_none(other) if asked is other else asked
        return placed(ast.IfExp(_is_none(owner), copy_of_all(of_none), made), node)

    def _tested(self, node: ast.expr) -> ast.expr:
        """Return a condition with calls for the objects in it, each of which may be None."""
        if isinstance(node, ast.BoolOp):
            node.values = [*map(self._tested, node.values)]
        made = self._called(node, "__len__")
        made = self._called(node, "__bool__", instead=made)
        return _if_some(node, made if made is node else _truth(made), node)


class _Check(ast.NodeVisitor):
    """Raises Unclear where Python may call methods of objects by itself."""

    def __init__(self, classes: Mapping[str, _Special], objects: Objects, tree: ast.Module) -> None:
        self._classes = classes
        self._objects = objects
        self._carriers = Carriers(tree, classes.keys())
        self._annotations = annotations_in(tree)
        self._own = {one.name for one in nodes_in(tree, ast.FunctionDef)}
        self._own |= {one.name for one in nodes_in(tree, ast.ClassDef)}
        self._variables = {one.arg for one in nodes_in(tree, ast.arg)}
        self._variables |= {
            one.id for one in nodes_in(tree, ast.Name) if isinstance(one.ctx, ast.Store)
        }
        asked = {"__eq__", "__hash__", *_ORDERS.values()}
        orders = set(_ORDERS.values())
        self._has_order = any(one.names & orders for one in classes.values())
        compared = {name for name, one in classes.items() if one.names & asked}
        self._compared = Carriers(tree, compared, only_compared=True)

    def visit(self, node: ast.AST) -> None:
        """Check a node and its parts."""
        is_wrong = self._compared.compares(node)
        for child in ast.iter_child_nodes(node):
            if child in self._annotations:
                continue
            part = child.value if isinstance(child, ast.keyword) else child
            is_new = isinstance(getattr(part, "ctx", None), ast.Store)
            if isinstance(part, ast.expr) and (not is_new or isinstance(node, ast.AugAssign)):
                is_wrong |= self._carriers.carries(part) and not self._is_harmless(node, part)
            if is_wrong:
                what = "is not known: give the methods other names"
                why = said_of(part, f"which methods Python calls for {{}} {what}")
                raise Unclear(*self._classes, why=why)
            self.visit(part)

    def _is_harmless(self, node: ast.AST, part: ast.expr) -> bool:
        """Tell whether Python calls no method of the objects in a part of a node."""
        is_iterated = isinstance(part, ast.Call) and called_name(part).startswith("__iter_of")
        is_container = is_iterated or self._objects.class_of(part) == OTHER
        match node:
            case ast.Call():
                return self._is_harmless_in(node, part, is_container)
            case ast.IfExp(test) if part is not test:
                return True
            case ast.Assign(targets) if not any(isinstance(one, ast.Tuple) for one in targets):
                return True
            case ast.For(target, over) | ast.comprehension(target, over) if part is over:
                is_apart = called_name(over) in {"enumerate", "items", "zip"} - self._own
                return is_container and (isinstance(target, ast.Name) or is_apart)
            case ast.Compare(left, [operator]) if type(operator) not in _ORDERS:
                return part is left or not isinstance(operator, _LOOKS) or is_container
            case ast.Compare(_, operators):
                return not self._has_order and (is_container or len(operators) == 1)
            case ast.Subscript(slice=key) if part is key:
                return True
        is_place = isinstance(node, _PLACES)
        return is_place or (is_container and isinstance(node, _PLACES_OF_CONTAINERS))

    def _is_harmless_in(self, call: ast.Call, part: ast.expr, is_container: bool) -> bool:
        """Do `_is_harmless` for a call."""
        name, owner = last_name(call.func), getattr(call.func, "value", None)
        if part is call.func:
            return isinstance(part, ast.Attribute) or name not in self._variables
        is_certain = owner is None or name not in OF_PYTHON or self._objects.is_object(owner)
        if name in self._own and is_certain:
            return True
        if name in _HOLDING or self._is_own(part):
            return True
        keys = [word.value for word in call.keywords if word.arg == "key"]
        if name in ("max", "min", "sort", "sorted"):
            is_ordered = self._has_order and any(map(self._carriers.carries, keys))
            is_apart = not is_ordered and all(map(self._is_own, keys or [call]))
        elif name in ("filter", "map"):
            is_apart = self._is_own(call.args[0])
        else:
            is_apart = name in _OF_CONTAINERS
        return is_container and is_apart

    def _is_own(self, node: ast.expr) -> bool:
        """Tell whether an expression is a function or class of the source."""
        return isinstance(node, ast.Lambda) or last_name(node) in self._own


def _renamed(name: str, of: str) -> str:
    """Return the name that a method gets: no other class has it, nor does Python call it."""
    return f"{name.rstrip('_')}_of_{of}"


def _with_parameter(node: ast.expr) -> ast.expr:
    """Return `lambda one: len(one)` in place of `len`."""
    if getattr(node, "id", "") != "len":
        return node
    named = ast.Name(" one", ast.Load())
    taking = ast.arguments([], [ast.arg(named.id)], None, [], [], None, [])
    return placed(ast.Lambda(taking, ast.Call(node, [named], [])), node)


def _iterated_by(function: str, given: list[ast.expr]) -> list[ast.expr]:
    """Return the arguments over which a function of Python's iterates."""
    if function in ("filter", "map"):
        return given[1:]
    return [] if function in ("max", "min") and len(given) > 1 else given


def _truth(call: ast.expr) -> ast.expr:
    return placed(ast.Call(ast.Name("bool", ast.Load()), [call], []), call)


def _if_some(owner: ast.expr, made: ast.expr, node: ast.expr) -> ast.expr:
    """Return `owner is not None and made`; a node if nothing is made, or the owner is a call."""
    if made is owner or nodes_in(owner, ast.Call):
        return node
    is_some = ast.Compare(copy_of_all(owner), [ast.IsNot()], [ast.Constant(None)])
    return placed(ast.BoolOp(ast.And(), [is_some, made]), node)


def _is_none(node: ast.expr) -> ast.expr:
    return ast.Compare(copy_of_all(node), [ast.Is()], [ast.Constant(None)])


def _acts(node: ast.expr) -> bool:
    """Tell whether an expression may change something."""
    calls = (last_name(call.func) for call in nodes_in(node, ast.Call))
    return bool(nodes_in(node, ast.NamedExpr)) or not PURE.issuperset(calls)
