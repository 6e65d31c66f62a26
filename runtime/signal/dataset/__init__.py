"""Datasets of signals: many transmitters, each heard by several receivers, measured and kept.

configuration   what a dataset is to be, from a TOML file
links           transmitters and receivers placed, and what arrives over each link
rejection       candidates that are not worth a signal, found before any is made
measuring       signals made and measured by a program, and whether they can be believed
files, iq       the folder: samples in Parquet, their signals
generation      all of it in turn, over workers, until there are enough
run             the command's part
"""
