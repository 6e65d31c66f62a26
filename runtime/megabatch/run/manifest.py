"""A run's manifest: its programs, data and limits, and how its samples are cut into batches."""

from __future__ import annotations

import hashlib
import json
import pickle
import shlex
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.checksums import Damaged, read_json, write_json
from megabatt.runtime.megabatch.data import Data
from megabatt.runtime.megabatch.programs import merged_program, own_programs
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.megabatch.trace import calls_of
from megabatt.runtime.megabatch.workload import Workload

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class KeptProgram:
    """A solver's own program as text, which readers need not import.

    calls: The operations as source; x1 is the value of the first operation. numbers: The numbers of
    these operations in the program that ran.
    """

    calls: list[str]
    numbers: list[int]

    def __post_init__(self) -> None:
        """Check a program that was read from a file. Raises TypeError."""
        _check(isinstance(self.calls, list) and isinstance(self.numbers, list), "lists")
        _check(all(isinstance(call, str) for call in self.calls), "texts")
        _check(all(type(number) is int for number in self.numbers), "numbers")
        _check(len(self.calls) == len(self.numbers), "as many calls as numbers")


@dataclass(frozen=True)
class Manifest:
    """The identity of a run.

    program: The folder of the generated programs. program_digest: The digest of these programs and
    of the user's own primitives. data: The options that chose the data. data_digest: The digest of
    the samples. own: Whether each solver runs as a program of its own, not merged with others.
    batches: The number of samples of each batch, in the order of the data.
    """

    megabatt: str
    workload: str
    program: str
    program_digest: str
    data: dict[str, Any]
    data_digest: str
    max_elements: int
    outputs: str
    batches: list[int]
    own: bool
    programs: dict[str, KeptProgram]

    def __post_init__(self) -> None:
        """Check a manifest that was read from a file. Raises TypeError."""
        kinds = {"data": dict, "max_elements": int, "batches": list, "own": bool, "programs": dict}
        for name, value in vars(self).items():
            _check(isinstance(value, kinds.get(name, str)), f"{name} of another type")
        _check(all(isinstance(n, int) and n > 0 for n in self.batches), "numbers of samples")

    @cached_property
    def run(self) -> str:
        """The identity of the run, which its files name: a digest of all that results follow from.

        Paths and the options that chose the data do not count.
        """
        apart = ("program", "data", "programs")
        what = {name: value for name, value in asdict(self).items() if name not in apart}
        return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()

    @property
    def solvers_of_batch(self) -> int:
        """The number of solvers that run on each batch."""
        return 1 if self.own else len(self.programs)

    def described(self) -> dict[str, Any]:
        """Return the manifest's part of summary.json."""
        left_out = ("batches", "own", "programs")
        described = {name: of for name, of in vars(self).items() if name not in left_out}
        return described | {"run": self.run}

    def differences(self, other: Manifest) -> list[str]:
        """List the differences from another run, a line each; the sizes of batches may differ."""
        lines = {
            "megabatt": f"another version of megabatt, {other.megabatt}",
            "workload": f"another workload, {other.workload}",
            "program_digest": f"other programs, of {other.program} ({self._changed_in(other)})",
            "data_digest": f"other data ({_spelled(other.data)})"
            + (" as it was before a change" if self.data == other.data else ""),
            "max_elements": f"another limit (--max-elements {other.max_elements})",
            "outputs": f"other outputs (--outputs {other.outputs})",
        }
        return [line for name, line in lines.items() if getattr(self, name) != getattr(other, name)]

    def _changed_in(self, other: Manifest) -> str:
        """Name, in a line, the solvers whose programs differ in another run."""
        mine, theirs = (
            {name: program.calls for name, program in manifest.programs.items()}
            for manifest in (self, other)
        )
        names = sorted(name for name in mine | theirs if mine.get(name) != theirs.get(name))
        return some_of(names) if names else "the same solvers of other primitives"


def _check(holds: bool, what: str) -> None:
    if not holds:
        raise TypeError(f"not {what}")


def read_manifest(store: Store) -> Manifest | None:
    """Read the manifest of a folder; None if there is none. Raises Damaged, OSError."""
    found = read_json(store, MANIFEST)
    if found is None:
        return None
    try:
        programs = {name: KeptProgram(**kept) for name, kept in found.pop("programs").items()}
        return Manifest(**found, programs=programs)
    except (KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"{store}/{MANIFEST}: it is not of a run of this version: {error}") from error


