"""Submissions: the choice of attempts, the form that Kaggle takes, scores, commands."""

import json
from functools import partial

import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from megabatt.runtime.arc.workload.data import Pair, Task, load
from megabatt.runtime.arc.workload.submission import (
    Candidate,
    beyond_colors,
    read_submission,
    score,
    submission_of,
    write_found,
    write_submission,
)
from megabatt.runtime.arc.workload.submission import (
    tests_of as pairs_to_answer,
)
from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.megabatch.workload import Solution
from tests.megabatch.commands import compiled, megabatt, printed

INPUT = ((1, 2), (3, 4))


def task(name="aa", tests=1):
    shown = Pair(0, INPUT, INPUT, False)
    hidden = [Pair(1 + k, INPUT, None, True) for k in range(tests)]
    return Task(name.rpartition("/")[2], "test", (shown, *hidden), name)


def attempts(*candidates):
    ((found,),) = submission_of([task()], {"aa": candidates}).values()
    return [found["attempt_1"], found["attempt_2"]]


def candidate(output, solver="s", fits=True, right=1, size=1):
    return Candidate(solver, fits, right, size, {0: output})


A, B, C, D = (((k,),) for k in (1, 2, 3, 4))
RANKED = [
    candidate(D, "d", fits=False, right=2), candidate(C, "c", fits=False, right=3, size=9),
    candidate(B, "b", size=5), candidate(A, "a", size=4),
]


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        (RANKED, [A, B]), (RANKED[:3], [B, C]), (RANKED[:2], [C, D]),
        ([candidate(A), candidate(A, size=2), candidate(B, size=3)], [A, B]),
        # where nothing fits, the input is the first attempt
        ([], [INPUT, ((0,),)]), ([candidate(((7,),), fits=False, right=0)], [INPUT, ((0,),)]),
    ],
)
def test_two_different_attempts_are_ranked_by_fits_then_by_right_then_by_size(candidates, expected):
    assert [tuple(map(tuple, grid)) for grid in attempts(*candidates)] == expected


VALUES = st.recursive(
    st.integers(-2, 40) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=2),
)


@given(st.lists(VALUES, max_size=4))
@example([((),), ((10,),), ((True,),), ((1,),) * 31])
def test_whatever_solvers_give_the_attempts_are_two_different_grids(values):
    found = attempts(*(candidate(value, str(k)) for k, value in enumerate(values)))
    grids = [tuple(map(tuple, grid)) for grid in found]
    assert grids[0] != grids[1]
    for grid in grids:
        assert 1 <= len(grid) <= 30 and len(set(map(len, grid))) == 1 <= len(grid[0]) <= 30
        assert {type(cell) for row in grid for cell in row} == {int}
        assert all(0 <= cell <= 9 for row in grid for cell in row)


def test_every_test_has_attempts_also_one_whose_input_could_not_be_read():
    fives = {"aa": [Candidate("s", True, 1, 1, {1: ((5,),)})]}
    tests = (Pair(2, INPUT, None, True),)
    unread = Task("aa", "test", (Pair(0, INPUT, INPUT, False), *tests), "aa", unread_tests=1)
    for some, firsts in [(task(tests=3), [INPUT, ((5,),), INPUT]), (unread, [((0,),), ((5,),)])]:
        found = submission_of([some], fives)["aa"]
        assert [tuple(map(tuple, pair["attempt_1"])) for pair in found] == firsts


def test_tests_of_a_task_without_demonstrations_keep_their_places(tmp_path):
    tests = [{"input": [[1]]}, {"input": [[2]]}]
    (tmp_path / "aa.json").write_text(json.dumps({"test": tests}))
    (read,) = load(str(tmp_path)).tasks
    assert [pair.input for pair in pairs_to_answer(read)] == [((1,),), ((2,),)]


def test_outputs_of_a_search_belong_to_the_tests_that_could_be_read(tmp_path):
    tests = (Pair(2, INPUT, ((5,),), True),)
    unread = Task("aa", "test", (Pair(0, INPUT, INPUT, False), *tests), "aa", unread_tests=1)
    write_found(tmp_path, [unread], {"aa": [Solution("code", "origin", (((5,),),), True)]})
    found = json.loads((tmp_path / "submission.json").read_text())["aa"]
    assert [pair["attempt_1"] for pair in found] == [[[0]], [[5]]]
    (row,) = pq.read_table(tmp_path / "programs.parquet").to_pylist()
    assert row["correct_test_input"] == [None, True]
    assert row["predicted_test_output"] == [[], [[5]]]


