"""Benchmarks that anyone can run; the figures in the README come from here."""
