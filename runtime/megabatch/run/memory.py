"""The memory of a process and of its machine: what is free, what was taken, what is kept."""

from __future__ import annotations

import ctypes
import re
import resource
import sys
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import psutil

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # mallopt's parameters, from glibc's malloc.h
_NEVER = (1 << 31) - 1


_CONTROL_GROUP = Path("/sys/fs/cgroup")
"""Where Linux tells what a container, or a job of Slurm, may take."""


def free_bytes() -> int:
    """Return the free bytes of the machine, or those that this process's container may take."""
    free = psutil.virtual_memory().available
    try:
        most = int((_CONTROL_GROUP / "memory.max").read_text())
        held = int((_CONTROL_GROUP / "memory.current").read_text())
    except (OSError, ValueError):  # no container, or one without a limit
        return int(free)
    return int(min(free, max(most - held, 0)))


_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def bytes_of(size: str) -> int | None:
    """Return the bytes of a size such as 8GB or 500 MB; None if it is none."""
    found = re.fullmatch(r"(\d+(?:\.\d*)?)\s*([KMGT]?)(?:i?B)?", size.strip(), re.IGNORECASE)
    return None if found is None else int(float(found[1]) * _UNITS[found[2].upper()])


_SHARE_OF_FREE = 0.75
_LEAST = 512 << 20
"""Bytes that a process needs to compute anything worth a process."""


def shares_of_memory(budget: int | None, workers: int) -> tuple[int, int]:
    """Return how many of the workers have memory, and the bytes for each; at least one has some.

    budget: bytes for all of them, by default three quarters of what is free.
    """
    budget = int(_SHARE_OF_FREE * free_bytes()) if budget is None else budget
    count = max(1, min(workers, budget // _LEAST))
    return count, max(budget // count, _LEAST)


_STATUS = Path("/proc/self/status")
"""Where Linux tells what this process has held at most, as `VmHWM` in KB."""


def peak_rss_mb() -> float:
    """Return the MB that the process has held at most.

    On Linux `getrusage` begins with the peak of the parent process, so it is the last resort.
    """
    with suppress(OSError):
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    bytes_each = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * bytes_each / (1 << 20)


@lru_cache
def keep_freed_memory() -> None:
    """Have the C library keep freed memory for the next arrays; do nothing if it is not glibc.

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

    Where psutil is installed joblib takes 300 MB more than after the first call for a leak. It then
    replaces the process, and the new one has to load its kernels again.
    """
    from joblib.externals.loky import process_executor

    if hasattr(process_executor, "_MAX_MEMORY_LEAK_SIZE"):
        process_executor._MAX_MEMORY_LEAK_SIZE = 1 << 62
