"""Finds, copies and makes nodes of a syntax tree."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import wraps
from itertools import chain
from typing import Any, TypeVar

Functions = ast.FunctionDef | ast.Lambda

Found = TypeVar("Found")
Node = TypeVar("Node", bound=ast.AST)
_KNOWN: set[str] = set()
"""The attributes of nodes with what functions found in them."""


def once_a_node(function: Callable[[Any], Found]) -> Callable[[Any], Found]:
    """Make a function keep what it finds in a node, which is never None, until `forget`."""
    attribute = f"{function.__module__}.{function.__name__}"
    _KNOWN.add(attribute)

    @wraps(function)
    def find(node: ast.AST) -> Found:
        found = node.__dict__.get(attribute)
        if found is None:
            found = node.__dict__[attribute] = function(node)
        return found

    return find


def forget(source: ast.AST) -> None:
    """Forget what functions found in the nodes of a source, which has changed."""
    for node in ast.walk(source):
        _forget_node(node)


def _forget_node(node: ast.AST) -> None:
    for attribute in _KNOWN & node.__dict__.keys():
        del node.__dict__[attribute]


def copy_of(node: Node) -> Node:
    """Return a node with the same parts, which is to be changed."""
    made = copy(node)
    _forget_node(made)
    return made


def copy_of_all(node: Node) -> Node:
    """Return a copy without a node that stands in two places."""
    made = copy_of(node)
    for field, value in ast.iter_fields(made):
        if isinstance(value, ast.AST):
            setattr(made, field, copy_of_all(value))
        elif isinstance(value, list):
            parts = [copy_of_all(part) if isinstance(part, ast.AST) else part for part in value]
            setattr(made, field, parts)
    return made


def placed(node: Node, place: ast.AST) -> Node:
    """Return a new node at the place of another, with the new nodes in it."""
    ast.copy_location(node, place)
    for part in ast.iter_child_nodes(node):
        if not hasattr(part, "lineno") and part._fields:
            placed(part, place)
    return node


def rename(node: ast.AST, names: Mapping[str, str]) -> None:
    """Give the names within a new node others, in place."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            part.id = names.get(part.id, part.id)


def assignment(name: str, value: ast.expr, place: ast.AST) -> ast.Assign:
    """Return an assignment of a value to a name, at the place of another node."""
    return placed(ast.Assign([ast.Name(name, ast.Store())], value), place)


def last_name(node: ast.AST) -> str:
    """Return `a` of `a` and of `b.a`; "" for another expression."""
    return getattr(node, "attr", getattr(node, "id", ""))


def called_name(node: ast.AST) -> str:
    """Return the last name of `a.b`, also in a call `a.b(...)`."""
    return last_name(node.func if isinstance(node, ast.Call) else node)


def is_call_of(name: str, node: ast.AST | None) -> bool:
    """Tell whether a node is a call of a name."""
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == name


def call_of_method(owner: str, method: str, *arguments: ast.expr) -> ast.Call:
    """Return a call of a method of the value of a name."""
    named = ast.Name(owner, ast.Load())
    return ast.Call(ast.Attribute(named, method, ast.Load()), [*arguments], [])


def nodes_in(node: ast.AST, kind: type[Node]) -> Sequence[Node]:
    """List the nodes of a kind within a node, itself included."""
    within = _within(node).get(kind, [])
    return [node, *within] if node.__class__ is kind else within


def functions_in(node: ast.AST) -> list[Functions]:
    """List the functions within a node, itself included."""
    return [*nodes_in(node, ast.FunctionDef), *nodes_in(node, ast.Lambda)]


def functions_within(function: Functions) -> list[Functions]:
    """List the functions that a function defines."""
    return [part for part in functions_in(function) if part is not function]


def _always(function: Functions) -> bool:
    return True


def nodes_of_scope(
    scope: ast.AST | Sequence[ast.AST], is_apart: Callable[[Functions], bool] = _always
) -> Iterator[ast.AST]:
    """Yield the nodes of a scope, or of parts of one.

    Of inner functions that are apart, only the nodes are yielded that Python evaluates outside.
    """
    left = [scope] if isinstance(scope, ast.AST) else [*scope]
    for node in left:
        yield node
        if node is scope or not isinstance(node, Functions) or not is_apart(node):
            left += ast.iter_child_nodes(node)
        else:
            left += [*node.args.defaults, *filter(None, node.args.kw_defaults)]
            left += getattr(node, "decorator_list", [])


