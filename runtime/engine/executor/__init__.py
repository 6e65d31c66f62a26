"""Operations of programs, made on the machine.

schedule    which calls give the values that are wanted, in their order; built in one place
inputs      what an executor is given, and what it tells
host        makes calls on a CPU, one lane after the other; drops values after their last use
device      makes them on a device, all of a level at once
program     a generated program on batches of samples
"""
