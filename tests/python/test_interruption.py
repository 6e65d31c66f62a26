"""State that outlives a call answers rightly after any exception, or not at all."""

import gc
import os
import random
import signal
import time
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

import megabatt as mb
from megabatt.runtime.engine.executor.host import HostExecutor
from megabatt.runtime.engine.machine import heap as heap_module
from megabatt.runtime.megabatch.evaluation import merged
from tests.evaluations import said_of
from tests.examples import LONG
from tests.megabatch.commands import ROOT
from tests.python.interrupting import interrupt, lines_of
from tests.python.scalar import random_programs

(TASK,) = mb.tasks("arcagi", "training", ["b782dc8a"])
HEAVY = [
    mb.program(f"heavy_{k}", [["e", "upscale", "I", 3 + k], ["b", "asobject", "e"],
                              ["c", "recolor", k, "b"], ["O", "first", "c"]])
    for k in range(6)
]  # fmt: skip
POINTS = 10_000 if LONG else 60
"""The number of lines at which an exception is raised, for each kind of work."""


@pytest.fixture(scope="module")
def programs():
    bundled = mb.read(ROOT / "codegen" / "lists" / "training.py")
    return bundled[::20] + HEAVY + random_programs(15, seed=1)


def some_of(lines):
    """Draw lines to interrupt at: other lines each time, but in the gate the same."""
    chosen = random.Random(7 if os.environ.get("CI") else None)
    return sorted(chosen.sample(range(1, lines + 1), min(POINTS, lines)))


@pytest.mark.parametrize("kept", ["values of all samples", "nothing", "nothing, in threads"])
def test_an_evaluator_that_was_interrupted_answers_rightly(programs, kept, monkeypatch):
    if "threads" in kept:
        monkeypatch.setattr(merged, "HostExecutor", partial(HostExecutor, worth_threads=0))
    workers = 3 if "threads" in kept else 1
    half = programs[: len(programs) // 2]
    expected = said_of(mb.evaluate(programs, TASK, outputs="all"))

    def begun():
        evaluator = mb.Evaluator(TASK, keeps="nothing" not in kept, workers=workers)
        evaluator.evaluate(half, outputs="none")
        return evaluator

    evaluator = begun()
    lines = lines_of(lambda: evaluator.evaluate(programs, outputs="all"))
    for line in some_of(lines):
        evaluator = begun()
        where = interrupt(lambda: evaluator.evaluate(programs, outputs="all"), line)  # noqa: B023
        assert said_of(evaluator.evaluate(programs, outputs="all")) == expected, where


def extended(bank):
    """Build values on other values, as a search does."""
    grid = bank.word("I")
    made = bank.call_named("objects", [[grid] * 2, [bank.word("T")] * 2, [bank.word("F")] * 2,
                                       [bank.word("T"), bank.word("F")]])  # fmt: skip
    objects = bank.keep(made)
    largest = [bank.operation("argmax", [int(k), bank.word("size")]) for k in objects]
    mapped = bank.operation("lbind", [bank.word("shift"), largest[0]])
    shifted = bank.operation("apply", [mapped, bank.operation("dneighbors", [bank.word("ORIGIN")])])
    return [*objects.tolist(), *largest, shifted]


def test_values_that_were_interrupted_are_what_they_were(programs):
    expected = [repr(fresh.plain(k)) for fresh in [mb.Values.of_samples(TASK)]
                for k in extended(fresh)]  # fmt: skip
    known = mb.Values.of_samples(TASK)
    before = [repr(known.plain(k)) for k in range(len(known)) if k % 7 == 0]
    lines = lines_of(lambda: extended(mb.Values.of_samples(TASK)))
    for line in some_of(lines)[::2]:
        bank = mb.Values.of_samples(TASK)
        where = interrupt(lambda: extended(bank), line)  # noqa: B023
        numbers = extended(bank)
        assert [repr(bank.plain(k)) for k in numbers] == expected, where
        for k, program in enumerate(map(bank.program, numbers)):
            evaluation = mb.evaluate([program], TASK, outputs="all")
            assert repr([evaluation.output(0, lane) for lane in range(bank.lanes)]) == expected[k]
    assert before == [repr(known.plain(k)) for k in range(len(known)) if k % 7 == 0]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
def test_ctrl_c_arrives_anywhere_and_leaves_an_evaluator_that_answers_rightly(programs):
    """Python would lose an interrupt that is raised while a value is freed, in a `__del__`."""
    expected = said_of(mb.evaluate(programs, TASK, outputs="all"))
    evaluator = mb.Evaluator(TASK)

    def many():
        evaluator.forget()
        evaluator.evaluate(programs[::2], outputs="none")
        evaluator.evaluate(programs, outputs="none")

    def one():
        mb.evaluate(programs[:1], TASK)

    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    one()  # imports modules: an interrupt in a callback of an import, or in
    gc.disable()  # a callback of the collector by pytest's plugins, would be lost
    try:
        for k in range(2400 if LONG else 150):
            work, end = (many, one)[k % 12 > 0], time.monotonic() + 10
            with pytest.raises(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, 0.0005 + k % 97 * 3e-4)
                while time.monotonic() < end:
                    work()
            if work is many:
                assert said_of(evaluator.evaluate(programs, outputs="all")) == expected
    finally:
        gc.enable()
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("kept", [True, False])
def test_where_memory_is_short_programs_are_not_computed_and_no_answer_is_wrong(
    programs, kept, monkeypatch
):
    expected = mb.evaluate(programs, TASK, outputs="all")
    most = 0

    def empty(shape, dtype=float):
        if np.prod(shape) > most:
            raise MemoryError("short")
        return np.empty(shape, dtype)

    monkeypatch.setattr(heap_module, "np", SimpleNamespace(**{**vars(np), "empty": empty}))
    evaluator = mb.Evaluator(TASK, keeps=kept)
    for most in (1 << 17, 1 << 18, 1 << 20, 1 << 62):
        found = evaluator.evaluate(programs, outputs="all")
        assert len(found.errors) < len(programs)
        assert most < 1 << 62 or not found.errors
        assert all("not computed: " in error for error in found.errors.values())
        computed = [k for k in range(len(programs)) if k not in found.errors]
        assert said_of(found, computed) == said_of(expected, computed)
