"""The commands and code in the README and the pages for users do what is shown."""

import re
import runpy
import shlex
import shutil
from importlib import import_module
from importlib.util import find_spec

import click
import pytest

from megabatt.arc import machine
from megabatt.command_line.main import main
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.megabatch.run.results import schema_of
from megabatt.runtime.search.strategies import STRATEGIES
from megabatt.runtime.signal import FAMILIES, LANGUAGE
from megabatt.runtime.signal.dataset.configuration import KEYS, Configuration
from tests import pages
from tests.examples import LONG
from tests.megabatch.commands import CHECKOUT, ROOT, command, compiled, megabatt, printed

PAGES = {
    str(page.relative_to(ROOT)): page
    for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
}
READ_AFTERWARDS = ("docs/results.md", "docs/kaggle.md", "docs/datasets.md")
"""Pages whose commands tests of their own run, which prepare them or check their results too."""
MADE = ("primitives.md", "gallery.md", "notebooks/arc.md")
"""Pages of the site that docs/hooks makes."""
TAKES_MINUTES = (*pages.OF_PACKAGE, "docs/signals.md")
BLOCKS = {
    f"{name} {number}": block
    for name, page in sorted(PAGES.items())
    for number, block in enumerate(pages.blocks(page, "python"))
    if pages.runs_alone(block) and name not in READ_AFTERWARDS
}


@pytest.fixture
def folder(tmp_path):
    """Give a folder with the files of the pages, each named in its first line."""
    for page in PAGES.values():
        pages.write_files(page, tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.long] * (name in TAKES_MINUTES))
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
    assert len(BLOCKS) >= 12 and sum(len(lines(page)) for page in IN_SHELLS) >= 40
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


# Pages whose results are read


