"""The lanes that one call works on: which have failed, and what each may still build."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import int64

from megabatt.runtime.engine.calls.charges import Measure, OfResult
from megabatt.runtime.engine.columns import Column
from megabatt.runtime.engine.device.arrays import (
    Array,
    any_set,
    first_not_below,
    flag_owner,
    lane_any,
    xp,
)
from megabatt.runtime.engine.device.kernels import (
    LaneKernel,
    device_function,
    lane_kernel,
    team_kernel,
)
from megabatt.runtime.engine.device.teams import sum_of_team

_HUGE = int64(1 << 40)
"""What a single charge counts for at most, so that no sum of them overflows."""


_NOWHERE, _BEFORE, _HERE = 0, 1, 2
"""Where a charge reads which lanes have failed: nowhere (none has), `before` or `failed`."""


class Operation:
    """One operation over the lanes of a batch, whatever calls it makes within.

    What every lane has spent alike is kept as a number, and takes no array. host: the lanes in
    which scalar code has computed anything, bool (lanes,), or None for no lane.
    """

    __slots__ = ("lanes", "max_elements", "host", "_remaining", "_alike")

    def __init__(self, lanes: int, max_elements: int) -> None:
        self.lanes = lanes
        self.max_elements = max_elements
        self.host: Array | None = None
        self._remaining: Array | None = None
        self._alike = max_elements

    @property
    def charged(self) -> bool:
        """Whether anything has been spent."""
        return self._remaining is not None or self._alike < self.max_elements

    @property
    def remaining(self) -> Array:
        """The elements that each lane may still build; int64 (lanes,)."""
        if self._remaining is None:
            self._remaining = xp.full(self.lanes, self._alike, dtype=xp.int64)
        return self._remaining

    def to_spend(self) -> tuple[Array, int, int]:
        """Return `remaining` for a kernel that spends in every lane.

        Also returns whether the kernel is to fill it first (1 or 0), and with what.
        """
        fresh = self._remaining is None
        if fresh:
            self._remaining = xp.empty(self.lanes, dtype=xp.int64)
        return self._remaining, int(fresh), self._alike

    def state(self) -> tuple[Any, ...]:
        """Return what has been spent and computed by scalar code so far, for `restore`."""
        remaining = None if self._remaining is None else self._remaining.copy()
        return remaining, self._alike, None if self.host is None else self.host.copy()

    def restore(self, state: tuple[Any, ...]) -> None:
        """Forget what came after a state was taken. A state can be restored once."""
        self._remaining, self._alike, self.host = state

    def spend_alike(self, elements: int) -> bool | None:
        """Spend `elements` in every lane. Returns whether all lanes may go on.

        Where that depends on the lane, it spends nothing and returns None.
        """
        if self._remaining is not None:
            return None
        self._alike -= elements
        return self._alike >= 0


class Frame:
    """The lanes of a call: those of the operation, some of them, or the elements of containers.

    n: number of lanes; flagged: whether any lane may have failed, which can be asked without
    waiting for the device; left_to_host: bool (n,) or None, the lanes that the rule under way
    leaves to the scalar form; due: what that rule's primitive charges, and the arguments, until it
    is paid; lost: whether it is known that all lanes have failed.
    """

    __slots__ = (
        "operation", "n", "flagged", "left_to_host", "due", "lost",
        "_failed", "_borrowed", "_lanes", "_begins", "_outer",
    )  # fmt: skip

    def __init__(
        self,
        operation: Operation,
        n: int,
        lanes: Array | None = None,
        failed: Array | None = None,
    ) -> None:
        """Make a frame. failed: where to flag the lanes that fail; by default a new array."""
        self.operation = operation
        self.n = n
        self.flagged = False
        self.left_to_host: Array | None = None
        self.due: tuple[Measure | OfResult | Callable[..., Array], list[Column]] | None = None
        self.lost = False
        self._failed = failed
        self._borrowed = False  # whether another may use `_failed`, which then must not be changed
        self._lanes = lanes
        self._begins: Array | None = None
        self._outer: tuple[Frame, Array, Array | None] | None = None

    @property
    def _is_inner(self) -> bool:
        """Whether it has other lanes than its operation, or in another order."""
        return self._lanes is not None or self._outer is not None

    @property
    def lanes(self) -> Array | None:
        """The operation's lane that each belongs to, ascending, int64 (n,); None where they are
        one and the same."""
        if self._lanes is None and self._outer is not None:
            outer, index, _ = self._outer
            assert outer.lanes is not None
            self._lanes = outer.lanes[index]
        return self._lanes

    @property
    def failed(self) -> Array:
        """Which lanes have failed; bool (n,)."""
        if self._failed is None:
            self._failed = xp.zeros(self.n, dtype=xp.bool_)
        return self._failed

    def child(self, index: Array, offsets: Array | None = None) -> Frame:
        """Make a frame whose lane k works for lane index[k] of this one; `close` it when done.

        offsets: of the runs in `index`, one for each of this one's lanes, if known.
        """
        child = Frame(self.operation, len(index))
        if self._is_inner:
            child._outer = self, index, offsets
        else:
            child._lanes, child._begins = index, offsets
        return child

    def close(self, child: Frame, index: Array) -> None:
        """Fail the lanes for which a lane of `child` failed."""
        if child.flagged:
            self.fail_any(child.failed, index)

    def fail(self, lanes: Array) -> None:
        """Fail the lanes whose flag is set (bool (n,)), except those left to the host."""
        self.flagged = True
        if self.left_to_host is not None:
            lanes = lanes & ~self.left_to_host
        if self._failed is None:
            self._failed, self._borrowed = lanes, True
        elif self._borrowed:
            self._failed, self._borrowed = self._failed | lanes, False
        else:
            self._failed |= lanes

    def fail_any(self, flags: Array, index: Array) -> None:
        """Fail every lane index[k] for which flags[k] is set; both of one length."""
        if self.left_to_host is None:
            self.flagged = True
            if self._borrowed:
                self._failed, self._borrowed = self.failed.copy(), False
            flag_owner(len(index), flags, index, self.failed)
        else:
            self.fail(lane_any(flags, index, self.n))

    def fail_all(self) -> None:
        """Fail every lane, those left to the host too."""
        self.flagged = self.lost = True
        if self._borrowed or self._failed is None:
            self._failed, self._borrowed = xp.ones(self.n, dtype=xp.bool_), False
        else:
            self._failed[:] = True

    def leave_to_host(self, lanes: Array) -> None:
        """Leave the flagged lanes (bool (n,)) to the scalar form, before any charge or failure.

        This is for values that columns cannot hold. What the rule gives for those lanes is dropped.
        """
        if any_set(lanes):
            self.left_to_host = lanes if self.left_to_host is None else self.left_to_host | lanes

    def charge(self, elements: Array) -> Array:
        """Charge every lane (int64 (n,), not negative), failing those that overdraw their budget.

        Returns a bool (n,): the lanes that may go on, so that a rule can size what it builds. Lanes
        that are left to the host are not charged, and do not go on.
        """
        if self.left_to_host is not None:
            elements = xp.where(self.left_to_host, 0, elements)
        if self._is_inner:
            return self._charged(spend_runs, self.operation.lanes, self._runs(), elements)
        return self._charged(spend, self.n, elements)

    def pay(self, result: Any = None) -> Array:
        """Pay what the primitive is declared to charge. Leave lanes to the host before that.

        result: what the rule gives, or as much of it as can be measured; for an `OfResult`.
        """
        assert self.due is not None, "nothing is due"
        (charge, columns), self.due = self.due, None
        if isinstance(charge, Measure):
            return self.charge(charge.of_columns(columns[0]))
        if isinstance(charge, OfResult):
            return self.charge(charge.measure.of_columns(result))
        return self.charge(charge(*columns))

    def charge_alike(self, elements: int) -> None:
        """Charge every lane the same, failing those that overdraw their budget."""
        if self.left_to_host is not None:
            self.charge(xp.full(self.n, elements, dtype=xp.int64))
        elif self._is_inner:
            self._charged(spend_alike, self.operation.lanes, self._runs(), elements)
        else:
            all_allowed = self.operation.spend_alike(elements)
            if all_allowed is None:
                self.charge(xp.full(self.n, elements, dtype=xp.int64))
            elif not all_allowed:
                self.fail_all()

    def _charged(self, kernel: LaneKernel, lanes: int, *spent: Any) -> Array:
        """Spend by a kernel in `lanes` lanes of the operation. Returns which lanes may go on."""
        known, before, failed = self._so_far()
        allowed = xp.empty(self.n, dtype=xp.bool_)
        kernel.run(lanes, *spent, *self.operation.to_spend(), known, before, failed, allowed)
        self.flagged = True
        if self.left_to_host is None:
            self._failed, self._borrowed = failed, False
        else:
            self.fail(failed)
            allowed &= ~self.left_to_host
        return allowed

    def _so_far(self) -> tuple[int, Array, Array]:
        """Return where a kernel reads which lanes have failed, and its arrays `before`, `failed`.

        It writes every lane's flag to `failed`.
        """
        if self.left_to_host is None and self._failed is not None and not self._borrowed:
            return _HERE, xp.empty(0, dtype=xp.bool_), self._failed
        failed = xp.empty(self.n, dtype=xp.bool_)
        if self.left_to_host is None and self._failed is not None:
            return _BEFORE, self._failed, failed
        return _NOWHERE, xp.empty(0, dtype=xp.bool_), failed

    def _runs(self) -> Array:
        """Return the offsets of the runs of lanes that each of the operation's lanes has."""
        if self._begins is None:
            outer, _, offsets = self._outer or (self, None, None)
            if offsets is not None:
                self._begins = offsets[outer._runs()]
            else:
                self._begins = xp.empty(self.operation.lanes + 1, dtype=xp.int64)
                find_begin(self.operation.lanes + 1, self.lanes, self.n, self._begins)
        return self._begins

    def note_host(self, lanes: Array | None = None) -> None:
        """Flag the given lanes (positions; all by default) as computed by scalar code."""
        mine = xp.arange(self.n) if lanes is None else lanes
        operation = self.operation
        if operation.host is None:
            operation.host = xp.zeros(operation.lanes, dtype=xp.bool_)
        operation.host[mine if self.lanes is None else self.lanes[mine]] = True


