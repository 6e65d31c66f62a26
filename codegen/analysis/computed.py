"""Tells which values are computed wherever they stand.

Operations of a function are computed where their values are read: in the branches that read them,
or not at all. In Python, each line is computed, and may fail.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from megabatt.codegen.analysis.liveness import Names, leaves, loads, read_in_rounds
from megabatt.codegen.analysis.names import assigned_by, assigned_in, names_in, names_of
from megabatt.codegen.analysis.nodes import Functions, nodes_in, parameters_of
from megabatt.codegen.analysis.ownership import Comprehension, names_changed_in

_HARMLESS = (
    ast.Add, ast.And, ast.BinOp, ast.BoolOp, ast.cmpop, ast.Compare, ast.Constant, ast.Dict,
    ast.List, ast.Load, ast.Mult, ast.Name, ast.Not, ast.Or, ast.Sub, ast.Tuple, ast.UnaryOp,
    ast.USub, ast.keyword,
)  # fmt: skip
"""The nodes of values that do not fail, as far as their names have numbers."""


def is_strict(function: Functions) -> bool:
    """Tell whether each call of a function computes its arguments and all that may fail in it."""
    lines = statements_of(function)
    given = {parameter.arg for parameter in parameters_of(function)}
    return given <= _read_by(lines) and are_computed(lines, set())


def statements_of(function: Functions) -> Sequence[ast.stmt]:
    """Return the statements of a function, also of a lambda."""
    return [ast.Return(function.body)] if isinstance(function, ast.Lambda) else function.body


def are_computed(block: Sequence[ast.stmt], kept: Names) -> bool:
    """Tell whether all values of a block that may fail are certain to be computed.

    kept: The names whose values are read behind the block.
    """
    return all(_is_computed(line, block[k + 1 :], kept) for k, line in enumerate(block))


def _is_computed(statement: ast.stmt, rest: Sequence[ast.stmt], kept: Names) -> bool:
    """Do `are_computed` for a statement. rest: The block's statements behind it."""
    read = _read_by(rest, kept)
    made = assigned_by(statement) | names_changed_in(statement)
    calls = nodes_in(statement, ast.Call)
    if not all(_is_harmless(part) for call in calls for part in _left_out(call)):
        return False
    match statement:
        case ast.If(test, body, orelse):
            is_read = _is_harmless(test) or leaves(statement) or _chooses(statement, read)
            return is_read and are_computed(body, read) and are_computed(orelse, read)
        case ast.For(body=body, orelse=[]) | ast.While(body=body, orelse=[]):
            is_read = leaves(statement) or not read.isdisjoint(made)
            return is_read and are_computed(body, read | read_in_rounds(statement))
        case ast.For() | ast.While():
            return False
        case ast.Assign([ast.Tuple(targets) | ast.List(targets)], value):
            if isinstance(value, ast.Name | ast.Subscript):  # its elements are there
                return not read.isdisjoint(made)
            values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
            if len(targets) != len(values):
                return all(not read.isdisjoint(names_in(one)) for one in targets)
            pairs = zip(targets, values, strict=True)
            return all(_is_read([one], part, read) for one, part in pairs)
        case ast.Assign(targets, value):
            return _is_read(targets, value, read)
        case ast.Expr(ast.Call(ast.Attribute(attr="clear"))):
            return False  # nothing reads what was there before
        case ast.AnnAssign() | ast.AugAssign() | ast.Expr():
            return not made or not read.isdisjoint(made)
    return True


def _is_read(targets: Sequence[ast.expr], value: ast.expr, read: Names) -> bool:
    """Tell whether what an assignment gives a value to is read, or nothing of it can fail."""
    changed = {name for one in targets for name in names_changed_in(one)}
    if _is_harmless(value) and not changed:
        return True
    names = {name for one in targets for name in names_in(one)}
    return changed <= read and not read.isdisjoint(names | changed)


def _left_out(call: ast.AST) -> Sequence[ast.expr | ast.keyword]:
    """List the arguments that a call may not compute: one whose kind is known, and defaults."""
    match call:
        case ast.Call(ast.Name("isinstance" | "type"), args):
            return args[:1]
        case ast.Call(ast.Name("next"), args):
            return args[1:]
        case ast.Call(ast.Name("max" | "min"), keywords=words):
            return [word for word in words if word.arg == "default"]
    return []


def _is_harmless(value: ast.AST) -> bool:
    return all(isinstance(part, _HARMLESS) for part in ast.walk(value))


def _chooses(choice: ast.If, read: Names) -> bool:
    """Tell whether one of the names that are read certainly depends on an `if`.

    An `if` whose sides give a name the same value is not computed.
    """
    given = [
        line for line in nodes_in(choice, ast.Assign)
        if not isinstance(line.value, ast.Constant | ast.Name)
    ]  # fmt: skip
    made = assigned_in([*given, *nodes_in(choice, ast.AugAssign)])
    return not read.isdisjoint({*made, *names_changed_in(choice)})


def _read_by(block: Sequence[ast.stmt], kept: Names = frozenset()) -> Names:
    """Return the names whose values from before a block are read on every way through it.

    kept: The names whose values are read behind the block.
    """
    read = kept
    for statement in reversed(block):
        found = _read_in(statement, read)
        read = found if leaves(statement) else (read - assigned_by(statement)) | found
    return read


def _read_in(node: ast.AST, kept: Names = frozenset()) -> Names:
    """Return the names that are read wherever a statement or an expression is computed.

    kept: The names whose values are read behind a statement.
    """
    match node:
        case ast.If(test, body, orelse):
            made = assigned_by(node) | names_changed_in(node)
            read = _read_in(test) if leaves(node) or not kept.isdisjoint(made) else set[str]()
            return read | (_read_by(body, kept) & _read_by(orelse, kept))
        case ast.For(iter=over, body=body):
            made = assigned_by(node)
            kept = (kept | read_in_rounds(node)) & made
            return _read_in(over) | (_read_by(body, kept) - made)
        case ast.While(test=test):
            return _read_in(test)
        case ast.Assign([ast.Name(name)], value) if name not in kept and _is_harmless(value):
            return set()
        case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
            pairs = zip(targets, values, strict=True)
            parts = (ast.Assign([one], value) for one, value in pairs)
            return {name for part in parts for name in _read_in(part, kept)}
        case ast.AugAssign(ast.Name(name), _, value):
            return _read_in(value) | {name}
        case ast.FunctionDef(name, args, body):
            read = _read_by(body) - names_of(node) | loads(args)
            return read if name in kept else set()
        case ast.IfExp(test, one, other):
            return _read_in(test) | (_read_in(one) & _read_in(other))
        case ast.BoolOp(values=[first, *_]):
            return _read_in(first)
        case ast.Compare(left, comparators=[first, *_]):
            return _read_in(left) | _read_in(first)
        case ast.Name(name, ast.Load()):
            return {name}
    if isinstance(node, ast.Lambda | Comprehension):
        return loads(node)  # it is given what it reads
    done = (part for part in ast.iter_child_nodes(node) if part not in _left_out(node))
    return {name for part in done for name in _read_in(part)}
