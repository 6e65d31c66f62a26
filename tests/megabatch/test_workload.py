"""Another language than ARC's, through the same commands."""

import json
import re
from collections import Counter

import pytest

import megabatt as mb
from megabatt.runtime.arc.workload import WORKLOAD as ARC
from megabatt.runtime.engine.language import policy
from megabatt.runtime.engine.language.policy import Policy
from megabatt.runtime.megabatch.batches import Settings, batches_of
from megabatt.runtime.megabatch.data import Data
from megabatt.runtime.megabatch.page.folder import StoredRun
from megabatt.runtime.megabatch.page.programs import first_failures_of
from megabatt.runtime.megabatch.programs import merged_program
from megabatt.runtime.megabatch.run.run import run_batches
from megabatt.runtime.megabatch.samples import batch_inputs
from megabatt.runtime.megabatch.workload import Workload, WorkloadError, named
from tests.megabatch.commands import compiled, megabatt, printed, rows_in
from tests.toy.workload import WORKLOAD

LISTS = """
def solve_mean(X):
    return mean(weighted(X, W))


def solve_station_1(X):
    return quotient(total(weighted(X, W)), plus(quotient(ONE, HALF), ONE))


def solve_list(X):
    return scaled(X, root(total(X)))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("toy"), LISTS, "--language", "tests.toy")


@pytest.fixture
def toy(folder):
    """Give a function that runs a command on the toy language's workload."""

    def run(name, *options, status=0):
        selection = ["--workload", "tests.toy.workload", "--batt", folder, "--workers", 1]
        return megabatt(name, *selection, *options, status=status)

    return run


def test_run_sums_up_and_writes_what_the_workload_says(toy, tmp_path):
    done = toy("run", "--out", tmp_path, "--batch-size", 5, "--outputs", "all")
    # 9 of 12 series have an answer: one solver finds all of them, another three
    assert done.stdout.splitlines()[-1] == "12 of 27 outputs right"
    assert "left out: one series, [unreadable]" in done.stdout.splitlines()
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert (summary["outputs_right"], summary["outputs_expected"]) == (12, 27)
    assert summary["host_share"] == 0
    rows = rows_in(tmp_path)
    assert len(rows) == 12 * 3
    assert list(rows[0]) == ["station", "series", "solver", "matches", "failed_operations",
                             "first_failed", "reason", "number", "numbers"]  # fmt: skip
    assert all(row["matches"] is None for row in rows if row["series"] == 3)
    lists = [row for row in rows if row["solver"] == "solve_list"]
    assert all(len(row["numbers"]) == row["station"] + 2 for row in lists)
    assert any(row["failed_operations"] for row in lists)
    for row in rows:
        first, *_ = [*row["failed_operations"], None]
        assert row["first_failed"] == first and (row["reason"] is None) == (first is None)
    firsts = Counter((row["solver"], row["first_failed"]) for row in rows if row["reason"])
    assert sum(summary["failed_lanes"].values()) >= firsts.total() > 0
    said = first_failures_of(StoredRun.read(tmp_path, WORKLOAD))
    assert {(solver, at): int(re.match(r"first on (\d+):", text)[1])
            for solver in said for at, text in said[solver].items()} == firsts  # fmt: skip


def test_a_workload_brings_its_options(toy):
    assert toy("run", "--stations", 1).stdout.splitlines()[-1] == "3 of 9 outputs right"
    assert toy("run", "--alone").stdout.splitlines()[-1] == "3 of 3 outputs right"
    shown = toy("run", "--help").stdout
    assert "--stations" in shown and "--split" not in shown
    done = toy("run", "--stations", 0, status=2)
    assert "0 stations have no series" in done.stderr
    assert done.stdout.splitlines()[-1] == "left out: station 0: no such [station]"


def test_it_is_verified_fuzzed_and_timed_on_variants_too(toy, tmp_path):
    done = toy("verify", "--workers", 2)
    assert done.stdout.splitlines()[-1] == "verified 12 samples x 3 solvers: 0 differences"
    out = printed("fuzz", "--workload", "tests.toy.workload", "--programs", 30, "--samples", 5)
    assert out.splitlines()[-1] == "fuzzed 30 programs x 5 samples: 0 differences"
    figures = json.loads(toy("bench", "--lanes", 40, "--samples", 5).stdout.splitlines()[-1])
    assert (figures["samples"], figures["scalar_samples"]) == (40, 5)
    done = toy("sweep", "--device", "cpu", "--sizes", "16", "--out", tmp_path)
    assert "best batch size on cpu: 16" in done.stdout.splitlines()


