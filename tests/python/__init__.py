"""`import megabatt`: the promises to a Python caller."""
