"""Writes functions that ask for the class of an object, where it may be one of several.

    shape.area(2)      ->  _area(shape, 2)

    def _area(shape, n):
        if shape["an object"] == 1:
            return Line_area(shape, n)
        return Box_area(shape, n)
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from megabatt.codegen.analysis.carriers import KEY_OF_CLASS
from megabatt.codegen.analysis.nodes import copy_of_all, placed

OBJECT = " object"
"""The parameter of these functions for the object."""


class Dispatch:
    """Writes these functions. functions: Those that were written, by name."""

    def __init__(self, classes: Iterable[str]) -> None:
        self._numbers = {name: number for number, name in enumerate(classes)}
        self.functions: dict[str, ast.FunctionDef] = {}

    def new_object(self, of: str) -> ast.Dict:
        """Return the dictionary of a new object, which is never empty."""
        return ast.Dict([ast.Constant(KEY_OF_CLASS)], [ast.Constant(self._numbers[of])])

    def field(self, of: str) -> ast.AnnAssign:
        """Return the field of a data class that has the number of the class."""
        kind, number = ast.Name("int", ast.Load()), ast.Constant(self._numbers[of])
        return ast.AnnAssign(ast.Name(KEY_OF_CLASS, ast.Store()), kind, number, 1)

    def test(self, asked: Sequence[str], place: ast.AST) -> str:
        """Return the name of a function that tells whether an object, or None, is of a class.

        asked: The classes, of which it may be any.
        """
        name = " ".join([" is", *asked])
        is_some = ast.Compare(ast.Name(OBJECT, ast.Load()), [ast.IsNot()], [ast.Constant(None)])
        is_any = ast.BoolOp(ast.Or(), [*map(self._is_of, asked)])
        value = ast.BoolOp(ast.And(), [is_some, is_any if len(asked) > 1 else is_any.values[0]])
        taking = ast.arguments([], [ast.arg(OBJECT)], None, [], [], None, [])
        self._define(name, taking, [ast.Return(value)], place)
        return name

    def member(
        self, name: str, taking: ast.arguments, members: Mapping[str, ast.stmt], place: ast.AST
    ) -> str:
        """Return the name of a function that does what a member of an object's class does.

        taking: The parameters of the member. members: By class, a call of its member, or the
        return of its value.
        """
        body: list[ast.stmt] = []
        for of, statement in members.items():
            body = [ast.If(self._is_of(of), [statement], body)] if body else [statement]
        name = " ".join(["", name, *members])
        self._define(name, copy_of_all(taking), body, place)
        return name

    def _define(
        self, name: str, taking: ast.arguments, body: list[ast.stmt], place: ast.AST
    ) -> None:  # fmt: skip
        made = ast.FunctionDef(name, taking, body, [], None, None)
        self.functions[name] = placed(made, place)

    def _is_of(self, of: str) -> ast.expr:
        """Return the test whether an object is of a class."""
        owner = ast.Name(OBJECT, ast.Load())
        number = ast.Subscript(owner, ast.Constant(KEY_OF_CLASS), ast.Load())
        return ast.Compare(number, [ast.Eq()], [ast.Constant(self._numbers[of])])
