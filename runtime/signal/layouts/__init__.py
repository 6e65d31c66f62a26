"""The layouts that the language adds to the engine's: signals and spectra."""
