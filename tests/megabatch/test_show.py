"""`megabatt show`, as a user types it."""

import xml.etree.ElementTree as ET

import pytest

from tests.megabatch.commands import compiled, megabatt, mirror_task, write_task

SOLVERS = """
def solve_mirror(I):
    x1 = objects(I, T, F, T)
    x2 = size(x1)
    x3 = first(x1)
    x4 = lbind(fill, x2)
    x5 = x4(x3)
    x6 = crop(I, ORIGIN, x2)
    x7 = paint(I, x3)
    x8 = combine(x7, x6)
    O = branch(x5, x8, x8)
    return O


def solve_other(I):
    O = vmirror(I)
    return O
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("show")
    compiled(folder, SOLVERS)
    mirror_task(folder / "tasks")
    write_task(folder / "tasks", "hidden", [([[1, 0]], [[0, 1]])], [([[0, 1]], None)])
    return folder


def show(folder, *args, status=0):
    return megabatt("show", "--batt", "batt", "--data", "tasks", *args, cwd=folder, status=status)


def lines(folder, *args):
    return [line.rstrip() for line in show(folder, *args).stdout.splitlines()]


def test_the_samples_of_a_task_are_shown_side_by_side_with_their_mistakes(folder):
    found = lines(folder, "mirror", "--solver", "other", "--sample", 1)
    assert found[:3] == [
        "task mirror, sample 1 (demonstration)",
        "input   expected   solve_other: right",
        "0 7     7 0        7 0",
    ]
    every = lines(folder, "mirror")
    assert len(every) > 3 * len(found) and "solve_mirror: wrong" in every[1]
    assert any("failed operations: x5 (" in line for line in every)


def test_samples_are_numbered_as_in_their_task_also_behind_an_unread_one(folder, tmp_path):
    task = [([["x"]], [[1]]), ([[1, 2]], [[2, 1]])], [([[3, 4]], [[5]])]
    write_task(tmp_path / "unread", "mirror", *task)
    options = ["--data", tmp_path / "unread"]
    found = show(folder, "mirror", *options, "--solver", "other", "--sample", 2).stdout
    assert found.startswith("task mirror, sample 2 (test)")
    assert show(folder, "mirror", *options, "--solver", "other", "--trace").stdout.count(
        "task mirror, sample 1 (demonstration)"
    ) == 1
    said = show(folder, "mirror", *options, "--sample", 0, status=2).stderr
    assert said.endswith("Error: sample 0 of mirror could not be read\n")
    (tmp_path / "one.py").write_text("def solve_mirror(I): return vmirror(I)")
    tried = megabatt("try", tmp_path / "one.py", *options).stdout
    assert "\n      sample 2: 1 x 2, not 1 x 1\n" in tried


def test_an_output_that_nobody_knows_is_unknown(folder):
    found = lines(folder, "hidden", "--solver", "other", "--sample", 1)
    assert found[0] == "task hidden, sample 1 (test)"
    assert "expected: unknown" in found[1] and found[1].endswith("solve_other")


def test_a_trace_has_every_operation_and_functions_by_name(folder):
    found = lines(folder, "mirror", "--trace", "--sample", 1)
    assert "x1 = objects(I, True, False, True)" in found
    assert any(line.startswith("lbind(fill, ") for line in found)
    why, leaves = found[found.index("x5 = x4(x3)") + 1 :][:2]
    assert why == "x5 failed: lbind: a function of 2 values is called with 1"
    assert leaves.startswith("it leaves")


def test_an_operation_is_shown_with_its_arguments(folder):
    found = lines(folder, "mirror", "--operation", 7, "--sample", 1)
    assert found[found.index("x7 = paint(I, x3)") + 1].split() == ["I", "x3", "x7"]
    assert "lbind" not in "".join(found)


def test_files_hold_the_same_in_place_of_the_terminal(folder, tmp_path):
    svg, html = tmp_path / "x.svg", tmp_path / "x.html"
    shown = lines(folder, "mirror", "--trace", "--svg", svg, "--html", html)
    assert [line.split(":")[0] for line in shown] == [str(html), str(svg)]
    assert ET.parse(svg).getroot().get("width")
    assert "x2 = size(x1)" in html.read_text() and "x2 = size(x1)" in svg.read_text()


def test_a_dataset_is_known_where_a_task_or_a_run_is_asked_for(tmp_path):
    (tmp_path / "dataset.json").write_text("{}")
    shown = megabatt("show", tmp_path, status=2).stderr
    assert f"{tmp_path} is a dataset: --workload signals shows it" in " ".join(shown.split())
    assert "is a dataset of signals" in megabatt("submit", tmp_path, status=2).stderr


def test_programs_that_are_not_for_the_task_are_not_passed_over_silently(folder):
    line = "no solver in batt is for hidden: name one by --solver"
    assert lines(folder, "hidden")[-1] == line
    assert lines(folder, "mirror")[-1] != line
    drawn = megabatt("show", "hidden", "--data", "tasks", cwd=folder, status=0).stdout
    assert "sample 0" in drawn and "no solver" not in drawn


def test_sources_in_place_of_compiled_programs_must_be_compiled(folder):
    (folder / "found").mkdir()
    (folder / "sources").mkdir()
    (folder / "sources" / "a.py").write_text("")
    for name in ("search.log", "solvers.py"):
        (folder / "found" / name).write_text("")
    for batt, what, compile_it in (
        ("lists.py", "is a source", "megabatt compile lists.py --out lists_batt"),
        ("found", "has a search", "megabatt compile found/solvers.py --out found_batt"),
        ("sources", "has no", "megabatt compile sources --out sources_batt"),
    ):
        for command in (("show", "mirror"), ("run",)):
            call = megabatt(*command, "--data", "tasks", "--batt", batt, cwd=folder, status=2)
            assert f"{batt} {what}" in call.stderr
            assert f": `{compile_it}`, then --batt {compile_it.split()[-1]}" in call.stderr
