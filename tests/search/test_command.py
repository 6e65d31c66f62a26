"""`megabatt search` and `mb.search`: their files, output and refusals."""

from __future__ import annotations

import ast
import errno
import json
import os
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import megabatt as mb
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.garbage import no_collection
from megabatt.runtime.megabatch.locks import locked
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.search import written
from megabatt.runtime.search.found import Found
from megabatt.runtime.search.search import Event
from megabatt.runtime.search.written import code_of, solvers_source, verified
from megabatt.runtime.terminal import Terminal
from megabatt.searching import seeds_of
from megabatt.watching import InLines, InTerminal
from tests.megabatch.commands import command, megabatt, printed, write_task
from tests.megabatch.runs import summary_in
from tests.search.tasks import RULES, SEEDS, made_up, state_and_room

TASKS = made_up()
PROGRAMS = 1500
NAMES = ["seeds", "mutation", "pursuit"]
CHOSEN = [word for name in NAMES for word in ("--strategy", name)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tasks")
    for task in TASKS:
        pairs = [[(p.input, p.output) for p in task.pairs if p.is_test == k] for k in (False, True)]
        write_task(folder, task.name, *pairs)
    (folder / "seeds.py").write_text("\n\n".join(code_of(p, ["I"], p.name) for p in SEEDS))
    return folder


def run(folder, *options, status=0):
    """Search for programs of the tasks; return what was printed, stderr first."""
    words = ["search", "--data", folder, "--seeds", folder / "seeds.py", "--workers", 1, *CHOSEN]
    done = megabatt(*words, *options, cwd=folder, status=status)
    return done.stderr + done.stdout


@pytest.fixture(scope="module")
def out(folder):
    out = folder / "out"
    said = run(folder, "--programs", PROGRAMS, "--out", out)
    assert "tasks fitted" in said and "solved with 3 attempts" in said
    best = mb.read(out / "solvers.py")
    shown = [solver for solver in best if solver.source(["S", "I", "C"]) in said]
    assert len(shown) == min(len({solver.name.rpartition("_")[2] for solver in best}), 3)
    return out


def test_the_submission_has_two_attempts_for_every_test(out):
    submission = json.loads((out / "submission.json").read_text())
    assert set(submission) == {task.id for task in TASKS}
    for task in TASKS:
        attempts = [set(of_test) for of_test in submission[task.id]]
        assert attempts == [{"attempt_1", "attempt_2"}] * 2
    best = mb.read(out / "solvers.py")[0]
    task = next(task for task in TASKS if best.name == f"solve_{task.name}")
    output = mb.evaluate([best], task, outputs="all").output(0, 3)
    assert submission[task.id][0]["attempt_1"] == [list(row) for row in output]


def test_the_set_of_programs_has_the_public_schema(out):
    rows = pq.read_table(out / "programs.parquet").to_pylist()
    names = ["task_id", "code", "correct_train_input", "predicted_train_output",
             "correct_test_input", "predicted_test_output", "model"]  # fmt: skip
    assert rows and list(rows[0]) == names
    for row in rows:
        task = next(task for task in TASKS if task.id == row["task_id"])
        tests = [pair.output for pair in task.pairs if pair.is_test]
        predicted = [tuple(map(tuple, grid)) for grid in row["predicted_test_output"]]
        assert row["correct_test_input"] == [a == b for a, b in zip(predicted, tests, strict=True)]
        assert row["correct_train_input"] == [True] * 3 and row["code"].startswith("def ")


def test_every_find_is_a_line_of_the_log(out):
    events = [json.loads(line) for line in (out / "search.log").read_text().splitlines()]
    summary = summary_in(out)
    assert len({event["task"] for event in events}) == summary["fitted"]
    assert {event["event"] for event in events} <= {"found", "improved"}
    assert [event["tried"] for event in events] == sorted(event["tried"] for event in events)
    assert summary["programs"] <= PROGRAMS


def test_a_search_is_resumed_or_refused(folder, out):
    before = summary_in(out)
    assert "--resume" in run(folder, "--programs", PROGRAMS, "--out", out, status=2)
    run(folder, "--programs", PROGRAMS + 300, "--out", out, "--resume")
    after = summary_in(out)
    assert before["programs"] < after["programs"] <= PROGRAMS + 300
    again = ["--programs", 10, "--out", out, "--resume"]
    assert "with other --seed: " in run(folder, *again, "--seed", 5, status=2)
    assert "programs were tried before: " in run(folder, *again)


def test_two_searches_never_write_to_one_folder_at_once(folder, tmp_path):
    with locked(Store.at(tmp_path), ".search.lock", "held"):
        for again in ([], ["--resume"]):
            refused = run(folder, "--programs", 9, "--out", tmp_path, *again, status=2)
            assert "is in use by another search (process " in refused
    assert not list(tmp_path.iterdir())
    (tmp_path / ".search.lock").touch()  # of a process that was killed
    run(folder, "--programs", 9, "--out", tmp_path)
    assert not (tmp_path / ".search.lock").exists()


def test_missing_options_are_asked_for_and_files_of_others_are_left_alone(folder, out, tmp_path):
    assert "--seconds or --programs" in run(folder, status=2)
    assert f"no search in {tmp_path}" in run(folder, "--resume", "--out", tmp_path, status=2)
    assert "No such option" in run(folder, "--own", status=2)
    for of_run in ("report", "submit"):
        assert "has a search, no run" in megabatt(of_run, out, status=2).stderr
    (tmp_path / "solvers.py").write_text("mine")
    for again in ([], ["--resume"]):
        refused = run(folder, "--programs", 10, "--out", tmp_path, *again, status=2)
        assert "not of a search" in refused and "begins" not in refused
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


def test_every_strategy_goes_on_without_seeds(caplog):
    own = [mb.program("mirror", RULES["mirror"])]
    found = mb.search(TASKS[:1], seeds=own, programs=1000)
    assert found.state.seeds == [] and found.ranked("mirror") and found.state.tried >= 1000
    assert "given up" not in caplog.text


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (["--seconds", "inf"], "seconds=inf is too large"),
        (["--seconds", "nan"], "seconds=nan is not above 0"),
        (["--per-task", "inf", "--programs", 9], "seconds=inf is too large"),
        (["--seconds", 5, "--vocabulary", "none"], "no vocabulary 'none': there is arc-dsl"),
        (["--programs", 9], "no such device"),
    ],
)
def test_a_search_that_is_refused_leaves_nothing(folder, tmp_path, monkeypatch, wrong, why):
    def refuse(*args, **options):
        raise ValueError("no such device")

    monkeypatch.setattr("megabatt.command_line.search.search_from", refuse)
    assert why in run(folder, *wrong, "--out", tmp_path / "out", status=2)
    assert not list(tmp_path.iterdir())


