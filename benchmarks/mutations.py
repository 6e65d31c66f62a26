"""Small mistakes that one may make in the vectorized form: a function's source with one change."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

_ON_WORDS = {"compiled", "routine", "Routine", "machine_function", "Loop", "threads"}
"""The names of the decorators of functions on words."""
_COSTS = {"call_cost", "size_of", "weight", "element_weight"}
_FAILED = {"WRONG_TYPE", "NO_VALUE", "OVER_LIMIT", "WRONG_ARITY", "HOST"}
_SWAPPED = {"min": "max", "minimum": "maximum", "argmin": "argmax"}
_SWAPPED.update({b: a for a, b in _SWAPPED.items()})
_BOUNDARIES = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_PLACE = 7
"""The element, row or column of a mistake "in one place"."""

_SHOWN = 90

_Change = tuple[str, Callable[[Any], ast.AST]]
"""The kind of a mistake, and a function that returns the changed node, perhaps changed in place."""


@dataclass(frozen=True)
class Mutation:
    """A change of one node of a function in a file.

    line: the node's line; place: its index among the function's nodes; choice: the index of the
    change among the node's changes.
    """

    path: Path
    first_line: int
    line: int
    place: int
    choice: int
    kind: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.kind}: {self.before} -> {self.after}"

    def made(self) -> tuple[CodeType, str]:
        """Make the change. Returns the changed function's code, for Python, and its source."""
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        function = next(f for f in _functions(tree) if _first_line(f) == self.first_line)
        node = _nodes(function)[self.place]
        _, change = list(_changes(node, function))[self.choice]
        _Replacement(node, change(node)).visit(function)
        module = compile(ast.fix_missing_locations(tree), str(self.path.resolve()), "exec")
        code = next(
            code
            for code in _codes(module)
            if (code.co_name, code.co_firstlineno) == (function.name, self.first_line)
        )
        function.decorator_list.clear()
        return code, ast.unparse(function)


