"""Why an operation of a program failed on a sample."""

from __future__ import annotations

from typing import Any

import numpy as np

from megabatt.runtime.engine.device.device import CPU, computing_on
from megabatt.runtime.engine.executor.host import MOST_BYTES, HostExecutor, Outgrown
from megabatt.runtime.engine.executor.program import Call
from megabatt.runtime.engine.language.limits import overdrawn
from megabatt.runtime.engine.language.reasons import Reason, detail_of
from megabatt.runtime.megabatch.evaluation.merged import Merged
from megabatt.runtime.megabatch.trace import Replay, trace_of_program
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program

_LONG = 100_000
"""The elements for which Python may take a tenth of a second and more."""


def why_last_fails(workload: Workload[Any], program: Program, sample: Any, limit: int) -> str:
    """Say why the operation that a program returns fails; "" if it does not fail.

    The operations that it needs do not fail. limit: The most elements of an operation.

    In a language of words, the machine makes the calls, since a loop may take Python seconds.
    Python repeats the last call alone, for the words of the reason, unless it exceeds a limit of
    more than `_LONG` elements.
    """
    if workload.language.of_words:
        with workload.language.in_use(), computing_on(CPU):
            try:
                return _on_machine(workload, program, sample, limit)
            except Outgrown:
                pass
    *_, step = trace_of_program(workload.language, program, sample, limit)[0]
    return detail_of(step.error) if step.error else ""


def _on_machine(workload: Workload[Any], program: Program, sample: Any, limit: int) -> str:
    merged = Merged(workload, limit, blind=False)
    wanted = merged.add([program]).outputs
    executor = merged.executor([[sample]], True, lambda: MOST_BYTES)
    assert isinstance(executor, HostExecutor)
    done = executor.run(executor.schedule(wanted, np.zeros_like(wanted)))
    if done.reasons.of(wanted)[0, 0] == Reason.LIMIT and not done.host_lanes:
        if executor.last_charge > limit > _LONG:
            return overdrawn(executor.last_charge, limit)
    function, *args = executor.operands_of(int(wanted[0]))
    replay = Replay(workload.language, sample, limit)
    _, error = replay.step(1, function, tuple(args))
    if error is None:
        return ""
    replay.name_charge(error, Call(1, function, tuple(args)))
    return detail_of(error)
