"""What the README shows is what happens."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.megabatch.commands import ROOT, command

TEXT = (ROOT / "README.md").read_text()


def blocks(kind):
    return re.findall(rf"```{kind}\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that the README writes, named in their first line."""
    folder = tmp_path_factory.mktemp("readme")
    for block in blocks("python"):
        named = re.match(r"# (\w+\.py)\n", block)
        if named:
            (folder / named[1]).write_text(block)
    return folder


def test_every_console_command_prints_what_is_shown(folder):
    for block in blocks("console"):
        for part in block.split("$ ")[1:]:
            line, *shown = part.strip().splitlines()
            program, *arguments = shlex.split(line)
            assert program == "python"
            arguments = [str(ROOT / a) if a == "run_batt.py" else a for a in arguments]
            done = command(*arguments, cwd=folder)
            assert done.returncode == 0, done.stderr
            for expected in shown:
                assert expected in done.stdout.splitlines(), line


def test_the_primitive_of_your_own_compiles(folder):
    (line,) = [b for b in blocks("sh") if "--primitives" in b]
    _, *arguments = shlex.split(line)
    done = command(*arguments, cwd=folder, env={"PYTHONPATH": f"{ROOT}:{folder}"})
    assert done.returncode == 0, done.stderr


def test_the_generated_code_shown_is_the_code_generated(folder):
    command("-m", "codegen", "my_solvers.py", "--out", "my_batt", cwd=folder)
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