def test_the_queries_of_the_page_on_results_answer_what_it_says(tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    page = PAGES["docs/results.md"]
    pages.assert_commands_print(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    found = [duckdb.sql(query).fetchall() for query in pages.blocks(page, "sql")]
    solved, near, wrong, limited, failing, origin = found
    assert {task for task, _ in solved} == {"67a3c6ac", "be94b721", "05f2a901"}
    assert not (set(near) | set(wrong)) & set(solved)
    assert limited == []
    lanes = [count for _, _, count in failing]
    assert lanes == sorted(lanes, reverse=True) and len(lanes) == 10
    assert dict(origin)["megabatt.workload"] == "arc"
    assert all(name in page.read_text() for name in dict(origin))


def test_the_columns_of_results_are_those_on_the_page():
    columns = re.findall(r"^\| `(\w+)` \|", PAGES["docs/results.md"].read_text(), re.MULTILINE)
    assert columns == schema_of(WORKLOAD).names


def test_from_challenges_to_a_submission(folder):
    command("make_challenges.py", cwd=folder, status=0)
    pages.assert_commands_print(PAGES["docs/kaggle.md"], folder)


def test_every_key_of_a_dataset_is_in_the_table_with_its_default():
    text = PAGES["docs/datasets.md"].read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|", text, re.MULTILINE))
    keys = {name: default for name, default in rows.items() if name in KEYS}
    assert list(keys) == list(KEYS)
    for name, default in keys.items():
        value = getattr(Configuration(), name)
        written = "false" if value == "none" else str(value).lower()
        if name == "dataset_name":
            written = f'`"{value}"`'
        if name not in ("snr_db", "receivers", "modulations"):
            assert default == written, name


@pytest.mark.long
def test_the_page_on_datasets_runs(tmp_path, monkeypatch, capsys):
    page = PAGES["docs/datasets.md"]
    (toml,) = pages.blocks(page, "toml")
    name = re.match(r"# ([\w.]+)\n", toml)[1]
    (tmp_path / name).write_text(toml)
    pages.assert_commands_print(page, tmp_path)
    shown = (tmp_path / "harbour.html").read_text()
    assert "data:image/png" in shown or not find_spec("matplotlib")
    (source,) = pages.blocks(page, "python")
    (tmp_path / "reading.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    left = runpy.run_path("reading.py")
    assert left["dataset"].sizes == [160, 40]
    assert left["features"].shape[1:] == (10, 18)
    assert "200 samples" in capsys.readouterr().out


# Commands in the pages' sh blocks exist, and end well if they can run here


IN_SHELLS = [*PAGES.values(), ROOT / "CONTRIBUTING.md"]

AT_ONCE = ("docs/arc.md", "docs/kaggle.md", "docs/pictures.md")
"""Pages whose commands take seconds. The other pages' commands run in the long part."""

ELSEWHERE = {
    r"SCHEDULER|HEAD": "other machines; tests/megabatch/test_clusters.py has clusters of this one",
    r"--device cuda|gpu_test": "a GPU; tests/host_cuda runs these on an emulated one",
    r"^git clone": "the network",
    r"^pip": "the network; `make package` and `make install` do it",
    r"^make": "what runs the tests",
}
"""Why commands that match a pattern are not run here."""

SMALLER = {
    "/shared/out": "out", "/kaggle/input/arc-prize-2025/": "", "--seconds 3600": "--seconds 5",
    "--cluster dask": "--cluster dask --tasks 67a3c6ac",
    "megabatt sweep": "megabatt sweep --sizes 4,16", "--programs 20000": "--programs 50",
    "extensions": "extensions --programs 40 --values 20",
    "programs merge": "programs merge --programs 50", "--count 48": "--count 1 --programs 5",
    "--programs 400": "--programs 5 --count 1", "--seconds 600": "--seconds 5",
    "--seconds 300": "--seconds 5", "baseline arc-dsl": "baseline arc-dsl --programs 50",
    "enumeration arc-dsl": "enumeration --candidates 1000 --task 00576224 arc-dsl",
    "benchmarks.signals": "benchmarks.signals --batch 2 --seconds 0.1",
    "benchmarks.resident": "benchmarks.resident --samples 300",
    "$SLURM_ARRAY_TASK_ID": "2",
}
"""The replacements of a user's own paths, a scheduler's variable, and numbers that take long."""


def lines(page):
    """Return the commands of a page's sh blocks, without their comments."""
    every = "".join(pages.blocks(page, "sh")).splitlines()
    found = [re.sub(r"(^|\s)#.*", "", line).strip() for line in every]
    return [line for line in found if line]


def reason(line):
    """Return why a command is not run here; None if it is run."""
    return next((why for what, why in ELSEWHERE.items() if re.search(what, line)), None)


def words_of(line):
    for shown, used in SMALLER.items():
        line = line.replace(shown, used)
    return shlex.split(line)


@pytest.fixture(scope="module")
def user_files(tmp_path_factory):
    """Make a user's folder: the pages' files, programs, and a checkout of few solvers."""
    folder = tmp_path_factory.mktemp("user")
    for page in IN_SHELLS:
        pages.write_files(page, folder)
    (folder / "arc-dsl").mkdir()
    for name, text in CHECKOUT.items():
        (folder / "arc-dsl" / name).write_text(text)
    (folder / "solvers").mkdir()
    solver = "def transform(grid): return [row[::-1] for row in grid]\n"
    (folder / "solvers" / "67a3c6ac.py").write_text(solver)
    shutil.copytree(compiled(folder), folder / "my_batt")
    shutil.copytree(folder / "batt", folder / "arc_batt")
    command("make_challenges.py", cwd=folder, status=0)
    return folder


@pytest.mark.parametrize("page", IN_SHELLS, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_option_and_argument_is_one_that_the_command_takes(page, user_files, monkeypatch):
    monkeypatch.chdir(user_files)
    for line in lines(page):
        program, *words = words_of(line)
        if program == "megabatt":
            parse(main, words)
        elif program == "python":
            assert words[0] == "-m"
            parse(import_module(words[1]).main, words[2:])
        elif program == "make":
            assert f"\n{words[0]}:" in (ROOT / "Makefile").read_text(), line
        else:
            assert program in ("pip", "git"), line


def parse(known, words):
    """Make a command parse its words without running. Raises UsageError."""
    if isinstance(known, click.Group):
        name, *words = words
        found = known.get_command(click.Context(known), name)
        assert found is not None, name
        known = found
    known.make_context(known.name, list(words))


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=name, marks=[] if name in AT_ONCE else pytest.mark.long)
        for page in IN_SHELLS
        if any(reason(line) is None for line in lines(page))
        for name in [str(page.relative_to(ROOT))]
    ],
)
def test_every_command_ends_well(page, user_files, tmp_path):
    folder = shutil.copytree(user_files, tmp_path, dirs_exist_ok=True)
    if any("dask" in line for line in lines(page)) and LONG:
        pytest.importorskip("distributed")
    for line in lines(page):
        if reason(line) is None:
            program, *words = words_of(line)
            if program == "megabatt" and str(page.relative_to(ROOT)) not in pages.OF_PACKAGE:
                done = megabatt(*words, cwd=folder)
            else:
                words = ["-m", "megabatt", *words] if program == "megabatt" else words
                of_checkout = "benchmarks.mutants" in words  # mutates sources of its folder
                done = command(*words, cwd=ROOT if of_checkout else folder)
            assert done.returncode == 0, (line, done.stdout[-500:], done.stderr[-2000:])
