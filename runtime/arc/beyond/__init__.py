"""Primitives that arc-dsl lacks and searches for programs need, a family a file.

completing  grids completed by the patterns that they show
mirroring   grids completed by the symmetries that they show
spreading   colors that flow over black cells or are smeared over them; pieces that fall
roles       colors by their roles
"""
