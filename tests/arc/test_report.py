"""`megabatt report`: the page has the results of the run, and a real browser shows it."""

import base64
import gzip
import json
import re
import shutil
import subprocess

import pyarrow.parquet as pq
import pytest

from tests.megabatch.commands import compiled, printed, write_task

RIGHT, WRONG = ([[1, 2]], [[2, 1]]), ([[1, 2]], [[5]])
TASKS = {
    "easy": ([RIGHT, ([[3, 4]], [[4, 3]])], [RIGHT]),
    "fooled": ([RIGHT, ([[3, 4]], [[4, 3]])], [([[1, 2]], [[1, 2]])]),
    "hidden": ([RIGHT], [([[7, 8, 9]], None)]),
    "nearly": ([RIGHT, WRONG], [WRONG]),
    "never": ([WRONG], [WRONG]),
    "unread": ([RIGHT], [RIGHT, ([["x"]], [[1]])]),
    "wrong_or_hidden": ([RIGHT], [WRONG, ([[7, 8, 9]], None)]),
}
STATES = {
    "easy": "solved", "fooled": "wrong", "hidden": "unknown", "nearly": "near", "never": "open",
    "unread": "unknown", "wrong_or_hidden": "wrong",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    compiled(folder)
    for name, (train, test) in TASKS.items():
        write_task(folder / "tasks", name, train, test)
    reported(folder, "run")
    return folder


@pytest.fixture(scope="module")
def parts(folder):
    return parts_of(folder / "run" / "report.html")


def reported(folder, out, *options):
    """Run programs on tasks and report it; return the page's data."""
    options = ["--batt", "batt", "--data", "tasks", "--out", out, "--workers", 1, *options]
    printed("run", *options, cwd=folder)
    assert printed("report", out, cwd=folder).startswith(f"{out}/report.html: ")
    return parts_of(folder / out / "report.html")


def parts_of(path):
    """Return a page's data, by name of its part."""
    page = path.read_text()
    found = re.findall(r'<script type="text/plain" id="([\w-]+)">(.*?)</script>', page)
    return {name: json.loads(gzip.decompress(base64.b64decode(text))) for name, text in found}


def test_a_task_has_its_state_its_grids_and_its_wrong_or_unknown_outputs(folder, parts):
    states = {name: state for name, _, state, _ in parts["index"]["tasks"]}
    assert states == STATES
    unknown = json.loads((folder / "run/summary.json").read_text())["unknown_tasks"]
    assert unknown == [name for name, state in STATES.items() if state == "unknown"]
    tasks = dict(zip(states, parts["tasks-0"], strict=True))
    assert tasks["easy"]["pairs"][1] == [0, 1, "34", "43"]
    mirror = [name for name, *_ in parts["index"]["solvers"]].index("solve_mirror")
    given = {
        name: {one["solver"]: (one["right"], one["others"]) for one in task["outputs"]}
        for name, task in tasks.items()
    }
    assert given["fooled"][mirror] == ([0, 1], [[2, "21"]])
    assert given["hidden"][mirror] == ([0], [[1, "987"]])
    assert tasks["hidden"]["pairs"][1] == [1, 1, "789", None]
    assert mirror in tasks["easy"]["right"] and mirror in tasks["nearly"]["near"]


def test_a_task_without_a_near_miss_has_the_outputs_that_the_run_kept(folder):
    parts = {kept: reported(folder, kept, "--outputs", kept) for kept in ("fits", "all")}
    assert all(of["index"]["kept"] == kept for kept, of in parts.items())
    names = [task[0] for task in parts["all"]["index"]["tasks"]]
    given = {kept: of["tasks-0"][names.index("never")]["outputs"] for kept, of in parts.items()}
    assert given["fits"] == []
    assert len(given["all"]) == len(parts["all"]["index"]["solvers"])
    assert [[0, "21"], [1, "21"]] in [one["others"] for one in given["all"]]


def test_a_solver_has_its_operations_and_where_they_fail(parts):
    names = [name for name, *_ in parts["index"]["solvers"]]
    programs = dict(zip(names, parts["programs"], strict=True))
    assert programs["solve_mirror"]["calls"] == ["vmirror(I)"]
    assert programs["solve_mirror"]["failures"] == []
    assert programs["solve_larger"]["calls"][1] == "argmax(x1, size)"
    for name, operations, failed, _ in parts["index"]["primitives"]:
        own = [
            {of: n for of, n, _ in program["failures"]}.get(number, 0)
            for program in programs.values()
            for number, call in enumerate(program["calls"], start=1)
            if call.startswith(f"{name}(")
        ]
        assert (operations, failed) == (len(own), sum(own))


def test_operations_have_the_seconds_that_the_run_took_for_them(parts, folder):
    (file,) = (folder / "run").glob("*.parquet")
    micros = json.loads(pq.read_metadata(file).metadata[b"megabatt"])["operation_us"]
    mirror, larger = (
        next(program["seconds"] for program in parts["programs"] if call in program["calls"])
        for call in ("vmirror(I)", "argmax(x1, size)")
    )
    assert [round(s * 1e6) for s in mirror + larger] == micros[1:] and min(micros[1:]) > 0
    by_primitive = {name: taken for name, _, _, taken in parts["index"]["primitives"]}
    assert by_primitive["vmirror"] == mirror[0]
    assert sum(by_primitive.values()) == pytest.approx(sum(micros) / 1e6)
    assert list(by_primitive.values()) == sorted(by_primitive.values(), reverse=True)
    assert parts["index"]["timed"].startswith("The seconds of an operation cover all samples")


SHARING = """
def solve_one(I):
    turned = rot90(I)
    return compose(hmirror, vmirror)(turned)
def solve_other(I): return hmirror(rot90(I))
"""


@pytest.mark.parametrize("own", [False, True])
def test_shared_operations_of_merged_solvers_are_computed_once(tmp_path, own):
    compiled(tmp_path, SHARING)
    for name in ("one", "other"):
        write_task(tmp_path / "tasks", name, [RIGHT], [RIGHT])
    parts = reported(tmp_path, "run", *(["--own"] if own else []))
    one, other = (program["seconds"] for program in parts["programs"])
    assert own or one[0] == other[0]
    seconds = {name: taken for name, _, _, taken in parts["index"]["primitives"]}
    assert seconds["rot90"] == pytest.approx(one[0] + other[0] if own else one[0])
    assert seconds["(functions that programs build)"] == one[2]


def test_the_programs_are_those_of_the_run_whatever_became_of_their_folder(folder, tmp_path, parts):
    shutil.copytree(folder, tmp_path / "copy")
    for harm in (shutil.rmtree, lambda batt: batt.write_text("no folder")):
        harm(tmp_path / "copy" / "batt")
        printed("report", "run", cwd=tmp_path / "copy")
        assert parts_of(tmp_path / "copy" / "run" / "report.html") == parts


def test_the_page_needs_nothing_from_elsewhere(folder):
    page = (folder / "run" / "report.html").read_text()
    assert "http" not in page and "@import" not in page and "url(" not in page


CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on this machine")
@pytest.mark.parametrize(
    ("address", "shown", "not_shown"),
    [
        ("", [*TASKS, "solved (1)", "near misses (1)"], []),
        ("#tasks/near", ["nearly"], ["easy<", "never<"]),
        ("#task/fooled", ["fitted, but wrong", "solve_mirror", "2 of 2 cells wrong"], []),
        ("#task/fooled", ["easy", "task 2 of 5", "hidden"], ["--outputs all"]),
        ("#task/never", ["run with --outputs all"], []),
        ("#solver/solve_larger", ["argmax(x1, size)", "by primitive", "Seconds are"], []),
        ("#solvers", ["solve_larger", "<th>time</th>", "µs"], []),
        ("#primitives", ["subgrid", "<th>time</th>", " %</div>"], []),
        ("#summary", ["version of megabatt", "outputs kept"], ["_", "digest"]),
    ],
)
def test_a_browser_shows_it_without_an_error(folder, tmp_path, address, shown, not_shown):
    assert CHROMIUM is not None
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0",
             "--virtual-time-budget=8000", f"--user-data-dir={tmp_path}", "--dump-dom"]  # fmt: skip
    page = f"file://{folder / 'run' / 'report.html'}{address}"
    done = subprocess.run([CHROMIUM, *flags, page], capture_output=True, text=True, timeout=120)
    assert 'data-ready="yes"' in done.stdout, done.stderr[-2000:]
    body = done.stdout.partition("<main")[2].partition("</main>")[0]
    assert all(text in body for text in shown), body
    assert not any(text in body for text in not_shown), body
    assert "CONSOLE" not in done.stderr, done.stderr
