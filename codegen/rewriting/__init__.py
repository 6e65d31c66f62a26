"""Rewrites functions as functions that are easier to read, before they become operations.

builtin_names  calls Python's functions by their own names where a source gives them others
caches         takes `functools.cache` from functions whose value it does not change
choices        writes changes of one of several lists once for each of them
effects        makes functions return what they change of their callers' lists and names
exceptions     does what an exception's handler does where the exception is raised
definitions    has definitions in Python of functions of its library
generators     makes functions with `yield` functions that return an iterator over a list
groups         finds calls of `itertools.groupby` whose groups are used at once
index_errors   makes `try` around the reading of an element a test of its place
library        defines functions of Python's library in a source that calls them
made_functions defines programs that a call makes, as `solve = compose(turned, cut)`
matches        makes `match` a chain of `if`
missing_keys   makes reads of a `defaultdict`, which may add a key, reads of a key that is there
function_places  writes loops over functions as loops over their places, beside NumPy
own_calls      writes out a program's call of itself, beside NumPy
recursion      makes functions that call themselves loops over what is left to do
registers      writes the functions that a decorator puts into a list as that list
steps          puts parts of expressions on lines of their own, in the order of Python
classes        writes classes otherwise, for the two below
constants      writes values of classes that have only values as constants of the module
methods        makes methods and properties functions of the module
records        makes data classes, TypedDicts and NamedTuples dictionaries and tuples
elements       makes loops that change a list's elements take the elements out of the list
places         makes loops over lists whose elements they change loops over the lists' places
second_names   changes elements of lists and dictionaries where a second name changes them
last_elements  writes `rows[-1]` for a name that always has the last element of a list
hidden_names   renames what has the name of a function of Python's
inner_changes  makes `:=`, `x.pop()` and other changes in expressions statements
"""
