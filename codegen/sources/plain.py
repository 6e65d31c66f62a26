"""Reads sources of plain calls at speed: functions of lines `name = function(...)`, calls nested.

The result is the same as `read_python`'s, or None for a source that is not plain.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from keyword import iskeyword
from sys import intern
from typing import Any, NamedTuple

from megabatt.codegen.language import Language
from megabatt.codegen.operations.writer import MOST_STEPS
from megabatt.runtime.engine.language.values import show
from megabatt.runtime.program import Operation, Program, Word
from megabatt.runtime.vocabulary import NameRules

_NAME = "[A-Za-z_][A-Za-z0-9_]*"
_EXPRESSION = "[A-Za-z0-9_(-][A-Za-z0-9_, ()-]*"
_COMMENT = r"(?:#[^\n]*)?"
_END = rf" *{_COMMENT}\n"
_TEXT = r'(?:    """[^"\\]*""" *\n)?'
_FUNCTION = re.compile(
    rf"def ({_NAME})\(({_NAME})(?:: {_NAME})?\)(?: -> {_NAME})?:{_END}{_TEXT}"
    rf"((?:    {_NAME} = {_EXPRESSION}{_COMMENT}\n|{_END})*)"
    rf"    return ({_EXPRESSION}){_COMMENT}(?:\n|\Z)"
)
_LINE = re.compile(rf"^    ({_NAME}) = ({_EXPRESSION})", re.MULTILINE)
_TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\(?|-?[0-9]+|[^ ]")
_BETWEEN = re.compile(rf"(?:{_END})+| +\Z")
_IMPORT = re.compile(rf"from {_NAME}(?:\.{_NAME})* import \*\n")
_LITERALS: dict[str, Word] = {
    **{str(number): number for number in range(-100, 256)},
    "True": True,
    "False": False,
    "None": "None",
}
_MOST_DEEP = 20
_NO_PLAIN_TEXT = "\r", "\f", "\0", "\\", "\t"


class Plain(NamedTuple):
    """The programs of a plain source, and the offsets of its imports."""

    programs: list[Program]
    imports: list[int]


class _NotPlainError(Exception):
    """Raised for source that is left to Python's parser."""


class PlainReader:
    """Reads the plain sources of a language.

    meanings: The meanings of names. main_input: The input for a parameter that names no input.
    """

    def __init__(
        self, language: Language, meanings: Mapping[str, Any], main_input: str | None
    ) -> None:
        self.words = {
            **_LITERALS,
            **{name: word for name, word in meanings.items() if isinstance(word, str)},
        }
        self.inputs = language.inputs
        self.kind_of = NameRules(language).kind_of
        self.arities: dict[Word, int] = {
            name: primitive.arity
            for name, primitive in language.primitives.items()
            if not primitive.numbered
        }
        self._main_input = main_input

    def read(self, text: str) -> Plain | None:
        """Read a source. Returns None if it is not plain."""
        if any(character in text for character in _NO_PLAIN_TEXT):
            return None
        plain = Plain([], [])
        at = 0
        while at < len(text):
            match = _BETWEEN.match(text, at) or _IMPORT.match(text, at)
            if match is None:
                match = _FUNCTION.match(text, at)
                if match is None:
                    return None
                try:
                    plain.programs.append(self._program(*match.groups()))
                except (KeyError, _NotPlainError):
                    return None
            elif match.re is _IMPORT:
                plain.imports.append(at)
            at = match.end()
        return plain if plain.programs else None

    def _program(self, name: str, parameter: str, body: str, returns: str) -> Program:
        """Return the program of a function."""
        if name in self.words or iskeyword(name) or iskeyword(parameter):
            raise _NotPlainError
        given = parameter if parameter in self.inputs else self._main_input
        if given is None:
            raise _NotPlainError
        function = _Function(self, {**self.words, parameter: given})
        for target, expression in _LINE.findall(body):
            if iskeyword(target) or (target in self.words and target != parameter):
                raise _NotPlainError
            # One object for each name in all programs: merging compares the addresses of words.
            function.names[target] = function.value(expression, intern(target))
        word = function.value(returns, None)
        if len(function.operations) >= MOST_STEPS:
            raise _NotPlainError
        return Program(name, tuple(function.operations), word)


class _Function:
    """Reads one function. names: The present meanings of its names."""

    def __init__(self, reader: PlainReader, names: dict[str, Any]) -> None:
        self.names = names
        self.operations: list[Operation] = []
        self._arities = reader.arities
        self._kind_of = reader.kind_of
        self._variables: set[Word] = set(reader.inputs)
        self._numbered = 0

    def value(self, expression: str, target: str | None) -> Word:
        """Return the word of an expression. target: The name that the value is assigned to.

        Raises KeyError or _NotPlainError where the expression is not plain.
        """
        names = self.names
        around: list[tuple[Word | None, list[Word]]] = []
        called: Word | None = None
        words: list[Word] = []
        tokens = _TOKEN.findall(expression)
        last = len(tokens) - 1
        is_operand = True
        for k, token in enumerate(tokens):
            if is_operand and token != ")":
                if token[-1] == "(" and len(around) < _MOST_DEEP:
                    around.append((called, words))
                    called = names[token[:-1]] if len(token) > 1 else None
                    words = []
                else:
                    words.append(names[token])
                    is_operand = False
            elif token == ")" and around and not (is_operand and words):
                word = self._closed(called, words, target if k == last else None)
                called, words = around.pop()
                words.append(word)
                is_operand = False
            elif token == "," and around:
                is_operand = True
            else:
                raise _NotPlainError
        if around or len(words) != 1:
            raise _NotPlainError
        return words[0]

    def _closed(self, called: Word | None, words: list[Word], target: str | None) -> Word:
        """Return the word of a call, or of a tuple, whose bracket is closed."""
        if called is not None:
            if called not in self._variables and self._arities[called] != len(words):
                raise _NotPlainError
            if not words:
                raise _NotPlainError
            return self._operation((called, *words), target)
        if all(word.__class__ is int for word in words) and len(words) > 1:
            return show(tuple(words))
        if len(words) == 2 and not self._variables.isdisjoint(words):
            self._arities["astuple"]  # raises KeyError if the language lacks it
            return self._operation(("astuple", *words), None)
        raise _NotPlainError

    def _operation(self, words: tuple[Word, ...], target: str | None) -> str:
        """Add a call, and return its variable: the target if that name is free."""
        while target is None or target in self._variables or self._kind_of(target) is not None:
            self._numbered += 1
            target = f"_{self._numbered}"
        self._variables.add(target)
        self.operations.append((target, *words))
        return target
