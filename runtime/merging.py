"""Programs made ready to run together: what they leave out, do not need, or repeat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

from megabatt.runtime.program import Operation, Program, Word
from megabatt.runtime.vocabulary import Named


def number_calls(program: Program, primitives: Mapping[Any, Named]) -> Program:
    """Return the program with the numbers that its calls leave out, counted within the program."""
    numbers = count()

    def whole(operation: Operation) -> Operation:
        primitive = primitives.get(operation[1])
        if primitive is None or not primitive.numbered or len(operation) != primitive.arity + 1:
            return operation
        return (*operation, next(numbers))

    return program._replace(operations=tuple(map(whole, program.operations)))


def without_dead(program: Program) -> Program:
    """Return the program without dead operations: those that its output does not need."""
    needed: set[Any] = {program.returns}
    kept = []
    for operation in reversed(program.operations):
        if operation[0] in needed:
            kept.append(operation)
            needed.update(operation[1:])
    return program._replace(operations=tuple(reversed(kept)))


def merge(programs: Iterable[Program]) -> list[Program]:
    """Rewrite programs so that equal operations of all of them are one, and none is dead.

    Primitives are pure, so two operations with the same function and the same operands have the
    same value (hash-consing). The variables become x1, x2, ... as their operations first appear,
    whatever they were called: programs that share an operation share its variable. Merging again
    changes nothing.
    """
    variables: dict[tuple[str, ...], str] = {}
    merged = []
    for program in programs:
        names: dict[Word, Word] = {}
        operations: dict[str, Operation] = {}
        for target, *words in without_dead(program).operations:
            operands = [names.get(word, word) for word in words]
            key = tuple(map(str, operands))  # 1 and True are equal, their texts are not
            names[target] = variable = variables.setdefault(key, f"x{len(variables) + 1}")
            operations[variable] = (variable, *operands)
        returns = names.get(program.returns, program.returns)
        merged.append(Program(program.name, tuple(operations.values()), returns))
    return merged
