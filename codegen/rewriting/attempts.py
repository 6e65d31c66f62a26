"""Writes `try` as a call of a function that may fail.

    try:                                       def tried(_):
        row = rows.index(top)                      row = rows.index(top)
        found = grid[row + 1]                      found = grid[row + 1]
    except Exception:                              return (row, found)
        return grid                            result = attempt(tried)
                                               if result:
                                                   row, found = result[0]
                                               else:
                                                   return grid

The function of Python's that `attempt` stands for calls the primitive of this name, which gives a
tuple of the result, or `()`. What the lines assign before they fail must not be read afterwards,
they must change nothing else, and each value that may fail must be computed: see `computed`. The
source then does the same as before, except that a handler of one exception handles others, too.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import count

from megabatt.codegen.analysis.computed import is_strict, statements_of
from megabatt.codegen.analysis.liveness import (
    LOOPS,
    Names,
    flow_of,
    leaves,
    loads,
    read_by_functions,
    read_in_rounds,
)
from megabatt.codegen.analysis.names import ATTEMPT, bound_in, named_in, names_shared_in
from megabatt.codegen.analysis.nodes import (
    Functions,
    assignment,
    called_name,
    copy_of_all,
    forget,
    is_call_of,
    nodes_in,
    placed,
)
from megabatt.codegen.analysis.ownership import may_change
from megabatt.codegen.fields import for_now
from megabatt.codegen.rewriting.attempted import (
    CALL_NOTHING,
    UNREAD,
    Unsuitable,
    check_kinds,
    check_names,
    is_of_own,
)

_ALL = frozenset({"BaseException", "Exception"})
_KINDS = _ALL | {
    "ArithmeticError", "IndexError", "KeyError", "LookupError", "StopIteration", "ValueError",
    "ZeroDivisionError",
}  # fmt: skip
"""The exceptions that operations which fail stand for."""


def with_attempts(tree: ast.Module) -> ast.Module:
    """Return a source without the `try` statements that can be rewritten. May change `tree`."""
    tries = nodes_in(tree, ast.Try)
    if tries and _KINDS.isdisjoint(bound_in(tree)) and not _may_fail_alone(tree):
        writer = _Attempts(tree)
        for function in nodes_in(tree, ast.FunctionDef):
            if not nodes_in(function, ast.Yield):
                writer.block(function.body, set(), set())
        forget(tree)
    return tree


def _may_fail_alone(tree: ast.Module) -> bool:
    """Tell whether a source has values on which operations may fail here, but not in Python.

    These are texts, except for keys and messages, and a `defaultdict`, which a container may hold.
    """
    apart: list[ast.AST | None] = [*nodes_in(tree, ast.Raise)]
    apart += (line for line in tree.body if isinstance(line, ast.If))  # the main guard
    for line in nodes_in(tree, ast.Expr):
        if isinstance(line.value, ast.Constant) or is_call_of("print", line.value):
            apart.append(line)
    apart += (part.slice for part in nodes_in(tree, ast.Subscript))
    apart += (key for part in nodes_in(tree, ast.Dict) for key in part.keys)
    apart += (call for call in nodes_in(tree, ast.Call) if called_name(call) == "get")
    found = [part for node in apart if node is not None for part in nodes_in(node, ast.Constant)]
    texts = [part for part in nodes_in(tree, ast.Constant) if isinstance(part.value, str)]
    return "defaultdict" in loads(tree) or not {*texts} <= {*found}


class _Attempts:
    """Writes `try` statements as attempts."""

    def __init__(self, tree: ast.Module) -> None:
        defined = nodes_in(tree, ast.FunctionDef)
        self._named: dict[str, list[Functions]] = {}
        for one in defined:
            self._named.setdefault(one.name, []).append(one)
        called = {id(call.func) for call in nodes_in(tree, ast.Call)}
        held = {name.id for name in nodes_in(tree, ast.Name) if id(name) not in called}
        self._held: list[Functions] = [one for one in defined if one.name in held]
        self._held += nodes_in(tree, ast.Lambda)
        """The functions that are values, not only called."""
        self._numbers = count()
        self._read_later = {
            one: names_shared_in(tree) | read_by_functions(function.body, one)
            for function in nodes_in(tree, ast.FunctionDef)
            for one in nodes_in(function, ast.Try)
        }
        """The names of which others than the lines and the handler may read the values."""

    def block(self, body: list[ast.stmt], after: Names, at_jump: Names) -> None:
        """Rewrite the statements of a block, the last ones first.

        after: The names that are read behind the block. at_jump: Those that are read after a
        `break` or `continue` of a loop around the block.
        """
        for k in reversed(range(len(body))):
            statement = body[k]
            behind = flow_of(body[k + 1 :]).before(after, at_jump)
            if isinstance(statement, ast.If):
                self.block(statement.body, behind, at_jump)
                self.block(statement.orelse, behind, at_jump)
            elif isinstance(statement, LOOPS):
                in_rounds = behind | read_in_rounds(statement) | flow_of(statement.orelse).reads
                self.block(statement.body, in_rounds, in_rounds)
            elif isinstance(statement, ast.Try):
                for lines in (statement.body, *(one.body for one in statement.handlers)):
                    self.block(lines, behind, at_jump)
                try:
                    body[k : k + 1] = self._written(statement, behind, at_jump)
                except Unsuitable as refused:
                    statement.why_unread = str(refused)  # type: ignore[attr-defined]
                    continue
            forget(statement)

    def _written(self, statement: ast.Try, behind: Names, at_jump: Names) -> list[ast.stmt]:
        """Return the statements that do the same as `try`. behind: The names read behind it."""
        match statement:
            case ast.Try(body, [handler], orelse, []):
                body, done = _divided(body)
            case _:
                raise Unsuitable("it has `finally`, or several handlers")
        done = [*done, *orelse]
        kinds = self._kinds_of(handler)
        missed: Names = set()
        if not _is_one_step(body):
            missed = flow_of(handler.body).before(behind, at_jump) | self._read_later[statement]
        check_names(body, missed, flow_of(done).before(behind, at_jump), at_jump)
        check_kinds(body, kinds)
        for function in self._called_by(body, statement):
            check_kinds(statements_of(function), kinds)
            if not is_strict(function):
                name = getattr(function, "name", "a lambda")
                raise Unsuitable(f"{name} {UNREAD}")
        return self._call(statement, body, done, handler.body)

    def _call(
        self, place: ast.Try, body: list[ast.stmt], done: list[ast.stmt], handled: list[ast.stmt]
    ) -> list[ast.stmt]:
        """Return the call of a function with lines. done, handled: The lines behind, or else."""
        number = next(self._numbers)
        name, result = f" tried:{number}", f" result:{number}"
        value = ast.Subscript(ast.Name(result, ast.Load()), ast.Constant(0), ast.Load())
        body, done = _with_results(body, done, value)
        given = ast.arguments([], [ast.arg(" nothing")], None, [], [], None, [])
        function = ast.FunctionDef(name, given, body, [], None, None)
        call = ast.Call(ast.Name(ATTEMPT, ast.Load()), [ast.Name(name, ast.Load())], [])
        choice = ast.If(ast.Name(result, ast.Load()), done, handled)
        made: list[ast.stmt] = [function, assignment(result, call, place), choice]
        return [placed(line, place) for line in made]

    def _called_by(self, body: Sequence[ast.AST], around: ast.Try) -> list[Functions]:
        """List the functions of the source that the lines of a `try` may call.

        These are those that the lines name, and all that are values if the lines may call values.
        """
        found: dict[Functions, None] = {}
        left = list(body)
        for part in left:
            new = {one: None for name in named_in(part) for one in self._named.get(name, [])}
            if any(map(self._may_call_values, nodes_in(part, ast.Call))):
                held = (one for one in self._held if around not in nodes_in(one, ast.Try))
                new |= dict.fromkeys(held)
            left += [one for one in new if one not in found]
            found |= new
        return [*found]

    def _may_call_values(self, call: ast.Call) -> bool:
        """Tell whether a call may call a value, such as `f(x)` and `max(x, key=f)`."""
        if isinstance(call.func, ast.Attribute):
            return bool(call.keywords)
        name = getattr(call.func, "id", "")
        return bool(call.keywords) or (name not in self._named and name not in CALL_NOTHING)

    def _kinds_of(self, handler: ast.ExceptHandler) -> Names | None:
        """Return the exceptions that a handler handles; None for all."""
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        names = {getattr(kind, "id", "") for kind in kinds if kind is not None}
        handles_all = not names or not names.isdisjoint(_ALL)
        shown = [line for line in handler.body if is_call_of("print", getattr(line, "value", None))]
        is_read = any(handler.name in loads(line) for line in handler.body if line not in shown)
        if is_read:
            raise Unsuitable("its handler reads the exception")
        if "TypeError" in names:
            raise Unsuitable("what is a TypeError in Python may have a value, as max(1, None)")
        if not names <= _KINDS:
            raise Unsuitable
        return None if handles_all else names


def _is_one_step(body: list[ast.stmt]) -> bool:
    """Tell whether lines assign nothing before they may fail."""
    match body:
        case [ast.Assign([ast.Name()])]:
            return True
        case [ast.Assign([ast.Tuple(targets)])]:
            return all(isinstance(target, ast.Name) for target in targets)
    return False


def _divided(body: list[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Return the lines of `try` that may fail, and the lines that follow if they do not fail."""
    place = body[0]
    name = " tried:value"
    match body:
        case [ast.Expr(ast.Call(ast.Attribute(ast.Name(), "append" | "add") as method, [value]))]:
            call = ast.Call(method, [ast.Name(name, ast.Load())], [])
            return [assignment(name, value, place)], [placed(ast.Expr(call), place)]
        case [ast.Assign([ast.Name()] as targets, value)]:
            taken = ast.Assign(targets, ast.Name(name, ast.Load()))
            return [assignment(name, value, place)], [placed(taken, place)]
        case [ast.AugAssign(target, op, value)] if not may_change(value):
            read = copy_of_all(target)
            read.ctx = ast.Load()
            return [assignment(name, ast.BinOp(read, op, value), place)], body
    lines = list(body)
    for k, line in enumerate(lines):
        if isinstance(line, ast.Expr) and not is_of_own(line):
            lines[k] = assignment(f"{name}:{k}", line.value, line)
    return lines, []


