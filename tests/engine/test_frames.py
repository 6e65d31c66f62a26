"""What lanes may still build, and which have failed, after any sequence of calls on a frame.

On the device that is in use: `make gpu-test` runs these on a GPU.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.engine.columns.frames import Frame, Operation
from megabatt.runtime.engine.device.arrays import xp
from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.language.reasons import Reason

pytestmark = pytest.mark.device

LIMIT = 20
elements = st.integers(-9, 12)


class Modelled:
    """A frame and its model.

    lanes: the lane of the operation that each lane of the frame is.
    left: what each lane of the operation may still build.
    reasons: why lanes of the frame have failed.
    """

    def __init__(self, frame, lanes, left):
        self.frame = frame
        self.lanes = lanes
        self.left = left
        self.reasons = [Reason.NONE] * len(lanes)
        self.given = []

    def charge(self, elements):
        self.spend(elements)
        allowed = self.frame.charge(there(elements))
        assert allowed.tolist() == [self.left[lane] >= 0 for lane in self.lanes]

    def charge_alike(self, elements):
        self.spend([elements] * len(self.lanes))
        self.frame.charge_alike(elements)

    def spend(self, elements):
        for lane, number in zip(self.lanes, elements, strict=True):
            self.left[lane] -= max(number, 0)
        for k, lane in enumerate(self.lanes):
            self.note(k, Reason.LIMIT if self.left[lane] < 0 else Reason.NONE)

    def note(self, k, reason):
        """Have a lane fail, if there is a reason. One that has failed keeps the first."""
        self.reasons[k] = self.reasons[k] or reason

    def fail(self, flags):
        for k, flag in enumerate(flags):
            self.note(k, Reason.TYPE if flag else Reason.NONE)
        array = there(flags)
        self.given.append((array, flags))
        self.frame.fail(array, Reason.TYPE)

    def fail_any(self, flags):
        for k, flag in enumerate(reversed(flags)):
            self.note(k, Reason.VALUE if flag else Reason.NONE)
        index = xp.asarray(np.arange(len(flags))[::-1].copy())
        self.frame.fail_any(there(flags), index)

    def fail_all(self, _):
        for k in range(len(self.lanes)):
            self.note(k, Reason.VALUE)
        self.frame.fail_all(Reason.VALUE)

    def close(self, inner, owners):
        for lane, reason in zip(owners, inner.reasons, strict=True):
            self.note(lane, reason)
        self.frame.close(inner.frame, there(owners))

    def assert_right(self):
        assert self.frame.reasons.tolist() == self.reasons
        for array, flags in self.given:
            assert array.tolist() == flags, "an array that the frame was given has been changed"


def there(values):
    dtype = np.bool_ if isinstance(values[0], bool) else np.int64
    return xp.asarray(np.array(values, dtype=dtype))


@st.composite
def told(draw, lanes):
    """Draw calls on a frame of so many lanes: names of methods with their arguments."""
    alike = st.tuples(st.just("charge_alike"), elements)
    every = st.tuples(st.just("charge"), st.lists(elements, min_size=lanes, max_size=lanes))
    flags = st.lists(st.booleans(), min_size=lanes, max_size=lanes)
    failing = st.tuples(st.sampled_from(["fail", "fail_any", "fail_all"]), flags)
    return draw(st.lists(alike | every | every | failing, max_size=6))


@given(st.data(), st.integers(1, 5), st.integers(0, 3), st.booleans())
def test_lanes_fail_that_are_said_to_or_overdraw_the_budget_of_all(data, lanes, depth, row_given):
    """Fail lanes, some of them in frames of their own."""
    row = xp.zeros((2, lanes), dtype=xp.uint8)[1] if row_given else None
    frame = Frame(Operation(lanes, LIMIT), lanes, known=row)
    frames = [Modelled(frame, list(range(lanes)), [LIMIT] * lanes)]
    chosen: list[list[int]] = []
    while True:
        outer = frames[-1]
        for what, argument in data.draw(told(len(outer.lanes))):
            getattr(outer, what)(argument)
        outer.assert_right()
        if len(chosen) == depth:
            break
        members = sorted(data.draw(st.sets(st.integers(0, len(outer.lanes) - 1), min_size=1)))
        frames.append(within(outer, members))
        chosen.append(members)
    while chosen:
        inner = frames.pop()
        frames[-1].close(inner, chosen.pop())
        frames[-1].assert_right()
    if row_given:
        assert to_host(row).tolist() == frames[0].reasons


def within(outer, members):
    """Make a frame of some lanes of another."""
    child = outer.frame.child(there(members))
    return Modelled(child, [outer.lanes[lane] for lane in members], outer.left)
