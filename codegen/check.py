"""Checks programs that are compiled together, and puts them into the words of generated code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from megabatt.codegen.errors import ProgramError, place_of
from megabatt.codegen.language import Language, is_reserved
from megabatt.codegen.read_python import Read
from megabatt.codegen.types import Types
from megabatt.runtime.engine.language.values import show
from megabatt.runtime.merging import number_calls
from megabatt.runtime.program import Lambda, Operation, Program, Word
from megabatt.runtime.vocabulary import NameRules


def check(
    reads: Sequence[Read],
    language: Language,
    warn: Callable[[ProgramError], None] = lambda warning: None,
) -> tuple[list[Program], list[ProgramError]]:
    """Check the names of programs that are right by themselves.

    Args:
        reads: The programs of all sources.
        language: Their language.
        warn: Called with a line for each operation that is certain to fail, because an argument has
            another type.

    Returns:
        The programs whose names are right, and the mistakes in the others' names.
    """
    named, errors = _with_right_names(reads, NameRules(language))
    literals = _literal_constants(language)
    types = Types(language)
    programs = []
    for read in named:
        program = number_calls(_named(read.program, literals), language.primitives)
        reasons = types.why_each_fails(program, read.program)
        for place, reason in zip(read.where()[1], reasons, strict=True):
            if reason:
                warn(_error(read, place, f"warning: {reason}"))
        programs.append(program)
    return programs, errors


def _error(read: Read, place: Any, message: str) -> ProgramError:
    line, column = place_of(place)
    return ProgramError(read.file, line + read.line, column, message, read.program.name)


def _error_at_name(read: Read, message: str) -> ProgramError:
    return _error(read, read.where()[0], message)


def _with_right_names(
    reads: Iterable[Read], vocabulary: NameRules
) -> tuple[list[Read], list[ProgramError]]:
    """Separate the programs with right names from the mistakes in other names.

    Programs become functions of one module, so each name and its vectorized form occur once.
    """
    right, errors = [], []
    taken: dict[str, Read] = {}
    for read in reads:
        name = read.program.name
        kind = vocabulary.kind_of(name)
        other = taken.get(name) or taken.get(f"{name}_vectorized")
        if kind is not None:
            errors.append(_error_at_name(read, f"a solver cannot be named {name!r}, {kind}"))
        elif is_reserved(name) or not (name.isascii() and name.isidentifier()):
            errors.append(_error_at_name(read, f"a solver cannot be named {name!r}"))
        elif other is not None:
            at = _error_at_name(other, "")
            place = f"{at.file}:{at.line}:{at.column}"
            errors.append(_error_at_name(read, f"solver {name!r} is already defined at {place}"))
        else:
            right.append(read)
        taken.setdefault(name, read)
        taken.setdefault(f"{name}_vectorized", read)
    return right, errors


def _literal_constants(language: Language) -> dict[str, str]:
    """Return the first constant of each value that can be written as a literal, by the literal.

    It makes `2` and `TWO` the same operand, so that programs share more operations.
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
