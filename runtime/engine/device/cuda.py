"""The CUDA device, through CuPy: its arrays, and lane kernels by `cupyx.jit`, a thread per lane.

`cuda_source` needs CuPy, but no device.

`cupyx.jit` reads a function's source, and looks up its names among the function's globals. So it
gets copies of the functions, whose globals have CUDA helpers in place of the plain helpers. In its
mode 'numpy', Python integers and so the counters of `range` have 64 bits, as with Numba, else 32: a
variable that begins as a literal would silently cut off larger values assigned to it later.
"""

import linecache
import re
import warnings
from collections.abc import Callable, Sequence
from functools import cache, partial
from textwrap import indent
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy import int64

from megabatt.runtime.engine.device import cuda_text, reals, teams
from megabatt.runtime.engine.device.device import FIRST, LAST, Device, Number
from megabatt.runtime.engine.device.kernels import LaneKernel
from megabatt.runtime.engine.device.spelling import with_meanings

MODE = "numpy"
_THREADS, _THREADS_OF_MANY = 32, 256
"""Threads per block. A small batch has one warp a block, so that its lanes keep more of the GPU's
multiprocessors busy. A large batch occupies them all, and has larger blocks: a multiprocessor holds
at most 32 blocks, and starting each takes time. Only threads of one warp share data."""
_MANY_THREADS = 1 << 17

warnings.filterwarnings("ignore", "cupyx.jit.rawkernel is experimental", FutureWarning)
warnings.filterwarnings(
    "ignore",
    "Decorator (lane_kernel|team_kernel|device_function|inlined_function) may",
    RuntimeWarning,
)


_OPTIONS = ("--std=c++17", "--fmad=false")  # a product is rounded before it is added to
_BLOCK = 1024
_FEW = 1 << 14
"""The most counts to sum up in a single block; many blocks sum up more counts faster."""

_MANY = 1 << 17
"""With more elements, one block takes longer than the launches of a reduction over all blocks."""
_SIZES = {"l": 8, "q": 8, "?": 1, "B": 1, "b": -1}
"""Bytes of an element, by its type's letter; negative for a signed byte."""
_COUNTS = {np.dtype(name).char: name for name in cuda_text.COUNTS}

_STACK_SIZE = 0
"""CUDA's code for the limit of a thread's stack."""
_STACK_BYTES = 1 << 15
"""The stack of a thread in a source whose functions call one another in circles. A call on the
machine takes at most four frames, and a frame at most 232 bytes where NVRTC compiles for Hopper: so
the stack holds 24 nested calls, and the recursive functions that these call."""

_ALLOC_FAILED = 2
_CUFFT_BROKE = (5, 6, 7)
"""cuFFT's codes for a failing device: internal error, failed execution, failed setup."""

_BYTES_AN_ELEMENT = 512
"""Estimated bytes for each element laid out, with temporaries and the rest of the batch."""


