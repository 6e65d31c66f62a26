"""Lane kernels: one plain Python function does one lane's work; here it is compiled and launched.

A kernel takes the number of its lane, then flat arrays and numbers, and returns nothing. It is
written in the subset that Numba and `cupyx.jit` both compile: `range` and `while` loops, `if`,
arithmetic on names that keep one type (`int64(...)` where an element of another width is
read, `uint8(...)` where one is written), indexing by one index, comparisons of two values, calls
of `device_function`s; no chained comparison, no tuples, no slices, no allocation.
"""

from __future__ import annotations

import hashlib
import linecache
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from multiprocessing import current_process
from textwrap import dedent, indent
from types import CodeType, ModuleType
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core.caching import Cache, FunctionCache, NullCache, make_library_cache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target

log = logging.getLogger("megabatt.kernels")

_OPTIONS: Any = {"nogil": True, "_nrt": False}
"""Kernels allocate nothing, and counting references to arrays would cost more than most do."""


def device_function(function: Callable[..., Any]) -> Any:
    """Make a plain function a scalar helper that kernels may call."""
    return numba.njit(**_OPTIONS)(function)


def inlined_function(function: Callable[..., Any]) -> Any:
    """Make a `device_function` that is compiled into each of its callers.

    It is for arithmetic in loops over many elements. A CPU does several elements at once where no
    call stands in between, and two functions of equal arguments share what they compute alike.
    """
    return numba.njit(forceinline=True, **_OPTIONS)(function)


launch_elsewhere: Callable[[LaneKernel, int, tuple[Any, ...]], None] | None = None
"""How kernels are launched on the device in use; None: as a loop on the CPU."""

_listeners: list[Callable[[str], None]] = []


@contextmanager
def on_compiled(listener: Callable[[str], None]) -> Iterator[None]:
    """Tell `listener`, while this is entered, the name of each kernel that has been compiled.

    Only the first of those that are entered is told.
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def tell_compiled(name: str) -> None:
    """Tell the listener, if there is one, what has been compiled."""
    for listener in _listeners[:1]:
        listener(name)


def host_function(function: Callable[..., Any]) -> Any:
    """Compile a function of NumPy arrays for the host alone. It may allocate."""
    return kept_on_disk(numba.njit(nogil=True)(function), function)


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

    def run(self, lanes: int, *args: Any) -> None:
        """Run the kernel for every lane. `args`: arrays and numbers, as the kernel takes them."""
        if not lanes:
            return
        if launch_elsewhere is not None:
            launch_elsewhere(self, lanes, args)
            return
        if self._loop is None:
            self._loop = _cpu_loop(self)
        self._loop(lanes, *args)
        if _listeners:
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


def _cpu_loop(kernel: LaneKernel) -> Any:
    """Make the loop over lanes around a kernel's function. Numba compiles it on its first call."""
    function, origin = kernel.function, kernel.origin
    names = ", ".join(f"a{i}" for i in range(len(kernel.parameters)))
    name = f"{function.__name__}_lanes"
    source = (
        f"def {name}(lanes, {names}):\n"
        f"    for lane in range(lanes):\n"
        f"{indent(dedent(kernel.cpu_body(names)), ' ' * 8)}"
    )
    inlined = numba.njit(forceinline=True, **_OPTIONS)(function)
    loop = closed_over_digest(name, source, {"kernel": inlined}, function, origin)
    return kept_on_disk(numba.njit(**_OPTIONS)(loop), loop)


def closed_over_digest(
    name: str,
    source: str,
    scope: dict[str, Any],
    compiled_in: Callable[..., Any],
    origin: CodeType,
) -> Callable[..., Any]:
    """Return the function `name` that `source` defines, to be compiled and kept on disk.

    Numba keys its cache on disk by the file and line that a function comes from, and by what it
    closes over. So the function is given the file and line of `origin`, and closes over a digest of
    all that is compiled into it: the function `compiled_in` and what that calls, in any file.
    """
    head, body = source.split("\n", 1)
    outer = f"def close_over(digest):\n    {head}\n        digest\n{indent(body, ' ' * 4)}"
    names = {**scope, "__name__": compiled_in.__module__}
    exec(compile(f"{outer}\n    return {name}\n", origin.co_filename, "exec"), names)
    text = f"{_OPTIONS} {source} {spelled(compiled_in)}"
    made = names["close_over"](int.from_bytes(hashlib.sha256(text.encode()).digest()[:7]))
    made.__code__ = made.__code__.replace(co_firstlineno=origin.co_firstlineno)
    return made  # type: ignore[no-any-return]


