"""The compiler: operation lists in, Python source out.  `megabatt compile --help`

solver.py       what a source says, and errors, with positions
language.py     all that codegen knows of a language; loading one
read_python.py  `.py` sources, read with LibCST, never executed
read_jsonl.py   `.jsonl` sources, one program a line
flatten.py      solvers to programs, `megabatt.runtime.program.Program`, and what is wrong with them
                by the rules of `megabatt.runtime.vocabulary`
check.py        whole sources; constants for literals, numbers for calls
emit.py         programs, which `megabatt.runtime.merging` has merged, to source text, with the
                templates of templates/
layout.py       breaks long lines of that text the way `ruff format` does
write.py        puts the files in place, or says which are stale
__main__.py     the command line
"""
