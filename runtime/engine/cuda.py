"""The CUDA device, through CuPy: its arrays, and lane kernels by `cupyx.jit`, a thread per lane.

`cuda_source` needs CuPy, but no device.

`cupyx.jit` reads a function's source, and looks up the names in it among the function's globals;
so it is given copies of the functions in whose globals a CUDA helper stands for each of Numba's.
Its mode is 'numpy', in which Python integers, and so the counters of `range`, have 64 bits as
they have with Numba. In its default mode they have 32, and a variable that begins as a literal
silently cuts off what is assigned to it later.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numpy import int64

from runtime.engine.cuda_text import COUNTS, GATHER, PRELUDE, SUM_UP
from runtime.engine.devices import Device
from runtime.engine.kernels import LaneKernel, spelled_out

MODE = "numpy"
_THREADS = 32
"""Threads a block: one warp, as lane kernels share nothing within a block, and the lanes of a small
batch then keep more of the GPU's multiprocessors busy."""

warnings.filterwarnings("ignore", "cupyx.jit.rawkernel is experimental", FutureWarning)
warnings.filterwarnings(
    "ignore", "Decorator (lane_kernel|run_kernel|device_function) may", RuntimeWarning
)


_OPTIONS = ("--std=c++17",)
_BLOCK = 1024
_FEW = 1 << 14
"""How many counts a single block sums up faster than the host launches what many blocks need."""

_BYTES_AN_ELEMENT = 512
"""What an element that an operation lays out may take, its temporaries and the batch beside it."""


