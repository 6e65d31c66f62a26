"""The compiler: operation lists in, Python source out.  `megabatt compile --help`

sources/      reads files and texts: modules of Python, JSON Lines; finds the programs in them
rewriting/    rewrites functions as functions that are easier to read
arrays/       rewrites functions that use NumPy as functions on lists
operations/   turns functions into programs, which are operations
analysis/     tells what names mean, which names are read later, and which lists may change
output/       writes merged programs as source text, with the templates of templates/
lists/        the bundled programs
language.py   the parts of a language that codegen reads; loads a language
check.py      names programs that are compiled together, and warns of operations that must fail
fields.py     fields of an object that have other values for a while
aliases.py    files of other names for a language's words
errors.py     mistakes in programs, each with its place
__main__.py   the command line
"""
