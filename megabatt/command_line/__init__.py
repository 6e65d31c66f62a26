"""The command line: `megabatt COMMAND`.

main        the group of all commands
options     options that commands share, and those of the workload
selection   what they ask for: programs, samples, batches and devices
pages       pages and pictures that they write

compile, run, search, show, report, submit, score, verify, warm_up, bench, sweep, check, completion,
fuzz: a command each
"""