class CudaDevice(Device):
    """A GPU. Raises what CuPy raises where there is no such device, or no driver."""

    asks_together = True

    def __init__(self, index: int = 0) -> None:
        import cupy

        super().__init__()
        self.name = f"cuda:{index}"
        self.arrays = cupy
        self._functions: dict[tuple[LaneKernel, tuple[str, ...]], Any] = {}
        self._written: dict[str, Any] = {}
        cupy.cuda.Device(index).use()
        self._copies = cupy.cuda.Stream(non_blocking=True)
        self.most_elements = max(self.free_bytes() // _BYTES_AN_ELEMENT, 1 << 20)

    def launch(self, kernel: LaneKernel, lanes: int, args: tuple[Any, ...]) -> None:  # type: ignore[override]
        """A call of a `cupyx.jit` kernel finds out the types of its arguments each time, which
        takes longer than the launch; here a compiled function is found by what they differ in."""
        variant = kernel, tuple(map(_variant, args))
        function = self._functions.get(variant)
        if function is None:
            function = self._functions[variant] = _compiled(kernel, args)
        numbers = [int64(arg) if isinstance(arg, int) else arg for arg in args]
        blocks = -(-lanes * kernel.threads // _THREADS)
        function((blocks,), (_THREADS,), (int64(lanes), *numbers))

    def answers(self, numbers: list[Any]) -> list[int]:
        """Gathered by one launch, from wherever they are."""
        n = len(numbers)
        where = np.empty((2, n), dtype=int64)
        for k, number in enumerate(numbers):
            where[:, k] = number.data.ptr, number.dtype.itemsize
        addresses, sizes = self.arrays.asarray(where)
        gathered = self.arrays.empty(n, dtype=int64)
        function = self._by_hand(GATHER, "gather")
        function((-(-n // _THREADS),), (_THREADS,), (int64(n), addresses, sizes, gathered))
        answers: list[int] = self.arrays.asnumpy(gathered).tolist()
        return answers

    def sum_up(self, counts: Any, offsets: Any) -> None:
        """Of few lanes in one launch of one block; `cumsum` takes several, of whole grids."""
        n, name = len(counts), str(counts.dtype)
        if n > _FEW or name not in COUNTS or not counts.flags.c_contiguous:
            return super().sum_up(counts, offsets)
        function = self._by_hand(SUM_UP, f"sum_up_{name}")
        function((1,), (_BLOCK,), (int64(n), counts, offsets))

    def _by_hand(self, source: str, name: str) -> Any:
        """The function of that name in a source of `cuda_text`."""
        function = self._written.get(name)
        if function is None:
            module = self.arrays.RawModule(code=source, options=_OPTIONS)
            function = self._written[name] = module.get_function(name)
        return function

    def to_host(self, array: Any) -> np.ndarray[Any, Any]:
        if isinstance(array, np.ndarray):
            return array
        self.fetched.count(array)
        return self.arrays.asnumpy(array)  # type: ignore[no-any-return]

    def send(self, array: np.ndarray[Any, Any]) -> Callable[[], Any]:
        """From pinned memory and on a stream of its own, so that it goes beside the computing."""
        import cupyx

        pinned = cupyx.empty_pinned(array.shape, array.dtype)
        pinned[...] = array
        self.sent.count(array)
        there = self.arrays.empty(array.shape, dtype=array.dtype)
        # what had the memory before may still be in use by what was launched until now
        self._copies.wait_event(self.arrays.cuda.get_current_stream().record())
        there.set(pinned, stream=self._copies)
        done = self._copies.record()

        def arrived(pinned: Any = pinned) -> Any:  # which must be kept until the copy is done
            done.synchronize()
            return there

        return arrived

    def free_bytes(self) -> int:
        free, _ = self.arrays.cuda.Device().mem_info
        return int(free) + self.arrays.get_default_memory_pool().free_bytes()

    def release(self) -> None:
        self.arrays.get_default_memory_pool().free_all_blocks()
        self.arrays.get_default_pinned_memory_pool().free_all_blocks()

    def exhausted(self, error: BaseException) -> bool:
        return isinstance(error, self.arrays.cuda.memory.OutOfMemoryError)

    def lost(self, error: BaseException) -> bool:
        cuda = self.arrays.cuda
        return isinstance(error, (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError))


def _variant(arg: Any) -> str:
    """What the type of a kernel's parameter depends on, in a few letters."""
    if isinstance(arg, int | int64):
        return "int"
    char: str = arg.dtype.char
    return char if arg.flags.c_contiguous else f"{char} strided"


def cuda_source(kernel: LaneKernel, args: Sequence[Any]) -> str:
    """The CUDA source of the kernel for arguments of these types: arrays, NumPy's too, or integers.

    It stands behind `PRELUDE`. Raises what `cupyx.jit` raises for a kernel outside of the subset
    that it takes.
    """
    from cupyx.jit import _compile, _cuda_types

    types = [_cuda_type(arg) for arg in (int64(0), *args)]
    attributes = ['extern "C"', "__global__"]
    made = _compile.transpile(_grid(kernel), attributes, MODE, types, _cuda_types.void)
    return re.sub(r"^#include .*\n", "", made.code, flags=re.MULTILINE)


def _compiled(kernel: LaneKernel, args: Sequence[Any]) -> Any:
    """The kernel's function on the device in use, by way of CuPy's cache on disk."""
    import cupy

    source = PRELUDE + cuda_source(kernel, args)
    module = cupy.RawModule(code=source, options=_OPTIONS)
    return module.get_function(f"{kernel.function.__name__}_lanes")


def _cuda_type(arg: Any) -> Any:
    """The type of a kernel's parameter: 64-bit indices, whatever the array's size."""
    from cupyx.jit import _cuda_types

    if isinstance(arg, int | int64):
        return _cuda_types.Scalar(np.int64)
    return _cuda_types.CArray(arg.dtype, arg.ndim, arg.flags.c_contiguous, False)


def _grid(kernel: LaneKernel) -> Callable[..., None]:
    """What one thread does: the work of a lane, or its share of it, if there is such a lane."""
    from cupyx import jit

    function = kernel.function
    arguments = ", ".join(f"a{i}" for i in range(len(kernel.parameters)))
    name = f"{function.__name__}_lanes"
    source = (
        f"def {name}(lanes, {arguments}):\n"
        f"    thread = int64(grid(1))\n"
        f"{kernel.gpu_body(arguments)}"
    )
    names = {"kernel": _device(function, {}), "grid": jit.grid, "int64": int64}
    return spelled_out(name, source, function.__module__, names)


def _device(function: Any, made: dict[Any, Any]) -> Any:
    """The function as `cupyx.jit` can call it, with its helpers; `made`: those so far."""
    from cupyx import jit

    if function not in made:
        names = function.__globals__
        helpers = {
            name: _device(names[name].py_func, made)
            for name in function.__code__.co_names
            if isinstance(names.get(name), Dispatcher)
        }
        copy = FunctionType(function.__code__, {**names, **helpers}, function.__name__)
        copy.__module__ = function.__module__
        made[function] = jit.rawkernel(mode=MODE, device=True)(copy)
    return made[function]
