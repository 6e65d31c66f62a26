"""Strategies that try programs on all tasks, a block of them at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random

from megabatt.runtime.program import Program, key_of
from megabatt.runtime.search.found import Outcome
from megabatt.runtime.search.inverses import inverses_of
from megabatt.runtime.search.mutation import Mutator, conjugated, constants_of
from megabatt.runtime.search.state import State
from megabatt.runtime.search.strategies.unit import Unit
from megabatt.runtime.search.typed import canonical
from megabatt.runtime.search.workroom import Workroom, timed

_BLOCK = 1000
"""The programs of a unit that are tried on all tasks."""
_PARENTS = 10
"""The parents of a unit's programs: operations that the programs share are computed once."""
_MANY_PARENTS = 25
"""The same if each parent has few variants."""


@dataclass(frozen=True)
class Block:
    """Programs that are tried on all tasks.

    make: (room, block) -> programs and their origins; a module's function, so that units can be
    pickled. parents: The programs to make them of. key: The seed of all draws.
    """

    make: Callable[[Workroom, Block], tuple[list[Program], list[str]]]
    parents: tuple[Program, ...]
    programs: int
    key: str

    def run(self, room: Workroom) -> Outcome:
        made = Outcome()
        with timed(made, "programs made"):
            programs, origins = self.make(room, self)
        outcome = room.try_on_all(programs, origins)
        outcome.seconds.update(made.seconds)
        return outcome


class Seeds:
    """The known programs, once."""

    name = "seeds"

    def units(self, state: State) -> list[Unit]:
        if state.round:
            return []
        return [
            _block_of_seeds(state.seeds[at : at + _BLOCK])
            for at in range(0, len(state.seeds), _BLOCK)
        ]


def _block_of_seeds(seeds: Sequence[Program]) -> Block:
    return Block(_as_they_are, tuple(seeds), len(seeds), "")


class Mutation:
    """One change to a known program: the baseline of the CodeIt paper.

    The seeds come in turn, each with the same number of mutants. finds: Whether to change found
    programs too, in every other block, once all seeds have had a turn.
    """

    name = "mutation"

    def __init__(self, blocks: int = 4, finds: bool = True) -> None:
        self._blocks = blocks
        self._finds = finds

    def units(self, state: State) -> list[Unit]:
        first = state.round * self._blocks
        return _with_parents(self._block(state, first + k) for k in range(self._blocks))

    def _block(self, state: State, number: int) -> Block:
        key = f"{state.key}:mutation:{number}"
        parents = _in_turn(state.seeds, number * _PARENTS, _PARENTS, Random(f"{state.key}"))
        after = number * _PARENTS >= len(state.seeds)
        found = state.found_programs() if self._finds and after and number % 2 else []
        if found:
            parents = Random(key).sample(found, min(_PARENTS, len(found)))
        return Block(_exchanged, tuple(parents), _BLOCK, key)


class Crossing:
    """One program made of two known ones: a value of one in the other, or one after the other."""

    name = "crossing"

    def __init__(self, blocks: int = 2) -> None:
        self._blocks = blocks

    def units(self, state: State) -> list[Unit]:
        first = state.round * self._blocks
        return _with_parents(self._block(state, first + k) for k in range(self._blocks))

    def _block(self, state: State, number: int) -> Block:
        key = f"{state.key}:crossing:{number}"
        known = [*state.seeds, *state.found_programs()]
        parents = Random(key).sample(known, min(_PARENTS, len(known)))
        return Block(_crossed, tuple(parents), _BLOCK, key)


class Substitution:
    """Constants of a known program exchanged, each in all its places.

    All known programs that name constants come in turn.
    """

    name = "substitution"

    def units(self, state: State) -> list[Unit]:
        words = state.grammar.vocabulary
        programs = [*state.seeds, *state.found_programs()]
        known = [program for program in programs if constants_of(program, words)]
        if not known:
            return []
        key = f"{state.key}:substitution:{state.round}"
        first = state.round * _MANY_PARENTS
        parents = _in_turn(known, first, _MANY_PARENTS, Random(f"{state.key}"))
        return [Block(_substituted, tuple(parents), _BLOCK, key)]


