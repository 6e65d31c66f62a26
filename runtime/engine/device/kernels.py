"""Lane kernels: plain Python functions that do the work of one lane, compiled and launched here.

A kernel takes the number of its lane, then flat arrays and numbers, and returns nothing. It uses
the subset of Python that Numba and `cupyx.jit` both compile: `range` and `while` loops, `if`,
arithmetic on names that keep one type (`int64(...)` to read an element of another width,
`uint8(...)` to write one), indexing by one index, comparisons of two values, calls of
`device_function`s; no chained comparison, no tuples, no slices, no allocation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import WeakSet

from megabatt.runtime.engine.device.compiling import expecting, tell_compiled
from megabatt.runtime.engine.device.spelling import Compilable

device_function = Compilable
"""Makes a plain function a scalar helper that kernels may call."""


inlined_function = partial(Compilable, inlined=True)
"""Makes a `device_function` that is compiled into each of its callers.

Inline arithmetic in loops over many elements: without calls, a CPU computes several elements at
once, and functions of equal arguments share common subexpressions."""


launch_elsewhere: Callable[[LaneKernel, int, tuple[Any, ...]], None] | None = None
"""Launches kernels on the device in use; None for a loop on the CPU."""


_kernels: WeakSet[LaneKernel] = WeakSet()


class LaneKernel:
    """A kernel, run for the lanes 0 to n - 1.

    threads: The threads that a GPU gives to a lane. leading: The number of the function's
    parameters before a call's arguments. on_cpu, on_gpu: The source of the work on a lane, with
    `{}` for the call's arguments, and `thread` for the number of a GPU's thread.
    """

    threads = 1
    leading = 1
    on_cpu = on_gpu = "kernel(lane, {})"

    def __init__(self, function: Callable[..., None]) -> None:
        self.function = function
        self.compiled = self._overloads = 0
        self._loop: Any = None
        _kernels.add(self)

    def __call__(self, lanes: int, *args: Any) -> None:
        """Run the kernel for every lane. `args`: arrays and numbers, as the kernel takes them."""
        if not lanes:
            return
        if launch_elsewhere is not None:
            launch_elsewhere(self, lanes, args)
            return
        if self._loop is None:
            from megabatt.runtime.engine.device import by_numba

            names = self.arguments
            self._loop = by_numba.loop_over_lanes(self.function, names, self.on_cpu.format(names))
        self._loop(lanes, *args)
        if len(self._loop.overloads) > self._overloads:
            self._tell()

    @property
    def arguments(self) -> str:
        """The names of the call's arguments in sources, without the number of lanes."""
        return ", ".join(f"a{i}" for i in range(self.function.__code__.co_argcount - self.leading))

    def _tell(self) -> None:
        """Tell the listener of a new overload if it was compiled, not loaded from disk."""
        self._overloads = len(self._loop.overloads)
        compiled = sum(self._loop.stats.cache_misses.values())
        if compiled > self.compiled:
            self.compiled = compiled
            with expecting(sum(kernel._loop is None for kernel in _kernels)):
                tell_compiled(self.function.__name__)


class TeamKernel(LaneKernel):
    """A kernel that a team runs together for each lane: one thread on the CPU, a warp on a GPU.

    After the lane's number the kernel takes the thread's place in the team, and the team's size.
    The threads share a lane's elements (`for k in range(begin + place, end, team)`), so that a long
    run does not hold up a launch. They exchange values by the functions of `teams`.
    """

    threads = 32
    leading = 3
    on_cpu = "kernel(lane, 0, 1, {})"
    on_gpu = "kernel(lane, thread & 31, int64(32), {})"


lane_kernel, team_kernel = LaneKernel, TeamKernel
"""Make a kernel of a function that does the work of one lane, or of one thread of a lane's team."""
