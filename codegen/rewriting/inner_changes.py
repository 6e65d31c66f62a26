"""Rewrites `:=`, `x.pop()` and other changes in expressions, and `else` of loops, as statements."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple

from megabatt.codegen.analysis.liveness import LOOPS, read_by_functions
from megabatt.codegen.analysis.ownership import (
    Comprehension,
    call_of_change,
    indices_of,
    names_changed_in,
)
from megabatt.codegen.analysis.scopes import (
    Functions,
    assignment,
    certain_parts,
    forget,
    names_shared_in,
    nodes_in,
    placed,
)
from megabatt.codegen.rewriting.steps import IS_TEST, AssignmentSteps, Unsuitable

_READ: tuple[type[Any], ...] = (ast.Assign, ast.Expr, ast.Return)
"""The statements whose value may be `x.pop()` itself."""


class Effects(NamedTuple):
    """What functions of a source do besides returning a value.

    changed: The names that a call of them changes. read: The names from outside of a function that
    it reads, by the function's name. bound: Those names of `changed` that get other objects.
    """

    changed: Mapping[ast.AST, Set[str]]
    read: Mapping[str, Set[str]]
    bound: Mapping[ast.AST, Set[str]]


_NO_EFFECTS = Effects({}, {}, {})


def rewrite(source: ast.AST, bound: Set[str], effects: Effects = _NO_EFFECTS) -> None:
    """Rewrite the functions within a part of a source. Raises RecursionError if it is too deep.

    bound: The names that the whole source binds, which are not Python's functions. effects: Calls
    that become assignments too.
    """
    read = {part.value for kind in _READ for part in nodes_in(source, kind)}
    pops = [call for call in nodes_in(source, ast.Call) if _is_pop(call) and call not in read]
    loops: list[Any] = [*nodes_in(source, ast.For), *nodes_in(source, ast.While)]
    has_else = any(loop.orelse for loop in loops)
    if not (pops or has_else or effects.changed or nodes_in(source, ast.NamedExpr)):
        return
    functions = list(nodes_in(source, ast.FunctionDef))
    for function in functions:
        function.body = _without_elses(function.body)
    forget(source)
    assign_in_steps(source, bound, names_shared_in(source))
    for function in functions:
        function.body = _Block(function.body, effects).rewritten(function.body)
    forget(source)


def assign_in_steps(
    source: ast.AST, bound: Set[str], unsteady: Set[str], recursive: str = ""
) -> None:
    """Write each `:=` in the functions of a part of a source as a statement, if that is possible.

    bound: The names that the whole source binds. unsteady: Names that calls may give other values.
    recursive: The name of the function if it calls itself.
    """
    assigned = nodes_in(source, ast.NamedExpr)
    if not assigned:
        return
    functions = list(nodes_in(source, ast.FunctionDef))
    steps = AssignmentSteps(recursive, unsteady | {one.target.id for one in assigned}, bound)
    for function in functions:
        for part in ast.walk(function):
            if isinstance(part, Comprehension) and _assigns(part):
                _rewrite_comprehension(part, function)
    forget(source)
    for function in functions:
        body: list[ast.stmt] = []
        for statement in function.body:
            try:
                body += steps.block([statement])
            except Unsuitable:
                body.append(statement)
        function.body = body
    forget(source)


def as_function(name: str, node: Functions) -> Functions:
    """Return a lambda with `:=` as the function that it is; any other function as it is."""
    if not isinstance(node, ast.Lambda) or not _assigns(node.body):
        return node
    body = [placed(ast.Return(node.body), node.body)]
    return placed(ast.FunctionDef(name, node.args, body, []), node)  # type: ignore[no-any-return]


def _assigns(node: ast.AST) -> bool:
    return any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))


def _names_test(target: ast.expr) -> bool:
    """Tell whether a target gets a value of which only the truth matters, see `IS_TEST`."""
    name = getattr(target, "id", "")
    return name.startswith(" ") and name.endswith(IS_TEST)


def _is_pop(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in ("pop", "popleft") and call_of_change(node) is not None
    return False


class _Block(NamedTuple):
    """The statements of a function, and the effects of functions that they call."""

    whole: Sequence[ast.stmt]
    effects: Effects

    def rewritten(self, block: Iterable[ast.stmt]) -> list[ast.stmt]:
        """Return the statements of a block of the function, rewritten."""
        made: list[ast.stmt] = []
        for statement in block:
            if isinstance(statement, ast.If | LOOPS):
                statement.body = self.rewritten(statement.body)
                statement.orelse = self.rewritten(statement.orelse)
            before: list[ast.stmt] = []
            if isinstance(statement, ast.If | ast.While):
                tests, statement.test = self._in_steps(statement.test)
                before = self.rewritten(tests)
            elif isinstance(statement, ast.Assign) and _names_test(statement.targets[0]):
                tests, statement.value = self._in_steps(statement.value)
                before = self.rewritten(tests)
            before += self._hoisted(statement)
            if isinstance(statement, ast.While) and before:
                stop = ast.If(ast.UnaryOp(ast.Not(), statement.test), [ast.Break()], [])
                statement.body[:0] = [*before, placed(stop, statement)]
                statement.test, before = placed(ast.Constant(True), statement), []
            made += [*before, statement]
        return made

    def _in_steps(self, test: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
        """Compute a test with `and` and `or` in statements if a part acts that may be skipped.

        Returns the statements, and what then has the same truth.
        """
        parts = test.values if isinstance(test, ast.BoolOp) else []
        if not any(self._acts(node) for part in parts[1:] for node in ast.walk(part)):
            return [], test
        name = f" {test.lineno}:{test.col_offset}:{IS_TEST}"
        made: list[ast.stmt] = []
        for part in parts:
            steps, value = self._in_steps(part)
            if not isinstance(value, ast.Call | ast.Compare):  # a list would have another name
                value = placed(ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), value)), part)
            steps.append(assignment(name, value, part))
            if made:
                go_on: ast.expr = ast.Name(name, ast.Load())
                if isinstance(test.op, ast.Or):  # type: ignore[attr-defined]
                    go_on = ast.UnaryOp(ast.Not(), go_on)
                steps = [placed(ast.If(go_on, steps, []), part)]
            made += steps
        return made, placed(ast.Name(name, ast.Load()), test)

    def _hoisted(self, statement: ast.stmt) -> list[ast.stmt]:
        """Take out of the expression that a statement begins with what is to be assigned.

        Returns the assignments.
        """
        if isinstance(statement, ast.Assign) and self._acts_in_place(statement.targets):
            name = f" {statement.lineno}:value"
            first = assignment(name, statement.value, statement)
            before = [*self._hoisted(first), first]  # Python computes the value first
            statement.value = placed(ast.Name(name, ast.Load()), statement.value)
            hoist = self._hoist(statement, [], statement.targets[0].value)  # type: ignore[attr-defined]
            statement.targets[0] = hoist.visit(statement.targets[0])
            return [*before, *hoist.found]
        for field in ("test", "iter", "value"):
            expression = getattr(statement, field, None)
            if isinstance(expression, ast.expr) and any(map(self._acts, ast.walk(expression))):
                is_first = isinstance(statement, ast.AugAssign)
                seen: list[ast.AST] = [statement.target] if is_first else []  # type: ignore[attr-defined]
                is_read = isinstance(statement, _READ)
                changed = is_read and call_of_change(expression) is not None
                owner = self._owner_beside_arguments(expression) if changed else None
                hoist = self._hoist(expression, seen, owner)
                if changed or (is_read and expression in self.effects.changed):
                    hoist.generic_visit(expression)
                else:
                    setattr(statement, field, hoist.visit(expression))
                return hoist.found
        return []

    def _hoist(
        self, expression: ast.AST, before: list[ast.AST], owner: ast.AST | None
    ) -> _Hoist:
        late = read_by_functions(self.whole, expression, self.effects.read)
        late |= {name for one in late for name in self.effects.read.get(one, ())}
        return _Hoist(before, owner, late, self.effects)

    def _acts_in_place(self, targets: list[ast.expr]) -> bool:
        """Tell whether the place of `name[place] = value` acts, and keeps what the name is."""
        match targets:
            case [ast.Subscript(ast.Name(name), place)]:
                parts = list(filter(self._acts, ast.walk(place)))
                return bool(parts) and not any(
                    name in self.effects.bound.get(part, ()) for part in parts
                )
        return False

    def _owner_beside_arguments(self, call: Any) -> ast.AST | None:
        """Return the name of `name[a][b].method(...)` if it may be read after the arguments.

        Returns None if an argument may change which list the name has, or has at [a][b].
        """
        owner, indices = indices_of(call.func.value)
        parts: list[Any] = [part for argument in call.args for part in ast.walk(argument)]
        for part in filter(self._acts, parts):
            if _is_pop(part) and len(indices_of(part.func.value)[1]) < len(indices):
                return None
            if owner.id in self.effects.changed.get(part, ()):  # type: ignore[attr-defined]
                return None
        return owner

    def _acts(self, node: ast.AST) -> bool:
        """Tell whether an expression assigns or changes something itself."""
        return _is_pop(node) or node in self.effects.changed


class _Hoist(ast.NodeTransformer):
    """Replaces what acts in an expression, and is computed once and always, by a name.

    It stays if something before it sees what it changes.
    before: What is computed before the expression. owner: A name in the expression that may be read
    late. late: The names that functions read, which may be called before. found: Assignments of
    what was replaced, in order.
    """

    def __init__(
        self,
        before: Iterable[ast.AST],
        owner: ast.AST | None,
        late: Set[str],
        effects: Effects,
    ) -> None:
        self.found: list[ast.stmt] = []
        self._seen: set[str] = set()
        """The names that are read before the present part of the expression."""
        self._owner = owner
        self._late = late
        self._effects = effects
        for part in before:
            self._as_it_is(part)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node is not self._owner:
            self._seen |= {node.id, *self._effects.read.get(node.id, ())}
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        before = set(self._seen)
        self.generic_visit(node)
        if not _is_pop(node) and node not in self._effects.changed:
            return node
        changed = {*names_changed_in(node), *self._effects.changed.get(node, ())}
        if (before | self._late) & changed:
            return node
        name = f" {node.lineno}:{node.col_offset}:{len(self.found)}"  # of no variable
        self.found.append(assignment(name, node, node))
        self._seen = before | {name}
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        node.values[0] = self.visit(node.values[0])
        for part in node.values[1:]:
            self._as_it_is(part)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        node.test = self.visit(node.test)  # first
        self._as_it_is(node.body)
        self._as_it_is(node.orelse)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        node.left, node.comparators[0] = self.visit(node.left), self.visit(node.comparators[0])
        for part in node.comparators[1:]:
            self._as_it_is(part)
        return node

    def _as_it_is(self, node: ast.AST) -> ast.AST:
        for name in ast.walk(node):
            if isinstance(name, ast.Name):
                self.visit_Name(name)
        return node

    visit_Lambda = visit_Dict = visit_keyword = _as_it_is
    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _as_it_is


def _without_elses(block: Iterable[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a block, in which no loop has an `else`."""
    made: list[ast.stmt] = []
    for statement in block:
        behind: list[ast.stmt] = []
        if isinstance(statement, ast.If | LOOPS):
            statement.body = _without_elses(statement.body)
            statement.orelse = _without_elses(statement.orelse)
        if isinstance(statement, LOOPS) and statement.orelse:
            first, behind = _without_else(statement)
            made.append(first)
        made += [statement, *behind]
    return made


