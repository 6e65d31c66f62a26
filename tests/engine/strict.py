"""A device that refuses what CuPy lacks or does implicitly, for machines without a GPU.

Its arrays are on the CPU, and Numba's kernels run on them. But they have only CuPy's operations.
Arrays come to the host by `to_host`, `tolist`, and `bool` and `int` of one element alone, and go to
the device by `asarray` and `send` alone. `syncs` counts these transfers, since the host waits for
them on a GPU. `syncs` also counts the calls whose result has a size that depends on the data.
"""

from operator import attrgetter
from types import SimpleNamespace
from unittest import mock

import numpy as np

from megabatt.runtime.engine.device import kernels
from megabatt.runtime.engine.device.device import Device


class Refused(TypeError):
    """Raised for a call that CuPy would refuse, or make with a hidden transfer."""


class StrictArray:
    """An array of the strict device, around a NumPy array."""

    __slots__ = ("_host", "_device")
    __array_ufunc__ = None

    def __init__(self, host, device, launches=1):
        self._host = np.asarray(host)
        self._device = device
        device.array_calls += launches

    def __array__(self, *_):
        raise Refused("an array of the device given to NumPy")

    def __iter__(self):
        raise Refused("a loop in Python over an array of the device")

    def __index__(self):
        raise Refused("an array of the device as a Python index")

    def __len__(self):
        return len(self._host)

    def _to_host(self):
        self._device.syncs += 1
        return self._host

    def __getitem__(self, index):
        if not isinstance(index, StrictArray):  # a view
            return StrictArray(self._host[_index(index)], self._device, 0)
        if index.dtype == np.bool_:  # the host waits for the result's size
            self._device.syncs += 1
        return StrictArray(self._host[index._host], self._device)

    def __setitem__(self, index, value):
        at, value = _index(index), _operand(value)
        self._host[at] = value
        self._device.array_calls += 1
        if isinstance(index, StrictArray) and np.ndim(value) and at.dtype != np.bool_:
            if not np.array_equal(self._host[at], value):
                raise Refused("several values for one place: which of them stays is not defined")


def _index(index):
    """Unwrap an index: integers and slices of the host, arrays of the device."""
    if isinstance(index, tuple):
        return tuple(map(_index, index))
    if isinstance(index, StrictArray):
        return index._host
    if isinstance(index, slice):
        if any(isinstance(part, StrictArray) for part in (index.start, index.stop, index.step)):
            raise Refused("a slice that ends at an element of an array")
        return index
    if index is None or index is Ellipsis or isinstance(index, int | np.integer):
        return index
    raise Refused(f"an index that is a {type(index).__name__} of the host")


def _operand(value):
    """Unwrap an operand: a number of the host, or an array of the device."""
    if isinstance(value, StrictArray):
        return value._host
    if isinstance(value, bool | int | float | np.generic | np.dtype | type) or value is None:
        return value
    raise Refused(f"a {type(value).__name__} of the host given to an array of the device")


def _delegated(name, launches=1, in_place=False):
    """Make a method that does what NumPy's does, and refuses values of the host except numbers."""

    def method(self, *args, **axis):
        operands = map(_operand, args) if name.startswith("__") else args
        result = getattr(self._host, name)(*operands, **axis)
        if in_place:
            self._device.array_calls += 1
            return self
        made = result is not NotImplemented
        return StrictArray(result, self._device, launches) if made else NotImplemented

    return method


_ARITHMETIC = "add sub mul floordiv truediv mod and or xor lshift".split()
_OTHERS = "rshift eq ne lt le gt ge neg invert abs".split()
for _name in [*_ARITHMETIC, *(f"r{name}" for name in _ARITHMETIC), *_OTHERS]:
    setattr(StrictArray, f"__{_name}__", _delegated(f"__{_name}__"))
for _name in _ARITHMETIC:
    setattr(StrictArray, f"__i{_name}__", _delegated(f"__i{_name}__", in_place=True))
for _name in "any all sum max min astype copy".split():
    setattr(StrictArray, _name, _delegated(_name))
_TO_HOST = {"get": np.copy, "tolist": np.ndarray.tolist, "__bool__": bool, "__int__": int}
for _name, _made in _TO_HOST.items():
    setattr(StrictArray, _name, lambda self, made=_made: made(self._to_host()))
for _name in ("view", "reshape", "ravel"):
    setattr(StrictArray, _name, _delegated(_name, launches=0))
