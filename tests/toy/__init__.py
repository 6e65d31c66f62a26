"""A language that is not ARC's: reals and lists of reals.

The language uses the engine, the core, codegen and megabatch, which do not know the language.
`docs/languages.md` builds it step by step.

language     its table of primitives, constants, inputs
types        the declared types; primitives: scalar form, rule and kernel together
workload     series that stations have measured, and expected outputs
"""

from megabatt.language import fails
from tests.toy import primitives
from tests.toy.language import LANGUAGE

globals().update(LANGUAGE.constants)
globals().update({name: p.function for name, p in LANGUAGE.primitives.items()})

__all__ = ["LANGUAGE", "fails", "primitives", *LANGUAGE.primitives, *LANGUAGE.constants]
"""What programs import: `fails` is the safe default of a function."""
