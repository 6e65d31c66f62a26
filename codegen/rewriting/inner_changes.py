"""Rewrites `:=`, `x.pop()` and other changes in expressions, and `else` of loops, as statements."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from megabatt.codegen.analysis.carriers import KEY_OF_CLASS
from megabatt.codegen.analysis.liveness import LOOPS
from megabatt.codegen.analysis.names import (
    assigned_in_expressions,
    bound_in,
    named_in,
    names_shared_in,
)
from megabatt.codegen.analysis.nodes import (
    assignment,
    certain_parts,
    forget,
    nodes_in,
    placed,
    with_definitions,
)
from megabatt.codegen.analysis.ownership import (
    CHANGING,
    Comprehension,
    call_of_change,
    indices_of,
    is_field,
    names_changed_in,
)
from megabatt.codegen.rewriting.places import PURE, Replacement
from megabatt.codegen.rewriting.steps import (
    AssignmentSteps,
    Unsuitable,
    parts_computed_in,
    with_parts,
)

_WHOLE: tuple[type[Any], ...] = (ast.Assign, ast.Expr, ast.Return)
"""The statements whose value may be a change itself."""
_GIVING = {"pop", "popleft", "setdefault"}
"""The methods that change something and return a value; others return None."""
_LEFT = {"popitem"}
"""The methods that stay where they are."""
_PURE = (
    ast.BinOp, ast.BoolOp, ast.Compare, ast.Constant, ast.List, ast.Name, ast.Slice, ast.Starred,
    ast.Subscript, ast.Tuple, ast.UnaryOp, ast.boolop, ast.cmpop, ast.expr_context, ast.operator,
    ast.unaryop,
)  # fmt: skip
"""The nodes of expressions whose value depends on their names alone."""

Effects = Mapping[ast.AST, Set[str]]
"""The names that calls of a source's functions change."""


def with_actions_in_lines(tree: ast.Module) -> ast.Module:
    """Return a source in which `:=` and `x.pop()` are statements, where they can be.

    May change `tree`. Raises RecursionError if the source is nested too deeply.
    """
    tree = with_definitions(tree, lambda name, function: _acts(function.body))
    rewrite(tree, set(bound_in(tree)))
    return tree


def rewrite(source: ast.AST, bound: Set[str], effects: Effects | None = None) -> None:
    """Rewrite the functions within a part of a source. Raises RecursionError if it is too deep.

    bound: The names that the whole source binds, which are not Python's functions. effects: Calls
    that become assignments too.
    """
    unsteady = assigned_in_expressions(source)
    steps = _ActionSteps(unsteady | names_shared_in(source), bound, effects, source)
    loops: list[Any] = [*nodes_in(source, ast.For), *nodes_in(source, ast.While)]
    has_else = any(loop.orelse for loop in loops)
    if not (has_else or steps.has_any(source)):
        return
    functions = list(nodes_in(source, ast.FunctionDef))
    for function in functions:
        function.body = _without_elses(function.body)
        rewrite_comprehensions(function)
    forget(source)
    for function in functions:
        function.body = steps.block(function.body)
    forget(source)


def _assigns(node: ast.AST) -> bool:
    return any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))


def _acts(node: ast.AST) -> bool:
    return _assigns(node) or any(map(call_of_change, ast.walk(node)))


