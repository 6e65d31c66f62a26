"""Benchmarks that anyone can run; the figures in docs/performance.md come from here."""
