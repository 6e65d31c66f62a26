"""Writes values of classes that have only values as constants of the module.

With `class Color: RED = 2`, `Color.RED` becomes `Color_RED`. A member of an `Enum` is a tuple of
its name, its value and its class's name; one of an `IntEnum` is its value. `Color(2)` becomes
`{2: Color_RED}[2]`.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from megabatt.codegen.analysis.names import assigned_in
from megabatt.codegen.analysis.nodes import (
    assignment,
    called_name,
    copy_of_all,
    is_call_of,
    nodes_in,
    placed,
)
from megabatt.codegen.rewriting.classes import (
    ClassWriter,
    Unclear,
    asks_for_tuples,
    rename_of_class,
    with_classes_written,
    words_of_named_tuples,
)

_KINDS = {"": "", "object": "", "Enum": "Enum", "IntEnum": "IntEnum"}
ENUMS = {"Enum", "IntEnum"}
"""The classes whose values are members."""
OF_MEMBERS = {"name", "value"}
"""The attributes of a member of an `Enum`."""
_NAME, _VALUE = 0, 1
"""Their places in a member."""


class _Values(NamedTuple):
    """A class of values. kind: "Enum", "IntEnum", or "" for others. names: The constants' names."""

    definition: ast.ClassDef
    kind: str
    values: Mapping[str, ast.expr]
    names: Mapping[str, str]


def with_constants(tree: ast.Module) -> ast.Module:
    """Return a source in which classes of values alone are constants."""
    made, _ = with_classes_written(tree, _class_of, _Constants)
    return made


def _class_of(
    definition: ast.ClassDef, bound: Mapping[str, int], tree: ast.Module
) -> _Values | None:  # fmt: skip
    """Return the values of a class; None if it has anything else, or is of another kind."""
    bases = [getattr(one, "attr", getattr(one, "id", "?")) for one in definition.bases] or [""]
    values = _values_of(definition.body)
    if len(bases) > 1 or bases[0] not in _KINDS or definition.decorator_list or not values:
        return None
    kind, names = _KINDS[bases[0]], {name: f"{definition.name}_{name}" for name in values}
    if not bound.keys().isdisjoint(names.values()) or (kind and not _are_members(values, tree)):
        return None
    return _Values(definition, kind, values, names)


def _are_members(values: dict[str, ast.expr], tree: ast.Module) -> bool:
    """Number `auto()`; tell whether values are distinct constants, and no field is like a member's.

    Two names of one value would be one member.
    """
    if all(is_call_of("auto", value) for value in values.values()):
        for number, (name, value) in enumerate(values.items(), 1):
            values[name] = placed(ast.Constant(number), value)
    try:
        constants = [ast.literal_eval(value) for value in values.values()]
        are_distinct = len(set(constants)) == len(constants)
    except (TypeError, ValueError):
        return False
    kinds = {_KINDS.get(getattr(base, "id", "")) for part in nodes_in(tree, ast.ClassDef)
             for base in part.bases}  # fmt: skip
    bodies = [part.body for part in nodes_in(tree, ast.ClassDef)]
    fields = set().union(*map(assigned_in, bodies))
    fields.update(part.attr for part in nodes_in(tree, ast.Attribute)
                  if isinstance(part.ctx, ast.Store))  # fmt: skip
    fields.update(words_of_named_tuples(tree))
    is_one_kind = not ENUMS <= kinds
    return are_distinct and is_one_kind and fields.isdisjoint(OF_MEMBERS)


def _values_of(body: list[ast.stmt]) -> dict[str, ast.expr] | None:
    """Return the values of a class; None if it has anything else."""
    values: dict[str, ast.expr] = {}
    for statement in body:
        match statement:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(
                ast.Name(name), value=ast.expr() as value
            ) if name not in values:
                values[name] = value
            case ast.Pass() | ast.Expr(ast.Constant()):
                pass
            case _:
                return None
    return values


