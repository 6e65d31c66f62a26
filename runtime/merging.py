"""Prepares programs to run together: numbers calls, drops dead operations, merges equal ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count, islice
from typing import Any

from megabatt.runtime.program import Lambda, Operation, Program, Word
from megabatt.runtime.vocabulary import Named


def number_calls(program: Program, primitives: Mapping[Any, Named]) -> Program:
    """Add the numbers that a program's calls leave out, counted within the program."""
    numbers = count()

    def whole(operation: Operation) -> Operation:
        target, function, *arguments = map(whole_word, operation)
        primitive = primitives.get(function)
        if primitive is None or not primitive.numbered or len(arguments) != primitive.arity - 1:
            return target, function, *arguments
        return target, function, *arguments, next(numbers)

    def whole_word(word: Word) -> Word:
        if not isinstance(word, Lambda):
            return word
        operations = tuple(map(whole, word.operations))
        return word._replace(operations=operations, returns=whole_word(word.returns))

    operations = tuple(map(whole, program.operations))
    return program._replace(operations=operations, returns=whole_word(program.returns))


def without_dead(program: Program) -> Program:
    """Return the program without dead operations, which its output does not need."""
    needed: set[Any] = {program.returns}
    kept = []
    for operation in reversed(program.operations):
        if operation[0] in needed:
            kept.append(operation)
            needed.update(operation[1:])
    return program._replace(operations=tuple(reversed(kept)))


def merge(programs: Iterable[Program]) -> list[Program]:
    """Rewrite programs so that all share their equal operations, and no operation is dead.

    Primitives are pure, so two operations with the same function and the same operands have the
    same value (hash-consing). The variables are renamed x1, x2, ... in the order in which their
    operations first appear: programs that share an operation share its variable. Merging again
    changes nothing.
    """
    variables: dict[tuple[str, ...], str] = {}
    merged = []
    for program in programs:
        names: dict[Word, Word] = {}
        operations: dict[str, Operation] = {}
        for target, *words in without_dead(program).operations:
            operands = [_word(word, names) for word in words]
            key = tuple(map(str, operands))  # 1 and True are equal, their texts are not
            names[target] = variable = variables.setdefault(key, f"x{len(variables) + 1}")
            operations[variable] = (variable, *operands)
        returns = _word(program.returns, names)
        merged.append(Program(program.name, tuple(operations.values()), returns))
    return merged


def canonical(function: Lambda) -> Lambda:
    """Rewrite a function of a program's own so that names and order of operations do not matter.

    Captured names and parameters become a0, a1, ...; variables become x1, x2, ... in the order in
    which the returned word needs them. Names that the function reads from the language are left
    out. Equal operations are merged, dead operations are dropped.
    """
    given = (*function.captured, *function.parameters)
    words = {target: words for target, *words in function.operations}
    read = set(function.words()).difference(given, words)
    values, variables = (
        (name for name in map(stem.format, count(first)) if name not in read)
        for stem, first in (("a{}", 0), ("x{}", 1))
    )
    renamed = list(islice(values, len(given)))
    names: dict[Word, Word] = dict(zip(given, renamed, strict=True))
    operations: dict[str, Operation] = {}
    to_visit = [function.returns]
    while to_visit:
        target = to_visit[-1]
        if target in names or target not in words:
            to_visit.pop()
            continue
        asked = [word for word in words[target] if word in words and word not in names]
        if asked:
            to_visit += reversed(asked)
            continue
        operands = [_word(word, names) for word in words[target]]
        key = str(operands)  # 1 and True are equal, their texts are not
        if key not in operations:
            operations[key] = (next(variables), *operands)
        names[target] = operations[key][0]
    captured = len(function.captured)
    return Lambda(
        tuple(renamed[:captured]),
        tuple(renamed[captured:]),
        tuple(operations.values()),
        _word(function.returns, names),
    )


def _word(word: Word, names: Mapping[Word, Word]) -> Word:
    """Return a word with renamed variables. names: The new names."""
    return canonical(word) if isinstance(word, Lambda) else names.get(word, word)