def test_without_out_each_search_has_a_folder_and_the_last_is_resumed_as_it_began(folder):
    done = [run(folder, "--programs", 400) for _ in range(2)]
    resumed = printed("search", "--resume", "--programs=800", cwd=folder)
    for number, said in enumerate([*done, resumed]):
        name = "found-2" if number else "found"
        assert f"; see {name}/solvers.py" in said.splitlines()[-1]
    assert resumed.startswith("resuming the search in found-2")
    assert summary_in(folder / "found-2")["programs"] > 400
    assert not (folder / "found-3").exists()


def test_a_resumed_search_takes_another_seed_than_one_below_0(folder, tmp_path):
    (tmp_path / "arguments").write_text(json.dumps([str(folder), "--seed", "-1", "--tasks", "no"]))
    for again in ([], ["--seed", 3], ["--seed", -3]):
        words = ["--resume", "--out", tmp_path, "--programs", 9, *again]
        assert "no such task" in run(folder, *words, status=2)
    run(folder, "--resume", "--out", tmp_path / "none", "-h")


@pytest.mark.parametrize("damaged", ["", "[1", "[1]", "{}", "[]", "null", "[" * 9999, None])
def test_damaged_options_of_a_search_are_named(damaged, folder, tmp_path):
    path = tmp_path / "arguments"
    os.mkfifo(path) if damaged is None else path.write_text(damaged)
    said = run(folder, "--resume", "--out", tmp_path, "--programs", 9, status=2)
    assert f"{path}: not the options of a search (" in said and "Traceback" not in said
    assert path.exists() and len(list(tmp_path.iterdir())) == 1


def test_without_its_options_a_resumed_search_says_so_and_its_state_is_a_file(folder, tmp_path):
    os.mkfifo(tmp_path / "state")
    said = run(folder, "--resume", "--out", tmp_path, "--programs", 9, status=2)
    assert "arguments is missing: options that are not given have their defaults" in said
    assert f"{tmp_path}/state: not a regular file" in said


