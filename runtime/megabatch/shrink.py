"""A difference between the forms made small: few operations, one sample, a small grid."""

from __future__ import annotations

from collections.abc import Iterator

from runtime.arc import LANGUAGE
from runtime.megabatch.compare import Finding, Operation, Program, find
from runtime.megabatch.samples import Sample

_ATTEMPTS = 600
_STAND_INS = ("I", "ZERO", "T", "ORIGIN", "UNITY", "identity")

Case = tuple[Program, list[Sample], Finding]


class _Shrinker:
    """The smallest case so far, and how many more may be tried."""

    def __init__(self, case: Case, max_elements: int) -> None:
        self.program, self.samples, self.finding = case
        self.max_elements = max_elements
        self.left = _ATTEMPTS

    def attempt(self, program: Program, samples: list[Sample]) -> bool:
        """Whether this one differs too; it is then the smallest so far."""
        if self.left <= 0 or not program or not samples:
            return False
        self.left -= 1
        finding = find(program, samples, self.max_elements)
        if finding is None:
            return False
        self.program, self.samples, self.finding = cone(program, finding.number), samples, finding
        self.finding.number = len(self.program)
        return True

    def fewer_samples(self) -> None:
        """One sample if one is enough, else none that could be left out."""
        for sample in [self.samples[self.finding.lane], *self.samples]:
            if len(self.samples) == 1 or self.attempt(self.program, [sample]):
                return
        at = 0
        while at < len(self.samples):
            if not self.attempt(self.program, self.samples[:at] + self.samples[at + 1 :]):
                at += 1

    def until_none(self, smaller: str) -> bool:
        """Take the first smaller case that differs, again and again. Whether there was any."""
        any_taken = False
        while self.left > 0:
            candidates = getattr(self, smaller)()
            if not any(self.attempt(program, samples) for program, samples in candidates):
                break
            any_taken = True
        return any_taken

    def programs(self) -> Iterator[tuple[Program, list[Sample]]]:
        """The program with an operation replaced by something simpler."""
        for at in reversed(range(len(self.program))):
            for other in self._stand_ins(at):
                yield _replaced(self.program, at, other), self.samples
        for at, operation in enumerate(self.program):
            for place, name in enumerate(operation.args):
                for other in _STAND_INS:
                    if _rank(other) < _rank(name):
                        args = (*operation.args[:place], other, *operation.args[place + 1 :])
                        changed = Operation(operation.target, operation.function, args)
                        program = [*self.program[:at], changed, *self.program[at + 1 :]]
                        yield cone(program, len(program)), self.samples

    def _stand_ins(self, at: int) -> list[str]:
        """What might do for an operation's value."""
        if at == len(self.program) - 1:
            return []
        operation = self.program[at]
        return list(dict.fromkeys([*operation.args, *_STAND_INS]))

    def inputs(self) -> Iterator[tuple[Program, list[Sample]]]:
        """The samples with a smaller grid, one at a time."""
        for at, sample in enumerate(self.samples):
            smaller = [sample._replace(I=grid) for grid in _smaller(sample.I)]
            smaller += [sample._replace(S=())] if sample.S else []
            smaller += [sample._replace(S=sample.S[:1])] if len(sample.S) > 1 else []
            if sample.C is not None:
                smaller += [sample._replace(C=None)]
                smaller += [sample._replace(C=grid) for grid in _smaller(sample.C)]
            for changed in smaller:
                yield self.program, [*self.samples[:at], changed, *self.samples[at + 1 :]]


def shrunk(program: Program, samples: list[Sample], max_elements: int, finding: Finding) -> Case:
    """A small program and samples that differ too, and how."""
    shrinker = _Shrinker((program, samples, finding), max_elements)
    shrinker.attempt(cone(program, finding.number), samples)
    shrinker.fewer_samples()
    while shrinker.until_none("programs") | shrinker.until_none("inputs"):
        pass
    return shrinker.program, shrinker.samples, shrinker.finding


def cone(program: Program, number: int) -> Program:
    """Operation `number` (from 1) and those it is computed from, renamed to count from x1."""
    needed = {program[number - 1].target}
    kept = []
    for operation in reversed(program[:number]):
        if operation.target in needed:
            needed.update(operation.names)
            kept.append(operation)
    kept.reverse()
    names = {operation.target: f"x{k + 1}" for k, operation in enumerate(kept)}
    return [
        Operation(
            names[o.target],
            names.get(o.function, o.function),
            tuple(names.get(arg, arg) for arg in o.args),
        )
        for o in kept
    ]


def _replaced(program: Program, at: int, name: str) -> Program:
    """The program without operation `at`, `name` in place of its target."""
    target = program[at].target
    changed = [
        Operation(
            o.target,
            name if o.function == target else o.function,
            tuple(name if arg == target else arg for arg in o.args),
        )
        for k, o in enumerate(program)
        if k != at
    ]
    return cone(changed, len(changed)) if changed else changed


def _rank(name: str) -> int:
    """How simple an argument is: the less the simpler."""
    if name in _STAND_INS:
        return _STAND_INS.index(name)
    return 50 if name in LANGUAGE.constants or name in LANGUAGE.primitives else 100


def _smaller(grid: tuple[tuple[int, ...], ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """The grid with half of its rows or columns, or one less, or a color made 0."""
    h, w = len(grid), len(grid[0])
    for rows in dict.fromkeys([h // 2, h - 1]):
        if rows:
            yield grid[:rows]
            yield grid[h - rows :]
    for columns in dict.fromkeys([w // 2, w - 1]):
        if columns:
            yield tuple(row[:columns] for row in grid)
            yield tuple(row[w - columns :] for row in grid)
    for color in {cell for row in grid for cell in row} - {0}:
        yield tuple(tuple(0 if cell == color else cell for cell in row) for row in grid)
