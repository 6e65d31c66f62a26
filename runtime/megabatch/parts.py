"""Results in parts that are small enough to be decoded or laid out at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.executor.program import Results


def in_parts(results: Results, most: int) -> Iterator[tuple[range, Results]]:
    """Yield lane ranges whose outputs weigh at most `most`, or of one lane, with their results."""
    lanes = results.reasons.shape[1]
    weights = np.zeros(lanes, dtype=np.int64)
    for column in results.columns.values():
        weights += np.minimum(to_host(column.weights()), most)
    for part in ranges_within(weights, most):
        yield part, results if len(part) == lanes else _part(results, part)


def _part(results: Results, lanes: range) -> Results:
    index = np.arange(lanes.start, lanes.stop)
    columns = {name: column.take(index) for name, column in results.columns.items()}
    reasons = results.reasons[:, lanes.start : lanes.stop]
    return Results(columns, reasons, results.cones, results.host_lanes)


def ranges_within(weights: np.ndarray[Any, Any], most: int) -> Iterator[range]:
    """Yield consecutive ranges of positions that weigh at most `most`, or of one position."""
    first, held = 0, 0
    for position, weight in enumerate(weights.tolist()):
        if held + weight > most and position > first:
            yield range(first, position)
            first, held = position, 0
        held += weight
    if len(weights):
        yield range(first, len(weights))