def mutations_of(path: Path) -> Iterator[Mutation]:
    """Yield all changes of the functions of a file, except scalar forms."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in _functions(tree):
        if "primitive" in _decorators(function):
            continue
        for place, node in enumerate(_nodes(function)):
            for choice, (kind, change) in enumerate(_changes(node, function)):
                before, after = _text(node), _text(change(copy.deepcopy(node)))
                first_line, line = _first_line(function), getattr(node, "lineno", function.lineno)
                yield Mutation(path, first_line, line, place, choice, kind, before, after)


def _text(node: ast.AST) -> str:
    """Return a node's source on one line, cut off after `_SHOWN` characters."""
    text = " ".join(ast.unparse(ast.fix_missing_locations(node)).split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Yield the functions of a module and the methods of its classes; no inner functions."""
    for statement in tree.body:
        body = statement.body if isinstance(statement, ast.ClassDef) else [statement]
        yield from (inner for inner in body if isinstance(inner, ast.FunctionDef))


def _first_line(function: ast.FunctionDef) -> int:
    """Return the line where the function begins for Python: at its first decorator."""
    return min([function.lineno, *(d.lineno for d in function.decorator_list)])


def _decorators(function: ast.FunctionDef) -> set[str]:
    return {_name_of(d.func if isinstance(d, ast.Call) else d) for d in function.decorator_list}


def _nodes(function: ast.FunctionDef) -> list[ast.AST]:
    """List the nodes of a function that may be changed: not its signature, nor its assertions."""
    nodes: list[ast.AST] = []
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop(0)
        nodes.append(node)
        for name, value in ast.iter_fields(node):
            if not isinstance(node, ast.Assert) and name != "annotation" and not _is_strict(node):
                inner = value if isinstance(value, list) else [value]
                pending += [child for child in inner if isinstance(child, ast.AST)]
    return nodes


def _is_strict(node: ast.AST) -> bool:
    """Tell whether a node is zip's `strict`, which only asserts equal lengths."""
    return isinstance(node, ast.keyword) and node.arg == "strict"


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


class _Replacement(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        if node is self.old:
            return ast.copy_location(self.new, node)
        return self.generic_visit(node)


# The changes of a node


def _changes(node: ast.AST, function: ast.FunctionDef) -> Iterator[_Change]:
    yield from _changes_anywhere(node)
    if _decorators(function) & _ON_WORDS:
        yield from _changes_on_words(node, {argument.arg for argument in function.args.args})


def _changes_anywhere(node: ast.AST) -> Iterator[_Change]:
    if isinstance(node, ast.Call):
        yield from _changes_of_call(node)
    elif isinstance(node, ast.If) and _returns_wrong(node.body):
        yield "flag", lambda n: _with(n, body=[ast.Pass()])
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        boundary = _BOUNDARIES.get(type(node.ops[0]))
        if boundary is not None:
            yield "boundary", lambda n: _with(n, ops=[boundary()])
    elif isinstance(node, ast.BoolOp):
        yield "condition", lambda n: n.values[0]
        yield "condition", lambda n: n.values[-1]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
        yield "condition", lambda n: n.left
        yield "condition", lambda n: n.right
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "constant", lambda n: _with(n, value=not n.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value in (0, 1):
        yield "constant", lambda n: _with(n, value=1 - n.value)


def _returns_wrong(body: list[ast.stmt]) -> bool:
    """Tell whether statements only return that a call fails, or that the host must make it."""
    value = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
    if isinstance(value, ast.Call) and _name_of(value.func) == "int64":
        value = value.args[0]
    return value is not None and _name_of(value) in _FAILED


def _changes_of_call(node: ast.Call) -> Iterator[_Change]:
    name = _name_of(node.func)
    if name == "pay":
        yield "charge", lambda n: _with(n, args=[n.args[0], _expression("x + 1", x=n.args[1])])
        yield "charge", lambda n: _with(n, args=[n.args[0], _expression("x * 0", x=n.args[1])])
    if name in _COSTS:
        yield "charge", lambda n: _expression("x * 0 + 1", x=n)
    if name in _SWAPPED:
        yield "swap", lambda n: _with(n, func=_renamed(n.func))


def _changes_on_words(node: ast.AST, parameters: set[str]) -> Iterator[_Change]:
    if isinstance(node, ast.Subscript):
        yield "index", lambda n: _with(n, slice=_expression("x + 1", x=n.slice))
        yield "index", lambda n: _with(n, slice=_expression("x - 1", x=n.slice))
    elif isinstance(node, ast.For):
        yield "place", _without_a_place
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        used = {n.id for n in ast.walk(node.targets[0].slice) if isinstance(n, ast.Name)}
        for name in sorted(used - parameters):
            yield "place", _left_out_where(name)


def _without_a_place(loop: Any) -> ast.AST:
    bounds = loop.iter.args
    begin = bounds[0] if len(bounds) > 1 else ast.Constant(0)
    step = bounds[2] if len(bounds) > 2 else ast.Constant(1)
    test = _expression(f"k != begin + {_PLACE} * step", k=loop.target, begin=begin, step=step)
    return _with(loop, body=[ast.If(test, loop.body, [])])


def _left_out_where(name: str) -> Callable[[Any], ast.AST]:
    return lambda n: ast.If(_expression(f"{name} != {_PLACE}"), [n], [])


def _name_of(called: ast.AST) -> str:
    if isinstance(called, ast.Attribute):
        return called.attr
    return called.id if isinstance(called, ast.Name) else ""


def _with(node: Any, **fields: Any) -> ast.AST:
    for name, value in fields.items():
        setattr(node, name, value)
    return node  # type: ignore[no-any-return]


def _renamed(called: Any) -> ast.AST:
    if isinstance(called, ast.Attribute):
        return _with(called, attr=_SWAPPED[called.attr])
    return _with(called, id=_SWAPPED[called.id])


def _expression(text: str, **parts: ast.expr) -> Any:
    """Parse an expression, and replace names by `parts`."""
    tree = ast.parse(text, mode="eval")
    for name in [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in parts]:
        part = copy.deepcopy(parts[name.id])
        for inner in ast.walk(part):
            if hasattr(inner, "ctx"):
                inner.ctx = ast.Load()
        _Replacement(name, part).visit(tree)
    return tree.body
