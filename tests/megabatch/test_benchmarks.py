"""The benchmarks run on a machine without a GPU, and say what they lack."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from benchmarks import host, launches, peer, profile, threads


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
