"""The meanings of names while a source is read."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from copy import copy
from functools import wraps
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from megabatt.runtime.program import Word

_WITHOUT_PRIMITIVES = frozenset(sys.stdlib_module_names) | {
    "cv2", "matplotlib", "networkx", "numpy", "pandas", "scipy", "skimage", "sklearn", "torch",
}  # fmt: skip
"""Modules whose functions are no primitives, even if a primitive has the same name."""

INSTEAD_OF_MODULES = "write loops over lists, or calls of primitives"

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


def assignment(name: str, value: ast.expr, place: ast.AST) -> ast.Assign:
    """Return an assignment of a value to a name, at the place of another node."""
    return placed(ast.Assign([ast.Name(name, ast.Store())], value), place)


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


def nodes_of_scope(
    scope: ast.AST, is_apart: Callable[[Functions], bool]
) -> Iterator[ast.AST]:
    """Yield the nodes of a scope, or of a part of it, but not in inner functions that are apart."""
    left: list[ast.AST] = [scope]
    for node in left:
        yield node
        if node is scope or not isinstance(node, Functions) or not is_apart(node):
            left += ast.iter_child_nodes(node)


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


Late = dict[tuple["Scope", str], Any]
"""Names that are read later, by scope and name, with the meanings with which they were written."""


class Local(NamedTuple):
    """A function of the source. scope: Its scope. defaults: The values of its last parameters."""

    node: Functions
    scope: Scope
    defaults: tuple[Any, ...]


class Builtin(NamedTuple):
    """A function of Python's."""

    name: str


class Module(NamedTuple):
    """An imported module."""

    name: str

    @property
    def has_primitives(self) -> bool:
        """Whether its functions may be primitives."""
        return self.name.partition(".")[0] not in _WITHOUT_PRIMITIVES


class Foreign(NamedTuple):
    """A name that programs cannot use. message: Why. is_dead: Whether nothing reads its value."""

    message: str
    is_dead: bool = False


class Once(NamedTuple):
    """An iterator of Python's, as a tuple: when a name that stands for it is read, it is used up.

    body: The body that computes it. late: The names that it reads when it is used up.
    """

    word: Word
    body: object
    late: Late


class Dictionary(NamedTuple):
    """A dictionary of Python's, as the tuple of its entries.

    default: The value of a missing key; None if there is none. adds: Whether reading a missing key
    adds it, as in a defaultdict.
    """

    word: Word
    default: Word | None = None
    adds: bool = False

    @property
    def kind(self) -> Dictionary:
        """What it has in common with all others that may take its place."""
        return self._replace(word="")


class Several(NamedTuple):
    """The tuple that a function returns to an assignment of its elements. parts: Their meanings."""

    parts: tuple[Any, ...]


class Raised(NamedTuple):
    """What stands for the value of a function that raises an exception. node: The statement."""

    node: ast.Raise


class Choice(NamedTuple):
    """A function of two: a call of it calls both, and `condition` chooses a result."""

    condition: Word
    functions: tuple[Any, ...]


class Deferred(NamedTuple):
    """A value that a module assigns to a target; each program that reads it computes it."""

    value: ast.expr
    target: ast.expr


Meaning = (
    Word | Local | Builtin | Module | Foreign | Once | Dictionary | Several | Raised | Choice
    | Deferred
)


class Scope:
    """The names of a function, or of a module.

    whole: Its statements. names: The present meaning of each name. assigned: All names it assigns.
    """

    __slots__ = ("assigned", "names", "parent", "whole")

    def __init__(self, parent: Scope | None, whole: Sequence[ast.stmt] = ()) -> None:
        self.parent = parent
        self.whole = whole
        self.names: dict[str, Any] = {}
        self.assigned = assigned_in(whole)

    def find(self, name: str) -> Any:
        """Return the meaning of a name; None if it is unknown.

        Raises LookupError if the name is assigned later only.
        """
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            if name in scope.assigned:
                raise LookupError(name)
            scope = scope.parent
        return None

    def defined(self, names: Set[str]) -> set[str]:
        """Return those of some names that the scope, or a scope around it, defines or assigns."""
        found = self.parent.defined(names) if self.parent is not None else set()
        return found.union(names & self.names.keys(), names & self.assigned)


def assigned_in(statements: Iterable[ast.stmt]) -> set[str]:
    """Return the names that statements assign; assignments within inner functions do not count."""
    names: set[str] = set()
    left = list(statements)
    for statement in left:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                names.update(names_in(target))
        elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
            names.update(names_in(statement.target))
        elif isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.If | ast.For | ast.While):
            left += [*statement.body, *statement.orelse]
            if isinstance(statement, ast.For):
                names.update(names_in(statement.target))
    return names


@once_a_node
def assigned_by(statement: ast.stmt) -> Set[str]:
    """Return the names that a statement assigns, see `assigned_in`."""
    return assigned_in([statement])


@once_a_node
def names_of(function: Functions) -> Set[str]:
    """Return the names of a function's parameters, and those that it assigns."""
    body = function.body if isinstance(function, ast.FunctionDef) else []
    parameters = {part.arg for part in nodes_in(function.args, ast.arg)}
    return parameters | assigned_in(body)


def own_statements(function: ast.FunctionDef) -> list[ast.stmt]:
    """List the statements of a function except those that define others."""
    return [part for part in function.body if not isinstance(part, ast.FunctionDef)]


@once_a_node
def named_in(node: ast.AST) -> Set[str]:
    """Return the names in a node, read or assigned."""
    return {part.id for part in nodes_in(node, ast.Name)}