class Conjugation:
    """Known programs between a function and its inverse, on all tasks.

    For example, a program is tried on turned grids. Each program has one turn.
    """

    name = "conjugation"

    def __init__(self, parents: int = 100) -> None:
        """Make the strategy. parents: The known programs of a round."""
        self._parents = parents

    def units(self, state: State) -> list[Unit]:
        done: set[str] = state.memory.setdefault(self.name, set())
        known = [p for p in [*state.seeds, *state.found_programs()] if key_of(p) not in done]
        parents = known[: self._parents]
        done.update(map(key_of, parents))
        if not parents:
            return []
        return [Block(_between, tuple(parents), _BLOCK, f"{state.key}:conjugation:{state.round}")]


def _with_parents(blocks: Iterable[Block]) -> list[Unit]:
    """Return the blocks that have parents: a search may begin without seeds."""
    return [block for block in blocks if block.parents]


def _in_turn(programs: Sequence[Program], first: int, count: int, rng: Random) -> list[Program]:
    """Pick programs from place `first` on, in a drawn order that begins again at its end."""
    order = rng.sample(range(len(programs)), len(programs))
    return [programs[order[(first + k) % len(order)]] for k in range(min(count, len(order)))]


def _as_they_are(room: Workroom, block: Block) -> tuple[list[Program], list[str]]:
    seeds = block.parents[: block.programs]
    return [canonical(seed) for seed in seeds], [f"seed {seed.name}" for seed in seeds]


def _exchanged(room: Workroom, block: Block) -> tuple[list[Program], list[str]]:
    return _changed(block, Mutator(room.grammar).exchanged, "mutation of")


def _crossed(room: Workroom, block: Block) -> tuple[list[Program], list[str]]:
    mutator = Mutator(room.grammar)

    def one(parent: Program, rng: Random) -> tuple[Program | None, str]:
        other = rng.choice(room.seeds or block.parents)
        crossed = mutator.crossed(parent, other, rng)
        return crossed, f"crossing of {parent.name} and {other.name}"

    return _drawn(block, one)


def _substituted(room: Workroom, block: Block) -> tuple[list[Program], list[str]]:
    return _changed(block, Mutator(room.grammar).substituted, "substitution in")


def _between(room: Workroom, block: Block) -> tuple[list[Program], list[str]]:
    made = [
        (conjugated(parent, before, after, name), f"{parent.name} between {before} and {after}")
        for parent in block.parents
        for name, before, after in inverses_of(room)
        if any(name in operation for operation in parent.operations)
    ][: block.programs]
    return [program for program, _ in made], [origin for _, origin in made]


def _changed(
    block: Block, change: Callable[[Program, Random], Program | None], origin: str
) -> tuple[list[Program], list[str]]:
    """Make the programs of a block, each by one change to a parent."""
    return _drawn(block, lambda parent, rng: (change(parent, rng), f"{origin} {parent.name}"))


_REDRAWN = 4
"""The most draws of a program, if earlier draws repeat programs of its block."""


def _drawn(
    block: Block, one: Callable[[Program, Random], tuple[Program | None, str]]
) -> tuple[list[Program], list[str]]:
    """Draw the programs of a block, parent by parent, and their origins."""
    made: dict[str, tuple[Program, str]] = {}
    for k in range(block.programs):
        parent = block.parents[k * len(block.parents) // block.programs]
        for draw in range(_REDRAWN):
            program, origin = one(parent, Random(f"{block.key}:{k}:{draw}"))
            if program is not None and (key := key_of(program)) not in made:
                made[key] = program, origin
                break
    return [program for program, _ in made.values()], [origin for _, origin in made.values()]
