"""`megabatt run`, `verify` and `bench` as a user types them."""

import errno
import json
import re
import shlex
import sys
from contextlib import nullcontext
from unittest import mock

import pyarrow as pa
import pytest

import megabatt as mb
from megabatt.command_line.completion import completion
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.megabatch.programs import merged_program
from megabatt.runtime.megabatch.run import report
from tests.engine.forms import form_of
from tests.megabatch.commands import compiled, megabatt, mirror_task, rows_in, solvers, write_task
from tests.megabatch.runs import files_in, rows_by_key, summary_in


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Give a folder with a compiled program (batt) that solves one of two tasks (tasks)."""
    folder = tmp_path_factory.mktemp("commands")
    compiled(folder)
    mirror_task(folder / "tasks")
    write_task(folder / "tasks", "unsolved", [([[1, 0]], [[5]])], [([[0, 1]], [[5]])])
    return folder


def done(folder, name, *options, data=None, status=0):
    """Do a command with the folder's program, on its tasks or on other data."""
    chosen = ["--batt", folder / "batt", "--data", data or folder / "tasks"]
    return megabatt(name, *chosen, *options, status=status)


def printed(folder, name, *options, data=None):
    return done(folder, name, *options, data=data).stdout


def test_run_prints_a_table_and_writes_a_parquet_file_a_batch_and_a_summary(folder, tmp_path):
    shown = printed(folder, "run", "--batch-size", 2, "--workers", 2, "--out", tmp_path)
    assert "test outputs right" in shown
    assert shown.splitlines()[-2:] == ["solved: mirror", "solved 1 of 2 tasks"]
    names = ["batch-00000.parquet", "batch-00001.parquet", "manifest.json", "summary.json"]
    assert files_in(tmp_path) == names
    summary = summary_in(tmp_path)
    assert summary["solved"] == 1 and summary["solved_by"] == {"mirror": ["solve_mirror"]}
    rows = rows_by_key(tmp_path)
    assert len(rows) == 5 * 2
    row = rows["mirror", 1, "solve_mirror"]
    assert row["matches"] and row["output"] == [[7, 0]] and row["failed_operations"] == []
    assert [key[1] for key, row in rows.items() if row["is_test"] and key[0] == "mirror"] == [2, 2]


@pytest.mark.skipif(sys.platform == "darwin", reason="names of files are Unicode")
def test_names_of_folders_may_be_no_utf_8(folder, tmp_path):
    programs, results = tmp_path / "programs\udcff", tmp_path / "results\udcff"
    tmp_path.joinpath("\udcff.py").write_text(solvers(mirror="vmirror(I)"))
    megabatt("compile", tmp_path, "--out", programs, status=0)
    run = ["run", "--batt", programs, "--data", folder / "tasks", "--out", results]
    megabatt(*run, status=0)
    (results / "batch-00000.parquet").unlink()
    megabatt(*run, "--resume", status=0)
    megabatt("report", results, status=0)
    megabatt("submit", results, "--out", results / "submission.json", status=0)
    assert len(mb.ResidentDataset(results)) == 5


def test_solvers_without_operations_have_rows_too(tmp_path):
    mirror_task(tmp_path / "data")
    for results in ({"input": "I"}, {"input": "I", "five": "5", "none": "None", "expected": "C"}):
        compiled(tmp_path, solvers(**results))
        out = tmp_path / f"out{len(results)}"
        done(tmp_path, "run", "--out", out, data=tmp_path / "data")
        rows = rows_in(out)
        assert len(rows) == 3 * len(results)
        assert {(*row["failed_operations"], row["first_failed"]) for row in rows} == {(None,)}


GRID, MIRRORED, OTHER, RAGGED = [[1, 2]], [[2, 1]], [[5]], [[1, 2], [3]]
RIGHT, WRONG, HIDDEN, UNREADABLE = (GRID, MIRRORED), (GRID, OTHER), (GRID, None), (RAGGED, GRID)


