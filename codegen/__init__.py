"""The compiler: operation lists in, Python source out.  `megabatt compile --help`

program.py      what a source says (Solver) and what it means (Program); errors with positions
language.py     all that codegen knows of a language; loading one
read_python.py  `.py` sources, read with LibCST, never executed
read_jsonl.py   `.jsonl` sources, one program a line
check.py        names, arity, use before definition; flattens expressions into operations
merge.py        dead operation elimination, value numbering, liveness
emit.py         programs to source text, with the templates of templates/
layout.py       breaks long lines of that text the way `ruff format` does
write.py        puts the files in place, or says which are stale
__main__.py     the command line
"""
