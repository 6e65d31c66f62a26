"""Turns functions into operations.

statements        statements: assigned names, returned values; changes: those that change values
loops             loops, whose rounds are calls of a function
meanings          what expressions and names mean, and the words of values
expressions       expressions without calls; calls: functions and calls of functions
dictionaries      expressions that make and read dictionaries
operators         operators and comparisons
python_functions  calls of Python's own functions and methods
writer            the operations of a program and of its own functions
types             the types of values, which tell operations that must fail
"""
