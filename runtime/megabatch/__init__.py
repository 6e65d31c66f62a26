"""The mega-batch runtime: runs merged programs on a workload's samples, batch by batch.

workload    the interface through which megabatch knows a language's samples and results
data        samples, and the data of a workload
images      a language's vocabulary of images, for a search's layers
shown       how samples, values and results are shown
samples     samples drawn and varied, and the columns of a batch
programs    loads generated/: both forms of the merged program, or of each solver's own program
batches     a run's settings, and its batches of samples
parts       results in parts that are small enough to be laid out at once
given       checks arguments of Python callers
evaluation/ evaluates programs in memory
run/        runs batches over workers and devices, writes and sums up results
verify/     compares both forms, also on random programs
resident/   reads results back in shuffled batches on a device
page/       a run's folder as an HTML page
measure/    times both forms, and each batch size on each device
checksums   files with checksums, which are checked on reading
summaries   the summary of a folder, and the files that it sums up
store       folders, local or on an object store
locks       locks of folders
trace       a program's operations on one sample, each with its value
pictures    values side by side, in the terminal and as SVG
extras      optional packages, and how to install them
"""
