"""The core: primitives for any language. A language takes them by `LANGUAGE.include(CORE)`."""

from megabatt.runtime.core import (
    containers,
    dictionaries,
    functions,
    logic,
    mapping,
    operators,
    ranking,
    reals,
    tuples,
)
from megabatt.runtime.core.table import CORE

FAMILIES = (
    containers, dictionaries, functions, logic, mapping, operators, ranking, reals, tuples
)  # fmt: skip
"""The modules that declare the primitives. Importing them puts the primitives into the table."""

__all__ = ["CORE", "FAMILIES"]
