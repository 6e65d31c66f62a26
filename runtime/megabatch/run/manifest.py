"""What a run is of: its programs, data and limits, and how its samples are cut into batches."""

from __future__ import annotations

import hashlib
import pickle
import shlex
import sys
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.workload import Data, Workload


@dataclass(frozen=True)
class Manifest:
    """What a run is of.

    Digests are of the generated programs with primitives of the user's own, and of the samples.
    batches: how many samples each has, in the order of the data.
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

    def __post_init__(self) -> None:
        """Check what was read from a file. Raises TypeError where that is no manifest."""
        kinds = {"data": dict, "max_elements": int, "batches": list}
        for name, value in vars(self).items():
            if not isinstance(value, kinds.get(name, str)):
                raise TypeError(f"{name} is a {type(value).__name__}")
        if not all(isinstance(size, int) and size > 0 for size in self.batches):
            raise TypeError("batches are not numbers of samples")

    def described(self) -> dict[str, Any]:
        """Return what summary.json says of it."""
        return {name: value for name, value in asdict(self).items() if name != "batches"}

    def differences(self, other: Manifest) -> list[str]:
        """List what another run has otherwise, a line each; how samples are cut is no matter."""
        lines = {
            "megabatt": f"another version of megabatt, {other.megabatt}",
            "workload": f"another workload, {other.workload}",
            "program_digest": f"other programs, of {other.program}",
            "data_digest": f"other data, {_spelled(other.data)}",
            "max_elements": f"another --max-elements, {other.max_elements}",
            "outputs": f"another --outputs, {other.outputs}",
        }
        return [line for name, line in lines.items() if getattr(self, name) != getattr(other, name)]


def manifest_of(
    settings: Settings, data: Data[Any], options: dict[str, Any], batches: list[Batch]
) -> Manifest:
    """Make the manifest of a run. options: what the data was asked for by."""
    return Manifest(
        version("megabatt"),
        settings.workload.name,
        str(Path(settings.folder).resolve()),
        program_digest(settings, own=data.solver_for is not None),
        {name: _plain(value) for name, value in options.items() if value not in (None, (), False)},
        _data_digest(settings.workload, data.samples),
        settings.limit,
        settings.outputs,
        [len(batch.samples) for batch in batches],
    )


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


def program_digest(settings: Settings, own: bool) -> str:
    """Digest the generated file, and the modules with primitives that are not megabatt's."""
    digest = hashlib.sha256()
    sources = {Path(settings.folder) / ("solvers.py" if own else "batt.py")}
    modules = {primitive.function.__module__ for primitive in settings.language.primitives.values()}
    for name in modules:
        file = getattr(sys.modules.get(name), "__file__", None)
        if file and not name.startswith("megabatt."):
            sources.add(Path(file))
    for source in sorted(sources):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _data_digest(workload: Workload[Any], samples: list[Any]) -> str:
    """Digest every sample's inputs and what is expected; inputs that samples share, once."""
    own = [name for name in workload.language.inputs if name not in workload.shared]
    file = _Digest()
    pickler = pickle.Pickler(file)
    pickler.fast = True  # equal values give equal bytes, whichever of their parts are one object
    seen: set[int] = set()
    for sample in samples:
        values = [getattr(sample, name) for name in own]
        shared = [getattr(sample, name) for name in workload.shared]
        new = [value for value in shared if id(value) not in seen]
        seen.update(map(id, new))
        pickler.dump((sample.key, values, new, sample.expected))
    return file.digest.hexdigest()


class _Digest:
    """A file that keeps only a digest of what is written."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()

    def write(self, content: bytes) -> None:
        self.digest.update(content)