@once_a_node
def stored_in(statement: ast.stmt) -> Set[str]:
    """Return the names that an unread statement assigns, or takes from outside of a function."""
    if isinstance(statement, ast.Global | ast.Nonlocal):
        return set(statement.names)
    return {part.id for part in nodes_in(statement, ast.Name) if isinstance(part.ctx, ast.Store)}


def changed_in(statement: ast.stmt) -> set[str]:
    """Return the names that an unread statement assigns, deletes, or may change in place."""
    changed = set(stored_in(statement))
    for part in all_nodes_in(statement):
        match part:
            case ast.Name(id=name, ctx=ast.Del()):
                changed.add(name)
            case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Call(func=ast.Attribute()):
                owner: ast.AST = part
                while isinstance(owner, ast.Subscript | ast.Attribute | ast.Call):
                    owner = owner.func if isinstance(owner, ast.Call) else owner.value
                if isinstance(owner, ast.Name):
                    changed.add(owner.id)
    return changed


_OF_REALS = {"float", "pow", "power_of", "ratio_of", "root_of"}
_OF_MODULES = {*_OF_REALS, "e", "inf", "isqrt", "pi", "sqrt"}
"""The names of functions and of constants, alone and of modules, that give Reals."""


def is_only_subscripted(name: str, nodes: Iterable[ast.AST]) -> bool:
    """Tell whether nodes only read a name as in name[k]."""
    parts = [part for node in nodes for part in all_nodes_in(node)]
    indexed = {part.value for part in parts if isinstance(part, ast.Subscript)}
    reads = [part for part in parts if isinstance(part, ast.Name) and part.id == name]
    return all(part in indexed or not isinstance(part.ctx, ast.Load) for part in reads)


def unwrapped(node: ast.expr) -> ast.expr:
    """Return the container whose elements an expression has, in any order."""
    match node:
        case ast.Call(ast.Name("list" | "reversed" | "set" | "sorted" | "tuple"), [container]):
            return unwrapped(container)
    return node


def may_have_reals(tree: ast.AST) -> bool:
    """Tell whether a value of a source's programs may be a Real."""
    named = {node.id for node in nodes_in(tree, ast.Name)}
    of_modules = {node.attr for node in nodes_in(tree, ast.Attribute)}
    for statement in nodes_in(tree, ast.ImportFrom):
        whole = "sqrt" if statement.module == "math" else "*"
        of_modules |= {whole if node.name == "*" else node.name for node in statement.names}
    return bool(
        named & _OF_REALS
        or of_modules & _OF_MODULES
        or any(node.value.__class__ is float for node in nodes_in(tree, ast.Constant))
        or any(_makes_real(node.op, node.right) for node in nodes_in(tree, ast.BinOp))
        or any(_makes_real(node.op, node.value) for node in nodes_in(tree, ast.AugAssign))
    )


def _makes_real(operator: ast.operator, right: ast.expr) -> bool:
    is_power = isinstance(operator, ast.Pow) and not isinstance(right, ast.Constant)
    return is_power or isinstance(operator, ast.Div)


def bound_in(node: ast.AST) -> Iterator[str]:
    """Yield a name whenever something within a node binds it."""
    for part in all_nodes_in(node):
        match part:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]


def names_shared_in(node: ast.AST) -> set[str]:
    """Return the names that functions within a node share by `nonlocal` and `global`."""
    shared: list[Any] = [*nodes_in(node, ast.Nonlocal), *nodes_in(node, ast.Global)]
    return {name for statement in shared for name in statement.names}


def names_in(target: ast.expr) -> Iterator[str]:
    """Yield the names of a target of an assignment."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            yield from names_in(part)
    elif isinstance(target, ast.Starred):
        yield from names_in(target.value)


def import_into(
    scope: Scope, statement: ast.Import | ast.ImportFrom, meanings: Mapping[str, Any]
) -> None:
    """Bind imported names to words of the language or to modules."""
    for alias in statement.names:
        if isinstance(statement, ast.Import):
            name = alias.asname or alias.name.partition(".")[0]
            scope.names[name] = Module(alias.name)
            continue
        if alias.name == "*":
            words = [word for word in meanings if word.rpartition(".")[0] == statement.module]
            scope.names.update((word.rpartition(".")[2], meanings[word]) for word in words)
            continue
        name = alias.asname or alias.name
        whole = f"{statement.module}.{alias.name}"
        if whole in meanings:
            scope.names[name] = meanings[whole]
        elif (statement.module or "").partition(".")[0] in _WITHOUT_PRIMITIVES:
            what = f"{name!r} of module {statement.module!r} is not read"
            scope.names[name] = Foreign(f"{what}: {INSTEAD_OF_MODULES}")
        elif alias.name in meanings:
            scope.names[name] = meanings[alias.name]
        elif name in meanings or name not in scope.names:  # else another fence defines it
            what = f"{name!r} is {whole!r}, which is not in the language"
            scope.names[name] = Foreign(f"{what}: define it in the source")


def as_in_source(name: str) -> str:
    """Return the name that a source has for a name; "" for one that a rewriting has made."""
    if not name.startswith(" "):
        return name
    parts = name.split(":")  # of a comprehension's variable, see `Steps`
    return parts[-1] if len(parts) > 3 else ""


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


class _Written(ast.NodeTransformer):
    """Replaces elements at places by the names that loops had for them."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        index = getattr(node.slice, "id", "")
        if index.startswith(" ") and index[1:].isidentifier():
            return ast.Name(index[1:], ast.Load())
        return self.generic_visit(node)


def as_written(node: ast.expr) -> str:
    """Return the text of an expression with the names that its source has."""
    return ast.unparse(_Written().visit(copy_of_all(node)))
