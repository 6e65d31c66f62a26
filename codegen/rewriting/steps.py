"""Puts the calls of a function on lines of their own.

    return walk(i + 1) or walk(i - 1)          found = walk(i + 1)
                                               if not found:
                                                   found = walk(i - 1)
                                               return found

What stands before a call in an expression is computed before it, and gets a name.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence, Set
from typing import Any

from megabatt.codegen.analysis.scopes import (
    copy_of,
    copy_of_all,
    names_in,
    nodes_in,
    placed,
)

_IN_ORDER = (
    ast.Attribute, ast.BinOp, ast.Call, ast.Compare, ast.List, ast.Set, ast.Slice, ast.Starred,
    ast.Subscript, ast.Tuple, ast.UnaryOp,
)  # fmt: skip
"""The expressions whose parts Python computes one after another, in the order of their fields."""
_EAGER = {"frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"}
"""The functions of Python that read all that a generator gives."""
_Steps = list[ast.stmt]


class Unsuitable(Exception):
    """Raised for a function that cannot be rewritten."""


class Steps:
    """Rewrites statements so that calls stand on lines `f(...)`, `name = f(...)`, `return f(...)`.

    name: The function's name. unsteady: The names that a call may give other values.
    """

    def __init__(self, name: str, unsteady: Set[str]) -> None:
        self._name = name
        self._unsteady = unsteady
        self._count = 0

    def is_call(self, node: ast.AST | None) -> bool:
        return isinstance(node, ast.Call) and getattr(node.func, "id", "") == self._name

    def has_call(self, node: ast.AST) -> bool:
        return any(map(self.is_call, nodes_in(node, ast.Call)))

    def block(self, statements: Sequence[ast.stmt]) -> _Steps:
        """Return statements that do the same. Raises Unsuitable if there are none."""
        return [step for statement in statements for step in self._statement(statement)]

    def _statement(self, statement: ast.stmt) -> _Steps:
        if not self.has_call(statement):
            return [statement]
        match statement:
            case ast.If(test, body, orelse):
                before, test = self._value(test)
                chosen = ast.If(test, self.block(body), self.block(orelse))
                return [*before, placed(chosen, statement)]
            case ast.For(target, over, body, []):
                before, over = self._value(over)
                return [*before, placed(ast.For(target, over, self.block(body), []), statement)]
            case ast.While(test, body, []):
                before, test = self._value(test)
                body = self.block(body)
                if before:
                    stop = ast.If(ast.UnaryOp(ast.Not(), test), [ast.Break()], [])
                    body = [*before, placed(stop, statement), *body]
                    test = ast.Constant(True)
                return [placed(ast.While(test, body, []), statement)]
            case ast.Expr(ast.ListComp(element, generators)):
                line = placed(ast.Expr(element), element)
                return self._rounds(generators, [line])
            case ast.Return(ast.IfExp(test, body, orelse)):
                sides = [[placed(ast.Return(side), side)] for side in (body, orelse)]
                return self._statement(placed(ast.If(test, *sides), statement))
            case ast.AnnAssign(ast.Name() as target, _, ast.expr() as value):
                return self._statement(placed(ast.Assign([target], value), statement))
            case ast.AugAssign(ast.Name(name), operator, value) if name not in self._unsteady:
                before, value = self._value(value)
                target = ast.Name(name, ast.Store())
                return [*before, placed(ast.AugAssign(target, operator, value), statement)]
            case ast.Expr(value) | ast.Return(ast.expr() as value) | ast.Assign([_], value):
                return self._line(statement, value)
        raise Unsuitable

    def _line(self, statement: Any, value: ast.expr) -> _Steps:
        """Rewrite a statement with one value."""
        names_value = isinstance(statement, ast.Assign)
        if names_value and self.has_call(statement.targets[0]):
            raise Unsuitable
        is_name = not names_value or isinstance(statement.targets[0], ast.Name)
        if self.is_call(value) and is_name:
            before, value = self._in_order(value)
        else:
            before, value = self._value(value)
        statement = copy_of(statement)
        statement.value = value
        return [*before, statement]

    def _value(self, node: ast.expr) -> tuple[_Steps, ast.expr]:
        """Return what is to be done before an expression, and the expression without calls."""
        if not self.has_call(node):
            return [], node
        match node:
            case ast.BoolOp(op, values):
                return self._of_any(op, values)
            case ast.IfExp(test, body, orelse):
                before, test = self._value(test)
                name = self._new_name()
                sides = [self._named(name, side) for side in (body, orelse)]
                before.append(placed(ast.If(test, *sides), node))
            case ast.ListComp(element, generators):
                name = self._new_name()
                before = self._filled(name, element, generators)
            case ast.Call(ast.Name("any" | "all" as kind), [ast.GeneratorExp() as made], []):
                name = self._new_name()
                before = self._tested(name, kind == "any", made)
            case ast.Call(ast.Name(kind), [ast.GeneratorExp() as made, *others], keywords) if (
                kind in _EAGER
            ):
                listed = placed(ast.ListComp(made.elt, made.generators), made)
                return self._value(placed(ast.Call(node.func, [listed, *others], keywords), node))
            case ast.SetComp(element, generators):
                listed = ast.ListComp(element, generators)
                made_set = ast.Call(ast.Name("set", ast.Load()), [listed], [])
                return self._value(placed(made_set, node))
            case ast.Compare(comparators=[_, _, *_]):
                raise Unsuitable
            case _ if isinstance(node, _IN_ORDER):
                before, value = self._in_order(node)
                if not self.is_call(node):
                    return before, value
                name = self._new_name()
                before.append(_set(name, value, node))
            case _:
                raise Unsuitable
        return before, placed(ast.Name(name, ast.Load()), node)

    def _named(self, name: str, node: ast.expr) -> _Steps:
        """Return statements that give a name the value of an expression."""
        return self._statement(_set(name, node, node))

    def _new_name(self) -> str:
        self._count += 1
        return f" {self._name}:value{self._count}"  # of no variable

    def _of_any(self, op: ast.boolop, values: list[ast.expr]) -> tuple[_Steps, ast.expr]:
        """Rewrite `a and b`, or `a or b`: what may be skipped stands in an `if`."""
        name = self._new_name()
        made: _Steps = []
        for value in reversed(values):
            if made:
                go_on: ast.expr = ast.Name(name, ast.Load())
                if isinstance(op, ast.Or):
                    go_on = ast.UnaryOp(ast.Not(), go_on)
                made = [placed(ast.If(go_on, made, []), value)]
            made = [*self._named(name, value), *made]
        return made, placed(ast.Name(name, ast.Load()), values[0])

    def _filled(
        self, name: str, element: ast.expr, generators: list[ast.comprehension]
    ) -> _Steps:
        """Return statements that give a name the list of a comprehension."""
        so_far = ast.Starred(ast.Name(name, ast.Load()), ast.Load())
        added = _set(name, ast.List([so_far, element], ast.Load()), element)
        empty = _set(name, ast.List([], ast.Load()), element)
        return [empty, *self._rounds(generators, [added])]

    def _tested(self, name: str, is_any: bool, made: ast.GeneratorExp) -> _Steps:
        """Return statements that give a name what `any`, or `all`, tells of a generator."""
        test = made.elt if is_any else ast.UnaryOp(ast.Not(), made.elt)
        found = _set(name, ast.Constant(is_any), made)
        (generator,) = made.generators if len(made.generators) == 1 else (None,)
        if generator is None:
            raise Unsuitable
        stop = placed(ast.If(test, [found, ast.Break()], []), made)
        return [_set(name, ast.Constant(not is_any), made), *self._rounds([generator], [stop])]

    def _rounds(self, generators: list[ast.comprehension], lines: _Steps) -> _Steps:
        """Return the loops of a comprehension, with other lines in them."""
        names = {name for one in generators for name in names_in(one.target)}
        new = _Renamed({name: f"{self._new_name()}:{name}" for name in names})
        if any(nodes_in(line, ast.Lambda) for line in lines):
            raise Unsuitable
        for k, one in reversed([*enumerate(generators)]):
            if one.is_async:
                raise Unsuitable
            for test in reversed(one.ifs):
                lines = [placed(ast.If(test, lines, []), test)]
            over = one.iter
            if not k:
                lines = [new.visit(copy_of_all(line)) for line in lines]
                target = new.visit(copy_of_all(one.target))
            else:
                target = one.target
            lines = [placed(ast.For(target, over, lines, []), over)]
        return self.block(lines)

    def _in_order(self, node: Any) -> tuple[_Steps, Any]:
        """Rewrite the parts of an expression. What is computed before a call gets a name."""
        node = copy_of(node)
        places = list(_places(node))
        last = max(
            (k for k, (get, _) in enumerate(places) if self.has_call(get())), default=-1
        )
        before: _Steps = []
        for k, (get, put) in enumerate(places[: last + 1]):
            steps, value = self._value(get())
            before += steps
            if k < last and not self._stays(value):
                name = self._new_name()
                before.append(_set(name, value, value))
                value = placed(ast.Name(name, ast.Load()), value)
            put(value)
        return before, node

    def _stays(self, value: ast.expr) -> bool:
        """Tell whether an expression is the same before and after a call."""
        if isinstance(value, ast.Starred) and isinstance(value.value, ast.Name):
            if value.value.id.startswith(" "):  # of this class, and never changed
                return True
        if isinstance(value, ast.Starred | ast.Slice):
            raise Unsuitable
        if isinstance(value, ast.Name):
            return value.id not in self._unsteady
        return isinstance(value, ast.Constant)


def _places(node: Any) -> Any:
    """Yield the parts of an expression in order: functions that get and put one."""
    for field, value in ast.iter_fields(node):
        if isinstance(value, list):
            value = [copy_of(part) if isinstance(part, ast.keyword) else part for part in value]
            setattr(node, field, value)
            for k, part in enumerate(value):
                if isinstance(part, ast.keyword):
                    yield _place(part, "value")
                elif isinstance(part, ast.expr):
                    yield lambda value=value, k=k: value[k], _putting(value, k)
        elif field == "func" and isinstance(value, ast.Attribute):
            value = copy_of(value)
            setattr(node, field, value)
            yield _place(value, "value")
        elif isinstance(value, ast.expr) and not (field == "func" and isinstance(value, ast.Name)):
            yield _place(node, field)


def _place(node: Any, field: str) -> tuple[Callable[[], Any], Callable[[Any], None]]:
    return lambda: getattr(node, field), lambda value: setattr(node, field, value)


def _putting(values: list[Any], k: int) -> Callable[[Any], None]:
    return lambda value: values.__setitem__(k, value)


class _Renamed(ast.NodeTransformer):
    """Gives names others."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return placed(ast.Name(self._names.get(node.id, node.id), node.ctx), node)  # type: ignore[no-any-return]


def _set(name: str, value: ast.expr, place: ast.AST) -> ast.Assign:
    """Return an assignment of a value to a name, at the place of another node."""
    return placed(ast.Assign([ast.Name(name, ast.Store())], value), place)  # type: ignore[no-any-return]
