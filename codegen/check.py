"""Checks solvers against a language; they are programs then, in the words of generated code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from megabatt.codegen.flatten import flatten
from megabatt.codegen.language import Language, is_reserved
from megabatt.codegen.solver import Position, Solver, SourceError
from megabatt.codegen.types import Types
from megabatt.runtime.merging import number_calls
from megabatt.runtime.program import Lambda, Operation, Program, Word
from megabatt.runtime.vocabulary import Vocabulary, mistakes_in


def check(
    solvers: Sequence[Solver],
    language: Language,
    warn: Callable[[SourceError], None] = lambda warning: None,
) -> tuple[list[Program], list[SourceError]]:
    """Flatten and check all solvers.

    Args:
        solvers: the solvers of all sources.
        language: the language that they are written in.
        warn: called for each operation that is certain to fail, as an argument is of another type.

    Returns:
        A program for each solver, and all errors found. The programs mean something only if there
        are no errors.
    """
    vocabulary = Vocabulary(language)
    errors = _check_names(solvers, vocabulary)
    literals = _literal_constants(language)
    types = Types(language)
    programs = []
    for solver in solvers:
        errors += _check_parameters(solver, language)
        flat = flatten(solver, vocabulary)
        errors += flat.hidden
        for operation, place, message in mistakes_in(flat.program, vocabulary, flat.targets):
            errors.append(SourceError(flat.places[operation][place], message))
        program = number_calls(_named(flat.program, literals), language.primitives)
        for operation, reason in enumerate(types.why_each_fails(program)):
            if reason:
                warn(SourceError(flat.places[operation][1], f"warning: {reason}"))
        programs.append(program)
    return programs, errors


def _check_names(solvers: Iterable[Solver], vocabulary: Vocabulary) -> list[SourceError]:
    """Return an error for each name that a solver cannot have.

    Solvers become functions of one module: each name, and its second form's, is taken once.
    """
    errors = []
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


def _check_parameters(solver: Solver, language: Language) -> list[SourceError]:
    """Return an error for each parameter that is no input, or there already."""
    errors = []
    seen: set[str] = set()
    for name, position in ((parameter.text, parameter.position) for parameter in solver.parameters):
        if name not in language.inputs:
            inputs = ", ".join(language.inputs)
            errors.append(SourceError(position, f"parameter {name!r} is not an input ({inputs})"))
        elif name in seen:
            errors.append(SourceError(position, f"parameter {name!r} is repeated"))
        seen.add(name)
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


def _named(program: Program, constants: dict[str, str]) -> Program:
    """Return the program with constants in place of the literals that have their values."""

    def name(word: Word) -> Word:
        if isinstance(word, Lambda):
            return word._replace(operations=rows(word.operations), returns=name(word.returns))
        return constants.get(repr(word), word) if isinstance(word, int) else word

    def rows(operations: tuple[Operation, ...]) -> tuple[Operation, ...]:
        return tuple(tuple(map(name, operation)) for operation in operations)

    return Program(program.name, rows(program.operations), name(program.returns))