class _ActionSteps(AssignmentSteps):
    """Writes `:=`, `x.pop()`, `x.add(v)` and calls that change something as statements.

    effects: The calls of functions that change something; None if any function may. What cannot be
    a statement stays.
    """

    def __init__(
        self, unsteady: Set[str], bound: Set[str], effects: Effects | None, source: ast.AST
    ) -> None:
        super().__init__("", unsteady, bound)
        self._effects = dict(effects or {})
        self._are_known = effects is not None
        imported = [*nodes_in(source, ast.Import), *nodes_in(source, ast.ImportFrom)]
        times = Counter(bound_in(source))
        self._of_collections = {
            part.name for line in nodes_in(source, ast.ImportFrom) if line.module == "collections"
            for part in line.names if part.asname is None and times[part.name] == 1
        }  # fmt: skip
        self._variables = bound - {name for part in imported for name in bound_in(part)}
        """The names that may have lists, sets and dictionaries, unlike modules."""
        lines = [*nodes_in(source, ast.AugAssign), *nodes_in(source, ast.Expr)]
        self._changed_at_once = {call for line in lines for call in _changed_at_once(line)}
        """The calls `d.setdefault(k, [])` in `d.setdefault(k, []).append(v)` and its like."""
        self._fixed_fields = _fixed_fields_in(source)

    def has_any(self, source: ast.AST) -> bool:
        """Tell whether something in a source is to be written as a statement."""
        whole = {part.value for kind in _WHOLE for part in nodes_in(source, kind)}
        calls = filter(self._is_call, nodes_in(source, ast.Call))
        is_within = any(
            call not in whole or call in self._effects or call_of_change(call)[1] == "__setitem__"  # type: ignore[index]
            for call in calls
        )
        return is_within or bool(nodes_in(source, ast.NamedExpr))

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in statements:
            try:
                made += self._statement(statement)
            except Unsuitable:
                if isinstance(statement, ast.If | LOOPS):
                    statement.body = self.block(statement.body)
                    statement.orelse = self.block(statement.orelse)
                made.append(statement)
        return [self._line(one.value) if isinstance(one, ast.Expr) else one for one in made]

    def _line(self, change: ast.expr) -> ast.stmt:
        """Return a change as a statement: `x.__setitem__(k, v)` is `x[k] = v` if v changes no k."""
        match change:
            case ast.Call(ast.Attribute(owner, "__setitem__"), [index, value], []):
                name, places = indices_of(owner)
                match index:
                    case ast.Call(ast.Name("slice"), [one, end]) if "slice" not in self._bound:
                        index = ast.Slice(one, end)
                        places += [one, end]
                    case _:
                        places.append(index)
                if all(self._stays(part, [value]) for part in (name, *places)):
                    target = ast.Subscript(owner, index, ast.Store())
                    return placed(ast.Assign([target], value), change)
        return placed(ast.Expr(change), change)

    def _has_step(self, node: ast.AST) -> bool:
        whole = node.value if isinstance(node, _WHOLE) and self._may_have_call(node) else None
        return any(
            isinstance(part, ast.NamedExpr) or (part is not whole and self._is_call(part))
            for part in parts_computed_in(node)
        )

    def _is_call(self, node: ast.AST) -> bool:
        return node in self._effects or self._is_change(node)

    def _is_change(self, node: ast.AST) -> bool:
        name, method = call_of_change(node) or ("", "")
        is_variable = name in self._variables or name.startswith(" ")
        return is_variable and method not in _LEFT and node not in self._changed_at_once

    def _value(self, node: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
        if self._is_change(node) and not self._gives(node):
            before, change = self._in_order(node)
            return [*before, self._line(change)], placed(ast.Constant(None), node)
        return super()._value(node)

    def _copy(self, line: ast.stmt, names: Mapping[str, str]) -> ast.stmt:
        made = super()._copy(line, names)
        for old, new in zip(ast.walk(line), ast.walk(made), strict=True):
            if old in self._effects:
                self._effects[new] = {names.get(name, name) for name in self._effects[old]}
        return made

    def _may_have_call(self, statement: Any) -> bool:
        is_line = isinstance(statement, ast.Expr)
        return is_line or not self._is_change(statement.value) or self._gives(statement.value)

    def _gives(self, change: Any) -> bool:
        """Tell whether the method of a change returns a value."""
        return change.func.attr in _GIVING

    def _may_read_late(self, target: ast.expr, value: ast.expr) -> bool:
        is_changed = not named_in(target).isdisjoint(self._changed_in(value))
        return not (is_changed or self._may_change_any(value))

    def _may_change_any(self, node: ast.AST) -> bool:
        """Tell whether a node has calls of which it is not known what they change."""
        for call in nodes_in(node, ast.Call):
            match call.func:
                case ast.Name(name):
                    is_known = self._are_known if name in self._bound else name in PURE
                case ast.Attribute(_, method):
                    is_known = method not in CHANGING
                case _:
                    is_known = self._are_known
            if not (is_known or self._is_call(call)):
                return True
        return False

    def _keeps(self, name: str, depth: int, node: ast.AST) -> bool:
        if name in self._unsteady or (depth > 1 and self._may_change_any(node)):
            return False
        for part in filter(self._is_call, nodes_in(node, ast.Call)):
            if depth > 1 and name in self._effects.get(part, ()):
                return False
            if self._is_change(part):
                owner, indices = indices_of(part.func.value)  # type: ignore[attr-defined]
                if owner.id == name and len(indices) + 1 < depth:  # type: ignore[attr-defined]
                    return False
        return True

    def _place(self, target: Any) -> tuple[list[ast.stmt], Any]:
        """Do the same; the value of `d.setdefault(k, {})` in `d.setdefault(k, {})[v] = 1`."""
        owner, indices = indices_of(target)
        match target:
            case ast.Subscript(part) if self._is_same_field(part):
                before, values = self._values(target, [target.slice])
                return before, with_parts(target, values)
        if not self._is_call(owner) or any(map(self._has_step, indices)):
            return super()._place(target)
        before, read = self._value(owner)
        return before, Replacement(owner, read).visit(target)

    def _is_same_field(self, node: ast.expr) -> bool:
        """Tell whether a node is a field of an object that never gets another value."""
        match node:
            case ast.Subscript(ast.Name(name), ast.Constant(field)) if is_field(node):
                return field in self._fixed_fields and name not in self._unsteady
        return False

    def _stays(self, value: ast.expr, later: Sequence[ast.AST]) -> bool:
        if self._is_same_field(value):
            return True
        is_pure = all(isinstance(part, _PURE) for part in ast.walk(value))
        if any(isinstance(part, ast.Starred | ast.Compare) for part in ast.walk(value)):
            read = set().union(*map(named_in, later))  # both may use up an iterator
            is_pure = is_pure and read.isdisjoint(named_in(value))
        if is_pure and not any(map(self._may_change_any, later)):
            changed = set().union(*map(self._changed_in, later))
            if named_in(value).isdisjoint(self._unsteady | changed):
                return True
        return super()._stays(value, later)

    def _changed_in(self, node: ast.AST) -> set[str]:
        """Return the names that the steps in a node give other objects, or change."""
        changed = assigned_in_expressions(node)
        for part in filter(self._is_call, nodes_in(node, ast.Call)):
            changed |= {*names_changed_in(part), *self._effects.get(part, ())}
        return changed

    def _in_order(self, node: Any) -> tuple[list[ast.stmt], Any]:
        """Do the same; `name[a][b].method(...)` stays if no argument changes `name[a][b]`."""
        if call_of_change(node) is None:
            return super()._in_order(node)
        owner, indices = indices_of(node.func.value)
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        if not all(self._keeps(owner.id, len(indices) + 1, part) for part in arguments):  # type: ignore[attr-defined]
            return super()._in_order(node)
        before, values = self._values(node, [*indices, *arguments])
        return before, with_parts(node, values)


def _fixed_fields_in(source: ast.AST) -> set[str]:
    """Return the fields that objects get when they are made, and never again."""
    fields = [part for part in nodes_in(source, ast.Subscript) if is_field(part)]
    stored = {part for part in fields if not isinstance(part.ctx, ast.Load)}
    for function in nodes_in(source, ast.FunctionDef):
        match function.body[0]:
            case ast.Assign([_], ast.Dict([ast.Constant(key)])) if key == KEY_OF_CLASS:
                stored.difference_update(nodes_in(function, ast.Subscript))
    names = [getattr(part.slice, "value", "") for part in stored]
    return {getattr(part.slice, "value", "") for part in fields}.difference(names)


def _changed_at_once(line: ast.stmt) -> list[ast.expr]:
    """List the call whose value a line changes, as `d.setdefault(k, []).append(v)` does."""
    match line:
        case ast.Expr(ast.Call(ast.Attribute(ast.Call() as changed))):
            return [changed]
        case ast.AugAssign(ast.Subscript(ast.Call() as changed)):
            return [changed]
    return []


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


def rewrite_comprehensions(function: ast.FunctionDef) -> None:
    """Write `:=` in the tests of comprehensions as clauses, where that is possible."""
    for part in ast.walk(function):
        if isinstance(part, Comprehension) and _assigns(part):
            _rewrite_comprehension(part, function)


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
                part.ifs[m] = Replacement(assigned, read).visit(condition)
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


def _parts_of_and(test: ast.expr) -> list[ast.expr]:
    is_and = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
    return test.values if is_and else [test]  # type: ignore[attr-defined]