def _without_else(loop: Any) -> tuple[ast.stmt, list[ast.stmt]]:
    """Take the `else` from a loop. Returns what stands before the loop then, and behind it."""
    name = f" {loop.lineno}:{loop.col_offset}:else"

    def telling(block: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in block:
            if isinstance(statement, ast.If):
                statement.body, statement.orelse = map(telling, (statement.body, statement.orelse))
            elif isinstance(statement, ast.Break):
                made.append(assignment(name, ast.Constant(False), statement))
            made.append(statement)
        return made

    loop.body = telling(loop.body)
    behind = placed(ast.If(ast.Name(name, ast.Load()), loop.orelse, []), loop.orelse[0])
    loop.orelse = []
    return assignment(name, ast.Constant(True), loop), [behind]


def _rewrite_comprehension(node: Any, function: ast.FunctionDef) -> None:
    """Write `[y for x in a if f(y := g(x))]` as `[y for x in a for y in [g(x)] if f(y)]`.

    This is the same if y is named nowhere else, and not before.
    """

    def count(inside: ast.AST) -> int:
        return sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(inside))

    ends = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    for k, part in enumerate(node.generators):
        part.ifs = [one for condition in part.ifs for one in _parts_of_and(condition)]
        for m, condition in enumerate(part.ifs):
            before, assigned = _up_to_assignment(condition)
            rest = [*part.ifs[m:], *node.generators[k + 1 :], *ends]
            name = assigned.target.id if assigned else ""
            if assigned and not any(map(count, before)) and (
                sum(map(count, rest)) == count(function)
            ):  # fmt: skip
                read = ast.copy_location(ast.Name(name, ast.Load()), assigned)
                part.ifs[m] = _Replacement(assigned, read).visit(condition)
                over = placed(ast.List([assigned.value], ast.Load()), assigned)
                more = ast.comprehension(assigned.target, over, part.ifs[m:], 0)
                node.generators.insert(k + 1, more)
                del part.ifs[m:]
                break


def _up_to_assignment(test: ast.expr) -> tuple[list[ast.AST], ast.NamedExpr | None]:
    """Return the first `:=` that a test computes in any case, and what is computed before it."""
    before: list[ast.AST] = []
    for part in certain_parts(test):
        if isinstance(part, ast.NamedExpr):
            return before, part
        before.append(part)
    return before, None


class _Replacement(ast.NodeTransformer):
    """Puts an expression in the place of another one."""

    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self._old = old
        self._new = new

    def visit(self, node: ast.AST) -> Any:
        return self._new if node is self._old else super().visit(node)


def _parts_of_and(test: ast.expr) -> list[ast.expr]:
    is_and = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
    return test.values if is_and else [test]  # type: ignore[attr-defined]
