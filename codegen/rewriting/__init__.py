"""Rewrites functions as functions that are easier to read, before they become operations.

passes does all rewritings in this order:

matches          makes `match` a chain of `if`
tuples           writes assignments of tuples as assignments of their elements
texts            computes what a source does with constant texts
made_functions   defines programs that a call makes, as `solve = compose(turned, cut)`
constants        writes values of classes that have only values as constants of the module
records          makes data classes, TypedDicts and NamedTuples dictionaries and tuples
inheritance      writes into classes what they inherit, before records
initializers     gives data classes with `__post_init__` an `__init__`, before records
local_names      gives each local a name of its own while classes are read
special_methods  writes calls of `__len__` and the like where Python calls them, before records
methods          makes methods and properties functions of the module, before records
registers        writes the functions that a decorator puts into a list as that list
hidden_names     renames what has the name of a function of Python's
library          defines functions of Python's library in a source that calls them
caches           takes `functools.cache` from functions whose value it does not change
builtin_names    calls Python's functions by their own names where a source gives them others
index_errors     makes `try` around the reading of an element a test of its place
exceptions       does what an exception's handler does where the exception is raised
attempts         makes `try` a call of a function that may fail, but not beside NumPy
own_calls        writes out a program's call of itself, beside NumPy
generators       makes functions with `yield` functions that return an iterator over a list
recursion        makes functions that call themselves loops over what is left to do
inner_changes    makes `:=`, `x.pop()` and other changes in expressions statements
orders           marks calls of `max` and `min` whose values are certain to be numbers
missing_keys     makes reads of a `defaultdict`, which may add a key, reads of a key that is there
last_elements    writes `rows[-1]` for a name that always has the last element of a list
choices          writes changes of one of several lists once for each of them
second_names     changes elements of lists and dictionaries where a second name changes them
field_loops      makes loops over a field loops over a copy where another field changes meanwhile
elements         makes loops that change a list's elements take the elements out of the list
places           makes loops over lists whose elements they change loops over the lists' places
effects          makes functions return what they change of their callers' lists and names

These help them:

attempted        tells which lines a function that may fail may do, for attempts
classes          writes classes otherwise, for constants and methods
dispatch         has functions that ask for the class of an object, for methods
definitions      has definitions in Python of functions of its library
members          tells what members classes have, for methods
groups           finds calls of `itertools.groupby` whose groups are used at once
steps            puts parts of expressions on lines of their own, in the order of Python
"""
