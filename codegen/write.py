"""Puts generated files in place, or says which are not what they should be."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def write(directory: Path, files: Mapping[str, str]) -> None:
    """Write files such that a reader finds each of them old or new, never half written.

    Args:
        directory: where they go; made if it is missing.
        files: text by name.

    Raises:
        OSError: a file cannot be written. No temporary file is left behind.
    """
    directory.mkdir(parents=True, exist_ok=True)
    temporary = {name: directory / f".{name}.{os.getpid()}.tmp" for name in files}
    try:
        for name, text in files.items():
            temporary[name].write_bytes(text.encode())
        for name in files:
            temporary[name].replace(directory / name)
    finally:
        for path in temporary.values():
            path.unlink(missing_ok=True)


def differences(directory: Path, files: Mapping[str, str]) -> list[str]:
    """Compare a directory with what would be written there.

    Args:
        directory: where the files should be.
        files: text by name.

    Returns:
        A line for each file that is missing or stale; empty if the directory is current.

    Raises:
        OSError: a file cannot be read.
    """
    lines = []
    for name, text in files.items():
        path = directory / name
        if not path.exists():
            lines.append(f"{path} is missing")
        elif path.read_bytes() != text.encode():
            lines.append(f"{path} is stale")
    return lines
