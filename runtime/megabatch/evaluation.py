"""Programs as values, many at once: what each gives on each of some samples."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from html import escape
from itertools import chain, repeat
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.registry import Language
from megabatt.runtime.engine.columns import Column, Uniform, same
from megabatt.runtime.engine.columns.transfer import columns_to_host
from megabatt.runtime.engine.device.arrays import xp
from megabatt.runtime.engine.device.device import Device, computing_on, to_host
from megabatt.runtime.engine.limits import SHORTAGES
from megabatt.runtime.engine.plan.graph import UNKNOWN, Distrusted, Graph
from megabatt.runtime.engine.plan.loading import Loader, WrongProgram
from megabatt.runtime.engine.plan.running import Run
from megabatt.runtime.megabatch.run import hardware
from megabatt.runtime.megabatch.run.compute import reason_of
from megabatt.runtime.megabatch.workload import Workload, named
from megabatt.runtime.program import Program
from megabatt.runtime.program import program as written
from megabatt.runtime.vocabulary import mistakes

Bits = np.ndarray[Any, Any]

OUTPUTS = ("none", "fits", "all")
_LANES_AT_ONCE = 1 << 17
"""Of programs on samples, how many are evaluated before the next."""
_PAIRS_AT_ONCE = 1024
_MOST_BYTES = 1 << 30
"""What the values that an evaluator keeps may take before it forgets them."""
_MOST_VALUES = 4_000_000
"""Operations that an evaluator knows before it forgets them."""


class _Columns:
    """Columns of outputs that were kept, decoded when one of them is first asked for."""

    def __init__(self) -> None:
        self._columns: list[Column] = []
        self._values: dict[int, list[Any]] = {}

    def keep(self, column: Column, rows: Bits) -> int:
        """Keep these lanes of a column. Returns its number."""
        kept = column.take(xp.asarray(rows)).compact()
        self._columns += columns_to_host([kept])
        return len(self._columns) - 1

    def value(self, number: int, lane: int) -> Any:
        if number not in self._values:
            self._values[number] = self._columns[number].decode()
        return self._values[number][lane]


class _Outputs:
    """Where the outputs of programs on samples were kept."""

    def __init__(self, programs: int, samples: int, columns: _Columns) -> None:
        self._columns = columns
        self._numbers = np.full((programs, samples), -1, dtype=np.int32)
        self._lanes = np.zeros((programs, samples), dtype=np.int64)

    def place(self, programs: Any, samples: Any, number: int, lanes: Any) -> None:
        """Say in which lanes of a column some outputs are; the first two as of an index."""
        self._numbers[programs, samples] = number
        self._lanes[programs, samples] = lanes

    def keep_only(self, programs: Bits) -> None:
        """Forget the outputs of the other programs. programs: bool."""
        self._numbers[~programs] = -1

    def __contains__(self, key: tuple[int, int]) -> bool:
        return bool(self._numbers[key] >= 0)

    def __getitem__(self, key: tuple[int, int]) -> Any:
        return self._columns.value(int(self._numbers[key]), int(self._lanes[key]))


@dataclass
class Evaluation:
    """What programs gave on samples.

    programs        those that were evaluated
    matches         bool (programs, samples): whether the output is the one expected
    closeness       float32 (programs, samples): how close the output comes to what is expected, as
                    the workload has it, from 0 to 1; None where it was not asked for
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
    closeness: Bits | None
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
        programs, samples = self.matches.shape
        if not (-programs <= program < programs and -samples <= sample < samples):
            raise LookupError(f"there are {programs} programs and {samples} samples")
        program, sample = program % programs, sample % samples
        if program in self.errors:
            raise LookupError(f"program {program} was not run: {self.errors[program]}")
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
        blind: bool = False,
    ) -> None:
        """samples: pairs (input, output) or a task. max_elements: what an operation may build.

        blind: programs that read what is expected read None. Raises TypeError or ValueError where
        samples or options are not as they should be.
        """
        self.workload = named(workload) if isinstance(workload, str) else workload
        self.samples = _samples(self.workload, samples)
        self.max_elements = _limit(self.workload, max_elements)
        self._blind = blind
        self.device = _device(device, len(self.samples))
        self.forget()

    def evaluate(
        self,
        programs: Iterable[Program],
        *,
        outputs: str = "fits",
        stop_at_miss: bool = False,
        closeness: bool = False,
    ) -> Evaluation:
        """Evaluate programs on all samples.

        outputs: whose to keep for `Evaluation.output`: "none", of programs that fit ("fits"), or
        "all". stop_at_miss: run programs on one sample, and on the others only those that are
        right there; the others match nothing but that. closeness: whether to measure it.
        """
        _check_outputs(outputs)
        given = _programs(programs)
        if len(self.graph) > _MOST_VALUES:
            self.forget()
        with self.workload.language.in_use():
            try:
                return _Pass(self, given, outputs, stop_at_miss, closeness).evaluation()
            except Distrusted:
                self.forget(trusting=False)
                return _Pass(self, given, outputs, stop_at_miss, closeness).evaluation()

    def forget(self, trusting: bool = True) -> None:
        """Forget all operations. trusting: as of `Graph`."""
        self.graph = Graph(self.workload.language, self.max_elements, trusting)
        with self.workload.language.in_use():
            self.loader = Loader(self.graph)
        self.cones = _Cones(self.graph)
        self._runs: dict[tuple[int, ...], Run] = {}

    def run(self, lanes: tuple[int, ...]) -> Run:
        """The run on these samples, with what it has made so far if that is not too much."""
        run = self._runs.get(lanes)
        if run is None or run.bytes_kept > _MOST_BYTES:
            run = self._runs[lanes] = Run(self.graph, [len(lanes)])
            samples = [self.samples[k] for k in lanes]
            _set_inputs(run, self.loader, 0, self.workload, samples, self._blind)
        return run

    def expected(self, lanes: tuple[int, ...]) -> Column:
        """What is expected of these samples."""
        samples = [self.samples[k] for k in lanes]
        return self.workload.column(self.workload.expected_column, samples)

    def numbers(self, programs: Sequence[Program]) -> tuple[Bits, dict[int, str]]:
        """As of `_numbers`."""
        return _numbers(self.loader, programs, repeat(0), self.workload.language)


