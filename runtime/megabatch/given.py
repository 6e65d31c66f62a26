"""Checks arguments of Python callers: a workload, samples, programs, limits, a device."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import Any

from megabatt.runtime.arguments import amount, elements, integer
from megabatt.runtime.engine.device.device import Device
from megabatt.runtime.engine.language.limits import UNLIMITED
from megabatt.runtime.megabatch.run import hardware
from megabatt.runtime.megabatch.run.memory import bytes_of, counted_bytes, free_bytes
from megabatt.runtime.megabatch.workload import Workload, named
from megabatt.runtime.printable import short
from megabatt.runtime.program import Program


def workload_of(workload: str | Workload[Any]) -> Workload[Any]:
    """Return a workload given by its name or as itself. Raises TypeError or WorkloadError."""
    if isinstance(workload, str):
        return named(workload)
    if not isinstance(workload, Workload):
        raise TypeError(
            f"workload={short(workload)} is neither a workload nor the name of one, such as 'arc' "
            "or a module of yours"
        )
    return workload


def samples_of(workload: Workload[Any], given: Any) -> Sequence[Any]:
    """Return the samples, given in any form that the workload accepts.

    Raises TypeError or ValueError.
    """
    samples = workload.given(given)
    if not samples:
        raise ValueError("there are no samples")
    return samples


def programs_of(given: Iterable[Program], name: str = "programs") -> list[Program]:
    """Return the programs as a list. Raises TypeError if an element is no program."""
    if isinstance(given, Program):
        raise TypeError(f"{name} must be a list of programs, not one: write [program]")
    programs = list(elements(name, given, "a list of programs"))
    others = set(map(type, programs)) - {Program}
    for k, program in enumerate(programs if others else []):
        if not isinstance(program, Program):
            raise TypeError(
                f"{name}[{k}] is no Program, but {short(program)}: megabatt.parse makes programs "
                "of text, megabatt.read of a file, megabatt.program of operations"
            )
    return programs


def pairs_of(given: Iterable[tuple[Program, Any]]) -> list[tuple[Program, Any]]:
    """Return pairs (program, samples) as a list. Raises TypeError if an element is no such pair."""
    wanted = "a list of pairs (program, samples)"
    pairs = list(elements("pairs", given, wanted))
    if {*map(type, pairs)} <= {tuple} and {*map(len, pairs)} <= {2}:
        if {type(program) for program, _ in pairs} <= {Program}:
            return pairs
    for k, pair in enumerate(pairs):
        right = isinstance(pair, (tuple, list)) and len(pair) == 2
        if not right or not isinstance(pair[0], Program):
            if right and isinstance(pair[0], (list, tuple)):
                raise TypeError(f"pairs[{k}] must have one program, not a list: {short(pair[0])}")
            raise TypeError(f"pairs[{k}] is no (program, samples), but {short(pair)}")
    return [(program, samples) for program, samples in pairs]


def limit_of(workload: Workload[Any], max_elements: int | None) -> int:
    """Return the most elements that an operation may build; None means the language's limit.

    Raises TypeError or ValueError.
    """
    if max_elements is None:
        return workload.language.max_elements
    return integer("max_elements", max_elements, least=1, most=UNLIMITED)


def workers_of(workers: int | None) -> int:
    """Return the most threads; None means one for each core. Raises as `integer` does."""
    if workers is None:
        return os.cpu_count() or 1
    return integer("workers", workers, least=1, most=_MOST_WORKERS)


_MOST_WORKERS = 1 << 10
_DEVICES = ("auto", "cpu", "cuda")


def device_of(name: str, lanes: int | None = None) -> Device:
    """Open `auto`, `cpu` or `cuda`, as `megabatt run` does for batches of `lanes` samples.

    Raises ValueError if there is no such device.
    """
    return hardware.opened(device_name(name, lanes))


def device_name(name: str, lanes: int | None = None) -> str:
    """Return the name of the device that `device_of` opens. Raises ValueError."""
    if not isinstance(name, str) or name not in _DEVICES:
        raise ValueError(f"device={short(name)} is none of {', '.join(_DEVICES)}")
    names, _ = hardware.choose(name, lanes)
    return names[0]


def memory_of(memory: float | str | None) -> Callable[[], int]:
    """Return a function that returns the bytes to use: for None, half of the memory then free."""
    return _half_of_free if memory is None else partial(int, size_of(memory))


def _half_of_free() -> int:
    return _free_at(int(time.monotonic())) // 2


@lru_cache(maxsize=1)
def _free_at(second: int) -> int:
    """Return the free bytes, asked once a second: asking takes as long as dozens of programs."""
    return free_bytes()


def size_of(memory: float | str, may_be_0: bool = False) -> int:
    """Return a number of bytes from a number or a text such as "2GB".

    Raises TypeError or ValueError.
    """
    if not isinstance(memory, str):
        return counted_bytes(amount("memory", memory, may_be_0))
    found = bytes_of(memory)
    if found or (may_be_0 and found == 0):
        return found
    raise ValueError(f"memory={short(memory)} is no size such as '2GB' or '500MB'")
