"""A run's settings, and its batches: samples on which one program runs at once."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from itertools import pairwise
from math import ceil
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np

from megabatt.runtime.engine.executor.program import ALL, NONE, RIGHT
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.megabatch.data import Data, Sample
from megabatt.runtime.megabatch.programs import Forms, PackageError, merged_program, own_programs
from megabatt.runtime.megabatch.samples import by_group, demonstrates
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.vocabulary import counted


class Part(NamedTuple):
    """A part of a batch: some of the program's solvers."""

    number: int
    solvers: tuple[str, ...]


@dataclass(frozen=True)
class Batch:
    """Samples on which one program, or a part of the program, runs at once.

    solver: The solver whose own program runs; None for the merged program. piece: The range of
    `samples` in the whole batch; None if the samples are the whole batch.
    """

    number: int
    solver: str | None
    samples: list[Any]
    part: Part | None = None
    piece: range | None = None

    @property
    def solvers(self) -> tuple[str, ...] | None:
        """The solvers to compute, None for all."""
        return None if self.part is None else self.part.solvers

    @property
    def lanes(self) -> range:
        """The range of `samples` in the whole batch."""
        return range(len(self.samples)) if self.piece is None else self.piece

    def halves(self) -> list[Batch]:
        """Cut the batch into two halves; return an empty list for a single sample.

        The cut is between groups, unless all samples are of one group.
        """
        n, at = len(self.samples), self.lanes.start
        if n < 2:
            return []
        places = range(1, n)
        between = [k for k in places if self.samples[k - 1].group != self.samples[k].group]
        middle = at + min(between or places, key=lambda place: abs(place - n // 2))
        return [self.of_lanes(half) for half in (range(at, middle), range(middle, at + n))]

    def pieces(self, most: int) -> list[Batch]:
        """Cut the batch into pieces of at most `most` samples."""
        lanes = self.lanes
        return [self.of_lanes(lanes[at : at + most]) for at in range(0, len(lanes), most)]

    def of_lanes(self, lanes: range) -> Batch:
        """Return the piece of the whole batch with these lanes."""
        if lanes == self.lanes:
            return self
        at = self.lanes.start
        return replace(self, samples=self.samples[lanes.start - at : lanes.stop - at], piece=lanes)

    def parts(self, solvers: tuple[str, ...], count: int) -> list[Batch]:
        """Divide the batch into at most `count` parts, and deal the solvers out in turn.

        Solvers are in order of length, so that runs of adjacent solvers would make unequal parts.
        """
        if count < 2 or len(solvers) < 2:
            return [self]
        return [
            replace(self, part=Part(number, solvers[number::count]))
            for number in range(min(count, len(solvers)))
        ]


@dataclass(frozen=True)
class Settings:
    """The settings of all batches of a run.

    folder: The folder of the workload's generated programs. max_elements: The most elements that an
    operation may build; None for the language's limit. out: The folder that gets a Parquet file for
    each batch; None to write nothing. workers: The most threads or processes. devices: The names of
    the devices. memory: The most bytes that a process may hold; None for no limit. outputs: The
    outputs to write: "all", "none", or "fits" for the outputs of solvers that fit their group. run:
    The identity of the run, which the files name; None if the folder has no manifest.
    """

    workload: Workload[Any]
    folder: str
    max_elements: int | None = None
    out: Store | None = None
    workers: int = 1
    devices: tuple[str, ...] = ("cpu",)
    memory: int | None = None
    outputs: str = "all"
    run: str | None = None

    @property
    def language(self) -> Language:
        return self.workload.language

    @property
    def limit(self) -> int:
        """The most container elements that an operation may build."""
        return self.language.max_elements if self.max_elements is None else self.max_elements

    @property
    def writes_fits(self) -> bool:
        """Whether a run writes only the outputs of solvers that fit."""
        return self.out is not None and self.outputs == "fits"

    @property
    def writes_all(self) -> bool:
        """Whether a run writes the outputs of all solvers."""
        return self.out is not None and self.outputs == "all"

    def forms(self, batch: Batch) -> Forms:
        """Return the program of the batch."""
        if batch.solver is None:
            return merged_program(self.folder)
        return own_programs(self.folder)[batch.solver]

    def scalar(self, forms: Forms, sample: Sample) -> tuple[dict[str, Any], dict[int, Reason]]:
        """Run the scalar form on a sample. Returns outputs by solver, failures by operation."""
        inputs = self.workload.inputs_of(sample)
        return forms.sequential(sample.key, *inputs, max_elements=self.limit)  # type: ignore[no-any-return]

    def kept(self, samples: list[Any]) -> np.ndarray[Any, Any]:
        """Return which outputs each sample may keep: `NONE`, `RIGHT` or `ALL`; uint8 (samples,).

        For "fits", demonstrations keep right outputs: a solver with a wrong output does not fit.
        """
        if self.out is None or self.outputs == "none":
            return np.full(len(samples), NONE, dtype=np.uint8)
        fits = self.outputs == "fits"
        which = [RIGHT if fits and demonstrates(self.workload, s) else ALL for s in samples]
        return np.array(which, dtype=np.uint8)

    def parts(self, batch: Batch, count: int) -> list[Batch]:
        """Divide the batch into at most `count` parts."""
        return batch.parts(self.forms(batch).solvers, count)


Of = ParamSpec("Of")
Made = TypeVar("Made")


def in_language(
    function: Callable[Concatenate[Settings, Of], Made],
) -> Callable[Concatenate[Settings, Of], Made]:
    """Wrap a function so that its settings' language is in use while the function runs."""

    @wraps(function)
    def computing(settings: Settings, *args: Of.args, **named: Of.kwargs) -> Made:
        with settings.language.in_use():
            return function(settings, *args, **named)

    return computing


def one_of_each_program(batches: list[Batch]) -> list[Batch]:
    """Return one batch for each distinct program of the batches."""
    return list({batch.solver: batch for batch in batches}.values())


_WORTH_A_BATCH = 10
"""The part of the workload's batch size, a tenth, from which on another worker pays."""


def batches_of(
    settings: Settings, data: Data[Any], batch_size: int, workers: int = 1
) -> list[Batch]:
    """Cut the samples into batches, for the merged program or for each group's own solver.

    A program's batches have about the same size, at most `batch_size`. With enough samples, each
    worker gets the same number of the merged program's batches. If the run writes only outputs of
    solvers that fit, a group with demonstrations stays in one batch, whatever the batch's size.

    Raises PackageError if the folder's programs cannot be loaded or are of another language.
    """
    sizes: list[int] = []
    worthwhile = workers * settings.workload.batch_size / _WORTH_A_BATCH
    for solver, samples in _work(settings, data):
        shared_out = solver is None and len(samples) >= worthwhile
        sizes += _sizes(_places(settings, samples), batch_size, workers if shared_out else 1)
    return batches_of_sizes(settings, data, sizes)


def _places(settings: Settings, samples: list[Any]) -> list[int]:
    """List the ends that a batch may have, ascending. Samples of a group are adjacent."""
    n = len(samples)
    if not settings.writes_fits:
        return list(range(1, n + 1))
    workload = settings.workload
    whole = {sample.group for sample in samples if demonstrates(workload, sample)}
    return [
        k
        for k in range(1, n + 1)
        if k == n or samples[k].group not in whole or samples[k - 1].group != samples[k].group
    ]


def _sizes(places: list[int], batch_size: int, workers: int) -> list[int]:
    """Choose about equal sizes of batches, as many for each worker, that end at `places`.

    A batch exceeds `batch_size` only if no place lies inside the batch.
    """
    n = places[-1]
    count = ceil(ceil(n / batch_size) / workers) * workers
    while True:
        ends = [0, *sorted({_nearest(places, (k + 1) * n // count) for k in range(count)})]
        sizes = [end - at for at, end in pairwise(ends)]
        if all(
            size <= batch_size or bisect_right(places, at) == bisect_left(places, at + size)
            for at, size in zip(ends, sizes, strict=False)
        ):
            return sizes
        count += workers


def _nearest(places: list[int], wanted: int) -> int:
    k = bisect_left(places, wanted)
    return min(places[max(k - 1, 0) : k + 1], key=lambda place: abs(place - wanted))


def batches_of_sizes(settings: Settings, data: Data[Any], sizes: list[int]) -> list[Batch]:
    """Cut the data into batches of given sizes, as `batches_of` cut the same data before.

    Raises PackageError as `batches_of` does, and ValueError if the sizes do not fit the data.
    """
    batches: list[Batch] = []
    for solver, samples in _work(settings, data):
        at = 0
        while at < len(samples):
            size = sizes[len(batches)] if len(batches) < len(sizes) else 0
            if not 0 < size <= len(samples) - at:
                raise ValueError(f"the samples are not those of {counted(len(sizes), 'batch')}")
            batches.append(Batch(len(batches), solver, samples[at : at + size]))
            at += size
    if len(batches) != len(sizes):
        raise ValueError(f"the samples are not those of {counted(len(sizes), 'batch')}")
    return batches


def _work(settings: Settings, data: Data[Any]) -> list[tuple[str | None, list[Any]]]:
    """Pair each solver, or None for the merged program, with the solver's samples."""
    groups = by_group(data.samples)
    if data.solver_for is None:
        _check_inputs(settings, merged_program(settings.folder))
        if settings.writes_fits:
            return [(None, [sample for members in groups.values() for sample in members])]
        return [(None, data.samples)]
    solvers = own_programs(settings.folder)
    found: list[tuple[str | None, list[Any]]] = []
    for group, members in groups.items():
        solver = data.solver_for(group, solvers)
        if solver is not None:
            _check_inputs(settings, solvers[solver])
            found.append((solver, members))
    return found


def _check_inputs(settings: Settings, forms: Forms) -> None:
    """Check that a program's inputs are the language's. Raises PackageError otherwise."""
    workload = settings.workload
    if forms.inputs != workload.language.inputs:
        raise PackageError(
            f"{settings.folder}: its programs read {', '.join(forms.inputs)}; programs of workload "
            f"{workload.name} read {', '.join(workload.language.inputs)}: "
            "name their workload with --workload"
        )
