"""The definition of languages, independent of machine, columns and executor.

registry     primitives and languages; types: declared types of parameters
charges      charges of primitives, declared once for all forms; estimating: their lower bounds
policy       a language's order, numbers and limits; limits: the element budget
values       plain values: their order, their weight, and functions; reasons: of failures
closures     functions of a program's own as values; coding: makes them from operations
sequential   runs the sequential form
"""
