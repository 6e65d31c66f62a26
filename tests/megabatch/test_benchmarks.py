"""The benchmarks run on a machine without a GPU, and name what is missing."""

import json
import sys
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from benchmarks import host, launches, peer, profile, programs, threads
from megabatt.runtime.arc import ARC_DSL
from tests.megabatch.commands import CHECKOUT, ROOT, command


@pytest.mark.parametrize(
    "command", [profile.main, launches.main, host.main, threads.main, peer.own, peer.merged]
)
def test_a_benchmark_says_that_there_is_no_program(command, tmp_path):
    checkout = [str(tmp_path)] if command in (peer.own, peer.merged) else []
    result = CliRunner().invoke(command, [*checkout, "--batt", "nowhere"])
    assert result.exit_code == 2
    assert "nowhere/batt.py: not found" in result.output


@pytest.mark.parametrize("command", [profile.main, launches.main])
def test_a_benchmark_sums_up_the_batch_that_it_computed(command):
    result = CliRunner().invoke(command, ["--samples", "2"])
    assert result.exit_code == 0, result.output
    assert "2 lanes, " in result.output.splitlines()[-1]


def test_the_benchmark_of_datasets_runs():
    """The other benchmarks run as commands of the pages."""
    assert command("-m", "benchmarks.dataset", "--samples", 2, "--duration-ms", 1, status=0).stdout


def figures(*arguments):
    result = CliRunner().invoke(programs.main, [*map(str, arguments)])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_mutants_are_checked_and_evaluated():
    found = figures("mutants", "--programs", 30, "--samples", 4)
    assert found["programs"] == 30 and found["samples"] == 4
    assert found["operations"] > 100 and found["host_share"] == 0
    assert found["seconds"] > 0 and found["programs_a_second"] > 0


def test_extensions_are_operations_that_an_evaluator_has_not_seen():
    found = figures("extensions", "--programs", 40, "--values", 20, "--samples", 2)
    assert found["programs"] == 40 and found["values"] == 20
    assert 20 <= found["operations"] <= 40 and found["seen"] >= 10
    assert found["operations_a_second"] == pytest.approx(
        found["operations"] / found["seconds"], rel=0.01
    )


def test_programs_are_merged():
    found = figures("merge", "--programs", 50)
    assert found["programs"] == 50 and 10 <= found["operations_a_program"] <= 16
    assert found["programs_a_second"] == pytest.approx(50 / found["seconds"], rel=0.01)


@pytest.fixture
def checkout(tmp_path):
    """Give a checkout with a language, and solvers that call one function of it."""
    for name, text in CHECKOUT.items():
        (tmp_path / name).write_text(text)
    path, modules = list(sys.path), set(sys.modules)
    yield tmp_path
    sys.path[:] = path
    for name in {"solvers", "dsl"} - modules:
        sys.modules.pop(name, None)


def test_solvers_and_chains_of_them_are_timed_beside_the_functions_of_a_checkout(checkout):
    found = figures("each", checkout)
    assert found["solvers"] == 2 and found["right"] == 1
    assert found["median_ratio"] > 0 and found["slowest"][0].startswith("solve_")
    found = figures("chained", checkout, "--programs", 5, "--samples", 3)
    assert found["programs"] == 5 and found["operations_a_program"] == 2
    assert 0 < found["least_ratio"] <= found["median_ratio"] and len(found["slowest"]) == 3


def test_mutants_differ_in_a_word_from_a_seed():
    seeds = programs.bundled()[:20]
    rows = {operation for seed in seeds for operation in seed.operations}
    mutants = programs.mutants_of(seeds, 200, seed=3)
    assert len({mutant[1:] for mutant in mutants}) == 200
    assert mutants == programs.mutants_of(seeds, 200, seed=3)
    assert all(sum(row not in rows for row in mutant.operations) <= 1 for mutant in mutants)
    with pytest.raises(ValueError, match="1 programs have only"):
        programs.mutants_of(seeds[:1], 500, seed=3)


def test_the_merged_program_calls_what_arc_dsl_has_of_its_own():
    theirs = SimpleNamespace(**dict.fromkeys(ARC_DSL, sorted))
    merged = peer._with_their_functions(ROOT / "generated", theirs)
    assert merged.__globals__["vmirror"] is sorted
    assert merged.__globals__.get("if_else") is not sorted
