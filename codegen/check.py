"""Gives programs that are compiled together distinct names, and their literals constants' names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import Any

from megabatt.codegen.errors import ProgramError
from megabatt.codegen.language import Language, is_reserved
from megabatt.codegen.operations.types import Types
from megabatt.codegen.sources.python import Read
from megabatt.runtime.engine.language.values import show
from megabatt.runtime.merging import number_calls
from megabatt.runtime.program import Lambda, Operation, Program, Word
from megabatt.runtime.vocabulary import NameRules, name_of


def check(
    reads: Sequence[Read],
    language: Language,
    warn: Callable[[ProgramError], None] = lambda warning: None,
) -> list[Program]:
    """Return programs that are compiled together, each with a name of its own.

    Args:
        reads: The programs of all sources.
        language: Their language.
        warn: Called with a line for each program that gets another name, and for each operation
            that is certain to fail, because an argument has another type.
    """
    literals = _literal_constants(language)
    types = Types(language)
    programs = []
    for read in _with_right_names(reads, NameRules(language), warn):
        program = number_calls(_named(read.program, literals), language.primitives)
        reasons = types.why_each_fails(program, read.program)
        for operation, reason in enumerate(reasons):
            if reason:
                warn(read.mistake(f"warning: {reason}", operation))
        programs.append(program)
    return programs


def _with_right_names(
    reads: Sequence[Read], vocabulary: NameRules, warn: Callable[[ProgramError], None]
) -> list[Read]:
    """Rename programs whose names generated code cannot have.

    Programs become functions of one module: no two may share a name or a vectorized form's name.
    """
    right = list(reads)
    wrong: list[tuple[int, str]] = []
    taken: dict[str, Read] = {}

    def take(name: str, read: Read) -> Read | None:
        """Reserve a name and its vectorized form's name; if either is taken, return by which."""
        names = (name, f"{name}_vectorized")
        other = next((taken[one] for one in names if one in taken), None)
        taken.update(dict.fromkeys(names, read) if other is None else {})
        return other

    for k, read in enumerate(reads):
        name = read.program.name
        kind = vocabulary.kind_of(name)
        if kind is not None or is_reserved(name):
            wrong.append((k, kind or "a name of generated code"))
        elif not (name.isascii() and name.isidentifier()):
            wrong.append((k, "no name of letters of ASCII"))
        elif (other := take(name, read)) is not None:
            place = f"{other.source.file}:{other.line_of()}"
            wrong.append((k, f"also the name of the solver at {place}, or of its vectorized form"))
    numbers: defaultdict[str, count[int]] = defaultdict(partial(count, 2))
    for k, why in wrong:
        read, name = reads[k], name_of(reads[k].program.name)
        if vocabulary.kind_of(name) or is_reserved(name) or not name.isidentifier():
            name = f"solve_{name}"
        new = name
        while take(new, read) is not None:
            new = f"{name}_{next(numbers[name])}"
        line = f"warning: the solver is compiled as {new}: {read.program.name!r} is {why}"
        warn(read.mistake(line))
        right[k] = read._replace(program=read.program._replace(name=new))
    return right


def _literal_constants(language: Language) -> dict[str, str]:
    """Return constants' names by literal: for each value, the name of its first constant.

    With these, `2` and `TWO` are the same operand, so that programs share more operations.
    """
    constants: dict[str, str] = {}
    for name, value in language.constants.items():
        if not callable(value):
            constants.setdefault(show(value), name)
    return constants


def _named(program: Program, constants: dict[str, str]) -> Program:
    """Return the program with each literal replaced by the constant of the same value."""

    def name(word: Any) -> Word:
        if isinstance(word, Lambda):
            operations = tuple(map(whole, word.operations))
            return word._replace(operations=operations, returns=name(word.returns))
        return constants.get(str(word), word)

    def whole(operation: Operation) -> Operation:
        return tuple(map(name, operation))

    operations = tuple(map(whole, program.operations))
    return Program(program.name, operations, name(program.returns))
