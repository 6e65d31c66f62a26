"""The kinds of programs' values, which tell the words that may replace one another.

The language's `Draws` give a value its kind (see `runtime.megabatch.verify.kinds`). Kinds are
approximations: an unknown kind is "any", which may be of every type.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from megabatt.runtime.engine.language.registry import Primitive
from megabatt.runtime.megabatch.verify.kinds import Draws, Kind, is_function
from megabatt.runtime.merging import merge
from megabatt.runtime.program import Lambda, Program, Word, key_of

_KNOWN = 4096
"""The most programs whose variables' kinds are cached."""


class Operand(NamedTuple):
    """The place of an argument in a program: its operation and its place there, both from 0."""

    operation: int
    place: int


class Vocabulary:
    """The words of a language, and the places that take them.

    The input with the expected output is no word: a program that reads this input gets None.
    name: The name of the allowed primitives; "" if all primitives of the language are allowed.
    """

    def __init__(
        self, draws: Draws, name: str = "", primitives: Collection[str] | None = None
    ) -> None:
        """Make the vocabulary. primitives: The allowed primitives; by default all."""
        self.draws = draws
        self.name = name
        self.language = draws.language
        every = self.language.primitives
        held_to = every if primitives is None else primitives
        self.primitives = {name: every[name] for name in every if name in held_to}
        self._left_out = every.keys() - self.primitives.keys()
        expected = self.language.expected
        self.inputs = tuple(name for name in self.language.inputs if name != expected)
        self.constants = tuple(self.language.constants)
        self.kinds: dict[Word, Kind] = {name: draws.inputs[name] for name in self.inputs}
        for kind, names in draws.constants.items():
            self.kinds.update(dict.fromkeys(names, kind))
        for name in self.constants:
            self.kinds.setdefault(name, "any")
        self._accepted: dict[tuple[str, Kind], bool] = {}
        self._taken: dict[str, list[Word]] = {}
        self._taking: dict[tuple[Kind, ...], list[str]] = {}
        self._typed: dict[str, dict[Word, Kind]] = {}

    @cached_property
    def by_arity(self) -> dict[int, tuple[str, ...]]:
        """The primitives' names, by arity."""
        found: dict[int, list[str]] = {}
        for name, primitive in self.primitives.items():
            found.setdefault(primitive.arity, []).append(name)
        return {arity: tuple(names) for arity, names in found.items()}

    def has(self, words: Iterable[Word]) -> bool:
        """Tell whether the vocabulary has all primitives of the language among some words."""
        return self._left_out.isdisjoint(words)

    def kind_of(self, word: Word, variables: dict[Word, Kind]) -> Kind:
        """Return the kind of a word's value. variables: the kinds of a program's variables."""
        if word in variables:
            return variables[word]
        if isinstance(word, int):
            return "bool" if isinstance(word, bool) else "int"
        if isinstance(word, Lambda):
            return ("function", ("any",) * len(word.captured or word.parameters), "any")
        if word in self.kinds:
            return self.kinds[word]
        primitive = self.primitives.get(word)
        return "any" if primitive is None else self.function_kind(primitive)

    def function_kind(self, primitive: Primitive) -> Kind:
        """Return the kind of a primitive as a value."""
        kinds = tuple(self._declared(declared.name) for declared in primitive.types)
        return ("function", kinds, self._declared(primitive.result.name))

    def _declared(self, name: str) -> Kind:
        return self.draws.declared.get(name, "any")

    def accepts(self, declared: str, kind: Kind) -> bool:
        """Tell whether a parameter of a declared type may take values of a kind."""
        key = (declared, kind)
        known = self._accepted.get(key)
        if known is None:
            known = self._accepted[key] = kind == "any" or self._accepts(declared, kind)
        return known

    def _accepts(self, declared: str, kind: Kind) -> bool:
        if self.draws.accepts(declared, kind):
            return True
        examples = self.draws.examples.get(declared, ())
        return any(may_be(kind, example) for example in examples)

    def taken(self, declared: str) -> list[Word]:
        """List the inputs and constants that a parameter of a declared type may take."""
        if declared not in self._taken:
            known = self.kinds.items()
            self._taken[declared] = [word for word, kind in known if self.accepts(declared, kind)]
        return self._taken[declared]

    def taking(self, kinds: Sequence[Kind]) -> list[str]:
        """List the primitives that may take arguments of these kinds."""
        key = tuple(kinds)
        if key not in self._taking:
            self._taking[key] = [
                name
                for name in self.by_arity.get(len(key), ())
                if all(
                    self.accepts(declared.name, kind)
                    for declared, kind in zip(self.primitives[name].types, key, strict=True)
                )
            ]
        return self._taking[key]

    def result_of(self, function: Word, kinds: list[Kind], variables: dict[Word, Kind]) -> Kind:
        """Return the kind of a call's result. function: A primitive, or a function's variable."""
        primitive = None if function in variables else self.primitives.get(str(function))
        if primitive is None:
            called = self.kind_of(function, variables)
            return called[2] if is_function(called) else "any"
        if primitive.arity != len(kinds):
            return "any"
        try:
            return self.draws.result_of(primitive.name, kinds)
        except (TypeError, IndexError, KeyError):  # a rule of `draws` does not expect these kinds
            return "any"

    def typed(self, program: Program) -> dict[Word, Kind]:
        """Return the kinds of a program's variables."""
        key = key_of(program)
        known = self._typed.get(key)
        if known is not None:
            return known
        variables: dict[Word, Kind] = {}
        for target, function, *arguments in program.operations:
            kinds = [self.kind_of(word, variables) for word in arguments]
            variables[target] = self.result_of(function, kinds, variables)
        if len(self._typed) >= _KNOWN:
            self._typed.clear()
        self._typed[key] = variables
        return variables


def may_be(kind: Kind, other: Kind) -> bool:
    """Tell whether two kinds may be the same, as far as both are known."""
    if kind == other or "any" in (kind, other):
        return True
    if isinstance(kind, str) or isinstance(other, str) or kind[0] != other[0]:
        return False
    if is_function(kind):
        return len(kind[1]) == len(other[1])
    return may_be(kind[1], other[1])


def operands(program: Program) -> Iterator[tuple[Operand, Word]]:
    """Yield the places of a program's arguments, each with its word."""
    for k, operation in enumerate(program.operations):
        for place, word in enumerate(operation[2:]):
            yield Operand(k, place), word


def canonical(program: Program) -> Program:
    """Return the program without dead and repeated operations, its variables renamed.

    The variables are x1, x2, ... and O at the end. Programs that differ only in their variables'
    names and in repeated operations then have the same operations.
    """
    (merged,) = merge([program])
    if not merged.operations or merged.operations[-1][0] != merged.returns:
        return merged
    *rest, (_, *words) = merged.operations
    return Program(program.name, (*rest, ("O", *words)), "O")
