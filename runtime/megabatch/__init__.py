"""The mega-batch runtime: every sample of a workload through a merged program, a batch at a time.

workload    what a language says of its samples and results; megabatch knows it only by this
data        samples, and what a workload has loaded
images      what a language knows of images, for a search's layers
shown       how samples, values and results are shown
samples     samples drawn and varied, and the columns of a batch
programs    generated/ loaded: both forms of the merged program, or of each solver's own
batches     a run's settings, and its batches of samples
given       what callers from Python give, checked
evaluation/ programs as values, on samples in memory
run/        batches over workers and devices, their results, a run summed up
verify/     both forms on the same samples, and on programs made at random
resident/   results read back, in shuffled batches on a device
page/       a run's folder as an HTML page
measure/    both forms timed; batch sizes timed on every device
checksums   files that say whether they are as they were written
store       where files are kept: a local folder, or one on an object store
locks       which process writes to a folder
trace       a program's operations on one sample, each with its value
pictures    values side by side, in the terminal and as SVG
extras      packages that may be missing, and how to get them
"""
