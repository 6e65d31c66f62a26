"""The device in use for columns and the kernels of rules: one at a time in a process.

`xp` is its array namespace, for arithmetic on whole arrays with functions that NumPy and CuPy
share. A device is a namespace, a way to launch lane kernels, and transfers to the host.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import itemgetter, methodcaller
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.device import kernels

xp: Any = SimpleNamespace()
"""The functions of the array module in use, found as fast as in the module itself."""


class Number(NamedTuple):
    """A number that can be read from an array.

    code: The number's code in a device's source. of: Computes it by the array's methods.
    """

    code: int
    of: Callable[[Any], Any]


FIRST = Number(0, itemgetter(0))
LAST = Number(1, itemgetter(-1))
ANY = Number(2, methodcaller("any"))
SUM = Number(3, methodcaller("sum"))
MAX = Number(4, methodcaller("max"))


class Device:
    """A device. This class is the CPU; other devices derive from it.

    name: "cpu", or "cuda:0" for the first GPU. arrays: The array module. most_elements: The
    elements of 8 bytes that an operation may lay out at once. asks_together: Whether operations run
    side by side, since waiting is expensive (see `scheduling`). launch: Called with a kernel, a
    number of lanes and a tuple of arguments; None for the kernel's loop on the CPU.
    compiles: Whether the device runs sources of its own (`launch_written`), not loops of the CPU.
    sent, fetched: The numbers of transfers to the device and back so far.
    """

    name = "cpu"
    arrays: Any = np
    most_elements = 1 << 20
    asks_together = False
    compiles = False
    launch: Callable[[kernels.LaneKernel, int, tuple[Any, ...]], None] | None = None

    def __init__(self) -> None:
        self.sent = self.fetched = 0
        self._constants: dict[int, tuple[np.ndarray[Any, Any], Any]] = {}

    @property
    def fourier(self) -> Any:
        """The module of Fourier transforms of many rows at once, with the functions of `scipy.fft`.

        A row's transform does not depend on other rows. Single precision stays single.
        """
        import scipy.fft

        return scipy.fft

    def to_host(self, array: Any) -> np.ndarray[Any, Any]:
        """Return a NumPy array with the content of an array of this device."""
        return np.asarray(array)

    def sum_up(self, counts: Any, offsets: Any) -> None:
        """Store 0 and the running sum of `counts` (int64, uint8 or bool (n,)) in `offsets`."""
        offsets[0] = 0
        counts.cumsum(dtype=np.int64, out=offsets[1:])

    def run_loop(self, loop: Callable[..., None], args: tuple[Any, ...]) -> None:
        """Call a compiled loop of the CPU with numbers and arrays of this device."""
        loop(*args)

    def launch_written(self, source: str, name: str, threads: int, args: tuple[Any, ...]) -> None:
        """Launch a source's kernel, compiled at first use. args: After the number of threads."""
        raise NotImplementedError(f"{self.name} compiles no sources")

    def collect(self, arrays: list[Any], places: list[int], room: Any) -> None:
        """Store the bytes of contiguous arrays in `room` (uint8); places: multiples of 8."""
        for array, place in zip(arrays, places, strict=True):
            room[place : place + array.nbytes] = array.view(np.uint8)

    def answers(self, asked: list[tuple[Any, Number]]) -> list[int]:
        """Return the asked number of each array; elements are int64 or single bytes."""
        return [int(number.of(values)) for values, number in asked]

    def send(self, array: np.ndarray[Any, Any]) -> Callable[[], Any]:
        """Begin to send an array of the host. Returns a function that returns it on this device."""
        return lambda: array

    def constant(self, table: np.ndarray[Any, Any]) -> Any:
        """Return a constant table on this device, sent once, at first use."""
        if id(table) not in self._constants:
            self._constants[id(table)] = table, self.send(table)()
        return self._constants[id(table)][1]

    def free_bytes(self) -> int:
        return 1 << 30  # no more: calls on a device fill all free memory

    def release(self) -> None:
        """Release the memory that is kept for later arrays."""

    def exhausted(self, error: BaseException) -> bool:
        """Tell whether the error means that the device's memory is full: fewer lanes may fit."""
        return False

    def lost(self, error: BaseException) -> bool:
        """Tell whether the error means that this device no longer computes."""
        return False


CPU = Device()
_current = CPU


def current() -> Device:
    return _current


def to_host(array: Any) -> np.ndarray[Any, Any]:
    """Return a NumPy array with the content of an array of the device in use."""
    return _current.to_host(array)


@contextmanager
def computing_on(device: Device) -> Iterator[None]:
    """Make arrays and run kernels on `device` while entered."""
    before = _current
    if device is before:  # another thread may compute on it
        yield
        return
    _use(device)
    try:
        yield
    finally:
        _use(before)


def _use(device: Device) -> None:
    global _current
    _current = device
    vars(xp).clear()
    vars(xp).update(vars(device.arrays))
    kernels.launch_elsewhere = device.launch


_use(CPU)


class TooMuchAtOnce(MemoryError):
    """Raised if an operation would lay out too many elements at once, and must split its lanes."""

    def __init__(self, elements: int) -> None:
        super().__init__(f"{elements} elements at once")
        self.elements = elements


class Room(threading.local):
    """Whether the limit applies in this thread, as it does within an operation."""

    limited = False


room = Room()


def require_room(elements: int) -> int:
    """Return `elements` if they may be laid out at once. Raises TooMuchAtOnce otherwise."""
    if room.limited and elements > _current.most_elements:
        raise TooMuchAtOnce(elements)
    return elements
