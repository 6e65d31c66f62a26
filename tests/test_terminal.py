"""No text of a file or an argument steers the terminal on which a command prints it."""

import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

from megabatt.command_line.main import COMMANDS
from megabatt.runtime.megabatch.pictures import Panel, Row, words
from megabatt.runtime.megabatch.run.report import print_first, progress_bar
from megabatt.runtime.printable import printable, short
from megabatt.runtime.terminal import Terminal
from tests.megabatch.commands import ROOT, compiled, megabatt

HOSTILE = "\x1b]0;pwned\x07\x1b[2J\r\x08\x9b31m\u202e\n[bold]x[/bold]:smile:"
SHOWN, AS_FILE = printable(HOSTILE), HOSTILE.replace("/", "")
STEERING = ("\x1b]0", "\x1b[2J", "\x07", "\x08", "\r\x08", "\x9b", "\u202e")
"""The parts of HOSTILE that would steer a terminal; Rich itself writes other sequences."""
texts = st.text(st.characters() | st.sampled_from(HOSTILE))


def test_a_long_text_is_cut_within_its_quotes():
    assert short("a" * 100) == f"'{'a' * 79}...'"


def steering(output):
    return [c for c in output if c != "\n" and not c.isprintable()]


@given(st.text(st.characters(exclude_categories=[])))
def test_texts_become_printable_and_printable_texts_stay(text):
    shown = printable(text)
    assert shown.isprintable() and printable(shown) == shown
    assert shown == text or not text.isprintable()
    shown.encode()


@given(texts)
def test_a_terminal_shows_no_control_character_whatever_is_printed(text):
    terminal = Terminal(file=io.StringIO(), width=60)
    print_first(terminal, "left out", [text])
    table = Table(text, title=text)
    table.add_row(text, Text(text))
    terminal.print(text, table, Row(text, [Panel(text, words(3))]))
    assert steering(terminal.file.getvalue()) == []


def test_brackets_and_colons_are_no_markup():
    terminal = Terminal(file=io.StringIO(), width=60)
    table = Table("[red]x")
    table.add_row("[/] :smile:")
    terminal.print("[bold]x[/bold] :smile: [/]", table)
    for shown in ("[bold]x[/bold] :smile: [/]", "[red]x", "[/] :smile:"):
        assert shown in terminal.file.getvalue()


@pytest.mark.parametrize(
    "forced, refused, shown",
    [("1", "", "\x1b[31mx\x1b[0m\n"), ("0", "", "x\n"), ("1", "1", "x\n")],
)
def test_colors_that_are_forced_make_no_terminal_of_a_file(monkeypatch, forced, refused, shown):
    monkeypatch.setenv("FORCE_COLOR", forced)
    monkeypatch.setenv("NO_COLOR", refused)
    terminal = Terminal(file=io.StringIO(), width=60)
    with progress_bar(terminal, "counting", 3) as bar:
        bar.advance(3)
    assert not terminal.is_terminal and terminal.file.getvalue() == ""
    terminal.print(Text("x", "red"))
    assert terminal.file.getvalue() == shown


def test_there_is_no_other_way_to_a_terminal():
    other = re.compile(r"(?<!\w)Console\(|click\.(secho|echo)\(")
    homes = {ROOT / "runtime" / name for name in ("printable.py", "terminal.py")}
    for package in ("megabatt", "runtime", "codegen"):
        for path in {*(ROOT / package).rglob("*.py")} - homes:
            assert not other.search(path.read_text(encoding="utf-8")), path


# ---- commands


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write tasks, a submission and solutions with hostile ids, programs, and a run of them."""
    folder = tmp_path_factory.mktemp("hostile")
    pair = {"input": [[1, 0, 2]], "output": [[2, 0, 1]]}
    task = {"train": [pair, {"input": HOSTILE}], "test": [pair]}
    (folder / "tasks.json").write_text(json.dumps({HOSTILE: task, f"{HOSTILE}2": task}))
    attempt = {"attempt_1": pair["output"], "attempt_2": HOSTILE}
    (folder / "submission.json").write_text(json.dumps({HOSTILE: [attempt], "b" + HOSTILE: 5}))
    (folder / "solutions.json").write_text(json.dumps({HOSTILE: [pair["output"]]}))
    (folder / f"{AS_FILE}.jsonl").write_text(json.dumps({HOSTILE: HOSTILE}))
    wrong = "def solve(I):\n    return '{0}'\n\nx = 5 $ '{0}'\n"
    (folder / f"wrong{AS_FILE}.py").write_text(wrong.format(HOSTILE[:5]))
    compiled(folder, "def solve_mirror(I):\n    O = vmirror(I)\n    return O\n")
    megabatt("run", *CALLS["run"][0], cwd=folder, status=0)
    (folder / "forged").mkdir()
    (folder / "forged" / "summary.json").write_text(json.dumps({"workload": HOSTILE}))
    return folder


SELECTED = ["--batt", "batt", "--data", "tasks.json", "--workers", "1", "--device", "cpu"]
CALLS = {
    "completion": [[HOSTILE], ["zsh"]],
    "compile": [["SOURCES", "--out", "new"]],
    "try": [[".", "--data", "tasks.json"], [".", "--data", "tasks.json", "--tasks", HOSTILE]],
    "run": [
        [*SELECTED, "--out", "out", "--outputs", "all", "--overwrite"],
        [*SELECTED, "--tasks", HOSTILE],
    ],
    "show": [[SHOWN, "--batt", "batt", "--data", "tasks.json", "--solver", "mirror"], [HOSTILE]],
    "report": [["out"], [HOSTILE], ["forged"]],
    "submit": [["out"], [HOSTILE]],
    "search": [
        ["--data", "tasks.json", "--programs", "200", "--workers", "1", "--out", "OUT"],
        ["--data", "tasks.json", "--programs", "200", "--seeds", HOSTILE],
    ],
    "score": [
        ["submission.json", "--solutions", "solutions.json"],
        ["submission.json", "--data", "tasks.json"],
    ],
    "verify": [SELECTED],
    "warm-up": [SELECTED, [*SELECTED, HOSTILE]],
    "bench": [[*SELECTED, "--samples", "1", "--lanes", "2"]],
    "sweep": [[*SELECTED, "--sizes", "1", "--out", "swept"]],
    "check": [["my_primitives", "--workload", HOSTILE]],
    "fuzz": [["--workload", HOSTILE]],
}


@pytest.mark.parametrize("on_terminal", [False, True], ids=["to a file", "on a terminal"])
@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_steers_a_terminal(name, on_terminal, folder, tmp_path):
    env = {"TTY_COMPATIBLE": "1", "COLUMNS": "400"} if on_terminal else {}
    sources = [path.name for path in folder.glob("*\x1b*")]
    printed = ""
    for arguments in CALLS[name]:
        arguments = [tmp_path / "out" if word == "OUT" else word for word in arguments]
        if "SOURCES" in arguments:
            arguments[0:1] = sources
        done = megabatt(name, *arguments, cwd=folder, env=env)
        printed += done.stdout + done.stderr
    assert "[bold]x[/bold]:smile:" in printed and "Traceback" not in printed
    found = [part for part in STEERING if part in printed] if on_terminal else steering(printed)
    assert found == []
