"""Datasets of signals: many transmitters, each heard by several receivers, measured and kept.

configuration   a dataset's configuration, from a TOML file
links           places transmitters and receivers, and computes their links
rejection       rejects candidates before signals are made
measuring       makes and measures signals, and rejects implausible ones
files, iq       the folder: samples in Parquet, and signals
generation      runs these steps over workers, until there are enough samples
run             the command's part
"""
