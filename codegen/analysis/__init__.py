"""Tells facts about the syntax tree of a source.

scopes     the meanings of names
liveness   the names that are read later
ownership  the lists, sets and dictionaries that one name alone holds, which may change
"""
