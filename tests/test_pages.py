"""The commands and code in the README and the pages for users do what is shown."""

import re

import pytest

from megabatt.arc import machine
from megabatt.runtime.search.strategies import STRATEGIES
from megabatt.runtime.signal import FAMILIES, LANGUAGE
from tests import pages
from tests.megabatch.commands import ROOT, printed

PAGES = {
    str(page.relative_to(ROOT)): page for page in [ROOT / "README.md", *ROOT.glob("docs/*.md")]
}
READ_AFTERWARDS = ("docs/results.md", "docs/pictures.md", "docs/kaggle.md", "docs/datasets.md")
"""Pages whose commands other tests run, which check their results too."""
MADE = ("primitives.md", "gallery.md", "notebooks/arc.md")
"""Pages of the site that docs/hooks makes."""
LONG = (*pages.OF_PACKAGE, "docs/signals.md")
BLOCKS = {
    f"{name} {number}": block
    for name, page in sorted(PAGES.items())
    for number, block in enumerate(pages.blocks(page, "python"))
    if pages.runs_alone(block) and name not in READ_AFTERWARDS
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Give a folder with the files of the pages, each named in its first line."""
    folder = tmp_path_factory.mktemp("pages")
    for page in PAGES.values():
        pages.write_files(page, folder)
    return folder


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.long] * (name in LONG))
        for name, page in sorted(PAGES.items())
        if name not in READ_AFTERWARDS and pages.commands(page)
    ],
)
def test_every_console_command_prints_what_is_shown(name, folder):
    pages.assert_commands_print(PAGES[name], folder)


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_of_python_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(BLOCKS[name], name, "exec"), {"__name__": "__main__"})


def test_the_pages_have_blocks_and_link_to_pages_that_exist():
    assert len(BLOCKS) >= 12
    for page in PAGES.values():
        for link in re.findall(r"\]\(([\w/.-]+\.md)\b", page.read_text()):
            assert (page.parent / link).is_file() or link in MADE, (page, link)


def test_the_generated_code_shown_is_the_code_generated(folder):
    printed("compile", "my_solvers.py", "--out", "my_batt", cwd=folder)
    generated = (folder / "my_batt" / "batt.py").read_text()
    every = pages.blocks(PAGES["docs/programs.md"], "python")
    shown = [block for block in every if "run.call" in block or "run.fail" in block]
    assert len(shown) == 2 and all(block in generated for block in shown)


def test_the_lines_of_programs_as_json_fit(tmp_path):
    lines = [line for page in PAGES.values() for line in pages.blocks(page, "json")]
    (tmp_path / "programs.jsonl").write_text("".join(lines))
    assert printed("try", "programs.jsonl", cwd=tmp_path).endswith("2 of 2 programs fit\n")


def test_quotes_of_the_page_on_languages_stand_in_the_files():
    every = pages.blocks(PAGES["docs/languages.md"], "python")
    quoted = [re.match(r"# (tests/\S+)\n(.*)", block, re.DOTALL) for block in every]
    quotes = [(match[1], match[2].strip()) for match in quoted if match]
    assert len(quotes) >= 8
    for file, text in quotes:
        assert text in (ROOT / file).read_text(), file


def test_the_machine_has_the_functions_that_the_page_on_arc_names():
    named = set(re.findall(r"\bm\.(\w+)", PAGES["docs/arc.md"].read_text()))
    assert len(named) >= 25 and all(hasattr(machine, name) for name in named)


def test_tables_have_every_strategy_and_every_primitive_of_signals():
    assert all(f"| `{name}` |" in PAGES["docs/search.md"].read_text() for name in STRATEGIES)
    modules = {module.__name__ for module in FAMILIES}
    own = {name for name, p in LANGUAGE.primitives.items() if p.module in modules}
    assert own <= set(re.findall(r"`(\w+)[(`]", PAGES["docs/signals.md"].read_text()))
