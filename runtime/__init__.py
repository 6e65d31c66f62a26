"""The runtime: everything that generated code needs.

engine/     columns, lane kernels, the primitive registry; knows nothing of ARC
core/       combinators and container primitives, which any language includes
arc/        the grid language: types, constants and primitives, a family a file
signal/     the language of radio signals, likewise
megabatch/  samples, batches, devices, results
search/     programs that fit tasks, found

program     a program as a value; vocabulary: what may stand in one; merging: several made one
arguments   what a Python caller gives, checked: lists, numbers, paths
terminal    the console of the commands; printable: text that it may be given
completing  values of options that a shell completes
"""

WORKLOADS = {
    "arc": "megabatt.runtime.arc.workload",
    "signals": "megabatt.runtime.signal.workload",
}
"""The workloads that come with the runtime, by name: their modules."""

LANGUAGES = {"arc": "megabatt.runtime.arc", "signals": "megabatt.runtime.signal"}
"""The languages of these workloads, by the same names: their modules."""
