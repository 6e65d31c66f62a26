"""Compares both forms, on given samples and on random programs.

verify     compares both forms on the same samples, and finds the first operation that differs
compare    compares both forms of a program in memory, operation by operation (alone)
fuzz       compares both forms of random programs (generate, kinds); shrinks differences (shrink)
planned    compares programs evaluated together with their scalar forms
audit      checks results of scalar forms against declarations
"""
