"""Loads generated programs from the folder that codegen wrote."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from megabatt.runtime.engine.executor.program import BatchInputs, Results, Vectorized
from megabatt.runtime.engine.language.registry import primitive_of


@dataclass(frozen=True)
class Forms:
    """Both forms of a program, as codegen wrote them.

    sequential: The scalar form, called as (key, *inputs, log_path=None, max_elements=...).
    vectorized: The vectorized form, called as (inputs, max_elements=...). operations: The number of
    operations. numbers: For each solver, the numbers of the solver's operations in this program.
    """

    sequential: Callable[..., Any]
    vectorized: Callable[..., Any]
    operations: int
    numbers: Mapping[str, Sequence[int]]

    @cached_property
    def recorded(self) -> Vectorized:
        """The operations of the program, listed by the vectorized form."""
        return self.vectorized(None)  # type: ignore[no-any-return]

    @cached_property
    def is_compiled(self) -> bool:
        """Whether all primitives that the program names have a compiled form.

        Primitives inside constants do not count.
        """
        named = {value for call in self.recorded.calls for value in (call.function, *call.args)
                 if callable(value)}  # fmt: skip
        primitives = map(primitive_of, named)
        return self.recorded.language.of_words and all(
            primitive is None or primitive.compiled is not None for primitive in primitives
        )

    def run(self, inputs: BatchInputs, max_elements: int) -> Results:
        """Run the vectorized form on a batch. Its table of operations is made in the first call."""
        with np.errstate(all="ignore"):
            return self.recorded.run(inputs, max_elements)

    @property
    def solvers(self) -> tuple[str, ...]:
        """The names of the solvers, which are also the names of the outputs."""
        return tuple(self.numbers)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the inputs."""
        return tuple(inspect.signature(self.sequential).parameters)[1:-2]


class PackageError(Exception):
    """Raised if no program can be loaded from a folder."""


_OLDER = "written by an older megabatt; compile its sources again"


@lru_cache
def merged_program(folder: str) -> Forms:
    """Load all solvers of a generated folder as one merged program. Raises PackageError."""
    module = _load(folder, "batt")
    if not isinstance(module.SOLVERS, dict):
        raise PackageError(f"{folder}: {_OLDER}")
    return _quiet(module.batt, module.batt_vectorized, module.OPERATIONS, module.SOLVERS)


@lru_cache
def own_programs(folder: str) -> dict[str, Forms]:
    """Load each solver of a generated folder as its own program, by name. Raises PackageError."""
    table = _load(folder, "solvers").SOLVERS
    return {
        name: _quiet(sequential, vectorized, operations, {name: range(1, operations + 1)})
        for name, (sequential, vectorized, operations) in table.items()
    }


def _quiet(
    sequential: Callable[..., Any],
    vectorized: Callable[..., Any],
    operations: int,
    numbers: Mapping[str, Sequence[int]],
) -> Forms:
    """Silence NumPy's floating-point warnings in both forms; the language defines failures."""
    silent = np.errstate(all="ignore")
    return Forms(silent(sequential), silent(vectorized), operations, numbers)


_PARTS = {"batt": ("batt", "batt_vectorized", "OPERATIONS", "SOLVERS"), "solvers": ("SOLVERS",)}
"""The names that each generated file defines."""


def _refuse_sources(path: Path, file: str) -> None:
    """Raise PackageError for a file or a folder of sources, which must be compiled first.

    file: The file that a folder of compiled programs has.
    """
    if path.is_file():
        what, source, compiled = "is a source", path, f"{path.stem}_batt"
    elif (path / "search.log").is_file():
        what, source, compiled = "has a search", path / "solvers.py", f"{path.resolve().name}_batt"
    elif path.is_dir() and any(path.iterdir()) and not (path / file).is_file():
        what, source, compiled = f"has no {file}", path, f"{path.resolve().name}_batt"
    else:
        return
    raise PackageError(
        f"{path} {what}: `megabatt compile {source} --out {compiled}`, then --batt {compiled}"
    )


def _load(folder: str, name: str) -> ModuleType:
    path = Path(folder) / f"{name}.py"
    _refuse_sources(Path(folder), path.name)
    if not path.is_file():
        raise PackageError(
            f"{path}: not found; write it with `megabatt compile SOURCE... --out {folder}`"
        )
    module_name = f"megabatt_{abs(hash(str(path.resolve())))}_{name}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        if isinstance(error, ImportError) and error.name == "megabatt.runtime.engine":
            raise PackageError(f"{path}: {_OLDER}") from error
        line = f"{path}: {type(error).__name__}: {error}"
        if isinstance(error, ModuleNotFoundError):  # a module of primitives
            line += f"; run this where {error.name}.py lies, or put its folder on PYTHONPATH"
        raise PackageError(line) from error
    if not all(hasattr(module, attribute) for attribute in _PARTS[name]):
        raise PackageError(f"{path} is not a file that `megabatt compile` wrote")
    return module
