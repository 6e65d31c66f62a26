"""Rewrites functions that call themselves on lines of their own as loops over what is left to do.

    def fill(i, j):                            def fill(i, j):
        if grid[i][j] != 0:                        todo = [(i, j)]
            return                                 while todo:
        grid[i][j] = 3                                 i, j = todo.pop()
        fill(i + 1, j)                                 if grid[i][j] != 0:
        fill(i, j + 1)                                     continue
                                                       grid[i][j] = 3
                                                       todo.extend([(i, j + 1), (i + 1, j)])

What stands behind a call, and each round of a loop with calls, is left to do too: it gets a number,
and the names that it reads. The source does the same as before.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress

from megabatt.codegen.analysis.liveness import breaks, flow_of, leaves, loads, returns
from megabatt.codegen.analysis.ownership import names_changed_in
from megabatt.codegen.analysis.scopes import (
    assigned_in,
    bound_in,
    call_of_method,
    copy_of_all,
    forget,
    names_in,
    names_of,
    nodes_in,
    nodes_of_scope,
    placed,
)

_UNSUITABLE = (
    ast.AsyncFunctionDef, ast.ClassDef, ast.Delete, ast.Global, ast.Lambda, ast.NamedExpr, ast.Try,
    ast.With, ast.Yield, ast.YieldFrom,
)  # fmt: skip
_ENDS = ast.Return | ast.Continue
_USED = {"list", "reversed"}
"""The functions of Python that must have their own names."""
_LAZY = {"filter", "iter", "map", "zip"}
"""The functions of Python whose results read what they are given later."""


class _Unsuitable(Exception):
    """Raised for a function that cannot be rewritten."""


def without_recursion(tree: ast.Module) -> ast.Module:
    """Return a source without the recursive functions that can be rewritten. May change `tree`."""
    recursive = [
        function for function in nodes_in(tree, ast.FunctionDef)
        if any(function.name in loads(statement) for statement in function.body)
    ]  # fmt: skip
    if recursive and _USED.isdisjoint(bound_in(tree)):
        for function in recursive:
            with suppress(_Unsuitable):
                function.body = _Recursion(function, tree).body()
                forget(tree)
    return tree


def _scope_of(tree: ast.Module, function: ast.FunctionDef) -> ast.Module | ast.FunctionDef:
    """Return the module or the function that defines a function."""
    around = [one for one in nodes_in(tree, ast.FunctionDef) if function in _own_nodes(one)]
    return around[0] if around else tree


def _own_nodes(scope: ast.Module | ast.FunctionDef) -> list[ast.AST]:
    return list(nodes_of_scope(scope, lambda inner: True))[1:]


class _Recursion:
    """Rewrites one function of a source."""

    def __init__(self, function: ast.FunctionDef, tree: ast.Module) -> None:
        self._function = function
        self._name = function.name
        self._todo = f" {self._name}:todo"
        nonlocals = {name for node in nodes_in(function, ast.Nonlocal) for name in node.names}
        self._own = names_of(function) - nonlocals
        self._parameters = [part.arg for part in (*function.args.posonlyargs, *function.args.args)]
        self._check(_scope_of(tree, function))
        called = {getattr(call.func, "id", "") for call in nodes_in(function, ast.Call)}
        others = [one for one in nodes_in(tree, ast.FunctionDef) if function not in ast.walk(one)]
        is_alone = called.isdisjoint(one.name for one in others)
        changing = [function] if is_alone else [function, *others]
        self._changed = set().union(*map(names_changed_in, changing))
        """The names whose values may change while the function runs."""
        self._fixed = self._handed_on()
        self._names: list[str] = []
        """The names that what is left to do may read."""
        self._is_numbered = True
        """Whether calls and blocks, or several blocks, are left to do."""
        self._blocks: list[tuple[Sequence[ast.stmt], Set[str]]] = []
        """Statements that are left to do, with the names that they read."""

    def _check(self, scope: ast.Module | ast.FunctionDef) -> None:
        """Refuse a function whose name, names or results are used in other ways."""
        function, arguments = self._function, self._function.args
        if self._name in names_of(function):
            raise _Unsuitable
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or function.decorator_list:
            raise _Unsuitable
        if len(nodes_in(function, ast.FunctionDef)) > 1 or any(
            nodes_in(function, kind) for kind in _UNSUITABLE
        ):
            raise _Unsuitable
        defined = [getattr(node, "name", "") for node in _own_nodes(scope)]
        if defined.count(self._name) > 1 or self._count(scope, ast.Store):
            raise _Unsuitable
        if self._count(function, ast.Load) > self._count_calls(function):
            raise _Unsuitable
        is_used = self._count(scope, ast.Load) > self._count_calls(scope)
        is_used |= isinstance(scope, ast.Module)
        for node in nodes_in(function, ast.Return):
            is_none = node.value is None or getattr(node.value, "value", 0) is None
            if not is_none and (is_used or not isinstance(node.value, ast.Constant | ast.Name)):
                raise _Unsuitable

    def _count(self, node: ast.AST, context: type[ast.expr_context]) -> int:
        """Count how often the function's name is read, or assigned."""
        names = [name for name in nodes_in(node, ast.Name) if name.id == self._name]
        return sum(isinstance(name.ctx, context) for name in names)

    def _count_calls(self, node: ast.AST) -> int:
        return sum(map(self._is_call, nodes_in(node, ast.Expr)))

    def _is_call(self, node: ast.AST) -> bool:
        call = node.value if isinstance(node, ast.Expr) else None
        return isinstance(call, ast.Call) and getattr(call.func, "id", "") == self._name

    def _has_call(self, statement: ast.stmt) -> bool:
        return any(map(self._is_call, nodes_in(statement, ast.Expr)))

    def _given(self, call: ast.Call) -> dict[str, ast.expr]:
        """Return the arguments of a call by the names of the parameters."""
        names = self._parameters
        given: dict[str, ast.expr] = dict(zip(names, call.args, strict=False))
        if len(given) < len(call.args) or any(isinstance(a, ast.Starred) for a in call.args):
            raise _Unsuitable
        for keyword in call.keywords:
            if keyword.arg not in names or keyword.arg in given:
                raise _Unsuitable
            given[keyword.arg] = keyword.value
        defaults = self._function.args.defaults
        for name, default in zip(names[len(names) - len(defaults) :], defaults, strict=True):
            if name not in given and not isinstance(default, ast.Constant):
                raise _Unsuitable
            given.setdefault(name, copy_of_all(default))
        if len(given) < len(names):
            raise _Unsuitable
        return given

    def _handed_on(self) -> set[str]:
        """Return the parameters that each call in the function hands on as they are."""
        lines = nodes_in(self._function, ast.Expr)
        given = [self._given(line.value) for line in lines if self._is_call(line)]  # type: ignore[arg-type]
        assigned = assigned_in(self._function.body)
        return {
            name for name in self._parameters
            if name not in assigned and all(getattr(one[name], "id", "") == name for one in given)
        }  # fmt: skip

    def body(self) -> list[ast.stmt]:
        """Return the function's new statements."""
        first = {*self._parameters} - self._fixed
        self._ways()
        self._names = sorted(first.union(*(reads for _, reads in self._blocks)))
        self._is_numbered = bool(self._blocks) or not self._names
        ways = self._ways()
        popped = call_of_method(self._todo, "pop")
        number = ast.Name(f" {self._name}:number", ast.Store())
        names = [number] * self._is_numbered
        names += [ast.Name(name, ast.Store()) for name in self._names]
        taken = ast.Assign([ast.Tuple([*names], ast.Store())], popped)
        chosen = ways[-1]
        for k in reversed(range(len(ways) - 1)):
            is_this = ast.Compare(ast.Name(number.id, ast.Load()), [ast.Eq()], [ast.Constant(k)])
            chosen = [placed(ast.If(is_this, ways[k], chosen), self._function)]
        given = {name: ast.Name(name, ast.Load()) for name in first}
        begin = ast.List([self._frame(0, given)], ast.Load())
        loop = ast.While(ast.Name(self._todo, ast.Load()), [taken, *chosen], [])
        lines = [ast.Assign([ast.Name(self._todo, ast.Store())], begin), loop]
        kept = [node for node in self._function.body if isinstance(node, ast.Nonlocal)]
        return [*kept, *(placed(line, self._function) for line in lines)]

    def _ways(self) -> list[list[ast.stmt]]:
        """Return the statements for a call, and for each block that is left to do."""
        self._blocks = []
        ways = [self._run(self._function.body)]
        for block, _ in self._blocks:  # which grow meanwhile
            ways.append(self._run(block))
        return ways

    def _frame(self, number: int, values: Mapping[str, ast.expr]) -> ast.Tuple:
        """Return the tuple for a call (0) or a block that is left to do. values: By their names."""
        parts: list[ast.expr] = [ast.Constant(number)] * self._is_numbered
        parts += [values.get(name, ast.Constant(0)) for name in self._names]
        return ast.Tuple(parts, ast.Load())

    def _noted(self, frames: ast.expr, place: ast.AST) -> ast.stmt:
        """Return a line that notes what is left to do, the last frame to be done first."""
        line = ast.Expr(call_of_method(self._todo, "extend", frames))
        return placed(line, place)  # type: ignore[no-any-return]

    def _run(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Return statements that do the same, and note the calls in them as left to do."""
        made: list[ast.stmt] = []
        for k, statement in enumerate(statements):
            if isinstance(statement, ast.Nonlocal):
                continue
            if self._has_call(statement):
                return [*made, *self._begun(statement, statements[k + 1 :])]
            made += self._left(statement)
        return made

    def _left(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return a statement without calls, which goes on with what is left where it returns."""
        if isinstance(statement, ast.Return):
            return [placed(ast.Continue(), statement)]
        if not returns(statement):
            return [statement]
        if not isinstance(statement, ast.If):
            raise _Unsuitable  # a loop
        sides = [
            [made for part in side for made in self._left(part)]
            for side in (statement.body, statement.orelse)
        ]  # fmt: skip
        return [ast.copy_location(ast.If(statement.test, *sides), statement)]

    def _begun(self, statement: ast.stmt, rest: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Return what a statement with calls does before them, with what is left to do noted."""
        if rest and isinstance(rest[0], _ENDS):
            rest = []
        match statement:
            case ast.Expr(ast.Call() as call):
                calls = [call]
                while rest and self._is_call(rest[0]) and self._is_steady(rest[0].value):  # type: ignore[attr-defined]
                    calls.append(rest[0].value)  # type: ignore[attr-defined]
                    rest = rest[1:]
                frames = [self._frame_of_call(call) for call in reversed(calls)]
                if rest:
                    frames.insert(0, self._frame_of_block(rest, set()))
                return [self._noted(ast.List([*frames], ast.Load()), statement)]
            case ast.If(test, body, orelse):
                if rest and any(map(leaves, (*body, *orelse))):
                    *body, last = body
                    if orelse or not isinstance(last, _ENDS) or any(map(leaves, body)):
                        raise _Unsuitable
                    orelse, rest = list(rest), []
                later = self._later(rest, statement)
                one, other = self._run(body), self._run(orelse)
                empty = [placed(ast.Pass(), statement)]
                return [*later, ast.copy_location(ast.If(test, one or empty, other), statement)]
            case ast.For(target, over, body, []):
                later = self._later(rest, statement)
                return [*later, self._noted_rounds(statement, target, over, body)]
        raise _Unsuitable

    def _later(self, rest: Sequence[ast.stmt], statement: ast.stmt) -> list[ast.stmt]:
        """Return a line that notes what stands behind a statement."""
        if not rest:
            return []
        frames = ast.List([self._frame_of_block(rest, assigned_in([statement]))], ast.Load())
        return [self._noted(frames, statement)]

    def _noted_rounds(
        self, loop: ast.For, target: ast.expr, over: ast.expr, body: list[ast.stmt]
    ) -> ast.stmt:
        """Return a loop that notes the rounds of another, the last one first."""
        targets = {*names_in(target)}
        calls = [node for node in nodes_in(over, ast.Call)]
        is_lazy = any(getattr(call.func, "id", "") in _LAZY for call in calls)
        if is_lazy or nodes_in(over, ast.GeneratorExp) or not targets <= self._own:
            raise _Unsuitable
        if loads(over) & self._changed or breaks(body):
            raise _Unsuitable
        if any(map(returns, body)):
            raise _Unsuitable
        frame = self._frame_of_call(body[0].value) if self._is_steady_call(body) else (  # type: ignore[attr-defined]
            self._frame_of_block(body, assigned_in(body) - targets)
        )
        rounds: ast.expr = ast.Call(ast.Name("list", ast.Load()), [over], [])
        rounds = ast.Call(ast.Name("reversed", ast.Load()), [rounds], [])
        each = ast.comprehension(target, rounds, [], 0)
        return self._noted(ast.ListComp(frame, [each]), loop)

    def _is_steady_call(self, block: Sequence[ast.stmt]) -> bool:
        """Tell whether statements are one call, whose arguments may be computed before others."""
        return len(block) == 1 and self._is_call(block[0]) and self._is_steady(block[0].value)  # type: ignore[attr-defined]

    def _frame_of_block(self, block: Sequence[ast.stmt], assigned: set[str]) -> ast.Tuple:
        """Return the frame of statements. assigned: The names that change before they run."""
        reads = (flow_of(block).reads & self._own) - self._fixed
        if reads & assigned:
            raise _Unsuitable
        self._blocks.append((block, reads))
        return self._frame(len(self._blocks), {name: ast.Name(name, ast.Load()) for name in reads})

    def _frame_of_call(self, call: ast.Call) -> ast.Tuple:
        return self._frame(0, self._given(call))

    def _is_steady(self, call: ast.Call) -> bool:
        """Tell whether a call's arguments are the same before and after calls before it."""
        given = self._given(call)
        steady = self._own - self._changed
        kinds = (ast.BinOp, ast.UnaryOp, ast.Tuple, ast.Name, ast.Constant, ast.operator,
                 ast.unaryop, ast.expr_context)  # fmt: skip
        return all(
            isinstance(part, kinds) and getattr(part, "id", "") in {"", *steady}
            for name, value in given.items() if name not in self._fixed
            for part in ast.walk(value)
        )  # fmt: skip
