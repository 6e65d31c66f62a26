"""Lists the machine's devices by name, and chooses a run's devices."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from megabatt.runtime.engine.device.device import CPU, Device, computing_on
from megabatt.runtime.megabatch.extras import install_command
from megabatt.runtime.vocabulary import counted

T = TypeVar("T")

GPU_THRESHOLD = 100
"""The largest batch, in lanes, for which a GPU does not pay."""

_BYTES_A_LANE = 8 << 20
"""A generous estimate of the bytes that a lane of a large program takes on a device.

arc-dsl's 400 solvers take 3.7 MB a lane, and a growing arena briefly exists twice."""
_LARGEST_BATCH = 1 << 16


def available(numbers: str = "") -> list[str]:
    """Return the names of this machine's working devices: "cpu", "cuda:0", "cuda:1", ...

    numbers: As for `choose`.
    """
    count, _ = _gpus()
    return ["cpu", *(dict.fromkeys(_names(numbers, count)) if count else [])]


@lru_cache
def _gpus() -> tuple[int, str]:
    """Count the GPUs that CuPy can use; if there is none, also return the reason."""
    try:
        import cupy
    except Exception as error:  # CuPy also makes a folder in HOME, which may not be writable
        if not isinstance(error, ImportError) or error.name != "cupy":
            return 0, f"CuPy does not load ({_line(error)})"
        command = install_command("cuda12")
        return 0, _no_driver() or f"the GPU needs CuPy, which `{command}` brings"
    try:
        count = int(cupy.cuda.runtime.getDeviceCount())
        if count:
            int(cupy.arange(3).sum())  # fails unless driver, compiler and CuPy fit
        return count, "" if count else "CuPy sees no GPU"
    except Exception as error:
        return 0, f"no GPU that CuPy can use ({_line(error)})"


def _no_driver() -> str:
    """Say why the NVIDIA driver cannot run CUDA 12; "" if it can."""
    try:
        driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return "there is no NVIDIA driver"
    if driver.cuInit(0):
        return "the NVIDIA driver finds no GPU"
    version = ctypes.c_int()
    driver.cuDriverGetVersion(ctypes.byref(version))
    return "" if version.value >= 12_000 else "the NVIDIA driver is too old for CUDA 12"


def _line(error: BaseException) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__


def choose(
    wanted: str, lanes: int | None = None, threshold: int = GPU_THRESHOLD, numbers: str = ""
) -> tuple[list[str], str]:
    """Choose the devices for `--device auto|cpu|cuda`; also return the reason in a line.

    lanes: The lanes of the largest batch. threshold: The most lanes for which auto means the CPU.
    numbers: The GPUs to use, such as "0,1"; all by default. A GPU that is named twice gets two
    processes. Raises ValueError for a GPU that does not exist, and for cuda without a GPU.
    """
    if wanted == "cpu":
        return ["cpu"], "device cpu: as asked for"
    count, why_none = _gpus()
    if not count and wanted == "cuda":
        raise ValueError(f"device cuda: {why_none}")
    if not count:
        return ["cpu"], f"device cpu: {why_none}"
    names = _names(numbers, count)
    if wanted == "auto" and lanes is not None and lanes <= threshold:
        batches = f"batches of {counted(lanes, 'lane')}"
        return ["cpu"], f"device cpu: {batches}, a GPU is for more than {threshold}"
    return names, f"device {', '.join(names)}: {'as asked for' if wanted == 'cuda' else 'found'}"


def _names(text: str, count: int) -> list[str]:
    parts = [part for part in text.replace(",", " ").split() if part]
    if not all(part.isdecimal() and int(part) < count for part in parts):
        raise ValueError(f"--devices {text}: there are GPUs 0 to {count - 1}")
    return [f"cuda:{n}" for n in map(int, parts)] or [f"cuda:{n}" for n in range(count)]


@lru_cache
def opened(name: str) -> Device:
    """Open the device of that name."""
    if name == "cpu":
        return CPU
    from megabatt.runtime.engine.device.cuda import CudaDevice

    return CudaDevice(int(name.partition(":")[2] or 0))


_lost: dict[str, str] = {}
"""Why devices no longer compute in this process, by name."""


def computed_on(name: str, work: Callable[[], T]) -> tuple[T, str]:
    """Do `work` on the device of that name, or on the CPU if the device is lost.

    Returns the result, and why the device is lost; "" for a working device.
    """
    if name not in _lost:
        device = opened(name)
        try:
            with computing_on(device):
                return work(), ""
        except Exception as error:
            if not device.lost(error):
                raise
            _lost[name] = f"{name} lost, {type(error).__name__}: {error}"
    with computing_on(CPU):
        return work(), _lost[name]


def batch_size_for(device: Device, processes: int = 1) -> int:
    """Choose a batch size, a power of two, for a process's share of the device's free memory."""
    lanes = max(1, min(device.free_bytes() // processes // _BYTES_A_LANE, _LARGEST_BATCH))
    return 1 << (int(lanes).bit_length() - 1)
