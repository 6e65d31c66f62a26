"""What docs/search.md shows runs."""

from __future__ import annotations

import pytest

from megabatt.runtime.search.strategies import STRATEGIES
from tests.megabatch.commands import ROOT, command
from tests.pages import blocks

PAGE = ROOT / "docs" / "search.md"
BLOCKS = [*blocks(PAGE, "python")]


def test_the_page_names_every_strategy():
    assert len(BLOCKS) == 2
    assert all(f"| `{name}` |" in PAGE.read_text() for name in STRATEGIES)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_a_block_runs(number, tmp_path):
    done = command("-c", BLOCKS[number], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
