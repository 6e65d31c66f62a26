"""What a language is, whatever runs it. Imports nothing of what does: machine, columns, executor.

registry     primitives, and the language that they make up; types: what parameters take
charges      what a primitive charges, declared once for all its forms
policy       what the engine asks of a language; limits: the element budget
values       plain values: their order, their weight, and functions
closures     functions of a program's own, as values; coding: made of a program's operations
sequential   what the sequential form runs on
"""
