"""Rewrites functions that call themselves as loops over what is left to do.

    def fill(i, j):                            def fill(i, j):
        if grid[i][j] != 0:                        todo = [(i, j)]
            return                                 while todo:
        grid[i][j] = 3                                 i, j = todo.pop()
        fill(i + 1, j)                                 if grid[i][j] != 0:
        fill(i, j + 1)                                     continue
                                                       grid[i][j] = 3
                                                       todo.extend([(i, j + 1), (i + 1, j)])

What stands behind a call, and each round of a loop with calls, is left to do too: it gets a number,
and the names that it reads. Where results are used, what is left to do finds the last one under a
name of its own. The source does the same as before.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import takewhile
from typing import Any, NamedTuple

from megabatt.codegen.analysis.liveness import (
    LOOPS,
    breaks,
    flow_of,
    loads,
    read_in_rounds,
    returns,
)
from megabatt.codegen.analysis.names import (
    assigned_in,
    assigned_in_expressions,
    bound_in,
    names_in,
    names_of,
    names_shared_in,
)
from megabatt.codegen.analysis.nodes import (
    assignment,
    call_of_method,
    copy_of,
    copy_of_all,
    forget,
    is_call_of,
    nodes_in,
    nodes_of_scope,
    placed,
    with_definitions,
)
from megabatt.codegen.analysis.ownership import assigned_to, is_list, makes_set, names_changed_in
from megabatt.codegen.rewriting.inner_changes import rewrite_comprehensions
from megabatt.codegen.rewriting.steps import AssignmentSteps, CallSteps, Unsuitable

_UNSUITABLE = (
    ast.AsyncFunctionDef, ast.ClassDef, ast.Global, ast.NamedExpr, ast.Try, ast.With, ast.Yield,
    ast.YieldFrom,
)  # fmt: skip
_OF_CONSTANTS = {
    ast.Add, ast.BinOp, ast.Constant, ast.List, ast.Load, ast.Mult, ast.Tuple, ast.UnaryOp,
    ast.USub,
}  # fmt: skip
"""The nodes of an expression that always gives an equal value, if nothing changes its lists."""
_USED = {"enumerate", "len", "list", "reversed", "sorted"}
"""The functions of Python that must have their own names."""
_LOOKING = {"all", "any", "len", "list", "max", "min", "sorted", "sum", "tuple"}
"""The functions of Python whose results do not hold the container that they are called with."""
_LAZY = {"filter", "iter", "map"}
"""The functions of Python whose results read what they are given later."""


class _Block(NamedTuple):
    """Statements that are left to do.

    number: The block's number, from 1 on. statements: The statements; those of a loop, which go on
    with the block itself, are added later. reads: The names that they read, or `then` does. then:
    What is left to do behind them.
    """

    number: int
    statements: list[ast.stmt]
    reads: Set[str]
    then: _Block | None


def without_recursion(tree: ast.Module) -> ast.Module:
    """Return a source without the recursive functions that can be rewritten. May change `tree`."""
    tree = with_definitions(tree, lambda name, function: name in loads(function))
    recursive = [
        function for function in nodes_in(tree, ast.FunctionDef)
        if any(function.name in loads(statement) for statement in function.body)
    ]  # fmt: skip
    bound = set(bound_in(tree)) if recursive else set()
    if _USED.isdisjoint(bound):
        unsteady = names_shared_in(tree)
        has_arrays = any(part.name.startswith("numpy") for part in nodes_in(tree, ast.alias))
        for function in recursive:
            if not {"map", "zip"} & bound:
                _Generators(function.name).generic_visit(function)
            _Extended(_extended_by(function)).generic_visit(function)
            _Added(set() if has_arrays else _numbers_of(function)).generic_visit(function)
            forget(tree)
            _Lengthened(_grown_by_calls(function)).generic_visit(function)
            forget(tree)
            before = function.body
            try:
                function.body = _without_assignments(function, unsteady, bound)
                function.body = CallSteps(function.name, unsteady, bound).block(function.body)
                forget(tree)
                function.body = _Recursion(function, tree).body()
            except Unsuitable:
                function.body = before
            forget(tree)
    return tree


def _extended_by(function: ast.FunctionDef) -> set[str]:
    """Return the parameters that a function binds by `cells += [v]` alone."""
    bound = Counter(bound_in(function))
    bound.subtract(filter(None, map(_extended, nodes_in(function, ast.AugAssign))))
    return {part.arg for part in nodes_in(function.args, ast.arg) if bound[part.arg] == 1}


def _extended(statement: ast.AugAssign) -> str:
    """Return the name in `name += [...]`; "" for other statements."""
    match statement:
        case ast.AugAssign(ast.Name(name), ast.Add(), ast.List()):
            return name
    return ""


def _begun_by(statement: ast.stmt) -> str:
    """Return the name in `if cells is None: cells = []`; "" for other statements."""
    match statement:
        case ast.If(
            ast.Compare(ast.Name(name), [ast.Is()], [ast.Constant(None)]),
            [ast.Assign([ast.Name(assigned)], value)],
            [],
        ) if name == assigned:
            is_new = is_list(value) or makes_set(value) or isinstance(value, ast.Dict)
            return name if is_new else ""
    return ""


class _Extended(ast.NodeTransformer):
    """Writes `cells += [v]` as `cells.extend([v])` for some names of lists."""

    def __init__(self, names: Set[str]) -> None:
        self._names = names

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        name = _extended(node)
        if name not in self._names:
            return node
        return placed(ast.Expr(call_of_method(name, "extend", node.value)), node)


def _numbers_of(function: ast.FunctionDef) -> set[str]:
    """Return the names that only ever get numbers, and what is added to them.

    Nothing but an array can be added to a number and change in place then.
    """
    others = {
        getattr(part.target, "id", "") for part in nodes_in(function, ast.AugAssign)
        if not isinstance(part.op, ast.Add | ast.Sub)
    }  # fmt: skip
    return {
        name for name in assigned_in(function.body) - names_shared_in(function) - others
        if all(map(_is_number, assigned_to(name, [function])))
    }  # fmt: skip


def _is_number(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, int | float)


class _Added(ast.NodeTransformer):
    """Writes `n += v` as `n = n + v` for some names of numbers."""

    def __init__(self, names: Set[str]) -> None:
        self._names = names

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        if not isinstance(node.target, ast.Name) or node.target.id not in self._names:
            return node
        before = ast.Name(node.target.id, ast.Load())
        return assignment(node.target.id, ast.BinOp(before, node.op, node.value), node)


def _grown_by_calls(function: ast.FunctionDef) -> set[str]:
    """Return the names of lists to which a function adds results of its own calls.

    Nothing else holds such a list: the function makes it, and only reads or returns it.
    """
    around = {part: node for node in ast.walk(function) for part in ast.iter_child_nodes(node)}
    lines = [*nodes_in(function, ast.Expr), *nodes_in(function, ast.AugAssign)]
    grown = {
        _appended(line)[0] for line in lines
        if any(is_call_of(function.name, call) for call in nodes_in(line, ast.Call))
    } & (assigned_in(function.body) - names_shared_in(function))  # fmt: skip
    bound = Counter(bound_in(function))
    for line in (*nodes_in(function, ast.Assign), *nodes_in(function, ast.AugAssign)):
        match line:
            case ast.Assign([ast.Name(name)], ast.List() | ast.ListComp()):
                bound[name] -= 1
            case ast.AugAssign(ast.Name(name), ast.Add()):
                bound[name] -= 1
    return {
        name for name in grown
        if not bound[name] and all(
            _is_kept(one, around) for one in nodes_in(function, ast.Name) if one.id == name
        )
    }  # fmt: skip


def _appended(line: ast.AST) -> tuple[str, ast.expr | None]:
    """Return the name of a list to which a line adds, and what; "" and None for other lines."""
    match line:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "append"), [value], [])):
            return name, value
        case (
            ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "extend"), [values], []))
            | ast.AugAssign(ast.Name(name), ast.Add(), values)
        ):
            return name, ast.Starred(values, ast.Load())
    return "", None


def _is_kept(name: ast.Name, around: Mapping[ast.AST, ast.AST]) -> bool:
    """Tell whether a list has no other name where a name is bound or read."""
    match node := around[name]:
        case ast.Attribute():
            return bool(_appended(around[around[node]])[0])
        case ast.Call(ast.Name(called)):
            return called in _LOOKING
        case ast.Subscript(value=value):
            return value is not name or isinstance(node.ctx, ast.Load)
        case ast.IfExp(test):
            return test is name
        case ast.Assign() | ast.AugAssign():
            return isinstance(name.ctx, ast.Store)
    return isinstance(node, ast.If | ast.Return | ast.UnaryOp)


class _Lengthened(ast.NodeTransformer):
    """Writes `found.append(v)` as `found = [*found, v]` for some names of lists; `+=` likewise."""

    def __init__(self, names: Set[str]) -> None:
        self._names = names

    def visit_Expr(self, node: ast.Expr | ast.AugAssign) -> ast.stmt:
        name, added = _appended(node)
        if not added or name not in self._names:
            return node
        before = ast.Starred(ast.Name(name, ast.Load()), ast.Load())
        return assignment(name, ast.List([before, added], ast.Load()), node)

    visit_AugAssign = visit_Expr


def _without_assignments(
    function: ast.FunctionDef, unsteady: Set[str], bound: Set[str]
) -> list[ast.stmt]:
    """Return the statements of a function without `:=`. Raises Unsuitable if there are none."""
    rewrite_comprehensions(function)
    forget(function)
    assigned = assigned_in_expressions(function)
    return AssignmentSteps(function.name, unsteady | assigned, bound).block(function.body)


class _Generators(ast.NodeTransformer):
    """Writes `map(name, values)` as a generator, so that the calls of the function are seen."""

    def __init__(self, name: str) -> None:
        self._name = name

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name("map"), [ast.Name(self._name), first, *others], []) if not any(
                isinstance(part, ast.Starred) for part in node.args
            ):
                pass
            case _:
                return node
        names = [f" {self._name}:element:{k}" for k in range(1 + len(others))]
        target: ast.expr = ast.Name(names[0], ast.Store())
        if others:
            first = ast.Call(ast.Name("zip", ast.Load()), [first, *others], [])
            target = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
        made = ast.Call(node.args[0], [ast.Name(name, ast.Load()) for name in names], [])
        each = ast.comprehension(target, first, [], 0)
        return placed(ast.GeneratorExp(made, [each]), node)


def _scope_of(tree: ast.Module, function: ast.FunctionDef) -> ast.Module | ast.FunctionDef:
    """Return the module or the function that defines a function."""
    around = [one for one in nodes_in(tree, ast.FunctionDef) if function in _own_nodes(one)]
    return around[0] if around else tree


def _own_nodes(scope: ast.Module | ast.FunctionDef) -> list[ast.AST]:
    return list(nodes_of_scope(scope))[1:]


class _Recursion:
    """Rewrites one function of a source."""

    def __init__(self, function: ast.FunctionDef, tree: ast.Module) -> None:
        self._function = function
        self._name = function.name
        self._todo = f" {self._name}:todo"
        self._result = f" {self._name}:result"
        nonlocals = {name for node in nodes_in(function, ast.Nonlocal) for name in node.names}
        self._own = names_of(function) - nonlocals
        self._parameters = [part.arg for part in (*function.args.posonlyargs, *function.args.args)]
        self._check(scope := _scope_of(tree, function))
        called = {getattr(call.func, "id", "") for call in nodes_in(function, ast.Call)}
        others = [one for one in nodes_in(tree, ast.FunctionDef) if function not in ast.walk(one)]
        is_alone = called.isdisjoint(one.name for one in others)
        changing = [function] if is_alone else [function, *others]
        self._changed = set().union(*map(names_changed_in, changing))
        """The names whose values may change while the function runs."""
        lines = [line for line in function.body if not isinstance(line, ast.Nonlocal)]
        count = len([*takewhile(_begun_by, lines)])
        names = {*map(_begun_by, lines[:count])}
        count = count if names <= self._handed_on(lines[count:]) else 0
        self._first, self._body = lines[:count], lines[count:]
        """The lines `if cells is None: cells = []`, which only the first call does, and others."""
        self._fixed = self._handed_on(self._body)
        self._given_back = self._name_given_back()
        """The parameter that each call returns, which all calls have in common; "" if none."""
        self._has_result = self._uses_result(scope) and not self._given_back
        self._names: list[str] = []
        """The names that what is left to do may read."""
        self._is_numbered = True
        """Whether calls and blocks, or several blocks, are left to do."""
        self._blocks: list[_Block] = []
        self._jumps: dict[ast.AST, _Block | None] = {}
        """The blocks that go on from nodes; None for the end of a frame."""

    def _check(self, scope: ast.Module | ast.FunctionDef) -> None:
        """Refuse a function whose name, names or statements cannot be rewritten."""
        function, arguments = self._function, self._function.args
        if self._name in names_of(function):
            raise Unsuitable
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or function.decorator_list:
            raise Unsuitable
        if len(nodes_in(function, ast.FunctionDef)) > 1 or any(
            nodes_in(function, kind) for kind in _UNSUITABLE
        ):
            raise Unsuitable
        keys = [word.value for word in nodes_in(function, ast.keyword) if word.arg == "key"]
        deleted = [target for node in nodes_in(function, ast.Delete) for target in node.targets]
        if any(node not in keys for node in nodes_in(function, ast.Lambda)) or any(
            isinstance(target, ast.Name) for target in deleted
        ):
            raise Unsuitable
        defined = [getattr(node, "name", "") for node in _own_nodes(scope)]
        if defined.count(self._name) > 1 or self._count(scope, ast.Store):
            raise Unsuitable
        if self._count(function, ast.Load) > sum(map(self._is_call, nodes_in(function, ast.Call))):
            raise Unsuitable

    def _uses_result(self, scope: ast.Module | ast.FunctionDef) -> bool:
        """Tell whether the function must return what its calls return."""
        values = [node.value for node in nodes_in(self._function, ast.Return) if node.value]
        if not isinstance(scope, ast.Module) and not self._is_used_in(scope):
            if not all(isinstance(value, ast.Constant | ast.Name) for value in values):
                raise Unsuitable
            return False
        is_none = all(getattr(value, "value", 0) is None for value in values)
        return not is_none or self._is_used_in(self._function)

    def _is_used_in(self, node: ast.AST) -> bool:
        """Tell whether results are used, or the function is not called."""
        return self._count(node, ast.Load) > sum(map(self._is_line, nodes_in(node, ast.Expr)))

    def _count(self, node: ast.AST, context: type[ast.expr_context]) -> int:
        """Count how often the function's name is read, or assigned."""
        names = [name for name in nodes_in(node, ast.Name) if name.id == self._name]
        return sum(isinstance(name.ctx, context) for name in names)

    def _is_call(self, node: ast.AST | None) -> bool:
        return is_call_of(self._name, node)

    def _is_line(self, statement: ast.stmt) -> bool:
        """Tell whether a statement is a call, and no more."""
        return isinstance(statement, ast.Expr) and self._is_call(statement.value)

    def _is_left(self, statement: ast.stmt) -> bool:
        """Tell whether a statement has calls, or goes on elsewhere."""
        calls = nodes_in(statement, ast.Call)
        return bool(self._jumps_in(statement)) or any(map(self._is_call, calls))

    def _jumps_in(self, statement: ast.stmt) -> list[ast.AST]:
        return [node for node in nodes_in(statement, ast.Pass) if node in self._jumps]

    def _jump(self, to: _Block | None, place: ast.AST) -> ast.stmt:
        """Return a statement that goes on with a block, or ends the frame."""
        node = ast.copy_location(ast.Pass(), place)
        self._jumps[node] = to
        return node

    def _given(self, call: ast.Call) -> dict[str, ast.expr]:
        """Return the arguments of a call by the names of the parameters."""
        names = self._parameters
        given: dict[str, ast.expr] = dict(zip(names, call.args, strict=False))
        if len(given) < len(call.args) or any(isinstance(a, ast.Starred) for a in call.args):
            raise Unsuitable
        for keyword in call.keywords:
            if keyword.arg not in names or keyword.arg in given:
                raise Unsuitable
            given[keyword.arg] = keyword.value
        defaults = self._function.args.defaults
        for name, default in zip(names[len(names) - len(defaults) :], defaults, strict=True):
            if name not in given:
                given[name] = self._default(name, default)
        if len(given) < len(names):
            raise Unsuitable
        return given

    def _default(self, name: str, default: ast.expr) -> ast.expr:
        """Return an expression for a parameter's default, of which all calls have the same one."""
        if not any(name in loads(line) for line in self._function.body):
            return ast.Constant(None)
        if not isinstance(default, ast.Constant):
            kinds = {type(part) for part in ast.walk(default)}
            if self._changed or not kinds <= _OF_CONSTANTS:
                raise Unsuitable
        return copy_of_all(default)

    def _handed_on(self, body: Sequence[ast.stmt]) -> set[str]:
        """Return the parameters that a function's statements hand on as they are in all calls."""
        calls = filter(self._is_call, nodes_in(self._function, ast.Call))
        given = list(map(self._given, calls))
        assigned = assigned_in(body)
        return {
            name for name in self._parameters
            if name not in assigned and all(getattr(one[name], "id", "") == name for one in given)
        }  # fmt: skip

    def _name_given_back(self) -> str:
        """Return the name of the parameter that each call returns; "" if there is none."""
        values = [node.value for node in nodes_in(self._function, ast.Return)]
        own = sum(map(self._is_call, values))
        names = {getattr(value, "id", "") for value in values if not self._is_call(value)}
        lines = sum(map(self._is_line, nodes_in(self._function, ast.Expr)))
        always = isinstance(self._function.body[-1], ast.Return)
        if len(names) > 1 or not always or self._count(self._function, ast.Load) > lines + own:
            return ""
        return "".join(names & self._fixed)

    def body(self) -> list[ast.stmt]:
        """Return the function's new statements."""
        first = {*self._parameters} - self._fixed
        self._ways()
        self._names = sorted(first.union(*(block.reads for block in self._blocks)))
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
        lines = [self._set(self._todo, begin), loop]
        if self._has_result:
            none = self._set(self._result, _unset(None))
            lines = [none, *lines, ast.Return(ast.Name(self._result, ast.Load()))]
        elif self._given_back:
            lines.append(ast.Return(ast.Name(self._given_back, ast.Load())))
        kept = [node for node in self._function.body if isinstance(node, ast.Nonlocal)]
        return [*kept, *self._first, *(placed(line, self._function) for line in lines)]

    def _ways(self) -> list[list[ast.stmt]]:
        """Return the statements for a call, and for each block that is left to do."""
        self._blocks = []
        ways = [self._run(self._body, None)]
        for block in self._blocks:  # which grow meanwhile
            ways.append(self._run(block.statements, block.then))
        return ways

    def _set(self, name: str, value: ast.expr) -> ast.Assign:
        return assignment(name, value, self._function)

    def _frame(self, number: int, values: Mapping[str, ast.expr]) -> ast.Tuple:
        """Return the tuple for a call (0) or a block that is left to do. values: By their names."""
        parts: list[ast.expr] = [ast.Constant(number)] * self._is_numbered
        parts += [values.get(name) or _unset(0) for name in self._names]
        return ast.Tuple(parts, ast.Load())

    def _frame_of_call(self, call: ast.Call) -> ast.Tuple:
        return self._frame(0, self._given(call))

    def _frame_of_block(self, block: _Block) -> ast.Tuple:
        values = {name: ast.Name(name, ast.Load()) for name in block.reads}
        return self._frame(block.number, values)

    def _noted(self, frames: Iterable[ast.expr] | ast.expr, place: ast.AST) -> ast.stmt:
        """Return a line that notes what is left to do, the last frame to be done first."""
        if not isinstance(frames, ast.expr):
            frames = ast.List([*frames], ast.Load())
        line = ast.Expr(call_of_method(self._todo, "extend", frames))
        return placed(line, place)

    def _new_block(
        self, statements: Sequence[ast.stmt], reads: Set[str], then: _Block | None = None
    ) -> _Block:
        reads = (reads & self._own) - self._fixed
        self._blocks.append(_Block(len(self._blocks) + 1, [*statements], reads, then))
        return self._blocks[-1]

    def _behind(self, rest: Sequence[ast.stmt], then: _Block | None) -> _Block | None:
        """Return the block of the statements behind another, with `then` behind them."""
        if not rest or rest[0] in self._jumps:
            return self._jumps[rest[0]] if rest else then
        if not (self._has_result or self._is_left(rest[0])) and isinstance(rest[0], ast.Return):
            return None
        flow = flow_of(rest)
        reads = {*flow.before(then.reads if then else set(), set())}
        blocks = [self._jumps[jump] for line in rest for jump in self._jumps_in(line)]
        return self._new_block(rest, reads.union(*(one.reads for one in blocks if one)), then)

    def _run(self, statements: Sequence[ast.stmt], then: _Block | None) -> list[ast.stmt]:
        """Return statements that do the same, and note the calls in them as left to do.

        then: What is left to do behind them.
        """
        made: list[ast.stmt] = []
        for k, statement in enumerate(statements):
            if isinstance(statement, ast.Return) or self._is_left(statement):
                return [*made, *self._begun(statement, statements[k + 1 :], then)]
            made += self._done(statement)
        return [*made, *self._goes_on(then)]

    def _goes_on(self, then: _Block | None) -> list[ast.stmt]:
        """Return the last statements of a frame, which go on with a block, or end the call."""
        if then:
            return [self._noted([self._frame_of_block(then)], self._function)]
        return [self._set(self._result, ast.Constant(None))] if self._has_result else []

    def _returned(self, statement: ast.Return) -> list[ast.stmt]:
        if not self._has_result:
            return []
        return [self._set(self._result, statement.value or ast.Constant(None))]

    def _done(self, statement: ast.stmt, in_loop: bool = False) -> list[ast.stmt]:
        """Return a statement without calls, which goes on with what is left where it returns."""
        flag = f" {self._name}:returned"
        end: ast.stmt = ast.Break() if in_loop else ast.Continue()
        if isinstance(statement, ast.Return):
            told = [self._set(flag, ast.Constant(True))] if in_loop else []
            return [*self._returned(statement), *told, placed(end, statement)]
        if not returns(statement):
            return [statement]
        is_loop = isinstance(statement, LOOPS)
        made: Any = copy_of(statement)
        for field in ("body", "orelse"):
            block = getattr(made, field)
            inner = [line for part in block for line in self._done(part, in_loop or is_loop)]
            setattr(made, field, inner)
        if not is_loop:
            return [made]
        if made.orelse:
            raise Unsuitable
        begin = [] if in_loop else [self._set(flag, ast.Constant(False))]
        return [*begin, made, placed(ast.If(ast.Name(flag, ast.Load()), [end], []), statement)]

    def _begun(
        self, statement: ast.stmt, rest: Sequence[ast.stmt], then: _Block | None
    ) -> list[ast.stmt]:
        """Return what a statement with calls does before them, with what is left to do noted.

        rest: The statements behind it. then: What is left to do behind these.
        """
        match statement:
            case ast.Pass():
                goes_on = self._goes_on(self._jumps[statement])
                return [*goes_on, placed(ast.Continue(), statement)]
            case ast.Return(ast.Call() as call) if self._is_call(call):
                noted = self._noted([self._frame_of_call(call)], statement)
                return [noted, placed(ast.Continue(), statement)]
            case ast.Return():
                return self._done(statement)
            case ast.Expr(ast.Call() as call):
                calls = [call]
                while rest and self._is_line(rest[0]) and self._is_steady(rest[0].value):  # type: ignore[attr-defined]
                    calls.append(rest[0].value)  # type: ignore[attr-defined]
                    rest = rest[1:]
                return self._called(calls, rest, then)
            case ast.Assign([ast.Name() as target], ast.Call() as call):
                result = ast.Name(self._result, ast.Load())
                first = placed(ast.Assign([target], result), statement)
                return self._called([call], [first, *rest], then)
            case ast.If(test, body, orelse):
                behind = self._behind(rest, then)
                one, other = self._run(body, behind), self._run(orelse, behind)
                one = one or [placed(ast.Pass(), statement)]
                return [placed(ast.If(test, one, other), statement)]
            case ast.For(orelse=[]) | ast.While(orelse=[]):
                behind = self._behind(rest, then)
                if isinstance(statement, ast.For) and self._may_note_rounds(statement, behind):
                    return self._noted_rounds(statement, behind)
                return self._in_rounds(statement, behind)
        raise Unsuitable

    def _called(
        self, calls: Sequence[ast.Call], rest: Sequence[ast.stmt], then: _Block | None
    ) -> list[ast.stmt]:
        """Return a line that notes calls, and what stands behind them."""
        behind = self._behind(rest, then)
        if not behind and self._has_result:
            behind = self._new_block([], set())  # returns None
        frames = [self._frame_of_call(call) for call in reversed(calls)]
        if behind:
            frames.insert(0, self._frame_of_block(behind))
        return [self._noted(frames, calls[0])]

    def _may_note_rounds(self, loop: ast.For, behind: _Block | None) -> bool:
        """Tell whether all rounds of a loop can be noted before the first one is done."""
        if self._has_result or breaks(loop.body):
            return False
        targets, assigned = {*names_in(loop.target)}, assigned_in(loop.body)
        carried = flow_of(loop.body).reads & (assigned - targets)
        read = behind.reads & (assigned | targets) if behind else set()
        return targets <= self._own and not (carried or read or any(map(returns, loop.body)))

    def _noted_rounds(self, loop: ast.For, behind: _Block | None) -> list[ast.stmt]:
        """Return a line that notes the rounds of a loop, the last one first."""
        body = self._with_jumps(loop.body, None, None)
        if len(body) == 1 and self._is_line(body[0]) and self._is_steady(body[0].value):  # type: ignore[attr-defined]
            frame = self._frame_of_call(body[0].value)  # type: ignore[attr-defined]
        else:
            reads = flow_of(body).reads | self._held_by(loop)
            frame = self._frame_of_block(self._new_block(body, reads))
        rounds = ast.Call(ast.Name("reversed", ast.Load()), [self._rounds_of(loop)], [])
        each = ast.comprehension(loop.target, rounds, [], 0)
        return [
            *(self._goes_on(behind) if behind else []),
            self._noted(ast.ListComp(frame, [each]), loop),
        ]

    def _rounds_of(self, loop: ast.For) -> ast.Call:
        """Return the list that a loop goes over; refuse one that may change meanwhile."""
        calls = nodes_in(loop.iter, ast.Call)
        is_lazy = any(getattr(call.func, "id", "") in _LAZY for call in calls)
        if is_lazy or nodes_in(loop.iter, ast.GeneratorExp):
            raise Unsuitable
        names = loads(loop.iter)
        if any(name in self._changed and not self._is_private(name, loop) for name in names):
            raise Unsuitable
        return ast.Call(ast.Name("list", ast.Load()), [loop.iter], [])

    def _is_private(self, name: str, loop: ast.For) -> bool:
        """Tell whether a name's list cannot change in the rounds of a loop.

        Each call makes the list, which never gets another name, and the rounds do not read it.
        """
        function = self._function
        values = [*assigned_to(name, function.body)]
        if name not in self._own or name in self._parameters:
            return False
        if not values or not all(map(_makes_list, values)):
            return False
        if any(name in loads(line) | names_changed_in(line) for line in loop.body):
            return False
        if any(len(node.targets) > 1 for node in nodes_in(function, ast.Assign)):
            return False
        uses = [node for node in nodes_in(function, ast.Name) if node.id == name]
        looked_at = {part for node in ast.walk(function) for part in _looked_at(node)}
        return all(node in looked_at or isinstance(node.ctx, ast.Store) for node in uses)

    def _held_by(self, loop: ast.For) -> Set[str]:
        """Return the names to hold in the rounds of a loop: the reader must see their lists."""
        names = loads(loop.iter) & self._own
        return {name for name in names if not self._is_private(name, loop)}

    def _in_rounds(self, loop: LOOPS, behind: _Block | None) -> list[ast.stmt]:
        """Return what begins a loop of which each round is a block."""
        begin: list[ast.stmt] = []
        reads = read_in_rounds(loop)
        first: list[ast.stmt] = []
        if isinstance(loop, ast.For):
            line = f" {self._name}:{loop.lineno}:{loop.col_offset}"
            rounds, place = f"{line}:rounds", f"{line}:place"
            begin = [self._set(rounds, self._rounds_of(loop)), self._set(place, ast.Constant(0))]
            reads = {*reads, rounds, place, *self._held_by(loop)}
            self._own |= {rounds, place}
            count = ast.Call(ast.Name("len", ast.Load()), [ast.Name(rounds, ast.Load())], [])
            test: ast.expr = ast.Compare(ast.Name(place, ast.Load()), [ast.Lt()], [count])
            element = ast.Subscript(
                ast.Name(rounds, ast.Load()), ast.Name(place, ast.Load()), ast.Load()
            )
            next_place = ast.BinOp(ast.Name(place, ast.Load()), ast.Add(), ast.Constant(1))
            first = [ast.Assign([loop.target], element), self._set(place, next_place)]
        else:
            test = loop.test
        head = self._new_block([], reads | behind.reads if behind else reads)
        body = [*first, *self._with_jumps(loop.body, head, behind), self._jump(head, loop)]
        head.statements.append(placed(ast.If(test, body, [self._jump(behind, loop)]), loop))
        return [*begin, *self._goes_on(head)]

    def _with_jumps(
        self, block: Sequence[ast.stmt], on_continue: _Block | None, on_break: _Block | None
    ) -> list[ast.stmt]:
        """Return a loop's statements with jumps instead of `continue` and `break`."""
        made: list[ast.stmt] = []
        for statement in block:
            match statement:
                case ast.Continue():
                    statement = self._jump(on_continue, statement)
                case ast.Break():
                    statement = self._jump(on_break, statement)
                case ast.If(test):
                    sides = [
                        self._with_jumps(side, on_continue, on_break)
                        for side in (statement.body, statement.orelse)
                    ]
                    statement = ast.copy_location(ast.If(test, *sides), statement)
            made.append(statement)
        return made

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


def _makes_list(node: ast.expr | None) -> bool:
    """Tell whether an expression makes a list that nothing else has."""
    if isinstance(node, ast.Call):
        return getattr(node.func, "id", "") in ("list", "sorted")
    return isinstance(node, ast.List | ast.ListComp)


def _looked_at(node: ast.AST) -> list[ast.AST]:
    """Return the parts whose values a node looks at, and gives to nothing else."""
    match node:
        case ast.Call(ast.Attribute(part)) | ast.Subscript(part) | ast.UnaryOp(ast.Not(), part):
            return [part]
        case ast.For(_, part) | ast.comprehension(_, part) | ast.If(part) | ast.While(part):
            return [part]
        case ast.Call(ast.Name("len" | "list" | "sorted" | "enumerate"), parts):
            return [*parts]
    return []


def _unset(value: int | None) -> ast.Constant:
    """Return a constant in place of a value which is not read."""
    made = ast.Constant(value)
    made.is_unset = True  # type: ignore[attr-defined]
    return made