for _name in ("dtype", "ndim", "shape", "size", "flags", "nbytes"):
    setattr(StrictArray, _name, property(attrgetter(f"_host.{_name}")))


ON_ARRAYS = (
    "append clip cumsum concatenate flatnonzero isfinite isnan maximum minimum searchsorted sign "
    "sqrt take unique where"
)
LIKE = "empty_like ones_like zeros_like"
WAITING = "flatnonzero unique"
"""The functions of CuPy that rules may use. Before you add a function, look up in CuPy's
documentation what it lacks and which arguments it does not take. The host waits for the size of
the results of the functions in WAITING."""


def _namespace(device):
    def on_arrays(name):
        def function(*args, **kwargs):
            if name == "concatenate":
                args = ([_operand(array) for array in args[0]],)
            kwargs = {key: _operand(value) for key, value in kwargs.items()}
            device.syncs += name in WAITING
            result = getattr(np, name)(*map(_operand_or_list, args), **kwargs)
            return StrictArray(result, device, 0 if name == "empty_like" else 1)

        return function

    def made(name):
        def function(*args, **kwargs):
            if any(isinstance(arg, StrictArray) for arg in args):
                raise Refused(f"{name} of a size or value that is on the device")
            launches = 0 if name == "empty" else 1
            return StrictArray(getattr(np, name)(*args, **kwargs), device, launches)

        return function

    def asarray(value, dtype=None):
        if isinstance(value, StrictArray):
            return value if dtype is None else value.astype(dtype)
        device.syncs += 1
        return StrictArray(np.array(value, dtype=dtype), device)

    functions = {name: on_arrays(name) for name in [*ON_ARRAYS.split(), *LIKE.split()]}
    functions |= {name: made(name) for name in ("arange", "empty", "full", "ones", "zeros")}
    names = ("bool_", "int8", "int16", "int32", "int64", "uint8", "uint64", "float32", "float64",
             "complex64", "complex128")  # fmt: skip
    types = {name: getattr(np, name) for name in names}
    return SimpleNamespace(**functions, **types, asarray=asarray)


def _operand_or_list(value):
    return value if isinstance(value, list) else _operand(value)


class StrictDevice(Device):
    """A device that refuses what CuPy does not do.

    syncs: the number of times that the host has waited for the device.
    launches: the number of launches of lane kernels.
    array_calls: the number of calls of functions and operators that compute on arrays. Each is a
    launch or a few. Views do not count.
    """

    name = "strict"
    asks_together = True

    def __init__(self):
        super().__init__()
        self.syncs = self.bytes_sent = self.bytes_fetched = 0
        self.launches = 0
        self.array_calls = 0
        self.arrays = _namespace(self)

    def launch(self, kernel, lanes, args):
        for arg in args:
            if isinstance(arg, StrictArray):
                if arg.ndim != 1:
                    raise Refused(f"{kernel.function.__name__}: an array of {arg.ndim} dimensions")
                if not arg.flags.c_contiguous:  # would be compiled apart, and read slowly
                    raise Refused(f"{kernel.function.__name__}: an array with gaps")
            elif isinstance(arg, bool) or not isinstance(arg, int | float | np.integer):
                raise Refused(f"{kernel.function.__name__}: a {type(arg).__name__}")
        self.run_loop(kernel, [int(lanes), *args])

    def run_loop(self, loop, args):
        self.launches += 1
        with mock.patch.object(kernels, "launch_elsewhere", None):
            loop(*map(_operand, args))

    def free_bytes(self):
        return 1 << 28  # calls would fill all memory of the machine, and copy it

    def answers(self, asked):
        self.array_calls += 1  # one launch finds them all
        self.syncs += 1
        return [int(number.of(values._host)) for values, number in asked]

    def sum_up(self, counts, offsets):
        self.array_calls += 1
        offsets._host[0] = 0
        np.cumsum(counts._host, out=offsets._host[1:])

    def collect(self, arrays, places, room):
        self.array_calls += 1  # a launch for every hundred
        super().collect([array._host for array in arrays], places, room._host)

    def to_host(self, array):
        if isinstance(array, np.ndarray):
            return array
        self.fetched += 1
        self.bytes_fetched += array.nbytes
        return array.get()

    def send(self, array):
        self.sent += 1
        self.bytes_sent += array.nbytes
        return lambda: StrictArray(array.copy(), self)
