"""Rewrites reads of a `defaultdict`, which may add a key, as reads of a key that is there.

`row = groups[k]` becomes `groups.setdefault(k, list())` and `row = groups[k]`, where the statement
reads nothing else of the dictionary, and reads the key in any case. The source does the same as
before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, TypeGuard, get_args

from megabatt.codegen.analysis.liveness import LOOPS, loads
from megabatt.codegen.analysis.names import (
    assigned_in,
    bound_in,
    is_only_subscripted,
    named_in,
)
from megabatt.codegen.analysis.nodes import (
    assignment,
    call_of_method,
    certain_parts,
    copy_of_all,
    forget,
    functions_within,
    nodes_in,
    own_statements,
    parameters_of,
    placed,
    unwrapped,
)
from megabatt.codegen.analysis.ownership import (
    Comprehension,
    assigned_to,
    call_of_change,
    indices_of,
)
from megabatt.codegen.rewriting.places import PURE

_FACTORIES = {"bool", "dict", "float", "int", "list", "set"}
_BUILTINS = _FACTORIES | PURE
"""The functions of Python that must have their own names."""
_FIXED = (
    ast.BinOp, ast.Call, ast.Constant, ast.Load, ast.Name, ast.Subscript, ast.Tuple, ast.UnaryOp,
    ast.operator, ast.unaryop,
)  # fmt: skip
"""The nodes of keys that have one value throughout a statement."""
_PLAIN = (
    ast.Constant, ast.Dict, ast.List, ast.Load, ast.Name, ast.Set, ast.Tuple, ast.UnaryOp,
    ast.operator, ast.unaryop,
)  # fmt: skip


def with_keys_added(tree: ast.Module) -> ast.Module:
    """Return a source whose reads of missing keys add them on lines of their own."""
    made = [node for node in nodes_in(tree, ast.Call) if _factory(node) is not None]
    is_other = any(nodes_in(tree, kind) for kind in (ast.Nonlocal, ast.Global))
    if not made or is_other or not _BUILTINS.isdisjoint(bound_in(tree)):
        return tree
    for function in nodes_in(tree, ast.FunctionDef):
        if defaults := _defaults_in(function):
            _mark_guarded(function, defaults.keys())
            function.body = list(_with_keys(function.body, defaults))
    forget(tree)
    return tree


def _factory(node: ast.AST | None) -> ast.expr | None:
    """Return what makes the missing values of a `defaultdict` that is made; None for others."""
    match node:
        case ast.Call(ast.Name("defaultdict") | ast.Attribute(attr="defaultdict"), [made], []):
            if getattr(made, "id", "") in _FACTORIES:
                return ast.Call(made, [], [])
            match made:
                case ast.Lambda(body=body) if not parameters_of(made):
                    return body if all(map(_cannot_fail, ast.walk(body))) else None
    return None


def _cannot_fail(node: ast.AST) -> bool:
    """Tell whether a part of an expression can be computed at any time."""
    match node:
        case ast.BinOp(op=operator):
            return isinstance(operator, ast.Add | ast.Sub | ast.Mult)
        case ast.Call(ast.Name("len"), [ast.Name()], []):
            return True
    return isinstance(node, _PLAIN)


def _defaults_in(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Return the names of a function that only ever are such dictionaries, with their defaults.

    Where a function only reads d[k] of a dictionary, nothing sees which keys it has.
    """
    inner = functions_within(function)
    elsewhere = {part.arg for part in nodes_in(function.args, ast.arg)}.union(*map(loads, inner))
    defaults: dict[str, ast.expr] = {}
    for name in assigned_in(function.body) - elsewhere:
        given = [*assigned_to(name, own_statements(function))]
        default = _factory(given[0]) if len(given) == 1 else None
        if default is not None and not is_only_subscripted(name, [function]):
            defaults[name] = default
    return defaults


