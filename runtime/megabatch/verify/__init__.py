"""Compares both forms, on given samples and on random programs.

verify     both forms on the same samples, with the first operation of each difference
compare    both forms of a program in memory, operation by operation
fuzz       random programs (generate, kinds); shrinks differences (shrink)
audit      results of scalar forms against their declarations
"""
