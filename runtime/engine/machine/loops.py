"""Loops of the machine: compiled functions that Python calls with arrays and numbers.

The entry of a loop is machine code that unpacks arguments from their objects.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from megabatt.runtime.engine.device.spelling import spelled
from megabatt.runtime.engine.machine import llvm, native
from megabatt.runtime.engine.machine.functions import taken_by
from megabatt.runtime.engine.machine.syntax import Source

Numbers = np.ndarray[Any, Any]
"""An array of int64, unless a docstring says otherwise."""

_FASTCALL = 0x0080
"""CPython's METH_FASTCALL: arguments come as an array."""
_OBJECT = llvm.BYTE.as_pointer()
_HEADER = object.__basicsize__
_ELEMENTS, _DIMENSIONS, _SHAPE, _DESCRIPTION, _FLAGS = (
    _HEADER + offset for offset in (0, 8, 16, 40, 48)
)
"""Offsets in NumPy's arrays, on which extensions compiled for NumPy rely."""
_LETTER, _BYTE_ORDER = _HEADER + 9, _HEADER + 10
"""Offsets in the descriptor of an array's type."""
_WITHOUT_GAPS = 1
_TYPE = _HEADER - 8
"""The offset of an object's type."""


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
    returns one int or several, by default 0, and releases the GIL.
    """

    every: list[Loop] = []

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self._made: dict[tuple[llvm.Array | None, ...], Any] = {}
        self._last: Callable[..., Any] = lambda *args: np.ndarray  # as for other kinds
        self.every.append(self)

    def __call__(self, *args: Any) -> Any:
        result = self._last(*args)
        if result is not np.ndarray:
            return result
        plain = [np.asarray(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
        self._last = self._for(tuple(map(self._kind, plain)))
        return self._last(*plain)

    def _for(self, kinds: tuple[llvm.Array | None, ...]) -> Callable[..., Any]:
        """Return the function for arguments of some kinds, None for numbers.

        On other arguments, the function returns the object that it is bound to, the type of arrays.
        Raises TypeError if the loop takes another number of arguments, and Untranslatable.
        """
        if kinds not in self._made:
            function = self.function
            name, names = function.__name__, taken_by(function)
            if len(names) != len(kinds):
                raise TypeError(f"{name} takes {len(names)} arguments, not {len(kinds)}")
            given = dict(zip(names, kinds, strict=True))
            entry = native.address_of(native.added(
                name, f"{kinds} {_HEADER} {spelled(function)}",
                lambda symbol, module: _Entry(symbol, function, given, module).write(),
            ))  # fmt: skip
            method = _Method(name.encode(), entry, _FASTCALL, None)
            # For good: Python reads `method` for as long as it has the function, even at exit.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(method))
            self._made[kinds] = _new_function(ctypes.byref(method), np.ndarray, None)
        return self._made[kinds]

    def _kind(self, arg: Any) -> llvm.Array | None:
        if not isinstance(arg, np.ndarray):
            return None
        if not arg.flags.c_contiguous or arg.dtype.kind not in "biu" or not arg.dtype.isnative:
            raise TypeError(f"{self.function.__name__}: an array of {arg.dtype}, or with gaps")
        return llvm.Array(arg.dtype.char, arg.ndim)


class _Entry:
    """The entry of a loop, which unpacks arguments from their objects."""

    def __init__(
        self,
        symbol: str,
        function: Callable[..., Any],
        kinds: dict[str, llvm.Array | None],
        module: ir.Module,
    ) -> None:
        self._kinds = kinds
        self._module = module
        arrays = {name: kind for name, kind in kinds.items() if kind and name != "heap"}
        self._source = Source(function, arrays)
        takes = [_OBJECT, _OBJECT.as_pointer(), llvm.WORD]
        self._made = ir.Function(module, ir.FunctionType(_OBJECT, takes), symbol)
        self._builder = ir.IRBuilder(self._made.append_basic_block())
        self._others = self._made.append_basic_block()
        """The block for arguments of other kinds."""

    def write(self) -> None:
        builder = self._builder
        me, objects, count = self._made.args
        self._require(builder.icmp_signed("==", count, ir.Constant(llvm.WORD, len(self._kinds))))
        passed: list[ir.Value] = []
        for k, (name, kind) in enumerate(self._kinds.items()):
            taken = builder.load(builder.gep(objects, [ir.Constant(llvm.WORD, k)]))
            values = [self._number(taken)] if kind is None else self._array(kind, taken, me)
            passed += values[:1] if name == "heap" else values
        thread = builder.call(self._python("PyEval_SaveThread", _OBJECT), [])
        result = builder.call(llvm.Functions(self._module).of(self._source), passed)
        builder.call(self._python("PyEval_RestoreThread", ir.VoidType(), _OBJECT), [thread])
        builder.ret(self._object(result))
        builder.position_at_end(self._others)
        builder.call(self._python("Py_IncRef", ir.VoidType(), _OBJECT), [me])
        builder.ret(me)

    def _array(self, kind: llvm.Array, taken: ir.Value, array_type: ir.Value) -> list[ir.Value]:
        """Return the values that pass an array. taken: The object of the array."""
        builder = self._builder
        self._require(builder.icmp_signed("==", self._field(taken, _TYPE, _OBJECT), array_type))
        description = self._field(taken, _DESCRIPTION, _OBJECT)
        flags = self._field(taken, _FLAGS, llvm.INT)
        for found, wanted in (
            (self._field(taken, _DIMENSIONS, llvm.INT), kind.dimensions),
            (self._field(description, _LETTER, llvm.BYTE), ord(kind.letter)),
            (self._field(description, _BYTE_ORDER, llvm.BYTE), ord(kind.dtype.byteorder)),
            (builder.and_(flags, ir.Constant(llvm.INT, _WITHOUT_GAPS)), _WITHOUT_GAPS),
        ):
            self._require(builder.icmp_signed("==", found, ir.Constant(found.type, wanted)))
        shape = self._field(taken, _SHAPE, llvm.POINTER)
        axes = [ir.Constant(llvm.WORD, axis) for axis in range(kind.dimensions)]
        return [
            self._field(taken, _ELEMENTS, kind.element.as_pointer()),
            *[builder.load(builder.gep(shape, [axis])) for axis in axes],
        ]

    def _number(self, taken: ir.Value) -> ir.Value:
        """Return the number of an object; the entry raises Python's error for another object."""
        builder = self._builder
        number = builder.call(self._python("PyLong_AsLongLong", llvm.WORD, _OBJECT), [taken])
        with builder.if_then(builder.icmp_signed("==", number, ir.Constant(llvm.WORD, -1))):
            error = builder.call(self._python("PyErr_Occurred", _OBJECT), [])
            nothing = ir.Constant(_OBJECT, None)
            with builder.if_then(builder.icmp_signed("!=", error, nothing)):
                builder.ret(nothing)
        return number

    def _object(self, result: ir.Value) -> ir.Value:
        """Return the object for the loop's result."""
        builder = self._builder
        number = self._python("PyLong_FromLongLong", _OBJECT, llvm.WORD)
        if self._source.results == 1:
            return builder.call(number, [result])
        size = ir.Constant(llvm.WORD, self._source.results)
        made = builder.call(self._python("PyTuple_New", _OBJECT, llvm.WORD), [size])
        put = self._python("PyTuple_SetItem", llvm.INT, _OBJECT, llvm.WORD, _OBJECT)
        for k in range(self._source.results):
            item = builder.call(number, [builder.extract_value(result, k)])
            builder.call(put, [made, ir.Constant(llvm.WORD, k), item])
        return made

    def _require(self, bit: ir.Value) -> None:
        further = self._made.append_basic_block()
        self._builder.cbranch(bit, further, self._others)
        self._builder.position_at_end(further)

    def _field(self, taken: ir.Value, offset: int, kind: ir.Type) -> ir.Value:
        place = self._builder.gep(taken, [ir.Constant(llvm.WORD, offset)])
        return self._builder.load(self._builder.bitcast(place, kind.as_pointer()))

    def _python(self, name: str, result: ir.Type, *types: ir.Type) -> ir.Function:
        return llvm.declared(self._module, name, result, list(types))
