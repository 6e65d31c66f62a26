"""Pages of the documentation as tests read them: their blocks and commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from joblib.externals.loky import get_reusable_executor

from megabatt.runtime.megabatch.run import workers
from tests.megabatch.commands import ROOT, command, megabatt

OF_PACKAGE = ("README.md", "docs/programs.md", "docs/arc.md")
"""Pages whose commands `make package` runs, with the package installed."""


def blocks(page: Path, kind: str) -> list[str]:
    """Return the blocks of a page in a language (python, console, sh)."""
    return re.findall(rf"```{kind}\n(.*?)```", page.read_text(), re.DOTALL)


def runs_alone(block: str) -> bool:
    """Tell whether a block of Python is a whole program, not a part of a file."""
    return "import" in block and not re.search("@(primitive|compiled)", block)


def write_files(page: Path, folder: Path) -> None:
    """Write the page's files into a folder: the blocks whose first line is `# NAME.py`."""
    files: dict[str, str] = {}
    for block in blocks(page, "python"):
        named = re.match(r"# (\w+\.py)\n", block)
        if named:
            files[named[1]] = files.get(named[1], "") + block
    for name, text in files.items():
        (folder / name).write_text(text)


def assert_commands_print(page: Path, folder: Path) -> None:
    """Assert that every command of the page's console blocks ends well and prints the shown lines.

    `...` stands for any lines; blank lines do not count.
    """
    get_reusable_executor().shutdown()  # a page's processes begin in its own folder
    while workers._idle:
        workers._idle.pop().end()
    for line, shown in commands(page):
        program, *arguments = shlex.split(line)
        assert program == "megabatt"
        if str(page.relative_to(ROOT)) in OF_PACKAGE:  # these pages register primitives
            done = command("-m", "megabatt", *arguments, cwd=folder)
        else:
            done = megabatt(*arguments, cwd=folder)
        assert done.returncode == 0, done.stderr
        printed = "".join(f"{one.rstrip()}\n" for one in done.stdout.splitlines() if one.strip())
        pattern = [r"(.*\n)*" if one == "..." else f"{re.escape(one)}\n" for one in shown if one]
        assert re.fullmatch("".join(pattern), printed), f"{line} prints\n{printed}"


def commands(page: Path) -> list[tuple[str, list[str]]]:
    """Return the commands of the page's console blocks, each with the lines shown below it."""
    parts = [part.strip() for block in blocks(page, "console") for part in block.split("$ ")[1:]]
    return [(part.splitlines()[0], part.splitlines()[1:]) for part in parts]
