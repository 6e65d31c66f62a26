"""The memory of the process, and a limit on it while a batch is computed."""

from __future__ import annotations

import ctypes
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

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


def give_back() -> None:
    """Make the C library return kept memory to the system."""
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
