"""The language of synthetic radio signals: types, constants, primitives, a family a file.

A lane is one (transmitter, receiver). Its combinators and what it does with containers of any kind
are those of `runtime/core`.

language, policy     the table of primitives; what the engine asks of the language
parameters           the record P of a lane; constants; types; tolerance: when results are the same
philox, randomness   random numbers by counting, as plain functions and in kernels
geometry             distances, path loss, dilution of precision

`from megabatt.runtime.signal import *` gives the primitives as plain functions on plain values, and
the constants.
"""

from __future__ import annotations

from megabatt.runtime.engine.calls.registry import rule
from megabatt.runtime.engine.values import fails
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
"""The modules that declare the primitives; importing them is what registers these."""

globals().update(LANGUAGE.constants)
globals().update({name: p.function for name, p in LANGUAGE.primitives.items()})

__all__ = [
    *LANGUAGE.primitives, *LANGUAGE.constants, "LANGUAGE", "fails", "primitive", "record", "rule",
]  # fmt: skip
