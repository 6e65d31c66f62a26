"""Runs a program in memory in both forms, and compares the forms operation by operation.

The value, the failure and the charge of each operation are compared, also with the lanes shuffled
and cut into pieces, since a lane must not depend on other lanes.
"""

from __future__ import annotations

import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from random import Random
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Column, Uniform
from megabatt.runtime.engine.columns.dispatch import host_lanes_of, operate
from megabatt.runtime.engine.columns.rules import Frame
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.device.device import current, to_host
from megabatt.runtime.engine.executor.program import Target
from megabatt.runtime.engine.language.limits import SHORTAGES
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.engine.language.values import show, show_cut
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.layout import BUDGET
from megabatt.runtime.megabatch.data import Sample
from megabatt.runtime.megabatch.samples import batch_inputs
from megabatt.runtime.megabatch.trace import Replay, meant, scalar_of_lane
from megabatt.runtime.megabatch.verify.alone import call_alone
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program, Word, source_of

_HANGS = 30.0
_SHORTEST, _RINGS_AGAIN = 0.001, 1.0
"""Seconds: the least time of a timer, since a timer of 0 seconds never rings, and its interval."""
_LITTLE_ROOM = 150
_SHOWN = 2000
_SHOWN_OF_EACH = 100


@dataclass
class LaneOutcome:
    """The result of an operation in one lane. spent: The charge; None after a failure."""

    value: Any
    reason: Reason
    spent: int | None

    def same(self, other: LaneOutcome, language: Language) -> bool:
        """Tell whether two forms agree in value, failure and charge.

        A failed operation has its default as its value. Reasons are not compared in a language of
        columns, whose rules do not know reasons.
        """
        if language.of_words and self.reason != other.reason:
            return False
        return (
            bool(self.reason) == bool(other.reason)
            and self.spent == other.spent
            and language.same(self.value, other.value)
        )

    def __str__(self) -> str:
        text = show(self.value)
        if len(text) > _SHOWN:
            text = f"{text[:_SHOWN]}... ({len(text)} characters)"
        if self.reason:
            return f"fails ({self.reason}), leaving {text}"
        return f"{text}, charging {self.spent}"


@dataclass(frozen=True)
class Finding:
    """The first operation of a program in which the forms differ, and a lane."""

    number: int
    lane: int
    scalar: str
    vectorized: str


@dataclass
class Case:
    """A program, samples and a limit on which the forms differ, with the difference."""

    program: Program
    samples: list[Sample]
    max_elements: int
    finding: Finding


