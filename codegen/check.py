"""Checks solvers against a language and flattens them into programs."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from functools import cache

from megabatt.codegen.language import Language, is_reserved
from megabatt.codegen.program import (
    Call,
    Expression,
    Literal,
    Name,
    Operand,
    Operation,
    Position,
    Program,
    Solver,
    SourceError,
    Unreadable,
    counted,
)

# What an expression with an error evaluates to: no name, so that nothing more is said of it.
_UNKNOWN = "?"


def check(solvers: Sequence[Solver], language: Language) -> tuple[list[Program], list[SourceError]]:
    """Resolve the names of all solvers.

    Args:
        solvers: the solvers of all sources.
        language: the language that they are written in.

    Returns:
        A program for each solver, and all errors found. The programs mean something only if
        there are no errors.
    """
    errors = _check_names(solvers, language)
    literals = _literal_constants(language)
    programs = []
    for solver in solvers:
        checker = _Checker(solver, language, literals)
        programs.append(checker.program())
        errors.extend(checker.errors)
    return programs, errors


def _check_names(solvers: Sequence[Solver], language: Language) -> list[SourceError]:
    """Solvers become functions of one module: each name, and its second form's, is taken once."""
    errors = []
    taken: dict[str, Position] = {}
    for solver in solvers:
        name, position = solver.name.text, solver.name.position
        kind = _kind(name, language)
        other = taken.get(name) or taken.get(f"{name}_vectorized")
        if kind is not None:
            errors.append(SourceError(position, f"a solver cannot be named {name!r}, {kind}"))
        elif is_reserved(name) or not name.isascii():
            errors.append(SourceError(position, f"a solver cannot be named {name!r}"))
        elif other is not None:
            errors.append(SourceError(position, f"solver {name!r} is already defined at {other}"))
        taken.setdefault(name, position)
        taken.setdefault(f"{name}_vectorized", position)
    return errors


def _literal_constants(language: Language) -> dict[str, str]:
    """The first constant for each integer and Boolean, by the literal's text.

    With it `2` and `TWO` are one operand, so that generated and written programs share operations.
    """
    constants: dict[str, str] = {}
    for name, value in language.constants.items():
        if type(value) in (int, bool):
            constants.setdefault(repr(value), name)
    return constants


def _kind(name: str, language: Language) -> str | None:
    """What the language has under the name, with its article."""
    if name in language.inputs:
        return "an input"
    if name in language.constants:
        return "a constant"
    if name in language.primitives:
        return "a primitive"
    return None


class _Checker:
    """Checks one solver; assignments are followed in order, which is SSA renaming."""

    def __init__(self, solver: Solver, language: Language, literals: dict[str, str]) -> None:
        self._solver = solver
        self._language = language
        self._literals = literals
        self._assigned = {assignment.target.text for assignment in solver.assignments}
        self._values: dict[str, Operand] = {}
        self._operations: list[Operation] = []
        self._numbered = 0
        self.errors: list[SourceError] = []

    def program(self) -> Program:
        self._check_parameters()
        for assignment in self._solver.assignments:
            value = self._evaluate(assignment.value)
            target = assignment.target
            kind = _kind(target.text, self._language)
            if kind is not None:
                self._error(target.position, f"cannot assign to {target.text!r}, {kind}")
            else:
                self._values[target.text] = value
        result = self._evaluate(self._solver.result)
        return Program(tuple(self._operations), {self._solver.name.text: result})

    def _check_parameters(self) -> None:
        seen: set[str] = set()
        for parameter in self._solver.parameters:
            if parameter.text not in self._language.inputs:
                inputs = ", ".join(self._language.inputs)
                self._error(
                    parameter.position,
                    f"parameter {parameter.text!r} is not an input ({inputs})",
                )
            elif parameter.text in seen:
                self._error(parameter.position, f"parameter {parameter.text!r} is repeated")
            seen.add(parameter.text)

    def _evaluate(self, expression: Expression) -> Operand:
        match expression:
            case Call():
                return self._call(expression)
            case Name():
                return self._lookup(expression, "name")
            case Literal():
                return self._literal(expression)
            case Unreadable():
                return _UNKNOWN

    def _literal(self, literal: Literal) -> Operand:
        least, most = self._language.integers
        if not least <= literal.value <= most:
            self._error(literal.position, f"an Integer lies in {least} .. {most}")
            return _UNKNOWN
        return self._literals.get(repr(literal.value), repr(literal.value))

    def _call(self, call: Call) -> Operand:
        function = self._callee(call.function)
        arguments = tuple(self._evaluate(argument) for argument in call.arguments)
        if isinstance(function, str):
            self._check_callable(function, call)
            arguments += self._number(function, arguments)
        self._operations.append(Operation(function, arguments, self._solver.name.text))
        return len(self._operations)

    def _number(self, function: str, arguments: tuple[Operand, ...]) -> tuple[Operand, ...]:
        """The number of a call that leaves out such an argument: of its kind in the solver."""
        primitive = self._language.primitives.get(function)
        if primitive is None or not primitive.numbered or len(arguments) == primitive.arity:
            return ()
        self._numbered += 1
        return (str(self._numbered - 1),)

    def _callee(self, function: Expression) -> Operand:
        if isinstance(function, Name):
            return self._lookup(function, "primitive")
        return self._evaluate(function)

    def _check_callable(self, function: str, call: Call) -> None:
        """A global that is called must be a function; of a primitive, the arity is known."""
        primitive = self._language.primitives.get(function)
        if primitive is not None:
            given, left_out = len(call.arguments), int(primitive.numbered)
            if given not in (primitive.arity, primitive.arity - left_out):
                wanted = primitive.parameters[: primitive.arity - left_out]
                self._error(
                    call.position,
                    f"{function}({', '.join(wanted)}) takes {counted(len(wanted), 'argument')}, "
                    f"not {given}",
                )
        elif function in self._language.constants:
            if not callable(self._language.constants[function]):
                self._error(call.position, f"{function} is not a function")
        elif function not in self._language.inputs and function != _UNKNOWN:
            self._error(call.position, f"{function} is not a function")

    def _lookup(self, name: Name, expected: str) -> Operand:
        text = name.text
        if text in self._values:
            return self._values[text]
        if _kind(text, self._language) is not None:
            return text
        if text in self._assigned:
            self._error(name.position, f"{text!r} is used before its definition")
        else:
            self._error(name.position, f"unknown {expected} {text!r}{self._did_you_mean(text)}")
        return _UNKNOWN

    def _did_you_mean(self, text: str) -> str:
        language = self._language
        known = (*language.inputs, *language.constants, *language.primitives)
        match = _close_match(text, known)
        return "" if match is None else f"; did you mean {match!r}?"

    def _error(self, position: Position, message: str) -> None:
        self.errors.append(SourceError(position, message))


@cache  # a slow search, and a generated source tends to repeat its mistakes
def _close_match(text: str, known: tuple[str, ...]) -> str | None:
    return next(iter(difflib.get_close_matches(text, known, n=1)), None)