def test_resuming_without_a_search_begins_one(folder, tmp_path):
    begun, resumed = tmp_path / "begun", tmp_path / "resumed"
    run(folder, "--programs", 600, "--out", begun)
    resumed.mkdir()
    (resumed / "search.log").write_text("of one that was killed before it had a state")
    said = [run(folder, "--programs", k, "--resume", "--out", resumed) for k in (300, 600)]
    assert f"the search in {resumed} has no state to go on from" in said[0]
    assert "resuming" in said[1]
    first, again = (json.loads((of / "submission.json").read_text()) for of in (begun, resumed))
    for task, tests in first.items():
        for test, same in zip(tests, again[task], strict=True):
            # a guess at the end of the first 300 programs may be another second attempt
            assert test["attempt_1"] == same["attempt_1"]
    for line in (resumed / "search.log").read_text().splitlines():
        assert json.loads(line)["event"] in ("found", "improved")


IDS = ["a-b", "a_b", "a b", "x", "2_x", "2_2_x", "3_x", "x_vectorized", "class", "", "_", "None",
       "é", "e\u0301", "\ufb01", "fi", "#\n", '"""', "\\", "\u2028", "\ud800",
       "x" * 3000]  # fmt: skip


@given(st.dictionaries(
    st.sampled_from(IDS) | st.text(st.characters(exclude_categories=[]), max_size=12),
    st.integers(1, 4),
    min_size=1,
))  # fmt: skip
@example(dict.fromkeys(IDS, 4))
@example({"x_vectorized": 1, "x": 1})
def test_written_solvers_compile_for_any_names_of_tasks(tmp_path_factory, counts):
    folder = tmp_path_factory.mktemp("written")
    program = mb.program("any", [["O", "vmirror", "I"]])
    found = {
        task: [Found(task, program, 1.0, (), f"mutation of {task}")] * count
        for task, count in counts.items()
    }
    written.write_whole(folder / "solvers.py", solvers_source(found, ["I"], WORKLOAD))
    names = [solver.name for solver in mb.read(folder / "solvers.py")]
    assert len(names) == len(set(names)) == sum(min(count, 3) for count in counts.values())
    plain = [id for id in counts if written.name_of(id) == id and "_vectorized" not in id]
    assert {f"solve_{task}" for task in plain} <= set(names)
    source = (folder / "solvers.py").read_text(encoding="utf-8")
    shown = [ast.literal_eval(line) for line in re.findall("(?m)^# task (.*): 1.0 bits", source)]
    assert Counter(shown) == {task: min(count, 3) for task, count in counts.items()}
    megabatt("compile", folder / "solvers.py", "--out", folder / "batt", status=0)


@pytest.mark.parametrize("task", ["67a3c6ac", "a-b", "2_x", "of/a b"])
def test_a_written_solver_is_no_seed_for_its_own_task(task, caplog):
    names = written.solver_names({task: 2}).values()
    other = [mb.program("other", [["O", "hmirror", "I"]])]
    for seed in [mb.program(name, [["O", "vmirror", "I"]]) for name in names]:
        caplog.clear()
        assert seeds_of([seed, *other], [task, "68b16354"]) == other
        (line,) = [record.getMessage() for record in caplog.records]
        assert seed.name in line and "--allow-own" in line
        caplog.clear()
        assert seeds_of([seed, seed], [task]) == []
        assert caplog.text.endswith("no seed is left: the search begins without known programs\n")
        for seeds in ([seed], [seed, *other]):
            assert seeds_of(seeds, [task], allow_own=True) == seeds
        assert seeds_of([seed], ["b-a", "68b16354"]) == [seed]


