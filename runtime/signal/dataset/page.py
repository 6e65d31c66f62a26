"""A dataset as an HTML page: its configuration, and the distributions of its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.megabatch.page.folder import read_summary, table_of
from megabatt.runtime.megabatch.page.numbers import Numbers, distributions
from megabatt.runtime.megabatch.page.page import html_of, summary_rows
from megabatt.runtime.signal.constants import FEATURES
from megabatt.runtime.signal.dataset.configuration import from_table
from megabatt.runtime.signal.dataset.files import DatasetRefused, dataset_in, files_in, schema_of

_OF_SAMPLES = ("latitude", "longitude", "gdop")
_OF_LINKS = ("distance_km", "rx_power_dbm", "snr_db")


def page_of_dataset(folder: Path) -> str:
    """Make the page of a dataset's folder. Links that are not heard are left out.

    Raises DataError if the folder's files cannot be read.
    """
    try:
        written = dataset_in(folder) or {}
        schema = schema_of(from_table(written["configuration"]))
        run = written["run"]
    except (DatasetRefused, KeyError, TypeError) as error:
        raise DataError(f"{folder}: not a dataset of this version: {error}") from error
    files = list(files_in(folder).values())
    if not files:
        raise DataError(f"{folder}: the dataset has no samples yet")
    numbers: list[Any] = []
    for name, found in distributions(lambda: _numbers(folder, files, schema, run)).items():
        names = [f"features: {of}" for of in FEATURES] if name == "features" else [name]
        numbers += found.described(names)
    index = {"summary": summary_rows(read_summary(folder)), "numbers": numbers}
    return html_of({"index": index})


def _numbers(folder: Path, files: Sequence[str], schema: pa.Schema, run: str) -> Numbers:
    columns = [*_OF_SAMPLES, *_OF_LINKS, "mask", "features"]
    for file in files:
        table = table_of(folder, file, columns, schema, run)
        for name in _OF_SAMPLES:
            yield name, _flat(table[name])[:, None]
        heard = _flat(table["mask"]).astype(np.bool_)
        for name in _OF_LINKS:
            yield name, _flat(table[name])[heard][:, None]
        yield "features", _flat(table["features"]).reshape(-1, len(FEATURES))[heard]


def _flat(column: pa.ChunkedArray) -> np.ndarray[Any, Any]:
    """Flatten a column's lists to its numbers, float64."""
    while pa.types.is_list(column.type) or pa.types.is_fixed_size_list(column.type):
        column = pa.chunked_array([chunk.flatten() for chunk in column.chunks])
    return np.asarray(column).astype(np.float64)