def _mark_guarded(function: ast.FunctionDef, names: Set[str]) -> None:
    """Mark the reads `d[k]` beside which a test says that `d` has the key."""
    kinds = ast.BoolOp, ast.IfExp, *get_args(Comprehension)
    for node in (one for kind in kinds for one in nodes_in(function, kind)):
        if nodes_in(node, ast.NamedExpr):
            continue
        for test, is_true, parts in _tested_in(node):
            for name, key in _keys_told(test, is_true):
                fixed = {name, *named_in(key)}
                for read in (
                    one for part in parts if fixed.isdisjoint(bound_in(part))
                    for one in nodes_in(part, ast.Subscript)
                ):  # fmt: skip
                    if name in names and getattr(read.value, "id", "") == name:
                        if ast.dump(read.slice) == ast.dump(key):
                            read.has_key = True  # type: ignore[attr-defined]


def _tested_in(node: Any) -> Iterator[tuple[ast.expr, bool, list[ast.expr]]]:
    """Yield the tests in an expression, and the parts that are read where they are true, or false.
    """
    match node:
        case ast.BoolOp(operator, values):
            for k, value in enumerate(values):
                yield value, isinstance(operator, ast.And), values[k + 1 :]
        case ast.IfExp(test, body, orelse):
            yield test, True, [body]
            yield test, False, [orelse]
        case _:
            *_, last = node.generators
            ends = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            for k, test in enumerate(last.ifs):
                yield test, True, [*last.ifs[k + 1 :], *ends]


def _keys_told(test: ast.expr, is_true: bool) -> Iterator[tuple[str, ast.expr]]:
    """Yield the dictionaries and keys that they have if a test is true, or false."""
    match test:
        case ast.Compare(key, [ast.In() | ast.NotIn() as operator], [ast.Name(name)]):
            is_plain = not any(nodes_in(key, kind) for kind in (ast.Call, ast.Lambda))
            if is_plain and isinstance(operator, ast.In) == is_true:
                yield name, key
        case ast.BoolOp(operator, values) if isinstance(operator, ast.And) == is_true:
            for value in values:
                yield from _keys_told(value, is_true)
        case ast.UnaryOp(ast.Not(), operand):
            yield from _keys_told(operand, not is_true)


def _with_keys(
    statements: Sequence[ast.stmt],
    defaults: Mapping[str, ast.expr],
    keys: Set[tuple[str, str]] = frozenset(),
) -> Iterator[ast.stmt]:
    """Yield the statements of a block, behind the lines that add the keys that they read.

    keys: Names of dictionaries, each with a name whose value is one of its keys.
    """
    for statement in statements:
        reads = _Reads(statement, set(defaults))
        for _, read in reads.changed_first():
            if not isinstance(read.slice, ast.Constant | ast.Name):
                name = f" {read.lineno}:{read.col_offset}:key"
                yield assignment(name, read.slice, read)
                read.slice = placed(ast.Name(name, ast.Load()), read.slice)
        for name, read in [*reads.to_add(), *reads.changed_first()]:
            read.has_key = True  # type: ignore[attr-defined]
            if (name, getattr(read.slice, "id", "")) in keys:
                continue
            given = [copy_of_all(read.slice), copy_of_all(defaults[name])]
            yield placed(ast.Expr(call_of_method(name, "setdefault", *given)), read)
        if isinstance(statement, ast.If | LOOPS):
            within = {*keys, *_key_of(statement)}
            statement.body = list(_with_keys(statement.body, defaults, within))
            statement.orelse = list(_with_keys(statement.orelse, defaults, keys))
        yield statement


