"""A program in memory, run in both forms and compared operation by operation.

For each operation its value, its failure and its charge are compared. That is repeated with the
lanes shuffled and cut into pieces, since a lane must not depend on the others.
"""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.frames import Frame
from megabatt.runtime.engine.calls.registry import Language
from megabatt.runtime.engine.calls.vectorized import Vectorized
from megabatt.runtime.engine.device.arrays import Array
from megabatt.runtime.engine.device.device import current, to_host
from megabatt.runtime.engine.limits import SHORTAGES
from megabatt.runtime.engine.values import show
from megabatt.runtime.megabatch.samples import batch_inputs
from megabatt.runtime.megabatch.trace import Replay, scalar_of_lane
from megabatt.runtime.megabatch.workload import Sample, Workload
from megabatt.runtime.program import Program, Word

_HANGS = 30.0
_LITTLE_ROOM = 150
_SHOWN = 2000


@dataclass
class Outcome:
    """What an operation came to in one lane; `spent` is None where it failed."""

    value: Any
    failed: bool
    spent: int | None

    def same(self, other: Outcome, same: Callable[[Any, Any], bool]) -> bool:
        """Tell whether two forms agree, in the value too. A failed operation has its default."""
        return (
            self.failed == other.failed
            and self.spent == other.spent
            and same(self.value, other.value)
        )

    def __str__(self) -> str:
        text = show(self.value)
        if len(text) > _SHOWN:
            text = f"{text[:_SHOWN]}... ({len(text)} characters)"
        return f"fails, leaving {text}" if self.failed else f"{text}, charging {self.spent}"


@dataclass
class Finding:
    """Where the forms part: the first operation of a program that differs, in a lane."""

    number: int
    lane: int
    scalar: str
    vectorized: str


@dataclass
class Case:
    """A program and samples on which the forms differ under a limit, and how they differ."""

    program: Program
    samples: list[Sample]
    max_elements: int
    finding: Finding


class TookTooLong(BaseException):
    """A form took too long. It is no Exception: an operation may fail by any Exception."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TookTooLong in a block that runs longer, where the system can."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(*_args: Any) -> None:
        raise TookTooLong(f"not done in {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Watched(Vectorized):
    """A run that notes what each lane of the operation under way has charged."""

    in_any_order = False
    spent: np.ndarray[Any, Any]

    def _note(self, frame: Frame, lanes: Array | None) -> None:
        operation = frame.operation
        spent = to_host(operation.max_elements - operation.remaining)
        if lanes is None:
            self.spent = spent
        else:
            if len(getattr(self, "spent", ())) != self.lanes:
                self.spent = np.zeros(self.lanes, dtype=np.int64)
            self.spent[to_host(lanes)] = spent
        super()._note(frame, lanes)


class VectorizedSteps:
    """A program's vectorized form, an operation at a time."""

    def __init__(
        self, workload: Workload[Any], program: Program, samples: list[Sample], max_elements: int
    ) -> None:
        self.language = language = workload.language
        self.program = program
        inputs = batch_inputs(workload, samples)
        self.batch = Watched(language, inputs, len(program.operations), max_elements)
        self.scope: dict[str, Any] = {name: self.batch.input(name) for name in language.inputs}

    def named(self, word: Word) -> Any:
        """Look up what a word stands for: a target, a constant, a primitive, or itself."""
        if not isinstance(word, str):
            return word
        if word in self.scope:
            return self.scope[word]
        if word in self.language.constants:
            return self.language.constants[word]
        return self.language.primitives[word].function

    def step(self, number: int) -> tuple[Any, list[Any], list[Outcome], int]:
        """Run operation `number`.

        Returns its function, its arguments, each lane's outcome, and the number of host lanes.
        """
        written, *words = self.program.operations[number - 1]
        function, *args = map(self.named, words)
        before = self.batch.host_lanes
        target = self.batch.call(number, function, *args)
        self.scope[str(written)] = target
        flags = self.batch.failed[number].tolist()
        outcomes = [
            Outcome(value, failed, None if failed else spent)
            for value, failed, spent in zip(
                target.column.decode(), flags, self.batch.spent.tolist(), strict=True
            )
        ]
        return function, args, outcomes, self.batch.host_lanes - before


Observed = Callable[[int, list[Outcome], int], None]
"""Told of every operation that agrees: its number, the outcomes, the lanes the host computed."""


class ScalarSteps:
    """The scalar form of a program, its operations' outcomes remembered lane by lane."""

    def __init__(
        self, language: Language, program: Program, samples: list[Sample], max_elements: int
    ) -> None:
        self.program = program
        self.replays = [Replay(language, sample, max_elements) for sample in samples]
        self.outcomes: list[list[Outcome]] = []

    def step(self, number: int, function: Any, args: list[Any]) -> list[Outcome]:
        if number > len(self.outcomes):
            done = []
            for replay in self.replays:
                value, failed = replay.step(number, function, tuple(args))
                done.append(Outcome(value, failed, None if failed else replay.spent))
            self.outcomes.append(done)
        return self.outcomes[number - 1]


@np.errstate(all="ignore")
def find(
    workload: Workload[Any],
    program: Program,
    samples: list[Sample],
    max_elements: int,
    observed: Observed = lambda number, outcomes, host: None,
    keep: list[list[Outcome]] | None = None,
) -> Finding | None:
    """Find the first difference between the forms: of the whole batch, then of shuffled pieces.

    One piece is run as if memory were short, so that lanes are split and left to the scalar form.
    keep: a list to add the scalar form's outcomes to, an entry an operation, with an outcome a
    lane. Where the language has a tolerance they are the batch's, as a plan computes by the same
    rules. Raises what is raised where memory really is short: then nothing can be compared.
    """
    scalar = ScalarSteps(workload.language, program, samples, max_elements)
    batch: list[list[Outcome]] = []

    def note(number: int, outcomes: list[Outcome], host: int) -> None:
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
    """Make operations split their lanes as soon as they would lay out more elements than this."""
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
    """Find the first difference in a batch of the samples in these lanes, in this order.

    Where a language has a tolerance, an operation may also do what its scalar form does for the
    arguments that the vectorized form had.
    """
    run: VectorizedSteps | None = None
    language = workload.language
    for number in range(1, len(scalar.program.operations) + 1):
        try:
            with time_limit(_HANGS):
                if run is None:
                    chosen = [samples[lane] for lane in lanes]
                    run = VectorizedSteps(workload, scalar.program, chosen, max_elements)
                function, args, outcomes, host = run.step(number)
        except SHORTAGES:
            raise
        except (Exception, TookTooLong) as error:
            if current().lost(error):
                raise  # which says nothing of the program
            lines = traceback.format_exception(error, limit=-8, chain=False)
            return Finding(number, lanes[0], "no crash", "".join(lines))
        expected = scalar.step(number, function, args)
        for at, (lane, outcome) in enumerate(zip(lanes, outcomes, strict=True)):
            if expected[lane].same(outcome, language.same):
                continue
            if language.exact or not _decides(language, at, function, args, outcome, max_elements):
                return Finding(number, lane, str(expected[lane]), str(outcome))
        observed(number, outcomes, host)
    return None


def _decides(
    language: Language, lane: int, function: Any, args: Any, outcome: Outcome, max_elements: int
) -> bool:
    """Tell whether the scalar form comes to the same outcome for what a lane of the batch has."""
    value, failed, spent = scalar_of_lane(language, lane, function, tuple(args), max_elements)
    return Outcome(value, failed, None if failed else spent).same(outcome, language.same)
