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
from collections.abc import Sequence, Set
from itertools import count

from megabatt.codegen.analysis.computed import are_computed, is_strict, statements_of
from megabatt.codegen.analysis.liveness import (
    LOOPS,
    flow_of,
    leaves,
    loads,
    read_by_functions,
    read_in_rounds,
)
from megabatt.codegen.analysis.names import (
    ATTEMPT,
    as_in_source,
    assigned_in,
    bound_in,
    named_in,
    names_in,
    names_shared_in,
)
from megabatt.codegen.analysis.nodes import (
    Functions,
    all_nodes_in,
    assignment,
    called_name,
    copy_of_all,
    forget,
    is_call_of,
    nodes_in,
    placed,
)
from megabatt.codegen.analysis.ownership import (
    ITERATORS,
    Comprehension,
    call_of_change,
    may_change,
    names_changed_in,
)
from megabatt.codegen.fields import for_now

_ALL = frozenset({"BaseException", "Exception"})
_KINDS = _ALL | {
    "ArithmeticError", "IndexError", "KeyError", "LookupError", "StopIteration", "TypeError",
    "ValueError", "ZeroDivisionError",
}  # fmt: skip
"""The exceptions that operations which fail stand for."""
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
_CALL_NOTHING = _TAKE_ALL | _STOP | {"abs", "enumerate", "int", "len", "range", "zip"}
"""The functions that call no function unless `key` gives them one."""
_UNREAD = "may not read all that it computes, and what is not read does not fail"

Names = Set[str]


class _Unsuitable(Exception):
    """Raised for a `try` that is not rewritten, with the reason if there is one to tell."""


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
                except _Unsuitable as refused:
                    statement.why_unread = str(refused)  # type: ignore[attr-defined]
                    continue
            forget(statement)

    def _written(self, statement: ast.Try, behind: Names, at_jump: Names) -> list[ast.stmt]:
        """Return the statements that do the same as `try`. behind: The names read behind it."""
        match statement:
            case ast.Try(body, [handler], orelse, []):
                body, done = _divided(body)
            case _:
                raise _Unsuitable("it has `finally`, or several handlers")
        done = [*done, *orelse]
        kinds = self._kinds_of(handler)
        missed: Names = set()
        if not _is_one_step(body):
            missed = flow_of(handler.body).before(behind, at_jump) | self._read_later[statement]
        _check_names(body, missed, flow_of(done).before(behind, at_jump), at_jump)
        _check_kinds(body, kinds)
        for function in self._called_by(body, statement):
            _check_kinds(statements_of(function), kinds)
            if not is_strict(function):
                name = getattr(function, "name", "a lambda")
                raise _Unsuitable(f"{name} {_UNREAD}")
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
        return bool(call.keywords) or (name not in self._named and name not in _CALL_NOTHING)

    def _kinds_of(self, handler: ast.ExceptHandler) -> Names | None:
        """Return the exceptions that a handler handles; None for all."""
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        names = {getattr(kind, "id", "") for kind in kinds if kind is not None}
        handles_all = not names or not names.isdisjoint(_ALL)
        shown = [line for line in handler.body if is_call_of("print", getattr(line, "value", None))]
        is_read = any(handler.name in loads(line) for line in handler.body if line not in shown)
        if is_read:
            raise _Unsuitable("its handler reads the exception")
        if not names <= _KINDS:
            raise _Unsuitable
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
        if isinstance(line, ast.Expr) and not _is_of_own(line):
            lines[k] = assignment(f"{name}:{k}", line.value, line)
    return lines, []


def _is_of_own(line: ast.Expr) -> bool:
    """Tell whether a line is a change in place, a text, or a `print` that cannot fail."""
    value = line.value
    if isinstance(value, ast.Call) and is_call_of("print", value):
        return all(isinstance(one, ast.Constant | ast.Name) for one in value.args)
    return call_of_change(value) is not None or isinstance(value, ast.Constant)


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


def _check_names(body: list[ast.stmt], missed: Names, behind: Names, at_jump: Names) -> None:
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
        raise _Unsuitable(f"its lines change {name!r}, which was there before")
    for name in sorted(filter(as_in_source, assigned & flow.reads)):
        raise _Unsuitable(f"its lines may read {name!r} before they assign it")
    for name in sorted(filter(as_in_source, assigned & missed)):
        raise _Unsuitable(f"{name!r} may be read after its lines fail")
    if assigned & (missed | flow.reads) or not changed <= assigned:
        raise _Unsuitable
    if any(nodes_in(line, ast.FunctionDef) for line in body):
        raise _Unsuitable("its lines define a function")
    if not are_computed(body, flow.ends or set()):
        raise _Unsuitable(f"it {_UNREAD}")


def _check_kinds(body: Sequence[ast.stmt], kinds: Names | None) -> None:
    """Refuse lines of other kinds, and those whose values are not computed where they stand.

    kinds: The exceptions that are handled; None for all.
    """
    if any(nodes_in(line, kind) for line in body for kind in _UNREADABLE):
        raise _Unsuitable
    if any(ATTEMPT in loads(line) for line in body):  # what this one handles, the other may, too
        raise _Unsuitable
    assigned = assigned_in(body)
    if any(not assigned.isdisjoint(loads(one)) for line in body for one in _kept_lambdas(line)):
        raise _Unsuitable
    for line in body:
        _check_iterators(line)
        _check_elements(line)
        if any(map(_may_compare_parts, nodes_in(line, ast.Compare))):
            raise _Unsuitable
        for made in nodes_in(line, ast.Assign):
            _check_value(made.value)
        for returned in nodes_in(line, ast.Return):
            _check_value(returned.value)
        for raised in nodes_in(line, ast.Raise):
            what = raised.exc.func if isinstance(raised.exc, ast.Call) else raised.exc
            if kinds is not None and getattr(what, "id", "") not in kinds:
                raise _Unsuitable
        if not all(map(_is_of_own, nodes_in(line, ast.Expr))):
            raise _Unsuitable


def _check_value(value: ast.expr | None) -> None:
    """Refuse a value that reads others later, when it is used."""
    if isinstance(value, _LATER) or value is not None and called_name(value) in ITERATORS:
        raise _Unsuitable


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
        raise _Unsuitable


def _check_elements(line: ast.stmt) -> None:
    """Refuse a loop over elements that may have the wrong length, and of which nothing is read."""
    for loop in all_nodes_in(line):
        if isinstance(loop, Comprehension):
            targets = [one.target for one in loop.generators]
        else:
            targets = [loop.target] if isinstance(loop, ast.For) else []
        names = {name.id for name in nodes_in(loop, ast.Name) if isinstance(name.ctx, ast.Load)}
        parts = (part for target in targets for part in nodes_in(target, ast.Tuple))
        if any(names.isdisjoint(names_in(part)) for part in parts):
            raise _Unsuitable


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
