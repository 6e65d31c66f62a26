"""Workloads: a language's samples, and the treatment of programs' results.

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
from itertools import repeat
from operator import attrgetter, is_not
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
from megabatt.runtime.printable import brief, short, why_not_imported
from megabatt.runtime.vocabulary import counted, did_you_mean

MOST_CHARACTERS = 1 << 16
"""The most characters of a value's text in results; a longer text is cut, and marked as cut."""


class Scored(Protocol):
    """A batch's samples, with flags of right outputs.

    matches: Flags by solver, bool (samples,). not_computed: Why samples could not be computed, by
    position; no output of such a sample is right.
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

    config: The file. out: The folder to write to. folder: The folder of generated programs.
    batch_size: The batch size; None for the configuration's. resume: Whether to go on with the run
    in `out`. overwrite: Whether to delete the run in `out` first.
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
        rows: The first rows of the run's table, each a label and a text.
        last_line: The last line.
        figures: The workload's part of `summary.json`.
        lines: Lines before the last line.
    """

    rows: list[tuple[str, str]]
    last_line: str
    figures: dict[str, Any]
    lines: tuple[str, ...] = ()


class Roles(NamedTuple):
    """A language's functions that turn values into roles and back, by name.

    Both functions take a value and the input named `input`. there: Returns roles. back: Returns
    values.
    """

    input: str
    there: str
    back: str


class Solution(NamedTuple):
    """A program for a group.

    code: The source. outputs: The outputs for the group's tests. fits: Whether the program fits all
    demonstrations; otherwise the program is a guess.
    """

    code: str
    origin: str
    outputs: tuple[Any, ...]
    fits: bool = True


