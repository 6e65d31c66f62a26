"""Tries programs on tasks: tells which programs fit or are near, and why others do not fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from megabatt.runtime.megabatch.evaluation import Evaluation, Evaluator, evaluate_each
from megabatt.runtime.megabatch.panels import output_panel, sample_row
from megabatt.runtime.megabatch.pictures import Row
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program
from megabatt.runtime.vocabulary import name_of, parts_of

Groups = Mapping[str, list[Any]]
"""Samples by the names of their groups, such as tasks."""


@dataclass(frozen=True)
class Trial:
    """A program tried on a group. place: The program's place among all programs tried."""

    place: int
    group: str
    samples: Sequence[Any]
    evaluation: Evaluation
    workload: Workload[Any]

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
        right, known = self.right(tests=False)
        return 0 < known == right

    @property
    def fits(self) -> bool:
        """Whether all demonstrations and all known tests are right."""
        return self.fits_demonstrations and not self.wrong

    @property
    def cells(self) -> float:
        """The share of right cells, the mean over the demonstrations."""
        cells = self.evaluation.cells[0, self._known(tests=False)]
        return float(cells.sum()) / max(len(cells), 1)

    @property
    def order(self) -> tuple[Any, ...]:
        """The sort key of trials: the best first, programs that were not run last."""
        shown, tests = (right / max(known, 1) for right, known in map(self.right, (False, True)))
        return self.error != "", not self.fits, -shown, -self.cells, -tests, self.place

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


def tried(
    programs: Sequence[Program],
    groups: Groups,
    workload: Workload[Any],
    max_elements: int | None = None,
    named: bool = True,
) -> list[Trial]:
    """Try programs, and return a trial of each, the best first.

    named: Whether to try a program only on the groups in its name. Other programs are tried on all
    groups. If a program is tried on several groups, its best trial is returned. No program sees
    the expected outputs.
    """
    every = tuple(groups)
    places: dict[tuple[str, ...], list[int]] = {}
    for k, found in enumerate(_groups_in(programs, groups) if named else repeat((), len(programs))):
        places.setdefault(found or every, []).append(k)
    chosen = [""] * len(programs)
    for some, of_programs in places.items():
        among = {group: groups[group] for group in some}
        best = _best_groups([programs[k] for k in of_programs], among, workload, max_elements)
        for k, group in zip(of_programs, best, strict=True):
            chosen[k] = group
    pairs = [(program, groups[group]) for program, group in zip(programs, chosen, strict=True)]
    evaluations = evaluate_each(
        pairs, outputs="all", blind=True, max_elements=max_elements, workload=workload
    )
    trials = [
        Trial(k, group, groups[group], evaluation, workload)
        for k, (group, evaluation) in enumerate(zip(chosen, evaluations, strict=True))
    ]
    return sorted(trials, key=lambda trial: trial.order)


def _groups_in(programs: Iterable[Program], groups: Groups) -> Iterator[tuple[str, ...]]:
    """Yield for each program the groups whose name is part of the program's name."""
    known: dict[str, tuple[str, ...]] = {}
    for group in groups:
        name = name_of(group.rpartition("/")[2])
        known[name] = (*known.get(name, ()), group)
    for program in programs:
        found = [known[part] for part in parts_of(program.name) if part in known]
        yield found[-1] if found else ()


def _best_groups(
    programs: Sequence[Program], groups: Groups, workload: Workload[Any], max_elements: int | None
) -> list[str]:
    """Return for each program the group with the largest share of right demonstrations.

    Among equal groups, the group with the largest share of right cells is returned.
    """
    names = list(groups)
    if not programs or len(names) == 1:
        return names[:1] * len(programs)
    samples = [sample for group in groups.values() for sample in group]
    evaluator = Evaluator(
        samples, max_elements=max_elements, workload=workload, blind=True, keeps=False
    )
    evaluation = evaluator.evaluate(programs, outputs="none")
    shown = evaluation.known & ~workload.are_tests(samples)
    begins = np.cumsum([0, *map(len, groups.values())])[:-1]
    counts = np.add.reduceat(shown.astype(float), begins).clip(1)
    right, cells = (
        np.add.reduceat(each * shown, begins, axis=1, dtype=float) / counts
        for each in (evaluation.matches, evaluation.cells)
    )
    return [names[k] for k in np.lexsort((-cells, -right))[:, 0].tolist()]
