"""The failures of programs: how many operations failed, which one first, and why.

Only operations that the output needs in the sample count: of a choice, such as `if_else`, the
condition and the value that it returned.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from megabatt.runtime.engine.executor.loading import Loaded
from megabatt.runtime.engine.executor.operations import Operations
from megabatt.runtime.engine.executor.schedule import Done, Rows, Schedule
from megabatt.runtime.engine.language.reasons import SECOND_CHOSEN
from megabatt.runtime.engine.machine.functions import machine_function
from megabatt.runtime.engine.machine.loops import Loop, Numbers


class Failures(NamedTuple):
    """The failures of programs in lanes; arrays (lanes,), program by program.

    counts    int64: the number of failed operations that the output needs
    firsts    int32: the place of the first of them in its program; -1 without a failure
    reasons   uint8: the reason of the first failure
    """

    counts: Numbers
    firsts: Numbers
    reasons: Numbers


def failures_of(
    loaded: Loaded, programs: Numbers, counts: Numbers, operations: Operations, schedule: Schedule,
    done: Done, rows: Rows, which: Numbers,
) -> Failures:  # fmt: skip
    """Find the failures of programs.

    programs, counts: int64 (n,), the programs' places in `loaded`, and the number of lanes of each.
    rows: The schedule's rows. which: int64 (lanes,), the rows of the outputs, program by program.
    """
    lanes, values = len(which), len(schedule.used)
    found = Failures(
        np.zeros(lanes, np.int64), np.full(lanes, -1, np.int32), np.zeros(lanes, np.uint8)
    )
    _find(
        loaded.targets, loaded.begins, programs, counts, operations.table.begins,
        operations.table.flat, operations.choices, schedule.members, schedule.member_begins,
        schedule.outputs, np.zeros(values, np.int64), np.zeros(values, np.int64),
        rows.outputs[which], rows.lanes[which], *done.reasons, *found,
    )  # fmt: skip
    return found


@Loop
def _find(
    targets, begins, programs, program_lanes, operand_begins, operands, choices, members,
    member_begins, values, needed_by, stack, outputs, lanes, table, table_rows, columns, counts,
    firsts, reasons,
):  # fmt: skip
    """Do `failures_of`. needed_by, stack: Zeros, one for each value."""
    end = 0
    mark = 0
    for k in range(len(programs)):
        at = end
        end += program_lanes[k]
        walks = -1
        for lane in range(at, end):
            output = outputs[lane]
            first, last = member_begins[output], member_begins[output + 1]
            row = table_rows[lanes[lane]]
            for place in range(first, last):
                counts[lane] += _is_failure(table[row, columns[members[place]]])
            if counts[lane] == 0:
                continue
            if walks < 0:
                mark += 1
                walks = 0
                for place in range(first, last):
                    needed_by[members[place]] = mark
                    function = operands[operand_begins[members[place]]]
                    walks |= function < len(choices) and choices[function]
            if walks:
                mark += 1
                counts[lane] = _walk(
                    operand_begins, operands, choices, values[output], table, row, columns,
                    needed_by, stack, mark,
                )  # fmt: skip
            own = begins[programs[k]]
            while counts[lane] > 0 and firsts[lane] < 0:
                number = targets[own]
                if needed_by[number] == mark:
                    reason = table[row, columns[number]]
                    if _is_failure(reason):
                        firsts[lane] = own - begins[programs[k]]
                        reasons[lane] = reason
                own += 1


@machine_function
def _is_failure(reason):
    return reason != 0 and reason != SECOND_CHOSEN


@machine_function
def _walk(
    operand_begins, operands, choices, value, table, row, columns, needed_by, stack, mark
):  # fmt: skip
    """Mark the operations that a value needs in a lane. Returns how many of them failed."""
    failed = 0
    stack[0] = value
    needed_by[value] = mark
    height = 1
    while height > 0:
        height -= 1
        number = stack[height]
        first, last = operand_begins[number], operand_begins[number + 1]
        if first == last:
            continue
        reason = table[row, columns[number]]
        failed += _is_failure(reason)
        function = operands[first]
        chooses = function < len(choices) and choices[function] and not _is_failure(reason)
        skipped = first + 3 - (reason == SECOND_CHOSEN)
        for place in range(first, last):
            operand = operands[place]
            if needed_by[operand] != mark and not (chooses and place == skipped):
                needed_by[operand] = mark
                stack[height] = operand
                height += 1
    return failed
