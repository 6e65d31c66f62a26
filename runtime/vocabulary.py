"""The rules for the words of a language's programs, with a message for each mistake."""

from __future__ import annotations

import builtins
import difflib
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Protocol

from megabatt.runtime.literals import is_literal, is_real, value_of
from megabatt.runtime.program import Lambda, Program, Word


class Named(Protocol):
    """The part of a primitive that the rules read."""

    @property
    def arity(self) -> int: ...
    @property
    def parameters(self) -> tuple[str, ...]: ...
    @property
    def numbered(self) -> bool:
        """Whether its last argument is a number that programs leave out."""


class Spoken(Protocol):
    """The part of a language that the rules read."""

    @property
    def inputs(self) -> tuple[str, ...]: ...
    @property
    def constants(self) -> Mapping[str, object]: ...
    @property
    def primitives(self) -> Mapping[str, Named]: ...
    @property
    def integers(self) -> tuple[int, int]: ...


MOST_VALUES, MOST_NESTED, MOST_OPERATIONS = 3, 16, 4096
"""The limits of a function of a program's own: the number of its captured values, and of its
parameters; the depth of functions within one another; the number of its operations, with those of
all functions in it."""

UNREADABLE = "?"
"""Stands for a word whose mistake is already reported. It is no name."""


_MOST_DEEP = 32
_INSTEAD = {
    "complex": "numbers are Integers and Reals",
    **dict.fromkeys(
        ("str", "repr", "chr", "ord", "ascii", "format", "bytes"),
        "programs make no text: write Integers",
    ),
    **dict.fromkeys(
        ("dict", "Counter", "OrderedDict", "defaultdict"), "write tuples of pairs, or if ... else"
    ),
    "deque": "write a tuple",
    **dict.fromkeys(("bin", "hex", "oct"), "take digits by // and %, or bits by >> and &"),
    "object": "write None, or a number that nothing else is",
    "pow": "write a ** b",
    "slice": "write a[i:j]",
}
"""Advice for functions of Python that the language lacks: what to write instead."""
_MODULES = {
    **{name: name for name in ("collections", "copy", "functools", "itertools", "math", "numpy")},
    "np": "numpy as np",
    "scipy": "scipy.ndimage",
}
"""How to import modules that are read, by the usual name."""


