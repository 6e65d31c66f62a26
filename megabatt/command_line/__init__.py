"""The command line: `megabatt COMMAND`.

main        the group of all commands
options     shared options, and options of the workload
selection   the programs, samples, batches and devices that options select
pages       written pages and pictures

compile, run, search, show, report, submit, score, verify, warm_up, bench, sweep, check, completion,
fuzz: a command each
"""