def test_a_search_on_tasks_of_one_id_writes_its_programs(tmp_path):
    found = {"training/aa": [Solution("code", "origin", (INPUT,), True)]}
    with pytest.raises(DataError, match="two tasks are called aa"):
        write_found(tmp_path, [task("training/aa"), task("evaluation/aa")], found)
    assert pq.read_table(tmp_path / "programs.parquet").num_rows == 1


def test_a_task_with_other_numbers_than_the_colors_is_named():
    of = partial(Pair, 0, output=None, is_test=True)
    plain, odd = (Task("a", "", (of(input=((9, c),)),), "a") for c in (0, 12))
    assert not beyond_colors(plain)
    assert beyond_colors(odd) == "task a has the number 12: attempts have the colors 0 to 9 alone"


SOLUTIONS = {"aa": [[[1]], [[2]]], "bb": [[[3]]], "cc": [[[4]]]}


def submitted(**outputs):
    return {
        name: [{"attempt_1": [[9]], "attempt_2": grid} for grid in grids]
        for name, grids in outputs.items()
    }


def test_attempts_that_are_missing_or_no_grids_are_named_and_wrong():
    wrong = {"aa": [{"attempt_1": [[1], [1, 2]]}], **submitted(bb=[[["x"]]], dd=[[[1]]])}
    nulls = score({"bb": [None]}, {"bb": SOLUTIONS["bb"]})
    assert nulls.problems == [f"task bb, test 0, attempt_{k}: missing" for k in (1, 2)]
    found = score(wrong, SOLUTIONS)
    assert found.outputs_right == 0 and found.outputs == 4
    assert found.problems == [
        "1 task not submitted, such as cc", "task aa: 2 test outputs, but 1 submitted",
        "task bb, test 0, attempt_2: cell (0, 0) is 'x'",
        "1 task of the submission is not in the solutions, such as dd",
    ]


def test_solutions_that_are_no_grids_count_for_nothing():
    found = score(submitted(aa=[[[1]], [[2]]]), {**SOLUTIONS, **submitted(bb=[[[3]]])})
    assert list(found.by_task) == ["aa", "cc"]
    assert "task bb: its solutions are no list of grids" in found.problems


def test_written_submissions_are_read_and_other_files_named(tmp_path):
    path = tmp_path / "submission.json"
    found = submission_of([task()], {})
    write_submission(path, found)
    assert read_submission(path, []) == found == json.loads(path.read_text())
    assert list(tmp_path.iterdir()) == [path]
    path.write_text("[]")
    with pytest.raises(DataError, match="submission.json: a submission has"):
        read_submission(path, [])


def test_the_score_is_printed(tmp_path):
    submission, solutions = tmp_path / "submission.json", tmp_path / "solutions.json"
    submission.write_text(json.dumps(submitted(aa=[[[1]], [[2]]], bb=[[[0]]], cc=[[[0]]])))
    solutions.write_text(json.dumps(SOLUTIONS))
    done = megabatt("score", submission, "--solutions", solutions)
    assert done.stdout.splitlines() == [
        "tasks right: aa",
        "mean over tasks: 0.3333",
        "2 of 4 test outputs right: score 0.5000; 1 of 3 tasks",
    ], done.stderr
    for tasks in (["aa,cc"], ["aa", "cc"]):
        some = megabatt("score", submission, "--solutions", solutions, "--tasks", *tasks)
        assert some.stdout.endswith("2 of 3 test outputs right: score 0.6667; 1 of 2 tasks\n")
    for words, error in [
        (["--solutions", solutions, "cc"], "unexpected argument: cc"),
        (["--data", "arcagi", "--split", "evaluation"],
         "submission.json, such as aa, is in the known outputs of arcagi (evaluation)"),
        (["--solutions", solutions, "--tasks", "xx"], "no test outputs are known of xx"),
        (["--solutions", solutions, "--split", "test"], "--split is for --data"),
        (["--solutions", "no.json"], "Path 'no.json' does not exist"),
        ([], "say where the right outputs are"),
    ]:
        assert error in megabatt("score", submission, *words, status=2).stderr
    (tmp_path / "solvers.py").touch()
    assert "of programs" in megabatt("score", tmp_path / "solvers.py", status=2).stderr


# From Kaggle's files to a submission that scores, by commands


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
