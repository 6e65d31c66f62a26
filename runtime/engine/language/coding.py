"""Turns functions of programs into values: their operations become codes, see `closures`."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from megabatt.runtime.engine.language import closures
from megabatt.runtime.engine.language.closures import Closure, numbers_of
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.language.values import key_of, show
from megabatt.runtime.literals import is_literal, value_of
from megabatt.runtime.merging import canonical
from megabatt.runtime.program import Lambda, Word
from megabatt.runtime.vocabulary import NameRules


def closure_of(function: Lambda, names: Names) -> Closure:
    """Return a program's function, without captured values. Raises ValueError if it is wrong."""
    known = names.known.get(id(function))
    if known is not None and known[0] is function:
        return known[1]
    wrong = names.vocabulary.of_function(function)
    if wrong is not None:
        raise ValueError(wrong)
    if max(len(names.closures), len(names.known)) > _MOST_CLOSURES:
        names.closures.clear()
        names.known.clear()
    text = repr(function)
    found = names.closures.get(text) or _closure_of(function, names)
    names.closures[text] = found
    if _is_fixed(function):
        names.known[id(function)] = function, found
    return found


def _is_fixed(word: Any) -> bool:
    """Tell whether a word can never change: it is no function, or one of tuples alone."""
    if not isinstance(word, Lambda):
        return True
    rows = word.operations
    parts = (word.captured, word.parameters, rows, *rows)
    return {*map(type, parts)} == {tuple} and all(map(_is_fixed, chain(*rows, [word.returns])))


def closure(
    language: Language,
    captured: tuple[str, ...],
    parameters: tuple[str, ...],
    operations: list[tuple[Any, ...]],
    returns: Any,
) -> Closure:
    """Return a function of generated code, whose inner functions are values already."""
    function = Lambda(captured, parameters, tuple(operations), returns)
    return _closure_of(function, names_of(language))


def _closure_of(function: Lambda, names: Names) -> Closure:
    inner: dict[str, Closure] = {}

    def word(given: Any) -> Word:
        """Return a word as in codes; the text of an inner function stands for its value."""
        if given.__class__ is str:
            return names.spelling.get(given, given)
        if isinstance(given, Lambda):
            given = _closure_of(given, names)
        if isinstance(given, Closure):
            text = str(given)
            inner[text] = given
            return text
        return given  # type: ignore[no-any-return]

    operations = tuple(tuple(map(word, operation)) for operation in function.operations)
    coded = canonical(function._replace(operations=operations, returns=word(function.returns)))
    text = str(coded)
    found = names.closures.get(text)
    if found is None:
        found = names.closures[text] = _Coder(coded, names, inner).closure(text)
    return found


_MOST_CLOSURES = 1 << 14


class Names(NamedTuple):
    """The names of a language, for codes.

    spelling: The word of each constant in codes: a number itself, a container's text, or the first
    name of any other value. values: The meanings of words. choices: The names of primitives that
    choose. arities: The arities of primitives. vocabulary: The rules for functions. closures:
    Values of functions by their text. known: Functions of tuples with their values, by the
    functions' `id`.
    """

    spelling: dict[str, Word]
    values: dict[Word, Any]
    choices: frozenset[str]
    arities: dict[Word, int]
    vocabulary: NameRules
    closures: dict[str, Closure]
    known: dict[int, tuple[Lambda, Closure]]


def names_of(language: Language) -> Names:
    """Return the names of a language as it is now."""
    return _names_of(language, language.named)


@lru_cache(maxsize=8)
def _names_of(language: Language, named: tuple[Any, ...]) -> Names:
    """Do `names_of`. named: `Language.named`, so that the cache sees new primitives."""
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
    arities: dict[Word, int] = {name: primitive.arity for name, primitive in primitives}
    rules = NameRules(language, reads_inputs=False)
    return Names(spelling, values, choices, arities, rules, {}, {})


