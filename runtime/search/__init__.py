"""Search: programs that fit the demonstrations of tasks are found, not only evaluated.

typed      the kinds of a program's values: what may stand where
grammar    what programs are likely, counted over programs that are known
"""