class CudaDevice(Device):
    """A GPU. Raises CuPy's error if there is no such device, or no driver."""

    asks_together = True
    compiles = True

    def __init__(self, index: int = 0) -> None:
        import cupy
        import cupyx

        super().__init__()
        self.name = f"cuda:{index}"
        self.arrays = _faster(cupy)
        self._functions: dict[tuple[Any, ...], Any] = {}
        module = cache(lambda source: cupy.RawModule(code=source, options=_OPTIONS))
        # without the layer that finds the device in use at each launch
        self._loaded = cache(lambda source, name: module(source).get_function(name).kernel)
        self._make_stacks = cache(
            partial(cupy.cuda.runtime.deviceSetLimit, _STACK_SIZE, _STACK_BYTES)
        )
        cupy.cuda.Device(index).use()
        self._copies = cupy.cuda.Stream(non_blocking=True)
        self._asked = np.zeros(1, dtype=f"V{32 * cuda_text.ASKED}")  # a kernel's parameter
        self._rows = self._asked.view(int64).reshape(cuda_text.ASKED, 4)
        self._answered = cupyx.empty_pinned(cuda_text.ASKED, dtype=int64)  # a GPU writes there
        self._answered_at: int = self._answered.ctypes.data
        self.most_elements = max(self.free_bytes() // _BYTES_AN_ELEMENT, 1 << 20)

    def launch(self, kernel: LaneKernel, lanes: int, args: tuple[Any, ...]) -> None:  # type: ignore[override]
        """Launch the kernel for all lanes. Raises TypeError for an array with gaps.

        A call of a `cupyx.jit` kernel finds out the types of its arguments each time, which takes
        longer than the launch. This method finds the compiled function by kernel and types.
        """
        array = self.arrays.ndarray
        variant: list[Any] = [kernel]
        for arg in args:
            if type(arg) is not array:
                variant.append(float if isinstance(arg, float) else int)
            elif arg._c_contiguous:
                variant.append(arg.dtype.char)
            else:
                raise TypeError(f"{kernel.function.__name__}: an array with gaps")
        key = tuple(variant)
        function = self._functions.get(key)
        if function is None:
            source = cuda_text.PRELUDE + cuda_source(kernel, args)
            name = f"{kernel.function.__name__}_lanes"
            function = self._functions[key] = self._loaded(source, name)
        _launch(function, lanes * kernel.threads, (lanes, *args))

    def launch_written(self, source: str, name: str, threads: int, args: tuple[Any, ...]) -> None:
        self._make_stacks()
        _launch(self._loaded(source, name), threads, (threads, *args))

    def answers(self, asked: list[tuple[Any, Number]]) -> list[int]:
        """Find the numbers by one launch for many arrays, which writes to the host's memory."""
        function = self._loaded(cuda_text.ANSWER, "answer")
        answers: list[int] = []
        for at in range(0, len(asked), cuda_text.ASKED):
            questions = [_direct(*question) for question in asked[at : at + cuda_text.ASKED]]
            rows = [
                (values.data.ptr, values.size, _SIZES[values.dtype.char], number.code)
                for values, number in questions
            ]
            self._rows[: len(rows)] = rows
            function((len(rows),), (cuda_text.FINDING,), (self._asked, self._answered_at))
            self.arrays.cuda.get_current_stream().synchronize()
            answers += self._answered[: len(rows)].tolist()
        return answers

    def sum_up(self, counts: Any, offsets: Any) -> None:
        """Sum up few lanes in one launch of one block; `cumsum` takes several launches of grids."""
        name = _COUNTS.get(counts.dtype.char)
        if counts.size > _FEW or name is None or not counts._c_contiguous:
            return super().sum_up(counts, offsets)
        function = self._loaded(cuda_text.SUM_UP, f"sum_up_{name}")
        function((1,), (_BLOCK,), (counts.size, counts, offsets))

    def collect(self, arrays: list[Any], places: list[int], room: Any) -> None:
        """Store many arrays in one launch."""
        function = self._loaded(cuda_text.COLLECT, "collect")
        rows = [
            (array.data.ptr, place, array.nbytes)
            for array, place in zip(arrays, places, strict=True)
            if array.nbytes
        ]
        for at in range(0, len(rows), cuda_text.COLLECTED):
            some = rows[at : at + cuda_text.COLLECTED]
            parameter = np.zeros(1, dtype=f"V{24 * cuda_text.COLLECTED}")
            parameter.view(int64).reshape(cuda_text.COLLECTED, 3)[: len(some)] = some
            function((len(some) * cuda_text.COPYING,), (_THREADS_OF_MANY,), (parameter, room))

    @property
    def fourier(self) -> Any:
        import cupyx.scipy.fft

        return cupyx.scipy.fft

    def to_host(self, array: Any) -> np.ndarray[Any, Any]:
        if isinstance(array, np.ndarray):
            return array
        self.fetched += 1
        return self.arrays.asnumpy(array)  # type: ignore[no-any-return]

    def send(self, array: np.ndarray[Any, Any]) -> Callable[[], Any]:
        """Send from pinned memory on a stream of its own, so that computing goes on meanwhile."""
        import cupyx

        pinned = cupyx.empty_pinned(array.shape, array.dtype)
        pinned[...] = array
        self.sent += 1
        there = self.arrays.empty(array.shape, dtype=array.dtype)
        # launched kernels may still use the earlier content of this memory
        self._copies.wait_event(self.arrays.cuda.get_current_stream().record())
        there.set(pinned, stream=self._copies)
        done = self._copies.record()

        def arrived(pinned: Any = pinned) -> Any:  # kept until the copy is done
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
        full = isinstance(error, self.arrays.cuda.memory.OutOfMemoryError)
        return full or _result_of_cufft(error) == _ALLOC_FAILED

    def lost(self, error: BaseException) -> bool:
        cuda = self.arrays.cuda
        failed = isinstance(error, (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError))
        return failed or _result_of_cufft(error) in _CUFFT_BROKE


def _launch(function: Any, threads: int, args: tuple[Any, ...]) -> None:
    block = _THREADS if threads < _MANY_THREADS else _THREADS_OF_MANY
    function((-(-threads // block),), (block,), args)


def _result_of_cufft(error: BaseException) -> int | None:
    """Return cuFFT's code of an error, or None. cuFFT may be the first to meet a failing device."""
    return getattr(error, "result", None) if type(error).__name__ == "CuFFTError" else None


def _faster(cupy: Any) -> SimpleNamespace:
    """Return CuPy's functions, with `empty` and `full` that skip its checks of arguments."""
    array = cupy.ndarray

    def full(shape: Any, value: Any, dtype: Any) -> Any:
        made = array(shape, dtype)
        made.fill(value)
        return made

    return SimpleNamespace(**{**vars(cupy), "empty": array, "full": full})


def _direct(values: Any, number: Number) -> tuple[Any, Number]:
    """Return a question for one block: the given question, or one on a reduction's result."""
    if values.size > _MANY and number not in (FIRST, LAST):
        return number.of(values), FIRST
    return (values if values._c_contiguous else values.copy()), number


def cuda_source(kernel: LaneKernel, args: Sequence[Any]) -> str:
    """Return the kernel's CUDA source for arguments like these: arrays, NumPy's too, or numbers.

    The source must follow `PRELUDE`. Raises the error of `cupyx.jit` for what it does not know.
    """
    from cupyx.jit import _compile, _cuda_types

    types = [_cuda_type(arg) for arg in (int64(0), *args)]
    attributes = ['extern "C"', "__global__"]
    made = _compile.transpile(_grid(kernel), attributes, MODE, types, _cuda_types.void)
    return re.sub(r"^#include .*\n", "", made.code, flags=re.MULTILINE)


def _cuda_type(arg: Any) -> Any:
    """Return the type of a kernel's parameter. Indices have 64 bits, whatever the array's size."""
    from cupyx.jit import _cuda_types

    if isinstance(arg, int | int64):
        return _cuda_types.Scalar(np.int64)
    if isinstance(arg, float):
        return _cuda_types.Scalar(np.float64)
    return _cuda_types.CArray(arg.dtype, arg.ndim, arg.flags.c_contiguous, False)


def _grid(kernel: LaneKernel) -> Callable[..., None]:
    """Make the function of one thread: the work, or a share, of its lane, if the lane exists.

    The source goes into Python's line cache, where `cupyx.jit` finds it.
    """
    from cupyx import jit

    function = kernel.function
    name = f"{function.__name__}_lanes"
    source = (
        f"def {name}(lanes, {kernel.arguments}):\n"
        f"    thread = int64(grid(1))\n"
        f"    lane = thread >> {kernel.threads.bit_length() - 1}\n"
        f"    if lane < lanes:\n"
        f"{indent(kernel.on_gpu.format(kernel.arguments), ' ' * 8)}\n"
    )
    file = f"<{name} of {function.__module__}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    scope: dict[str, Any] = {"kernel": _device(function, {}), "grid": jit.grid, "int64": int64}
    scope["__name__"] = function.__module__
    exec(compile(source, file, "exec"), scope)
    return scope[name]  # type: ignore[no-any-return]


def _device(function: Any, made: dict[Any, Any]) -> Any:
    """Make the function and its helpers callable for `cupyx.jit`. made: The results so far."""
    from cupyx import jit

    if function.__module__ in (teams.__name__, reals.__name__):
        return _written(function)
    if function not in made:
        copy = with_meanings(function, lambda helper: _device(helper.function, made))
        made[function] = jit.rawkernel(mode=MODE, device=True)(copy)
    return made[function]


def _written(function: Any) -> Any:
    """Make the function of that name in `cuda_text.PRELUDE` callable for `cupyx.jit`.

    `cupyx.jit` has such functions of its own, but asks a device for the size of a warp.
    """
    from cupyx.jit import _cuda_types, _internal_types

    name = function.__name__
    real = function.__module__ == reals.__name__ or name.startswith("real_")

    class Written(_internal_types.BuiltinFunc):
        def call(self, env: Any, *args: Any) -> Any:
            data = [_internal_types.Data.init(arg, env) for arg in args]
            code = f"{name}({', '.join(arg.code for arg in data)})"
            return _internal_types.Data(code, _cuda_types.Scalar(np.float64 if real else np.int64))

    return Written()