class _Coder:
    """Makes the value of a canonical function. inner: The values of inner functions by their text.

    An operation runs in the branches that need its value, once for a branch and those within.
    """

    def __init__(self, function: Lambda, known: Names, inner: dict[str, Closure]) -> None:
        self._function = function
        self._known = known
        self._inner = inner
        self._operations = {target: words for target, *words in function.operations}
        given = (*function.captured, *function.parameters)
        self._given = {name: slot for slot, name in enumerate(given)}
        self._constants: list[Any] = []
        self._numbers: dict[str, int] = {}
        self._branches: list[_Branch] = []
        self._branch_numbers: dict[_Branch, int] = {}
        self._around: list[tuple[int, ...]] = [(0,)]
        """For each branch, the branch and the branches around it."""
        self._needed = self._branches_of_operations()
        self._slots: dict[tuple[Word, int], int] = {}
        self._steps: list[list[int]] = []
        self._jumps: list[tuple[int, int]] = []
        """The branches that the last step is in, each with the place of the jump over its steps."""

    def closure(self, text: str) -> Closure:
        """Return the function's value. text: The function's text."""
        function = self._function
        self._make_steps()
        returns = self._read(function.returns, 0)
        head = (len(function.parameters), len(function.operations), len(self._steps), returns)
        numbers = (*head, *chain.from_iterable(self._steps))
        code = (numbers_of(text), len(function.captured), numbers, *reversed(self._constants))
        return Closure(len(function.captured or function.parameters), code)

    def _read(self, word: Word, branch: int) -> int:
        """Return the operand number of a word that is read in a branch."""
        if word in self._operations:
            return self._slots[self._run_of(word, branch)]
        if word in self._given:
            return self._given[word]
        key = str(word)
        if key not in self._numbers:
            self._constants.append(self._value(word))
            self._numbers[key] = -len(self._constants)
        return self._numbers[key]

    def _value(self, word: Any) -> Any:
        if isinstance(word, int):
            return word
        if word in self._inner:
            return self._inner[word]
        return value_of(word) if is_literal(word) else self._known.values[word]

    # Steps

    def _make_steps(self) -> None:
        """Make the steps: the runs of operations, each behind what it reads."""
        to_visit = [(target, b) for target in self._operations for b in self._needed[target]]
        to_visit.reverse()
        while to_visit:
            run = target, branch = to_visit[-1]
            if run in self._slots:
                to_visit.pop()
                continue
            words = self._operations[target]
            places = self._places_of(words, branch)
            asked = self._first_missing(words, places) if self._branches else None
            if asked is not None:
                to_visit.append(asked)
                continue
            self._enter(branch)
            kind = self._kind_of(words)
            called = 0 if kind == closures.CHOICE else self._read(words[0], branch)
            self._slots[run] = len(self._given) + len(self._steps)
            self._add(kind, called, *map(self._read, words[1 : closures.ARGUMENTS + 1], places[1:]))
        self._enter(0)

    def _add(self, *numbers: int) -> None:
        self._steps.append([*numbers, *[0] * (closures.STEP - len(numbers))])

    def _kind_of(self, words: Sequence[Word]) -> int:
        called, count = words[0], len(words) - 1
        if called in self._given or called in self._operations:
            return count
        if called in self._known.choices:
            return closures.CHOICE
        fits = count <= closures.ARGUMENTS and self._known.arities.get(called) == count
        return closures.DIRECT - count if fits else count

    def _enter(self, branch: int) -> None:
        """Leave branches that a branch does not lie in, and jump over the others' steps."""
        around = self._around[branch][-2::-1]
        while self._jumps and self._jumps[-1][0] not in around:
            _, place = self._jumps.pop()
            self._steps[place][1] = len(self._steps) - place - 1
        for number in around[len(self._jumps) :]:
            outer, condition, wanted = self._branches[number - 1]
            self._jumps.append((number, len(self._steps)))
            self._add(closures.JUMP, 0, self._read(condition, outer), int(wanted))

    def _first_missing(self, words: Sequence[Word], places: list[int]) -> tuple[Word, int] | None:
        """Return a run without a step that an operation in a branch must follow; None if none."""
        around = [self._branches[b - 1] for b in self._around[places[0]][:-1]]
        reads = [(one.condition, one.around) for one in around]
        every = (*reads, *zip(words, places, strict=True))
        runs = (self._run_of(*read) for read in every if read[0] in self._operations)
        return next((run for run in runs if run not in self._slots), None)

    def _run_of(self, target: Word, branch: int) -> tuple[Word, int]:
        """Return the operation and the branch that it runs in, in or around a branch."""
        needed = self._needed[target]
        if branch not in needed:
            branch = next(b for b in self._around[branch] if b in needed)
        return target, branch

    # Branches

    def _branches_of_operations(self) -> dict[Word, set[int]]:
        operations = self._operations
        if not any(words[0] in self._known.choices for words in operations.values()):
            return dict.fromkeys(operations, {0})
        needed: dict[Word, set[int]] = {target: set() for target in operations}
        if self._function.returns in needed:
            needed[self._function.returns].add(0)
        for target, words in reversed(operations.items()):
            needed[target] = self._outermost(needed[target])
            for branch in needed[target]:
                for word, place in zip(words, self._places_of(words, branch), strict=True):
                    if word in needed:
                        needed[word].add(place)
        return needed

    def _places_of(self, words: Sequence[Word], branch: int) -> list[int]:
        """Return the branch in which each word of an operation in a branch is read."""
        if words[0] not in self._known.choices:
            return [branch] * len(words)
        sides = [_Branch(branch, words[1], wanted) for wanted in (True, False)]
        return [branch, branch, *map(self._number_of, sides)]

    def _number_of(self, branch: _Branch) -> int:
        if branch not in self._branch_numbers:
            self._branches.append(branch)
            self._branch_numbers[branch] = number = len(self._branches)
            self._around.append((number, *self._around[branch.around]))
        return self._branch_numbers[branch]

    def _outermost(self, branches: set[int]) -> set[int]:
        """Return the branches that lie in no other; both sides of a choice are the branch around.

        Inner branches have higher numbers.
        """
        if 0 in branches or len(branches) == 1:
            return {min(branches)}
        found, to_visit = set(branches), sorted(branches)
        while to_visit:
            branch = to_visit.pop()
            if branch == 0 or branch not in found:
                continue
            around, condition, wanted = self._branches[branch - 1]
            other = self._branch_numbers.get(_Branch(around, condition, not wanted))
            if other in found:
                found -= {branch, other}
                found.add(around)
                insort(to_visit, around)
        return {b for b in found if found.isdisjoint(self._around[b][1:])}


class _Branch(NamedTuple):
    """A side of a choice: the number of the branch around, the word tested, what it must be."""

    around: int
    condition: Word
    wanted: bool
