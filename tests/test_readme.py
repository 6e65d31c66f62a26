"""What the README shows is what happens."""

from __future__ import annotations

import re
import shlex

import pytest

from tests import pages
from tests.megabatch.commands import ROOT, command

README = ROOT / "README.md"


def blocks(kind):
    return pages.blocks(README, kind)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that the README writes, named in their first line."""
    folder = tmp_path_factory.mktemp("readme")
    pages.write_files(README, folder)
    return folder


def test_every_console_command_prints_what_is_shown(folder):
    pages.assert_commands_print(README, folder)


def test_the_primitive_of_your_own_compiles(folder):
    (line,) = [b for b in blocks("sh") if "--primitives" in b]
    _, *arguments = shlex.split(line)
    done = command("-m", "megabatt", *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr


def test_the_generated_code_shown_is_the_code_generated(folder):
    command("-m", "megabatt", "compile", "my_solvers.py", "--out", "my_batt", cwd=folder)
    generated = (folder / "my_batt" / "batt.py").read_text()
    shown = [b for b in blocks("python") if "run.call" in b or "run.fail" in b]
    assert len(shown) == 2
    assert all(block in generated for block in shown)


def test_the_python_examples_run(folder):
    for block in blocks("python"):
        if "import" in block and "@primitive" not in block:
            done = command("-c", block)
            assert done.returncode == 0, done.stderr


def test_the_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"make (\w+)", "".join(blocks("sh"))):
        assert f"\n{target}:" in makefile
