"""The kernels compiled before the work is shared out: where it is seen, and once for all processes.

Numba keeps on disk what it compiles. A stamp beside it says that a program's kernels are there,
so that a second run starts to work at once.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

import numba
from llvmlite import binding

from megabatt import runtime
from megabatt.runtime.engine.device.kernels import on_compiled
from megabatt.runtime.megabatch.batches import Batch, Settings, one_of_each_program
from megabatt.runtime.megabatch.samples import batch_inputs, spread_evenly

_SAMPLES = 64
"""Samples that are run to meet the kernels in use. A kernel that they miss compiles later."""


def compile_kernels(settings: Settings, batches: list[Batch], note: Callable[[str], None]) -> None:
    """Compile what the batches' programs use, telling `note` each kernel's name.

    Does nothing where this version has done it before. A program that fails, say for want of
    memory, is left to the run, which says so.
    """
    stamp, version = _stamp(settings.folder), _version(settings.folder)
    if stamp.exists() and stamp.read_text() == version:
        return
    programs = one_of_each_program(batches)
    with on_compiled(note):
        for batch in programs:
            own = [s for other in batches if other.solver == batch.solver for s in other.samples]
            few = spread_evenly(own, max(_SAMPLES // len(programs), 1), seed=0)
            try:
                settings.forms(batch).vectorized(batch_inputs(settings.workload, few))
            except Exception:
                return
    try:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(version)
    except OSError:
        pass  # where nothing can be kept, Numba keeps nothing either


def _stamp(folder: str) -> Path:
    """Return the file beside the kernels that says which version of a program they are for."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    kept = Path(chosen) if chosen else Path(runtime.__file__).parent / "__pycache__"
    return kept / f"megabatt-{_digest([str(Path(folder).resolve())])}.compiled"


def _version(folder: str) -> str:
    """Return a text that changes with all that the compiled kernels in use depend on."""
    home = Path(runtime.__file__).parent
    parts = [numba.__version__, sys.version, binding.get_host_cpu_name()]
    for source in sorted(home.rglob("*.py")):
        status = source.stat()
        parts.append(f"{source.relative_to(home)} {status.st_mtime_ns} {status.st_size}")
    parts += [path.read_text() for path in sorted(Path(folder).glob("*.py"))]
    return _digest(parts)


def _digest(parts: list[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
