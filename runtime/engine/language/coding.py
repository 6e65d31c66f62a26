"""Turns functions of programs into values: their operations become codes, see `closures`."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from megabatt.runtime.engine.language.closures import ARGUMENTS, Closure
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.language.values import key_of, show
from megabatt.runtime.literals import is_literal, value_of
from megabatt.runtime.merging import canonical
from megabatt.runtime.program import Lambda, Word
from megabatt.runtime.vocabulary import NameRules


def closure_of(function: Lambda, language: Language) -> Closure:
    """Return the function that a program defines, without its captured values.

    Raises ValueError if the function breaks the language's rules.
    """
    wrong = _names_in(language).vocabulary.of_function(function)
    if wrong is not None:
        raise ValueError(wrong)
    return _closure_of(function, language)


def closure(
    language: Language,
    captured: tuple[str, ...],
    parameters: tuple[str, ...],
    operations: list[tuple[Any, ...]],
    returns: Any,
) -> Closure:
    """Return a function of generated code, whose inner functions are values already."""
    return _closure_of(Lambda(captured, parameters, tuple(operations), returns), language)


def _closure_of(function: Lambda, language: Language) -> Closure:
    names = _names_in(language)
    return _Coder(canonical(_spelled(function, names.spelling)), names).closure()


class _Names(NamedTuple):
    """The names of a language, for codes.

    spelling: The word of each constant in codes: a number itself, a container's text, or the first
    name of any other value. values: The meanings of words. choices: The names of primitives that
    choose. vocabulary: The rules for functions.
    """

    spelling: dict[str, Word]
    values: dict[Word, Any]
    choices: frozenset[str]
    vocabulary: NameRules


def _names_in(language: Language) -> _Names:
    return _names_of(language, language.named)


@lru_cache(maxsize=8)
def _names_of(language: Language, named: tuple[Any, ...]) -> _Names:
    """Return the names of a language.

    named: `Language.named`, so that the cache sees new and replaced primitives.
    """
    spelling: dict[str, Word] = {}
    first: dict[Any, str] = {}
    for name, value in language.constants.items():
        kind = value.__class__
        if kind is int or kind is bool:
            spelling[name] = value
        elif value is None or kind is tuple or kind is frozenset:
            spelling[name] = show(value)
        else:
            spelling[name] = first.setdefault(key_of(value), name)
    primitives = language.primitives.items()
    values = {spelling[name]: value for name, value in language.constants.items()}
    values |= {name: primitive.function for name, primitive in primitives}
    choices = frozenset(name for name, primitive in primitives if primitive.chooses)
    return _Names(spelling, values, choices, NameRules(language, reads_inputs=False))


def _spelled(function: Lambda, spelling: dict[str, Word]) -> Lambda:
    """Return a function with constants spelled as in codes."""

    def word(given: Word) -> Word:
        if isinstance(given, Lambda):
            return _spelled(given, spelling)
        return spelling.get(given, given) if isinstance(given, str) else given

    operations = tuple(tuple(map(word, operation)) for operation in function.operations)
    return function._replace(operations=operations, returns=word(function.returns))


class _Coder:
    """Makes the value of a canonical function."""

    def __init__(self, function: Lambda, known: _Names) -> None:
        self._function = function
        self._known = known
        names = [*function.captured, *function.parameters, *[row[0] for row in function.operations]]
        self._slots = {name: slot for slot, name in enumerate(names)}
        self._constants: list[Any] = []
        self._numbers: dict[str, int] = {}
        self._branches: dict[tuple[int, int, int], int] = {}

    def closure(self) -> Closure:
        function = self._function
        rows = [list(map(self._read, words)) for _, *words in function.operations]
        returns = self._read(function.returns)
        steps: list[int] = []
        of_rows = self._branches_of(rows, returns)
        for branch, (called, *arguments) in zip(of_rows, rows, strict=True):
            padding = [0] * (ARGUMENTS - len(arguments))
            steps += [branch, len(arguments), called, *arguments[:ARGUMENTS], *padding]
        branches = [number for branch in self._branches for number in branch]
        head = [len(function.parameters), len(rows), returns]
        text = tuple(map(ord, str(function)))
        numbers = (*head, *steps, *branches)
        code = (text, len(function.captured), numbers, *self._constants)
        return Closure(len(function.captured or function.parameters), code)

    def _read(self, word: Word) -> int:
        """Return the operand number of a word."""
        if isinstance(word, str) and word in self._slots:
            return self._slots[word]
        key = str(word)
        if key not in self._numbers:
            self._constants.append(self._value(word))
            self._numbers[key] = -len(self._constants)
        return self._numbers[key]

    def _value(self, word: Any) -> Any:
        if isinstance(word, Lambda):
            return _Coder(word, self._known).closure()
        if isinstance(word, (int, Closure)):
            return word
        return value_of(word) if is_literal(word) else self._known.values[word]

    def _branches_of(self, rows: list[list[int]], returns: int) -> list[int]:
        """Return the branch of each operation: the innermost branch around all of its uses."""
        first = len(self._slots) - len(rows)
        found: dict[int, int] = {returns: 0}
        for slot in reversed(range(first, len(self._slots))):
            chooses = self._function.operations[slot - first][1] in self._known.choices
            row = rows[slot - first]
            for place, needed in enumerate(row):
                branch = found[slot]
                if chooses and place >= 2:
                    key = branch, row[1], int(place == 2)
                    branch = self._branches.setdefault(key, len(self._branches) + 1)
                found[needed] = self._common(found.get(needed, branch), branch)
        return [found[slot] for slot in range(first, len(self._slots))]

    def _common(self, branch: int, other: int) -> int:
        """Return the innermost branch around two branches. Inner branches have higher numbers."""
        while branch != other:
            if branch < other:
                branch, other = other, branch
            branch = list(self._branches)[branch - 1][0]
        return branch