class NameRules:
    """The names of a language, and the rules for their use.

    A rule returns None, or a line that tells the program's author what is wrong. The line names no
    place.
    """

    def __init__(self, language: Spoken, reads_inputs: bool = True) -> None:
        """Make the rules. reads_inputs: Whether programs may read the language's inputs."""
        self._language = language
        self._reads_inputs = reads_inputs
        self._kinds = {
            **dict.fromkeys(language.primitives, "a primitive"),
            **dict.fromkeys(language.constants, "a constant"),
            **(dict.fromkeys(language.inputs, "an input") if reads_inputs else {}),
        }

    def kind_of(self, name: Any) -> str | None:
        """Return the kind of a name, such as "a primitive"; None for an unknown name."""
        return self._kinds.get(name)

    def of_target(self, name: Any) -> str | None:
        """Say what is wrong with a variable's name."""
        kind = self._kinds.get(name) if isinstance(name, str) else "no name"
        return None if kind is None else f"cannot assign to {name!r}, {kind}"

    def of_call(self, function: Word, arguments: int) -> str | None:
        """Say what is wrong with a call. arguments: The number of arguments.

        function: A name of the language, or a function of a program's own. An input passes with
        any number of arguments, as it may turn out to be a function.
        """
        if isinstance(function, Lambda):
            takes = len(function.captured or function.parameters)
            what = "captured value" if function.captured else "argument"
            if arguments == takes:
                return None
            return f"a function of the program takes {counted(takes, what)}, not {arguments}"
        name = str(function)
        primitive = self._language.primitives.get(name)
        if primitive is not None:
            if arguments == primitive.arity:
                return None
            wanted = primitive.parameters[: primitive.arity - int(primitive.numbered)]
            if arguments == len(wanted):
                return None
            signature = f"{name}({', '.join(wanted)})"
            return f"{signature} takes {counted(len(wanted), 'argument')}, not {arguments}"
        if name in self._language.inputs or callable(self._language.constants.get(name)):
            return None
        return f"{name} is not a function"

    def of_literal(self, value: Any) -> str | None:
        """Say what is wrong with a constant that is written out."""
        least, most = self._language.integers
        level = [value]
        for _ in range(_MOST_DEEP):
            if not all(least <= part <= most for part in level if isinstance(part, int)):
                return f"an Integer lies in {least} .. {most}"
            if not all(map(is_real, (part for part in level if isinstance(part, float)))):
                return "a Real is 0, infinite, or of a size from 2**-255 up to 2**255"
            level = [e for part in level if isinstance(part, (tuple, frozenset)) for e in part]
            if not level:
                return None
        return f"containers are nested at most {_MOST_DEEP} deep"

    def of_word(
        self, word: Any, assigned: Container[Any], targets: Container[Any], is_called: bool = False
    ) -> str | None:
        """Say what is wrong with a word that is read.

        assigned: The variables assigned before. targets: All variables that the program assigns.
        """
        if isinstance(word, Lambda):
            return self.of_function(word) if self._reads_inputs else self._of_names(word)
        if isinstance(word, int):
            least, most = self._language.integers
            return None if least <= word <= most else self.of_literal(word)
        if word in assigned or word in self._kinds:
            return None
        if word.__class__ is str and is_literal(word):
            return self.of_literal(value_of(word))
        if word in targets:
            return f"{word!r} is used before its definition"
        if word in self._language.inputs:
            return f"a function of the program captures the input {word!r}, or does not read it"
        return self.of_unknown(word, self._kinds, is_called)

    def of_unknown(self, word: str, known: Iterable[str], is_called: bool = False) -> str:
        """Say that a word is unknown, and what to write instead."""
        module = next((name for name in known if name.endswith(f".{word}")), "").rpartition(".")[0]
        if module:
            what = "primitive" if is_called else "name"
            return f"unknown {what} {word!r}: write `from {module} import {word}`"
        if word in _MODULES:
            return f"unknown name {word!r}: write `import {_MODULES[word]}`"
        if hasattr(builtins, word) or word in _INSTEAD:
            advice = _INSTEAD.get(word, "write calls of primitives")
            return f"{word!r} of Python is not read: {advice}"
        match = _close_match(word, tuple(known))
        meant = "" if match is None else f"; did you mean {match!r}?"
        return f"unknown {'primitive' if is_called else 'name'} {word!r}{meant}"

    def of_function(self, function: Lambda) -> str | None:
        """Say what is wrong with a function of a program's own."""
        return _too_large(function) or self._within._of_names(function)

    @cached_property
    def _within(self) -> NameRules:
        """The rules for functions of a program's own, which read no inputs."""
        return NameRules(self._language, False) if self._reads_inputs else self

    def _of_names(self, function: Lambda) -> str | None:
        """Say what is wrong with a function's names and operations, under rules without inputs."""
        names = (*function.captured, *function.parameters)
        captured, parameters = function.captured, function.parameters
        for given, what in (captured, "captured value"), (parameters, "parameter"):
            if len(given) > MOST_VALUES:
                most = counted(MOST_VALUES, what)
                return f"a function of the program has at most {most}, not {len(given)}"
        repeated = next((name for k, name in enumerate(names) if name in names[:k]), None)
        if repeated is not None:
            return f"a function of the program has two parameters {repeated!r}"
        of_names = next(filter(None, map(self.of_target, names)), None)
        if of_names is not None:
            return of_names
        targets: set[Any] = set()
        for target, *_ in function.operations:
            if target in names or target in targets:
                return f"a function of the program assigns {target!r} twice"
            targets.add(target)
        body = Program("", function.operations, function.returns)
        found = next(mistakes_in(body, self, targets, names), None)
        return None if found is None else found.message


def _too_large(function: Lambda) -> str | None:
    """Say that a function is too large, or nests functions too deep."""
    sizes: dict[int, tuple[int, int]] = {}  # by identity: functions may share others

    def measured(one: Lambda, left: int) -> tuple[int, int]:
        if id(one) not in sizes:
            inner = [word for word in one.words() if isinstance(word, Lambda)] if left else []
            of_inner = [measured(word, left - 1) for word in inner]
            operations = len(one.operations) + sum(size for size, _ in of_inner)
            sizes[id(one)] = operations, 1 + max([depth for _, depth in of_inner], default=0)
        return sizes[id(one)]

    operations, depth = measured(function, MOST_NESTED)
    if depth > MOST_NESTED:
        return f"functions of the program lie more than {MOST_NESTED} deep in one another"
    if operations > MOST_OPERATIONS:
        return f"a function of the program has more than {MOST_OPERATIONS} operations"
    return None


