"""Operations of programs: equal ones once, made on the machine or on columns.

operations  values by number: the operations of all programs, equal ones once, their operands as
            arrays (operands)
loading     programs checked and merged into operations
schedule    which calls give the values that are wanted, in their order; built in one place
inputs      what an executor is given, and what it tells
host        makes calls on a CPU, one lane after the other; drops values after their last use
device      makes them on a device, all of a level at once
columns     makes operations on columns, one after the other, for a language of columns

Generated programs, on batches of samples:

vectorized  what the vectorized form in generated source calls
recorded    a program's operations, and what a batch gives it to read
program     such a program in a language of words
column_program
            such a program in a language of columns; concurrent: operations side by side
results     what a batch's solvers gave
"""
