"""Finds functions that undo other functions, by trying."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from megabatt.runtime.program import Program
from megabatt.runtime.search.workroom import Workroom

_PROBLEMS = 50
"""The most problems on whose first demonstrations functions are tried."""


@lru_cache(maxsize=1)
def inverses_of(room: Workroom) -> list[tuple[str, str, str]]:
    """Find triples (input, first, second): the second primitive undoes the first on the input.

    Both primitives take one argument of the input's kind, and give a value of that kind. The second
    restores the input on all samples tried; the first changes the input on some of them. The
    triples are cached for the room.
    """
    samples = [problem.samples[0] for problem in room.problems.values()][:_PROBLEMS]
    return [
        pair for name in room.grammar.vocabulary.inputs for pair in _of_input(room, name, samples)
    ]


def _of_input(room: Workroom, name: str, samples: list[Any]) -> list[tuple[str, str, str]]:
    words = room.grammar.vocabulary
    kind = words.kinds[name]
    functions = [
        function
        for function in words.by_arity.get(1, ())
        if words.accepts(words.primitives[function].types[0].name, kind)
        and words.result_of(function, [kind], {}) == kind
    ]
    pairs = [(first, second) for first in functions for second in functions]
    programs = [
        Program(first, (("x", first, name), ("y", second, "x")), "y") for first, second in pairs
    ]
    alone = [Program(first, (("y", first, name),), "y") for first in functions]
    place = room.workload.language.inputs.index(name)
    given = [room.workload.inputs_of(sample)[place] for sample in samples]
    found = room.evaluator(samples).evaluate([*programs, *alone], outputs="all")
    same = room.workload.language.same

    def gives_back(program: int) -> bool:
        return not found.failed[program].any() and all(
            same(found.output(program, k), value) for k, value in enumerate(given)
        )

    changing = {first for k, first in enumerate(functions, len(programs)) if not gives_back(k)}
    return [
        (name, first, second)
        for k, (first, second) in enumerate(pairs)
        if first in changing and gives_back(k)
    ]
