"""Which programs are likely: a weighted grammar, counted over programs that are known.

A program is read as a tree. In every place stands a head: the primitive that is called there, or
the input, constant, integer or function (`&size`) that is named. The probability of a head depends
on the place alone, that is on the primitive that takes it and on which of its arguments it is.
Where little was counted, what stands at places of the same declared type counts, and at last every
head that there is. A cost is -log2 of a probability, in bits.

Costs add up: a program's is that of its last head (`root`), and of all edges below (`edge`), so a
search from below has the cost of a new operation from those of its arguments:

    cost(f(a, b)) = cost(a) + cost(b) + step(f, [head(a), head(b)])
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from math import log2

from megabatt.runtime.megabatch.verify.kinds import Draws
from megabatt.runtime.program import Program, Word
from megabatt.runtime.search.typed import Vocabulary, without_dead

ROOT = ("", 0)
"""The place of what a program returns."""
INTEGER = 0
"""The head of any Integer that is written out."""
CALLED = "()"
"""The head of a call of a function that a program has built, and the parent of its arguments."""

Slot = tuple[str, int]
"""A place: the primitive that takes what stands there, and which argument it is, from 0."""

Counts = dict[Slot, "Counter[Word]"]
"""How often each head was counted at each place."""

_OF_TYPE = 4.0
"""How many counts what is known of a type is worth at a place."""
_OF_ANY = 2.0
"""How many counts it is worth, at all places of a type, that a head may stand there."""

RARE = 4.0
"""The bits that a rare constant costs more."""


class Grammar:
    """A weighted grammar of a language."""

    rare: frozenset[Word] = frozenset()
    """Constants that are less likely than their counts say."""

    def __init__(self, draws: Draws, counts: Counts | None = None) -> None:
        self.vocabulary = Vocabulary(draws)
        self.counts: Counts = defaultdict(Counter)
        for slot, heads in (counts or {}).items():
            self.counts[slot].update(heads)
        self._settle()

    @classmethod
    def counted(cls, programs: Iterable[Program], draws: Draws) -> Grammar:
        """The grammar of some programs, each of which counts once."""
        return cls(draws).refined((program, 1.0) for program in programs)

    def refined(self, programs: Iterable[tuple[Program, float]]) -> Grammar:
        """This grammar with more programs counted, each with its weight."""
        counts: Counts = defaultdict(Counter)
        for slot, heads in self.counts.items():
            counts[slot].update(heads)
        for program, weight in programs:
            for slot, head in self.edges(program):
                counts[slot][head] += weight  # type: ignore[assignment]
        return Grammar(self.vocabulary.draws, counts)

    def with_rare(self, rare: Collection[Word]) -> Grammar:
        """This grammar with some constants made `rare`."""
        made = copy(self)
        made.rare = frozenset(rare)
        made._bits = {}
        return made

    # Costs

    def cost(self, program: Program) -> float:
        """The bits of a program; an operation counts once, whatever uses it."""
        return sum(self.edge(slot, head) for slot, head in self.edges(program))

    def step(self, function: str, heads: Sequence[Word]) -> float:
        """The bits that an operation adds to those of its arguments, given their heads."""
        return sum(self.edge((function, place), head) for place, head in enumerate(heads))

    def root(self, head: Word) -> float:
        """The bits of a program's last head."""
        return self.edge(ROOT, head)

    def edge(self, slot: Slot, head: Word) -> float:
        """The bits of a head at a place."""
        known = self._bits.get((slot, head))
        if known is None:
            known = self._bits[slot, head] = self._edge(slot, head)
        return known

    def _edge(self, slot: Slot, head: Word) -> float:
        counts = self.counts.get(slot)
        seen, total = (0.0, 0.0) if counts is None else (counts[head], self._totals[slot])
        bits = -log2((seen + _OF_TYPE * self._at_type(slot, head)) / (total + _OF_TYPE))
        return bits + RARE if head in self.rare else bits

    def weights(self, slot: Slot, heads: Sequence[Word]) -> list[float]:
        """The probabilities of heads at a place.

        They sum to 1 over all that there are, unless some are rare.
        """
        return [2.0 ** -self.edge(slot, head) for head in heads]

    # Programs

    def edges(self, program: Program) -> Iterator[tuple[Slot, Word]]:
        """The heads of a program and where they stand, those of what it needs alone."""
        program = without_dead(program)
        heads: dict[Word, Word] = {}
        for target, function, *arguments in program.operations:
            parent = CALLED if function in heads else str(function)
            if parent == CALLED:
                arguments = [function, *arguments]
            for place, word in enumerate(arguments):
                yield (parent, place), self._head(word, heads)
            heads[target] = parent
        yield ROOT, self._head(program.returns, heads)

    def _head(self, word: Word, calls: dict[Word, Word]) -> Word:
        """The head of an argument. calls: the heads of the variables."""
        return calls[word] if word in calls else self.head_of(word)

    def head_of(self, word: Word) -> Word:
        """The head of a word that is no variable; that of a call is its primitive's name."""
        if isinstance(word, int):
            return INTEGER
        return f"&{word}" if word in self.vocabulary.primitives else word

    # Probabilities by type

    def _settle(self) -> None:
        """Sum up what was counted by place and by type."""
        self._totals = {slot: float(sum(heads.values())) for slot, heads in self.counts.items()}
        self._of_type: dict[str, Counter[Word]] = defaultdict(Counter)
        for slot, heads in self.counts.items():
            self._of_type[self._type(slot)].update(heads)
        self._type_totals = {name: sum(heads.values()) for name, heads in self._of_type.items()}
        self._bits: dict[tuple[Slot, Word], float] = {}

    def _type(self, slot: Slot) -> str:
        """The declared type of a place; "" for what a program returns and for computed calls."""
        primitive = self.vocabulary.primitives.get(slot[0])
        if primitive is None or slot[1] >= primitive.arity:
            return ""
        return primitive.types[slot[1]].name

    def _at_type(self, slot: Slot, head: Word) -> float:
        """The probability of a head at places of a declared type."""
        name = self._type(slot)
        seen = self._of_type[name][head] if name in self._of_type else 0
        uniform = 1.0 / self._number_of_choices()
        return (seen + _OF_ANY * uniform) / (self._type_totals.get(name, 0) + _OF_ANY)

    def _number_of_choices(self) -> int:
        """How many heads there are."""
        words = self.vocabulary
        named = len(words.primitives) + len(words.constants) + len(words.inputs)
        return named + len(words.primitives) + 2