@pytest.mark.parametrize(
    ("train", "test", "outcome"),
    [
        ([RIGHT], [RIGHT], "solved 1 of 1 task"),
        ([RIGHT], [RIGHT, UNREADABLE], "solved 0 of 1 task, 1 unknown"),
        ([RIGHT], [RIGHT, HIDDEN], "solved 0 of 1 task, 1 unknown"),
        ([RIGHT], [WRONG, HIDDEN, UNREADABLE], "solved 0 of 1 task"),
        ([RIGHT], [], "solved 0 of 1 task, 1 unknown"),
        ([RIGHT, UNREADABLE], [RIGHT], "solved 0 of 1 task, 1 unknown"),
        ([RIGHT, HIDDEN], [RIGHT], "solved 0 of 1 task, 1 unknown"),
        ([WRONG, UNREADABLE], [RIGHT], "solved 0 of 1 task"),
        ([], [RIGHT], "solved 0 of 1 task"),
    ],
)
def test_a_task_is_solved_or_not_or_it_is_unknown(folder, tmp_path, train, test, outcome):
    write_task(tmp_path, "mirror", train, test)
    out = printed(folder, "run", "--workers", 1, data=tmp_path)
    assert out.splitlines()[-1] == outcome


def test_unknown_results_are_unknown_in_the_table_in_parquet_and_in_the_summary(folder, tmp_path):
    data, out = tmp_path / "data", tmp_path / "out"
    write_task(data, "hidden", [RIGHT], [RIGHT, HIDDEN, UNREADABLE])
    write_task(data, "vague", [UNREADABLE], [RIGHT])
    write_task(data, "lost", [UNREADABLE], [UNREADABLE])
    shown = printed(folder, "run", "--out", out, data=data)
    table = shown.replace(" ", "")
    assert "demonstrationpairs│1,2unknown" in table
    assert re.search("testoutputsright,by[a-z]*│1of5,4unknown", table)
    assert "unknown: hidden, lost, vague" in shown.splitlines()
    summary = summary_in(out)
    assert (summary["tasks"], summary["solved"], summary["unknown"]) == (3, 0, 3)
    assert summary["unknown_tasks"] == ["hidden", "lost", "vague"]
    assert (summary["tasks_fitted_unknown"], summary["test_outputs_unknown"]) == (2, 4)
    found = {
        (r["task"], r["sample"]): r["matches"] for r in rows_in(out) if "mirror" in r["solver"]
    }
    assert found == {("hidden", 0): True, ("hidden", 1): True, ("hidden", 2): None,
                     ("vague", 1): True}  # fmt: skip


def test_tasks_of_one_id_stay_two(folder, tmp_path):
    data, out = tmp_path / "data", tmp_path / "out"
    for at in ("training", "evaluation", "evaluation/more"):
        mirror_task(data / at)
    write_task(data / "other", "mirror", [WRONG], [WRONG])
    write_task(data, "single", [WRONG], [WRONG])
    names = ["evaluation/mirror", "evaluation/more/mirror", "other/mirror", "training/mirror"]
    for own, tasks in ((["--own"], names), ([], [*names, "single"])):
        shown = printed(folder, "run", "--out", out, "--overwrite", *own, data=data)
        assert shown.splitlines()[-1] == f"solved 3 of {len(tasks)} tasks"
        assert ("run, one for each task that a name ends in" in shown) == bool(own)
        assert {row["task"] for row in rows_in(out)} == set(tasks)
    two = ["other/mirror", "training/mirror"]
    for ids, last in (["mirror"], "3 of 4"), (two, "1 of 2"), ([",".join(two)], "1 of 2"):
        shown = printed(folder, "run", "--tasks", *ids, data=data)
        assert shown.splitlines()[-1] == f"solved {last} tasks"


@pytest.mark.parametrize("name", ["run", "verify", "bench", "sweep"])
def test_data_without_a_pair_is_refused_with_the_reason(folder, tmp_path, name):
    write_task(tmp_path, "x", [UNREADABLE] * 30, [])
    refused = done(folder, name, data=tmp_path, status=2)
    assert "no pairs in the tasks of" in refused.stderr
    assert "left out: task x, sample 19: input is no grid" in refused.stdout
    assert refused.stdout.splitlines()[-1] == "left out: 10 more"


@pytest.mark.parametrize(("name", "option"), [("run", "--quiet"), ("verify", "--workers=1")])
def test_a_command_says_what_it_left_out_and_goes_on(folder, tmp_path, name, option):
    mirror_task(tmp_path)
    write_task(tmp_path, "x", [([["[/red] :smile:"]], GRID)], [RIGHT])
    (tmp_path / "broken.json").write_text("{")
    lines = printed(folder, name, option, data=tmp_path).splitlines()
    broken = f"left out: {tmp_path}/broken.json:1:2: not JSON: "
    assert any(line.startswith(broken) for line in lines)
    assert "left out: task x, sample 0: input is no grid: cell (0, 0) is '[/red] :smile:'" in lines
    assert name != "run" or lines[2:] == ["solved 1 of 2 tasks, 1 unknown"]


