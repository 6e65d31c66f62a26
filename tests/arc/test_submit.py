"""From Kaggle's files to a submission that scores, by commands."""

import json

import pytest

from tests.megabatch.commands import compiled, megabatt, printed

MIRRORED = {"train": [{"input": [[1, 2]], "output": [[2, 1]]}], "test": [{"input": [[3, 4]]}] * 2}
ODD = {"train": [{"input": [[1, 2]], "output": [[5]]}], "test": [{"input": [[3, 4]]}]}
SOLVERS = """
def solve_long(I): return rot180(hmirror(I))
def solve_short(I): return vmirror(I)
def solve_other(I): return rot90(I)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kaggle")
    compiled(folder, SOLVERS)
    (folder / "arc_test_challenges.json").write_text(json.dumps({"aa": MIRRORED, "bb": ODD}))
    (folder / "answers.json").write_text(json.dumps({"aa": [[[4, 3]]] * 2, "bb": [[[5]]]}))
    options = ["--batt", "batt", "--data", "arc_test_challenges.json", "--out", "run"]
    done = printed("run", *options, "--workers", 1, cwd=folder)
    assert done.endswith("\nunknown: aa\nsolved 0 of 2 tasks, 1 unknown\n")
    return folder


def test_a_run_becomes_a_submission_and_that_scores(folder):
    assert printed("submit", "run", "--out", "submission.json", cwd=folder) == (
        "1 of 2 tasks fitted; attempts for 3 test inputs -> submission.json\n"
    )
    found = json.loads((folder / "submission.json").read_text())
    assert found["aa"] == [{"attempt_1": [[4, 3]], "attempt_2": [[3, 4]]}] * 2
    assert found["bb"] == [{"attempt_1": [[3, 4]], "attempt_2": [[0]]}]
    scored = printed("score", "submission.json", "--solutions", "answers.json", cwd=folder)
    assert scored.endswith("2 of 3 test outputs right: score 0.6667; 1 of 2 tasks\n")
    assert "batt: no results" in megabatt("submit", "batt", cwd=folder, status=2).stderr


def test_a_run_that_kept_no_outputs_is_no_submission(folder):
    options = ["--batt", "batt", "--data", "arc_test_challenges.json", "--outputs", "none"]
    printed("run", *options, "--out", "bare", "--workers", 1, cwd=folder)
    refused = megabatt("submit", "bare", "--out", "bare.json", cwd=folder, status=2)
    assert "bare: the run kept no outputs; run with --outputs fits" in refused.stderr
    assert not (folder / "bare.json").exists()


def test_outputs_are_for_the_inputs_that_they_were_made_from(folder):
    inputs = [[[1, 2]], [[3, 4]], [[5, 6]]]
    demonstrations = [{"input": grid, "output": [grid[0][::-1]]} for grid in inputs]
    first = {"train": demonstrations, "test": [{"input": grid} for grid in inputs]}
    second = {"train": demonstrations[::-1], "test": first["test"][1:][::-1]}
    cut = {"train": demonstrations[1:], "test": first["test"]}
    (folder / "first.json").write_text(json.dumps({"aa": first, "bb": ODD}))
    (folder / "second").mkdir()
    (folder / "second/test_challenges.json").write_text(json.dumps({"aa": second, "cc": cut}))
    (folder / "second/training_challenges.json").write_text(json.dumps({"aa": cut, "cc": cut}))
    options = ["--batt", "batt", "--data", "first.json", "--out", "inputs", "--workers", 1]
    printed("run", *options, cwd=folder)

    def submitted(split):
        of = ["--data", "second", "--split", split, "--out", "second.json"]
        return megabatt("submit", "inputs", *of, cwd=folder, status=2 * (split == "training"))

    assert submitted("test").stdout == (
        "not in the run: test_challenges/cc\n"
        "1 of 2 tasks fitted; attempts for 5 test inputs -> second.json\n"
    )
    found = json.loads((folder / "second.json").read_text())
    assert [pair["attempt_1"] for pair in found["aa"]] == [[[6, 5]], [[4, 3]]]
    assert [pair["attempt_1"] for pair in found["cc"]] == inputs
    assert "the run was of none of these tasks" in submitted("training").stderr


def test_data_that_were_changed_after_a_run_are_refused_unless_the_run_had_those_named(folder):
    old, new = folder / "old.json", folder / "new.json"
    old.write_text(json.dumps({"aa": MIRRORED}))
    printed("run", "--batt", "batt", "--data", old, "--out", "old", "--workers", 1, cwd=folder)
    old.rename(new)
    named = ["old", "--data", new, "--out", "new_submission.json"]
    line = "1 of 1 task fitted; attempts for 2 test inputs -> new_submission.json\n"
    assert printed("submit", *named, cwd=folder) == line
    old.write_text(json.dumps({"aa": ODD}))
    assert printed("submit", *named, cwd=folder) == line
    for command in ("submit", "report"):
        said = megabatt(command, "old", cwd=folder, status=2).stderr
        assert said.endswith("old: the data of the run have changed since\n")


def test_a_budget_of_seconds_ends_a_run_in_order(folder):
    options = ["--batt", "batt", "--data", "arc_test_challenges.json", "--out", "short"]
    out = printed("run", *options, "--seconds", 0.000001, "--workers", 1, cwd=folder)
    assert "stopped after 1e-06 seconds: kept 0 of 1 batch in " in out
    for command in ("submit", "report"):
        said = megabatt(command, "short", cwd=folder, status=2).stderr
        assert "short: the run is not complete (0 of 1 batch)" in said
    again = printed("run", *options, "--resume", "--workers", 1, cwd=folder)
    assert again.endswith("\nsolved 0 of 2 tasks, 1 unknown\n")


def test_a_submission_or_report_of_an_unfinished_run_says_so(folder):
    options = ["--batt", "batt", "--data", "arc_test_challenges.json", "--batch-size", 1]
    printed("run", *options, "--out", "part", "--shard", "1/2", "--workers", 1, cwd=folder)
    for command in ("submit", "report"):
        assert printed(command, "part", cwd=folder).splitlines()[0] == (
            "the run is not complete (1 of 2 batches): 2 samples have no outputs; "
            "go on with --resume of the run"
        )
    printed("run", *options, "--out", "part", "--shard", "2/2", "--workers", 1, cwd=folder)
    for command in ("submit", "report"):
        assert "not complete" not in printed(command, "part", cwd=folder)
