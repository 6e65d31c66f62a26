"""The core: primitives for any language. A language takes them by `LANGUAGE.include(CORE)`."""

from importlib import import_module

from megabatt.runtime.core.table import CORE

_NAMES = "containers dictionaries functions logic mapping operators ranking reals tuples"
FAMILIES = [import_module(f"{__name__}.{name}") for name in _NAMES.split()]
"""The modules that declare the primitives. Importing them puts the primitives into the table."""

__all__ = ["CORE", "FAMILIES"]
