"""Workloads: the samples of a language, and what becomes of the results of programs.

megabatch knows a language only through its workload. To run another language, write a subclass of
`Workload`, and give its module an attribute WORKLOAD: `--workload MODULE` then runs it. A subclass
must have `name`, `language` and `load`, and `unanswered` if programs can read the expected output;
everything else has a default.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol

import click
import numpy as np
import pyarrow as pa
from rich.console import Console

from megabatt.runtime import WORKLOADS
from megabatt.runtime.arguments import elements
from megabatt.runtime.engine.columns import Column, encode, same, shown_cut
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.megabatch.data import AnySample, Data, DataError
from megabatt.runtime.megabatch.images import Images
from megabatt.runtime.megabatch.shown import Shown
from megabatt.runtime.megabatch.verify.kinds import Draws
from megabatt.runtime.printable import printable, short, why_not_imported
from megabatt.runtime.vocabulary import counted, did_you_mean

MOST_CHARACTERS = 1 << 16
"""The most characters of a value written as text; a longer text is cut, and marked as cut."""


class Scored(Protocol):
    """A batch's samples, and for each solver where its output is right: bool (samples,).

    not_computed: The positions of samples that could not be computed, and why. They match nothing.
    """

    @property
    def samples(self) -> list[Any]: ...
    @property
    def matches(self) -> dict[str, np.ndarray[Any, Any]]: ...
    @property
    def not_computed(self) -> Mapping[int, str]: ...


@dataclass(frozen=True)
class Configured:
    """A run that a configuration file describes.

    config: The file. out: The folder to write to. folder: Of generated programs. batch_size: None
    for the configuration's. resume: Whether to go on with the run in `out`. overwrite: Whether to
    delete it first.
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
    """The summary of a run.

    Attributes:
        rows: The first rows of its table, each a label and a text.
        last_line: The last line.
        figures: Its part of `summary.json`.
        lines: Lines before the last line.
    """

    rows: list[tuple[str, str]]
    last_line: str
    figures: dict[str, Any]
    lines: tuple[str, ...] = ()


class Roles(NamedTuple):
    """A language's functions that turn values into roles in an input, and back.

    Both take the value and the input of that name.
    """

    input: str
    there: str
    back: str


class Solution(NamedTuple):
    """A program for a group: its source, its origin, its outputs for tests, and whether it fits all
    demonstrations or is a guess."""

    code: str
    origin: str
    outputs: tuple[Any, ...]
    fits: bool = True


