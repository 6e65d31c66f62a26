"""Reads sources: files, folders and texts.

paths        files and folders
text         texts: Python, or Markdown that has Python in fences
python       modules of Python: the programs among the functions, and the meanings of names
modules      what a source imports from modules that lie beside it
plain        modules of plain calls, without a syntax tree, at speed
jsonl        `.jsonl` sources, a program a line; jsonl_lines: their plain lines, at speed
"""
