"""Shrinks a difference between the forms: to few operations, one sample, small inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from megabatt.runtime.engine.language.limits import SHORTAGES
from megabatt.runtime.megabatch.data import Sample
from megabatt.runtime.megabatch.verify.compare import Case, find
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.merging import canonical
from megabatt.runtime.program import Lambda, Operation, Program, Word
from megabatt.runtime.vocabulary import mistakes

_ATTEMPTS = 600


class _Shrinker:
    """The smallest case so far, and the number of attempts left."""

    def __init__(self, workload: Workload[Any], case: Case) -> None:
        self.workload = workload
        assert workload.draws is not None
        self.draws = workload.draws
        self.program, self.samples, self.finding = case.program, case.samples, case.finding
        self.max_elements = case.max_elements
        self.left = _ATTEMPTS

    def attempt(self, program: Program, samples: list[Sample]) -> bool:
        """Tell whether the forms differ in this case too; if so, keep it as the smallest case."""
        if self.left <= 0 or not samples or mistakes(program, self.draws.language):
            return False
        self.left -= 1
        try:
            finding = find(self.workload, program, samples, self.max_elements)
        except SHORTAGES:
            return False  # not compared, for lack of memory
        if finding is None:
            return False
        self.program, self.samples = cone(program, finding.number), samples
        self.finding = replace(finding, number=len(self.program.operations))
        return True

    def fewer_samples(self) -> None:
        """Keep a single sample with a difference; without any, leave out samples one by one."""
        for sample in [self.samples[self.finding.lane], *self.samples]:
            if len(self.samples) == 1 or self.attempt(self.program, [sample]):
                return
        at = 0
        while at < len(self.samples):
            if not self.attempt(self.program, self.samples[:at] + self.samples[at + 1 :]):
                at += 1

    def until_none(self, smaller: str) -> bool:
        """Take the first smaller case that differs, repeatedly. Returns whether one was found."""
        any_taken = False
        while self.left > 0:
            candidates = getattr(self, smaller)()
            if not any(self.attempt(program, samples) for program, samples in candidates):
                break
            any_taken = True
        return any_taken

    def programs(self) -> Iterator[tuple[Program, list[Sample]]]:
        """Yield the program with an operation or an argument replaced by a simpler word."""
        operations = self.program.operations
        for at in reversed(range(len(operations))):
            for other in self._stand_ins(at):
                yield _replaced(self.program, at, other), self.samples
        for at, operation in enumerate(operations):
            for place in range(1, len(operation)):
                for other in self._simpler(operation[place], place):
                    changed = (*operation[:place], other, *operation[place + 1 :])
                    rows = (*operations[:at], changed, *operations[at + 1 :])
                    yield cone(self.program._replace(operations=rows), len(rows)), self.samples

    def _simpler(self, word: Word, place: int) -> Iterator[Word]:
        """Yield words that are simpler than `word`, which is at a place of an operation."""
        if place > 1:
            rank = self._rank(word)
            yield from [name for name in self.draws.stand_ins if self._rank(name) < rank]
        if isinstance(word, Lambda):
            yield from self._smaller(word)

    def _smaller(self, function: Lambda) -> Iterator[Lambda]:
        """Yield variants of a function of the program's own, each with a simpler operation."""
        for at, (target, *words) in enumerate(function.operations):
            for other in dict.fromkeys([*words[1:], *self.draws.stand_ins]):
                yield canonical(_with(function, at, {target: other}, ()))
            for place, word in enumerate(words):
                for simpler in self._smaller(word) if isinstance(word, Lambda) else ():
                    changed = (target, *words[:place], simpler, *words[place + 1 :])
                    yield canonical(_with(function, at, {}, (changed,)))

    def _stand_ins(self, at: int) -> list[Word]:
        """List simpler words to try in place of an operation's value."""
        if at == len(self.program.operations) - 1:
            return []
        _, _, *arguments = self.program.operations[at]
        return list(dict.fromkeys([*arguments, *self.draws.stand_ins]))

    def inputs(self) -> Iterator[tuple[Program, list[Sample]]]:
        """Yield the samples with one sample made a little smaller."""
        for at, sample in enumerate(self.samples):
            for smaller in self.draws.smaller(sample):
                yield self.program, [*self.samples[:at], smaller, *self.samples[at + 1 :]]

    def _rank(self, name: Word) -> int:
        """Rank an argument by a number, which is smaller for a simpler argument."""
        if name in self.draws.stand_ins:
            return self.draws.stand_ins.index(name)
        language = self.draws.language
        if isinstance(name, Lambda):
            return 75
        return 50 if name in language.constants or name in language.primitives else 100


def shrunk(workload: Workload[Any], case: Case) -> Case:
    """Find a smaller program and samples on which the forms still differ, and the difference."""
    shrinker = _Shrinker(workload, case)
    shrinker.attempt(cone(case.program, case.finding.number), case.samples)
    shrinker.fewer_samples()
    while shrinker.until_none("programs") | shrinker.until_none("inputs"):
        pass
    return Case(shrinker.program, shrinker.samples, case.max_elements, shrinker.finding)


def needed_by(program: Program, number: int) -> list[int]:
    """List operation `number` (from 1) and the operations that it needs, ascending."""
    needed = {program.operations[number - 1][0]}
    kept: list[int] = []
    for at in range(number, 0, -1):
        target, *words = program.operations[at - 1]
        if target in needed:
            needed.update(words)
            kept.insert(0, at)
    return kept


def cone(program: Program, number: int) -> Program:
    """Keep operation `number` and the operations that it needs; rename them from x1 on."""
    kept = [program.operations[at - 1] for at in needed_by(program, number)]
    names: dict[Word, Word] = {target: f"x{k}" for k, (target, *_) in enumerate(kept, 1)}
    renamed = tuple(tuple(names.get(word, word) for word in operation) for operation in kept)
    return Program(program.name, renamed, renamed[-1][0])


def _with(
    function: Lambda, at: int, names: dict[Word, Word], rows: tuple[Operation, ...]
) -> Lambda:
    """Return a function with operation `at` replaced by other rows, and words renamed."""
    others = (*function.operations[:at], *rows, *function.operations[at + 1 :])
    renamed = tuple(tuple(names.get(word, word) for word in row) for row in others)
    return function._replace(
        operations=renamed, returns=names.get(function.returns, function.returns)
    )


def _replaced(program: Program, at: int, name: Word) -> Program:
    """Return the program without operation `at`; `name` replaces the operation's target."""
    gone = program.operations[at][0]
    others = program.operations[:at] + program.operations[at + 1 :]
    changed = tuple(
        tuple(name if word == gone else word for word in operation) for operation in others
    )
    program = program._replace(operations=changed)
    return cone(program, len(changed)) if changed else program