class _Constants(ClassWriter):
    """Writes names of constants in place of values of classes."""

    def __init__(self, classes: Mapping[str, _Values], tree: ast.Module) -> None:
        super().__init__(classes)
        with_members = [name for name, one in classes.items() if one.kind == "Enum"]
        if with_members and asks_for_tuples(tree):
            why = "members are read as tuples: leave isinstance and type out"
            raise Unclear(*with_members, why=lambda _: why)
        self._has_members = bool(with_members)
        self._iterated = {part.value for part in nodes_in(tree, ast.Starred)}
        self._iterated.update(part.iter for part in nodes_in(tree, ast.For))
        self._iterated.update(part.iter for part in nodes_in(tree, ast.comprehension))
        for call in nodes_in(tree, ast.Call):
            if hasattr(builtins, called_name(call)):
                self._iterated.update(call.args)

    def written(self, one: _Values) -> Iterator[ast.stmt]:
        """Yield the values of a class as constants of the module."""
        for name, value in one.values.items():
            rename_of_class(value, one.names)
            if one.kind == "IntEnum" and not _is_integer(value):
                raise Unclear(one.definition.name)
            if one.kind == "Enum":
                of = ast.Constant(one.definition.name)
                value = placed(ast.Tuple([ast.Constant(name), value, of], ast.Load()), value)
            yield assignment(one.names[name], self.visit(value), one.definition)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Write `Color.RED` as a constant, `member.value` and `member.name` as elements."""
        one = self._classes.get(getattr(node.value, "id", ""))
        if one is not None:
            if node.attr not in one.names or not isinstance(node.ctx, ast.Load):
                raise Unclear(one.definition.name)
            value = one.values[node.attr]
            if one.kind != "Enum" and isinstance(value, ast.Constant):
                return placed(ast.Constant(value.value), node)
            return placed(ast.Name(one.names[node.attr], ast.Load()), node)
        inner = node.value
        of = self._classes.get(getattr(getattr(inner, "value", None), "id", ""))
        if of is not None and of.kind == "IntEnum" and node.attr == "value":
            return self.visit(inner)  # type: ignore[no-any-return]
        self.generic_visit(node)
        if self._has_members and node.attr in OF_MEMBERS:
            place = _VALUE if node.attr == "value" else _NAME
            return placed(ast.Subscript(node.value, ast.Constant(place), node.ctx), node)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.Compare:
        """Write `is` beside a member as `==`. What `in Color` finds depends on Python's version.

        A number that equals a member of an `IntEnum` is another object.
        """
        parts = [node.left, *node.comparators]
        for k, operator in enumerate(node.ops):
            name = getattr(parts[k + 1], "id", "")
            if name in self._classes and isinstance(operator, ast.In | ast.NotIn):
                raise Unclear(name)
            of = [self._enum_of(one) for one in parts[k : k + 2]]
            if any(of) and isinstance(operator, ast.Is | ast.IsNot):
                node.ops[k] = ast.Eq() if isinstance(operator, ast.Is) else ast.NotEq()
                kinds = {self._classes[name].kind for name in of if name}
                if of[0] != of[1] and "IntEnum" in kinds:
                    raise Unclear(*filter(None, of))
        return self.generic_visit(node)  # type: ignore[return-value]

    def _enum_of(self, node: ast.expr) -> str:
        """Return the name of the class that an expression is certain to be a member of, or ""."""
        of = getattr(node, "func", getattr(node, "value", None))
        name = getattr(of, "id", "")
        return name if name in self._classes and self._classes[name].kind else ""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Write an `Enum` that is iterated as the tuple of its members."""
        one = self._classes.get(node.id)
        if one is None:
            return node
        if not one.kind or node not in self._iterated:  # another name may be called
            raise Unclear(node.id)
        members: list[ast.expr] = [ast.Name(name, ast.Load()) for name in one.names.values()]
        return placed(ast.Tuple(members, ast.Load()), node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Write `Color(2)` as an element of a dictionary of the members by value."""
        one = self._classes.get(getattr(node.func, "id", ""))
        if one is None:
            return self.generic_visit(node)  # type: ignore[return-value]
        if len(node.args) != 1 or node.keywords:
            raise Unclear(one.definition.name)
        return self._member_for(one, list(one.values.values()), node.args[0], node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Write `Color["RED"]` as an element of a dictionary of the members by name."""
        one = self._classes.get(getattr(node.value, "id", ""))
        if one is None:
            return self.generic_visit(node)  # type: ignore[return-value]
        return self._member_for(one, list(map(ast.Constant, one.names)), node.slice, node)

    def _member_for(
        self, one: _Values, keys: Sequence[ast.expr], key: ast.expr, node: ast.expr
    ) -> ast.expr:
        """Return the member of an `Enum` that a key stands for."""
        if not one.kind:
            raise Unclear(one.definition.name)
        members: list[ast.expr] = [ast.Name(name, ast.Load()) for name in one.names.values()]
        by_key = ast.Dict(list(map(copy_of_all, keys)), members)
        return placed(ast.Subscript(by_key, self.visit(key), ast.Load()), node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return node  # an annotation is no use of a class

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        node.value = node.value and self.visit(node.value)
        node.target = self.visit(node.target)
        return node


def _is_integer(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value.__class__ is int