class Workload(Generic[AnySample]):
    """A language's samples, and the treatment of programs' results on the samples.

    A subclass must have `name`, `language` and `load`, and `unanswered` if programs can read the
    expected output; everything else has a default. All samples of a group must have the same Python
    object as the language's shared input, except what `unshown` returns.

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
    """The folder of the bundled programs, inside `generated`; these programs run by default."""
    batch_size: int = 1000
    """The number of samples in a batch on a CPU, unless a sweep or the caller says otherwise."""
    draws: Draws | None = None
    """The fuzzer's knowledge of the language; None if the language cannot be fuzzed."""
    images: Images | None = None
    """The vocabulary of images; None if a search should not build outputs in layers."""
    aspects: Mapping[str, str] = {}
    """Images of the input that show numbers of its cells, by name, for a search to learn rules."""
    roles: Roles | None = None
    """The functions that give values roles; None if a search should not use roles."""
    vocabularies: Mapping[str, Collection[str]] = {}
    """Sets of primitives to which a search may be limited, by name."""
    group_names: re.Pattern[str] = re.compile("(?!)")
    """The pattern of a group's name in a program's name; matches nothing by default."""
    shown: Shown[Any] = Shown()
    """The display of samples, values and results."""

    def __init_subclass__(cls) -> None:
        """Raise TypeError if the default of `unanswered` would give expected outputs away."""
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
        """Return a Python caller's samples, given in any form that the workload accepts.

        By default, a workload accepts only samples.

        Raises:
            TypeError: An element is not a sample.
            ValueError: A sample has a wrong value.
        """
        source = f"samples of {self.name}, such as {type(self).__module__}.WORKLOAD.load().samples"
        listed = list(elements("samples", samples, f"a list of {source}"))
        for k, sample in enumerate(listed):
            if not hasattr(sample, "expected"):
                raise TypeError(f"sample {k} is none of the {source}, but {short(sample)}")
        return listed

    def load_group(self, group: str, **options: Any) -> Data[AnySample]:
        """Load the samples of one group. By default, loads all data and selects the group.

        Args:
            group: The name of the group.
            options: The workload's `options`, without the options that choose groups.

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
        """The names of the inputs that the samples of a group share."""
        return () if self.language.shared is None else (self.language.shared,)

    # Inputs

    @property
    def expected_column(self) -> str:
        """The name of the input, or of the extra column, with the expected output."""
        return self.language.expected or "expected"

    def inputs_of(self, sample: AnySample) -> tuple[Any, ...]:
        """Return a sample's inputs in the language's order."""
        return tuple(getattr(sample, name) for name in self.language.inputs)

    def column(self, name: str, samples: list[AnySample]) -> Column:
        """Return the samples' input or expected outputs as a column. name: As for `words`.

        Only for languages of columns.
        """
        return encode([getattr(sample, name) for sample in samples])

    def words(self, name: str, parts: Sequence[Sequence[AnySample]], heap: Heap) -> Numbers:
        """Put the samples' input, or expected outputs, into a heap. Only for languages of words.

        Args:
            name: The name of the input, or `expected_column`.
            parts: Lists of samples, such as a list for each of several tasks.
            heap: The heap.

        Returns:
            The words of all samples, part after part, int64 (samples,).

        Raises:
            NoWord: Words cannot hold a value.
        """
        return heap.put_all(getattr(sample, name) for part in parts for sample in part)

    def known(self, samples: Sequence[AnySample]) -> np.ndarray[Any, Any]:
        """Flag the samples whose expected output is known; bool (samples,)."""
        outputs = map(attrgetter(self.expected_column), samples)
        return np.fromiter(map(is_not, outputs, repeat(None)), dtype=np.bool_)

    def is_test(self, sample: AnySample) -> bool:
        """Tell whether a search should answer the sample instead of learning from the sample."""
        return sample.expected is None

    def are_tests(self, samples: Iterable[AnySample]) -> np.ndarray[Any, Any]:
        """Flag the samples that are tests by `is_test`; bool (samples,)."""
        return np.fromiter(map(self.is_test, samples), np.bool_)

    def in_group(self, sample: AnySample, group: str) -> AnySample:
        """Return the sample moved to another group; by default, return the sample unchanged."""
        return sample

    def unanswered(self, sample: AnySample) -> AnySample:
        """Return the sample with its expected output removed.

        By default, returns the sample unchanged. That is right for a language without an input for
        the expected output, since programs cannot read the output, and for the default of
        `is_test`, since no sample with an expected output is then a test.
        """
        return sample

    def unshown(self, sample: AnySample) -> AnySample:
        """Return a demonstration with its own pair removed from the demonstrations that it shows.

        A search judges programs on what this returns. By default, returns the sample unchanged.
        That is right for a language without an input that shows demonstrations.
        """
        return sample

    def closeness(self, outputs: Column, expected: Column) -> Array:
        """Rate how close outputs come to the expected outputs; float32 (n,), from 0 to 1.

        Only equal outputs are rated 1. By default, all other outputs are rated 0.
        """
        return same(outputs, expected, self.language.same).astype(xp.float32)

    def closeness_of_words(self, heap: Heap, outputs: Numbers, expected: Numbers) -> Array:
        """Rate words of a heap, int64 (n,), as `closeness` rates columns."""
        return heap.same(outputs, expected).astype(np.float32)

    def closeness_on_host(self, values: Any, outputs: Numbers, expected: Numbers) -> Array:
        """Rate values that an executor has brought to the host, as `closeness` rates columns."""
        if self.language.of_words:
            return self.closeness_of_words(values, outputs, expected)
        return self.closeness(values.column(outputs), values.column(expected))

    def cells(self, values: Any, outputs: Numbers, expected: Numbers) -> Array:
        """Return the share of right cells of each wrong output; float32 (n,), by default zeros.

        Args:
            values: The values that an executor has brought to the host.
            outputs: The numbers of the outputs.
            expected: The numbers of the expected outputs.
        """
        return np.zeros(len(outputs), dtype=np.float32)

    def unlikely_constants(self, samples: list[AnySample]) -> Collection[str]:
        """Name the constants that programs for these samples hardly ever use; none by default."""
        return ()

    def variants(
        self, samples: list[AnySample], random: np.random.Generator
    ) -> Iterator[AnySample]:
        """Yield variants of the samples without end; none by default."""
        return iter(())

    # Runs of configuration files

    def run_configured(self, asked: Configured, console: Console) -> int:
        """Run a configuration file, instead of programs on samples. Returns the exit status.

        Raises:
            DataError: The file is wrong, or the workload has no configuration files.
        """
        raise DataError(f"the workload {self.name} takes no --config")

    # Results in Parquet

    sample_fields: tuple[pa.Field, ...] = (pa.field("sample", pa.string()),)
    """The fields of the first columns, which identify a row's sample."""

    output_fields: tuple[pa.Field, ...] = (pa.field("output", pa.string()),)
    """The fields of the last columns, with a row's output."""

    def sample_arrays(self, samples: list[AnySample]) -> list[pa.Array]:
        """Return the samples' values for each of `sample_fields`."""
        return [pa.array([sample.key for sample in samples])]

    def output_arrays(self, column: Any) -> list[pa.Array]:
        """Return the outputs' values for each of `output_fields`.

        Args:
            column: A solver's outputs; in a language of words a `WordColumn`.
        """
        return [pa.array(shown_cut(column, MOST_CHARACTERS), pa.string())]

    # Results of a search

    def write_found(
        self, folder: Path, data: Data[AnySample], solutions: Mapping[str, Sequence[Solution]]
    ) -> None:
        """Write the workload's own files on the results of a search. By default, writes nothing.

        Args:
            folder: The folder.
            data: The data of the search.
            solutions: The solutions by group, the best first; no two of a group have the same
                outputs for the tests.

        Raises:
            OSError: A file cannot be written.
            DataError: The data does not fit.
        """

    def turned(self, samples: Sequence[AnySample]) -> list[list[AnySample]]:
        """Return the samples in each further view of the same meaning, such as turned.

        By default, there are no views. A program that fits in more views is likelier to be right.
        """
        return []

    def in_roles(self, samples: Sequence[AnySample]) -> list[AnySample] | None:
        """Return a group's samples with roles in place of values; None, the default, if useless."""
        return None

    def oddity(self, samples: Sequence[AnySample], outputs: Sequence[Any]) -> int:
        """Count the oddities of outputs for a group's tests; 0 by default.

        Args:
            samples: All samples of the group.
            outputs: The outputs for the group's tests.
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
            solvers: The names of all solvers, whether they ran or not.
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
    """The workload does not exist or cannot be imported."""

    def __init__(self, message: str) -> None:
        super().__init__(brief(message))


def named(name: str) -> Workload[Any]:
    """Return a bundled workload, such as arc, or a module's WORKLOAD. Raises WorkloadError."""
    return _workload_in(WORKLOADS.get(name, name))


