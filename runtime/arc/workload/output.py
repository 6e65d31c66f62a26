"""Outputs in Parquet: grids as lists of rows, any other value as source."""

import numpy as np
import pyarrow as pa

from megabatt.runtime.engine.language.values import show_cut
from megabatt.runtime.engine.machine.archive import WordColumn
from megabatt.runtime.garbage import no_collection
from megabatt.runtime.megabatch.workload import MOST_CHARACTERS

OUTPUT_FIELDS = (
    pa.field("output", pa.list_(pa.list_(pa.int8()))),
    pa.field("other_output", pa.string()),
)
"""output: a grid of small Integers; other_output: any other value, as source that builds it,
cut where it is longer than MOST_CHARACTERS."""


def output_arrays(column: WordColumn) -> list[pa.Array]:
    """Return the values of `OUTPUT_FIELDS`."""
    are_grids, heights, widths, cells = column.tables(-128, 127)
    rows = np.concatenate([[0], np.cumsum(np.repeat(widths, heights))])
    lists = pa.ListArray.from_arrays(
        pa.array(rows, pa.int32()), pa.array(cells.astype(np.int8), pa.int8())
    )
    ends = np.zeros(len(column), dtype=np.int64)
    ends[are_grids] = heights
    offsets = pa.array(np.concatenate([[0], np.cumsum(ends)]), pa.int32())
    grids = pa.ListArray.from_arrays(offsets, lists, mask=pa.array(~are_grids))
    texts = np.full(len(column), None, dtype=object)
    others = np.flatnonzero(~are_grids)
    with no_collection():
        values = column.take(others).decode()
        texts[others] = [show_cut(value, MOST_CHARACTERS) for value in values]
    return [grids.cast(OUTPUT_FIELDS[0].type), pa.array(texts, pa.string())]
