"""The lanes that one call works on: which have failed, and what each may still build."""

from __future__ import annotations

from numpy import int64

from runtime.engine.arrays import Array, lane_any, xp
from runtime.engine.kernels import lane_kernel

_HUGE = int64(1 << 40)
"""What a single charge counts for at most, so that no sum of them overflows."""


class Operation:
    """One operation over the lanes of a batch, whatever calls it makes within.

    remaining: int64 (lanes,), the elements each lane may still build; host: bool (lanes,) or None
    for no lane, the lanes in which anything was computed by scalar code.
    """

    __slots__ = ("lanes", "max_elements", "remaining", "host")

    def __init__(self, lanes: int, max_elements: int) -> None:
        self.lanes = lanes
        self.max_elements = max_elements
        self.remaining = xp.full(lanes, max_elements, dtype=xp.int64)
        self.host: Array | None = None


class Frame:
    """The lanes of a call: those of the operation, some of them, or the elements of containers.

    n: number of lanes; lanes: int64 (n,), the operation's lane that each belongs to, ascending,
    None where they are one and the same; failed: bool (n,); punted: bool (n,) or None, the lanes
    that the rule under way leaves to the scalar form.
    """

    __slots__ = ("operation", "n", "lanes", "failed", "punted", "_begins")

    def __init__(self, operation: Operation, n: int, lanes: Array | None = None) -> None:
        self.operation = operation
        self.n = n
        self.lanes = lanes
        self.failed = xp.zeros(n, dtype=xp.bool_)
        self.punted: Array | None = None
        self._begins: Array | None = None

    def child(self, index: Array) -> Frame:
        """A frame whose lane k works for this one's lane index[k]; hand it to `close` when done."""
        lanes = index if self.lanes is None else self.lanes[index]
        return Frame(self.operation, len(index), lanes)

    def close(self, child: Frame, index: Array) -> None:
        """Fail the lanes for which a lane of `child` failed."""
        if bool(child.failed.any()):
            self.fail(lane_any(child.failed, index, self.n))

    def fail(self, lanes: Array) -> None:
        """Fail the lanes whose flag is set (bool (n,)), but for those punted."""
        self.failed |= lanes if self.punted is None else lanes & ~self.punted

    def fail_all(self) -> None:
        self.failed[:] = True

    def punt(self, lanes: Array) -> None:
        """Leave the flagged lanes (bool (n,)) to the scalar form. Before any charge or failure.

        For values that columns cannot hold; what the rule gives for those lanes is dropped.
        """
        if bool(lanes.any()):
            self.punted = lanes if self.punted is None else self.punted | lanes

    def charge(self, elements: Array) -> Array:
        """Charge every lane (int64 (n,), not negative), failing those that overdraw their budget.

        Returns a bool (n,): the lanes that may go on, so that a rule can size what it builds.
        """
        operation = self.operation
        if self.punted is not None:
            elements = xp.where(self.punted, 0, elements)
        allowed = xp.empty(self.n, dtype=xp.bool_)
        if self.lanes is None:
            spend(self.n, elements, operation.remaining, allowed)
        else:
            spend_runs(operation.lanes, self._runs(), elements, operation.remaining)
            find_allowed(self.n, self.lanes, operation.remaining, allowed)
        self.fail(~allowed)
        return allowed

    def _runs(self) -> Array:
        """Where the run of lanes begins that belongs to each of the operation's lanes, and ends."""
        assert self.lanes is not None
        if self._begins is None:
            everyone = xp.arange(self.operation.lanes + 1, dtype=xp.int64)
            self._begins = xp.searchsorted(self.lanes, everyone)
        return self._begins

    def note_host(self, lanes: Array | None = None) -> None:
        """Count the given lanes (positions; all by default) as computed by scalar code."""
        mine = xp.arange(self.n) if lanes is None else lanes
        operation = self.operation
        if operation.host is None:
            operation.host = xp.zeros(operation.lanes, dtype=xp.bool_)
        operation.host[mine if self.lanes is None else self.lanes[mine]] = True


@lane_kernel
def spend(lane, elements, remaining, allowed):  # type: ignore[no-untyped-def]
    """Take a lane's charge off what it may still build."""
    remaining[lane] -= min(elements[lane], _HUGE)
    allowed[lane] = remaining[lane] >= 0


@lane_kernel
def spend_runs(lane, begins, elements, remaining):  # type: ignore[no-untyped-def]
    """Take the run of charges that a lane's inner lanes make off what it may still build."""
    total = int64(0)
    for k in range(begins[lane], begins[lane + 1]):
        total += min(elements[k], _HUGE)
    remaining[lane] -= total


@lane_kernel
def find_allowed(lane, lanes, remaining, allowed):  # type: ignore[no-untyped-def]
    """Whether the lane that an inner lane works for has anything left."""
    allowed[lane] = remaining[lanes[lane]] >= 0