def test_the_command_and_python_find_and_write_the_same_and_python_s_callback_is_told(
    folder, tmp_path
):
    run(folder, "--programs", 1200, "--out", tmp_path)
    summary = summary_in(tmp_path)
    events, tasks = [], sorted(TASKS, key=lambda task: task.name)
    result = mb.search(tasks, seeds=SEEDS, programs=1200, callback=events.append, strategies=NAMES)
    for figure in ("programs", "distinct", "fitted", "solved_with_1", "solved_with_3"):
        assert summary[figure] == result.figures[figure]
    result.write(tmp_path / "found.py")
    of_command, of_python = (
        {program.name: program[1:] for program in mb.read(tmp_path / file)}
        for file in ("solvers.py", "found.py")
    )
    assert of_command and of_command.items() <= of_python.items()
    for task, programs in result.found.items():
        assert of_python[f"solve_{task}"] == programs[0].program[1:]
    with pytest.raises(KeyError, match="the search had no task 'nothing'"):
        result.ranked("nothing")
    found = {event.found.task for event in events if event.found is not None}
    assert found == set(result.found)
    assert set(result.solved(1)) <= set(result.solved(3)) <= found
    assert {"doubled", "recolored", "outer"} <= set(result.solved(3))
    assert re.search(r"^\d of \d tasks fitted", repr(result))
    rows = result.to_arrow().to_pylist()
    assert not mb.parse("\n".join(row["program"] for row in rows)).errors
    assert {row["task"] for row in rows if not row["guess"]} == found
    assert {row["task"] for row in rows if row["attempt"] == 1 and row["solved"]} == set(
        result.solved(1)
    )
    assert {program.name for program in result.programs} == found
    page = result._repr_html_()
    assert all(f"<h2>{task}: " in page for task in found)
    first, *_ = result.found  # a program that is not kept does not count
    none, one = (replace(result, checked=kept) for kept in ({}, {first: result.ranked(first)}))
    assert none.figures["fitted"] == none.figures["solved_with_3"] == len(none.programs) == 0
    assert one.figures["fitted"] == len(one.programs) == 1 and list(one.answered) == [first]
    one = mb.search(TASKS, seeds=SEEDS[:1], programs=1, strategies=["seeds"])
    assert re.search(r"; 1 program in \d+ s$", repr(one))


def test_a_callback_may_stop_the_search():
    def stop(event):
        if event.found is not None:
            raise KeyboardInterrupt

    result = mb.search(TASKS, seeds=SEEDS, seconds=600, callback=stop, strategies=NAMES)
    assert result.stopped and len(result.found) >= 1


def test_programs_that_do_not_fit_are_not_written():
    state, room = state_and_room(TASKS)
    wrong = Found("mirror", mb.program("w", [["O", "rot180", "I"]]), 1.0, (((1,),), ((1,),)), "")
    right = room.found_on(room.problems["mirror"], [mb.program("m", [["O", "vmirror", "I"]])], [""])
    found = {"mirror": [wrong, *right]}
    checked = verified(room.workload, state.problems, found)
    assert checked == verified(room.workload, state.problems, found, processes=2)
    assert checked.by_task == {"mirror": right}
    assert len(checked.problems) == 1 and "mirror" in checked.problems[0]


def test_a_found_program_whose_scalar_form_takes_too_long_is_kept_with_a_line():
    state, room = state_and_room(TASKS)
    many = [["a", "interval", 0, 300, 1], ["b", "product", "a", "a"], ["O", "vmirror", "I"]]
    slow = Found("mirror", mb.program("s", many), 1.0, (((1,),), ((1,),)), "")
    samples = []
    with no_collection():  # an error in a callback of the garbage collector is lost
        checked = verified(
            room.workload, state.problems, {"mirror": [slow]}, samples.append, seconds=0.001
        )
    assert checked.by_task == {"mirror": [slow]}
    slow = "task mirror: 1 program: the scalar form takes longer than 0.001 s"
    assert (checked.problems, checked.not_compared) == ([], [slow])
    assert samples == [len(room.problems["mirror"].samples)]


@pytest.mark.parametrize("moment", ["command_line.search.verified", "runtime.search.search.rank"])
def test_ctrl_c_before_the_finds_are_written_leaves_the_files(moment, folder, out, monkeypatch):
    def press(*args, **options):
        raise KeyboardInterrupt

    before = {path.name: path.read_bytes() for path in out.iterdir()}
    resume = ["--resume", "--programs", 1, "--out", out]
    with monkeypatch.context() as patched:
        patched.setattr(f"megabatt.{moment}", press)
        assert "before the finds were written" in run(folder, *resume, status=130)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    run(folder, *resume)
    assert (out / "solvers.py").read_bytes() == before["solvers.py"]


