"""A file's signals: as an array in NumPy's format, or as a SigMF recording.

A file has the signals of the heard links, sample by sample. An array is complex64 (signals,
length). A recording has the signals one after the other; each signal is a capture, with the
receiver's place.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import pyarrow as pa

from megabatt.runtime.megabatch.checksums import Damaged
from megabatt.runtime.megabatch.resident.folder import BESIDE
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.signal.dataset.configuration import Configuration
from megabatt.runtime.signal.dataset.links import Array

_SIGMF_VERSION = "1.2.0"


def described(configuration: Configuration) -> dict[str, str]:
    """Return the metadata of the column `iq_first`; see `resident.beside`."""
    names = _name(0, configuration).replace("00000", "*")
    signals = {
        "column": "iq", "files": names, "there": "mask", "length": configuration.signal_length,
        "dtype": "<c8",
    }  # fmt: skip
    return {BESIDE: json.dumps(signals)}


def write(
    store: Store, number: int, configuration: Configuration, table: pa.Table, signals: list[Array]
) -> str:
    """Write the signals of a file's samples, whole or not at all. table: the file's rows.

    Returns the SHA-512 of the signals' bytes.
    """
    stacked = np.stack(signals).astype("<c8")
    sha512 = hashlib.sha512(stacked.data).hexdigest()
    if configuration.keep_iq == "npy":
        with store.writing(_name(number, configuration)) as file:
            np.save(file, stacked)
        return sha512
    store.write(_name(number, configuration), stacked.tobytes())
    store.write(_meta_name(number), _metadata(configuration, table, sha512))
    return sha512


def read(
    store: Store, number: int, configuration: Configuration, table: pa.Table, sha512: str
) -> list[Array]:
    """Read the signals of a file's samples, which stay on the disk until they are used.

    table, sha512: As for `write`. Further signals of a save that was cut short are left out. Raises
    Damaged if the files are not as they were written, OSError if they cannot be read.
    """
    name, length = _name(number, configuration), configuration.signal_length
    count = sum(map(sum, table["mask"].to_pylist()))
    try:
        if configuration.keep_iq == "npy":
            signals = np.load(store.regular(name), mmap_mode="r")
        else:
            signals = np.memmap(store.regular(name), "<c8", "r").reshape(-1, length)
    except (ValueError, EOFError, FileNotFoundError) as error:
        raise Damaged(f"{store}/{name}: {error}") from error
    digest = hashlib.sha512()
    for signal in signals[:count]:
        digest.update(np.ascontiguousarray(signal).data)
    if digest.hexdigest() != sha512:
        raise Damaged(f"{store}/{name}: its signals are not those that were written")
    if configuration.keep_iq == "sigmf" and len(signals) == count:
        if store.read(_meta_name(number)) != _metadata(configuration, table, sha512):
            raise Damaged(f"{store}/{_meta_name(number)}: its content has changed")
    return list(signals[:count])


def _name(number: int, configuration: Configuration) -> str:
    return f"iq-{number:05d}.{'npy' if configuration.keep_iq == 'npy' else 'sigmf-data'}"


def _meta_name(number: int) -> str:
    return f"iq-{number:05d}.sigmf-meta"


def _metadata(configuration: Configuration, table: pa.Table, sha512: str) -> bytes:
    """Return a recording's SigMF metadata, as JSON: captures, with candidates and receivers."""
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
    metadata = {
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
    return (json.dumps(metadata, indent=2) + "\n").encode()
