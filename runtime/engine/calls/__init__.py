"""Calls on columns: from a primitive's declaration to a whole program.

registry     primitives, their declared types and rules: a language
frames       the lanes of a call: which have failed, what each may still build
dispatch     a function and its arguments to the rule for their layouts
operate      an operation in all lanes, in parts where memory or the stack is short
vectorized   what the vectorized form runs on; concurrent: operations side by side
sequential   what the sequential form runs on
"""
