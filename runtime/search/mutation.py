"""Makes programs of programs: by one change that fits the kinds, or by a part of another program.

All draws come from the caller's generator, so the same generator gives the same program in any
process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from megabatt.runtime.megabatch.verify.kinds import Kind, is_function
from megabatt.runtime.program import Program, Word, key_of
from megabatt.runtime.search.grammar import ROOT, Grammar
from megabatt.runtime.search.typed import Operand, Vocabulary, canonical, may_be, operands

Operation = tuple[Word, ...]

_TRIES = 20
"""The draws after which a program counts as having no mutants."""
_MOST_OPERATIONS = 256
"""The most operations of a program crossed of two: each generation of crossing may double them."""


class _Scope(NamedTuple):
    """The variables that an operation of a program may name, with their kinds and heads."""

    kinds: dict[Word, Kind]
    heads: dict[Word, Word]


class Mutator:
    """Makes programs of programs, from the words that a grammar's vocabulary allows at each place.

    Half of the draws use the grammar's weights, the other half equal chances.
    """

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.words = grammar.vocabulary

    def exchanged(self, program: Program, rng: Random) -> Program | None:
        """Exchange one argument, function or call of the program for another of its type.

        Returns None if `_TRIES` draws give no changed program.
        """
        return self._changed(program, rng, (self._argument, self._function, self._call))

    def varied(self, program: Program, rng: Random) -> Program | None:
        """Exchange an argument, function or call; put in, append or leave out a call.

        Constants may also be exchanged, each in all its places. Returns None as `exchanged` does.
        """
        changes = (
            self._argument, self._argument, self._function, self._call,
            self._put_in, self._put_in, self._left_out, self._put_at_end, self.substituted,
        )  # fmt: skip
        return self._changed(program, rng, changes)

    def crossed(self, program: Program, other: Program, rng: Random) -> Program | None:
        """Exchange an argument for a value of another program, or run the other after this one.

        Both changes are equally likely. In the second, the other program reads the returned value
        of this one, in the place of an input of the same kind. Returns None if `_TRIES` draws give
        no program of at most `_MOST_OPERATIONS` operations.
        """
        for _ in range(_TRIES):
            made = self._chained if rng.random() < 0.5 else self._grafted
            found = made(program, other, rng)
            if found is not None and len(found.operations) <= _MOST_OPERATIONS:
                return canonical(found)
        return None

    def substituted(self, program: Program, rng: Random) -> Program | None:
        """Exchange one to three of the program's constants, each in all its places.

        Returns None if the program has no constants, or if `_TRIES` draws change none of them.
        """
        constants = constants_of(program, self.words)
        if not constants:
            return None
        before = key_of(canonical(program))
        for _ in range(_TRIES):
            chosen = rng.sample(constants, min(rng.choice((1, 2, 2, 3)), len(constants)))
            names = {word: self._other_constant(word, rng) for word in chosen}
            found = canonical(_with_words(program, names))
            if key_of(found) != before:
                return found
        return None

    def _other_constant(self, word: Word, rng: Random) -> Word:
        """Draw a constant of the same kind, with equal chances among those that are not rare."""
        kind = self.words.kinds[word]
        alike = [w for w in self.words.constants if self.words.kinds[w] == kind and w != word]
        return rng.choice(self._not_rare(alike)) if alike else word

    def shorter(self, program: Program) -> list[Program]:
        """List the programs with one operation replaced by one of its arguments or an input."""
        kinds = self.words.typed(program)
        made: dict[str, Program] = {}
        for at, (target, _, *arguments) in enumerate(program.operations):
            for word in dict.fromkeys([*arguments, *self.words.inputs]):
                if may_be(self.words.kind_of(word, kinds), kinds[target]):
                    found = canonical(_without(program, at, word))
                    made[key_of(found)] = found
        return list(made.values())

    # Changes; each returns None if the draw allows no such change

    def _changed(
        self,
        program: Program,
        rng: Random,
        changes: Sequence[Callable[[Program, Random], Program | None]],
    ) -> Program | None:
        before = key_of(canonical(program))
        for _ in range(_TRIES):
            found = rng.choice(changes)(program, rng)
            if found is not None:
                found = canonical(found)
                if key_of(found) != before:
                    return found
        return None

    def _argument(self, program: Program, rng: Random) -> Program | None:
        """Put another word in the place of an argument."""
        chosen = self._drawn_operand(program, rng)
        if chosen is None:
            return None
        (at, place), old = chosen
        scope = self._scope(program, at)
        slot = (str(program.operations[at][1]), place)
        kind = self.words.kind_of(old, scope.kinds)
        word = self._word(slot, self._of_kind(slot, kind, scope), scope, rng, old)
        return None if word is None else self._with_word(program, at, place, word)

    def _function(self, program: Program, rng: Random) -> Program | None:
        """Put another primitive of a fitting signature in the place of a called primitive."""
        if not program.operations:
            return None
        at = rng.randrange(len(program.operations))
        target, function, *arguments = program.operations[at]
        if function not in self.words.primitives:
            return None
        kinds = self.words.typed(program)
        given = [self.words.kind_of(word, kinds) for word in arguments]
        fitting = [
            name
            for name in self.words.taking(given)
            if name != function and may_be(self.words.result_of(name, given, {}), kinds[target])
        ]
        if not fitting:
            return None
        name = self._one_of(fitting, fitting, self._slot_of_use(program, at), rng)
        return _with(program, at, (target, name, *arguments))

    def _call(self, program: Program, rng: Random, through: bool = False) -> Program | None:
        """Put a new call in the place of an argument. through: The call takes the argument."""
        chosen = self._drawn_operand(program, rng)
        if chosen is None:
            return None
        (at, place), old = chosen
        scope = self._scope(program, at)
        slot = (str(program.operations[at][1]), place)
        kind = self.words.kind_of(old, scope.kinds)
        made = self._new_call(slot, kind, scope, rng, through=old if through else None)
        return None if made is None else _put_before(program, at, place, made)

    def _put_in(self, program: Program, rng: Random) -> Program | None:
        """Put a new call on an argument in the place of the argument."""
        return self._call(program, rng, through=True)

    def _left_out(self, program: Program, rng: Random) -> Program | None:
        """Put an argument of a call in the place of the call."""
        if not program.operations:
            return None
        at = rng.randrange(len(program.operations))
        target, _, *arguments = program.operations[at]
        kinds = self.words.typed(program)
        fitting = [w for w in arguments if may_be(self.words.kind_of(w, kinds), kinds[target])]
        if not fitting:
            return None
        return _without(program, at, rng.choice(fitting))

    def _put_at_end(self, program: Program, rng: Random) -> Program | None:
        """Append a new call on the returned value."""
        scope = self._scope(program, len(program.operations))
        kind = self.words.kind_of(program.returns, scope.kinds)
        made = self._new_call(ROOT, kind, scope, rng, through=program.returns)
        if made is None:
            return None
        return Program(program.name, (*program.operations, ("_new", *made)), "_new")

    def _grafted(self, program: Program, other: Program, rng: Random) -> Program | None:
        """Exchange an argument for a value of the other program."""
        chosen = self._drawn_operand(program, rng)
        if chosen is None:
            return None
        (at, place), old = chosen
        kind = self.words.kind_of(old, self.words.typed(program))
        other = _renamed(other, {})
        kinds = self.words.typed(other)
        slot = (str(program.operations[at][1]), place)
        fitting = [w for w, k in kinds.items() if may_be(k, kind) and self._accepted(slot, k)]
        if not fitting or is_function(kind):
            return None
        changed = self._with_word(program, at, place, rng.choice(fitting))
        return changed._replace(operations=other.operations + changed.operations)

    def _chained(self, program: Program, other: Program, rng: Random) -> Program | None:
        """Let the other program read this program's result, in place of an input of its kind."""
        kind = self.words.kind_of(program.returns, self.words.typed(program))
        inputs = [name for name in self.words.inputs if self.words.kinds[name] == kind]
        if not inputs:
            return None
        after = _renamed(other, {rng.choice(inputs): program.returns})
        return after._replace(name=program.name, operations=program.operations + after.operations)

    # Drawing

    def _drawn_operand(self, program: Program, rng: Random) -> tuple[Operand, Word] | None:
        places = list(operands(program))
        return rng.choice(places) if places else None

    def _scope(self, program: Program, end: int) -> _Scope:
        """Return the variables of a program's operations before `end`."""
        before = program._replace(operations=program.operations[:end])
        kinds = self.words.typed(before)
        return _Scope(kinds, {op[0]: str(op[1]) for op in before.operations})

    def _of_kind(self, slot: tuple[str, int], kind: Kind, scope: _Scope) -> list[Word]:
        """List the words of a kind that a place takes; for functions, all of the same arity."""
        if is_function(kind):
            names: list[Word] = list(self.words.by_arity.get(len(kind[1]), ()))
            return names + [w for w, k in scope.kinds.items() if may_be(k, kind)]
        known = [*scope.kinds.items(), *self.words.kinds.items()]
        return [word for word, k in known if may_be(k, kind) and self._accepted(slot, k)]

    def _accepted(self, slot: tuple[str, int], kind: Kind) -> bool:
        primitive = self.words.primitives.get(slot[0])
        if primitive is None or slot[1] >= primitive.arity:
            return True
        return self.words.accepts(primitive.types[slot[1]].name, kind)

    def _new_call(
        self,
        slot: tuple[str, int],
        kind: Kind,
        scope: _Scope,
        rng: Random,
        through: Word | None = None,
    ) -> Operation | None:
        """Draw a call that gives a value of a kind. through: A word that the call must take."""
        names = list(self.words.primitives)
        for _ in range(_TRIES):
            name = str(self._one_of(names, names, slot, rng))
            made = self._filled(name, scope, rng, through)
            if made is None:
                continue
            given = [self.words.kind_of(word, scope.kinds) for word in made[1:]]
            if may_be(self.words.result_of(name, given, {}), kind):
                return made
        return None

    def _filled(
        self, name: str, scope: _Scope, rng: Random, through: Word | None
    ) -> Operation | None:
        """Draw arguments for a call of a primitive; None if a parameter takes no word."""
        primitive = self.words.primitives[name]
        given: dict[int, Word] = {}
        if through is not None:
            kind = self.words.kind_of(through, scope.kinds)
            places = [
                place
                for place, declared in enumerate(primitive.types)
                if self.words.accepts(declared.name, kind)
            ]
            if not places:
                return None
            given[rng.choice(places)] = through
        arguments: list[Word] = []
        for place, declared in enumerate(primitive.types):
            word: Word | None = given.get(place)
            if word is None:
                slot = (name, place)
                word = self._word(slot, self._acceptable(declared.name, scope), scope, rng)
            if word is None:
                return None
            arguments.append(word)
        return (name, *arguments)

    def _acceptable(self, declared: str, scope: _Scope) -> list[Word]:
        """List the words that a parameter of a declared type takes; if none, all primitives."""
        found = [word for word, kind in scope.kinds.items() if self.words.accepts(declared, kind)]
        return found + self.words.taken(declared) or list(self.words.primitives)

    def _word(
        self,
        slot: tuple[str, int],
        words: list[Word],
        scope: _Scope,
        rng: Random,
        old: Word | None = None,
    ) -> Word | None:
        """Draw one of some words for a place, but not `old`; None if there is no other word."""
        others = [word for word in words if word != old]
        if not others:
            return None
        heads = [scope.heads.get(word) or self.grammar.head_of(word) for word in others]
        return self._one_of(others, heads, slot, rng)

    def _one_of(
        self, words: Sequence[Word], heads: Sequence[Word], slot: tuple[str, int], rng: Random
    ) -> Word:
        if rng.random() < 0.5:
            return rng.choice(self._not_rare(words))
        return rng.choices(words, self.grammar.weights(slot, heads))[0]

    def _not_rare(self, words: Sequence[Word]) -> Sequence[Word]:
        """Return the words that are not rare in the grammar; all words if all are rare."""
        rare = self.grammar.rare
        return [word for word in words if word not in rare] or words if rare else words

    def _slot_of_use(self, program: Program, at: int) -> tuple[str, int]:
        """Return the first place that uses an operation's value."""
        target = program.operations[at][0]
        for _, function, *arguments in program.operations[at + 1 :]:
            if target in arguments:
                return str(function), arguments.index(target)
        return ROOT

    def _with_word(self, program: Program, at: int, place: int, word: Word) -> Program:
        operation = list(program.operations[at])
        operation[2 + place] = word
        return _with(program, at, tuple(operation))


