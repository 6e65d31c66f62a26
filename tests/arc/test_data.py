"""Tasks are read from where the user says; what is no grid is reported, and the rest goes on."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.arc.workload import load, samples_of
from megabatt.runtime.arc.workload.data import why_no_grid
from megabatt.runtime.megabatch.samples import spread_evenly
from megabatt.runtime.megabatch.workload import DataError
from tests.megabatch.commands import mirror_task, write_task


def test_arc_agi_1_has_800_tasks_and_3500_samples_none_of_them_bad():
    data = load("arcagi")
    assert len(data.tasks) == 800
    assert len(samples_of(data.tasks)) == 3500
    assert data.problems == []


def test_a_grid_is_a_rectangle_of_integers():
    assert why_no_grid([[1, 2], [3, 4]]) == ""
    assert why_no_grid([]) == ""
    assert "row 1 has 1 cells, row 0 has 2" in why_no_grid([[1, 2], [3]])
    assert "cell (0, 1) is 'x'" in why_no_grid([[1, "x"]])
    assert "cell (0, 0) is True" in why_no_grid([[True]])
    assert "out of range" in why_no_grid([[2**31]])
    assert "row 0 is a int" in why_no_grid([1])
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
    assert "task ragged, sample 0: input is no grid: row 1 has 1 cells" in text
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
        ('{"train": [', ":1:12: Expecting value"),
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
        (".", "evaluation/training/a", "training"),
        (".", "training/evaluation/b/a", "evaluation"),
        ("evaluation/training", "a", "training"),
        ("evaluation", "a", "evaluation"),
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
    with pytest.raises(DataError, match="neither arcagi, arcagi2 nor a folder"):
        load(str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="no such task"):
        load("arcagi", "both", ("00000000",))
    with pytest.raises(DataError, match="no tasks"):
        load(str(tmp_path))


def test_a_draw_of_samples_depends_on_its_seed_alone_and_keeps_their_order():
    samples = samples_of(load("arcagi").tasks)
    drawn = spread_evenly(samples, 50, seed=3)
    assert drawn == spread_evenly(samples, 50, seed=3) != spread_evenly(samples, 50, seed=4)
    assert [samples.index(s) for s in drawn] == sorted(samples.index(s) for s in drawn)
