"""The memory of a process and its machine: free memory, peak memory."""

from __future__ import annotations

import gc
import re
import resource
import sys
from contextlib import suppress
from functools import lru_cache
from math import inf, isfinite
from pathlib import Path

import psutil

from megabatt.runtime.memory import give_back

_CONTROL_GROUP = Path("/sys/fs/cgroup")
"""The folder where Linux shows the memory limits of a container or a Slurm job."""


def free_bytes() -> int:
    """Return the free bytes of the machine, or of this process's container.

    The container's file cache counts as free, as the machine's does.
    """
    free = psutil.virtual_memory().available
    try:
        most = int((_CONTROL_GROUP / "memory.max").read_text())
        held = int((_CONTROL_GROUP / "memory.current").read_text())
        lines = (_CONTROL_GROUP / "memory.stat").read_text().splitlines()
        held -= int(dict(map(str.split, lines))["inactive_file"])
    except (OSError, ValueError, KeyError):  # no container, or one without a limit
        return int(free)
    return int(min(free, max(most - held, 0)))


_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def bytes_of(size: str) -> int | None:
    """Return the bytes of a size such as 8GB or 500 MB; None for any other text."""
    found = re.fullmatch(r"(\d+(?:\.\d*)?)\s*([KMGT]?)(?:i?B)?", size.strip(), re.IGNORECASE)
    count = float(found[1]) * _UNITS[found[2].upper()] if found else inf
    return counted_bytes(count) if isfinite(count) else None


def counted_bytes(count: float) -> int:
    """Return a number of bytes as an integer, at most what an address can count."""
    return int(min(count, sys.maxsize))


_SHARE_OF_FREE = 0.75
LEAST_BYTES = 500 * 10**6
"""The least bytes to give a worker process: with less, most of them are the interpreter's."""


def shares_of_memory(budget: int | None, workers: int) -> tuple[int, int]:
    """Return the number of workers that fit into memory, at least one, and the bytes for each.

    budget: The bytes for all workers; by default three quarters of the free memory.
    """
    budget = int(_SHARE_OF_FREE * free_bytes()) if budget is None else budget
    count = max(1, min(workers, budget // LEAST_BYTES))
    return count, max(budget // count, LEAST_BYTES)


_STATUS = Path("/proc/self/status")
"""The file where Linux shows the peak memory of this process, as `VmHWM` in KB."""


def peak_rss_mb() -> float:
    """Return the peak memory of this process in MB.

    On Linux, `getrusage` starts from the parent process's peak, so it is only the last resort.
    """
    with suppress(OSError):
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    bytes_each = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * bytes_each / (1 << 20)


@lru_cache
def keep_large_workers() -> None:
    """Make joblib keep a worker process whose memory grows with its first large batch.

    With psutil installed, joblib takes growth by 300 MB for a leak and replaces the process; the
    new process has to load its kernels again.
    """
    from joblib.externals.loky import process_executor

    if hasattr(process_executor, "_MAX_MEMORY_LEAK_SIZE"):
        process_executor._MAX_MEMORY_LEAK_SIZE = 1 << 62


def free_memory() -> None:
    """Free unused memory, and return it to the system."""
    gc.collect()  # pending operations and their arguments refer to one another
    give_back()