@pytest.mark.parametrize("name", ["verify", "bench", "run"])
def test_without_a_terminal_lines_report_progress(folder, monkeypatch, name):
    monkeypatch.setattr(report, "_SECONDS_BETWEEN_LINES", 0)
    monkeypatch.setattr(report, "_PATIENCE", 0)
    said = done(folder, name, "--workers", 1, "--batch-size", 5).stderr
    lines = re.findall(r"^\d+ s: ([a-z ]+), \d+ of \d+ samples$", said, re.MULTILINE)
    assert set(lines) == TOLD.get(name, set())


def test_a_wait_of_a_second_is_told(folder, monkeypatch, tmp_path, caplog):
    monkeypatch.setattr(report, "_PATIENCE", 0)
    monkeypatch.setattr(report, "_repeated", lambda tell: nullcontext(tell()))
    caplog.set_level("INFO")
    done(folder, "run", "--outputs", "all", "--out", tmp_path / "run")
    assert "running 5 samples, 1 batch" in caplog.messages
    for words, line in (
        (["report", tmp_path / "run"], "making the page, 0 of 1 page"),
        (["submit", tmp_path / "run", "--out", tmp_path / "s"], "reading the run, 0 of 1 run"),
        (["try", folder / "lists.py", "--data", folder / "tasks"], "trying, 0 of 2 programs"),
    ):
        assert f"0 s: {line}\n" in megabatt(*words, status=0).stderr


TOLD = {"verify": {"verifying"}, "bench": {"timing the vectorized form", "timing the scalar form"}}
"""The labels of progress lines, by command. `run` prints none: its log tells its progress."""


def test_verify_shows_where_the_forms_part(folder):
    with form_of("vmirror", LANGUAGE.primitives["hmirror"].compiled):
        shown = done(folder, "verify", "--workers", 1, status=1).stdout
    named = "2 cells differ: (0, 0) is 0, not 7; (0, 1) is 7, not 0"
    line = f"task mirror, sample 1, solve_mirror: vectorized is not scalar: {named}"
    drawn = shown[shown.index(line) :].splitlines()[2:4]
    assert [row.split() for row in drawn] == [["scalar", "vectorized"], ["7", "0", "0*7*"]]


@pytest.mark.parametrize(("lanes", "counts"), [("40,2 7", [2, 7, 40]), (None, [4, 5])])
def test_bench_prints_the_speedup_of_each_count_of_lanes_and_its_figures(folder, lanes, counts):
    asked = [] if lanes is None else ["--lanes", lanes]
    out = printed(folder, "bench", "--workers", 1, "--samples", 3, "--batch-size", 30, *asked)
    figures = json.loads(out.splitlines()[-1])
    most = counts[-1]
    assert (figures["samples"], figures["scalar_samples"]) == (most, min(most, 3))
    assert (figures["solvers"], figures["operations"], figures["host_share"]) == (2, 4, 0)
    found = figures["by_lanes"]
    assert [(at["lanes"], at["batch"]) for at in found] == [
        (count, 20 if count == 40 else count) for count in counts
    ]
    assert found[-1]["speedup"] == figures["speedup"]
    lines = [re.split(" *[┃│] *", line)[1:-1] for line in out.splitlines() if line[0] in "┃│"]
    rows = lines[lines.index(["lanes", "largest batch", "ms a lane", "speedup"]) + 1 :]
    assert [(int(row[0]), float(row[3])) for row in rows] == [
        (at["lanes"], at["speedup"]) for at in found
    ]
    for at in found:  # seconds are rounded to millionths, and may be few millionths
        scalar, vectorized = figures["scalar_s_per_sample"], at["vectorized_s_per_sample"]
        rounded = 1e-6 / scalar + 1e-6 / vectorized
        assert at["speedup"] == pytest.approx(scalar / vectorized, rel=rounded, abs=0.01)


