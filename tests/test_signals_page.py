"""What docs/signals.md shows happens, and its table names every primitive of the language."""

from __future__ import annotations

import re

import pytest

from megabatt.runtime.signal import FAMILIES, LANGUAGE
from tests.megabatch.commands import ROOT
from tests.pages import assert_commands_print, write_files

PAGE = ROOT / "docs" / "signals.md"


@pytest.mark.long
def test_the_commands_print_what_the_page_shows(tmp_path):
    write_files(PAGE, tmp_path)
    assert_commands_print(PAGE, tmp_path)


def test_every_primitive_is_in_the_table():
    modules = {module.__name__ for module in FAMILIES}
    own = {name for name, p in LANGUAGE.primitives.items() if p.module in modules}
    named = set(re.findall(r"`(\w+)[(`]", PAGE.read_text()))
    assert own <= named
