"""Puts parts of expressions on lines of their own: calls of a function, `:=`, and changes.

    return walk(i + 1) or walk(i - 1)          found = walk(i + 1)
                                               if not found:
                                                   found = walk(i - 1)
                                               return found

What stands before a call in an expression is computed before it, and gets a name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

from megabatt.codegen.analysis.liveness import loads
from megabatt.codegen.analysis.names import names_in
from megabatt.codegen.analysis.nodes import (
    Functions,
    assignment,
    call_of_method,
    copy_of,
    copy_of_all,
    is_call_of,
    nodes_in,
    nodes_of_scope,
    placed,
)
from megabatt.codegen.analysis.ownership import indices_of

_IN_ORDER = (
    ast.Attribute, ast.BinOp, ast.Call, ast.Compare, ast.Dict, ast.List, ast.Set, ast.Slice,
    ast.Starred, ast.Subscript, ast.Tuple, ast.UnaryOp,
)  # fmt: skip
"""The expressions whose parts Python computes one after another, see `_parts`."""
_EAGER = {
    "Counter", "deque", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple",
}  # fmt: skip
"""The functions of Python that read all that a generator gives."""
_Lines = list[ast.stmt]


class Unsuitable(Exception):
    """Raised for a function that cannot be rewritten."""


class Steps:
    """Rewrites statements so that steps stand on lines of their own.

    function: The name of the function that calls itself; "" where none does. unsteady: The names
    that a step may give other values. bound: The names of the source's own, which are not Python's
    functions.
    """

    _mark: str
    """Distinguishes the names that get values of expressions."""

    def __init__(self, function: str, unsteady: Set[str], bound: Set[str]) -> None:
        self._function = function
        self._unsteady = unsteady
        self._bound = bound
        self._of_collections: Set[str] = frozenset()
        """The names that only ever are those of Python's `collections`."""
        self._count = 0

    def _has_step(self, node: ast.AST) -> bool:
        """Tell whether a node is a step, or has one in it."""
        raise NotImplementedError

    def _is_call(self, node: ast.AST) -> bool:
        """Tell whether a node is a call that is a step."""
        return False

    def block(self, statements: Sequence[ast.stmt]) -> _Lines:
        """Return statements that do the same. Raises Unsuitable if there are none."""
        return [step for statement in statements for step in self._statement(statement)]

    def _statement(self, statement: ast.stmt) -> _Lines:
        if not self._has_step(statement):
            return [statement]
        match statement:
            case ast.If(test, body, orelse):
                before, test = self._truth(test)
                chosen = ast.If(test, self.block(body), self.block(orelse))
                return [*before, placed(chosen, statement)]
            case ast.For(target, over, body, []):
                before, over = self._value(over)
                return [*before, placed(ast.For(target, over, self.block(body), []), statement)]
            case ast.While(test, body, []):
                before, test = self._truth(test)
                body = self.block(body)
                if before:
                    stop = ast.If(ast.UnaryOp(ast.Not(), test), [ast.Break()], [])
                    body = [*before, placed(stop, statement), *body]
                    test = ast.Constant(True)
                return [placed(ast.While(test, body, []), statement)]
            case ast.Assert(test):
                before, test = self._truth(test)
                return [*before, placed(ast.Assert(test), statement)]
            case ast.Expr(ast.ListComp(element, generators)):
                line = placed(ast.Expr(element), element)
                return self._rounds(generators, [line])
            case ast.Return(ast.IfExp(test, body, orelse)):
                one, other = (placed(ast.Return(side), side) for side in (body, orelse))
                return self._statement(placed(ast.If(test, [one], [other]), statement))
            case ast.AnnAssign(ast.Name() as target, _, ast.expr() as value):
                return self._statement(placed(ast.Assign([target], value), statement))
            case ast.AugAssign(target, operator, value):
                return self._added_to(statement, target, operator, value)
            case ast.Assign([target], value) if self._has_step(target):
                return self._put(statement, target, value)
            case ast.Expr(value) | ast.Return(ast.expr() as value) | ast.Assign(_, value):
                if any(map(self._has_step, getattr(statement, "targets", []))):
                    raise Unsuitable
                is_whole = self._is_call(value) and self._may_have_call(statement)
                before, value = self._in_order(value) if is_whole else self._value(value)
                made = copy_of(statement)
                made.value = value
                return [*before, made]
        raise Unsuitable

    def _may_have_call(self, statement: ast.stmt) -> bool:
        """Tell whether the value of a statement may be a call that is a step."""
        targets = getattr(statement, "targets", [])
        return len(targets) < 2 and all(isinstance(target, ast.Name) for target in targets)

    def _added_to(
        self, statement: ast.stmt, target: Any, operator: ast.operator, value: ast.expr
    ) -> _Lines:
        """Rewrite `target += value`, where Python reads the target first."""
        if self._has_step(value) and not self._may_read_late(target, value):
            raise Unsuitable
        places, target = self._place(target)
        before, value = self._value(value)
        return [*places, *before, placed(ast.AugAssign(target, operator, value), statement)]

    def _may_read_late(self, target: ast.expr, value: ast.expr) -> bool:
        """Tell whether a target is the same before and after the steps in a value."""
        return isinstance(target, ast.Name) and target.id not in self._unsteady

    def _put(self, statement: ast.stmt, target: ast.expr, value: ast.expr) -> _Lines:
        """Rewrite `name[place] = value`, where Python computes the value first."""
        before, value = self._value(value)
        if not self._stays(value, [target]):
            value = self._with_name(value, before)
        places, target = self._place(target)
        return [*before, *places, placed(ast.Assign([target], value), statement)]

    def _place(self, target: Any) -> tuple[_Lines, Any]:
        """Return what is to be done before a target, and the target without steps."""
        owner, indices = indices_of(target)
        if not self._has_step(target):
            return [], target
        if not isinstance(owner, ast.Name) or not self._keeps(owner.id, len(indices), target):
            raise Unsuitable
        before, values = self._values(target, indices)
        return before, with_parts(target, values)

    def _keeps(self, name: str, depth: int, node: ast.AST) -> bool:
        """Tell whether the steps in a node keep which object `name[a][b]` is, up to a depth."""
        return depth == 1 and name not in self._unsteady

    def _value(self, node: ast.expr) -> tuple[_Lines, ast.expr]:
        """Return what is to be done before an expression, and the expression without steps."""
        if not self._has_step(node):
            return [], node
        match node:
            case ast.NamedExpr(ast.Name(name), value):
                before = self._named(name, value)
            case ast.BoolOp(op, values):
                return self._of_any(op, values, self._new_name())
            case ast.IfExp(test, body, orelse):
                before, test = self._truth(test)
                name = self._new_name()
                sides = [self._named(name, side) for side in (body, orelse)]
                before.append(placed(ast.If(test, *sides), node))
            case ast.ListComp(element, generators):
                name = self._new_name()
                before = self._filled(name, element, generators)
            case ast.Call(ast.Name(kind), [ast.GeneratorExp(), *_]) if (
                kind in self._bound - self._of_collections
            ):
                raise Unsuitable
            case ast.Call(ast.Name("any" | "all" as kind), [ast.GeneratorExp() as made], []):
                name = self._new_name()
                before = self._tested(name, kind == "any", made)
            case ast.Call(ast.Name(kind), [ast.GeneratorExp(), *_]) if kind in _EAGER:
                return self._of_all(node)
            case ast.Starred(ast.GeneratorExp(element, generators)):
                listed = placed(ast.ListComp(element, generators), node)
                return self._value(placed(ast.Starred(listed, ast.Load()), node))
            case ast.SetComp(element, generators) if "set" not in self._bound:
                listed = ast.ListComp(element, generators)
                made_set = ast.Call(ast.Name("set", ast.Load()), [listed], [])
                return self._value(placed(made_set, node))
            case ast.DictComp(key, value, generators) if "dict" not in self._bound:
                pair = placed(ast.Tuple([key, value], ast.Load()), node)
                made_dict = ast.Call(
                    ast.Name("dict", ast.Load()), [ast.ListComp(pair, generators)], []
                )
                return self._value(placed(made_dict, node))
            case ast.Compare(comparators=[_, _, *_]):
                return self._value(self._in_pairs(node))
            case _ if isinstance(node, _IN_ORDER):
                before, value = self._in_order(node)
                if not self._is_call(node):
                    return before, value
                name = self._new_name()
                before.append(assignment(name, value, node))
            case _:
                raise Unsuitable
        return before, placed(ast.Name(name, ast.Load()), node)

    def _truth(self, node: ast.expr) -> tuple[_Lines, ast.expr]:
        """Do `_value` for a test. No list in `and` or `or` gets another name."""
        if not self._has_step(node):
            return [], node
        test = _as_test(node)
        if isinstance(test, ast.BoolOp):
            return self._of_any(test.op, test.values, self._new_name("test"))
        return self._value(test)

    def _in_pairs(self, chain: ast.Compare) -> ast.expr:
        """Return `a < b < c` as `a < b and b < c`, where `b` is computed once."""
        raise Unsuitable

    def _named(self, name: str, node: ast.expr) -> _Lines:
        """Return statements that give a name the value of an expression."""
        return self._statement(assignment(name, node, node))

    def _new_name(self, kind: str = "value") -> str:
        name = ""
        while not name or name in self._bound:
            self._count += 1
            name = f" {self._mark}:{self._count}:{kind}"  # of no variable
        return name

    def _of_any(
        self, op: ast.boolop, values: list[ast.expr], name: str
    ) -> tuple[_Lines, ast.expr]:
        """Give a name the value of `a and b`, or `a or b`. What may be skipped is in an `if`."""
        goes_on = isinstance(op, ast.And)
        if len(values) > 1 and known_truth(values[0]) is goes_on:  # such as (x := {}) or f(x)
            first = self._statement(placed(ast.Expr(values[0]), values[0]))
            before, value = self._of_any(op, values[1:], name)
            return [*first, *before], value
        made: _Lines = []
        for value in reversed(values):
            if made:
                go_on: ast.expr = ast.Name(name, ast.Load())
                if not goes_on:
                    go_on = ast.UnaryOp(ast.Not(), go_on)
                made = [placed(ast.If(go_on, made, []), value)]
            made = [*self._named(name, value), *made]
        return made, placed(ast.Name(name, ast.Load()), values[0])

    def _filled(
        self, name: str, element: ast.expr, generators: list[ast.comprehension]
    ) -> _Lines:
        """Return statements that give a name the list of a comprehension."""
        empty = assignment(name, ast.List([], ast.Load()), element)
        if any(map(self._has_call, [element, *generators])):
            so_far = ast.Starred(ast.Name(name, ast.Load()), ast.Load())
            added: ast.stmt = assignment(name, ast.List([so_far, element], ast.Load()), element)
        else:
            added = placed(ast.Expr(call_of_method(name, "append", element)), element)
        return [empty, *self._rounds(generators, [added])]

    def _has_call(self, node: ast.AST) -> bool:
        """Tell whether a node has calls that hold the lists which are made meanwhile.

        Such lists are assigned anew for each element; others grow in place, which is charged less.
        """
        calls = nodes_in(node, ast.Call) if self._function else []
        return any(is_call_of(self._function, call) for call in calls)

    def _of_all(self, call: ast.Call) -> tuple[_Lines, ast.expr]:
        """Do `_value` for a call of a function that reads a generator when it has all arguments."""
        made, *others = _parts(call)
        keys = {keyword.value for keyword in call.keywords if keyword.arg == "key"}
        if any(not self._bound.isdisjoint(loads(key)) for key in keys):
            raise Unsuitable  # it may be called between the elements
        before: _Lines = []
        listed = ast.ListComp(made.elt, made.generators)  # type: ignore[attr-defined]
        values: dict[ast.AST, ast.expr] = {made: placed(listed, made)}
        for part in others:
            values[part] = part
            if part not in keys and (nodes_in(part, ast.Call) or self._has_step(part)):
                raise Unsuitable
            if part not in keys and not self._stays(part, [made]):
                values[part] = self._with_name(part, before)
        lines, value = self._value(with_parts(call, values))  # type: ignore[arg-type]
        return [*before, *lines], value

    def _tested(self, name: str, is_any: bool, made: ast.GeneratorExp) -> _Lines:
        """Return statements that give a name what `any`, or `all`, tells of a generator."""
        if len(made.generators) > 1:
            raise Unsuitable
        test = made.elt if is_any else ast.UnaryOp(ast.Not(), made.elt)
        found = assignment(name, ast.Constant(is_any), made)
        stop = placed(ast.If(test, [found, ast.Break()], []), made)
        not_yet = assignment(name, ast.Constant(not is_any), made)
        return [not_yet, *self._rounds(made.generators, [stop])]

    def _rounds(self, generators: list[ast.comprehension], lines: _Lines) -> _Lines:
        """Return the loops of a comprehension, with other lines in them."""
        names = dict.fromkeys(name for one in generators for name in names_in(one.target))
        new = _Renamed({name: f"{self._new_name()}:{name}" for name in names})
        first, *others = generators
        for one in reversed(others):
            loop = ast.For(one.target, one.iter, _tests(one, lines), [])
            lines = [placed(loop, one.iter)]
        lines = [new.visit(self._copy(line, new.names)) for line in _tests(first, lines)]
        target = new.visit(copy_of_all(first.target))
        return self.block([placed(ast.For(target, first.iter, lines, []), first.iter)])

    def _copy(self, line: ast.stmt, names: Mapping[str, str]) -> ast.stmt:
        """Return a copy of a line in which names get others."""
        return copy_of_all(line)

    def _in_order(self, node: Any) -> tuple[_Lines, Any]:
        """Rewrite the parts of an expression. What is computed before a step gets a name."""
        before, values = self._values(node, list(_parts(node)))
        return before, with_parts(node, values)

    def _values(
        self, node: ast.AST, parts: Sequence[ast.expr]
    ) -> tuple[_Lines, dict[ast.AST, ast.expr]]:
        """Return what is to be done before a node's parts, and the parts without steps."""
        last = max((k for k, part in enumerate(parts) if self._has_step(part)), default=-1)
        pairs = zip(getattr(node, "keys", ()), getattr(node, "values", ()), strict=True)
        spread = {value for key, value in pairs if key is None}
        before: _Lines = []
        values: dict[ast.AST, ast.expr] = {}
        for k, part in enumerate(parts[: last + 1]):
            lines, value = self._value(part)
            before += lines
            if k < last and part in spread:  # `**d` reads d at once
                value = placed(ast.Dict([None], [value]), value)
            if k < last and not self._stays(value, parts[k + 1 : last + 1]):
                value = self._with_name(value, before)
            values[part] = value
        return before, values

    def _with_name(self, value: ast.expr, before: _Lines) -> ast.expr:
        """Add a line that gives a value a name; return what reads the name."""
        name = self._new_name()
        read = placed(ast.Name(name, ast.Load()), value)
        if isinstance(value, ast.Starred):
            before.append(assignment(name, ast.List([value], ast.Load()), value))
            return placed(ast.Starred(read, ast.Load()), value)
        before.append(assignment(name, value, value))
        return read

    def _stays(self, value: ast.expr, later: Sequence[ast.AST]) -> bool:
        """Tell whether an expression is the same before and after the steps in some nodes."""
        if isinstance(value, ast.Starred) and isinstance(value.value, ast.Name):
            if value.value.id.startswith(" "):  # of this class, and never changed
                return True
        if isinstance(value, ast.Slice):
            raise Unsuitable
        if isinstance(value, ast.Name):
            return value.id not in self._unsteady
        is_empty = isinstance(value, ast.List | ast.Tuple) and not value.elts
        return is_empty or isinstance(value, ast.Constant)