HERE = "--batt batt --data tasks"
REFUSED = {
    "run --batt nowhere": "megabatt compile", "run mirror": "unexpected argument: mirror",
    "run mirror.py": "unexpected argument: mirror.py; `megabatt try mirror.py` tries its programs",
    "run --data nowhere": "neither a file or folder of tasks",
    "run --tasks 00000000": "no such task",
    "run batt": "argument: batt; --batt batt runs its programs",
    "run --batch-size 0": "Invalid value for '--batch-size'",
    "verify --own --tasks 007bbfb7,nonsense": "no such task",
    "sweep --batch-size 4": "No such option",
    "run --links 4": "No such option '--links': it is one of --workload signals.",
    "show 'transmitter 0' --data-seed 4":
        "No such option '--data-seed': it is one of --workload signals.",
    "run --workload signals --tasks x": "No such option '--tasks': it is one of --workload arc.",
    "verify --workload signals --own": "No such option '--own': it is one of --workload arc.",
    f"show nothing {HERE}": "no such task",
    f"show mirror --solver solve_ {HERE}": "no solver 'solve_'",
    f"show mirror --solver solve_mirorr {HERE}": "; did you mean solve_mirror?",
    f"show mirror --solver nope {HERE}": "no solver 'nope' in batt; known: solve_",
    f"show mirror --operation 99 {HERE}": "solve_mirror has",
    f"show mirror --sample 9 {HERE}": "mirror has samples 0 to 2",
    f"show unsolved --trace {HERE}": "no solver in batt is for unsolved: name one by --solver",
    f"show mirror --svg no/such/folder.svg {HERE}": "no/such/folder.svg: No such file",
    f"show mirror --svg x.png {HERE}": "--svg writes SVG: give x.svg",
    f"show mirror --html x.svg {HERE}": "--html writes HTML: give x.html",
    "show unsolved --data tasks --batt no": "no/solvers.py: not found",
    "try nothing.py": "nothing.py",
    "try lists.py --tasks none --data tasks": "no such task in tasks: none; known: ",
    "try lists.py mirror": "unexpected argument: mirror; a task is named as in --tasks mirror",
    **{f"{words} tasks/mirror.json": "programs are in .py, .jsonl and .md files"
       for words in ("try", "compile --out new", "search --seconds 1 --seeds")},
    "search --seconds x": "Invalid value for '--seconds': 'x' is not a valid float",
    "score no.json": "Invalid value for 'SUBMISSION.JSON': Path 'no.json' does not exist",
    "try lists.py --primitives own_nothing": "own_nothing",
    **{f"{words} s3://bucket/out": f"Invalid value for '{name}': s3://bucket/out is no path: name a"
       for words, name in (("report", "DIR"), ("submit", "DIR"), ("search --out", "--out"))},
    **{f"run --memory {size}": f"'{size}' is too little: give 500 MB or more"
       for size in ("1", "1kB", "499MB")},
    **{f"{name} --max-elements {1 << 63}": "Invalid value for '--max-elements'"
       for name in ("try lists.py", "show x", "run", "verify", "bench", "fuzz", "search")},
    **{f"{name}={numbers}": f"Invalid value for '{name[6:]}': not positive whole numbers"
       for name in ("bench --lanes", "sweep --sizes") for numbers in ("4,x", "4,0", "-2", ",")},
}  # fmt: skip


@pytest.mark.parametrize(("words", "message"), REFUSED.items())
def test_impossible_arguments_are_refused_in_a_line(folder, words, message):
    said = " ".join(megabatt(*shlex.split(words), cwd=folder, status=2).stderr.split())
    assert message in said
    of_words = re.search("^Invalid|^No such option|too little|^nothing", message)
    assert ("Usage" in said) == bool(of_words)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (MemoryError(), "memory ran out"),
        (pa.ArrowMemoryError("64 B"), "memory ran out: 64 B"),
        (OSError(errno.ENOSPC, "the disk is full"), "cannot write the output: the disk is full"),
    ],
)
def test_a_command_that_runs_out_of_memory_or_disk_ends_with_a_line(monkeypatch, error, line):
    monkeypatch.setattr(completion, "callback", mock.Mock(side_effect=error))
    assert megabatt("completion", "bash", status=1).stderr == f"Error: {line}\n"


def test_a_log_names_task_operation_and_error(folder, tmp_path):
    batt = merged_program(str(folder / "batt")).sequential
    batt("t", (), ((0, 0),), None, log_path=tmp_path / "log")
    lines = (tmp_path / "log").read_text().splitlines()
    assert lines and all(line.startswith("t\toperation ") for line in lines)
