"""Programs as values, many at once: what each gives on each of some samples."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from html import escape
from itertools import chain
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Column, equal
from megabatt.runtime.engine.columns.transfer import columns_to_host
from megabatt.runtime.engine.device.arrays import xp
from megabatt.runtime.engine.device.device import Device, computing_on, to_host
from megabatt.runtime.engine.plan.graph import Distrusted, Graph
from megabatt.runtime.engine.plan.loading import Loader, WrongProgram
from megabatt.runtime.engine.plan.running import Run
from megabatt.runtime.megabatch.run import hardware
from megabatt.runtime.megabatch.workload import Workload, named
from megabatt.runtime.program import Program

Bits = np.ndarray[Any, Any]

OUTPUTS = ("none", "fits", "all")
_PROGRAMS_AT_ONCE = 16384
_PAIRS_AT_ONCE = 1024
_MOST_BYTES = 1 << 30
"""What the values that an evaluator keeps may take before it forgets them."""
_MOST_VALUES = 4_000_000
"""Operations that an evaluator knows before it forgets them."""


class _Outputs:
    """Outputs that were kept, as columns until they are asked for."""

    def __init__(self) -> None:
        self._columns: list[Column] = []
        self._values: dict[int, list[Any]] = {}
        self._places: dict[tuple[int, int], tuple[int, int]] = {}

    def keep(self, column: Column, rows: Bits) -> int:
        """Keep these lanes of a column. Returns its number here, for `place`."""
        kept = column.take(xp.asarray(rows)).compact()
        self._columns += columns_to_host([kept])
        return len(self._columns) - 1

    def place(self, program: int, sample: int, column: int, lane: int) -> None:
        """Say where an output is."""
        self._places[program, sample] = column, lane

    def sharing(self) -> _Outputs:
        """Outputs without any place yet, on the same columns."""
        outputs = _Outputs()
        outputs._columns, outputs._values = self._columns, self._values
        return outputs

    def __contains__(self, key: tuple[int, int]) -> bool:
        return key in self._places

    def __getitem__(self, key: tuple[int, int]) -> Any:
        column, lane = self._places[key]
        if column not in self._values:
            self._values[column] = self._columns[column].decode()
        return self._values[column][lane]


@dataclass
class Evaluation:
    """What programs gave on samples.

    programs        those that were evaluated
    matches         bool (programs, samples): whether the output is the one expected
    known           bool (samples,): whether an output is expected at all
    failed          int64 (programs, samples): failed operations, of those that the program needs;
                    -1 where it was not run
    errors          by the program's place, why it was not run
    operations      distinct operations that the programs have
    seen            how many of these the evaluator had made before
    host_share      of the operation-lanes, how many were computed by scalar code
    seconds         that it took, and how many of these for checking and merging the programs
    """

    programs: Sequence[Program]
    matches: Bits
    known: Bits
    failed: Bits
    errors: dict[int, str]
    operations: int
    seen: int
    host_share: float
    seconds: float
    checking_seconds: float
    _outputs: _Outputs = field(repr=False)
    _kept: str = field(repr=False)

    @cached_property
    def fits(self) -> Bits:
        """bool (programs,): whether every output that is known is given; false where none is."""
        if not self.known.any():
            return np.zeros(len(self.programs), dtype=np.bool_)
        return np.array(self.matches[:, self.known].all(axis=1), dtype=np.bool_)

    def output(self, program: int, sample: int) -> Any:
        """What a program gave on a sample, as a plain value.

        Raises LookupError where it was not kept, see `outputs`, or not computed.
        """
        if program in self.errors:
            raise LookupError(f"program {program} was not run: {self.errors[program]}")
        programs, samples = self.matches.shape
        if not (-programs <= program < programs and -samples <= sample < samples):
            raise LookupError(f"there are {programs} programs and {samples} samples")
        program, sample = program % programs, sample % samples
        if self.failed[program, sample] < 0:
            raise LookupError(f"program {program} was not run on sample {sample}")
        if (program, sample) not in self._outputs:
            raise LookupError(
                f"the output of program {program} on sample {sample} was not kept "
                f"(outputs={self._kept!r}); outputs='all' keeps every one"
            )
        return self._outputs[program, sample]

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> list[str]:
        programs, samples = self.matches.shape
        rate = programs / self.seconds if self.seconds else 0
        lines = [
            f"{programs:,} programs on {samples} samples in {self.seconds:.2f} s "
            f"({rate:,.0f} programs a second): {int(self.fits.sum()):,} fit",
            f"{self.operations:,} operations, {self.seen:,} of them seen before; "
            f"{100 * self.host_share:.2f} % of the work on the host",
        ]
        if self.errors:
            first = min(self.errors)
            name = self.programs[first].name
            lines.append(
                f"{len(self.errors):,} programs not run; the first, {name}: {self.errors[first]}"
            )
        best = self._best()
        if best:
            lines.append("best: " + ", ".join(best))
        return lines

    def _best(self) -> list[str]:
        right = self.matches.sum(axis=1)
        order = np.argsort(-right, kind="stable")[:5]
        of = int(self.known.sum())
        return [f"{self.programs[k].name} {right[k]}/{of}" for k in order if right[k]]

    def _repr_html_(self) -> str:
        return "<pre>" + escape("\n".join(self._lines())) + "</pre>"


class Evaluator:
    """Evaluates programs on the same samples, call after call, each operation once.

    It keeps the operations that it has seen and the values that they have made, and forgets all of
    them when they are too many. Evaluators do not share anything: each may be used by a thread.
    """

    def __init__(
        self,
        samples: Any,
        *,
        device: str = "auto",
        max_elements: int | None = None,
        workload: str | Workload[Any] = "arc",
        explain: Callable[[Program, Any], list[str]] | None = None,
    ) -> None:
        """samples: pairs (input, output) or a task. max_elements: what an operation may build.

        Raises TypeError or ValueError where samples or options are not as they should be.
        """
        self.workload = named(workload) if isinstance(workload, str) else workload
        self.samples = self.workload.given(samples)
        if not self.samples:
            raise ValueError("there are no samples")
        language = self.workload.language
        self.max_elements = language.max_elements if max_elements is None else max_elements
        if self.max_elements < 1:
            raise ValueError("max_elements is less than 1")
        self._explain = explain
        self.device = _device(device)
        self.forget()

    def evaluate(
        self,
        programs: Iterable[Program],
        *,
        outputs: str = "fits",
        stop_at_miss: bool = False,
    ) -> Evaluation:
        """Evaluate programs on all samples.

        outputs: whose to keep for `Evaluation.output`: "none", of programs that fit ("fits"), or
        "all". stop_at_miss: run programs on one sample, and on the others only those that are
        right there; the others match nothing but that.
        """
        if outputs not in OUTPUTS:
            raise ValueError(f"outputs={outputs!r} is none of {', '.join(OUTPUTS)}")
        return _Pass(self, list(programs), outputs, stop_at_miss).evaluation()

    def make_room(self) -> None:
        """Forget all operations where they have become too many."""
        if len(self.graph) > _MOST_VALUES:
            self.forget()

    def forget(self, trusting: bool = True) -> None:
        """Forget all operations. trusting: as of `Graph`."""
        self.graph = Graph(self.workload.language, self.max_elements, trusting)
        self.loader = Loader(self.graph)
        self._runs: dict[tuple[int, ...], Run] = {}

    def run(self, lanes: tuple[int, ...]) -> Run:
        """The run on these samples, with what it has made so far if that is not too much."""
        run = self._runs.get(lanes)
        if run is None or run.bytes_kept > _MOST_BYTES:
            run = self._runs[lanes] = Run(self.graph, [len(lanes)])
            samples = [self.samples[k] for k in lanes]
            for name in self.workload.language.inputs:
                number = self.loader.names(0)[name]
                run.set_input(number, partial(self.workload.column, name, samples))
        return run

    def expected(self, lanes: tuple[int, ...]) -> Column:
        """What is expected of these samples."""
        samples = [self.samples[k] for k in lanes]
        return self.workload.column(self.workload.expected_column, samples)

    def explained(self, program: Program, error: WrongProgram) -> str:
        """What is wrong with a program, in a line."""
        return explained(program, error, self.workload.language, self._explain)


class _Pass:
    """One call of `Evaluator.evaluate`."""

    def __init__(
        self, evaluator: Evaluator, programs: list[Program], outputs: str, stop_at_miss: bool
    ) -> None:
        self._evaluator = evaluator
        self._programs = programs
        self._keep = outputs
        self._stop = stop_at_miss
        n = len(evaluator.samples)
        self._known = _known(evaluator.samples)
        self._matches = np.zeros((len(programs), n), dtype=np.bool_)
        self._failed = np.full((len(programs), n), -1, dtype=np.int64)
        self._outputs = _Outputs()
        self._errors: dict[int, str] = {}
        self._operations = self._seen = self._host = self._lanes = 0

    def evaluation(self) -> Evaluation:
        try:
            return self._evaluation()
        except Distrusted:
            self._evaluator.forget(trusting=False)
            return self._evaluation()

    def _evaluation(self) -> Evaluation:
        began = time.perf_counter()
        evaluator = self._evaluator
        evaluator.make_room()
        before = len(evaluator.graph)
        numbers = self._numbers()
        checked = time.perf_counter()
        cones = _Cones(evaluator.graph, numbers)
        right = np.flatnonzero(numbers >= 0)
        every = tuple(range(len(evaluator.samples)))
        with computing_on(evaluator.device):
            if self._stop and self._known.any():
                first = int(np.argmax(self._known))
                self._evaluate(cones, numbers, right, (first,))
                right = right[self._matches[right, first]]
                every = every[:first] + every[first + 1 :]
            if every:
                self._evaluate(cones, numbers, right, every)
        operations = cones.distinct()
        return Evaluation(
            programs=self._programs,
            matches=self._matches,
            known=self._known,
            failed=self._failed,
            errors=self._errors,
            operations=len(operations),
            seen=int((operations < before).sum()),
            host_share=self._host / max(self._lanes, 1),
            seconds=time.perf_counter() - began,
            checking_seconds=checked - began,
            _outputs=self._outputs,
            _kept=self._keep,
        )

    def _numbers(self) -> Bits:
        """The number of what each program returns; -1 for those that are wrong."""
        add = self._evaluator.loader.add
        numbers = np.full(len(self._programs), -1, dtype=np.int64)
        for k, program in enumerate(self._programs):
            try:
                numbers[k] = add(program)
            except WrongProgram as error:
                self._errors[k] = self._evaluator.explained(program, error)
        return numbers

    def _evaluate(
        self, cones: _Cones, numbers: Bits, programs: Bits, lanes: tuple[int, ...]
    ) -> None:
        """Run programs (their places) on some samples, a number of programs at a time."""
        for at in range(0, len(programs), _PROGRAMS_AT_ONCE):
            chunk = programs[at : at + _PROGRAMS_AT_ONCE]
            run = self._evaluator.run(lanes)
            host, done = run.host_lanes, run.operation_lanes
            distinct, which = np.unique(numbers[chunk], return_inverse=True)
            run.make(distinct.tolist())
            self._compare(run, chunk, distinct, which, lanes)
            members, begins = cones.of(chunk)
            self._failed[np.ix_(chunk, np.array(lanes))] = run.failures(members, begins, len(lanes))
            self._host += run.host_lanes - host
            self._lanes += run.operation_lanes - done

    def _compare(
        self, run: Run, chunk: Bits, distinct: Bits, which: Bits, lanes: tuple[int, ...]
    ) -> None:
        """Note which programs of a chunk match, and keep the outputs that are to be kept.

        which: of the distinct outputs, each program's.
        """
        known = self._known[list(lanes)]
        column = run.column(distinct, len(lanes))
        matches = np.zeros((len(distinct), len(lanes)), dtype=np.bool_)
        if known.any():
            expected = self._evaluator.expected(lanes)
            every = xp.asarray(np.tile(np.arange(len(lanes)), len(distinct)))
            same = to_host(equal(column, expected.take(every)))
            matches = same.reshape(len(distinct), len(lanes)) & known
        self._matches[np.ix_(chunk, np.array(lanes))] = matches[which]
        if self._keep == "none":
            return
        kept = np.ones(len(distinct), dtype=np.bool_)
        if self._keep == "fits":
            kept = np.array(matches[:, known].all(axis=1) & known.any(), dtype=np.bool_)
        places = np.flatnonzero(kept)
        rows = (places[:, None] * len(lanes) + np.arange(len(lanes))).ravel()
        number = self._outputs.keep(column, rows) if len(rows) else 0
        at = {int(place): k * len(lanes) for k, place in enumerate(places)}
        for program, place in zip(chunk.tolist(), which.tolist(), strict=True):
            if place in at:
                for k, lane in enumerate(lanes):
                    self._outputs.place(program, lane, number, at[place] + k)


def evaluate_each(
    pairs: Iterable[tuple[Program, Any]],
    *,
    device: str = "auto",
    max_elements: int | None = None,
    workload: str | Workload[Any] = "arc",
    outputs: str = "fits",
    explain: Callable[[Program, Any], list[str]] | None = None,
) -> list[Evaluation]:
    """Evaluate programs on samples of their own, all side by side.

    pairs: (program, samples), samples as `Evaluator` takes them. outputs: as of
    `Evaluator.evaluate`. Returns an evaluation of one program for each pair. `seconds` and
    `host_share` are those of all that ran beside it. Raises TypeError or ValueError.
    """
    if outputs not in OUTPUTS:
        raise ValueError(f"outputs={outputs!r} is none of {', '.join(OUTPUTS)}")
    chosen = named(workload) if isinstance(workload, str) else workload
    found = list(pairs)
    evaluations: list[Evaluation] = []
    for at in range(0, len(found), _PAIRS_AT_ONCE):
        each = _Each(chosen, found[at : at + _PAIRS_AT_ONCE], max_elements, outputs, explain)
        with computing_on(_device(device)):
            evaluations += each.evaluations()
    return evaluations


class _Each:
    """Some programs, each on samples of its own."""

    def __init__(
        self,
        workload: Workload[Any],
        pairs: list[tuple[Program, Any]],
        max_elements: int | None,
        outputs: str,
        explain: Callable[[Program, Any], list[str]] | None,
    ) -> None:
        self._workload = workload
        self._programs = [program for program, _ in pairs]
        self._keep = outputs
        self._explain = explain
        language = workload.language
        self._max_elements = language.max_elements if max_elements is None else max_elements
        self._samples: list[list[Any]] = []
        self._domains: list[int] = []
        of_given: dict[int, int] = {}
        for _, given in pairs:
            domain = of_given.setdefault(id(given), len(self._samples))
            if domain == len(self._samples):
                self._samples.append(workload.given(given))
            self._domains.append(domain)

    def evaluations(self) -> list[Evaluation]:
        try:
            return self._evaluations(trusting=True)
        except Distrusted:
            return self._evaluations(trusting=False)

    def _evaluations(self, trusting: bool) -> list[Evaluation]:
        began = time.perf_counter()
        graph = Graph(self._workload.language, self._max_elements, trusting)
        loader = Loader(graph)
        numbers, errors = self._numbers(loader)
        checked = time.perf_counter()
        run = self._run(graph, loader)
        right = np.flatnonzero(numbers >= 0)
        run.make(np.unique(numbers[right]).tolist())
        matches, outputs = self._compared(run, numbers, right)
        cones = _Cones(graph, numbers)
        evaluations = []
        for k, program in enumerate(self._programs):
            samples = self._samples[self._domains[k]]
            failed = np.full((1, len(samples)), -1, dtype=np.int64)
            if k not in errors:
                failed = run.failures(*cones.of(np.array([k])), len(samples))
            evaluations.append(
                Evaluation(
                    programs=[program],
                    matches=matches[k][None],
                    known=_known(samples),
                    failed=failed,
                    errors={0: errors[k]} if k in errors else {},
                    operations=int(cones.count(k)),
                    seen=0,
                    host_share=run.host_lanes / max(run.operation_lanes, 1),
                    seconds=0.0,
                    checking_seconds=checked - began,
                    _outputs=outputs[k],
                    _kept=self._keep,
                )
            )
        seconds = time.perf_counter() - began
        for evaluation in evaluations:
            evaluation.seconds = seconds
        return evaluations

    def _numbers(self, loader: Loader) -> tuple[Bits, dict[int, str]]:
        numbers = np.full(len(self._programs), -1, dtype=np.int64)
        errors: dict[int, str] = {}
        for k, (program, domain) in enumerate(zip(self._programs, self._domains, strict=True)):
            try:
                numbers[k] = loader.add(program, domain)
            except WrongProgram as error:
                errors[k] = explained(program, error, self._workload.language, self._explain)
        return numbers, errors

    def _run(self, graph: Graph, loader: Loader) -> Run:
        run = Run(graph, list(map(len, self._samples)))
        for domain, samples in enumerate(self._samples):
            for name in self._workload.language.inputs:
                number = loader.names(domain)[name]
                run.set_input(number, partial(self._workload.column, name, samples))
        return run

    def _compared(self, run: Run, numbers: Bits, right: Bits) -> tuple[list[Bits], list[_Outputs]]:
        """Where each program's outputs are the ones expected; those of its outputs to keep."""
        of_programs = [self._samples[domain] for domain in self._domains]
        matches = [np.zeros(len(samples), dtype=np.bool_) for samples in of_programs]
        outputs = [_Outputs() for _ in of_programs]
        if not len(right):
            return matches, outputs
        counts = np.array([len(of_programs[k]) for k in right])
        column = run.column(numbers[right], counts)
        every = [sample for k in right for sample in of_programs[k]]
        expected = self._workload.column(self._workload.expected_column, every)
        flags = to_host(equal(column, expected)) & _known(every)
        kept: list[tuple[int, int, int]] = []
        for k, begin, count in zip(right.tolist(), np.cumsum(counts) - counts, counts, strict=True):
            matches[k] = flags[begin : begin + count]
            known = _known(of_programs[k])
            if self._keep == "all" or (known.any() and matches[k][known].all()):
                kept += [(k, lane, int(begin) + lane) for lane in range(count)]
        if self._keep != "none" and kept:
            all_kept = _Outputs()
            number = all_kept.keep(column, np.array([row for _, _, row in kept]))
            for at, (k, lane, _) in enumerate(kept):
                outputs[k] = outputs[k] if (0, 0) in outputs[k] else all_kept.sharing()
                outputs[k].place(0, lane, number, at)
        return matches, outputs


