"""Rewrites functions that change what their callers hold, so that the callers assign it.

Where `def fill(rows, color)` changes `rows`, and the caller reads its list again, the function
returns the list too: `fill(grid, 3)` becomes `grid = fill(grid, 3)`. A function that changes a name
of a function around it takes the name as a parameter. The source does the same as before.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from typing import Any, NamedTuple

from megabatt.codegen.analysis.liveness import (
    LOOPS,
    Names,
    flow_of,
    loads,
    read_by_functions,
    read_in_rounds,
)
from megabatt.codegen.analysis.names import assigned_by, assigned_in, bound_in
from megabatt.codegen.analysis.nodes import (
    Functions,
    copy_of_all,
    forget,
    is_call_of,
    nodes_in,
    nodes_of_scope,
    placed,
)
from megabatt.codegen.analysis.ownership import (
    Comprehension,
    assigned_to,
    call_of_change,
    indices_of,
    is_list,
    lend,
    mark_changed,
    may_change,
    names_changed_in,
)
from megabatt.codegen.rewriting.inner_changes import Effects, rewrite

_UNSUITABLE = (
    ast.AsyncFor, ast.AsyncWith, ast.Await, ast.ClassDef, ast.Global, ast.Match, ast.Try,
    ast.TryStar, ast.With, ast.Yield, ast.YieldFrom,
)  # fmt: skip
_CALLING = ast.Assign | ast.Expr | ast.Return
"""The statements in which a call can become an assignment of several names."""


def with_effects_returned(tree: ast.Module, is_program: Callable[[str], Any]) -> ast.Module:
    """Return a source where functions that change lists of their callers return them too.

    A function stays as it is if it is recursive, a program, or read as a value, or if a call of it
    stands where nothing can be assigned, as in a comprehension. Raises RecursionError if the source
    is nested too deeply.

    is_program: Tells whether a function of the module with this name is a program.
    """
    functions = (part for part in tree.body if isinstance(part, ast.FunctionDef))
    if not any(_may_act(part) for one in functions for part in nodes_in(one, ast.FunctionDef)):
        return tree
    tree = copy_of_all(tree)
    fixed: set[ast.AST] = set()
    while returns := _Source(tree, fixed, is_program).returns_of_given:
        tree = _ReturnsApart(returns).visit(tree)
        forget(tree)
    while True:
        source = _Source(tree, fixed, is_program)
        rewrite(tree, set(bound_in(tree)), source.effects)
        source = _Source(tree, fixed, is_program)  # with the assignments that were added
        wrong = source.unsuitable()
        if not wrong:
            break
        fixed |= wrong
    source.rewrite()
    forget(tree)
    rewrite(tree, set(bound_in(tree)))  # what is returned may be `x.pop()`
    return tree


def _may_act(function: ast.FunctionDef) -> bool:
    """Tell whether a function may change something that it has not made, as far as names tell."""
    changed = names_changed_in(function)
    assigned = assigned_in(function.body) - {part.arg for part in nodes_in(function.args, ast.arg)}
    return bool(nodes_in(function, ast.Nonlocal) or changed - assigned)


class _Scope:
    """A function or the module. around: The scope that defines it; None for the module."""

    def __init__(self, node: ast.FunctionDef | ast.Module, around: _Scope | None) -> None:
        self.node = node
        self.around = around
        self.nodes = list(nodes_of_scope(node.body, _is_named))
        """The nodes in it, but not those in functions that it defines by name."""
        self.parameters: list[str] = []
        if isinstance(node, ast.FunctionDef):
            self.parameters = [argument.arg for argument in _arguments(node)]
        assigned = assigned_in(node.body)
        assigned |= {part.target.id for part in self.nodes if isinstance(part, ast.NamedExpr)}
        self.nonlocals = {
            name for part in self.nodes if isinstance(part, ast.Nonlocal) for name in part.names
        }
        self.locals = (assigned | {*self.parameters}) - self.nonlocals
        self.kept = {*self.parameters} - assigned
        """The parameters that it does not assign."""

    @property
    def name(self) -> str:
        return self.node.name if isinstance(self.node, ast.FunctionDef) else ""

    @cached_property
    def changed(self) -> set[str]:
        """The names that it changes itself."""
        return {name for part in self.nodes for name in _changed_by(part)} | self.nonlocals

    def home_of(self, name: str) -> _Scope | None:
        """Return the scope that defines a name; None if none does."""
        scope: _Scope | None = self
        while scope is not None and name not in scope.locals:
            scope = scope.around
        return scope

    def is_in(self, other: _Scope) -> bool:
        """Tell whether it is another scope, or defined in it."""
        scope: _Scope | None = self
        while scope is not None and scope is not other:
            scope = scope.around
        return scope is other

    def variable(self, name: str) -> Variable | None:
        """Return a name with the function that defines it; None if no function does."""
        home = self.home_of(name)
        return (home, name) if home is not None and home.around is not None else None


Variable = tuple[_Scope, str]


class _Call(NamedTuple):
    """A call of a function of the source. caller: The function or module that it stands in.

    given: The caller's names that it gives for what changes.
    """

    caller: _Scope
    node: ast.Call
    given: Sequence[ast.Name] = ()


class _Effect(NamedTuple):
    """What a function does. given: The parameters that it changes.

    changed: The variables of functions around it that it changes. bound: Those of them that get
    other objects. read: Those that it reads.
    """

    given: Set[str]
    changed: Set[Variable]
    bound: Set[Variable]
    read: Set[Variable]


_NONE = _Effect(frozenset(), frozenset(), frozenset(), frozenset())


class _Plan(NamedTuple):
    """How a function is rewritten. taken: The names that become parameters.

    returned: The names whose values it returns. has_value: Whether it returned something before.
    is_same: Whether that is already the only name that it returns.
    """

    taken: Sequence[str]
    returned: Sequence[str]
    has_value: bool
    is_same: bool


class _Source:
    """The functions of a source. fixed: Those that stay as they are."""

    def __init__(
        self, tree: ast.Module, fixed: Set[ast.AST], is_program: Callable[[str], Any]
    ) -> None:
        self._module = _Scope(tree, None)
        self._scopes = list(_scopes_in(self._module))
        self._fixed = fixed
        self._is_program = is_program
        self._effects: dict[_Scope, _Effect] = {}
        self._functions: dict[tuple[_Scope, str], _Scope] = {}
        for scope in self._scopes:
            if scope.around is not None:
                self._functions[scope.around, scope.name] = scope
        for scope in self._scopes:
            names = {*scope.parameters} - scope.kept
            scope.kept |= {name for name in names if self._is_container(scope, name, [])}

    def _is_container(self, scope: _Scope, name: str, calls: list[_Call]) -> bool:
        """Tell whether a name only ever is a set or a list, which `name |= value` changes.

        calls: Those of which it is being told what they give.
        """
        own = (part for part in scope.node.body if not isinstance(part, ast.FunctionDef))
        values = list(assigned_to(name, own))
        if any(name in other.nonlocals for other in self._scopes):
            return False
        if name not in scope.parameters:
            is_own = self._bound.keys().isdisjoint({"list", "set", "sorted"})
            return is_own and bool(values) and all(map(_makes_container, values))
        given = [call for call in self._calls[scope] if call not in calls]
        calls += given
        return not values and bool(self._calls[scope]) and all(
            isinstance(part, ast.Name) and self._is_container(call.caller, part.id, calls)
            for call in given for part in [_argument(scope, call.node, name)]
        )

    # Which functions may be rewritten

    @cached_property
    def _calls(self) -> Mapping[_Scope, list[_Call]]:
        """The calls of each function."""
        calls: defaultdict[_Scope, list[_Call]] = defaultdict(list)
        for scope in self._scopes:
            for part in scope.nodes:
                if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
                    called = self._function(scope, part.func.id)
                    if called is not None:
                        calls[called].append(_Call(scope, part))
        return calls

    def _function(self, scope: _Scope, name: str) -> _Scope | None:
        home = scope.home_of(name)
        return None if home is None else self._functions.get((home, name))

    @cached_property
    def _callees(self) -> Mapping[_Scope, Set[_Scope]]:
        """The functions that each function, or one defined in it, calls."""
        callees: defaultdict[_Scope, set[_Scope]] = defaultdict(set)
        for called, calls in self._calls.items():
            for call in calls:
                scope: _Scope | None = call.caller
                while scope is not None:
                    callees[scope].add(called)
                    scope = scope.around
        return callees

    @cached_property
    def _suitable(self) -> Set[_Scope]:
        """The functions that may be rewritten."""
        return {
            scope for scope in self._scopes
            if isinstance(scope.node, ast.FunctionDef)
            and scope.node not in self._fixed
            and not (scope.around is self._module and self._is_program(scope.name))
            and not any(isinstance(part, _UNSUITABLE) for part in scope.nodes)
            and not (scope.node.decorator_list or scope.node.args.vararg or scope.node.args.kwarg)
            and self._is_called_alone(scope)
            and not self._is_recursive(scope)
        }  # fmt: skip

    @cached_property
    def _bound(self) -> Counter[str]:
        """How often the source binds each name."""
        return Counter(bound_in(self._module.node))

    def _is_called_alone(self, scope: _Scope) -> bool:
        """Tell whether a function is only ever called, by its name, with plain arguments."""
        assert scope.around is not None
        home = scope.around.node
        count = self._bound[scope.name]
        if count > 1 and home is not self._module.node:
            count = Counter(bound_in(home))[scope.name]
        named = [part for part in nodes_in(home, ast.Name) if part.id == scope.name]
        calls = self._calls[scope]
        are_plain = all(
            call.caller is not self._module and all(part.arg for part in call.node.keywords)
            for call in calls
        )
        return count == 1 and len(named) == len(calls) and are_plain

    def _is_recursive(self, scope: _Scope) -> bool:
        reached = {scope}
        left = [scope]
        for one in left:
            for called in self._callees[one]:
                if called is scope:
                    return True
                if called not in reached:
                    reached.add(called)
                    left.append(called)
        return False

    # What functions do

    def _effect(self, scope: _Scope) -> _Effect:
        if scope not in self._suitable:
            return _NONE
        found = self._effects.get(scope)
        if found is None:
            found = self._effects[scope] = self._effect_of(scope)
        return found

    def _effect_of(self, scope: _Scope) -> _Effect:
        changed = set(scope.changed)
        outer: set[Variable] = set()
        bound = {one for name in scope.nonlocals for one in [scope.variable(name)] if one}
        free = (scope.variable(name) for name in loads(scope.node) - scope.locals)
        read = {variable for variable in free if variable is not None}
        for called in self._callees[scope]:
            read |= self._effect(called).read
            for call in self._calls[called]:
                if call.caller is scope:
                    changed |= {name.id for name in self._given(called, call.node)}
                    outer |= self._effect(called).changed
                    bound |= self._effect(called).bound
        changed |= {name for home, name in outer if home is scope}
        outer |= {
            found for name in changed - scope.locals for found in [scope.variable(name)] if found
        }
        assigned_within = {name for home, name in bound if home is scope}
        outer = {one for one in outer if not one[0].is_in(scope)}
        read = {one for one in read if not one[0].is_in(scope)}
        given = scope.kept & changed - assigned_within
        return _Effect(given, outer, bound & outer, read | outer)

    def _given(self, called: _Scope, call: ast.Call) -> list[ast.Name]:
        """List the names that a call gives for the parameters that the function changes."""
        given = [_argument(called, call, name) for name in self._effect(called).given]
        return [part for part in given if isinstance(part, ast.Name)]

    @cached_property
    def _changing(self) -> Mapping[_Scope, list[_Call]]:
        """The calls of each function that changes something that a caller may name.

        A function that returns what it is given and changes is left out where it is given no name:
        such a call stays as it is.
        """
        changing = {}
        for scope in self._suitable:
            effect = self._effect(scope)
            calls = [self._with_given(scope, call) for call in self._calls[scope]]
            if effect.changed or any(call.given for call in calls):
                is_same = self._always_returned(scope) in effect.given and not effect.changed
                changing[scope] = [call for call in calls if call.given or not is_same]
        return changing

    def _with_given(self, called: _Scope, call: _Call) -> _Call:
        names = self._given(called, call.node)
        own = call.caller.locals.union(self._taken(call.caller))
        return call._replace(given=[name for name in names if name.id in own])

    def _changed_names(self, called: _Scope, call: _Call) -> list[str]:
        """List the caller's names whose values a call changes."""
        return [*(n.id for n in call.given), *(name for _, name in self._effect(called).changed)]

    def _always_returned(self, scope: _Scope) -> str:
        """Return the name whose value a function returns on all ways; "" if there is none."""
        values = [part.value for part in scope.nodes if isinstance(part, ast.Return)]
        names = {value.id if isinstance(value, ast.Name) else "" for value in values}
        return names.pop() if len(names) == 1 and flow_of(scope.node.body).ends is None else ""

    @property
    def returns_of_given(self) -> Mapping[ast.AST, str]:
        """The names that calls return which a `return` returns: functions return what they get."""
        given: dict[ast.expr | None, ast.expr | None] = {
            call.node: _argument(called, call.node, name)
            for called in self._suitable for name in [self._always_returned(called)]
            if name in called.kept and not self._effect(called).bound
            for call in self._calls[called]
        }  # fmt: skip
        return {
            part: name.id
            for scope in self._scopes for part in scope.nodes if isinstance(part, ast.Return)
            for name in [given.get(part.value)] if isinstance(name, ast.Name)
        }  # fmt: skip

    @cached_property
    def effects(self) -> Effects:
        """The names that each call changes, of the calls of functions that may be rewritten."""
        return {
            call.node: {*self._changed_names(scope, call)}
            for scope, calls in self._changing.items() for call in calls
        }  # fmt: skip

    @cached_property
    def _lifted(self) -> Set[Variable]:
        """The variables that become parameters."""
        return {one for scope in self._suitable for one in self._effect(scope).changed}

    def _taken(self, scope: _Scope) -> list[str]:
        """Return the names that become parameters of a function."""
        return sorted({name for _, name in self._of_lifted(scope)})

    def _of_lifted(self, scope: _Scope) -> Set[Variable]:
        """Return the variables that become parameters of a function."""
        return self._effect(scope).read & self._lifted

    def unsuitable(self) -> set[ast.AST]:
        """Return the functions that must stay as they are."""
        wrong: set[ast.AST] = set()
        for scope in self._suitable:
            taken = self._taken(scope)
            if len(self._of_lifted(scope)) > len(taken) or scope.locals & {*taken}:
                wrong.add(scope.node)
            inner = (one for one in self._scopes if one.around is scope)
            values = (one.node for one in inner if one not in self._suitable)
            if any(loads(part) & {*taken} for part in (*values, *_kept_functions(scope))):
                wrong.add(scope.node)
            for call in self._calls[scope]:
                if not all(self._has(call.caller, one) for one in self._of_lifted(scope)):
                    wrong.add(scope.node)
                if _bound_around(call) & {*taken}:
                    wrong.add(scope.node)
        for scope, calls in self._changing.items():
            for call in calls:
                names = self._changed_names(scope, call)
                if len({*names}) < len(names) or call.node not in self._alone:
                    wrong.add(scope.node)
        return wrong

    @cached_property
    def _alone(self) -> Set[ast.AST | None]:
        """The calls that are the whole value of a statement."""
        return {
            statement.value
            for scope in self._scopes for statement in _statements(scope.node.body)
            if isinstance(statement, _CALLING)
        }  # fmt: skip

    def _has(self, scope: _Scope, variable: Variable) -> bool:
        """Tell whether a variable is, or becomes, one of a function's own."""
        return scope is variable[0] or variable in self._of_lifted(scope)

    # How they are rewritten

    def rewrite(self) -> None:
        """Rewrite the functions."""
        plans = {scope: self._plan(scope) for scope in self._suitable}
        becoming: dict[ast.AST, _Becoming] = {}
        for scope, plan in plans.items():
            bound = {name for _, name in self._effect(scope).bound}
            for call in self._changing.get(scope, ()):
                names = [self._returned_to(scope, call, name) for name in plan.returned]
                becoming[call.node] = _Becoming(plan, names, {*names} - bound)
            for call in self._calls[scope]:
                names_taken = (ast.Name(name, ast.Load()) for name in plan.taken)
                call.node.args[:0] = [placed(name, call.node) for name in names_taken]
        for scope in self._scopes:
            _write(scope.node, plans.get(scope), becoming)

    @cached_property
    def _live(self) -> Mapping[ast.AST, Names]:
        """For each call that changes something, the names that its caller reads later."""
        live: dict[ast.AST, Names] = {}
        for caller in {call.caller for calls in self._changing.values() for call in calls}:
            at_end = read_by_functions(caller.node.body, ast.Pass()) | self._effect(caller).given
            live.update(_live_behind(caller.node.body, at_end | {*self._taken(caller)}))
        return live

    def _returned_to(self, called: _Scope, call: _Call, name: str) -> str:
        """Return the name to which a call assigns what a function returns; "" for none."""
        if name not in self._effect(called).given:
            return name
        given = _argument(called, call.node, name)
        names = (one.id for one in call.given if one is given and one.id in self._live[call.node])
        return next(names, "")

    def _plan(self, scope: _Scope) -> _Plan:
        effect = self._effect(scope)
        changed = {name for _, name in effect.changed}
        taken = self._taken(scope)
        returned = [name for name in taken if name in changed]
        for name in scope.parameters:
            calls = self._changing.get(scope, ()) if name in effect.given else ()
            if any(self._returned_to(scope, call, name) for call in calls):
                returned.append(name)
        is_same = [self._always_returned(scope)] == returned
        return _Plan(taken, returned, self._has_value(scope), is_same)

    def _has_value(self, scope: _Scope) -> bool:
        """Tell whether a function returns something that a call uses, or that has effects."""
        values = [part.value for part in scope.nodes if isinstance(part, ast.Return)]
        if any(may_change(value) or nodes_in(value, ast.Call) for value in values if value):
            return True
        are_values = any(getattr(value, "value", value) is not None for value in values)
        return are_values and any(call.node not in self._unused for call in self._calls[scope])

    @cached_property
    def _unused(self) -> Set[ast.AST]:
        """The calls whose results nothing uses."""
        return {
            part.value for scope in self._scopes for part in scope.nodes
            if isinstance(part, ast.Expr)
        }  # fmt: skip


