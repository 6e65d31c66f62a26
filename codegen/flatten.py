"""Solvers as programs: a call within a call comes before it, under a name of its own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from megabatt.codegen.solver import (
    Call,
    Expression,
    Literal,
    Name,
    Position,
    Solver,
    SourceError,
    Unreadable,
)
from megabatt.runtime.program import Operation, Program, Word
from megabatt.runtime.vocabulary import UNREADABLE, Vocabulary


class Flat(NamedTuple):
    """A solver as a program, each variable of which is assigned once.

    places: of the words of each operation, and then of what is returned.
    targets: the variables that the solver assigns. Some only stand for another word, and are not in
    the program. hidden: the mistakes of these.
    """

    program: Program
    places: list[list[Position]]
    targets: set[str]
    hidden: list[SourceError]


def flatten(solver: Solver, vocabulary: Vocabulary) -> Flat:
    """Flatten a solver's expressions and follow its assignments, which is SSA renaming."""
    return _Flattening(solver, vocabulary).flat()


class _Flattening:
    """A solver, as far as it is flattened."""

    def __init__(self, solver: Solver, vocabulary: Vocabulary) -> None:
        self._solver = solver
        self._vocabulary = vocabulary
        self._targets = {assignment.target.text for assignment in solver.assignments}
        self._assigned: set[str] = {UNREADABLE}
        self._words: dict[str, Word] = {}
        """What each variable stands for: a variable of the program, or another word."""
        self._operations: list[Operation] = []
        self._places: list[list[Position]] = []
        self._hidden: list[SourceError] = []

    def flat(self) -> Flat:
        """Flatten the solver."""
        for assignment in self._solver.assignments:
            target, value = assignment.target, assignment.value
            if isinstance(value, Call):
                self._words[target.text] = self._call(value, target)
            else:
                self._name(target, value)
        returns = self._word(self._solver.result)
        program = Program(self._solver.name.text, tuple(self._operations), returns)
        places = [*self._places, [self._solver.result.position]]
        return Flat(program, places, self._targets, self._hidden)

    def _name(self, target: Name, value: Expression) -> None:
        """Let a variable stand for another word."""
        word = self._word(value)
        of_word = self._vocabulary.of_word(word, self._assigned, self._targets)
        of_target = self._vocabulary.of_target(target.text)
        if of_word is not None:
            self._hidden.append(SourceError(value.position, of_word))
        if of_target is not None:
            self._hidden.append(SourceError(target.position, of_target))
        else:
            self._words[target.text] = word if of_word is None else UNREADABLE

    def _word(self, expression: Expression) -> Word:
        """Return the word for an expression, whose operations are added."""
        match expression:
            case Name(text):
                return self._words.get(text, text)
            case Literal(value):
                return value
            case Call():
                return self._call(expression)
            case Unreadable():
                return UNREADABLE

    def _call(self, call: Call, target: Name | None = None) -> str:
        """Add the operation; return its variable, a new one where the target is taken."""
        words = [self._word(part) for part in (call.function, *call.arguments)]
        if target is None or target.text in self._assigned:
            variable = self._new_name()
        else:
            variable = target.text
        if self._vocabulary.of_target(variable) is None:
            self._assigned.add(variable)
        self._operations.append((variable, *words))
        parts = [target or call, call, *call.arguments]
        self._places.append([part.position for part in parts])
        return variable

    def _new_name(self) -> str:
        number = len(self._operations) + 1
        while f"_{number}" in self._taken or self._vocabulary.kind_of(f"_{number}") is not None:
            number += 1
        self._taken.add(f"_{number}")
        return f"_{number}"

    @cached_property
    def _taken(self) -> set[str]:
        """The names that stand in the solver, and new ones."""
        values = [assignment.value for assignment in self._solver.assignments]
        return self._targets.union(*map(_names, [*values, self._solver.result]))


def _names(expression: Expression) -> Iterator[str]:
    if isinstance(expression, Name):
        yield expression.text
    elif isinstance(expression, Call):
        for part in (expression.function, *expression.arguments):
            yield from _names(part)
