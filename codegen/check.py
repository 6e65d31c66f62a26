"""Checks solvers against a language and flattens them into blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from megabatt.codegen.language import Language, is_reserved
from megabatt.codegen.solver import (
    Block,
    Call,
    Expression,
    Literal,
    Name,
    NumberedOperation,
    Operand,
    Position,
    Solver,
    SourceError,
    Unreadable,
)
from megabatt.codegen.types import Types
from megabatt.runtime.vocabulary import Vocabulary

# The value of an expression with an error. It is no name, so nothing more is said of it.
_UNKNOWN = "?"


def check(
    solvers: Sequence[Solver],
    language: Language,
    warn: Callable[[SourceError], None] = lambda warning: None,
) -> tuple[list[Block], list[SourceError]]:
    """Resolve the names of all solvers.

    Args:
        solvers: the solvers of all sources.
        language: the language that they are written in.
        warn: called for each operation that is certain to fail, as an argument is of another type.

    Returns:
        A block for each solver, and all errors found. The blocks mean something only if there are
        no errors.
    """
    errors = _check_names(solvers, language)
    literals = _literal_constants(language)
    types = Types(language)
    blocks = []
    for solver in solvers:
        checker = _Checker(solver, language, literals, types, warn)
        blocks.append(checker.block())
        errors.extend(checker.errors)
    return blocks, errors


def _check_names(solvers: Sequence[Solver], language: Language) -> list[SourceError]:
    """Return an error for each name that a solver cannot have.

    Solvers become functions of one module: each name, and its second form's, is taken once.
    """
    errors = []
    vocabulary = Vocabulary(language)
    taken: dict[str, Position] = {}
    for solver in solvers:
        name, position = solver.name.text, solver.name.position
        kind = vocabulary.kind_of(name)
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
    """Return the first constant for each integer and Boolean, by the literal's text.

    With it `2` and `TWO` are one operand, so that generated and written programs share operations.
    """
    constants: dict[str, str] = {}
    for name, value in language.constants.items():
        if type(value) in (int, bool):
            constants.setdefault(repr(value), name)
    return constants


class _Checker:
    """Checks one solver; assignments are followed in order, which is SSA renaming."""

    def __init__(
        self,
        solver: Solver,
        language: Language,
        literals: dict[str, str],
        types: Types,
        warn: Callable[[SourceError], None],
    ) -> None:
        self._types = types
        self._warn = warn
        self._solver = solver
        self._language = language
        self._vocabulary = Vocabulary(language)
        self._literals = literals
        self._assigned = {assignment.target.text for assignment in solver.assignments}
        self._values: dict[str, Operand] = {}
        self._operations: list[NumberedOperation] = []
        self._numbered = 0
        self.errors: list[SourceError] = []

    def block(self) -> Block:
        self._check_parameters()
        for assignment in self._solver.assignments:
            value = self._evaluate(assignment.value)
            target = assignment.target
            if not self._wrong(target.position, self._vocabulary.of_target(target.text)):
                self._values[target.text] = value
        result = self._evaluate(self._solver.result)
        return Block(tuple(self._operations), {self._solver.name.text: result})

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
                return self._lookup(expression)
            case Literal():
                return self._literal(expression)
            case Unreadable():
                return _UNKNOWN

    def _literal(self, literal: Literal) -> Operand:
        if self._wrong(literal.position, self._vocabulary.of_integer(literal.value)):
            return _UNKNOWN
        return self._literals.get(repr(literal.value), repr(literal.value))

    def _call(self, call: Call) -> Operand:
        function = self._callee(call.function)
        arguments = tuple(self._evaluate(argument) for argument in call.arguments)
        if isinstance(function, str) and function != _UNKNOWN:
            self._wrong(call.position, self._vocabulary.of_call(function, len(arguments)))
            arguments += self._number(function, arguments)
        self._check_types(function, arguments, call)
        self._operations.append(NumberedOperation(function, arguments, self._solver.name.text))
        return len(self._operations)

    def _check_types(self, function: Operand, arguments: Sequence[Operand], call: Call) -> None:
        made_by = [
            self._operations[argument - 1].function if isinstance(argument, int) else None
            for argument in arguments
        ]
        reason = self._types.why_it_fails(function, arguments, made_by)
        if reason:
            self._warn(SourceError(call.position, f"warning: {reason}"))

    def _number(self, function: str, arguments: tuple[Operand, ...]) -> tuple[Operand, ...]:
        """Return the number that a call leaves out, counted in the solver; () where it has none."""
        primitive = self._language.primitives.get(function)
        if primitive is None or not primitive.numbered or len(arguments) == primitive.arity:
            return ()
        self._numbered += 1
        return (str(self._numbered - 1),)

    def _callee(self, function: Expression) -> Operand:
        if isinstance(function, Name):
            return self._lookup(function, is_called=True)
        return self._evaluate(function)

    def _lookup(self, name: Name, is_called: bool = False) -> Operand:
        text = name.text
        if text in self._values:
            return self._values[text]
        if self._vocabulary.kind_of(text) is not None:
            return text
        is_assigned = text in self._assigned
        self._error(name.position, self._vocabulary.of_unknown(text, is_called, is_assigned))
        return _UNKNOWN

    def _wrong(self, position: Position, message: str | None) -> bool:
        """Tell whether there is a message, and report it."""
        if message is not None:
            self._error(position, message)
        return message is not None

    def _error(self, position: Position, message: str) -> None:
        self.errors.append(SourceError(position, message))
