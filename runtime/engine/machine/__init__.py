"""The machine: operations on one lane at a time, in compiled functions.

An operation on columns is made for many lanes at once, at a fixed cost, which is too much for few
lanes. The machine makes one call after the other, and a call costs little else than its work. On a
GPU it makes many calls side by side, each in a thread. A primitive's compiled form stands beside
its scalar form.

words         a value as an int64: itself, or where it lies
nodes         containers and functions in the heap, which is an int64 array
functions     how compiled functions call one another
contents      containers opened, and made; sets: made of words in any order
order         the order of values, equality
weights       what values weigh
fingerprints  128 bits of a value, which other values do not have
calls         calls of functions that are values, and functions built
closures      functions of a program's own: codes that one routine follows
traced        measures and formulas of charges as machine functions, and as source
forms         a primitive's compiled form: its arguments are cast, its charge is paid
prelude       all that compiled forms are written with
linking       what a heap begins with: which compiled forms there are
heap          the heap as Python sees it: plain values to words and back
packing       tables in an eighth of the room, for values that are kept
running       operations one after the other, each in all its lanes
collecting    values that are still needed, moved together
archive       values kept beyond the heap that they were made in, and as what lanes have
clock         what time it is, for compiled loops
banks         very many calls of one function, and what is learnt of their values
tables        one program with many outputs called on very many tables; each new one is kept
threads       what a thread of a device does
on_device     the heap on a device, and calls made there side by side, a level at a time
syntax        machine functions as their sources have them
llvm          their translation for the CPU; an address of each routine
cpp, cuda     their translation to C++; one source of them for a device
"""
