"""Loops of the machine: compiled functions that Python calls with arrays and numbers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from megabatt.runtime.engine.machine.entries import entry_of
from megabatt.runtime.engine.machine.llvm import Array

_FASTCALL = 0x0080
"""CPython's METH_FASTCALL: arguments come as an array."""


class _Method(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    )


_new_function = ctypes.pythonapi.PyCFunction_NewEx
_new_function.argtypes = [ctypes.POINTER(_Method), ctypes.py_object, ctypes.c_void_p]
_new_function.restype = ctypes.py_object


class Loop:
    """A function of arrays and numbers that calls machine functions; Python calls it.

    A parameter `heap` takes a heap's array. Arrays are contiguous, of integers or bool. The
    function is compiled or loaded for each combination of types and dimensions at its first use. It
    returns one int or several, by default 0. It releases the GIL.
    """

    every: list[Loop] = []

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self._made: dict[tuple[Array | None, ...], Any] = {}
        self._last: Callable[..., Any] = _for_no_kinds
        self.every.append(self)

    def __call__(self, *args: Any) -> Any:
        result = self._last(*args)
        if result is not np.ndarray:
            return result
        plain = [np.asarray(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
        self._last = self._for(tuple(map(self._kind, plain)))
        return self._last(*plain)

    def _for(self, kinds: tuple[Array | None, ...]) -> Callable[..., Any]:
        """Return the function for arguments of some kinds; for others it returns a type."""
        if kinds not in self._made:
            name = self.function.__name__.encode()
            method = _Method(name, entry_of(self.function, kinds), _FASTCALL, None)
            # For good: Python reads it for as long as it has the function, even while it ends.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(method))
            self._made[kinds] = _new_function(ctypes.byref(method), np.ndarray, None)
        return self._made[kinds]

    def _kind(self, arg: Any) -> Array | None:
        if not isinstance(arg, np.ndarray):
            return None
        if not arg.flags.c_contiguous or arg.dtype.kind not in "biu" or not arg.dtype.isnative:
            raise TypeError(f"{self.function.__name__}: an array of {arg.dtype}, or with gaps")
        return Array(arg.dtype.char, arg.ndim)


def _for_no_kinds(*args: Any) -> Any:
    return np.ndarray
