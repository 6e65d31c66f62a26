"""Every command in the pages' sh blocks exists, and ends well if it can run here."""

import re
import shlex
import shutil
from importlib import import_module

import click
import pytest

from megabatt.command_line.main import main
from tests import pages
from tests.examples import LONG
from tests.megabatch.commands import CHECKOUT, ROOT, command, compiled, megabatt

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

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
def files(tmp_path_factory):
    """Make a user's folder: the pages' files, programs, and a checkout of few solvers."""
    folder = tmp_path_factory.mktemp("user")
    for page in PAGES:
        pages.write_files(page, folder)
    (folder / "arc-dsl").mkdir()
    for name, text in CHECKOUT.items():
        (folder / "arc-dsl" / name).write_text(text)
    shutil.copytree(compiled(folder), folder / "my_batt")
    shutil.copytree(folder / "batt", folder / "arc_batt")
    done = command("make_challenges.py", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def folder(files, tmp_path):
    """Give a user's folder of the test's own."""
    return shutil.copytree(files, tmp_path, dirs_exist_ok=True)


def test_the_pages_have_commands():
    assert sum(len(lines(page)) for page in PAGES) >= 40


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_option_and_argument_is_one_that_the_command_takes(page, files, monkeypatch):
    monkeypatch.chdir(files)
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
        for page in PAGES
        if any(reason(line) is None for line in lines(page))
        for name in [str(page.relative_to(ROOT))]
    ],
)
def test_every_command_ends_well(page, folder):
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