class _Pass:
    """One call of `Evaluator.evaluate`."""

    def __init__(
        self,
        evaluator: Evaluator,
        programs: list[Program],
        outputs: str,
        stop_at_miss: bool,
        closeness: bool,
    ) -> None:
        self._evaluator = evaluator
        self._programs = programs
        self._keep = outputs
        self._stop = stop_at_miss
        n = len(evaluator.samples)
        self._known = _known(evaluator.samples)
        self._matches = np.zeros((len(programs), n), dtype=np.bool_)
        self._failed = np.full((len(programs), n), -1, dtype=np.int64)
        self._closeness = np.zeros((len(programs), n), dtype=np.float32) if closeness else None
        self._columns = _Columns()
        self._outputs = _Outputs(len(programs), n, self._columns)
        self._host = self._lanes = 0

    def evaluation(self) -> Evaluation:
        began = time.perf_counter()
        evaluator = self._evaluator
        before = len(evaluator.graph)
        numbers, errors = evaluator.numbers(self._programs)
        checked = time.perf_counter()
        self._needed = np.zeros(len(evaluator.graph), dtype=np.bool_)
        right = np.flatnonzero(numbers >= 0)
        every = tuple(range(len(evaluator.samples)))
        with computing_on(evaluator.device):
            if self._stop and self._known.any():
                first = int(np.argmax(self._known))
                self._evaluate(numbers, right, (first,))
                right = right[self._matches[right, first]]
                every = every[:first] + every[first + 1 :]
            if every:
                self._evaluate(numbers, right, every)
        evaluation = Evaluation(
            programs=self._programs,
            matches=self._matches,
            closeness=self._closeness,
            known=self._known,
            failed=self._failed,
            errors=errors,
            operations=int(self._needed.sum()),
            seen=int(self._needed[:before].sum()),
            host_share=self._host / max(self._lanes, 1),
            seconds=time.perf_counter() - began,
            checking_seconds=checked - began,
            _outputs=self._outputs,
            _kept=self._keep,
        )
        if self._keep == "fits":
            self._outputs.keep_only(evaluation.fits)
        return evaluation

    def _evaluate(self, numbers: Bits, programs: Bits, lanes: tuple[int, ...]) -> None:
        """Run programs (their places) on some samples, a number of programs at a time."""
        at_once = max(_LANES_AT_ONCE // len(lanes), 1)
        for at in range(0, len(programs), at_once):
            chunk = programs[at : at + at_once]
            run = self._evaluator.run(lanes)
            host, done = run.host_lanes, run.operation_lanes
            distinct, which = np.unique(numbers[chunk], return_inverse=True)
            members, begins = self._evaluator.cones.of(distinct)
            self._needed[members] = True
            _make(run, distinct, members)
            self._compare(run, chunk, distinct, which, lanes)
            failed = run.failures(members, begins, len(lanes))
            self._failed[np.ix_(chunk, np.array(lanes))] = failed[which]
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
            every = xp.asarray(np.tile(np.arange(len(lanes)), len(distinct)))
            expected = self._evaluator.expected(lanes).take(every)
            judge = self._evaluator.workload.language.same
            found = to_host(same(column, expected, judge))
            matches = found.reshape(len(distinct), len(lanes)) & known
            if self._closeness is not None:
                close = to_host(self._evaluator.workload.closeness(column, expected))
                close = np.where(known, close.reshape(len(distinct), len(lanes)), 0)
                self._closeness[np.ix_(chunk, np.array(lanes))] = close[which]
        self._matches[np.ix_(chunk, np.array(lanes))] = matches[which]
        if self._keep == "none":
            return
        kept = np.ones(len(distinct), dtype=np.bool_)
        if self._keep == "fits":
            kept = np.array(matches[:, known].all(axis=1) & self._known.any(), dtype=np.bool_)
        if not kept.any():
            return
        rows = (np.flatnonzero(kept)[:, None] * len(lanes) + np.arange(len(lanes))).ravel()
        number = self._columns.keep(column, rows)
        of_programs = np.flatnonzero(kept[which])
        first = (np.cumsum(kept) - 1)[which[of_programs], None] * len(lanes)
        self._outputs.place(
            chunk[of_programs, None], np.array(lanes), number, first + np.arange(len(lanes))
        )


def evaluate_each(
    pairs: Iterable[tuple[Program, Any]],
    *,
    device: str = "auto",
    max_elements: int | None = None,
    workload: str | Workload[Any] = "arc",
    outputs: str = "fits",
    blind: bool = False,
) -> list[Evaluation]:
    """Evaluate programs on samples of their own, all side by side.

    pairs: (program, samples), samples as `Evaluator` takes them. outputs: as of
    `Evaluator.evaluate`; blind: as of `Evaluator`. Returns an evaluation of one program for each
    pair. `seconds` and `host_share` are those of all that ran beside it. Raises TypeError or
    ValueError.
    """
    _check_outputs(outputs)
    chosen = named(workload) if isinstance(workload, str) else workload
    limit = _limit(chosen, max_elements)
    found = [_pair(k, pair) for k, pair in enumerate(pairs)]
    opened = _device(device, 0)
    evaluations: list[Evaluation] = []
    for at in range(0, len(found), _PAIRS_AT_ONCE):
        part = found[at : at + _PAIRS_AT_ONCE]
        each = _Each(chosen, part, limit, outputs, blind)
        with computing_on(opened):
            evaluations += each.evaluations()
    return evaluations


def _pair(place: int, pair: Any) -> tuple[Program, Any]:
    """A program and its samples. Raises TypeError."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[0], Program):
        raise TypeError(f"pair {place} is no (program, samples)")
    return pair[0], pair[1]


class _Each:
    """Some programs, each on samples of its own.

    A domain is the samples of a program; programs that are given the same object share theirs.
    """

    def __init__(
        self,
        workload: Workload[Any],
        pairs: list[tuple[Program, Any]],
        limit: int,
        outputs: str,
        blind: bool,
    ) -> None:
        self._blind = blind
        self._workload = workload
        self._programs = [program for program, _ in pairs]
        self._limit = limit
        self._keep = outputs
        self._samples: list[list[Any]] = []
        self._domains: list[int] = []
        of_given: dict[int, int] = {}
        for _, given in pairs:
            domain = of_given.setdefault(id(given), len(self._samples))
            if domain == len(self._samples):
                self._samples.append(_samples(workload, given))
            self._domains.append(domain)

    def evaluations(self) -> list[Evaluation]:
        with self._workload.language.in_use():
            try:
                return self._evaluations(trusting=True)
            except Distrusted:
                return self._evaluations(trusting=False)

    def _evaluations(self, trusting: bool) -> list[Evaluation]:
        began = time.perf_counter()
        graph = Graph(self._workload.language, self._limit, trusting)
        loader = Loader(graph)
        numbers, errors = _numbers(loader, self._programs, self._domains, graph.language)
        checked = time.perf_counter()
        run = self._run(graph, loader)
        right = np.flatnonzero(numbers >= 0)
        members, begins = _Cones(graph).of(numbers[right])
        _make(run, numbers[right], members)
        matches, outputs = self._compared(run, numbers, right)
        failed = self._failures(run, members, begins, right)
        operations = np.zeros(len(numbers), dtype=np.int64)
        operations[right] = np.diff(begins)
        host_share = run.host_lanes / max(run.operation_lanes, 1)
        seconds = time.perf_counter() - began
        return [
            Evaluation(
                programs=[program],
                matches=matches[k][None],
                closeness=None,
                known=_known(self._samples[self._domains[k]]),
                failed=failed[k][None],
                errors={0: errors[k]} if k in errors else {},
                operations=int(operations[k]),
                seen=0,
                host_share=host_share,
                seconds=seconds,
                checking_seconds=checked - began,
                _outputs=outputs[k],
                _kept=self._keep,
            )
            for k, program in enumerate(self._programs)
        ]

    def _run(self, graph: Graph, loader: Loader) -> Run:
        run = Run(graph, list(map(len, self._samples)))
        for domain, samples in enumerate(self._samples):
            _set_inputs(run, loader, domain, self._workload, samples, self._blind)
        return run

    def _compared(self, run: Run, numbers: Bits, right: Bits) -> tuple[list[Bits], list[_Outputs]]:
        """Where each program's outputs are the ones expected; those of its outputs to keep."""
        of_programs = [self._samples[domain] for domain in self._domains]
        matches = [np.zeros(len(samples), dtype=np.bool_) for samples in of_programs]
        columns = _Columns()
        outputs = [_Outputs(1, len(samples), columns) for samples in of_programs]
        if not len(right):
            return matches, outputs
        counts = np.array([len(of_programs[k]) for k in right])
        column = run.column(numbers[right], counts)
        every = [sample for k in right for sample in of_programs[k]]
        expected = self._workload.column(self._workload.expected_column, every)
        known = _known(every)
        found = to_host(same(column, expected, self._workload.language.same)) & known
        kept: list[Bits] = []
        placed = 0
        begins = np.cumsum(counts) - counts
        for k, begin, count in zip(right.tolist(), begins.tolist(), counts.tolist(), strict=True):
            rows = np.arange(begin, begin + count)
            matches[k] = found[rows]
            fits = known[rows].any() and matches[k][known[rows]].all()
            if self._keep == "all" or (self._keep == "fits" and fits):
                outputs[k].place(0, slice(None), 0, np.arange(placed, placed + count))
                kept.append(rows)
                placed += count
        if kept:
            columns.keep(column, np.concatenate(kept))
        return matches, outputs

    def _failures(self, run: Run, members: Bits, begins: Bits, right: Bits) -> list[Bits]:
        """How many operations of each program failed in each sample. members: as `_Cones` has them.

        Programs of as many samples are counted together.
        """
        lanes = np.array([len(self._samples[domain]) for domain in self._domains], dtype=np.int64)
        failed = [np.full(count, -1, dtype=np.int64) for count in lanes]
        counts = np.diff(begins)
        for count in np.unique(lanes[right]).tolist():
            alike = lanes[right] == count
            ends = np.concatenate([[0], np.cumsum(counts[alike])])
            found = run.failures(members[np.repeat(alike, counts)], ends, count)
            for k, of_samples in zip(right[alike], found, strict=True):
                failed[k] = of_samples
        return failed


def _set_inputs(
    run: Run,
    loader: Loader,
    domain: int,
    workload: Workload[Any],
    samples: list[Any],
    blind: bool,
) -> None:
    """Say what gives the inputs of a domain. blind: as of `Evaluator`."""
    for name in workload.language.inputs:
        column: Callable[[], Column] = partial(workload.column, name, samples)
        if blind and name == workload.language.expected:
            column = partial(Uniform, None, len(samples))
        run.set_input(loader.names(domain)[name], column)


def _make(run: Run, wanted: Bits, members: Bits) -> None:
    """Make values, and all operations of their cones.

    An operation that is known to fail needs no arguments, but theirs may have failed too.
    """
    values = run.graph.values
    needed = [number for number in np.unique(members).tolist() if values[number] is UNKNOWN]
    run.make(set(needed).union(wanted.tolist()))


def _known(samples: list[Any]) -> Bits:
    """Of which samples an output is expected; bool (samples,)."""
    return np.array([sample.expected is not None for sample in samples], dtype=np.bool_)


def _samples(workload: Workload[Any], given: Any) -> list[Any]:
    """The samples that a caller gives. Raises TypeError or ValueError."""
    samples = workload.given(given)
    if not samples:
        raise ValueError("there are no samples")
    return samples


def _programs(given: Iterable[Program]) -> list[Program]:
    """The programs that a caller gives. Raises TypeError."""
    programs = list(given)
    for k, program in enumerate(programs):
        if not isinstance(program, Program):
            raise TypeError(f"program {k} is no Program, but a {type(program).__name__}")
    return programs


def _limit(workload: Workload[Any], max_elements: int | None) -> int:
    """What an operation may build. Raises ValueError."""
    if max_elements is None:
        return workload.language.max_elements
    if max_elements < 1:
        raise ValueError(f"max_elements={max_elements} is less than 1")
    return max_elements


def _check_outputs(outputs: str) -> None:
    """Raise ValueError where there is no such choice of outputs."""
    if outputs not in OUTPUTS:
        raise ValueError(f"outputs={outputs!r} is none of {', '.join(OUTPUTS)}")


def _numbers(
    loader: Loader,
    programs: Sequence[Program],
    domains: Iterable[int],
    language: Language,
) -> tuple[Bits, dict[int, str]]:
    """The number of what each program returns, -1 where it is wrong; by place, what is wrong."""
    numbers = np.full(len(programs), -1, dtype=np.int64)
    errors: dict[int, str] = {}
    for k, (program, domain) in enumerate(zip(programs, domains, strict=False)):
        try:
            numbers[k] = loader.add(program, domain)
        except (WrongProgram, IndexError, TypeError) as error:
            errors[k] = _explained(program, error, language)
        except SHORTAGES as error:
            errors[k] = f"not computed: {reason_of(error)}"
    return numbers, errors


def _explained(program: Program, error: Exception, language: Language) -> str:
    """What is wrong with a program, in a line. Raises the error where nothing is."""
    try:
        written(*program)
    except TypeError as malformed:
        return str(malformed)
    if not isinstance(error, WrongProgram):
        raise error
    return "; ".join(mistakes(program, language)) or str(error)


class _Cones:
    """The operations that values of a graph are made by."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._begins = np.zeros(1, dtype=np.int64)
        self._operands = np.zeros(0, dtype=np.int64)

    def of(self, numbers: Bits) -> tuple[Bits, Bits]:
        """The operations of each value one after the other, and where each one's begin and end."""
        self._follow()
        size = max(len(self._begins) - 1, 1)
        counts = np.diff(self._begins)
        which, found = np.arange(len(numbers)), np.asarray(numbers, dtype=np.int64)
        levels = []
        while True:
            operations = counts[found] > 0
            which, found = which[operations], found[operations]
            if not len(found):
                break
            levels.append(which * size + found)
            many = counts[found]
            ends = np.cumsum(many)
            index = np.repeat(self._begins[found] - ends + many, many) + np.arange(ends[-1])
            which, found = np.divmod(
                np.unique(np.repeat(which, many) * size + self._operands[index]), size
            )
        members = np.unique(np.concatenate(levels)) if levels else np.zeros(0, dtype=np.int64)
        which, found = np.divmod(members, size)
        return found, np.searchsorted(which, np.arange(len(numbers) + 1))

    def _follow(self) -> None:
        """Take in the operations that are new in the graph."""
        new = self._graph.operands[len(self._begins) - 1 :]
        if new:
            given = [operands or () for operands in new]
            ends = self._begins[-1] + np.cumsum(np.array(list(map(len, given)), dtype=np.int64))
            operands = np.fromiter(chain.from_iterable(given), np.int64)
            self._begins = np.concatenate([self._begins, ends])
            self._operands = np.concatenate([self._operands, operands])


def _device(name: str, lanes: int) -> Device:
    """The device of `auto`, `cpu` or `cuda`, for so many samples at once, as `megabatt run` has it.

    Raises ValueError where there is none such.
    """
    names, _ = hardware.choose(name, lanes, hardware.GPU_THRESHOLD)
    return hardware.opened(names[0])
