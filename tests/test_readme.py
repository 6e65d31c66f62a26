"""What the README and the pages for users show is what happens."""

from __future__ import annotations

import re

import pytest

from tests import pages
from tests.megabatch.commands import ROOT, command

NAMES = (
    "README.md", "docs/programs.md", "docs/runs.md", "docs/clusters.md", "docs/arc.md",
    "docs/gpu.md", "docs/performance.md", "docs/mutants.md",
)
PAGES = [ROOT / name for name in NAMES]


def blocks(kind):
    """Return the blocks of all pages that are in a language."""
    return [block for page in PAGES for block in pages.blocks(page, kind)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Give a folder with the files of the pages, each named in its first line."""
    folder = tmp_path_factory.mktemp("readme")
    for page in PAGES:
        pages.write_files(page, folder)
    return folder


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(ROOT / name, id=name, marks=[pytest.mark.long] * (name in pages.OF_PACKAGE))
        for name in NAMES
    ],
)
def test_every_console_command_prints_what_is_shown(page, folder):
    pages.assert_commands_print(page, folder)


def test_the_generated_code_shown_is_the_code_generated(folder):
    command("-m", "megabatt", "compile", "my_solvers.py", "--out", "my_batt", cwd=folder)
    generated = (folder / "my_batt" / "batt.py").read_text()
    shown = [b for b in blocks("python") if "run.call" in b or "run.fail" in b]
    assert len(shown) == 2
    assert all(block in generated for block in shown)


def test_the_python_examples_run(folder):
    for block in blocks("python"):
        if pages.runs_alone(block):
            done = command("-c", block)
            assert done.returncode == 0, done.stderr


def test_the_pages_that_are_linked_to_exist():
    for page in PAGES:
        for link in re.findall(r"\]\(([\w/.-]+\.md)\)", page.read_text()):
            assert (page.parent / link).is_file(), link


def test_the_line_of_a_program_as_json_compiles(tmp_path):
    (line,) = blocks("json")
    (tmp_path / "programs.jsonl").write_text(line)
    done = command("-m", "megabatt", "compile", "programs.jsonl", "--out", "batt", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1 solver, 2 operations ")