class TookTooLong(BaseException):
    """Raised if a form takes too long. An Exception would count as a failed operation."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TookTooLong in a block that runs longer than `seconds`, if the system has timers."""
    if seconds == inf or not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(*_args: Any) -> None:
        raise TookTooLong(f"not done in {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    # The timer repeats, since an exception inside a callback of the garbage collector is lost.
    signal.setitimer(signal.ITIMER_REAL, seconds, max(seconds, _RINGS_AGAIN))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class _Steps:
    """A program's vectorized form, run operation by operation. scope: The values of variables."""

    def __init__(self, language: Language, program: Program) -> None:
        self.language = language
        self.program = program
        self.scope: dict[str, Any] = {}

    def named(self, word: Word) -> Any:
        """Return the meaning of a word: a variable's value, a constant or a function."""
        return meant(self.language, self.scope, word)

    def step(self, number: int) -> tuple[Any, list[Any], list[LaneOutcome], int]:
        """Run operation `number`.

        Returns its function, its arguments, each lane's outcome, and the number of host lanes.
        """
        raise NotImplementedError


_told: Callable[[str], None] | None = None


@contextmanager
def calls_told_to(told: Callable[[str], None]) -> Iterator[None]:
    """Call `told`, within the block, with the text of each call that the vectorized form begins."""
    global _told
    before, _told = _told, told
    try:
        yield
    finally:
        _told = before


def tell(call: str) -> None:
    """Pass a call's text to the function given to `calls_told_to`, if any."""
    if _told is not None:
        _told(call)


class StepsOnColumns(_Steps):
    """The vectorized form in a language of columns."""

    def __init__(
        self, workload: Workload[Any], program: Program, samples: list[Sample], max_elements: int
    ) -> None:
        super().__init__(workload.language, program)
        self.inputs, self.limit = batch_inputs(workload, samples), max_elements
        self.scope = {name: Target(name) for name in self.language.inputs}
        self._columns: dict[int | str, Column] = {}

    def step(self, number: int) -> tuple[Any, list[Any], list[LaneOutcome], int]:
        written, *words = self.program.operations[number - 1]
        function, *args = map(self.named, words)
        tell(source_of(self.program.operations[number - 1]).partition(" = ")[2])
        call = _OneCall(self.inputs.lanes)
        column = operate(
            self.column(function), list(map(self.column, args)),
            self.language.default_of(function), self.limit, call.reasons, call.note,
        )  # fmt: skip
        self.scope[str(written)], self._columns[number] = Target(number), column
        outcomes = [
            LaneOutcome(value, Reason(reason), None if reason else spent)
            for value, reason, spent in zip(
                column.decode(), to_host(call.reasons).tolist(), call.spent.tolist(), strict=True
            )
        ]
        return function, args, outcomes, call.host_lanes

    def column(self, value: Any) -> Column:
        """Return the column of a value, or of a constant."""
        if not isinstance(value, Target):
            return Uniform(value, self.inputs.lanes)
        if isinstance(value.source, str):
            return self.inputs.column(value.source)
        return self._columns[value.source]


class _OneCall:
    """The failures, charges and number of host lanes of an operation, collected part by part."""

    def __init__(self, lanes: int) -> None:
        self.reasons = xp.zeros(lanes, dtype=xp.uint8)
        self.spent = np.zeros(lanes, dtype=np.int64)
        self.host_lanes = 0

    def note(self, frame: Frame, lanes: Array | None) -> None:
        operation = frame.operation
        which = slice(None) if lanes is None else to_host(lanes)
        self.spent[which] = to_host(operation.max_elements - operation.remaining)
        self.host_lanes += host_lanes_of(frame)


class StepsOnMachine(_Steps):
    """The vectorized form in a language of words, on the CPU, in a heap that starts small."""

    def __init__(
        self, workload: Workload[Any], program: Program, samples: list[Sample], max_elements: int
    ) -> None:
        """Put the samples into a heap. Raises NoWord if words cannot hold a value."""
        super().__init__(workload.language, program)
        self.lanes, self.limit = len(samples), max_elements
        self.heap = Heap(self.language, _FEW_WORDS)
        self.words: dict[Any, list[int]] = {}
        for name in self.language.inputs:
            self.scope[name] = Target(name)
            self.words[name] = [self.heap.put(getattr(sample, name)) for sample in samples]

    def step(self, number: int) -> tuple[Any, list[Any], list[LaneOutcome], int]:
        written, *words = self.program.operations[number - 1]
        function, *args = map(self.named, words)
        operands = list(zip(*map(self._words_of, (function, *args)), strict=True))
        default = self.heap.put(self.language.default_of(function))
        self.scope[str(written)] = Target(number)
        called = [self._called(list(lane), default) for lane in operands]
        outcomes, self.words[number], on_host = map(list, zip(*called, strict=True))
        return function, args, outcomes, sum(on_host)

    def _words_of(self, value: Any) -> list[int]:
        if isinstance(value, Target):
            return self.words[value.source]
        return [self.heap.put(value)] * self.lanes

    def _called(self, operands: list[int], default: int) -> tuple[LaneOutcome, int, int]:
        """Call a function in a lane. Returns the outcome, the value's word, and the host lanes."""
        if _told is not None:  # showing values takes time
            name, *shown = (show_cut(self.heap.get(word), _SHOWN_OF_EACH) for word in operands)
            tell(f"{name}({', '.join(shown)})")
        word, reason, on_host = call_alone(self.heap, operands, self.limit, default)
        left = int(self.heap.array[BUDGET])
        if on_host:
            called, *args = map(self.heap.get, operands)
            _, _, left = attempt(called, args, self.limit)
        spent = None if reason else self.limit - left
        return LaneOutcome(self.heap.get(word), reason, spent), word, int(on_host)


_FEW_WORDS = 1 << 12


def vectorized_steps(
    workload: Workload[Any], program: Program, samples: list[Sample], max_elements: int
) -> StepsOnMachine | StepsOnColumns:
    """Begin a program's vectorized form, on words or on columns."""
    if workload.language.of_words:
        return StepsOnMachine(workload, program, samples, max_elements)
    return StepsOnColumns(workload, program, samples, max_elements)


Observed = Callable[[int, list[LaneOutcome], int], None]
"""Called for every operation on which the forms agree: its number, outcomes and host lanes."""


class ScalarSteps:
    """The scalar form of a program, which remembers outcomes.

    seconds: The most seconds for all operations.
    """

    def __init__(
        self,
        language: Language,
        program: Program,
        samples: list[Sample],
        max_elements: int,
        seconds: float,
    ) -> None:
        self.program = program
        self.left = seconds
        self.replays = [Replay(language, sample, max_elements) for sample in samples]
        self.outcomes: list[list[LaneOutcome]] = []

    def step(self, number: int, function: Any, args: list[Any]) -> list[LaneOutcome]:
        if number > len(self.outcomes):
            began = time.monotonic()
            with time_limit(self.left):
                done = [self._step(replay, number, function, args) for replay in self.replays]
            self.left = max(self.left - (time.monotonic() - began), _SHORTEST)
            self.outcomes.append(done)
        return self.outcomes[number - 1]

    @staticmethod
    def _step(replay: Replay, number: int, function: Any, args: list[Any]) -> LaneOutcome:
        value, error = replay.step(number, function, tuple(args))
        return LaneOutcome(value, Reason.of(error), None if error else replay.spent)


@np.errstate(all="ignore")
def find(
    workload: Workload[Any],
    program: Program,
    samples: list[Sample],
    max_elements: int,
    observed: Observed = lambda number, outcomes, host: None,
    keep: list[list[LaneOutcome]] | None = None,
    seconds: float = inf,
) -> Finding | None:
    """Find the first difference between the forms, on the whole batch, then on shuffled pieces.

    The last piece runs as if memory were short, which splits lanes and leaves some to the scalar
    form. observed: Called for the operations of the whole batch. keep: Gets the scalar form's
    outcomes, by operation and lane; in a language with a tolerance, the vectorized form's outcomes,
    since other executors use the same rules. seconds: The most seconds of the scalar form. Raises
    TookTooLong if the scalar form takes longer, and the error if memory really is short.
    """
    scalar = ScalarSteps(workload.language, program, samples, max_elements, seconds)
    batch: list[list[LaneOutcome]] = []

    def note(number: int, outcomes: list[LaneOutcome], host: int) -> None:
        batch.append(outcomes)
        observed(number, outcomes, host)

    found = _compare(workload, scalar, samples, list(range(len(samples))), max_elements, note)
    if keep is not None:
        keep += scalar.outcomes if workload.language.exact else batch
    if found is not None or len(samples) < 2:
        return found
    lanes = list(range(len(samples)))
    Random(len(samples)).shuffle(lanes)
    cut = max(1, len(lanes) // 3)
    found = _compare(workload, scalar, samples, lanes[:cut], max_elements)
    if found is not None:
        return found
    with little_room(_LITTLE_ROOM):
        return _compare(workload, scalar, samples, lanes[cut:], max_elements)


@contextmanager
def little_room(elements: int) -> Iterator[None]:
    """Make an operation split its lanes if it would lay out more elements, within the block."""
    device = current()
    before, device.most_elements = device.most_elements, elements
    try:
        yield
    finally:
        device.most_elements = before


def _compare(
    workload: Workload[Any],
    scalar: ScalarSteps,
    samples: list[Sample],
    lanes: list[int],
    max_elements: int,
    observed: Observed = lambda number, outcomes, host: None,
) -> Finding | None:
    """Find the first difference in a batch of the samples in `lanes`, in the order of `lanes`.

    In a language with a tolerance, an operation also agrees if the scalar form has the same outcome
    on the vectorized form's arguments.
    """
    steps: StepsOnMachine | StepsOnColumns | None = None
    language = workload.language
    for number in range(1, len(scalar.program.operations) + 1):
        try:
            with time_limit(_HANGS):
                with language.in_use():
                    if steps is None:
                        chosen = [samples[lane] for lane in lanes]
                        steps = vectorized_steps(workload, scalar.program, chosen, max_elements)
                    function, args, outcomes, host = steps.step(number)
        except SHORTAGES:
            raise
        except (Exception, TookTooLong) as error:
            if current().lost(error):
                raise  # a lost device, not a difference of the forms
            lines = traceback.format_exception(error, limit=-8, chain=False)
            return Finding(number, lanes[0], "no crash", "".join(lines))
        expected = scalar.step(number, function, args)
        for at, (lane, outcome) in enumerate(zip(lanes, outcomes, strict=True)):
            if expected[lane].same(outcome, language):
                continue
            if not isinstance(steps, StepsOnColumns) or not _decides(
                steps, at, function, args, outcome
            ):
                return Finding(number, lane, str(expected[lane]), str(outcome))
        observed(number, outcomes, host)
    return None


def _decides(
    steps: StepsOnColumns, lane: int, function: Any, args: Any, outcome: LaneOutcome
) -> bool:
    """Tell whether the scalar form has the same outcome on the vectorized form's arguments."""
    value, reason, spent = scalar_of_lane(
        steps.language, steps.column, lane, function, tuple(args), steps.limit
    )
    return LaneOutcome(value, reason, None if reason else spent).same(outcome, steps.language)