def _workload_in(module: str, others: Iterable[str] = ()) -> Workload[Any]:
    """Return the WORKLOAD of a module. others: Further modules to import."""
    try:
        found = getattr(import_module(module), "WORKLOAD", None)
        for other in others:
            import_module(other)
    except (Exception, SystemExit) as error:  # a module may raise anything while it is imported
        reason = why_not_imported(module, error)
        line = f"no workload {module}: cannot import it ({reason}){_meant(module)}"
        raise WorkloadError(line) from error
    if found is None:
        within, meant = f"{module}.workload", _meant(module)
        with suppress(ImportError):
            meant = f"; did you mean {within}?" if find_spec(within) else meant
        raise WorkloadError(f"no workload {module}: the module has no WORKLOAD{meant}")
    if not isinstance(found, Workload):
        line = f"no workload {module}: the module's WORKLOAD is no Workload{_meant(module)}"
        raise WorkloadError(line)
    if type(found).__module__ != module:  # where other processes would look for it
        raise WorkloadError(f"no workload {module}: it is of a class of {type(found).__module__}")
    lacks = [f"`{part}`" for part in ("name", "language") if not hasattr(found, part)]
    if type(found).load is Workload.load:
        lacks.append("method `load`")
    if lacks:
        what = f"{type(found).__name__} has no {' and no '.join(lacks)}"
        raise WorkloadError(f"no workload {module}: {what}")
    return found


def _meant(module: str) -> str:
    return did_you_mean(module, WORKLOADS)
