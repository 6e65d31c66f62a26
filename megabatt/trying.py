"""Tries programs on tasks: tells which programs fit or are near, and why others do not fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.megabatch.evaluation import Evaluation, Evaluator, evaluate_each
from megabatt.runtime.megabatch.panels import output_panel, sample_row
from megabatt.runtime.megabatch.pictures import Row
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program
from megabatt.runtime.vocabulary import name_of, parts_of

Groups = Mapping[str, list[Any]]
"""Samples by the names of their groups, such as tasks."""


class Rank(NamedTuple):
    """The measures by which programs are ordered, the most important first.

    was_run, fits: 1 or 0. right: The share of the demonstrations that are right. cells: The share
    of right cells, the mean over the demonstrations. right_tests: The share of the tests that are
    right, 0 if no test output is known.
    """

    was_run: Any
    fits: Any
    right: Any
    cells: Any
    right_tests: Any


@dataclass(frozen=True)
class Trial:
    """A program tried on a group. place: The program's place among all programs tried."""

    place: int
    group: str
    samples: Sequence[Any]
    evaluation: Evaluation
    workload: Workload[Any]
    rank: Rank

    @property
    def name(self) -> str:
        return self.evaluation.programs[0].name

    @property
    def error(self) -> str:
        """Why the program was not run; empty if it was."""
        return self.evaluation.errors.get(0, "")

    def right(self, tests: bool) -> tuple[int, int]:
        """Count the right and the known samples among demonstrations or tests."""
        chosen = self._known(tests)
        return int(self.evaluation.matches[0, chosen].sum()), int(chosen.sum())

    @property
    def fits_demonstrations(self) -> bool:
        """Whether all demonstrations are right."""
        return bool(self.rank.right == 1)

    @property
    def fits(self) -> bool:
        """Whether all demonstrations and all known tests are right."""
        return bool(self.rank.fits)

    def _known(self, tests: bool) -> Any:
        return self.evaluation.known & (self.workload.are_tests(self.samples) == tests)

    @property
    def wrong(self) -> list[int]:
        """The places of the samples that are not right, demonstrations first."""
        known = self._known(tests=self.fits_demonstrations)
        return np.flatnonzero(known & ~self.evaluation.matches[0]).tolist()

    def rows(self, most: int) -> list[Row]:
        """Draw the first wrong samples, with the program's outputs."""
        drawn = []
        for place in self.wrong[:most]:
            sample, output = self.samples[place], self.evaluation.output(0, place)
            given = output_panel(self.workload, self.name, output, sample.expected)
            drawn.append(sample_row(self.workload, sample, given))
        return drawn


class Tried(NamedTuple):
    """Programs tried on groups.

    best: The trials of the best programs, the best first. fit: The number of all programs that fit.
    overfitted: The number of others that are right on the demonstrations.
    """

    best: list[Trial]
    fit: int
    overfitted: int


def tried(
    programs: Sequence[Program],
    groups: Groups,
    workload: Workload[Any],
    max_elements: int | None = None,
    most: int | None = None,
    progress: Callable[[int], object] = lambda programs: None,
) -> Tried:
    """Try programs, and return the trials of the best `most` programs, by default of all.

    A program is tried on the groups in its name; other programs are tried on all groups, and the
    best trial counts. No program sees the expected outputs. progress: Called with the number of
    programs that were tried since the last call.
    """
    every = tuple(groups)
    among: dict[tuple[str, ...], list[int]] = {}
    for k, found in enumerate(_groups_in(programs, groups)):
        among.setdefault(found or every, []).append(k)
    chosen = [""] * len(programs)
    ranks = np.zeros((len(programs), len(Rank._fields)))
    for names, places in among.items():
        samples = [groups[name] for name in names]
        listed = [programs[k] for k in places]
        for part, best, of_best in _best_groups(listed, samples, workload, max_elements):
            ranks[places[part]] = of_best
            for k, group in zip(places[part], best, strict=True):
                chosen[k] = names[group]
            progress(len(best))
    best = np.lexsort(-ranks.T[::-1])[:most].tolist()
    evaluations = evaluate_each(
        [(programs[k], groups[chosen[k]]) for k in best],
        outputs="all", blind=True, max_elements=max_elements, workload=workload,
    )  # fmt: skip
    trials = [
        Trial(k, chosen[k], groups[chosen[k]], evaluation, workload, Rank(*ranks[k]))
        for k, evaluation in zip(best, evaluations, strict=True)
    ]
    every_rank = Rank(*ranks.T)
    fit = int(every_rank.fits.sum())
    return Tried(trials, fit, int((every_rank.right == 1).sum()) - fit)


def _groups_in(programs: Iterable[Program], groups: Groups) -> Iterator[tuple[str, ...]]:
    """Yield for each program the groups whose name is part of the program's name."""
    known: dict[str, tuple[str, ...]] = {}
    for group in groups:
        name = name_of(group.rpartition("/")[2])
        known[name] = (*known.get(name, ()), group)
    for program in programs:
        found = [known[part] for part in parts_of(program.name) if part in known]
        yield found[-1] if found else ()


_RESULTS_AT_ONCE = 1 << 22
"""The most results of programs on samples that are held at a time."""


def _best_groups(
    programs: Sequence[Program],
    groups: Sequence[list[Any]],
    workload: Workload[Any],
    max_elements: int | None,
) -> Iterator[tuple[slice, list[int], np.ndarray[Any, Any]]]:
    """Find for each program the group with the most right demonstrations, then right cells.

    groups: The samples of each group. Yields parts of the programs: their places, the places of
    their groups, and their ranks on these groups, float (programs, measures).
    """
    samples = [sample for group in groups for sample in group]
    tests = workload.are_tests(samples)
    bounds = np.cumsum([0, *map(len, groups)]).tolist()
    evaluator = Evaluator(
        samples, max_elements=max_elements, workload=workload, blind=True, keeps=False
    )
    at_once = max(_RESULTS_AT_ONCE // max(len(samples), 1), 1)
    for at in range(0, len(programs), at_once):
        part = slice(at, at + at_once)
        evaluation = evaluator.evaluate(programs[part], outputs="none")
        on_groups = [rank_of(evaluation, tests, slice(*of)) for of in pairwise(bounds)]
        rank = Rank(*map(np.stack, zip(*on_groups, strict=True)))  # (groups, programs) each
        best = np.lexsort((-rank.cells, -rank.right), axis=0)[0]
        yield part, best.tolist(), np.stack(rank, axis=2)[best, np.arange(len(best))]


def rank_of(evaluation: Evaluation, tests: Any, group: slice = slice(None)) -> Rank:
    """Measure programs on a group, by default on all samples: arrays (programs,).

    tests: bool (samples,), whether a sample is a test.
    """
    known, tests = evaluation.known[group], tests[group]
    matches, cells = evaluation.matches[:, group], evaluation.cells[:, group]
    was_run = np.ones(len(matches))
    was_run[list(evaluation.errors)] = 0
    right, right_cells, right_tests = (
        results[:, chosen].sum(axis=1, dtype=float) / max(chosen.sum(), 1)
        for results, chosen in (
            (matches, known & ~tests), (cells, known & ~tests), (matches, known & tests)
        )
    )  # fmt: skip
    fits = (right == 1) & ((right_tests == 1) | ~(known & tests).any())
    return Rank(was_run, fits, right, right_cells, right_tests)
