"""Primitives that arc-dsl does not have: what a search for grids is short of. A family a file.

completing  grids completed by the patterns that they show
spreading   colors that flow over black cells; pieces that fall
roles       colors by their roles
"""

from __future__ import annotations

from megabatt.runtime.arc.beyond import completing, roles, spreading

FAMILIES = (completing, roles, spreading)
"""The modules that declare them; importing them fills the table."""