def _key_of(loop: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield the name of a dictionary whose keys a loop is over, with the name of the key."""
    if isinstance(loop, ast.For):
        match unwrapped(loop.iter), loop.target:
            case ast.Name(name) | ast.Call(ast.Attribute(ast.Name(name), "keys")), ast.Name(key):
                pass
            case ast.Call(ast.Attribute(ast.Name(name), "items")), ast.Tuple([ast.Name(key), _]):
                pass
            case _:
                return
        if not _may_lack(loop, name, key):
            yield name, key


def _may_lack(loop: ast.For, name: str, key: str) -> bool:
    """Tell whether a dictionary may lose the key of a loop's round, or the key may change."""
    for node in ast.walk(ast.Module(loop.body, [])):
        match node:
            case ast.Name(changed, ast.Store() | ast.Del()) if changed in (name, key):
                return True
            case ast.Subscript(ast.Name(changed), _, ast.Del()) if changed == name:
                return True
            case ast.Attribute(ast.Name(changed), "clear" | "pop" | "popitem") if changed == name:
                return True
    return False


class _Reads:
    """The reads `name[key]` of dictionaries in a statement, but not in a block within."""

    def __init__(self, statement: ast.stmt, dictionaries: Set[str]) -> None:
        self._statement = statement
        self._dictionaries = dictionaries
        self._parts = [part for part in _evaluated_in(statement) if part is not None]
        self._calls = [call for part in self._parts for call in nodes_in(part, ast.Call)]
        changes = [change for call in self._calls if (change := call_of_change(call))]
        self._changed = {name for name, _ in changes}
        if isinstance(statement, ast.AugAssign):
            self._changed |= {getattr(indices_of(statement.target)[0], "id", "")}

    def to_add(self) -> list[tuple[str, ast.Subscript]]:
        """List the dictionaries' names and reads whose keys may be added before the statement."""
        reads = [
            (getattr(read.value, "id", ""), read)
            for part in self._parts for read in certain_parts(part) if _is_read(read)
        ]  # fmt: skip
        reads = [(name, read) for name, read in reads if name in self._dictionaries]
        if not reads or any(nodes_in(part, ast.NamedExpr) for part in self._parts):
            return []
        return [
            (name, read) for name, read in reads
            if name not in self._changed and is_only_subscripted(name, self._parts)
            and self._is_fixed(read.slice)
        ]  # fmt: skip

    def changed_first(self) -> Iterator[tuple[str, ast.Subscript]]:
        """Yield a `d[k]` that is changed by what reads `d`, as in `d[k].append(len(d))`."""
        match self._statement:
            case ast.Expr(ast.Call(ast.Attribute(changed), given) as call) if call_of_change(call):
                pass
            case ast.AugAssign(changed, _, value):
                given = [value]
            case _:
                return
        owner, indices = indices_of(changed)
        name = getattr(owner, "id", "")
        later = loads(ast.Tuple([*indices[1:], *given], ast.Load()))
        if indices and name in later and name in self._dictionaries:
            parts = nodes_in(changed, ast.Subscript)
            yield next((name, part) for part in parts if part.value is owner)

    def _is_fixed(self, key: ast.expr) -> bool:
        """Tell whether a key has one value throughout the statement."""
        are_pure = all(getattr(call.func, "id", "") in PURE for call in self._calls)
        has_parts = any(nodes_in(key, kind) for kind in (ast.Subscript, ast.Call))
        return (
            all(isinstance(node, _FIXED) for node in ast.walk(key))
            and self._changed.isdisjoint(loads(key)) and (are_pure or not has_parts)
        )  # fmt: skip


def _evaluated_in(statement: ast.stmt) -> Sequence[ast.expr | None]:
    """List the expressions that a statement evaluates, in order."""
    match statement:
        case ast.Assign([ast.Subscript() as target], value):
            return [value, target]
        case ast.Assign(value=value) | ast.AnnAssign(value=value) | ast.Return(value):
            return [value]
        case ast.Assert(value) | ast.Expr(value) | ast.If(test=value) | ast.For(iter=value):
            return [value]
        case ast.AugAssign(target, _, value):
            return [target, value]
    return []


def _is_read(node: ast.AST) -> TypeGuard[ast.Subscript]:
    return isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)