class _ReturnsApart(ast.NodeTransformer):
    """Writes `return fill(grid, 3)` as a call and `return grid`. names: What calls return."""

    def __init__(self, names: Mapping[ast.AST, str]) -> None:
        self._names = names

    def visit_Return(self, node: ast.Return) -> ast.Return | list[ast.stmt]:
        if node not in self._names or node.value is None:
            return node
        call = placed(ast.Expr(node.value), node)
        return [call, placed(ast.Return(ast.Name(self._names[node], ast.Load())), node)]


class _Becoming(NamedTuple):
    """What a call becomes. names: The names to which it assigns what the function returns.

    same: Those of them that get the object that they had.
    """

    plan: _Plan
    names: Sequence[str]
    same: Names


def _write(
    node: ast.FunctionDef | ast.Module, plan: _Plan | None, calls: Mapping[ast.AST, _Becoming]
) -> None:
    """Rewrite a function, except the functions that it defines."""
    if plan is None:
        plan = _Plan((), (), False, True)
    returns = bool(plan.returned) and not plan.is_same

    def rewritten(block: Iterable[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in block:
            if isinstance(statement, ast.If | LOOPS):
                statement.body = rewritten(statement.body)
                statement.orelse = rewritten(statement.orelse)
            if isinstance(statement, ast.Nonlocal) and plan.taken:
                statement = placed(ast.Pass(), statement)
            call = statement.value if isinstance(statement, _CALLING) else None
            becoming = calls.get(call) if isinstance(call, ast.Call) else None
            if isinstance(call, ast.Call) and becoming:
                made += [*_computed_before(call), *_assigned(statement, call, becoming)]
            else:
                made.append(statement)
            if returns and isinstance(made[-1], ast.Return):
                made[-1].value = _with_names(made[-1], made[-1].value, plan)
        return made

    node.body = rewritten(node.body)
    if isinstance(node, ast.FunctionDef):
        given = node.args.posonlyargs or node.args.args
        given[:0] = [placed(ast.arg(name), node) for name in plan.taken]
        node.is_program = not returns  # type: ignore[attr-defined]
        if returns and flow_of(node.body).ends is not None:
            end = ast.Return(_with_names(node.body[-1], None, plan))
            node.body.append(placed(end, node.body[-1]))


def _computed_before(call: ast.Call) -> list[ast.stmt]:
    """Return statements that compute arguments of a call which read what the call may change.

    The call reads their values by names. In `fill(rows, corners(rows))`, nothing but the call reads
    `rows` when it changes then.
    """
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    others = [value for value in values if not isinstance(value, ast.Name | ast.Constant)]
    given = {value.id for value in values if isinstance(value, ast.Name)}
    late = ast.GeneratorExp | ast.Lambda | ast.Starred
    is_plain = not any(isinstance(value, late) for value in others)
    if not is_plain or may_change(call) or not any(loads(value) & given for value in others):
        return []
    made: list[ast.stmt] = []
    for value in others:
        name = f" {value.lineno}:{value.col_offset}"
        made.append(placed(ast.Assign([ast.Name(name, ast.Store())], value), value))
        read = placed(ast.Name(name, ast.Load()), value)
        call.args = [read if part is value else part for part in call.args]
        for keyword in call.keywords:
            keyword.value = read if keyword.value is value else keyword.value
    return made


def _with_names(place: ast.AST, value: ast.expr | None, plan: _Plan) -> ast.expr:
    """Return what a function returns in place of a value."""
    parts: list[ast.expr] = [ast.Name(name, ast.Load()) for name in plan.returned]
    if plan.has_value:
        parts.insert(0, value or ast.Constant(None))
    made = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
    return placed(made, place)


def _assigned(statement: Any, call: Any, becoming: _Becoming) -> list[ast.stmt]:
    """Return the statements that assign what a call changes, and do what a statement does."""
    plan, names, same = becoming
    names = ["" if name in assigned_by(statement) else name for name in names]
    if not names or (plan.is_same and not names[0]):
        if plan.is_same and isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            mark_changed(statement, same & assigned_by(statement))
        return [statement]
    unused = f" {call.lineno}:{call.col_offset}"
    targets = [name or f"{unused}.{k}" for k, name in enumerate(names)]
    value: ast.expr = ast.Name(targets[0], ast.Load()) if plan.is_same else ast.Constant(None)
    if plan.has_value and not plan.is_same:
        targets.insert(0, unused)
        match statement:
            case ast.Assign([ast.Name(name)]):
                targets[0] = name
                statement = placed(ast.Expr(value), statement)
            case _:
                value = ast.Name(unused, ast.Load())
    parts: list[ast.expr] = [ast.Name(name, ast.Store()) for name in targets]
    target = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Store())
    assignment = placed(ast.Assign([target], call), statement)
    mark_changed(assignment, same & {*names} - {""})
    lend(assignment, {*names} - {""})
    if isinstance(statement, ast.Expr):
        return [assignment]
    statement.value = placed(value, call)
    return [assignment, statement]


def _live_behind(block: Sequence[ast.stmt], at_end: Names) -> Iterator[tuple[ast.AST, Names]]:
    """Yield the values of statements, each with the names that are read behind the statement.

    at_end: The names that are read when the function has returned.
    """
    left = [(block, at_end, at_end)]
    for statements, after, at_jump in left:
        for k, statement in enumerate(statements):
            live = flow_of(statements[k + 1 :]).before(after, at_jump) | at_end
            if isinstance(statement, LOOPS):
                inside = live | read_in_rounds(statement)
                left += [(statement.body, inside, inside), (statement.orelse, live, at_jump)]
            elif isinstance(statement, ast.If):
                left += [(part, live, at_jump) for part in (statement.body, statement.orelse)]
            elif isinstance(statement, ast.Return):
                yield statement.value or statement, at_end
            else:
                yield getattr(statement, "value", statement), live


def _statements(block: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the simple statements of a block, and of the loops and choices in it."""
    for statement in block:
        if isinstance(statement, ast.If | LOOPS):
            yield from _statements([*statement.body, *statement.orelse])
        else:
            yield statement


def _argument(scope: _Scope, call: ast.Call, name: str) -> ast.expr | None:
    """Return what a call gives for a parameter; None for an element of a starred argument."""
    at = scope.parameters.index(name)
    given = call.args[: at + 1]
    if any(isinstance(part, ast.Starred) for part in given):
        return None
    if at < len(given):
        return given[at]
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _changed_by(part: ast.AST) -> list[str]:
    """Return the names whose values a node alone changes."""
    match part:
        case ast.AugAssign(target=ast.Name(name)):
            return [name]
        case ast.Subscript(ctx=ast.Store() | ast.Del()):
            return [getattr(indices_of(part)[0], "id", "")]
        case ast.Call() if change := call_of_change(part):
            return [change[0]]
    return []


def _makes_container(value: ast.expr | None) -> bool:
    is_set = isinstance(value, ast.Set | ast.SetComp) or is_call_of("set", value)
    return is_set or is_list(value)


def _bound_around(call: _Call) -> set[str]:
    """Return the names that comprehensions and lambdas around a call bind."""
    inside: list[Any] = [
        part for part in call.caller.nodes
        if isinstance(part, ast.Lambda | Comprehension) and call.node in ast.walk(part)
    ]  # fmt: skip
    return {name for part in inside for name in bound_in(part)}


_AT_ONCE = {
    "all", "any", "dict", "frozenset", "list", "max", "min", "next", "set", "sorted", "sum",
    "tuple",
}  # fmt: skip
"""The functions of Python that use up an iterator at once."""


def _kept_functions(scope: _Scope) -> Iterator[ast.AST]:
    """Yield the lambdas and generators that a function may keep or return, and functions in it."""
    at_once: set[ast.AST] = set()
    for part in scope.nodes:
        if isinstance(part, ast.Call):
            at_once |= {keyword.value for keyword in part.keywords if keyword.arg == "key"}
            if isinstance(part.func, ast.Name) and part.func.id in _AT_ONCE:
                for given in part.args:
                    is_map = isinstance(given, ast.Call) and isinstance(given.func, ast.Name)
                    if is_map and given.func.id in ("map", "filter"):  # type: ignore[attr-defined]
                        at_once.update(given.args)  # type: ignore[attr-defined]
                    at_once.add(given)
    for part in scope.nodes:
        if isinstance(part, ast.Lambda | ast.GeneratorExp) and part not in at_once:
            yield part


def _is_named(function: Functions) -> bool:
    return isinstance(function, ast.FunctionDef)


def _arguments(function: ast.FunctionDef) -> list[ast.arg]:
    given = function.args
    return [*given.posonlyargs, *given.args, *given.kwonlyargs]


def _scopes_in(scope: _Scope) -> Iterator[_Scope]:
    yield scope
    for part in scope.nodes:
        if isinstance(part, ast.FunctionDef):
            yield from _scopes_in(_Scope(part, scope))
