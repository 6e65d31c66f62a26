"""The core: primitives for any language. A language takes them by `LANGUAGE.include(CORE)`.

functions    functions that build functions: compose, chain, matcher, rbind, lbind, power, fork
mapping      functions over the elements of containers: apply and its kin, the filters, extract
ranking      order, extremes and frequency in containers
containers   the elements of containers, and new containers made out of them
logic        Booleans, equality and choice
reals        Reals, which are Python's floats
tuples       tuples built from values
dictionaries entries of keys with their values
operators    what Python's operators, subscripts and choices mean
types        the declared types of signatures; words: words cast to these types
"""

from importlib import import_module

from megabatt.runtime.core.table import CORE

_NAMES = "containers dictionaries functions logic mapping operators ranking reals tuples"
FAMILIES = [import_module(f"{__name__}.{name}") for name in _NAMES.split()]
"""The modules that declare the primitives. Importing them puts the primitives into the table."""

__all__ = ["CORE", "FAMILIES"]
