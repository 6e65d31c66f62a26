"""The compiler: operation lists in, Python source out.  `megabatt compile --help`

solver.py       what a source says (Solver) and what it means (Block); errors with positions
                (a program in memory is `megabatt.runtime.program.Program`)
language.py     all that codegen knows of a language; loading one
read_python.py  `.py` sources, read with LibCST, never executed
read_jsonl.py   `.jsonl` sources, one program a line
check.py        solvers by the rules of `megabatt.runtime.vocabulary`; flattens expressions
merge.py        dead operation elimination, value numbering, liveness
emit.py         blocks to source text, with the templates of templates/
layout.py       breaks long lines of that text the way `ruff format` does
write.py        puts the files in place, or says which are stale
__main__.py     the command line
"""
