"""The memory of the process, and a limit on it while a batch is computed."""

from __future__ import annotations

import ctypes
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

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


_MOST_SPARE = 16
"""The most spare arrays."""
_KEPT_BYTES = 8 << 20
"""The first bytes of a spare array that stay in memory."""
_DONT_NEED = 4  # Linux's MADV_DONTNEED
_spare: list[np.ndarray[Any, Any]] = []


def spare_array(words: int) -> np.ndarray[Any, Any]:
    """Return an int64 array of at least `words` elements, undefined: a spare one if there is one.

    New memory is slow where the machine is virtual: its host must find memory for each new page.
    """
    with suppress(IndexError):  # threads take spare arrays at the same time
        array = _spare.pop()
        if len(array) >= words:
            return array
    return np.empty(words, dtype=np.int64)


def keep_spare(array: np.ndarray[Any, Any]) -> None:
    """Keep an array of int64 for `spare_array`. Nothing else may use it from now on."""
    if len(_spare) < _MOST_SPARE and (array.nbytes <= _KEPT_BYTES or _empty_end(array)):
        _spare.append(array)


def _empty_end(array: np.ndarray[Any, Any]) -> bool:
    """Return an array's memory after `_KEPT_BYTES` to the system. Returns whether this is done."""
    page, at = resource.getpagesize(), array.ctypes.data
    begin = -(-(at + _KEPT_BYTES) // page) * page
    end = (at + array.nbytes) // page * page
    advise = _advise()
    return advise is not None and (end <= begin or advise(begin, end - begin, _DONT_NEED) == 0)


@lru_cache
def _advise() -> Any:
    """Return the C library's `madvise`, if it has any."""
    advise = getattr(ctypes.CDLL(None), "madvise", None)
    if advise is not None:
        advise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    return advise


def give_back() -> None:
    """Return spare arrays, and memory that the C library keeps, to the system."""
    _spare.clear()
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
