"""Rules, which are primitives on columns, and the lanes of a call: their failures and budgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy import int64

from megabatt.runtime.engine.columns import Column, Uniform
from megabatt.runtime.engine.device.arrays import Array, flag_owner, xp
from megabatt.runtime.engine.device.kernels import lane_kernel
from megabatt.runtime.engine.language.charges import OfResult
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.registry import the_primitive

F = TypeVar("F", bound=Callable[..., Any])

_HUGE = int64(1 << 40)
"""The cap on a single charge, so that no sum overflows."""

_LIMIT = np.uint8(Reason.LIMIT)


@dataclass(slots=True, eq=False)
class Operation:
    """One operation over the lanes of a batch.

    host: The lanes in which scalar code computed anything, bool (lanes,), or None for no lane.
    spent: The elements that each lane has spent, while all alike. by_lane: `remaining` after that.
    """

    lanes: int
    max_elements: int
    host: Array | None = None
    spent: int = 0
    by_lane: Array | None = None

    @property
    def remaining(self) -> Array:
        """The elements that each lane may still build; int64 (lanes,)."""
        if self.by_lane is None:
            self.by_lane = xp.full(self.lanes, self.max_elements - self.spent, dtype=xp.int64)
        return self.by_lane


@dataclass(slots=True, eq=False)
class Frame:
    """The lanes of a call: all or some of the operation's.

    n: The number of lanes. lanes: The operation's lane for each lane, int64 (n,); None for all in
    order. known: The array of `reasons`; by default made at first use. flagged: Whether any lane
    may have failed, known without waiting for the device. lost: Whether all lanes are known to have
    failed. due: The current primitive's charge by its result, unless paid. allowed: The lanes that
    may go on after another declared charge, bool (n,).
    """

    operation: Operation
    n: int
    lanes: Array | None = None
    known: Array | None = None
    flagged: bool = False
    lost: bool = False
    due: OfResult | None = None
    allowed: Array | None = None

    @property
    def reasons(self) -> Array:
        """The known reasons of failed lanes: numbers of `Reason`; uint8 (n,)."""
        if self.known is None:
            self.known = xp.zeros(self.n, dtype=xp.uint8)
        return self.known

    def child(self, index: Array) -> Frame:
        """Make a frame of the lanes `index`, int64; `close` the frame when done."""
        lanes = index if self.lanes is None else self.lanes[index]
        return Frame(self.operation, len(index), lanes)

    def close(self, child: Frame, index: Array) -> None:
        """Fail the lanes that failed in `child`, the frame of the lanes `index`."""
        if child.flagged:
            self.flagged = True
            flag_owner(len(index), child.reasons, index, self.reasons)

    def fail(self, lanes: Array, reason: Reason = Reason.VALUE) -> None:
        """Fail the flagged lanes (bool (n,)); a lane that has failed keeps its reason."""
        self.fail_for(xp.where(lanes, np.uint8(reason), np.uint8(0)))

    def fail_for(self, reasons: Array) -> None:
        """Fail lanes, each for its reason, uint8 (n,); `Reason.NONE` leaves a lane as it is."""
        self.flagged = True
        known = self.reasons
        known[:] = xp.where(known != 0, known, reasons)

    def fail_all(self, reason: Reason) -> Column:
        """Fail every lane. Returns a placeholder, which the operation replaces by its default."""
        self.fail(xp.ones(self.n, dtype=xp.bool_), reason)
        self.lost = True
        return Uniform((), self.n)

    def charge(self, elements: Array) -> Array:
        """Charge each lane (int64 (n,); below 0, nothing). Lanes that overdraw their budget fail.

        Returns the lanes that may go on, bool (n,), so that a rule can size its result.
        """
        of_operation, lanes = self.operation.remaining, self.lanes
        remaining = of_operation if lanes is None else of_operation[lanes]
        allowed = xp.empty(self.n, dtype=xp.bool_)
        spend(self.n, elements, remaining, self.reasons, allowed)
        if lanes is not None:
            of_operation[lanes] = remaining
        self.flagged = True
        return allowed

    def pay(self, result: Any = None) -> Array:
        """Return the lanes that may go on after the primitive's declared charge, bool (n,).

        The charge is paid before the rule, an `OfResult` by this method.

        result: For an `OfResult`, the rule's result or a measurable part of the result.
        """
        if self.due is not None:
            due, self.due = self.due, None
            self.allowed = self.charge(due.measure(result))
        assert self.allowed is not None, "nothing is due"
        return self.allowed

    def charge_alike(self, elements: int) -> None:
        """Charge every lane the same. Lanes that overdraw their budget fail."""
        operation, elements = self.operation, max(elements, 0)
        if self.lanes is not None or operation.by_lane is not None:
            self.charge(xp.full(self.n, elements, dtype=xp.int64))
            return
        operation.spent += elements
        if operation.spent > operation.max_elements:
            self.fail_all(Reason.LIMIT)

    def note_host(self) -> None:
        """Flag the lanes as computed by scalar code."""
        operation = self.operation
        if operation.host is None:
            operation.host = xp.zeros(operation.lanes, dtype=xp.bool_)
        operation.host[slice(None) if self.lanes is None else self.lanes] = True


@lane_kernel
def spend(lane, elements, remaining, reasons, allowed):
    """Take a lane's charge off its budget."""
    left = remaining[lane] - min(max(elements[lane], int64(0)), _HUGE)
    remaining[lane] = left
    allowed[lane] = left >= 0
    if left < 0 and reasons[lane] == 0:
        reasons[lane] = _LIMIT


class Cast(NamedTuple):
    """A column cast to a declared type.

    failed: The lanes whose values are of another type, bool (n,), or None for no lane; the column
    has no meaning in these lanes. never: Whether the layout excludes the type; then the other
    fields have no meaning.
    """

    column: Column
    failed: Array | None = None
    never: bool = False


def rule(function: F) -> Callable[[Callable[..., Column]], F]:
    """Declare the rule of primitive `function`: (frame, *columns) -> column.

    The columns are cast to the declared types and have `frame.n` lanes, at least one. The rule
    flags failures on the frame, and may return any value in failed lanes. A declared charge is paid
    before the rule, and `frame.pay` tells which lanes may go on; an `OfResult` is paid after the
    rule, unless the rule pays it. The rule must make the body's other charges. Give the rule the
    primitive's name, which still means the scalar form afterwards.
    """
    primitive = the_primitive(function)

    def declare(body: Callable[..., Column]) -> F:
        primitive.declare_rule(body)
        return function

    return declare
