"""Lane kernels on CUDA: the same Python functions, compiled by `cupyx.jit`, a thread per lane.

Needs CuPy, but a device only to launch: the CUDA source of a kernel can be had without one.

`cupyx.jit` reads a function's source and looks its names up where Numba does, in its globals; so
it is given copies of the functions, in whose globals the helpers compiled by Numba are replaced
by CUDA ones. Its mode is 'numpy': Python integers, and so the counters of `range`, are then
64 bits wide. In its default mode they have 32, and a variable that begins as `0` silently cuts
what is assigned to it.
"""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Callable, Sequence
from types import CodeType, FunctionType
from typing import Any

from numba.core.dispatcher import Dispatcher
from numpy import int64

from runtime.engine.kernels import LaneKernel

MODE = "numpy"


def cuda_kernel(kernel: LaneKernel) -> Any:
    """The kernel as a raw kernel of `cupyx.jit`: it takes the number of lanes, then as `kernel`.

    Its grid may have more threads than there are lanes.
    """
    from cupyx import jit

    return jit.rawkernel(mode=MODE)(_grid(kernel))


def cuda_source(kernel: LaneKernel, args: Sequence[Any]) -> str:
    """The CUDA source of the kernel for such arguments: arrays (their types are read) and integers.

    Raises what `cupyx.jit` raises where the kernel is outside of the subset that it takes.
    """
    from cupyx.jit import _compile, _cuda_types

    types = [_cuda_type(arg) for arg in (0, *args)]
    attributes = ['extern "C"', "__global__"]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Decorator .* may not supported", RuntimeWarning)
        compiled = _compile.transpile(_grid(kernel), attributes, MODE, types, _cuda_types.void)
    return str(compiled.code)


def _cuda_type(arg: Any) -> Any:
    from cupyx.jit import _cuda_typerules, _cuda_types

    if hasattr(arg, "dtype") and hasattr(arg, "strides") and arg.ndim:
        return _cuda_types.CArray(arg.dtype, arg.ndim, arg.flags.c_contiguous, False)
    return _cuda_typerules.get_ctype_from_scalar(MODE, arg)


def _grid(kernel: LaneKernel) -> Callable[..., None]:
    """A function of one thread that calls the kernel for its lane, if there is such a lane."""
    from cupyx import jit

    function = kernel.function
    code = function.__code__
    names = ", ".join(f"a{i}" for i in range(code.co_argcount - 1))
    name = f"{function.__name__}_lanes"
    source = (
        f"def {name}(lanes, {names}):\n"
        f"    lane = int64(grid(1))\n"
        f"    if lane < lanes:\n"
        f"        kernel(lane, {names})\n"
    )
    filename = f"<{name} of {function.__module__}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {
        "__name__": function.__module__,
        "int64": int64,
        "grid": jit.grid,
        "kernel": _device(function, {}),
    }
    exec(compile(source, filename, "exec"), namespace)
    made: Callable[..., None] = namespace[name]
    return made


def _device(function: Any, made: dict[Any, Any]) -> Any:
    """A copy of the function for `cupyx.jit`, with copies of the helpers; `made`: those there are."""
    from cupyx import jit

    if function not in made:
        names = function.__globals__
        found = {
            name: _device(names[name].py_func, made)
            for name in _names(function.__code__)
            if isinstance(names.get(name), Dispatcher)
        }
        copy = FunctionType(function.__code__, {**names, **found}, function.__name__)
        copy.__module__ = function.__module__
        made[function] = jit.rawkernel(mode=MODE, device=True)(copy)
    return made[function]


def _names(code: CodeType) -> tuple[str, ...]:
    return code.co_names