def constants_of(program: Program, words: Vocabulary) -> list[Word]:
    """List the constants that a program names, in the order of first use."""
    named = [word for _, word in operands(program) if word in words.constants]
    return list(dict.fromkeys(named))


def conjugated(
    program: Program, before: Word, after: Word, name: Word, beside: tuple[Word, ...] = ()
) -> Program:
    """Call `before` on the input `name`, run the program, and call `after` on the program's result.

    beside: The further arguments of both calls.
    """
    inner = _renamed(program, {name: "_before"})
    operations = (
        ("_before", before, name, *beside), *inner.operations,
        ("_after", after, inner.returns, *beside),
    )  # fmt: skip
    return canonical(Program(program.name, operations, "_after"))


def _without(program: Program, at: int, word: Word) -> Program:
    """Leave out an operation, with a word in the place of its variable."""
    target = program.operations[at][0]
    renamed = [
        (operation[0], *[word if w == target else w for w in operation[1:]])
        for operation in program.operations[at + 1 :]
    ]
    returns = word if program.returns == target else program.returns
    return Program(program.name, (*program.operations[:at], *renamed), returns)


def _with_words(program: Program, names: dict[Word, Word]) -> Program:
    """Exchange words that are no variables. names: The new words, by the old words."""
    operations = [
        (target, *[names.get(word, word) for word in words])
        for target, *words in program.operations
    ]
    return program._replace(operations=tuple(operations))


def _with(program: Program, at: int, operation: Operation) -> Program:
    operations = (*program.operations[:at], operation, *program.operations[at + 1 :])
    return program._replace(operations=operations)


def _put_before(program: Program, at: int, place: int, call: Operation) -> Program:
    """Put a call before an operation, as one of the operation's arguments."""
    operation = list(program.operations[at])
    operation[2 + place] = "_new"
    operations = program.operations
    return program._replace(
        operations=(*operations[:at], ("_new", *call), tuple(operation), *operations[at + 1 :])
    )


def _renamed(program: Program, inputs: dict[Word, Word]) -> Program:
    """Rename the program's variables, and some of its inputs."""
    names = dict(inputs)
    operations = []
    for k, (target, *words) in enumerate(program.operations):
        renamed = [names.get(word, word) for word in words]
        names[target] = f"_other{k}"
        operations.append((names[target], *renamed))
    return Program(program.name, tuple(operations), names.get(program.returns, program.returns))
