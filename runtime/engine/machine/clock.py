"""What time it is, asked by compiled loops."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from megabatt.runtime.engine.machine.functions import HEAP

_MONOTONIC = 1
"""The number of Linux's clock that nobody sets."""


@intrinsic
def nanoseconds(typing: Any, heap: Any, at: Any) -> Any:
    """Return a time in ns. at: the address of two words of the heap that may be overwritten."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number, kind = ir.IntType(64), ir.IntType(32)
        place = builder.gep(args[0], [args[1]])
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(kind, [kind, number.as_pointer()]), "clock_gettime"
        )
        builder.call(function, [ir.Constant(kind, _MONOTONIC), place])
        seconds = builder.load(place)
        rest = builder.load(builder.gep(place, [ir.Constant(number, 1)]))
        return builder.add(builder.mul(seconds, ir.Constant(number, 10**9)), rest)

    return types.int64(HEAP, types.int64), code
