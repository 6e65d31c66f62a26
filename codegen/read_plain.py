"""Reads sources of plain operations at speed: functions of lines `name = function(names)`.

It gives what `read_python` gives, or leaves a source to that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import count
from keyword import iskeyword
from typing import Any, NamedTuple

from megabatt.codegen.errors import Place
from megabatt.codegen.language import Language
from megabatt.runtime.program import Operation, Program, Word
from megabatt.runtime.vocabulary import Vocabulary

_NAME = "[A-Za-z_][A-Za-z0-9_]*"
_WORDS = "[A-Za-z0-9_, -]*"
_END = r" *(?:#[^\n]*)?\n"
_LINE = re.compile(rf"    ({_NAME}) = ({_NAME})\(({_WORDS})\){_END}")
_FUNCTION = re.compile(
    rf"def ({_NAME})\(({_NAME})(?:: {_NAME})?\)(?: -> {_NAME})?:\n"
    rf"((?:    {_NAME} = {_NAME}\({_WORDS}\){_END}|{_END})*)"
    rf"    return ({_NAME}) *(?:#[^\n]*)?(?:\n|\Z)"
)
_BETWEEN = re.compile(rf"(?:{_END})+| +\Z")
_IMPORT = re.compile(rf"from {_NAME}(?:\.{_NAME})* import \*\n")
_LITERALS: dict[str, Word] = {
    **{str(number): number for number in range(-100, 256)},
    "True": True,
    "False": False,
    "None": "None",
}
_NO_PLAIN_TEXT = "\r", "\f", "\0", "\\"


class Plain(NamedTuple):
    """A program of plain operations. start: where its function begins in the source."""

    program: Program
    start: int


class PlainReader:
    """Reads the plain sources of a language.

    meanings: what names stand for. main_input: what the parameter of a program is.
    """

    def __init__(
        self, language: Language, meanings: Mapping[str, Any], main_input: str | None
    ) -> None:
        self._words = {
            **_LITERALS,
            **{name: word for name, word in meanings.items() if isinstance(word, str)},
        }
        self._inputs = language.inputs
        self._main_input = main_input
        self._kind_of = Vocabulary(language).kind_of
        self._arities = {
            name: primitive.arity
            for name, primitive in language.primitives.items()
            if not primitive.numbered
        }

    def read(self, text: str) -> tuple[list[Plain], list[int]] | None:
        """Read a source. Returns its programs and where it imports; None if it is not plain."""
        if any(character in text for character in _NO_PLAIN_TEXT):
            return None
        programs: list[Plain] = []
        imports: list[int] = []
        at = 0
        while at < len(text):
            match = _BETWEEN.match(text, at) or _IMPORT.match(text, at)
            if match is None:
                match = _FUNCTION.match(text, at)
                program = None if match is None else self._program(*match.groups())
                if match is None or program is None:
                    return None
                programs.append(Plain(program, at))
            elif match.re is _IMPORT:
                imports.append(at)
            at = match.end()
        return (programs, imports) if programs else None

    def _program(self, name: str, parameter: str, body: str, returns: str) -> Program | None:
        """Return the program of a function; None where it is not plain."""
        if name in self._words or iskeyword(name) or iskeyword(parameter):
            return None
        given = parameter if parameter in self._inputs else self._main_input
        if given is None:
            return None
        names: dict[str, Any] = self._words.copy()
        names[parameter] = given
        try:
            operations = tuple(self._operations(names, body, parameter))
            return Program(name, operations, names[returns])
        except KeyError:
            return None

    def _operations(
        self, names: dict[str, Any], body: str, parameter: str
    ) -> Iterator[Operation]:
        """Yield the operations of a body. Raises KeyError where they are not plain."""
        words, arities, kind_of = self._words, self._arities, self._kind_of
        variables = set(self._inputs)
        fresh = (f"_{number}" for number in count(1))
        for target, function, text in _LINE.findall(body):
            called = names[function]
            arguments = [names[word] for word in text.split(", ")] if text else []
            if called not in variables and arities[called] != len(arguments):
                raise KeyError(called)
            if iskeyword(target) or (target in words and target != parameter):
                raise KeyError(target)
            variable = target
            while variable in variables or kind_of(variable) is not None:
                variable = next(fresh)
            variables.add(variable)
            names[target] = variable
            yield (variable, called, *arguments)


def places_in(text: str, start: int, operations: int) -> tuple[Place, list[Place]]:
    """Return the places of a plain function's name and of its operations' functions."""
    line = text.count("\n", 0, start) + 1
    places = []
    matches = _LINE.finditer(text, text.index("\n", start) + 1)
    for match, _ in zip(matches, range(operations), strict=False):
        begun = match.start(2)
        column = begun - text.rindex("\n", 0, begun) - 1
        places.append(Place(line + text.count("\n", start, begun), column))
    return Place(line, len("def ")), places
