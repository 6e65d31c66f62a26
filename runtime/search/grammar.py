"""The likelihood of programs: a weighted grammar, counted over known programs.

A program is read as a tree. Every place has a head: the primitive that is called there, or the
input, constant, integer or function (`&size`) that is named. The probability of a head depends on
its place alone: on the primitive that takes the head, and on the number of the argument.
If a place has few counts, the counts at all places of the same declared type decide; if these are
few too, all heads are equally likely. A share of the probability is spread evenly over the heads
that a place takes. So no edge costs much more than an equal choice among these heads, and every
short program comes before long ones, however rare its parts. A cost is -log2 of a probability, in
bits.

Costs add up: a program costs the sum of its last head (`root`) and all edges below it (`edge`). So
a search from the bottom up has the cost of a new operation from the costs of its arguments:

    cost(f(a, b)) = cost(a) + cost(b) + step(f, [head(a), head(b)])
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from math import log2

from megabatt.runtime.megabatch.verify.kinds import Draws
from megabatt.runtime.merging import without_dead
from megabatt.runtime.program import Lambda, Program, Word
from megabatt.runtime.search.typed import Vocabulary

ROOT = ("", 0)
"""The place of the word that a program returns."""
INTEGER = 0
"""The head of any Integer that is written out."""
OWN = "lambda"
"""The head of any function of a program's own."""
CALLED = "()"
"""The head of a call of a function that a program has built, and the parent of its arguments."""

Slot = tuple[str, int]
"""A place: a primitive, and the number of one of its arguments, from 0."""

Counts = dict[Slot, "Counter[Word]"]
"""The count of each head at each place."""

Parts = tuple[Counts, str, tuple[str, ...], frozenset[Word]]
"""A grammar's counts, the name and the primitives of its vocabulary, and its rare constants."""

_OF_TYPE = 4.0
"""The weight of a type's probabilities at a place, as a number of counts at the place."""
_OF_ANY = 2.0
"""The weight of equal chances for all heads in a type, as a number of counts at its places."""

_ANY_THAT_IS_TAKEN = 1 / 32
"""The share of the probability that is spread evenly over all heads that a place takes."""

RARE = 4.0
"""The extra bits that a rare constant costs."""


