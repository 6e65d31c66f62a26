"""Which device a run computes on."""

from __future__ import annotations


def choose(wanted: str) -> tuple[str, str]:
    """The device for `--device auto|cpu|cuda`, and why, in a line.

    The engine's kernels run on the CPU so far, so CUDA is never chosen; asking for it says so.
    """
    if wanted == "cuda":
        return "cpu", "device cpu: this version has no CUDA path yet, going on on the CPU"
    if wanted == "auto":
        return "cpu", "device cpu: the only one this version computes on"
    return "cpu", "device cpu: as asked for"
