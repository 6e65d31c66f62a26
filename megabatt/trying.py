"""Tries programs on tasks: which fit, which are near, and why others do not fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from megabatt.runtime.megabatch.evaluation import Evaluation, Evaluator, evaluate_each
from megabatt.runtime.megabatch.panels import output_panel, sample_row
from megabatt.runtime.megabatch.pictures import Row
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program
from megabatt.runtime.search.written import name_of, parts_of

Groups = Mapping[str, list[Any]]
"""Samples by the names of their groups, such as tasks."""


@dataclass(frozen=True)
class Trial:
    """A program tried on a group. place: Of the program, among all that were tried."""

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
        """Whether all demonstrations are right, and all tests that are known."""
        return self.fits_demonstrations and not self.wrong

    @property
    def cells(self) -> float:
        """The share of right cells, the mean over the demonstrations."""
        cells = self.evaluation.cells[0, self._known(tests=False)]
        return float(cells.sum()) / max(len(cells), 1)

    @property
    def order(self) -> tuple[Any, ...]:
        """The sort key of trials: the best first, programs that were not run last."""
        right, known = self.right(tests=False)
        tests, _ = self.right(tests=True)
        return self.error != "", -right / max(known, 1), -self.cells, -tests, self.place

    def _known(self, tests: bool) -> Any:
        return self.evaluation.known & (self.workload.are_tests(self.samples) == tests)

    @property
    def wrong(self) -> list[int]:
        """The places of the samples that are not right, demonstrations first."""
        known = self._known(tests=self.fits_demonstrations)
        return np.flatnonzero(known & ~self.evaluation.matches[0]).tolist()

    def rows(self, most: int) -> list[Row]:
        """Draw the first samples that are wrong, with what the program gives."""
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

    named: Whether to try a program only on the group in its name. Other programs are tried on all
    groups, and the best trial is returned. No program sees the expected outputs.
    """
    chosen = [_group_in(program.name, groups) if named else None for program in programs]
    others = [k for k, group in enumerate(chosen) if group is None]
    best = _best_groups([programs[k] for k in others], groups, workload, max_elements)
    for k, group in zip(others, best, strict=True):
        chosen[k] = group
    pairs = [(program, groups[str(group)]) for program, group in zip(programs, chosen, strict=True)]
    evaluations = evaluate_each(
        pairs, outputs="all", blind=True, max_elements=max_elements, workload=workload
    )
    trials = [
        Trial(k, str(group), groups[str(group)], evaluation, workload)
        for k, (group, evaluation) in enumerate(zip(chosen, evaluations, strict=True))
    ]
    return sorted(trials, key=lambda trial: trial.order)


def _group_in(name: str, groups: Groups) -> str | None:
    """Return the group whose name is in a program's; None if there is none."""
    known = {name_of(group.rpartition("/")[2]): group for group in groups}
    found = [known[part] for part in parts_of(name) if part in known]
    return found[-1] if found else None


def _best_groups(
    programs: Sequence[Program], groups: Groups, workload: Workload[Any], max_elements: int | None
) -> list[str]:
    """Return for each program the group with most demonstrations right, then most cells."""
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