class Grammar:
    """A weighted grammar of a language.

    rare: constants that are less likely than their counts say.
    """

    def __init__(self, vocabulary: Vocabulary, counts: Counts, rare: Collection[Word] = ()) -> None:
        self.vocabulary = vocabulary
        self.counts = counts
        self.rare = frozenset(rare)
        self._totals = {slot: float(sum(heads.values())) for slot, heads in counts.items()}
        self._of_type: dict[str, Counter[Word]] = defaultdict(Counter)
        for slot, heads in counts.items():
            self._of_type[self._type(slot)].update(heads)
        self._type_totals = {name: sum(heads.values()) for name, heads in self._of_type.items()}
        self._bits: dict[tuple[Slot, Word], float] = {}
        self._weights: dict[Slot, dict[Word, float]] = defaultdict(dict)
        self._taken: dict[str, frozenset[Word]] = {}

    @classmethod
    def counted(cls, programs: Iterable[Program], draws: Draws) -> Grammar:
        """Make the grammar of some programs, each of which counts once."""
        return cls(Vocabulary(draws), {}).refined((program, 1.0) for program in programs)

    def refined(self, programs: Iterable[tuple[Program, float]]) -> Grammar:
        """Return this grammar with more programs counted, each with its weight."""
        counts: Counts = defaultdict(Counter)
        for slot, heads in self.counts.items():
            counts[slot].update(heads)
        for program, weight in programs:
            for slot, head in self.edges(program):
                counts[slot][head] += weight  # type: ignore[assignment]
        return Grammar(self.vocabulary, counts, self.rare)

    def with_rare(self, rare: Collection[Word]) -> Grammar:
        """Return this grammar with some constants made `rare`."""
        return Grammar(self.vocabulary, self.counts, rare)

    @property
    def parts(self) -> Parts:
        """The arguments with which `grammar_of` makes an equal grammar, for pickles."""
        words = self.vocabulary
        return dict(self.counts), words.name, tuple(words.primitives), self.rare

    # Costs

    def cost(self, program: Program) -> float:
        """Return the bits of a program. An operation counts once, however often it is used."""
        return sum(self.edge(slot, head) for slot, head in self.edges(program))

    def step(self, function: str, heads: Sequence[Word]) -> float:
        """Return the bits that an operation adds to its arguments' bits. heads: The arguments'."""
        return sum(self.edge((function, place), head) for place, head in enumerate(heads))

    def root(self, head: Word) -> float:
        """Return the bits of a program's last head."""
        return self.edge(ROOT, head)

    def edge(self, slot: Slot, head: Word) -> float:
        """Return the bits of a head at a place."""
        known = self._bits.get((slot, head))
        if known is None:
            known = self._bits[slot, head] = self._edge(slot, head)
        return known

    def _edge(self, slot: Slot, head: Word) -> float:
        counts = self.counts.get(slot)
        seen, total = (0.0, 0.0) if counts is None else (counts[head], self._totals[slot])
        counted = (seen + _OF_TYPE * self._at_type(slot, head)) / (total + _OF_TYPE)
        taken = self._heads_taken(self._type(slot))
        any_taken = 1 / len(taken) if head in taken else 0.0
        bits = -log2((1 - _ANY_THAT_IS_TAKEN) * counted + _ANY_THAT_IS_TAKEN * any_taken)
        return bits + RARE if head in self.rare else bits

    def weights(self, slot: Slot, heads: Sequence[Word]) -> list[float]:
        """Return the probabilities of heads at a place.

        The probabilities of all heads sum to 1, unless some heads are rare.
        """
        known = self._weights[slot]
        for head in heads:
            if head not in known:
                known[head] = 2.0 ** -self.edge(slot, head)
        return [known[head] for head in heads]

    # Programs

    def edges(self, program: Program) -> Iterator[tuple[Slot, Word]]:
        """Yield the places and heads of a program, without dead operations."""
        program = without_dead(program)
        heads: dict[Word, Word] = {}
        for target, function, *arguments in program.operations:
            own = function in heads or isinstance(function, Lambda)
            parent = CALLED if own else str(function)
            if parent == CALLED:
                arguments = [function, *arguments]
            for place, word in enumerate(arguments):
                yield (parent, place), self._head(word, heads)
            heads[target] = parent
        yield ROOT, self._head(program.returns, heads)

    def _head(self, word: Word, calls: dict[Word, Word]) -> Word:
        """Return the head of an argument. calls: the heads of the variables."""
        return calls[word] if word in calls else self.head_of(word)

    def head_of(self, word: Word) -> Word:
        """Return the head of a word that is no variable. A call's head is its primitive's name."""
        if isinstance(word, int):
            return INTEGER
        if isinstance(word, Lambda):
            return OWN
        return f"&{word}" if word in self.vocabulary.primitives else word

    # Probabilities by type

    def _type(self, slot: Slot) -> str:
        """Return a place's declared type; "" for the returned word and for computed calls."""
        primitive = self.vocabulary.primitives.get(slot[0])
        if primitive is None or slot[1] >= primitive.arity:
            return ""
        return primitive.types[slot[1]].name

    def _at_type(self, slot: Slot, head: Word) -> float:
        """Return the probability of a head at places of a declared type."""
        name = self._type(slot)
        seen = self._of_type[name][head] if name in self._of_type else 0
        uniform = 1.0 / self._number_of_choices()
        return (seen + _OF_ANY * uniform) / (self._type_totals.get(name, 0) + _OF_ANY)

    def _heads_taken(self, declared: str) -> frozenset[Word]:
        """Return the heads that places of a declared type take, as far as is known; all for "".

        Calls of functions that a program has built are not among them.
        """
        known = self._taken.get(declared)
        if known is None:
            words = self.vocabulary
            named = [*words.inputs, *words.constants, *words.primitives]
            kinds = {self.head_of(word): words.kind_of(word, {}) for word in named}
            kinds[INTEGER] = "int"
            for name, primitive in words.primitives.items():
                kinds[name] = words.function_kind(primitive)[2]
            heads = (
                h for h, kind in kinds.items() if not declared or words.accepts(declared, kind)
            )
            known = self._taken[declared] = frozenset(heads) or frozenset(kinds)
        return known

    def _number_of_choices(self) -> int:
        """Count all heads."""
        words = self.vocabulary
        named = len(words.primitives) + len(words.constants) + len(words.inputs)
        return named + len(words.primitives) + 2
