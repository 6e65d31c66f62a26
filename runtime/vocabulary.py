"""What may stand in a program of a language, and messages where something else does."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Protocol

from megabatt.runtime.program import Program


class Named(Protocol):
    """What is asked of a primitive."""

    @property
    def arity(self) -> int: ...
    @property
    def parameters(self) -> tuple[str, ...]: ...
    @property
    def numbered(self) -> bool:
        """Whether its last argument is a number that programs leave out."""


class Spoken(Protocol):
    """What is asked of a language."""

    @property
    def inputs(self) -> tuple[str, ...]: ...
    @property
    def constants(self) -> Mapping[str, object]: ...
    @property
    def primitives(self) -> Mapping[str, Named]: ...
    @property
    def integers(self) -> tuple[int, int]: ...


class Vocabulary:
    """The names of a language, and the rules for their use.

    A rule gives None, or a line on what is wrong, for the program's author. The line names no
    place.
    """

    def __init__(self, language: Spoken) -> None:
        self._language = language
        self._known = (*language.inputs, *language.constants, *language.primitives)

    def kind_of(self, name: str) -> str | None:
        """Say what the name is in the language, with its article; None where it is nothing."""
        if name in self._language.inputs:
            return "an input"
        if name in self._language.constants:
            return "a constant"
        if name in self._language.primitives:
            return "a primitive"
        return None

    def of_target(self, name: str) -> str | None:
        """Say what is wrong with a variable of that name."""
        kind = self.kind_of(name)
        return None if kind is None else f"cannot assign to {name!r}, {kind}"

    def of_integer(self, value: int) -> str | None:
        """Say what is wrong with an Integer that is written out."""
        least, most = self._language.integers
        return None if least <= value <= most else f"an Integer lies in {least} .. {most}"

    def of_call(self, name: str, arguments: int) -> str | None:
        """Say what is wrong with a call of a name of the language. arguments: their number.

        A primitive's arity is known. An input may turn out to be a function.
        """
        primitive = self._language.primitives.get(name)
        if primitive is not None:
            wanted = primitive.parameters[: primitive.arity - int(primitive.numbered)]
            if arguments in (len(wanted), primitive.arity):
                return None
            signature = f"{name}({', '.join(wanted)})"
            return f"{signature} takes {counted(len(wanted), 'argument')}, not {arguments}"
        if name in self._language.inputs or callable(self._language.constants.get(name)):
            return None
        return f"{name} is not a function"

    def of_unknown(self, name: str, is_called: bool, is_assigned: bool) -> str:
        """Say what is wrong with a name that is neither the language's nor an assigned variable's.

        is_assigned: whether it is assigned later.
        """
        if is_assigned:
            return f"{name!r} is used before its definition"
        match = _close_match(name, self._known)
        advice = "" if match is None else f"; did you mean {match!r}?"
        return f"unknown {'primitive' if is_called else 'name'} {name!r}{advice}"


def mistakes(program: Program, language: Spoken) -> list[str]:
    """List all that is wrong with a program, a line each; empty where nothing is."""
    return list(dict.fromkeys(_mistakes(program, Vocabulary(language))))


def _mistakes(program: Program, vocabulary: Vocabulary) -> Iterator[str]:
    targets = {operation[0] for operation in program.operations}
    assigned: set[Any] = set()

    def of_word(word: Any, is_called: bool = False) -> str | None:
        if isinstance(word, int):
            return vocabulary.of_integer(word)
        if word in assigned or vocabulary.kind_of(word) is not None:
            return None
        return vocabulary.of_unknown(word, is_called, word in targets)

    for target, function, *arguments in program.operations:
        wrong = of_word(function, is_called=True)
        if wrong is None and function not in assigned:
            wrong = vocabulary.of_call(str(function), len(arguments))
        found = [wrong, *map(of_word, arguments), vocabulary.of_target(str(target))]
        yield from filter(None, found)
        assigned.add(target)
    yield from filter(None, [of_word(program.returns)])


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 operation`, `2 operations`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@cache  # a slow search, and a generated source tends to repeat its mistakes
def _close_match(text: str, known: tuple[str, ...]) -> str | None:
    return next(iter(difflib.get_close_matches(text, known, n=1)), None)