class Mistake(NamedTuple):
    """A mistake in a word. operation, place: The word's place, from 0.

    The returned word counts as an operation after the last one.
    """

    operation: int
    place: int
    message: str


def mistakes_in(
    program: Program,
    vocabulary: NameRules,
    targets: Container[Any],
    given: Iterable[str] = (),
) -> Iterator[Mistake]:
    """Yield the mistakes in a program.

    targets: The variables that its author assigns. given: Names that have values from the start.
    """
    assigned: set[Any] = {UNREADABLE, *given}
    for k, (target, function, *arguments) in enumerate(program.operations):
        of_target = vocabulary.of_target(target)
        if of_target is not None:
            yield Mistake(k, 0, of_target)
        for place, word in enumerate((function, *arguments), 1):
            if word in assigned:
                continue
            message = vocabulary.of_word(word, assigned, targets, is_called=place == 1)
            if message is None and place == 1:
                message = vocabulary.of_call(word, len(arguments))
            if message is not None:
                yield Mistake(k, place, message)
        if of_target is None:
            assigned.add(target)
    message = vocabulary.of_word(program.returns, assigned, targets)
    if message is not None:
        unknown, returns = f"unknown name {program.returns!r}", f"returns={program.returns!r}"
        message = message.replace(unknown, f"{returns} is not assigned")
        yield Mistake(len(program.operations), 0, message)


def mistakes(program: Program, language: Spoken) -> list[str]:
    """List the mistakes in a program, a line each."""
    targets = {operation[0] for operation in program.operations}
    found = mistakes_in(program, NameRules(language), targets)
    return list(dict.fromkeys(mistake.message for mistake in found))


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 operation`, `2,000 operations`, `2 batches`."""
    ending = "" if number == 1 else "es" if noun.endswith("ch") else "s"
    return f"{number:,} {noun}{ending}"


def first_of(names: Sequence[str], most: int) -> str:
    """List the first of some names, and say how many more there are: `a, b and 3 more`."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def cut(lines: Sequence[object], most: int, rest: Callable[[int], str]) -> list[str]:
    """Return the first lines and, if there are others, the line that `rest` makes of their number.

    most: The most lines before that line.
    """
    left = len(lines) - most
    return [*map(str, lines[:most]), *([rest(left)] if left > 0 else [])]


def there_are(number: int, noun: str) -> str:
    """Say how many there are: `there is 1 part`, `there are 2 parts`."""
    return f"there {'is' if number == 1 else 'are'} {counted(number, noun)}"


def with_article(noun: str) -> str:
    """Return a noun with its article: `an int`, `a list`."""
    return f"an {noun}" if noun[0] in "AEIOUaeiou" else f"a {noun}"


_LIKENESS = 0.65
"""The least share of characters that a word and a suggested word have in common."""


def name_of(group: str) -> str:
    """Return a group's name, such as a task's id, as part of a function's name: every character
    except ASCII letters and digits becomes `_`."""
    return re.sub("[^0-9A-Za-z]", "_", group)


def parts_of(name: str) -> Iterator[str]:
    """Yield the parts of a function's name that may be the `name_of` a group.

    A part begins and ends at an underscore or at an end of the name. The longest part comes last.
    """
    words = name_of(name).split("_")
    for length in range(1, len(words) + 1):
        for begin in range(len(words) - length + 1):
            yield "_".join(words[begin : begin + length])


def did_you_mean(word: str, known: Iterable[str], likeness: float = _LIKENESS) -> str:
    """Return a hint at a known word that is like a word, such as "; did you mean vmirror?".

    likeness: The least share of characters that both have in common. Returns "" if no known word
    is like the word.
    """
    near = difflib.get_close_matches(word, list(known), 1, likeness)
    return f"; did you mean {near[0]}?" if near else ""


@lru_cache(1024)  # a slow search, and a generated source tends to repeat its mistakes
def _close_match(text: str, known: tuple[str, ...]) -> str | None:
    return next(iter(difflib.get_close_matches(text, known, 1, _LIKENESS)), None)