@lane_kernel
def spend(lane, elements, remaining, fresh, alike, known, before, failed, allowed):
    """Take a lane's charge off what it may still build."""
    left = to_build(remaining, lane, fresh, alike) - min(elements[lane], _HUGE)
    remaining[lane] = left
    note_left(left, lane, known, before, failed, allowed)


@team_kernel
def spend_runs(
    lane, place, team, begins, elements, remaining, fresh, alike, known, before, failed, allowed
):
    """Take the charges of a lane's inner lanes off what the lane may still build."""
    spent = int64(0)
    for k in range(begins[lane] + place, begins[lane + 1], team):
        spent += min(elements[k], _HUGE)
    spend_together(
        lane, place, team, begins, spent, remaining, fresh, alike, known, before, failed, allowed
    )


@team_kernel
def spend_alike(
    lane, place, team, begins, each, remaining, fresh, alike, known, before, failed, allowed
):
    """Take `each`, for each of a lane's inner lanes, off what the lane may still build."""
    spent = int64(0)
    if place == 0:
        spent = min(int64(each), _HUGE) * (begins[lane + 1] - begins[lane])
    spend_together(
        lane, place, team, begins, spent, remaining, fresh, alike, known, before, failed, allowed
    )


@device_function
def spend_together(
    lane, place, team, begins, spent, remaining, fresh, alike, known, before, failed, allowed
):
    """Take what the threads of a team spend off what their lane may still build."""
    left = -spent
    if place == 0:
        left += to_build(remaining, lane, fresh, alike)
    left = sum_of_team(left)
    if place == 0:
        remaining[lane] = left
    for k in range(begins[lane] + place, begins[lane + 1], team):
        note_left(left, k, known, before, failed, allowed)
    return int64(0)


@device_function
def to_build(remaining, lane, fresh, alike):
    """Return what a lane may still build, from what `Operation.to_spend` gives."""
    if fresh == 1:
        return int64(alike)
    return remaining[lane]


@device_function
def note_left(left, lane, known, before, failed, allowed):
    """Store whether a lane may go on, and whether it has failed, now or before (if known)."""
    fails = left < 0
    allowed[lane] = not fails
    if known == _BEFORE:
        if before[lane]:
            fails = True
    if known == _HERE:
        if failed[lane]:
            fails = True
    failed[lane] = fails
    return int64(0)


@lane_kernel
def find_begin(lane, lanes, n, begins):
    """Find the first inner lane that works for this lane or a later one. `lanes` ascends."""
    begins[lane] = first_not_below(lanes, int64(0), int64(n), lane)
