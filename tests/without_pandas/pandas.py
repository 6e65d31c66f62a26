"""Hides pandas: pyarrow imports it wherever it is, a third of a second for each process."""

raise ImportError("tests run without pandas, as megabatt does not install it")
