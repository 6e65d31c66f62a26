"""Compiles lane kernels and host functions for the CPU by Numba, which imports slowly."""

import hashlib
import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from textwrap import indent
from typing import Any

import numba
from numba.core.caching import FunctionCache

from megabatt.runtime.engine.device.compiling import add_making_ready, say_that_nothing_is_kept
from megabatt.runtime.engine.device.spelling import Compilable, spelled, with_meanings

_OPTIONS: Any = {"nogil": True, "_nrt": False}
"""Kernels allocate nothing; counting references to arrays would cost more than most kernels."""


def loop_over_lanes(function: Callable[..., None], names: str, body: str) -> Any:
    """Make the loop over lanes around a kernel's function, compiled at its first call.

    names: The loop's arguments after the number of lanes. body: The source of a lane's work.

    Numba's cache is keyed by a function's file and line and by its closure. So the loop gets the
    file and line of the kernel's function, and closes over a digest of all code compiled into the
    loop: that function and its callees, in any file.
    """
    name = f"{function.__name__}_lanes"
    source = (
        f"def close_over(digest):\n"
        f"    def {name}(lanes, {names}):\n"
        f"        digest\n"
        f"        for lane in range(lanes):\n"
        f"{indent(body, ' ' * 12)}\n"
        f"    return {name}\n"
    )
    text = f"{_OPTIONS} {os.environ.get('NUMBA_BOUNDSCHECK')} {source} {spelled(function)}"
    code = function.__code__
    inlined = numba.njit(forceinline=True, **_OPTIONS)(with_meanings(function, _dispatcher))
    scope: dict[str, Any] = {"kernel": inlined, "__name__": function.__module__}
    exec(compile(source, code.co_filename, "exec"), scope)
    loop = scope["close_over"](int.from_bytes(hashlib.sha256(text.encode()).digest()[:7]))
    loop.__code__ = loop.__code__.replace(co_firstlineno=code.co_firstlineno)
    return _kept_on_disk(numba.njit(**_OPTIONS)(loop), loop)


def host_function(function: Callable[..., Any]) -> Any:
    """Return a function of NumPy arrays for the host, compiled at its first call."""
    plain = with_meanings(function, _dispatcher)
    return _kept_on_disk(numba.njit(nogil=True)(plain), plain)


@cache
def _dispatcher(function: Compilable) -> Any:
    plain = with_meanings(function.function, _dispatcher)
    return numba.njit(forceinline=function.inlined, **_OPTIONS)(plain)


def _kept_on_disk(compiled: Any, function: Callable[..., Any]) -> Any:
    """Keep a compiled function on disk, if there is a folder for compiled code."""
    try:
        compiled._cache = _KeptOnDisk(function)
    except RuntimeError:  # Numba has no writable folder
        say_that_nothing_is_kept()
    return compiled


class _KeptOnDisk(FunctionCache):  # type: ignore[misc]
    """A cache for Numba's kernels that treats damaged files or a full disk as a miss."""

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
        add_making_ready(time.perf_counter() - self._asked)
