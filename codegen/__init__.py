"""The compiler: operation lists in, Python source out.  `megabatt compile --help`

language.py     all that codegen knows of a language; loading one
read_paths.py   files and folders; read_text.py: texts, of Python or with Python in fences
read_python.py  a module of Python: which functions are programs, what its names stand for
read_plain.py   the same for modules of plain calls, at speed
read_jsonl.py   `.jsonl` sources, one program a line
statements.py   functions written as operations, with expressions.py, python_functions.py (what
                calls of Python's own functions become), scopes.py (what names stand for) and
                writer.py (operations, functions of a program's own)
aliases.py      other names of a language's words
errors.py       what is wrong with programs, with its place
check.py        names of programs that are compiled together; constants for literals
emit.py         programs, which `megabatt.runtime.merging` has merged, to source text, with the
                templates of templates/
layout.py       breaks long lines of that text the way `ruff format` does
write.py        puts the files in place, or says which are stale
__main__.py     the command line
"""
