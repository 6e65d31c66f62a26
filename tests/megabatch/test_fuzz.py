"""The fuzzer: that it runs clean, finds a planted difference and makes it small."""

from __future__ import annotations

import pytest

import runtime.arc as arc
from runtime.engine.columns import Ints
from runtime.engine.registry import primitive_of
from runtime.megabatch.compare import source_of
from runtime.megabatch.fuzz import fuzz
from runtime.megabatch.generate import PRIMITIVES, program_of
from tests.megabatch.commands import run_batt


@pytest.fixture
def planted(monkeypatch):
    """Put another rule in a primitive's place."""

    def plant(function, rule):
        monkeypatch.setattr(primitive_of(function), "rule", rule)

    return plant


def test_the_command_compares_both_forms():
    done = run_batt("fuzz", "--programs", 12, "--samples", 3, "--seed", 5)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "fuzzed 12 programs x 3 samples: 0 differences"
    assert "vupscale" in done.stdout


def test_workers_run_the_same_programs():
    runs = [fuzz(45, 2, seed=3, workers=workers, max_elements=2000) for workers in (1, 2)]
    assert runs[0].coverage == runs[1].coverage


def test_a_wrong_value_is_found_and_shrunk(planted):
    planted(arc.width, lambda frame, piece: Ints(piece.heights))
    report = fuzz(60, 4, seed=1, max_elements=5000)
    small = [d for d in report.differences if d.program[-1].function == "width"]
    assert small
    assert len(small[0].program) <= 2 and len(small[0].samples) == 1
    text = str(small[0])
    assert "    x1 = width(" in text and "I = ((" in text and "scalar: " in text


def test_a_wrong_charge_is_found(planted):
    rule = primitive_of(arc.rot90).rule

    def greedy(frame, grid):
        frame.charge(grid.heights)
        return rule(frame, grid)

    planted(arc.rot90, greedy)
    report = fuzz(40, 2, seed=1, max_elements=5000)
    assert any(d.program[-1].function == "rot90" for d in report.differences)


def test_a_crash_is_a_difference_and_stops_nothing(planted):
    def crash(frame, piece):
        raise ZeroDivisionError("planted")

    planted(arc.height, crash)
    report = fuzz(30, 2, seed=1, max_elements=5000)
    assert report.programs == 30
    assert any("planted" in d.finding.vectorized for d in report.differences)


def test_a_lane_that_depends_on_the_batch_is_found(planted):
    def only_in_large_batches(frame, piece):
        return Ints(piece.heights if frame.n < 4 else piece.heights * 0 + 1)

    planted(arc.height, only_in_large_batches)
    assert fuzz(60, 5, seed=1, max_elements=5000).differences


def test_a_seed_determines_the_programs():
    assert source_of(program_of(7, 3)) == source_of(program_of(7, 3))
    assert source_of(program_of(7, 3)) != source_of(program_of(8, 3))


@pytest.mark.parametrize("seed", [0, 1])
def test_every_primitive_is_called_within_twenty_programs(seed):
    programs = [program_of(seed, number) for number in range(20)]
    assert {o.function for program in programs for o in program} >= set(PRIMITIVES)
