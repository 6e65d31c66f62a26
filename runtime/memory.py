"""The memory of the process: kept for later arrays, and limited."""

from __future__ import annotations

import ctypes
import os
import resource
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from sys import getrefcount
from typing import Any, ClassVar

import numpy as np
import psutil

_STATM = Path("/proc/self/statm")


def held_bytes() -> int:
    file = _opened(os.getpid())
    if file is None:
        return int(psutil.Process().memory_info().rss)
    return int(os.pread(file, 128, 0).split()[1]) * resource.getpagesize()


@lru_cache
def _opened(process: int) -> int | None:
    """Open Linux's file on this process, read after every operation; None on other systems."""
    return os.open(_STATM, os.O_RDONLY | os.O_CLOEXEC) if _STATM.exists() else None


_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # mallopt's parameters, from glibc's malloc.h
_MOST_OF_GLIBC = (1 << 31) - 1
_DONT_NEED = 4  # Linux's MADV_DONTNEED
_WITHOUT_END = 1 << 40
_kept = 0


def keep_freed_memory(most: int = _WITHOUT_END) -> None:
    """Keep freed memory for later arrays, as far as glibc does so, and `SpareMemory`.

    By default, glibc returns large arrays to the system. New memory is slow: the system must clear
    its pages, and where the machine is virtual, its host must find memory for them.

    most: The most bytes to keep, or as many as an earlier call allowed.
    """
    global _kept
    if most <= _kept:
        return
    _kept = most
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, min(most, 1 << 30))
        mallopt(_TRIM_THRESHOLD, min(most, _MOST_OF_GLIBC))


class SpareMemory:
    """Keeps memory for arrays to come, which may be far larger than what they will use.

    Memory is spare when only this object refers to it. (An object that told so when it is freed
    would lose interrupts: Python ignores what is raised then.)
    """

    _MOST_ARRAYS = 16
    _all: ClassVar[list[SpareMemory]] = []

    def __init__(self) -> None:
        self._arrays: deque[np.ndarray[Any, Any]] = deque()
        self._all.append(self)

    def array(self, words: int) -> np.ndarray[Any, Any]:
        """Return an int64 array of at least `words` elements, all undefined.

        Its memory is spare again once nothing refers to the array or a part of it.
        """
        array = self._largest_spare()
        if array is None or len(array) < words:
            array = np.empty(words, dtype=np.int64)  # takes the place of one that is too small
        if _kept and len(self._arrays) < self._MOST_ARRAYS:
            self._arrays.append(array)
        return array

    def _largest_spare(self) -> np.ndarray[Any, Any] | None:
        """Take out the largest spare array: a heap in it need not grow by copying."""
        largest: np.ndarray[Any, Any] | None = None
        for _ in range(len(self._arrays)):
            with suppress(IndexError):  # threads take arrays at the same time
                array = self._arrays.popleft()
                is_spare = getrefcount(array) == _ALONE
                if is_spare and (largest is None or len(array) > len(largest)):
                    array, largest = largest, array  # type: ignore[assignment]
                if array is not None:
                    self._arrays.append(array)
        return largest

    @classmethod
    def trim(cls, array: np.ndarray[Any, Any], used: int) -> None:
        """Return memory of an array that is kept, but not in use, to the system.

        used: The number of elements in use, the first ones. What stays besides is the array's share
        of what `keep_freed_memory` allows.
        """
        most = max(_kept // cls._MOST_ARRAYS, used * array.itemsize)
        if _kept and array.nbytes > most and _advise() is not None:
            page, at = resource.getpagesize(), array.ctypes.data
            begin = -(-(at + most) // page) * page
            _advise()(begin, max((at + array.nbytes) // page * page - begin, 0), _DONT_NEED)

    @classmethod
    def give_back(cls) -> None:
        """Return all spare memory to the system."""
        for memory in cls._all:
            memory._arrays.clear()


def _references() -> int:
    array = np.empty(0)
    return getrefcount(array)


_ALONE = _references()
"""The references to an array that only a variable holds."""


@lru_cache
def _advise() -> Any:
    """Return the C library's `madvise`, if it has any."""
    advise = getattr(ctypes.CDLL(None), "madvise", None)
    if advise is not None:
        advise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    return advise


def give_back() -> None:
    """Return kept memory to the system."""
    SpareMemory.give_back()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


_most: int | None = None


@contextmanager
def held_below(most: int | None) -> Iterator[None]:
    """Make `require_memory` raise in the block if the process holds more than `most` bytes."""
    global _most
    before, _most = _most, most
    try:
        yield
    finally:
        _most = before


def require_memory() -> None:
    """Raise MemoryError if the process holds more memory than allowed."""
    if _most is None or held_bytes() <= _most:
        return
    give_back()
    held = held_bytes()
    if held > _most:
        raise MemoryError(f"{held >> 20} MB held, of {_most >> 20} MB")
