"""Tasks are read from where the user says; what is no grid is reported, and the rest goes on."""

from __future__ import annotations

import pytest

from runtime.megabatch.data import DataError, load, why_no_grid
from runtime.megabatch.samples import samples_of, spread_evenly
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


def test_bad_pairs_and_files_are_named_and_left_out(tmp_path):
    mirror_task(tmp_path)
    write_task(tmp_path, "ragged", [([[1, 2], [3]], [[1]]), ([[1]], [[1]])], [([[2]], None)])
    (tmp_path / "broken.json").write_text('{"train": [')
    (tmp_path / "list.json").write_text("[]")
    data = load(str(tmp_path))
    assert {task.id for task in data.tasks} == {"mirror", "ragged", "list"}
    assert len(samples_of(data.tasks)) == 3 + 2
    text = "\n".join(data.problems)
    assert "broken.json:1:" in text
    assert "task ragged, sample 0: input is no grid: row 1 has 1 cells" in text
    assert "task list: no list of train pairs" in text


def test_a_samples_demonstrations_are_the_tasks_valid_training_pairs(tmp_path):
    mirror_task(tmp_path)
    samples = samples_of(load(str(tmp_path)).tasks)
    assert [sample.is_test for sample in samples] == [False, False, True]
    assert all(sample.S == samples[0].S and len(sample.S) == 2 for sample in samples)


def test_subfolders_are_splits(tmp_path):
    mirror_task(tmp_path / "training", "a")
    mirror_task(tmp_path / "evaluation", "b")
    assert [task.id for task in load(str(tmp_path), "evaluation").tasks] == ["b"]


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
