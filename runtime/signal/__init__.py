"""The language of synthetic radio signals: types, constants, and primitives in one file per family.

A lane is one (transmitter, receiver). Combinators and operations on containers come from
`runtime/core`.

language, policy     the table of primitives; the language's policy
parameters           the record P of a lane; constants; types; tolerance: equality of results
philox, randomness   counter-based random numbers, as plain functions and in kernels
geometry             distances, path loss, dilution of precision

`from megabatt.runtime.signal import *` gives the primitives as plain functions on plain values, and
the constants.
"""

from __future__ import annotations

from megabatt.runtime.engine.columns.rules import rule
from megabatt.runtime.engine.language.values import fails
from megabatt.runtime.signal import (
    chains,
    channels,
    fading,
    features,
    geometry,
    levels,
    modulation,
    records,
    sources,
    spectra,
)
from megabatt.runtime.signal.language import LANGUAGE, primitive
from megabatt.runtime.signal.parameters import record

FAMILIES = (
    chains,
    channels,
    fading,
    features,
    geometry,
    levels,
    modulation,
    records,
    sources,
    spectra,
)
"""The modules that declare the primitives. Importing them registers the primitives."""

globals().update(LANGUAGE.constants)
globals().update({name: p.function for name, p in LANGUAGE.primitives.items()})

__all__ = [
    *LANGUAGE.primitives, *LANGUAGE.constants, "LANGUAGE", "fails", "primitive", "record", "rule",
]  # fmt: skip