def kept_on_disk(compiled: Any, function: Callable[..., Any]) -> Any:
    """Have a function kept on disk once compiled, if there is a folder to keep it in."""
    try:
        compiled._cache = _KeptOnDisk(function)
    except RuntimeError:  # there is no folder that Numba can write to
        _say_that_nothing_is_kept()
    return compiled


@global_compiler_lock  # type: ignore[untyped-decorator]
def kept_library(
    name: str, key: Callable[..., Any], signature: Any, write: Callable[[str, ir.Module], None]
) -> int:
    """Compile a function, or load it from disk. Returns its address.

    name: the function's, for listeners. key: a function that has been `closed_over_digest`; it has
    the file and line that the compiled function is of. write: writes the function into a module,
    under a name.
    """
    context = cpu_target.target_context
    (digest,) = key.__closure__ or ()
    symbol = f"{key.__name__}_{digest.cell_contents}"
    cache: Any = NullCache()
    try:
        cache = _LibraryOnDisk(key)
    except RuntimeError:  # there is no folder that Numba can write to
        _say_that_nothing_is_kept()
    library = cache.load_overload(signature, context)
    if library is None:
        library = context.codegen().create_library(symbol)
        library.enable_object_caching()
        module = library.create_ir_module(symbol)
        write(symbol, module)
        library.add_ir_module(module)
        library.finalize()
        cache.save_overload(signature, library)
        tell_compiled(name)
    _libraries.append(library)
    return int(library.get_pointer_to_function(symbol))


_libraries: list[Any] = []
"""What was compiled or loaded. Numba's engine refers to it, but does not hold it."""


_making_ready = 0.0


def seconds_making_ready() -> float:
    """Return the seconds that this process has spent on loading and compiling kept kernels."""
    return _making_ready


class _OnDisk(Cache):  # type: ignore[misc]
    """A cache of Numba's; with damaged files or a full disk it behaves as if nothing were kept.

    Numba asks it for a kernel, and gives it each kernel that had to be compiled.
    """

    _asked = 0.0

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        self._asked = time.perf_counter()
        try:
            loaded = super().load_overload(signature, target_context)
        except Exception:  # whatever unpickling raises
            with suppress(OSError):
                self.flush()
            return None
        if loaded is not None:
            self._is_ready()
        return loaded

    def save_overload(self, signature: Any, compiled: Any) -> None:
        with suppress(OSError):
            super().save_overload(signature, compiled)
        self._is_ready()

    def _is_ready(self) -> None:
        global _making_ready
        _making_ready += time.perf_counter() - self._asked


class _KeptOnDisk(_OnDisk, FunctionCache):  # type: ignore[misc]
    """Keeps what Numba compiles."""


class _LibraryOnDisk(_OnDisk, make_library_cache("machine")):  # type: ignore[misc]
    """Keeps what is compiled from a module of LLVM's."""


@lru_cache
def _say_that_nothing_is_kept() -> None:
    if current_process().name == "MainProcess":  # and not each worker
        log.warning(
            "compiled kernels cannot be kept, so that every process compiles them again: neither "
            "megabatt's own folder nor the user's cache can be written; set NUMBA_CACHE_DIR to a "
            "folder that can"
        )


def spelled(function: Callable[..., Any]) -> str:
    """Spell out what a function does, with the compiled functions that it calls."""
    return " ".join(_spelled_alone(one)[0] for one in functions_called(function))


def functions_called(function: Callable[..., Any]) -> list[Callable[..., Any]]:
    """List a function, the compiled functions that it calls, and those that they call."""
    found: dict[Callable[..., Any], None] = {function: None}
    to_visit = [function]
    while to_visit:
        called = _spelled_alone(to_visit.pop())[1]
        to_visit += [other for other in called if other not in found]
        found.update(dict.fromkeys(called))
    return list(found)


@cache
def _spelled_alone(function: Callable[..., Any]) -> tuple[str, list[Callable[..., Any]]]:
    """Spell out a function's code and the numbers that it names; also list what it calls."""
    code = function.__code__
    parts = [code.co_code.hex(), repr(code.co_consts), repr(code.co_names)]
    called = []
    for value in _named(function):
        if isinstance(value, Dispatcher):
            called.append(value.py_func)
        elif isinstance(value, int | float | np.number):
            parts.append(repr(value))
    return " ".join(parts), called


def _named(function: Callable[..., Any]) -> Iterator[Any]:
    """Find what the names in a function's code stand for, also those of its modules' attributes."""
    names = function.__code__.co_names
    found = [function.__globals__.get(name) for name in names]
    yield from found
    for module in found:
        if isinstance(module, ModuleType):
            yield from (getattr(module, name, None) for name in names)
