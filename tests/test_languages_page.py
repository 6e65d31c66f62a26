"""What docs/languages.md quotes is there, and what it shows happens."""

from __future__ import annotations

import re

from tests.megabatch.commands import ROOT
from tests.pages import assert_commands_print, blocks, write_files

PAGE = ROOT / "docs" / "languages.md"


def test_what_the_page_quotes_stands_in_the_files():
    quoted = [re.match(r"# (tests/\S+)\n(.*)", b, re.DOTALL) for b in blocks(PAGE, "python")]
    quotes = [(match[1], match[2].strip()) for match in quoted if match]
    assert len(quotes) >= 8
    for file, text in quotes:
        assert text in (ROOT / file).read_text(), file


def test_the_commands_print_what_the_page_shows(tmp_path):
    write_files(PAGE, tmp_path)
    assert_commands_print(PAGE, tmp_path)
