"""The compiler: operation lists in, Python source out.  `megabatt compile --help`

language.py     the parts of a language that codegen reads; loads a language
read_paths.py   files and folders; read_text.py: texts, of Python or with Python in fences
read_python.py  modules of Python: finds the programs among the functions, and the names' meanings
read_plain.py   modules of plain calls, without a syntax tree, at speed
read_jsonl.py   `.jsonl` sources, a program a line; scan_jsonl.py: their plain lines, at speed
statements.py   turns functions into operations, with expressions.py, dictionaries.py,
                loops.py, python_functions.py (calls of Python's own functions), scopes.py (the
                meanings of names) and writer.py (the operations of a program and of its functions)
effects.py      makes functions return what they change of their callers' lists and names
builtin_names.py  calls Python's functions by their own names where a source gives them others
generators.py   makes functions with `yield` functions that return an iterator over a list
records.py      makes data classes, TypedDicts and NamedTuples dictionaries and tuples
places.py       makes loops over lists whose elements they change loops over the lists' places
second_names.py  changes elements of lists and dictionaries where a second name changes them
rewriting.py    rewrites `:=`, `x.pop()` and other changes in expressions, and `else` of loops
arrays.py       rewrites programs that use NumPy as programs with lists: array_expressions.py,
                array_forms.py, array_kinds.py, numpy_calls.py and numpy_functions.py
liveness.py     finds the names that are read later, which a loop hands from round to round
ownership.py    finds the lists, sets and dictionaries that one name alone holds, which may change
aliases.py      files of other names for a language's words
errors.py       mistakes in programs, each with its place
check.py        names programs that are compiled together, and warns of operations that must fail
emit.py         writes merged programs as source text, with the templates of templates/
layout.py       breaks long lines of that text as `ruff format` does
write.py        puts the files in place, or lists the stale ones
__main__.py     the command line
"""
