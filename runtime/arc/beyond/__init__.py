"""Primitives that arc-dsl lacks and searches for programs need, a family a file."""

from megabatt.runtime.arc.beyond import completing, mirroring, roles, spreading

FAMILIES = (completing, mirroring, roles, spreading)
"""The modules that declare these primitives. Importing the modules fills the table `BEYOND`."""
