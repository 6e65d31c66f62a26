"""The record of a lane's parameters: reading one parameter, and replacing one."""

from __future__ import annotations

import math

from megabatt.runtime.engine.columns import Column, Floats, Ints, Lists
from megabatt.runtime.engine.columns.rules import Frame, rule
from megabatt.runtime.engine.device.arrays import xp
from megabatt.runtime.signal.language import primitive
from megabatt.runtime.signal.parameters import COUNT, FIRST_NAME
from megabatt.runtime.signal.types import Name, Parameters, Real


@primitive
def parameter(P: Parameters, name: Name) -> Real:
    """Return a parameter, such as parameter(P, SNR_DB)."""
    return P[name - FIRST_NAME]


@rule(parameter)
def parameter(frame: Frame, P: Lists, name: Ints) -> Column:
    return Floats(P.content.data[P.starts + name.data])  # type: ignore[attr-defined]


@primitive(charge=COUNT)
def with_parameter(P: Parameters, name: Name, value: Real) -> Parameters:
    """Return the record with another value of a parameter: with_parameter(P, PROFILE, TDL_A).

    The primitive that uses the value checks its range. Fails for a value that is not finite.
    """
    if not math.isfinite(value):
        raise ValueError(f"{value} is no parameter")
    place = name - FIRST_NAME
    return (*P[:place], value, *P[place + 1 :])


@rule(with_parameter)
def with_parameter(frame: Frame, P: Lists, name: Ints, value: Floats) -> Column:
    frame.fail(~xp.isfinite(value.data))
    rows = P.content.data[P.starts[:, None] + xp.arange(COUNT)]  # type: ignore[attr-defined]
    rows[xp.arange(frame.n), name.data] = value.data
    counts = xp.full(frame.n, COUNT, dtype=xp.int64)
    return Lists.of_counts(counts, Floats(rows.ravel()))
