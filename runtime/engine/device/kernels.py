"""Lane kernels: one plain Python function does one lane's work; here it is compiled and launched.

A kernel takes the number of its lane, then flat arrays and numbers, and returns nothing. It is
written in the subset that Numba and `cupyx.jit` both compile: `range` and `while` loops, `if`,
arithmetic on names that keep one type (`int64(...)` where an element of another width is
read, `uint8(...)` where one is written), indexing by one index, comparisons of two values, calls
of `device_function`s; no chained comparison, no tuples, no slices, no allocation.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from functools import cached_property
from types import CodeType
from typing import Any
from weakref import WeakSet

from megabatt.runtime.engine.device.compiling import expecting, is_listened_to, tell_compiled
from megabatt.runtime.engine.device.spelling import Compilable


def device_function(function: Callable[..., Any]) -> Any:
    """Make a plain function a scalar helper that kernels may call."""
    return Compilable(function)


def inlined_function(function: Callable[..., Any]) -> Any:
    """Make a `device_function` that is compiled into each of its callers.

    It is for arithmetic in loops over many elements. A CPU does several elements at once where no
    call stands in between, and two functions of equal arguments share what they compute alike.
    """
    return InlinedFunction(function)


class InlinedFunction(Compilable):
    """See `inlined_function`."""

    inlined = True


class HostFunction(Compilable):
    """A function of NumPy arrays for the host alone; Python may call it too. It may allocate.

    It is compiled, or loaded, when first called.
    """

    def __call__(self, *args: Any) -> Any:
        return self._compiled(*args)

    @cached_property
    def _compiled(self) -> Any:
        from megabatt.runtime.engine.device import by_numba

        return by_numba.host_function(self.function)


def host_function(function: Callable[..., Any]) -> Any:
    """Make a plain function of NumPy arrays one that is compiled for the host. It may allocate."""
    return HostFunction(function)


launch_elsewhere: Callable[[LaneKernel, int, tuple[Any, ...]], None] | None = None
"""How kernels are launched on the device in use; None: as a loop on the CPU."""


_kernels: WeakSet[LaneKernel] = WeakSet()
"""All kernels of this process."""


class LaneKernel:
    """A kernel; calling it runs it for the lanes 0 to n - 1.

    threads: how many a GPU gives to a lane.
    """

    threads = 1
    leading = 1
    """How many parameters the kernel has before the arguments of `run`."""

    def __init__(self, function: Callable[..., None], origin: CodeType | None = None) -> None:
        """Make a kernel. origin: the code that gives its file and line, its own by default."""
        self.function = function
        self.origin = origin or function.__code__
        self.compiled = self._overloads = 0
        self._loop: Any = None
        _kernels.add(self)

    def run(self, lanes: int, *args: Any) -> None:
        """Run the kernel for every lane. `args`: arrays and numbers, as the kernel takes them."""
        if not lanes:
            return
        if launch_elsewhere is not None:
            launch_elsewhere(self, lanes, args)
            return
        if self._loop is None:
            from megabatt.runtime.engine.device import by_numba

            names = ", ".join(f"a{i}" for i in range(len(self.parameters)))
            self._loop = by_numba.loop_over_lanes(
                self.function, self.origin, names, self.cpu_body(names)
            )
        self._loop(lanes, *args)
        if is_listened_to():
            self._tell()

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the arguments of `run`, without the number of lanes."""
        code = self.function.__code__
        return code.co_varnames[self.leading : code.co_argcount]

    def cpu_body(self, arguments: str) -> str:
        """Return the source of a lane's work, by the function `kernel`, indented by 12."""
        return f"            kernel(lane, {arguments})\n"

    def gpu_body(self, arguments: str) -> str:
        """Return the source of a thread's work, indented by 4. Its number is `thread`."""
        return (
            f"    lane = thread\n"
            f"    if lane < lanes:\n"
            f"        kernel(lane, {arguments})\n"
        )  # fmt: skip

    def __call__(self, *args: Any) -> Any:
        """Run the kernel. Some kinds of kernels are called in a way of their own."""
        self.run(*args)

    def _tell(self) -> None:
        """Tell the listener of the kernel if it was compiled just now, not loaded from disk."""
        if len(self._loop.overloads) == self._overloads:
            return
        self._overloads = len(self._loop.overloads)
        compiled = sum(self._loop.stats.cache_misses.values())
        if compiled > self.compiled:
            self.compiled = compiled
            with expecting({kernel for kernel in _kernels if kernel._loop is None}):
                tell_compiled(self.function.__name__)


class RunKernel(LaneKernel):
    """A kernel of one element of a lane's run. It takes the lane's number, then the element's.

    Its next argument is the offsets of the runs. The elements must not depend on one another: a GPU
    gives the lane as many threads as a warp has, so that one long run holds up no launch.
    """

    threads = 32
    leading = 2

    def cpu_body(self, arguments: str) -> str:
        return (
            f"            for k in range(a0[lane], a0[lane + 1]):\n"
            f"                kernel(lane, k, {arguments})\n"
        )

    def gpu_body(self, arguments: str) -> str:
        return (
            f"    lane = thread >> 5\n"
            f"    if lane < lanes:\n"
            f"        for k in range(a0[lane] + (thread & 31), a0[lane + 1], 32):\n"
            f"            kernel(lane, k, {arguments})\n"
        )


class TeamKernel(LaneKernel):
    """A kernel that a team of threads runs together for each lane: one on the CPU, a warp on a GPU.

    After the number of the lane it takes the thread's place in the team, and how many there are. A
    team shares a lane's elements out (`for k in range(begin + place, end, team)`), and its threads
    tell one another what they have found by the functions of `teams`, which all of them must call.
    """

    threads = 32
    leading = 3

    def cpu_body(self, arguments: str) -> str:
        return f"            kernel(lane, 0, 1, {arguments})\n"

    def gpu_body(self, arguments: str) -> str:
        return (
            f"    lane = thread >> 5\n"
            f"    if lane < lanes:\n"
            f"        kernel(lane, thread & 31, int64(32), {arguments})\n"
        )


def team_kernel(function: Callable[..., None]) -> TeamKernel:
    """Make a kernel of a plain Python function that is the work of one thread of a lane's team."""
    return TeamKernel(function)


def run_kernel(function: Callable[..., None]) -> RunKernel:
    """Make a kernel of a plain Python function that is the work on one element of a lane's run."""
    return RunKernel(function)


def lane_kernel(function: Callable[..., None]) -> LaneKernel:
    """Make a kernel of a plain Python function that is the work of one lane."""
    return LaneKernel(function)


def spelled_out(name: str, source: str, module: str, names: dict[str, Any]) -> Callable[..., None]:
    """Return the function `name` that `source` defines, with `names` at hand.

    `cupyx.jit` reads the sources of functions. It finds this one's in Python's cache of lines.
    """
    filename = f"<{name} of {module}>"
    linecache.cache[filename] = len(source), None, source.splitlines(keepends=True), filename
    scope: dict[str, Any] = {**names, "__name__": module}
    exec(compile(source, filename, "exec"), scope)
    function: Callable[..., None] = scope[name]
    return function
