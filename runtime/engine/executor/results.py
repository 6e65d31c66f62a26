"""The results of a batch's solvers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Bools, Column, concat
from megabatt.runtime.engine.columns.transfer import columns_to_host
from megabatt.runtime.engine.device.device import CPU, current, to_host
from megabatt.runtime.engine.language.reasons import Reason


@dataclass(eq=False)
class Results:
    """The results of a batch's solvers.

    columns      the outputs of each solver: a `Column`, or a `WordColumn`
    reasons      uint8 (operations + 1, lanes): row n has the `Reason` for operation n's failure in
                 each lane; like the columns, on the device that computed it, see `on_host`
    cones        the numbers of the operations that each solver's output needs, ascending
    host_lanes   the number of operation-lanes that scalar code computed
    matches      in a language of words, the lanes in which each solver's output is right, bool
                 (lanes,); outputs that are not kept are then 0
    """

    columns: dict[str, Any]
    reasons: np.ndarray[Any, Any]
    cones: dict[str, list[int]]
    host_lanes: int
    matches: dict[str, np.ndarray[Any, Any]] | None = None

    @property
    def failed(self) -> np.ndarray[Any, Any]:
        """The failures of operations; bool (operations + 1, lanes)."""
        return self.reasons != 0  # type: ignore[no-any-return]

    def on_host(self) -> Results:
        """Return the results in NumPy arrays, fetched from the device in use in one transfer."""
        if current() is CPU or self.matches is not None:
            return self
        of_lanes: Column = Bools(self.reasons.view(np.bool_).ravel())  # any bytes will do
        *there, of_lanes = columns_to_host([*self.columns.values(), of_lanes])
        assert isinstance(of_lanes, Bools)
        columns = dict(zip(self.columns, there, strict=True))
        reasons = of_lanes.data.view(np.uint8).reshape(self.reasons.shape)
        return Results(columns, reasons, self.cones, self.host_lanes)

    @classmethod
    def joined(cls, parts: Sequence[Results]) -> Results:
        """Join batches of one program into one batch, with the lanes in the given order."""
        first = parts[0]
        columns = {}
        for name, column in first.columns.items():
            join = getattr(column, "joined", concat)
            columns[name] = join([part.columns[name] for part in parts])
        matches = first.matches and {
            name: np.concatenate([(part.matches or {})[name] for part in parts])
            for name in first.matches
        }
        reasons = np.concatenate([part.reasons for part in parts], axis=1)
        host_lanes = sum(part.host_lanes for part in parts)
        return cls(columns, reasons, first.cones, host_lanes, matches)

    def decode(self) -> list[tuple[dict[str, Any], dict[int, Reason]]]:
        """Return each lane's outputs and reasons of failures, as the sequential form does."""
        names = list(self.columns)
        columns = [column.decode() for column in self.columns.values()]
        lanes = zip(*columns, strict=True) if columns else [()] * self.reasons.shape[1]
        reasons = to_host(self.reasons).T
        return [
            (
                dict(zip(names, values, strict=True)),
                {number: Reason(of_lane[number]) for number in np.flatnonzero(of_lane).tolist()},
            )
            for values, of_lane in zip(lanes, reasons, strict=True)
        ]
