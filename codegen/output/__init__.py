"""Writes merged programs as Python source.

emit    the text, by the templates of templates/
layout  the long lines, broken as `ruff format` breaks them
write   the files: puts them in place, or lists the stale ones
"""