def write_manifest(store: Store, manifest: Manifest) -> None:
    """Write the manifest, whole or not at all. Raises OSError."""
    write_json(store, MANIFEST, asdict(manifest))


def manifest_of(
    settings: Settings, data: Data[Any], options: dict[str, Any], batches: list[Batch]
) -> Manifest:
    """Make the manifest of a run. options: The options that chose the data."""
    own = data.solver_for is not None
    return Manifest(
        version("megabatt"),
        settings.workload.name,
        str(Path(settings.folder).resolve()),
        program_digest(settings, own),
        {name: _plain(value) for name, value in options.items() if value not in (None, (), False)},
        data_digest(settings.workload, data.samples),
        settings.limit,
        settings.outputs,
        [len(batch.samples) for batch in batches],
        own,
        _kept_programs(settings, own),
    )


def _kept_programs(settings: Settings, own: bool) -> dict[str, KeptProgram]:
    folder = settings.folder
    kept = {}
    for forms in own_programs(folder).values() if own else [merged_program(folder)]:
        calls = calls_of(forms)
        for name, numbers in forms.numbers.items():
            kept[name] = KeptProgram(calls[name], list(numbers))
    return kept


def _plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_plain(element) for element in value]
    return value if isinstance(value, (bool, int, float)) else str(value)


def _spelled(options: dict[str, Any]) -> str:
    words = []
    for name, value in options.items():
        values = value if isinstance(value, list) else [] if value is True else [value]
        words += [f"--{name.replace('_', '-')}", *map(str, values)]
    return shlex.join(words)


def some_of(names: Iterable[str], most: int = 3) -> str:
    """Join the first `most` names to a printable line."""
    shown = [name.encode("utf-8", "backslashreplace").decode() for name in names]
    return ", ".join([*shown[:most], *(["..."] if len(shown) > most else [])])


def program_digest(settings: Settings, own: bool) -> str:
    """Digest the generated file, and the language's modules outside of megabatt.

    A module in a package counts with all modules in its folder. Paths do not count.
    """
    sources = {Path(settings.folder) / ("solvers.py" if own else "batt.py")}
    modules = {primitive.function.__module__ for primitive in settings.language.primitives.values()}
    for name in {*modules, type(settings.workload).__module__}:
        module = sys.modules.get(name)
        file = getattr(module, "__file__", None)
        if file and not name.startswith("megabatt."):
            in_package = getattr(module, "__package__", None)
            sources |= {Path(file), *(Path(file).parent.glob("*.py") if in_package else ())}
    digests = sorted(hashlib.sha256(source.read_bytes()).digest() for source in sources)
    return hashlib.sha256(b"".join(digests)).hexdigest()


def data_digest(workload: Workload[Any], samples: list[Any]) -> str:
    """Digest the samples: keys, groups, inputs, expected outputs, and columns of results.

    A shared input is digested once.
    """
    own = [name for name in workload.language.inputs if name not in workload.shared]
    file = _Digest()
    pickler = _Pickler(file)
    seen: set[int] = set()
    for sample in samples:
        values = [getattr(sample, name) for name in own]
        shared = [getattr(sample, name) for name in workload.shared]
        new = [value for value in shared if id(value) not in seen]
        seen.update(map(id, new))
        pickler.dump((sample.key, sample.group, values, new, sample.expected))
    for field, array in zip(
        workload.sample_fields, workload.sample_arrays(samples), strict=True
    ):
        pickler.dump((field.name, array.to_pylist()))
    return file.digest.hexdigest()


_PROTOCOL = 4
"""The pickle protocol, fixed for every version of Python."""


class _Pickler(pickle.Pickler):
    """Pickles equal values to equal bytes, whichever parts are the same object."""

    def __init__(self, file: _Digest) -> None:
        super().__init__(file, _PROTOCOL)
        self.fast = True

    def persistent_id(self, value: Any) -> Any:
        """Reduce a set to digests of its elements: elements have another order in each process."""
        if isinstance(value, (frozenset, set)):
            return "set", sorted(map(_digest_of, value))
        return None

    def reducer_override(self, value: Any) -> Any:
        """Reduce an array to its content, whatever its layout in memory."""
        if isinstance(value, np.ndarray):
            return tuple, ((value.dtype.str, value.shape, value.tobytes()),)
        return NotImplemented


class _Digest:
    """A file that keeps only a digest of its content."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()

    def write(self, content: bytes) -> None:
        self.digest.update(content)


def _digest_of(value: Any) -> str:
    file = _Digest()
    _Pickler(file).dump(value)
    return file.digest.hexdigest()