def _as_test(node: ast.expr) -> ast.expr:
    """Return an expression with the same truth, of which no part but a call gives a list."""
    match node:
        case ast.BoolOp(op, values):
            return placed(ast.BoolOp(op, list(map(_as_test, values))), node)
        case ast.Compare() | ast.Call() | ast.UnaryOp(ast.Not()):
            return node
    return placed(ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), node)), node)


class CallSteps(Steps):
    """Puts the calls of a function on lines `f(...)`, `name = f(...)` and `return f(...)`."""

    _mark = "call"

    def _has_step(self, node: ast.AST) -> bool:
        return self._has_call(node)

    def _is_call(self, node: ast.AST) -> bool:
        return is_call_of(self._function, node)


class AssignmentSteps(Steps):
    """Writes `name := value` as assignments, except in functions within the statements."""

    _mark = "assigned"

    def _has_step(self, node: ast.AST) -> bool:
        return any(isinstance(part, ast.NamedExpr) for part in parts_computed_in(node))

    def _in_pairs(self, chain: ast.Compare) -> ast.expr:
        left, pairs = chain.left, list[ast.expr]()
        for operator, right in zip(chain.ops, chain.comparators, strict=True):
            name = self._new_name()
            named = ast.NamedExpr(ast.Name(name, ast.Store()), right)
            is_last = right is chain.comparators[-1]
            pairs.append(ast.Compare(left, [operator], [right if is_last else named]))
            left = ast.Name(name, ast.Load())
        return placed(ast.BoolOp(ast.And(), pairs), chain)