def certain_parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of an expression that Python evaluates in any case, in that order."""
    parts: Iterable[ast.AST] = ast.iter_child_nodes(node)
    match node:
        case ast.BoolOp(values=[first, *_]) | ast.IfExp(test=first):
            parts = [first]
        case ast.Compare(left, _, [second, *_]):
            parts = [left, second]
        case ast.Lambda() | ast.Dict():
            parts = []
        case ast.NamedExpr(_, value):
            parts = [value]
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            parts = [node.generators[0].iter]
    for part in parts:
        yield from certain_parts(part)
    yield node


def all_nodes_in(node: ast.AST) -> list[ast.AST]:
    """List a node and the nodes within it, except operators and contexts of names."""
    return [node, *chain.from_iterable(_within(node).values())]


@once_a_node
def _within(node: ast.AST) -> Mapping[type[ast.AST], list[Any]]:
    """Return the nodes within a node by kind.

    The node is not among them: if it held itself, it would never be freed without a collection.
    """
    within: defaultdict[type[ast.AST], list[Any]] = defaultdict(list)
    left = [node]
    for part in left:
        if part is not node:
            within[part.__class__].append(part)
        for field in _FIELDS[part.__class__]:
            value = getattr(part, field, None)
            if value.__class__ is not list:
                if isinstance(value, ast.AST):
                    left.append(value)
            elif field != "body":  # an `elif` is in `orelse`, and there may be hundreds
                left += [element for element in value if isinstance(element, ast.AST)]
            else:
                for statement in value:
                    within[statement.__class__].append(statement)
                    for kind, nodes in _within(statement).items():
                        within[kind] += nodes
    return within


_WITHOUT_NODES = {"arg", "attr", "ctx", "id", "kind", "name", "op", "ops", "type_comment"}
_FIELDS = {
    kind: tuple(field for field in kind._fields if field not in _WITHOUT_NODES)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
"""For each kind of node, the fields that may hold nodes other than operators and contexts."""


def annotations_in(tree: ast.AST) -> set[ast.AST]:
    """Return the nodes of the annotations in a tree, which Python does not need."""
    found: set[ast.AST] = set()
    for part in all_nodes_in(tree):
        for kind in (getattr(part, "annotation", None), getattr(part, "returns", None)):
            found.update(ast.walk(kind) if kind is not None else ())
    return found


def parameters_of(function: Functions) -> list[ast.arg]:
    """Return the parameters of a function, in order."""
    given = function.args
    any_number = [given.vararg] if given.vararg else []
    return [*given.posonlyargs, *given.args, *any_number, *given.kwonlyargs]


def parts_at(values: Sequence[ast.expr | None], place: int) -> list[ast.expr]:
    """Return what tuples have at a place; none if not all values are tuples that show it."""
    shown = [
        value.elts[place] for value in values
        if isinstance(value, ast.Tuple) and 0 <= place < len(value.elts)
        and not any(isinstance(part, ast.Starred) for part in value.elts)
    ]  # fmt: skip
    return shown if len(shown) == len(values) else []


def own_statements(function: ast.FunctionDef) -> list[ast.stmt]:
    """List the statements of a function except those that define others."""
    return [part for part in function.body if not isinstance(part, ast.FunctionDef)]


def unwrapped(node: ast.expr) -> ast.expr:
    """Return the container whose elements an expression has, in any order."""
    match node:
        case ast.Call(ast.Name("list" | "reversed" | "set" | "sorted" | "tuple"), [container]):
            return unwrapped(container)
    return node


def as_function(statement: ast.stmt) -> Any:
    """Return `name = lambda ...` as the definition of a function; another statement as it is."""
    match statement:
        case ast.Assign(targets=[ast.Name(name)], value=ast.Lambda(args=args, body=body)):
            returned = placed(ast.Return(body), body)
            return placed(ast.FunctionDef(name, args, [returned], []), statement)
    return statement


def with_definitions(
    tree: ast.Module, is_chosen: Callable[[str, ast.Lambda], bool]
) -> ast.Module:
    """Return a source that defines chosen lambdas as functions. May change `tree`.

    is_chosen: Tells of the name of a lambda, and of the lambda, whether it is to be a function.
    """
    chosen: list[ast.Assign] = []
    for statement in nodes_in(tree, ast.Assign):
        match statement:
            case ast.Assign([ast.Name(name)], ast.Lambda() as function):
                if is_chosen(name, function):
                    chosen.append(statement)
    if chosen:
        tree = _Defined(chosen).visit(tree)
        forget(tree)
    return tree


class _Defined(ast.NodeTransformer):
    """Writes some statements `name = lambda ...` as definitions."""

    def __init__(self, chosen: Sequence[ast.Assign]) -> None:
        self._chosen = chosen

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        return as_function(node) if node in self._chosen else node
