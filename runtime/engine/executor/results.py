"""What a batch's solvers gave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Bools, Column, concat
from megabatt.runtime.engine.columns.transfer import columns_to_host
from megabatt.runtime.engine.device.device import CPU, current, to_host


class Results:
    """What a batch's solvers gave.

    columns      by the solver's name a value for every lane: a `Column`, or a `WordColumn`
    failed       bool (operations + 1, lanes): row n says where operation n failed; on the device
                 that computed it, as the columns are, see `on_host`
    cones        by the solver's name the numbers of the operations that compute it, ascending
    host_lanes   how many lanes scalar code has computed, over all operations
    matches      by the solver's name where its output is the value expected, bool (lanes,), in a
                 language of words; outputs that were not to be kept are 0 then
    """

    def __init__(
        self,
        columns: dict[str, Any],
        failed: np.ndarray[Any, Any],
        cones: dict[str, list[int]],
        host_lanes: int,
        matches: dict[str, np.ndarray[Any, Any]] | None = None,
    ) -> None:
        self.columns = columns
        self.failed = failed
        self.cones = cones
        self.host_lanes = host_lanes
        self.matches = matches

    def on_host(self) -> Results:
        """Return the same in NumPy arrays, fetched from the device in use in one transfer."""
        if current() is CPU or self.matches is not None:
            return self
        flags: Column = Bools(self.failed.ravel())
        *there, flags = columns_to_host([*self.columns.values(), flags])
        assert isinstance(flags, Bools)
        columns = dict(zip(self.columns, there, strict=True))
        failed = flags.data.reshape(self.failed.shape)
        return Results(columns, failed, self.cones, self.host_lanes)

    @classmethod
    def joined(cls, parts: Sequence[Results]) -> Results:
        """Join batches of one program into one batch, with the lanes in the given order."""
        first = parts[0]
        columns = {
            name: _joined([part.columns[name] for part in parts]) for name in first.columns
        }
        matches = first.matches and {
            name: np.concatenate([(part.matches or {})[name] for part in parts])
            for name in first.matches
        }
        failed = np.concatenate([part.failed for part in parts], axis=1)
        host_lanes = sum(part.host_lanes for part in parts)
        return cls(columns, failed, first.cones, host_lanes, matches)

    def in_parts(self, most: int) -> Iterator[tuple[range, Results]]:
        """Yield the results in ranges of lanes, whose outputs together weigh at most `most`.

        A lane whose outputs weigh more is a range by itself.
        """
        lanes = self.failed.shape[1]
        weights = np.zeros(lanes, dtype=np.int64)
        for column in self.columns.values():
            weights += np.minimum(to_host(column.weights()), most)
        yield from map(self._part, ranges_within(weights, most))

    def _part(self, lanes: range) -> tuple[range, Results]:
        """Take some lanes. Returns these, and their results."""
        if len(lanes) == self.failed.shape[1]:
            return lanes, self
        index = np.arange(lanes.start, lanes.stop)
        columns = {name: column.take(index) for name, column in self.columns.items()}
        failed = self.failed[:, lanes.start : lanes.stop]
        return lanes, Results(columns, failed, self.cones, self.host_lanes)

    def decode(self) -> list[tuple[dict[str, Any], tuple[int, ...]]]:
        """Return for every lane what the sequential form does: (outputs, failed operations)."""
        names = list(self.columns)
        columns = [column.decode() for column in self.columns.values()]
        lanes = zip(*columns, strict=True) if columns else [()] * self.failed.shape[1]
        return [
            (dict(zip(names, values, strict=True)), tuple(np.flatnonzero(flags).tolist()))
            for values, flags in zip(lanes, to_host(self.failed).T, strict=True)
        ]


def _joined(columns: list[Any]) -> Any:
    """Return columns of one kind one after the other."""
    join = getattr(columns[0], "joined", None)
    return concat(columns) if join is None else join(columns)


def ranges_within(weights: np.ndarray[Any, Any], most: int) -> Iterator[range]:
    """Yield ranges of positions, one after the other, whose weights add up to at most `most`.

    A greater weight is a range by itself.
    """
    first, held = 0, 0
    for position, weight in enumerate(weights.tolist()):
        if held + weight > most and position > first:
            yield range(first, position)
            first, held = position, 0
        held += weight
    if len(weights):
        yield range(first, len(weights))
