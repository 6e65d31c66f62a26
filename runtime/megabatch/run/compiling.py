"""Compiles kernels before worker processes start: visibly, and once for all processes.

Kernels are kept on disk. A stamp, a file beside the kernels, says that a program's kernels are
complete, so that the next run starts at once.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed
from llvmlite import binding

from megabatt import runtime
from megabatt.runtime.engine.device.compiling import on_compiled
from megabatt.runtime.engine.machine.linking import Head
from megabatt.runtime.megabatch.batches import Batch, Settings, one_of_each_program
from megabatt.runtime.megabatch.run.workers import safe_path
from megabatt.runtime.megabatch.samples import batch_inputs, spread_evenly
from megabatt.runtime.megabatch.workload import Workload

_SAMPLES = 64
"""The samples to run to compile kernels. Other kernels compile during the run."""
_FORMS_AT_ONCE = 8
"""The forms that a process compiles between two reports."""


def compile_kernels(settings: Settings, batches: list[Batch], note: Callable[[str], None]) -> None:
    """Compile the kernels of the batches' programs. note: Called with each kernel's name.

    Does nothing if the stamp says that this version has compiled the programs. If a program cannot
    run, say for lack of memory, compiling stops, and the run itself reports the error.
    """
    folder = str(Path(settings.folder).resolve())
    stamp, version = _stamp(folder), _version(folder)
    if stamp.exists() and stamp.read_text() == version:
        return
    programs = one_of_each_program(batches)
    with on_compiled(note):
        for batch in programs:
            own = [s for other in batches if other.solver == batch.solver for s in other.samples]
            few = spread_evenly(own, max(_SAMPLES // len(programs), 1), seed=0)
            inputs = batch_inputs(settings.workload, few)
            try:
                settings.forms(batch).run(inputs, settings.limit)
            except Exception:
                return
    _note(stamp, version)


def are_forms_compiled(workload: Workload[Any]) -> bool:
    """Tell whether `compile_forms` has nothing to compile, according to the stamp."""
    return not workload.language.of_words or is_compiled(_forms_of(workload))


def _forms_of(workload: Workload[Any]) -> str:
    return f"forms of {workload.name}"


def is_compiled(what: str) -> bool:
    """Tell whether `note_compiled` noted this text, in this version and on this processor."""
    stamp = _stamp(what)
    return stamp.exists() and stamp.read_text() == _version("")


def note_compiled(what: str) -> None:
    """Note in a stamp that `what` is compiled and kept on disk."""
    _note(_stamp(what), _version(""))


def compile_forms(workload: Workload[Any]) -> Iterator[str]:
    """Compile the forms of a language's primitives, in a process for each core.

    Yields the name of each primitive that is ready. Compiled forms are kept on disk.
    """
    language = workload.language
    Head.of(language)  # shared by all forms
    names = sorted(language.primitives)
    shares = [names[k : k + _FORMS_AT_ONCE] for k in range(0, len(names), _FORMS_AT_ONCE)]
    calls = [delayed(_compiled)(workload, share) for share in shares]
    with safe_path():
        done = Parallel(n_jobs=os.cpu_count() or 1, return_as="generator_unordered")(calls)
    for share in done:
        yield from share
    note_compiled(_forms_of(workload))


def _compiled(workload: Workload[Any], names: list[str]) -> list[str]:
    """Compile the forms of some primitives. Returns their names."""
    head, primitives = Head.of(workload.language), workload.language.primitives
    for name in names:
        if name in primitives:  # this process may lack a user's primitives
            head.load_all([primitives[name].function])
    return names


def _note(stamp: Path, version: str) -> None:
    with suppress(OSError):  # such a folder cannot keep kernels either
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(version)


def _stamp(of: str) -> Path:
    """Return the path of a stamp, which lies beside the kernels and contains their version."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    kept = Path(chosen) if chosen else Path(runtime.__file__).parent / "__pycache__"
    return kept / f"megabatt-{_digest([of])}.compiled"


def _version(folder: str) -> str:
    """Return a digest of everything on which compiled kernels depend.

    folder: The folder of the programs; "" for kernels that depend on no programs.
    """
    home = Path(runtime.__file__).parent
    parts = [metadata.version("numba"), sys.version, binding.get_host_cpu_name()]
    for source in sorted(home.rglob("*.py")):
        status = source.stat()
        parts.append(f"{source.relative_to(home)} {status.st_mtime_ns} {status.st_size}")
    if folder:
        parts += [path.read_text() for path in sorted(Path(folder).glob("*.py"))]
    return _digest(parts)


def _digest(parts: list[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode(errors="surrogateescape")).hexdigest()[:16]