def test_a_search_on_a_full_disk_ends_in_a_line(folder, tmp_path, monkeypatch):
    write = Path.write_text

    def full(self, content, encoding=None):
        if ".arguments" not in self.name:  # the disk is full once the search has begun
            raise OSError(errno.ENOSPC, "No space left on device")
        write(self, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    monkeypatch.setattr(Path, "write_text", full)
    said = run(folder, "--programs", 300, "--out", tmp_path / "out", status=1)
    assert f"{tmp_path}/out: No space left on device: " in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_a_log_that_cannot_be_written_ends_a_search_in_a_line(folder, tmp_path):
    (tmp_path / "search.log").symlink_to("/dev/full")
    said = run(folder, "--programs", 300, "--out", tmp_path, status=1)
    assert f"{tmp_path}: No space left on device: " in said
    assert (tmp_path / "solvers.py").exists()


def test_seeds_that_are_no_programs_are_left_out(caplog):
    wrong = mb.program("wrong", [["O", "vmirorr", "I"]])
    found = mb.search(TASKS[:1], seeds=[wrong, SEEDS[0]], programs=20, strategies=["seeds"])
    assert found.state.seeds == [SEEDS[0]]
    assert "wrong: unknown primitive 'vmirorr'; did you mean 'vmirror'?" in caplog.text
    assert found.stopped == "the strategies have nothing left to try"
    with pytest.raises(ValueError, match="no seed is left"):
        mb.search(TASKS[:1], seeds=[wrong], programs=20)


def test_primitives_of_ones_own_are_searched_with(folder, tmp_path):
    (tmp_path / "flips.py").write_text(
        "from megabatt.arc import Grid, charges, primitive\n"
        "@primitive(charge=charges.area)\n"
        "def flip_over(grid: Grid) -> Grid:\n    return grid[::-1]\n"
    )
    (tmp_path / "seeds.py").write_text("def flip(I):\n    return flip_over(I)\n")
    words = ["--seeds", "seeds.py", "--primitives", "flips", "--workers", 2, "--programs", 9]
    chosen = ["--data", folder, "--strategy", "seeds", "--out", "out"]
    done = command("-m", "megabatt", "search", *words, *chosen, cwd=tmp_path)
    assert done.returncode == 0 and "cannot be run" not in done.stderr, done.stderr
    (tmp_path / "script.py").write_text(
        "import sys, flips, megabatt as mb\n"
        "from megabatt.arc import Grid, charges, primitive\n"
        "options = dict(seeds='seeds.py', programs=9, strategies=['seeds'], workers=2)\n"
        "tasks = mb.tasks(sys.argv[1])\n"
        "mb.search(tasks, **options)\n"
        "@primitive(charge=charges.area)\n"
        "def same(grid: Grid) -> Grid:\n    return grid\n"
        "mb.search(tasks, **options)\n"
    )
    *warnings, last = command("script.py", folder, cwd=tmp_path).stderr.splitlines()
    assert "same is a primitive of the script itself" in last
    assert not any("cannot be run" in line for line in warnings)


def test_tasks_without_a_name_are_called_by_their_place(tmp_path):
    tasks = [{"train": [{"input": [[n, 1]], "output": [[1, n]]}], "test": []} for n in (2, 3)]
    found = mb.search(tasks, seeds=SEEDS, programs=20, strategies=["seeds"])
    assert [problem.name for problem in found.state.problems] == ["task_0", "task_1"]


# What a user sees while a search runs


def finds(room, state):
    """Find two programs with the same outputs for the first task."""
    name = state.problems[0].name
    programs = [mb.program("a", RULES[name]), mb.program("b", [*RULES[name], ["P", "rot90", "O"],
                ["Q", "rot270", "P"]])]  # fmt: skip
    return room.found_on(state.problems[0], programs, ["made up"] * 2)


@pytest.mark.parametrize("kind", [InTerminal, InLines])
def test_the_first_program_of_a_task_is_shown_with_its_size(capsys, kind):
    state, room = state_and_room(made_up())
    console = Terminal(force_terminal=kind is InTerminal, width=100)
    with kind(room.workload, state, "1:00", console) as watch:
        for one in finds(room, state):
            watch.told(Event("found", state, one))
        watch.told(Event("progress", state))
    shown = capsys.readouterr().out
    assert shown.count("mirror: 1 operation, made up") == 1
    assert ("vmirror(I)" in shown) == (kind is InTerminal)
