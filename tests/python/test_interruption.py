"""State that outlives a call answers rightly after any exception, or not at all."""

import gc
import os
import random
import signal
import time
from functools import partial

import pytest

import megabatt as mb
from megabatt.runtime.engine.executor.host import HostExecutor
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
