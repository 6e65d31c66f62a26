"""Calls: from a primitive's declaration to a whole program.

registry     primitives, their declared types and rules: a language
frames       the lanes of a call: which have failed, what each may still build
dispatch     a function and its arguments to the rule for their layouts
operate      an operation in all lanes, in parts where memory or the stack is short
recorded     a generated program's operations, and what a batch gives it to read
results      what a batch's solvers gave
on_columns   such a program on columns; concurrent: operations side by side
vectorized   what the vectorized form in generated source calls
sequential   what the sequential form runs on
"""
