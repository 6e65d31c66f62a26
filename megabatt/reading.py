"""Programs from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from megabatt.codegen.read_jsonl import read_jsonl
from megabatt.codegen.solver import (
    Assignment,
    Call,
    Expression,
    Literal,
    Name,
    Position,
    Solver,
    SourceError,
)
from megabatt.runtime.megabatch.workload import Workload, named
from megabatt.runtime.program import Program, Word
from megabatt.runtime.vocabulary import Vocabulary


class ProgramErrors(ValueError):
    """A source with mistakes. errors: a line for each mistake, with its place."""

    def __init__(self, errors: list[str]) -> None:
        shown = errors[:10] + ([f"and {len(errors) - 10} more"] if len(errors) > 10 else [])
        super().__init__("\n".join(shown))
        self.errors = errors


def read(path: str | Path, *, workload: str | Workload[Any] = "arc") -> list[Program]:
    """Read the programs of a `.py` or `.jsonl` file. Nothing in it is executed.

    workload: whose language they are in. Raises OSError where the file cannot be read, and
    `ProgramErrors` where it is not as it should be. Names and arities of operations are checked
    when the programs are evaluated.
    """
    text = Path(path).read_text(encoding="utf-8")
    if Path(path).suffix == ".jsonl":
        solvers, errors = read_jsonl(str(path), text)
    else:
        from megabatt.codegen.read_python import read_python

        solvers, errors = read_python(str(path), text)
    if errors:
        raise ProgramErrors(list(map(str, sorted(errors))))
    chosen = named(workload) if isinstance(workload, str) else workload
    vocabulary = Vocabulary(chosen.language)
    flattened = [_Flattened(solver, vocabulary) for solver in solvers]
    programs = [each.program() for each in flattened]
    errors = [error for each in flattened for error in each.errors]
    if errors:
        raise ProgramErrors(list(map(str, sorted(errors))))
    return programs


class _Flattened:
    """A solver as operations: a call within a call comes before it, under a name of its own."""

    def __init__(self, solver: Solver, vocabulary: Vocabulary) -> None:
        self._solver = solver
        self._vocabulary = vocabulary
        self.errors: list[SourceError] = []
        """Errors of variables that only stand for something else; no operation shows them later."""
        self._operations: list[tuple[Word, ...]] = []
        self._words: dict[str, Word] = {}
        """What each variable stands for: an assigned variable, or another word."""
        self._taken = {assignment.target.text for assignment in solver.assignments}
        self._assigned: set[str] = set()

    def program(self) -> Program:
        for assignment in self._solver.assignments:
            target, value = assignment.target.text, assignment.value
            if isinstance(value, Call):
                self._words[target] = self._call(target, value)
            else:
                self._check_alias(assignment)
                self._words[target] = self._word(value)
        result = self._word(self._solver.result)
        return Program(self._solver.name.text, tuple(self._operations), result)

    def _word(self, expression: Expression) -> Word:
        if isinstance(expression, Name):
            return self._words.get(expression.text, expression.text)
        if isinstance(expression, Literal):
            return expression.value
        assert isinstance(expression, Call)
        return self._call("", expression)

    def _check_alias(self, assignment: Assignment) -> None:
        target, value = assignment.target, assignment.value
        self._note(target.position, self._vocabulary.of_target(target.text))
        if isinstance(value, Literal):
            self._note(value.position, self._vocabulary.of_integer(value.value))
        elif isinstance(value, Name) and value.text not in self._words:
            if self._vocabulary.kind_of(value.text) is None:
                is_assigned = value.text in self._taken
                message = self._vocabulary.of_unknown(value.text, False, is_assigned)
                self._note(value.position, message)

    def _note(self, position: Position, message: str | None) -> None:
        if message is not None:
            self.errors.append(SourceError(position, message))

    def _call(self, target: str, call: Call) -> str:
        """Add the operation; return its variable, a new name where the target is taken."""
        words = [self._word(part) for part in (call.function, *call.arguments)]
        if not target or target in self._assigned:
            target = self._new_name()
        self._assigned.add(target)
        self._operations.append((target, *words))
        return target

    def _new_name(self) -> str:
        number = len(self._operations) + 1
        while f"_{number}" in self._taken:
            number += 1
        self._taken.add(f"_{number}")
        return f"_{number}"
