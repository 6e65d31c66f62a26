"""Functions of a program's own, as values: a code, and the values that it captures.

A code is a plain tuple, so that it goes wherever values go:

    (text, captured, numbers, *constants)

text        the text of the function's operations as characters' numbers, by which codes stand in
            order
captured    how many values it captures
numbers     how many parameters it has; how many operations; what it returns; `STEP` numbers for
            each operation; `BRANCH` numbers for each branch
constants   what its operations read besides

An operation is its branch, how many arguments it has, its function, and room for four arguments.
What it reads is a number: a constant, from -1 down, or a slot, from 0 up: of what is captured, of
the parameters, and of what the operations give, in this order.

A branch is what only one side of a choice needs: the branch that it lies in, 0 for none, the
condition, and whether that must be true (1) or false (0). Branches count from 1. An operation of a
branch is made only where the branch is taken.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from megabatt.runtime.engine.language.limits import ArityError, LimitError, budget, charge
from megabatt.runtime.engine.language.policy import policy
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.language.values import Function, call_cost, show, size_of, truth
from megabatt.runtime.literals import is_literal, value_of
from megabatt.runtime.merging import canonical
from megabatt.runtime.program import Lambda, Word
from megabatt.runtime.vocabulary import Vocabulary

HEAD, STEP, BRANCH, ARGUMENTS = 3, 7, 3, 4
TEXT, CAPTURED, NUMBERS, CONSTANTS = range(4)
"""Where in a code its parts are."""

Code = tuple[Any, ...]


class Closure(Function):
    """A function of a program's own: `args` are its code and the values that it captures.

    Without these, though its code captures some, it is the function of them that makes it.
    """

    __slots__ = ()
    name = chr(sys.maxunicode)  # in order it comes after all that have names

    @property
    def built_from(self) -> tuple[Any, ...]:
        code, *captured = self.args
        return (*code[CONSTANTS:], *captured)

    def measure(self) -> int:
        """Return the size: how many operations it has, and the sizes of functions it captures."""
        code, *captured = self.args
        if len(captured) < code[CAPTURED]:
            return 1
        return int(code[NUMBERS][1]) + sum(size_of(value) for value in captured if callable(value))

    def spelled(self) -> tuple[str, Sequence[Any]]:
        code, *captured = self.args
        return f"({''.join(map(chr, code[TEXT]))})", captured

    def __call__(self, *args: Any) -> Any:
        """Make the operations, those of branches not taken left out. Raises what one raises."""
        code, *captured = self.args
        if len(args) != self.arity:
            takes = "takes" if len(captured) == code[CAPTURED] else "captures"
            raise ArityError(f"a function of the program {takes} {self.arity} values: {len(args)}")
        if len(captured) < code[CAPTURED]:
            made = Closure(code[NUMBERS][0], code, *args)
            charge(made.size)
            return made
        budget.nested += 1
        try:
            if budget.nested > policy().max_depth:
                raise LimitError("calls of functions of the program lie too deep in one another")
            return _body_of(code).value((*captured, *args))
        finally:
            budget.nested -= 1


class _Body(NamedTuple):
    """A code as its calls use it. Slots and constants are as in `numbers`."""

    steps: list[tuple[int, int, list[int]]]
    """Of each operation: its branch, its function, its arguments."""
    branches: list[tuple[int, int, int]]
    returns: int
    constants: tuple[Any, ...]
    """The last one first, so that their numbers are their places from the end."""

    def value(self, given: tuple[Any, ...]) -> Any:
        """Make a call. given: what is captured, and the arguments."""
        slots = [*given, *[None] * len(self.steps), *self.constants]
        for slot, (branch, called, arguments) in enumerate(self.steps, len(given)):
            if branch and not self._is_taken(branch, slots):
                continue
            function = slots[called]
            if isinstance(function, Function):
                charge(call_cost(function))
            slots[slot] = function(*[slots[place] for place in arguments])
        return slots[self.returns]

    def _is_taken(self, branch: int, slots: list[Any]) -> bool:
        while branch:
            branch, condition, wanted = self.branches[branch - 1]
            if truth(slots[condition]) != wanted:
                return False
        return True


@lru_cache(maxsize=4096)
def _body_of(code: Code) -> _Body:
    _, operations, returns, *rest = code[NUMBERS]
    steps = [rest[at : at + STEP] for at in range(0, STEP * operations, STEP)]
    branches = [tuple(rest[at : at + BRANCH]) for at in range(STEP * operations, len(rest), BRANCH)]
    return _Body(
        [(branch, function, arguments[:n]) for branch, n, function, *arguments in steps],
        branches,
        returns,
        code[:NUMBERS:-1],
    )


def closure_of(function: Lambda, language: Language) -> Closure:
    """Return the function that a program defines, without what it captures.

    Raises ValueError where it breaks the language's rules.
    """
    wrong = Vocabulary(language).of_function(function)
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
    """Return a function as generated code has it: those within it stand as functions already."""
    return _closure_of(Lambda(captured, parameters, tuple(operations), returns), language)


def _closure_of(function: Lambda, language: Language) -> Closure:
    names = _names_of(language, (*language.constants, *language.primitives))
    return _coded(canonical(_spelled(function, names.spelling)), names)


def _coded(function: Lambda, names: _Names) -> Closure:
    """Return the function of a canonical one."""
    code = _Coder(function, names).code()
    return Closure(len(function.captured or function.parameters), code)


class _Names(NamedTuple):
    """What a language has named, as codes have it.

    spelling: of constants: a number stands as itself, a container as its text, which is a word too,
    any other value as the first of its names. values: what words stand for. choices: the names of
    primitives that choose.
    """

    spelling: dict[str, Word]
    values: dict[Word, Any]
    choices: frozenset[str]


@lru_cache(maxsize=8)
def _names_of(language: Language, names: tuple[str, ...]) -> _Names:
    """Return what a language has named; names: all of it."""
    spelling: dict[str, Word] = {}
    first: dict[Any, str] = {}
    for name, value in language.constants.items():
        kind = value.__class__
        if kind is int or kind is bool:
            spelling[name] = value
        elif value is None or kind is tuple or kind is frozenset:
            spelling[name] = show(value)
        else:
            key = kind, value if callable(value) else show(value)
            spelling[name] = first.setdefault(key, name)
    primitives = language.primitives.items()
    values = {spelling[name]: value for name, value in language.constants.items()}
    values |= {name: primitive.function for name, primitive in primitives}
    choices = frozenset(name for name, primitive in primitives if primitive.chooses)
    return _Names(spelling, values, choices)


def _spelled(function: Lambda, spelling: dict[str, Word]) -> Lambda:
    """Return a function whose constants stand as they do in codes."""

    def word(given: Word) -> Word:
        if isinstance(given, Lambda):
            return _spelled(given, spelling)
        return spelling.get(given, given) if isinstance(given, str) else given

    operations = tuple(tuple(map(word, operation)) for operation in function.operations)
    return function._replace(operations=operations, returns=word(function.returns))


class _Coder:
    """A canonical function on its way to a code."""

    def __init__(self, function: Lambda, known: _Names) -> None:
        self._function = function
        self._known = known
        names = [*function.captured, *function.parameters, *[row[0] for row in function.operations]]
        self._slots = {name: slot for slot, name in enumerate(names)}
        self._constants: dict[str, Any] = {}
        self._branches: dict[tuple[int, int, int], int] = {}

    def code(self) -> Code:
        """Return the code."""
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
        return (text, len(function.captured), numbers, *self._constants.values())

    def _read(self, word: Word) -> int:
        """Return the number of what a word reads."""
        if isinstance(word, str) and word in self._slots:
            return self._slots[word]
        key = str(word)
        if key not in self._constants:
            self._constants[key] = self._value(word)
        return -1 - list(self._constants).index(key)

    def _value(self, word: Any) -> Any:
        if isinstance(word, Lambda):
            return _coded(word, self._known)
        if isinstance(word, (int, Closure)):
            return word
        return value_of(word) if is_literal(word) else self._known.values[word]

    def _branches_of(self, rows: list[list[int]], returns: int) -> list[int]:
        """Return the branch of each operation: the innermost that all that need it lie in."""
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
        """Return the innermost branch that two branches lie in. Inner ones have higher numbers."""
        parents = [parent for parent, *_ in self._branches]
        while branch != other:
            if branch < other:
                branch, other = other, branch
            branch = parents[branch - 1]
        return branch
