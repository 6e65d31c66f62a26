"""A workload: the samples that programs are run on, and what becomes of their results.

megabatch knows a language only through one of these. To run another language, write a subclass of
`Workload` and give its module an attribute WORKLOAD: `--workload MODULE` then runs it. What a
subclass must have is `name`, `language` and `load`; all else has a default.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import click
import numpy as np
import pyarrow as pa
from rich.console import Console

from megabatt.runtime import WORKLOADS
from megabatt.runtime.arguments import elements
from megabatt.runtime.engine.calls.registry import Language
from megabatt.runtime.engine.columns import Column, encode, same, shown_cut
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.machine.values import Heap
from megabatt.runtime.engine.plan.operands import Numbers
from megabatt.runtime.megabatch.pictures import Panel, Picture
from megabatt.runtime.megabatch.verify.kinds import Draws
from megabatt.runtime.printable import printable, short

MOST_CHARACTERS = 1 << 16
"""Characters of a value written as text. A longer text is cut, and marked as cut."""


class Sample(Protocol):
    """What a program is run on once.

    It also has the value of every input of the language, as an attribute of the input's name.
    """

    @property
    def key(self) -> str:
        """A name for the sample in what is printed, unlike any other of the data."""

    @property
    def group(self) -> str:
        """What it belongs to, together with other samples: they may share inputs, or a solver."""

    @property
    def expected(self) -> Any:
        """The output that is right; None where it is not known."""


AnySample = TypeVar("AnySample", bound=Sample)


@dataclass
class Data(Generic[AnySample]):
    """What a workload has loaded.

    problems: a line for each thing that could not be read; solver_for: given a group and the names
    of all solvers, names the only solver to run on the group's samples, or gives None to leave them
    out. Where there is no `solver_for` all solvers are run on all samples.
    """

    samples: list[AnySample]
    problems: list[str] = field(default_factory=list)
    solver_for: Callable[[str, Collection[str]], str | None] | None = None


class DataError(ValueError):
    """There is no such data. problems: what could not be read of it."""

    def __init__(self, message: str, problems: Sequence[str] = ()) -> None:
        super().__init__(printable(message))
        self.problems = list(problems)


class Scored(Protocol):
    """A batch's samples, and by solver whether its output is the expected one: bool (samples,).

    not_computed: the samples (positions) of which nothing is known, and why. They match nothing.
    """

    @property
    def samples(self) -> list[Any]: ...
    @property
    def matches(self) -> dict[str, np.ndarray[Any, Any]]: ...
    @property
    def not_computed(self) -> Mapping[int, str]: ...


@dataclass(frozen=True)
class Configured:
    """A run that a configuration file describes, and what it is to be run with.

    config: the file; out: the folder to write to; folder: of generated programs; batch_size: None
    for that of the configuration; resume: whether to go on with what is in `out`; overwrite:
    whether to delete it first.
    """

    config: Path
    out: Path
    folder: str
    batch_size: int | None = None
    device: str = "auto"
    gpus: str = ""
    workers: int = 1
    resume: bool = False
    overwrite: bool = False


class Report(NamedTuple):
    """A run summed up: the first rows of its table, its last line, and its part of summary.json.

    lines: what stands before the last line.
    """

    rows: list[tuple[str, str]]
    last_line: str
    figures: dict[str, Any]
    lines: tuple[str, ...] = ()


class Solution(NamedTuple):
    """A program that fits a group: its source, what it was made from, and its outputs for tests."""

    code: str
    origin: str
    outputs: tuple[Any, ...]


class Workload(Generic[AnySample]):
    """Samples of a language, how they are varied and how their results are kept and summed up.

    Samples of a group have the language's shared input as one and the same Python object, which is
    put into columns once, when a program first reads it. options: of the command line, handed to
    `load` by their names.
    """

    name: str
    language: Language
    options: tuple[click.Parameter, ...] = ()
    programs: str = ""
    """The folder in `generated` of its bundled programs, which are run unless others are named."""
    batch_size: int = 1000
    """Samples that a CPU computes at once, unless a sweep or the caller says otherwise."""
    draws: Draws | None = None
    """What the fuzzer makes programs and samples of, if the language is to be fuzzed."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Have other processes look it up in its module."""
        return _workload_in, (type(self).__module__,)

    def load(self, **options: Any) -> Data[AnySample]:
        """Load the samples that the options ask for. Raises DataError."""
        raise NotImplementedError

    def given(self, samples: Any) -> list[AnySample]:
        """Return the samples that a Python caller gives, in any form that the workload knows.

        By default they are to be samples already. Raises TypeError or ValueError.
        """
        listed = list(elements("samples", samples, f"a list of samples of {self.name}"))
        for k, sample in enumerate(listed):
            if not hasattr(sample, "expected"):
                raise TypeError(f"sample {k} is no sample of {self.name}, but {short(sample)}")
        return listed

    def load_group(self, group: str, **options: Any) -> Data[AnySample]:
        """Load the samples of one group. Raises DataError where there is no such group.

        options: those of `options` that do not choose groups. By default all data is loaded.
        """
        data = self.load(**options)
        samples = [sample for sample in data.samples if sample.group == group]
        if not samples:
            groups = list(dict.fromkeys(sample.group for sample in data.samples))
            some = ", ".join(groups[:5]) + (", ..." if len(groups) > 5 else "")
            raise DataError(f"nothing is called {group!r}; there are {some}", data.problems)
        return Data(samples, data.problems, data.solver_for)

    choosing: tuple[str, ...] = ()
    """The names of those options that choose groups."""

    @property
    def shared(self) -> tuple[str, ...]:
        """The inputs that samples of a group have in common."""
        return () if self.language.shared is None else (self.language.shared,)

    # Inputs

    @property
    def expected_column(self) -> str:
        """The name of the input, or of the column beside the inputs, that has what is expected."""
        return self.language.expected or "expected"

    def inputs_of(self, sample: AnySample) -> tuple[Any, ...]:
        """Return the sample's inputs in the language's order."""
        return tuple(getattr(sample, name) for name in self.language.inputs)

    def column(self, name: str, samples: list[AnySample]) -> Column:
        """Return an input of these samples, or what is `expected` of them, as a column.

        Only a language of columns is asked for them.
        """
        return encode([getattr(sample, name) for sample in samples])

    def words(self, name: str, samples: list[AnySample], heap: Heap) -> Numbers:
        """Put an input of these samples, or what is `expected` of them, into a heap.

        Returns their words, int64 (samples,). Only a language of words is asked for them. Raises
        NoWord where a value has none.
        """
        return heap.put_all(getattr(sample, name) for sample in samples)

    def is_test(self, sample: AnySample) -> bool:
        """Tell whether a search is to answer the sample, not to learn from it."""
        return sample.expected is None

    def unanswered(self, sample: AnySample) -> AnySample:
        """Return the sample without what is expected of it, in any of its inputs."""
        if sample.expected is None:
            return sample
        raise NotImplementedError(f"workload {self.name} does not say how to hide an output")

    def closeness(self, outputs: Column, expected: Column) -> Array:
        """Rate how close outputs come to what is expected: 0 to 1, 1 where right; float32 (n,)."""
        return same(outputs, expected, self.language.same).astype(xp.float32)

    def closeness_of_words(self, heap: Heap, outputs: Numbers, expected: Numbers) -> Array:
        """Do `closeness` for words of a heap of the machine, int64 (n,)."""
        return heap.same(outputs, expected).astype(np.float32)

    def closeness_on_host(self, values: Any, outputs: Numbers, expected: Numbers) -> Array:
        """Do `closeness` for what an executor has brought to the host; see `Ready`."""
        if self.language.of_words:
            return self.closeness_of_words(values, outputs, expected)
        return self.closeness(values.column(outputs), values.column(expected))

    def unlikely_constants(self, samples: list[AnySample]) -> Collection[str]:
        """Name the constants that programs for these samples hardly use; none by default."""
        return ()

    def variants(
        self, samples: list[AnySample], random: np.random.Generator
    ) -> Iterator[AnySample]:
        """Yield samples like these, without end; none where a language has no way to vary them."""
        return iter(())

    # In place of programs on samples

    def run_configured(self, asked: Configured, console: Console) -> int:
        """Run what a configuration file describes. Returns the exit status. Raises DataError."""
        raise DataError(f"the workload {self.name} takes no --config")

    # What a person looks at

    def heading(self, sample: AnySample) -> str:
        """Return the heading above a sample."""
        return sample.key

    def overview(self, data: Data[AnySample]) -> Sequence[Panel]:
        """Draw a group as a whole: pictures to stand above its samples; none by default."""
        return ()

    def picture(self, value: Any, other: Any = None, among: Sequence[Any] = ()) -> Picture | None:
        """Draw a value; return None where its text says more.

        other: a value to compare it with; the picture says where they differ. among: the values
        that it was computed from, the nearest first.
        """
        return None

    def difference(self, value: Any, other: Any) -> str:
        """Say in a line how a value differs from `other`; empty where nothing is to be said."""
        return ""

    # Results in Parquet

    sample_fields: tuple[pa.Field, ...] = (pa.field("sample", pa.string()),)
    """The first columns of a row, which say what sample it is of."""

    output_fields: tuple[pa.Field, ...] = (pa.field("output", pa.string()),)
    """The last columns of a row, which have the output."""

    numeric_outputs: tuple[str, ...] = ()
    """Those of `output_fields` that are numbers, or lists of numbers; a report shows how they are
    distributed."""

    def names_of_numbers(self, column: str, count: int) -> Sequence[str]:
        """Name each of the numbers in such a column's lists of this length."""
        return [column] if count == 1 else [f"{column} {k}" for k in range(count)]

    def sample_arrays(self, samples: list[AnySample]) -> list[pa.Array]:
        """Return the values of each of `sample_fields`."""
        return [pa.array([sample.key for sample in samples])]

    def output_arrays(self, column: Any) -> list[pa.Array]:
        """Return the values of each of `output_fields`, given a solver's outputs.

        column: in a language of words a `WordColumn`.
        """
        return [pa.array(shown_cut(column, MOST_CHARACTERS), pa.string())]

    # What a search has found

    def write_found(
        self, folder: Path, data: Data[AnySample], solutions: Mapping[str, Sequence[Solution]]
    ) -> None:
        """Write files of a workload's own into a folder.

        solutions: by group, the best first, no two with the same outputs for the tests. Raises
        OSError, DataError.
        """

    # The end of a run

    def report(
        self, data: Data[AnySample], batches: Iterable[Scored], solvers: Collection[str]
    ) -> Report:
        """Sum the run up. solvers: all that there are, in use or not."""
        known = right = unknown = computed = 0
        for batch in batches:
            answers = [sample.expected is not None for sample in batch.samples]
            known += sum(answers) * len(batch.matches)
            unknown += sum(answers[lane] for lane in batch.not_computed) * len(batch.matches)
            right += sum(int(matches.sum()) for matches in batch.matches.values())
            computed += (len(answers) - len(batch.not_computed)) * len(batch.matches)
        if not known:
            row = "outputs", str(computed)
            return Report([row], f"{computed} outputs", {"outputs_computed": computed})
        text, rest = f"{right} of {known}", f", {unknown} unknown" if unknown else ""
        figures = {
            "outputs_expected": known,
            "outputs_right": right,
            "outputs_unknown": unknown,
        }
        return Report([("outputs right", text + rest)], f"{text} outputs right{rest}", figures)

    def page(self, folder: Path) -> str:
        """Return what a run wrote to a folder, as an HTML page. Raises DataError."""
        from megabatt.runtime.megabatch.page.folder import RunFolder
        from megabatt.runtime.megabatch.page.page import page_of_run, solvers_of

        run = RunFolder.read(folder, self)
        return page_of_run(run, self, solvers_of(run))


class WorkloadError(ValueError):
    """There is no such workload."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


def named(name: str) -> Workload[Any]:
    """Return a bundled workload, such as arc, or that of a module.

    Raises WorkloadError.
    """
    return _workload_in(WORKLOADS.get(name, name))


def _workload_in(module: str) -> Workload[Any]:
    try:
        found = getattr(import_module(module), "WORKLOAD", None)
    except Exception as error:  # a module may raise anything while it is imported
        reason = f"{type(error).__name__}: {error}"
        raise WorkloadError(f"no workload {module}: cannot import it ({reason})") from error
    if not isinstance(found, Workload):
        raise WorkloadError(f"no workload {module}: the module's WORKLOAD is no Workload")
    if type(found).__module__ != module:  # where other processes look for it
        raise WorkloadError(f"no workload {module}: it is of a class of {type(found).__module__}")
    return found
