"""Compiled functions of NumPy arrays."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from megabatt.runtime.engine.device.spelling import Compilable


class HostFunction(Compilable):
    """A function of NumPy arrays for the host alone. Python may call it too, and it may allocate.

    The first call compiles or loads the function.
    """

    def __call__(self, *args: Any) -> Any:
        return self._compiled(*args)

    @cached_property
    def _compiled(self) -> Any:
        from megabatt.runtime.engine.device import by_numba

        return by_numba.host_function(self.function)


host_function = HostFunction
