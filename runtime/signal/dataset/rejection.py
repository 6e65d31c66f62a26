"""Rejects candidates before signals are made, and yields the others in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from megabatt.runtime.signal.dataset.configuration import Configuration
from megabatt.runtime.signal.dataset.links import MOST_CANDIDATES, Array, Links, links_of

TOO_FEW = "too few receivers"
POOR_GEOMETRY = "gdop"
EARLY = (TOO_FEW, POOR_GEOMETRY)
"""The reasons to reject a candidate before signals are made."""

_AT_ONCE = 1024
"""The candidates that are placed together."""
_FRUITLESS = 100_000
"""The most consecutive candidates that may be rejected."""


class Fruitless(Exception):
    """Raised if no candidate is accepted; the message says why.

    rejected: The number of candidates rejected since the last survivor, by reason.
    """

    def __init__(self, message: str, rejected: Mapping[str, int] | None = None) -> None:
        super().__init__(message)
        self.rejected = dict(rejected or {})


@dataclass(frozen=True)
class Survivors:
    """Candidates that were not rejected, in the order of their numbers.

    rejected: int64 (n, len(EARLY)), the number of candidates rejected, by reason, between each
    survivor and the survivor before.
    """

    links: Links
    rejected: Array

    def __len__(self) -> int:
        return len(self.links)

    @property
    def signals(self) -> Array:
        """The number of signals of each survivor, int64 (n,)."""
        counts: Array = self.links.heard.sum(axis=1)
        return counts

    def take(self, index: slice) -> Survivors:
        return Survivors(self.links.take(index), self.rejected[index])


def reasons_of(configuration: Configuration, links: Links) -> Array:
    """Return the place in `EARLY` of each candidate's reason; -1 for no reason."""
    too_few = links.heard.sum(axis=1) < configuration.min_receivers
    poor = ~(links.gdop <= configuration.max_gdop)
    return np.select([too_few, poor], [0, 1], -1)


def survivors_from(configuration: Configuration, first: int) -> Iterator[Survivors]:
    """Yield survivors among the candidates from number `first` on, some at a time.

    Raises Fruitless after too many candidates without a survivor.
    """
    pending = np.zeros(len(EARLY), dtype=np.int64)  # rejected since the last survivor
    for begin in range(first, MOST_CANDIDATES, _AT_ONCE):
        candidates = np.arange(begin, min(begin + _AT_ONCE, MOST_CANDIDATES))
        links = links_of(configuration, candidates)
        reasons = reasons_of(configuration, links)
        kept = np.flatnonzero(reasons < 0)
        total = (reasons[:, None] == np.arange(len(EARLY))).cumsum(axis=0)
        if len(kept):
            rejected = np.diff(total[kept], axis=0, prepend=-pending[None])
            pending = total[-1] - total[kept[-1]]
            yield Survivors(links.take(kept), rejected)
        else:
            pending = pending + total[-1]
        if pending.sum() >= _FRUITLESS:
            rejected = dict(zip(EARLY, pending.tolist(), strict=True))
            raise Fruitless(_why(configuration, rejected), rejected)
    raise Fruitless("there are no more candidates: random numbers count 2**32 of them")


def _why(configuration: Configuration, rejected: Mapping[str, int]) -> str:
    c = configuration
    meant = {
        TOO_FEW: f"are heard by fewer than {c.min_receivers} receivers (min_snr_db {c.min_snr_db}, "
        f"tx_power_dbm {c.tx_power_dbm}, noise_floor_dbm {c.noise_floor_dbm})",
        POOR_GEOMETRY: f"have a gdop above max_gdop ({c.max_gdop})",
    }
    total = sum(rejected.values())
    counts = sorted(rejected.items(), key=lambda item: -item[1])
    shares = [f"{100 * n / total:.0f} % {meant[reason]}" for reason, n in counts if n]
    return f"none of the last {total:,} candidates was accepted: {', '.join(shares)}"


def in_units(survivors: Iterator[Survivors], signals: int, count: int) -> Iterator[Survivors]:
    """Yield the first `count` survivors in units of at most `signals` signals, or one survivor."""
    for some in survivors:
        some = some.take(slice(count))
        count -= len(some)
        ends, begin = some.signals.cumsum(), 0
        while begin < len(some):
            before = ends[begin - 1] if begin else 0
            end = max(int(np.searchsorted(ends, before + signals, side="right")), begin + 1)
            yield some.take(slice(begin, end))
            begin = end
        if not count:
            return