def known_truth(node: ast.expr) -> bool | None:
    """Return whether an expression is true; None if its value decides."""
    match node:
        case ast.NamedExpr(_, value):
            return known_truth(value)
        case ast.Constant(constant):
            return bool(constant)
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
            has_more = any(isinstance(part, ast.Starred) for part in parts)
            return None if has_more or None in getattr(node, "keys", ()) else bool(parts)
    return None


def parts_computed_in(node: ast.AST) -> Iterable[ast.AST]:
    """Return the nodes within a node, itself included, but none in functions that it defines."""
    return () if isinstance(node, Functions) else nodes_of_scope(node)


def _tests(generator: ast.comprehension, lines: _Lines) -> _Lines:
    """Return lines within the tests of a comprehension."""
    if generator.is_async:
        raise Unsuitable
    for test in reversed(generator.ifs):
        lines = [placed(ast.If(test, lines, []), test)]
    return lines


def _parts(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the parts of an expression that Python computes, in order."""
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        yield from (part for pair in pairs for part in pair if part is not None)
        return
    function = getattr(node, "func", None)
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.keyword) or (part is function and isinstance(part, ast.Attribute)):
            yield from _parts(part)
        elif isinstance(part, ast.expr) and not (part is function and isinstance(part, ast.Name)):
            yield part


def with_parts(node: ast.AST, values: Mapping[ast.AST, ast.expr]) -> ast.AST:
    """Return an expression with other parts instead of some of `_parts`."""

    def new(part: Any) -> Any:
        is_around = isinstance(part, ast.keyword | ast.Attribute | ast.Subscript)
        return values[part] if part in values else with_parts(part, values) if is_around else part

    made = copy_of(node)
    for field, value in ast.iter_fields(made):
        if isinstance(value, ast.AST):
            setattr(made, field, new(value))
        elif isinstance(value, list):
            setattr(made, field, [*map(new, value)])
    return made


class _Renamed(ast.NodeTransformer):
    """Gives names others. Refuses lambdas, which may have the names for themselves."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return placed(ast.Name(self.names.get(node.id, node.id), node.ctx), node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        raise Unsuitable
