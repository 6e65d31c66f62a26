"""Results in Parquet: numbers, and the samples of signals and bins of spectra."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from megabatt.runtime.engine.columns import Column

OUTPUT_FIELDS = (
    pa.field("numbers", pa.list_(pa.float64())),  # a Real, an Integer, or a tuple of numbers
    pa.field("step", pa.float64()),  # a signal's sample rate, or a spectrum's bin width
    pa.field("samples", pa.large_list(pa.float32())),  # complex samples as real, imaginary
)


def output_arrays(column: Column) -> list[Any]:
    """Return the values of each of `OUTPUT_FIELDS`, given a solver's outputs."""
    rows = [_row(value) for value in column.decode()]
    fields = zip(*rows, strict=True) if rows else ((), (), ())
    return [
        pa.array(list(values), field.type)
        for values, field in zip(fields, OUTPUT_FIELDS, strict=True)
    ]


def _row(value: Any) -> tuple[Any, Any, Any]:
    if isinstance(value, bool | int | float):
        return [float(value)], None, None
    if value.__class__ is tuple:
        if all(isinstance(part, bool | int | float) for part in value):
            return [float(part) for part in value], None, None
        if len(value) == 2 and isinstance(value[1], np.ndarray):
            return None, value[0], value[1].view(np.float32)
    return None, None, None