def test_programs_are_tried_and_searched_for(tmp_path):
    (tmp_path / "lists.py").write_text(f"{LISTS}\n\ndef number(X):\n    return total(mean(X))\n")
    out = printed("try", tmp_path / "lists.py", "--workload", "tests.toy.workload")
    assert "fits   solve_mean " in out and out.splitlines()[-1] == "2 of 4 programs fit"
    assert "failed: `xs` must be Reals, got a Real" in out
    search = ["search", "--workload", "tests.toy.workload", "--programs", 60, "--workers", 1]
    out = printed(*search, "--seeds", tmp_path / "lists.py", "--out", tmp_path / "found")
    assert out.splitlines()[-1].startswith("3 of 3 tasks fitted")
    assert "mean(" in (tmp_path / "found" / "solvers.py").read_text()
    samples, seeds = WORKLOAD.load(stations=1).samples, tmp_path / "lists.py"
    found = mb.search([samples], seeds=seeds, programs=60, workload=WORKLOAD)
    assert str(found.ranked("station 0")[0].program).count("mean") >= 1


@pytest.mark.parametrize(
    ("own", "why"),
    [
        ({"language": ARC.language}, "programs can read the expected output, C"),
        ({"is_test": lambda self, sample: True}, "its `is_test` is its own"),
    ],
)
def test_a_workload_whose_answers_could_be_read_says_how_to_hide_them(own, why):
    hides = {"unanswered": lambda self, sample: sample}
    assert issubclass(type("Hides", (Workload,), own | hides), Workload)
    with pytest.raises(TypeError) as raised:
        type("Tides", (Workload,), own)
    assert str(raised.value) == f"Tides must have a method `unanswered`: {why}"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("sginals", "cannot import it (ModuleNotFoundError: No module named 'sginals'); "
                    "did you mean signals?"),
        ("no.where", "cannot import it (ModuleNotFoundError: No module named 'no')"),
        ("tests.toy", "the module has no WORKLOAD; did you mean tests.toy.workload?"),
        ("toy.py", "cannot import it (there is no such file)"),
        (__file__, "cannot import it (it is a file: write test_workload, the module's name)"),
        ("json", "the module has no WORKLOAD"),
        ("tests.megabatch.test_workload", "it is of a class of tests.toy.workload"),
    ],
)  # fmt: skip
def test_values_that_are_no_workloads_are_refused(name, why):
    with pytest.raises(WorkloadError) as raised:
        named(name)
    assert str(raised.value) == f"no workload {name}: {why}"
    assert why.split()[0] in megabatt("run", f"--workload={name}", status=2).stderr


@pytest.mark.parametrize(
    ("name", "lines", "why"),
    [
        ("bare", ["pass"], "Mine has no `name` and no `language` and no method `load`"),
        ("loadless", ["name, language = 'mine', LANGUAGE"], "Mine has no method `load`"),
        ("listed", ["name, language = 'mine', LANGUAGE", "def load(self): return []"],
         "`load` of workload mine must return Data, not list"),
        ("doubled", ["name, language = 'mine', LANGUAGE",
                     "one = SimpleNamespace(key='a', group='b', expected=0)",
                     "def load(self): return Data([self.one, self.one])"],
         "2 samples have the key 'a': give each its own"),
    ],
)  # fmt: skip
def test_a_workload_that_lacks_a_part_is_an_error_of_a_line(tmp_path, name, lines, why):
    head = "from types import SimpleNamespace\nfrom megabatt.language import Data, Workload\n"
    head += "from tests.toy import LANGUAGE\n"
    body = "\n    ".join(lines)
    source = f"{head}class Mine(Workload):\n    {body}\nWORKLOAD = Mine()\n"
    (tmp_path / f"{name}.py").write_text(source)
    (tmp_path / "programs.py").write_text(LISTS)
    for command in (["run"], ["try", "programs.py"]):
        done = megabatt(*command, "--workload", name, cwd=tmp_path, status=2)
        assert why in " ".join(done.stderr.split())


def test_programs_of_another_language_are_not_run(toy):
    done = megabatt("run", "--workload", "tests.toy.workload", status=2)
    message = "its programs read S, I, C; programs of workload stations read W, X"
    assert message in " ".join(done.stderr.split())


def test_a_configuration_is_for_workloads_that_take_one(toy, tmp_path):
    config = tmp_path / "any.toml"
    config.write_text("")
    for options, message in (
        (["--out", tmp_path / "made"], "stations takes no --config; --workload signals does"),
        ([], "--config needs --out"),
        (["--memory", "8GB", "--shard", "1/2"], "--shard, --memory are not for --config"),
    ):
        refused = toy("run", "--config", config, *options, status=2)
        assert message in " ".join(refused.stderr.split())
    assert not (tmp_path / "made").exists()


def test_a_program_leaves_the_policy_in_use_as_it_was(folder):
    before, samples = Policy(max_depth=7), WORKLOAD.load(stations=2).samples
    total = mb.program("p", [["O", "total", "X"]])
    settings, forms = Settings(WORKLOAD, str(folder)), merged_program(str(folder))
    policy.use(before)
    for way in (
        lambda: mb.evaluate([total], samples, workload=WORKLOAD),
        lambda: mb.evaluate_each([(total, samples)], workload=WORKLOAD),
        lambda: settings.scalar(forms, samples[0]),
        lambda: forms.vectorized(batch_inputs(WORKLOAD, samples)),
        lambda: run_batches(settings, batches_of(settings, Data(samples), 4)),
    ):
        way()
        assert policy.policy() is before
