"""What callers from Python give, checked: samples, programs, a device, limits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from megabatt.runtime.engine.device.device import Device
from megabatt.runtime.megabatch.run import hardware
from megabatt.runtime.megabatch.run.memory import bytes_of, free_bytes
from megabatt.runtime.megabatch.workload import Workload, named
from megabatt.runtime.program import Program


def workload_of(workload: str | Workload[Any]) -> Workload[Any]:
    """Return the workload of a name, or the one given."""
    return named(workload) if isinstance(workload, str) else workload


def samples_of(workload: Workload[Any], given: Any) -> list[Any]:
    """Return samples given in any form that the workload knows. Raises TypeError or ValueError."""
    samples = workload.given(given)
    if not samples:
        raise ValueError("there are no samples")
    return samples


def programs_of(given: Iterable[Program]) -> list[Program]:
    """Return the programs as a list. Raises TypeError where something is no program."""
    programs = list(given)
    for k, program in enumerate(programs):
        if not isinstance(program, Program):
            raise TypeError(f"program {k} is no Program, but a {type(program).__name__}")
    return programs


def limit_of(workload: Workload[Any], max_elements: int | None) -> int:
    """Return what an operation may build; None is the language's own limit. Raises ValueError."""
    if max_elements is None:
        return workload.language.max_elements
    if max_elements < 1:
        raise ValueError(f"max_elements={max_elements} is less than 1")
    return max_elements


def device_of(name: str, lanes: int) -> Device:
    """Open the device for so many samples at once: `auto`, `cpu` or `cuda`, as in `megabatt run`.

    Raises ValueError where there is none such.
    """
    names, _ = hardware.choose(name, lanes, hardware.GPU_THRESHOLD)
    return hardware.opened(names[0])


def memory_of(memory: int | str | None) -> int:
    """Return bytes given as a number or as in "2GB"; for None half of what is free.

    Raises ValueError.
    """
    if memory is None:
        return free_bytes() // 2
    found = bytes_of(str(memory))
    if not found:
        raise ValueError(f"memory={memory!r} is no size such as '2GB' or '500MB'")
    return found
