"""Programs from files."""

from __future__ import annotations

from pathlib import Path

from megabatt.codegen.check import check
from megabatt.codegen.language import Language
from megabatt.codegen.program import Call, Expression, Literal, Name, Position, Solver
from megabatt.codegen.read_jsonl import read_jsonl
from megabatt.runtime.program import Program, Word


class ProgramErrors(ValueError):
    """A source that is wrong. errors: a line each, with the place."""

    def __init__(self, errors: list[str]) -> None:
        shown = errors[:10] + ([f"and {len(errors) - 10} more"] if len(errors) > 10 else [])
        super().__init__("\n".join(shown))
        self.errors = errors


def read(path: str | Path) -> list[Program]:
    """Read the programs of a `.py` or `.jsonl` file. Nothing in it is executed.

    Raises OSError where it cannot be read, and `ProgramErrors` where it is not as it should be.
    Whether its names and arities are the language's is seen when the programs are evaluated.
    """
    text = Path(path).read_text(encoding="utf-8")
    if Path(path).suffix == ".jsonl":
        solvers, errors = read_jsonl(str(path), text)
    else:
        from megabatt.codegen.read_python import read_python

        solvers, errors = read_python(str(path), text)
    if errors:
        raise ProgramErrors(list(map(str, sorted(errors))))
    return [_Flattened(solver).program() for solver in solvers]


def messages_of(program: Program, language: Language) -> list[str]:
    """What is wrong with a program, in the words of the compiler's checks; any name is right."""
    _, errors = check([_solver_of(program._replace(name="_"))], language)
    return [error.message for error in errors]


class _Flattened:
    """A solver as operations: calls within calls are made before, each under a name of its own."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._operations: list[tuple[Word, ...]] = []
        self._words: dict[str, Word] = {}
        """What each variable stands for: a variable that an operation assigns, or another word."""
        self._taken = {assignment.target.text for assignment in solver.assignments}
        self._assigned: set[str] = set()

    def program(self) -> Program:
        for assignment in self._solver.assignments:
            target, value = assignment.target.text, assignment.value
            if isinstance(value, Call):
                self._words[target] = self._call(target, value)
            else:
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

    def _call(self, target: str, call: Call) -> str:
        """Add the operation; what assigned to the target before goes on being called that."""
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


def _solver_of(program: Program) -> Solver:
    """The program as the compiler has what it reads."""
    from megabatt.codegen.program import Assignment

    here = Position(program.name, 1, 1)

    def expression(word: Word) -> Expression:
        return Literal(word, here) if isinstance(word, int) else Name(str(word), here)

    assignments = []
    for target, function, *arguments in program.operations:
        call = Call(expression(function), tuple(map(expression, arguments)), here)
        assignments.append(Assignment(Name(str(target), here), call))
    name = Name(program.name, here)
    return Solver(name, (), tuple(assignments), expression(program.returns))
