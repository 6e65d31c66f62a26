"""Tells which lines may be attempted: done by a function that may fail; see `attempts`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from megabatt.codegen.analysis.computed import are_computed
from megabatt.codegen.analysis.liveness import Names, flow_of, loads
from megabatt.codegen.analysis.names import ATTEMPT, as_in_source, assigned_in, names_in
from megabatt.codegen.analysis.nodes import all_nodes_in, called_name, is_call_of, nodes_in
from megabatt.codegen.analysis.ownership import (
    ITERATORS,
    Comprehension,
    call_of_change,
    names_changed_in,
)

_UNREADABLE = (
    ast.Assert, ast.ClassDef, ast.Delete, ast.Global, ast.Import, ast.ImportFrom, ast.Match,
    ast.NamedExpr, ast.Nonlocal, ast.Try, ast.With, ast.Yield, ast.YieldFrom,
)  # fmt: skip
"""The nodes that are not read in a `try` and in the functions that it calls."""
_LATER = ast.GeneratorExp | ast.Lambda
"""The expressions whose values read others later, when they are used."""
_TAKE_ALL = {
    "Counter", "deque", "dict", "extend", "frozenset", "list", "max", "min", "set", "sorted", "sum",
    "tuple", "union", "update",
}  # fmt: skip
"""The functions and methods that take all elements of an iterator."""
_STOP = {"all", "any", "next"}
"""The functions that stop where they do in Python if they get a generator."""
_USE_AT_ONCE = _TAKE_ALL - {"dict", "extend"} | {"filter", "map", "reduce", "sort"}
"""The functions and methods that call the functions that they get before they return."""
CALL_NOTHING = _TAKE_ALL | _STOP | {"abs", "enumerate", "int", "len", "range", "zip"}
"""The functions that call no function unless `key` gives them one."""
UNREAD = "may not read all that it computes, and what is not read does not fail"


class Unsuitable(Exception):
    """Raised for a `try` that is not rewritten, with the reason if there is one to tell."""


def check_names(body: list[ast.stmt], missed: Names, behind: Names, at_jump: Names) -> None:
    """Refuse lines that a function cannot do in place of them.

    missed: The names that are read once the lines have failed. behind: Those that are read once the
    lines are done. at_jump: Those that are read after a `break` or `continue`.
    """
    flow, assigned = flow_of(body), assigned_in(body)
    changed = {name for line in body for name in names_changed_in(line)}
    if flow.ends is not None:
        missed = missed | (behind - flow.ends)
    if flow.jumps is not None:
        missed = missed | at_jump
    for name in sorted(filter(as_in_source, changed - assigned)):
        raise Unsuitable(f"its lines change {name!r}, which was there before")
    for name in sorted(filter(as_in_source, assigned & flow.reads)):
        raise Unsuitable(f"its lines may read {name!r} before they assign it")
    for name in sorted(filter(as_in_source, assigned & missed)):
        raise Unsuitable(f"{name!r} may be read after its lines fail")
    if assigned & (missed | flow.reads) or not changed <= assigned:
        raise Unsuitable
    if any(nodes_in(line, ast.FunctionDef) for line in body):
        raise Unsuitable("its lines define a function")
    if not are_computed(body, flow.ends or set()):
        raise Unsuitable(f"it {UNREAD}")


def check_kinds(body: Sequence[ast.stmt], kinds: Names | None) -> None:
    """Refuse lines of other kinds, and those whose values are not computed where they stand.

    kinds: The exceptions that are handled; None for all.
    """
    if any(nodes_in(line, kind) for line in body for kind in _UNREADABLE):
        raise Unsuitable
    if any(ATTEMPT in loads(line) for line in body):  # what this one handles, the other may, too
        raise Unsuitable
    assigned = assigned_in(body)
    if any(not assigned.isdisjoint(loads(one)) for line in body for one in _kept_lambdas(line)):
        raise Unsuitable
    for line in body:
        _check_iterators(line)
        _check_elements(line)
        if any(map(_may_compare_parts, nodes_in(line, ast.Compare))):
            raise Unsuitable
        for made in nodes_in(line, ast.Assign):
            _check_value(made.value)
        for returned in nodes_in(line, ast.Return):
            _check_value(returned.value)
        for raised in nodes_in(line, ast.Raise):
            what = raised.exc.func if isinstance(raised.exc, ast.Call) else raised.exc
            if kinds is not None and getattr(what, "id", "") not in kinds:
                raise Unsuitable
        if not all(map(is_of_own, nodes_in(line, ast.Expr))):
            raise Unsuitable


def _check_value(value: ast.expr | None) -> None:
    """Refuse a value that reads others later, when it is used."""
    if isinstance(value, _LATER) or value is not None and called_name(value) in ITERATORS:
        raise Unsuitable


def _check_iterators(line: ast.stmt) -> None:
    """Refuse an iterator of which Python may compute a part alone."""
    whole: list[ast.expr] = [part.value for part in nodes_in(line, ast.Starred)]
    for call in nodes_in(line, ast.Call):
        name = called_name(call)
        if name in _TAKE_ALL:
            whole += call.args
        elif name in _STOP:
            whole += [one for one in call.args if isinstance(one, ast.GeneratorExp)]
    for made in all_nodes_in(line):
        if isinstance(made, ast.DictComp | ast.ListComp | ast.SetComp):
            whole += [one.iter for one in made.generators]
    for loop in nodes_in(line, ast.For):
        if not nodes_in(loop, ast.Break) and not nodes_in(loop, ast.Return):
            whole.append(loop.iter)
    calls = (call for call in nodes_in(line, ast.Call) if called_name(call) in {"filter", "map"})
    if any(one not in whole for one in (*calls, *nodes_in(line, ast.GeneratorExp))):
        raise Unsuitable


def _check_elements(line: ast.stmt) -> None:
    """Refuse a loop over elements that may have the wrong length, and of which nothing is read."""
    for loop in all_nodes_in(line):
        if isinstance(loop, ast.For):
            _check_targets(loop.target, loop.body)
        elif isinstance(loop, Comprehension):
            made = [getattr(loop, name, None) for name in ("elt", "key", "value")]
            read = [part for part in made if part is not None]
            for one in reversed(loop.generators):
                read += one.ifs
                _check_targets(one.target, read)
                read.append(one.iter)


def _check_targets(target: ast.expr, behind: Sequence[ast.AST]) -> None:
    """Refuse the targets of a loop if one is a tuple of which nothing is read `behind`."""
    names = {name for part in behind for name in loads(part)}
    parts = (*nodes_in(target, ast.List), *nodes_in(target, ast.Tuple))
    if any(names.isdisjoint(names_in(part)) for part in parts):
        raise Unsuitable


def _kept_lambdas(line: ast.stmt) -> list[ast.Lambda]:
    """List the lambdas in a line, except those that a function uses at once."""
    calls = [call for call in nodes_in(line, ast.Call) if called_name(call) in _USE_AT_ONCE]
    used = [one for call in calls for one in (*call.args, *(word.value for word in call.keywords))]
    return [one for one in nodes_in(line, ast.Lambda) if one not in used]


def _may_compare_parts(node: ast.Compare) -> bool:
    """Tell whether a comparison may be `is` of two elements, which fails if they are equal."""
    return any(
        isinstance(one, ast.Is | ast.IsNot) and not isinstance(other, ast.Constant)
        for one, other in zip(node.ops, node.comparators, strict=True)
    )


def is_of_own(line: ast.Expr) -> bool:
    """Tell whether a line is a change in place, a text, or a `print` that cannot fail."""
    value = line.value
    if isinstance(value, ast.Call) and is_call_of("print", value):
        return all(isinstance(one, ast.Constant | ast.Name) for one in value.args)
    return call_of_change(value) is not None or isinstance(value, ast.Constant)
