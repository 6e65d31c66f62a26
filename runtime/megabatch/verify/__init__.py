"""Both forms compared: on the same samples, and on programs made at random.

verify     both forms on the same samples, every difference traced to its first operation
compare    a program as a list of operations, both forms of it compared
fuzz       such programs made at random (generate, kinds), differences made small (shrink)
"""
