"""A file's signals: as an array in NumPy's format, or as a SigMF recording.

The signals are those of the links that are heard, sample by sample. An array is complex64
(signals, length). A recording has the signals one after the other; each is a capture, with the
receiver's place.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.signal.dataset.configuration import Configuration
from megabatt.runtime.signal.dataset.links import Array

_SIGMF_VERSION = "1.2.0"


def write(
    store: Store, number: int, configuration: Configuration, table: pa.Table, signals: list[Array]
) -> None:
    """Write the signals of a file's samples, whole or not at all. table: the file's rows."""
    stacked = np.stack(signals)
    if configuration.keep_iq == "npy":
        with store.writing(f"iq-{number:05d}.npy") as file:
            np.save(file, stacked)
        return
    name = f"iq-{number:05d}.sigmf"
    data = stacked.astype("<c8").tobytes()
    store.write(f"{name}-data", data)
    meta = _metadata(configuration, table, hashlib.sha512(data).hexdigest())
    store.write(f"{name}-meta", (json.dumps(meta, indent=2) + "\n").encode())


def read(folder: Path, number: int, configuration: Configuration) -> list[Array]:
    """Read the signals of a file. Raises OSError or ValueError where it is not whole."""
    if configuration.keep_iq == "npy":
        return list(np.load(folder / f"iq-{number:05d}.npy"))
    data = np.fromfile(folder / f"iq-{number:05d}.sigmf-data", dtype="<c8")
    return list(data.reshape(-1, configuration.signal_length).astype(np.complex64))


def _metadata(configuration: Configuration, table: pa.Table, sha512: str) -> dict[str, Any]:
    """Return a recording's SigMF metadata: its captures, and whose signal each is."""
    c = configuration
    captures: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for row in table.to_pylist():
        for receiver, heard in enumerate(row["mask"]):
            if not heard:
                continue
            place = row["receiver_longitude"][receiver], row["receiver_latitude"][receiver]
            start = len(captures) * c.signal_length
            captures.append(
                {
                    "core:sample_start": start,
                    "core:frequency": c.frequency_mhz * 1e6,
                    "core:geolocation": {"type": "Point", "coordinates": list(place)},
                }
            )
            annotations.append(
                {
                    "core:sample_start": start,
                    "core:sample_count": c.signal_length,
                    "core:label": f"candidate {row['candidate']}, receiver {receiver}",
                }
            )
    return {
        "global": {
            "core:datatype": "cf32_le",
            "core:sample_rate": c.sample_rate_hz,
            "core:version": _SIGMF_VERSION,
            "core:sha512": sha512,
            "core:recorder": "megabatt",
            "core:description": f"{c.dataset_name}: synthetic signals, seed {c.seed}",
        },
        "captures": captures,
        "annotations": annotations,
    }
