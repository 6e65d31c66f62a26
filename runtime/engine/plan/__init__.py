"""Many programs at once: their operations by number, equal ones once, and what runs them.

operations  values by number: the operations of all programs, equal ones once, their operands as
            arrays (operands)
loading     programs checked and merged into operations
on_columns  operations run on columns, one after the other
"""
