"""`megabatt try`, as a user types it."""

import os
import threading

import pytest

from megabatt import trying
from tests.megabatch.commands import command, megabatt, mirror_task, printed, write_task

PROGRAMS = """
def solve_mirror(I):
    return vmirror(I)


def turned(I):
    return hmirror(rot180(I))


def solve_other(I):
    x = shape(I)
    y = crop(I, x, I)
    return paint(I, y)


def tries(I):
    try:
        return hmirror(I)
    finally:
        return I


def size_mirror(I):
    return size(I)


def empty(I):
    x = crop(I, I, I)
    return hmirror(I)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("try")
    (folder / "programs.py").write_text(PROGRAMS)
    mirror_task(folder / "tasks")
    pairs = [([[1, 0], [2, 2]], [[2, 2], [1, 1]]), ([[3, 4]], [[3, 4]])]
    write_task(folder / "tasks", "other", pairs, [([[0, 1]], None)])
    return folder


def tried(folder, *args):
    out = printed("try", *args, "--data", "tasks", cwd=folder)
    return [line.rstrip() for line in out.splitlines()]


def rows(lines):
    """Return the rows of the printed table, by program."""
    table = [line.split() for line in lines if line.startswith(("fits", "near", "wrong"))]
    return {row[1]: row for row in table}


def below(lines, program):
    """Return the lines below a program's row."""
    at = next(k for k, line in enumerate(lines) if line.split()[1:2] == [program])
    following = lines[at + 1 :]
    end = next(k for k, line in enumerate(following) if not line.startswith("      "))
    return [line.strip() for line in following[:end]]


def test_a_name_says_for_which_task_the_best_come_first_and_what_is_wrong_says_why(folder):
    lines = tried(folder, "programs.py")
    assert [row[:3] for row in rows(lines).values()] == [
        ["fits", "solve_mirror", "mirror"], ["fits", "turned", "mirror"],
        ["near", "empty", "other"], ["wrong", "solve_other", "other"],
        ["wrong", "size_mirror", "mirror"],
    ]  # fmt: skip
    assert below(lines, "solve_other") == [
        "programs.py:12:9: sample 0: crop(I, x, I) failed: `dims` must be an IntegerTuple, got "
        "a Grid",
        "y = crop(I, x, I)",
        "^",
    ]
    assert below(lines, "size_mirror") == ["sample 0: gives 2, which is no grid"]
    assert below(lines, "solve_mirror") == []
    at = next(k for k, line in enumerate(lines) if line.startswith("programs.py:17:5: tries: "))
    assert lines[at + 1] == "    try:"
    assert lines[-1] == "2 of 6 programs fit; 1 could not be read"


def test_all_are_tried_on_a_task_that_is_named_and_the_nearest_is_drawn_where_it_is_wrong(folder):
    lines = tried(folder, "programs.py", "--tasks", "other")
    found = rows(lines).values()
    assert {row[2] for row in found} == {"other"} and all(row[0] != "fits" for row in found)
    at = lines.index("task other, sample 0 (demonstration)")
    assert lines[at + 1].split() == ["input", "expected", "empty:", "wrong"]


def test_tasks_are_named_as_for_other_commands(folder):
    both = tried(folder, "programs.py", "--tasks", "mirror,other")
    for tasks in (["mirror", "other"], ["mirror", "--tasks", "other"]):
        assert tried(folder, "programs.py", "--tasks", *tasks) == both
    assert {row[2] for row in rows(both).values()} == {"mirror", "other"}


def test_a_folder_and_answers_in_markdown_are_files_of_programs(folder, tmp_path):
    (tmp_path / "mirror.py").write_text("def solve(I):\n    return vmirror(I)\n")
    answer = tmp_path / "answer.md"
    answer.write_text("So:\n```python\ndef turned(I):\n    return I\n```\n")
    (tmp_path / "README.md").write_text("Answers of a model.\n")
    assert set(rows(tried(folder, tmp_path))) == {"solve_mirror", "turned"}
    assert set(rows(tried(folder, answer))) == {"turned"}
    answer.write_text("I do not know.")
    prose = megabatt("try", answer, status=1).stdout
    assert prose.endswith("answer.md:1:1: answer: the text has no program\nno program was read\n")


def test_programs_of_one_name_are_told_apart_by_their_places(folder, tmp_path):
    same = "```python\ndef solve(I):\n    return {}(I)\n```\n"
    (tmp_path / "a.md").write_text(same.format("vmirror") + same.format("shape"))
    lines = tried(folder, tmp_path / "a.md")
    assert [line.split("  ")[1].rpartition(":")[2] for line in lines[1:3]] == ["2)", "6)"]


def test_nothing_is_tried_where_nothing_is_expected(folder):
    (folder / "links.py").write_text("def heard(P, K):\n    return tone(P, K)\n")
    options = ["--workload", "signals", "--links", 2]
    done = megabatt("try", "links.py", *options, cwd=folder, status=2)
    assert not done.stdout
    assert "no sample of signals has an expected output" in done.stderr


