"""Tells facts about the syntax tree of a source.

nodes      finds, copies and makes nodes
names      the names in nodes: read, bound, assigned, changed
texts      what functions and methods give for constant texts
scopes     the meanings of names
liveness   the names that are read later
computed   the values that are computed wherever they stand
outside    what statements outside of functions change, which are not read
lists      the names that only ever are lists, and of what depth
values     the values that names, fields and elements of containers get
held       with how many arguments functions from containers are called
objects    of which class of a source a value is an object
carriers   the names that may stand for objects of a class
ownership  the lists, sets and dictionaries that one name alone holds, which may change
"""
