"""The runtime: everything that generated code needs.

engine/     columns, lane kernels, the primitive registry; knows nothing of ARC
core/       combinators and container primitives, which any language includes
arc/        the grid language: types, constants and primitives, a family a file
signal/     the language of radio signals, likewise
megabatch/  samples, batches, devices, results
search/     looks for programs that fit tasks

program     a program as a value
vocabulary  the rules for a program's words
merging     merges programs that run together
arguments   checks of a Python caller's arguments: lists, numbers, paths
garbage     switches garbage collection off
memory      keeps memory for later arrays, and limits memory
terminal    the console of the commands; printable: text made safe to show there
completing  option values that a shell completes
"""

WORKLOADS = {
    "arc": "megabatt.runtime.arc.workload",
    "signals": "megabatt.runtime.signal.workload",
}
"""The modules of the bundled workloads, by the workloads' names."""

LANGUAGES = {"arc": "megabatt.runtime.arc", "signals": "megabatt.runtime.signal"}
"""The modules of these workloads' languages, by the same names."""
