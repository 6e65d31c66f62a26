"""The process's memory: how much it took at its peak, and keeping what arrays give back."""

from __future__ import annotations

import ctypes
import resource
from functools import lru_cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # mallopt's parameters, from glibc's malloc.h
_NEVER = (1 << 31) - 1


def peak_rss_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@lru_cache
def keep_freed_memory() -> None:
    """Have the C library keep freed memory for the next arrays; nothing where it is not glibc.

    By default it returns every large array to the system, which clears the pages again for the
    next one: a tenth of a batch's time.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, 1 << 30)
        mallopt(_TRIM_THRESHOLD, _NEVER)


@lru_cache
def keep_large_workers() -> None:
    """Have joblib keep a worker process whose memory grows with its first large batch.

    Where psutil is installed joblib takes 300 MB more than after the first call for a leak, and
    replaces the process, which then has its kernels to load again.
    """
    from joblib.externals.loky import process_executor

    if hasattr(process_executor, "_MAX_MEMORY_LEAK_SIZE"):
        process_executor._MAX_MEMORY_LEAK_SIZE = 1 << 62