OWN = '''
from megabatt.arc import Grid, charges, primitive


@primitive(charge=charges.area)
def flipped(grid: Grid) -> Grid:
    """Return the grid, mirrored at its middle column."""
    return tuple(row[::-1] for row in grid)


@primitive(charge=lambda grid: 1 // len(grid[0][1:][:0]))
def overcharged(grid: Grid) -> Grid:
    return grid
'''


def test_programs_may_call_primitives_of_a_named_module(folder):
    (folder / "own_flips.py").write_text(OWN)
    args = ["try", "own.py", "--data", "tasks", "--primitives"]
    (folder / "own.py").write_text(
        "def solve_mirror(I):\n    return flipped(I)\n"
        "def wrong_mirror(I):\n    return hmirror(overcharged(I))\n"
    )
    done = command("-m", "megabatt", *args, "own_flips", cwd=folder, status=0)
    assert rows(done.stdout.splitlines())["solve_mirror"][0] == "fits"
    why = "its charge <lambda> fails with ZeroDivisionError: "
    assert f"sample 0: overcharged(I) failed: {why}" in done.stdout


def test_programs_come_through_a_pipe(folder):
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    threading.Thread(target=pipe.write_text, args=[PROGRAMS]).start()
    assert any(line.strip().startswith(f"{pipe}:") for line in tried(folder, pipe))


MIRROR = "def solve_{}(I): return vmirror(I)"
PAIR = ([[1, 2]], [[2, 1]])
PRINTS = "import os\ndef solve_mirror(I):\n" + "    print(I)\n" * 6 + "    return I"
MISSING = "trying all tasks for 1 program named after a task that is not loaded "
SAID = [
    (MIRROR.format("mirror"), "tasks --max-elements 1", ["max_elements allows 1"]),
    # no program sees the expected output
    ("def solve_mirror(I, C): return C", "tasks", ["wrong  solve_mirror  mirror"]),
    (MIRROR.format("ffffffff"), "tasks", [f"{MISSING}(--data loads others): ffffffff"]),
    (MIRROR.format("f"), "tasks --tasks other", ["  solve_f  other"]),
    (MIRROR.format("same"), "splits", ["fits  solve_same  training/same"]),
    (MIRROR.format("part"), "partly",
     ["fits  solve_part  part  1/1    1/1", "left out: task part, sample 2: input is no grid",
      "fits what could be read; whether it is right on the rest is unknown"]),
    ("def solve_twin(I): return I", "twin",
     ["wrong  solve_twin", "fits the demonstrations, wrong on a test:", "sample 1: 2 cells differ",
      "0 of 1 program fit; 1 more only the demonstrations"]),
    # an output without a right cell is drawn
    ("def solve(I): return size(I)", "tasks --tasks other", ["task other, sample"]),
    (PRINTS, "tasks", [*(f"one.py:{k}: `print` is passed over" for k in range(3, 8)),
                       "1 more note on what was skipped"]),
]  # fmt: skip


@pytest.mark.parametrize(("program", "options", "said"), SAID)
def test_a_program_is_tried_and_it_is_said_once(folder, program, options, said):
    (folder / "one.py").write_text(program)
    for split, (given, gives) in (("training", PAIR), ("evaluation", ([[1, 2]], [[1, 1]]))):
        write_task(folder / "splits" / split, "same", [(given, gives)], [([[0, 1]], None)])
    write_task(folder / "partly", "part", [PAIR], [PAIR, ([[1, 2], [3]], [[1]])])
    write_task(folder / "twin", "twin", [([[1, 1]], [[1, 1]])], [([[0, 1]], [[1, 0]])])
    shown = printed("try", "one.py", "--data", *options.split(), cwd=folder)
    assert [shown.count(line) for line in said] == [1] * len(said)
    assert shown.count("is passed over") == 5 * (program == PRINTS)
    assert (MISSING in shown) == (MISSING in said[0])


def test_of_many_programs_the_best_are_listed_and_all_are_counted(folder, monkeypatch):
    (folder / "many.py").write_text(PROGRAMS + PROGRAMS.replace("solve_", "other_"))
    every, in_turn = tried(folder, "many.py", "--tasks", "mirror"), tried(folder, "many.py")
    for at_once in (1, 20, 40):  # how many are tried at a time changes nothing
        monkeypatch.setattr(trying, "_RESULTS_AT_ONCE", at_once)
        assert tried(folder, "many.py", "--tasks", "mirror") == every
        assert tried(folder, "many.py") == in_turn
    best = tried(folder, "many.py", "--tasks", "mirror", "--show", 3)
    assert list(rows(best)) == list(rows(every))[:3]
    assert "7 more programs, none better: --show N lists more" in best
    assert every[-1] == best[-1] == "4 of 12 programs fit; 2 could not be read"
    (folder / "wrong.py").write_text(PROGRAMS.replace("vmirror(I)", "vmirrored(I)") * 3)
    best = tried(folder, "wrong.py", "--show", 1)
    assert "5 more mistakes in what was read: --show N lists more" in best
