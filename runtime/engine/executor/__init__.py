"""Runs the operations of programs, merged so that equal operations occur once.

operations  numbered values: the merged operations of programs, with operands as arrays
loading     checks programs, and merges them into operations
objects     reads programs in a compiled loop, by the addresses of their objects
schedule    the calls for the wanted values, in order; the inputs and results of executors
host        makes calls on a CPU, lane by lane; drops values after their last use
device      makes calls on a device, a level at a time
columns     runs operations on columns, each in all lanes
program     runs the operations that generated source lists, on batches of samples
"""
