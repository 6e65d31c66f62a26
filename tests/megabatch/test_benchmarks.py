"""The benchmarks that need no GPU and no minutes; the pages' commands run the others."""

import json
import sys

import pytest
from click.testing import CliRunner

from benchmarks import launches, profile, programs
from tests.megabatch.commands import CHECKOUT, command


def output(main, *arguments):
    result = CliRunner().invoke(main, [*map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.long
@pytest.mark.parametrize("main", [profile.main, launches.main])
def test_a_benchmark_sums_up_the_batch_that_it_computed(main):
    assert "2 lanes, " in output(main, "--samples", "2").splitlines()[-1]


@pytest.mark.long
def test_the_benchmark_of_datasets_runs():
    assert command("-m", "benchmarks.dataset", "--samples", 2, "--duration-ms", 1, status=0).stdout


@pytest.mark.parametrize(
    ("words", "rate"),
    [
        (["mutants", "--programs", 30, "--samples", 4], "programs"),
        (["extensions", "--programs", 40, "--values", 20, "--samples", 2], "operations"),
        (["merge", "--programs", 50], "programs"),
    ],
)
def test_programs_are_timed(words, rate):
    found = json.loads(output(programs.main, *words))
    assert found["programs"] == words[2]
    rates = found[f"{rate}_a_second"], found[rate] / found["seconds"]
    assert rates[0] == pytest.approx(rates[1], rel=0.01)


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
    found = json.loads(output(programs.main, "each", checkout))
    assert (found["solvers"], found["right"]) == (2, 1) and found["median_ratio"] > 0
    found = json.loads(output(programs.main, "chained", checkout, "--programs", 5, "--samples", 3))
    assert found["programs"] == 5 and 0 < found["least_ratio"] <= found["median_ratio"]