class Workload(Generic[AnySample]):
    """The samples of a language, and what becomes of programs' results on them.

    A subclass must have `name`, `language` and `load`, and `unanswered` if programs can read the
    expected output; everything else has a default. The samples of a group must have the language's
    shared input as one and the same Python object.

    Attributes:
        name: The name.
        language: The language.
        options: Options of the command line, passed to `load` by their names.
        choosing: The names of the options that choose groups.
    """

    name: str
    language: Language
    options: tuple[click.Parameter, ...] = ()
    programs: str = ""
    """The folder in `generated` of the bundled programs, which run by default."""
    batch_size: int = 1000
    """The number of samples in a batch on a CPU, unless a sweep or the caller says otherwise."""
    draws: Draws | None = None
    """The draws of the fuzzer; None if the language cannot be fuzzed."""
    images: Images | None = None
    """The vocabulary of images, if a search should build outputs in layers."""
    aspects: Mapping[str, str] = {}
    """Images of the input that show numbers of its cells, if a search should learn rules."""
    roles: Roles | None = None
    """How values get roles, if a search should look at samples by roles."""
    vocabularies: Mapping[str, Collection[str]] = {}
    """By name, primitives that a search may be limited to."""
    group_names: re.Pattern[str] = re.compile("(?!)")
    """Matches names of groups in programs' names; by default nothing."""
    shown: Shown[Any] = Shown()
    """How samples, values and results are shown."""

    def __init_subclass__(cls) -> None:
        """Raise TypeError if `unanswered` is missing, and the default would give outputs away."""
        super().__init_subclass__()
        expected = cls.language.expected if hasattr(cls, "language") else None
        reads = f"programs can read the expected output, {expected}" if expected else ""
        tells = "" if cls.is_test is Workload.is_test else "its `is_test` is its own"
        if (reads or tells) and cls.unanswered is Workload.unanswered:
            raise TypeError(f"{cls.__name__} must have a method `unanswered`: {reads or tells}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the workload as a name in its module, with the modules of its primitives."""
        return _workload_in, (type(self).__module__, self.language.modules)

    def load(self, **options: Any) -> Data[AnySample]:
        """Load the samples that the options ask for.

        Raises:
            DataError: The data cannot be loaded.
        """
        raise NotImplementedError

    def given(self, samples: Any) -> Sequence[AnySample]:
        """Return the samples of a Python caller, who may give them in any form that the workload
        accepts.

        By default it accepts only samples.

        Raises:
            TypeError: An argument is not a sample.
            ValueError: A sample has a wrong value.
        """
        source = f"samples of {self.name}, such as {type(self).__module__}.WORKLOAD.load().samples"
        listed = list(elements("samples", samples, f"a list of {source}"))
        for k, sample in enumerate(listed):
            if not hasattr(sample, "expected"):
                raise TypeError(f"sample {k} is none of the {source}, but {short(sample)}")
        return listed

    def load_group(self, group: str, **options: Any) -> Data[AnySample]:
        """Load the samples of one group. By default, all data is loaded.

        Args:
            group: The name of the group.
            options: The workload's `options`, except those that choose groups.

        Raises:
            DataError: There is no such group.
        """
        data = self.load(**options)
        samples = [sample for sample in data.samples if sample.group == group]
        if not samples:
            groups = list(dict.fromkeys(sample.group for sample in data.samples))
            some = ", ".join(groups[:5]) + (", ..." if len(groups) > 5 else "")
            meant = did_you_mean(group, groups, 0.8) or f"; there are {some}"
            raise DataError(f"nothing is called {group!r}{meant}", data.problems)
        return Data(samples, data.problems, data.solver_for, data.incomplete)

    choosing: tuple[str, ...] = ()
    """The names of the options that choose groups."""
    pairing: tuple[str, ...] = ()
    """The names of the options that pair groups with programs, which a search does not have."""

    @property
    def shared(self) -> tuple[str, ...]:
        """The inputs that the samples of a group have in common."""
        return () if self.language.shared is None else (self.language.shared,)

    # Inputs

    @property
    def expected_column(self) -> str:
        """The name of the input, or of the column beside the inputs, with the expected output."""
        return self.language.expected or "expected"

    def inputs_of(self, sample: AnySample) -> tuple[Any, ...]:
        """Return a sample's inputs in the language's order."""
        return tuple(getattr(sample, name) for name in self.language.inputs)

    def column(self, name: str, samples: list[AnySample]) -> Column:
        """Return an input of samples, or their `expected` outputs, as a column. Only for languages
        of columns.
        """
        return encode([getattr(sample, name) for sample in samples])

    def words(self, name: str, parts: Sequence[Sequence[AnySample]], heap: Heap) -> Numbers:
        """Put an input of samples, or their `expected` outputs, into a heap. Only for languages of
        words.

        Args:
            name: The name of the input.
            parts: The samples in parts, such as those of several tasks.
            heap: The heap.

        Returns:
            The words of one part's samples after the other's, int64 (samples,).

        Raises:
            NoWord: Words cannot hold a value.
        """
        return heap.put_all(getattr(sample, name) for part in parts for sample in part)

    def is_test(self, sample: AnySample) -> bool:
        """Tell whether a search should answer the sample rather than learn from it."""
        return sample.expected is None

    def are_tests(self, samples: Iterable[AnySample]) -> np.ndarray[Any, Any]:
        """Tell for each sample whether it `is_test`; bool (samples,)."""
        return np.fromiter(map(self.is_test, samples), np.bool_)

    def in_group(self, sample: AnySample, group: str) -> AnySample:
        """Return the sample as one of another group; by default, as it is."""
        return sample

    def unanswered(self, sample: AnySample) -> AnySample:
        """Return the sample with its expected output removed.

        By default it is returned as it is: programs of a language without an input for the expected
        output cannot read it, and the default of `is_test` calls no sample with one a test.
        """
        return sample

    def closeness(self, outputs: Column, expected: Column) -> Array:
        """Rate how close outputs come to the expected ones: 0 to 1, and 1 only if equal; float32
        (n,).
        """
        return same(outputs, expected, self.language.same).astype(xp.float32)

    def closeness_of_words(self, heap: Heap, outputs: Numbers, expected: Numbers) -> Array:
        """Do the same as `closeness` for words of a heap, int64 (n,)."""
        return heap.same(outputs, expected).astype(np.float32)

    def closeness_on_host(self, values: Any, outputs: Numbers, expected: Numbers) -> Array:
        """Do the same as `closeness` for values that an executor has brought to the host."""
        if self.language.of_words:
            return self.closeness_of_words(values, outputs, expected)
        return self.closeness(values.column(outputs), values.column(expected))

    def cells(self, values: Any, outputs: Numbers, expected: Numbers) -> Array:
        """Return the share of right cells of each wrong output; float32 (n,). By default it is 0.

        Args:
            values: The values that an executor has brought to the host.
            outputs: The numbers of the outputs.
            expected: The numbers of the expected outputs.
        """
        return np.zeros(len(outputs), dtype=np.float32)

    def unlikely_constants(self, samples: list[AnySample]) -> Collection[str]:
        """Name the constants that programs for these samples hardly use; none by default."""
        return ()

    def variants(
        self, samples: list[AnySample], random: np.random.Generator
    ) -> Iterator[AnySample]:
        """Yield samples like these, without end; by default there are none."""
        return iter(())

    # In place of programs on samples

    def run_configured(self, asked: Configured, console: Console) -> int:
        """Run a configuration file in place of programs on samples. Returns the exit status.

        Raises:
            DataError: The file is wrong, or the workload has no configuration files.
        """
        raise DataError(f"the workload {self.name} takes no --config")

    # Results in Parquet

    sample_fields: tuple[pa.Field, ...] = (pa.field("sample", pa.string()),)
    """The first columns of a row, which identify the sample."""

    output_fields: tuple[pa.Field, ...] = (pa.field("output", pa.string()),)
    """The last columns of a row, with the output."""

    def sample_arrays(self, samples: list[AnySample]) -> list[pa.Array]:
        """Return the values of each of `sample_fields`."""
        return [pa.array([sample.key for sample in samples])]

    def output_arrays(self, column: Any) -> list[pa.Array]:
        """Return the values of each of `output_fields`.

        Args:
            column: A solver's outputs; in a language of words a `WordColumn`.
        """
        return [pa.array(shown_cut(column, MOST_CHARACTERS), pa.string())]

    # What a search has found

    def write_found(
        self, folder: Path, data: Data[AnySample], solutions: Mapping[str, Sequence[Solution]]
    ) -> None:
        """Write the workload's own files on the results of a search into a folder.

        Args:
            folder: The folder.
            data: The data of the search.
            solutions: By group, the solutions, the best first, no two with the same outputs for the
                tests.

        Raises:
            OSError: A file cannot be written.
            DataError: The data does not fit.
        """

    def turned(self, samples: Sequence[AnySample]) -> list[list[AnySample]]:
        """Return the samples in every other view that means the same, such as turned; none by
        default.

        Of two programs that fit, the one that also fits in more views is the likelier.
        """
        return []

    def in_roles(self, samples: Sequence[AnySample]) -> list[AnySample] | None:
        """Return a group's samples by `roles`; None, the default, if that is of no use."""
        return None

    def oddity(self, samples: Sequence[AnySample], outputs: Sequence[Any]) -> int:
        """Count what speaks against outputs for a group's tests. By default nothing does.

        Args:
            samples: All samples of the group.
            outputs: The outputs for its tests.
        """
        return 0

    # The end of a run

    def report(
        self, data: Data[AnySample], batches: Iterable[Scored], solvers: Collection[str]
    ) -> Report:
        """Sum up a run.

        Args:
            data: The data of the run.
            batches: The batches, with their results.
            solvers: All solvers, in use or not.
        """
        known = right = unknown = computed = 0
        for batch in batches:
            answers = [sample.expected is not None for sample in batch.samples]
            known += sum(answers) * len(batch.matches)
            unknown += sum(answers[lane] for lane in batch.not_computed) * len(batch.matches)
            right += sum(int(matches.sum()) for matches in batch.matches.values())
            computed += (len(answers) - len(batch.not_computed)) * len(batch.matches)
        if not known:
            row = "outputs", str(computed)
            return Report([row], counted(computed, "output"), {"outputs_computed": computed})
        text, rest = f"{right:,} of {known:,}", f", {unknown} unknown" if unknown else ""
        figures = {
            "outputs_expected": known,
            "outputs_right": right,
            "outputs_unknown": unknown,
        }
        return Report([("outputs right", text + rest)], f"{text} outputs right{rest}", figures)


class WorkloadError(ValueError):
    """There is no such workload."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


def named(name: str) -> Workload[Any]:
    """Return a bundled workload, such as arc, or that of a module.

    Raises WorkloadError.
    """
    return _workload_in(WORKLOADS.get(name, name))


def _workload_in(module: str, others: Iterable[str] = ()) -> Workload[Any]:
    """Return the workload of a module. others: Modules to import too."""
    meant = did_you_mean(module, WORKLOADS)
    try:
        found = getattr(import_module(module), "WORKLOAD", None)
        for other in others:
            import_module(other)
    except Exception as error:  # a module may raise anything while it is imported
        reason = why_not_imported(module, error)
        line = f"no workload {module}: cannot import it ({reason}){meant}"
        raise WorkloadError(line) from error
    if found is None:
        within = f"{module}.workload"
        with suppress(ImportError):
            meant = f"; did you mean {within}?" if find_spec(within) else meant
        raise WorkloadError(f"no workload {module}: the module has no WORKLOAD{meant}")
    if not isinstance(found, Workload):
        raise WorkloadError(f"no workload {module}: the module's WORKLOAD is no Workload{meant}")
    if type(found).__module__ != module:  # where other processes would look for it
        raise WorkloadError(f"no workload {module}: it is of a class of {type(found).__module__}")
    return found
