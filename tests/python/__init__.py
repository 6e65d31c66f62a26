"""`import megabatt`: what a Python caller is promised."""
