"""What docs/python.md and the README show of Python runs."""

from __future__ import annotations

import re

import pytest

from tests.megabatch.commands import ROOT, command
from tests.pages import blocks

PAGE = ROOT / "docs" / "python.md"
BLOCKS = [*blocks(PAGE, "python")]


def test_the_page_has_blocks():
    assert len(BLOCKS) >= 5


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_a_block_runs(number, tmp_path):
    done = command("-c", BLOCKS[number], cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_pages_that_are_linked_to_exist():
    for link in re.findall(r"\]\(([\w/.-]+\.md)\)", PAGE.read_text()):
        assert (PAGE.parent / link).is_file(), link
