"""The first failures of programs: the operation, and the reason."""

from __future__ import annotations

import numpy as np

from megabatt.runtime.engine.executor.loading import Loaded
from megabatt.runtime.engine.executor.schedule import Done, Rows, Schedule
from megabatt.runtime.engine.machine.loops import Loop, Numbers


def first_failures(
    loaded: Loaded, programs: Numbers, counts: Numbers, schedule: Schedule, done: Done, rows: Rows,
    which: Numbers,
) -> tuple[Numbers, Numbers]:  # fmt: skip
    """Return the first failed operation that each output needs, and the reason.

    programs, counts: int64 (n,), the programs' places in `loaded`, and the number of lanes of each.
    rows: The schedule's rows. which: int64 (lanes,), the rows of the outputs, program by program.
    Returns the place of the operation in its program, int32 (lanes,), -1 without a failure, and the
    number of the reason, uint8 (lanes,).
    """
    first = np.full(len(which), -1, dtype=np.int32)
    reasons = np.zeros(len(which), dtype=np.uint8)
    _find(
        loaded.targets, loaded.begins, programs, counts, schedule.members, schedule.member_begins,
        np.zeros(len(schedule.used), dtype=np.int64), rows.outputs[which], rows.lanes[which],
        done.failures[which], *done.reasons, first, reasons,
    )  # fmt: skip
    return first, reasons


@Loop
def _find(
    targets, begins, programs, counts, members, member_begins, needed_by, outputs, lanes, failures,
    table, table_rows, columns, first, reasons,
):  # fmt: skip
    """Do `first_failures`. needed_by: Zeros, one for each value."""
    end = 0
    for k in range(len(programs)):
        at = end
        end += counts[k]
        begin = begins[programs[k]]
        known = False
        for row in range(at, end):
            if failures[row] == 0:
                continue
            if not known:
                known = True
                for place in range(member_begins[outputs[row]], member_begins[outputs[row] + 1]):
                    needed_by[members[place]] = k + 1
            own = begin
            while first[row] < 0:
                number = targets[own]
                if needed_by[number] == k + 1:
                    reason = table[table_rows[lanes[row]], columns[number]]
                    if reason != 0:
                        first[row] = own - begin
                        reasons[row] = reason
                own += 1
