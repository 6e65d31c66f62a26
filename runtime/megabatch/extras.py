"""Packages that megabatt does without, and goes further with."""

from __future__ import annotations

import shlex
import sys


def install_command(extra: str) -> str:
    """Return the command that installs an extra of megabatt's for the Python that is running."""
    return f"{shlex.quote(sys.executable)} -m pip install 'megabatt[{extra}]'"
