"""Benchmarks that anyone can run; the figures in docs/measurements.md come from here."""
