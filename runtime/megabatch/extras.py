"""Optional packages."""

from __future__ import annotations

import shlex
import sys


def install_command(extra: str) -> str:
    """Return the command that installs one of megabatt's extras into the running Python."""
    return f"{shlex.quote(sys.executable)} -m pip install 'megabatt[{extra}]'"
