"""Rewrites functions that use NumPy as functions on lists.

programs     functions: their statements, and the kinds of their names
expressions  expressions, and their kinds; kinds: the kinds of values
calls        calls of NumPy's functions; functions: what each of these functions is on lists
forms        expressions of plain Python with names in place of arguments
"""
