"""The machine: compiled functions that run operations on one lane at a time.

An operation on columns has a fixed cost, too high for few lanes. A call on the machine costs little
more than its work. On a GPU many calls run side by side, each in a thread.

layout        words, which are values as int64; nodes: containers and functions in the heap
functions     compiled functions, and calls between them
contents      reads and makes containers; sets: makes sets of words in any order
order         the order of values, equality
weights       weights of values
calls         calls functions that are values, and builds functions
closures      functions of a program's own: codes that one routine interprets
forms         compiled forms of primitives, with casts of arguments and charges
prelude       the functions for compiled forms
linking       the head of a heap: the compiled forms of a language
heap          the heap for Python: converts plain values to words and back; calls by the scalar form
constants     puts the constants of operations into heaps
copying       copies values: within a heap, packed, out of a heap, away from garbage
archive       values that outlive the heap in which they were made
threads       the work of a thread of a device
on_device     the machine's source for a GPU; the heap on a device
syntax        the syntax of machine functions
loops         loops over machine functions, which Python calls with arrays and numbers
llvm          translates machine functions for the CPU; the address of each routine
native        machine code on disk, a file for each function
cpp           translates machine functions to C++
"""
