"""Evaluates many programs of a language on many samples at once."""