def _with_results(
    body: list[ast.stmt], done: list[ast.stmt], value: ast.expr
) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Return the lines of a function and those behind its call, with what the function returns.

    The function returns the values of the names that the lines assign, or what the lines return;
    if the lines may be left in several ways, it returns in which, too. value: The value of the
    call.
    """
    flow = flow_of(body)
    if flow.ends is None and flow.jumps is None:
        return body, [ast.Return(value)]
    names = sorted(flow.ends or ())
    returned = ast.Tuple([ast.Name(name, ast.Load()) for name in names], ast.Load())
    targets = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
    before: list[ast.stmt] = []
    if any(map(leaves, body)):
        writer = _Ways()
        body = [writer.visit(line) for line in body]
        returned = ast.Tuple([ast.Constant(0), returned], ast.Load())
        way, value = (ast.Subscript(value, ast.Constant(k), ast.Load()) for k in (0, 1))
        for number, kind in writer.found.items():
            left: ast.stmt = ast.Return(value) if kind is ast.Return else kind()
            test = ast.Compare(copy_of_all(way), [ast.Eq()], [ast.Constant(number)])
            before.append(ast.If(test, [left], []))
    taken = [ast.Assign([targets], copy_of_all(value))] if names else []
    return [*body, ast.Return(returned)], [*before, *taken, *done] or [ast.Pass()]


class _Ways(ast.NodeTransformer):
    """Makes a function return in which way its lines are left: `return x` returns `(1, x)`.

    found: The kinds of statements with which lines are left, by number.
    """

    _NUMBERS = {ast.Return: 1, ast.Continue: 2, ast.Break: 3}

    def __init__(self) -> None:
        self.found: dict[int, type[ast.stmt]] = {}
        self._in_loop = False

    def _left(self, node: ast.stmt) -> ast.stmt:
        if self._in_loop and not isinstance(node, ast.Return):
            return node
        number = self._NUMBERS[type(node)]
        self.found[number] = type(node)
        value = getattr(node, "value", None) or ast.Constant(None)
        return placed(ast.Return(ast.Tuple([ast.Constant(number), value], ast.Load())), node)

    visit_Return = visit_Continue = visit_Break = _left

    def _loop(self, node: ast.For | ast.While) -> ast.stmt:
        with for_now(self, _in_loop=True):
            self.generic_visit(node)
        return node

    visit_For = visit_While = _loop