def _known(samples: list[Any]) -> Bits:
    """Of which samples an output is expected; bool (samples,)."""
    return np.array([sample.expected is not None for sample in samples], dtype=np.bool_)


def explained(
    program: Program,
    error: WrongProgram,
    language: Any,
    explain: Callable[[Program, Any], list[str]] | None,
) -> str:
    """What is wrong with a program, in a line."""
    found = explain(program, language) if explain is not None else []
    return "; ".join(found) or str(error)


class _Cones:
    """The operations that each program needs."""

    def __init__(self, graph: Graph, numbers: Bits) -> None:
        cones = [sorted(graph.cone(number)) if number >= 0 else [] for number in numbers.tolist()]
        self._counts = np.array(list(map(len, cones)), dtype=np.int64)
        self._ends = np.cumsum(self._counts)
        self._members = np.fromiter(chain.from_iterable(cones), np.int64, int(self._counts.sum()))

    def of(self, programs: Bits) -> tuple[Bits, Bits]:
        """The operations of programs one after the other, and where each one's begin and end."""
        counts = self._counts[programs]
        ends = np.cumsum(counts)
        first = self._ends[programs] - counts
        index = np.repeat(first - (ends - counts), counts) + np.arange(int(counts.sum()))
        return self._members[index], np.concatenate([[0], ends])

    def count(self, program: int) -> int:
        """How many operations a program needs."""
        return int(self._counts[program])

    def distinct(self) -> Bits:
        """Each operation once."""
        return np.unique(self._members)


def _device(name: str) -> Device:
    """The device of `auto`, `cpu` or `cuda`. Raises ValueError where there is none such."""
    names, why = hardware.choose(name)
    if name == "cuda" and names == ["cpu"]:
        raise ValueError(why.replace(", going on on the CPU", ""))
    return hardware.opened(names[0])
