"""The fuzzer: that it runs clean, finds a planted difference and makes it small."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import megabatt.runtime.arc as arc
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.arc.workload.draws import DRAWS
from megabatt.runtime.engine.calls.registry import primitive_of
from megabatt.runtime.engine.columns import Ints, as_array, call_costs
from megabatt.runtime.engine.values import Function, size_of
from megabatt.runtime.megabatch.verify.compare import vectorized_steps
from megabatt.runtime.megabatch.verify.fuzz import Coverage, differing_case, fuzz
from megabatt.runtime.megabatch.verify.generate import program_of
from tests.megabatch.commands import megabatt


@pytest.fixture
def planted(monkeypatch):
    """Give a function that puts another rule in the place of a primitive's own."""

    def plant(function, rule):
        monkeypatch.setattr(primitive_of(function), "rule", rule)

    return plant


def test_the_command_compares_both_forms():
    done = megabatt("fuzz", "--programs", 12, "--samples", 3, "--seed", 5)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "fuzzed 12 programs x 3 samples: 0 differences"
    assert "vupscale" in done.stdout


def test_workers_run_the_same_programs():
    runs = [fuzz(WORKLOAD, 45, 2, seed=3, workers=workers, max_elements=2000) for workers in (1, 2)]
    assert runs[0].coverage == runs[1].coverage


def test_a_wrong_value_is_found_and_shrunk(planted):
    planted(arc.width, lambda frame, piece: Ints(piece.heights))
    report = fuzz(WORKLOAD, 60, 4, seed=1, max_elements=5000)
    small = [d for d in report.differences if d.case.program.operations[-1][1] == "width"]
    assert small
    assert len(small[0].case.program.operations) <= 2 and len(small[0].case.samples) == 1
    text = str(small[0])
    assert "    x1 = width(" in text and "I = ((" in text and "scalar: " in text


def test_a_wrong_charge_is_found(planted):
    rule = primitive_of(arc.rot90).rule

    def greedy(frame, grid):
        frame.charge(grid.heights)
        return rule(frame, grid)

    planted(arc.rot90, greedy)
    report = fuzz(WORKLOAD, 40, 2, seed=1, max_elements=5000)
    assert any(d.case.program.operations[-1][1] == "rot90" for d in report.differences)


def test_a_crash_is_a_difference_and_stops_nothing(planted):
    def crash(frame, piece):
        raise ZeroDivisionError("planted")

    planted(arc.height, crash)
    report = fuzz(WORKLOAD, 30, 2, seed=1, max_elements=5000)
    assert report.programs == 30
    assert any("planted" in d.case.finding.vectorized for d in report.differences)


def test_a_lane_that_depends_on_the_batch_is_found(planted):
    def only_in_large_batches(frame, piece):
        return Ints(piece.heights if frame.n < 4 else piece.heights * 0 + 1)

    planted(arc.height, only_in_large_batches)
    assert fuzz(WORKLOAD, 60, 5, seed=1, max_elements=5000).differences


def found_within(programs, seed):
    """Tell whether the forms differ in one of a seed's first programs."""
    return any(
        differing_case(WORKLOAD, seed, number, 8, 20_000, Coverage()) for number in range(programs)
    )


def test_a_charge_that_only_large_functions_show_is_found(planted):
    rule = primitive_of(arc.argmax).rule

    def greedy(frame, container, compfunc):
        frame.charge(as_array(call_costs(compfunc), frame.n) - 1)
        return rule(frame, container, compfunc)

    planted(arc.argmax, greedy)
    assert found_within(400, seed=1)


def test_a_grid_that_is_wrong_in_one_column_is_found(planted):
    rule = primitive_of(arc.fill).rule

    def leave_column_7(frame, grid, value, patch):
        out = rule(frame, grid, value, patch)
        for lane in range(frame.n):
            if out.heights[lane] and out.widths[lane] > 7:
                rows = slice(int(out.starts[lane]) + 7, int(out.starts[lane] + out.areas[lane]))
                before = grid.take(np.array([lane])).cells[7 :: int(out.widths[lane])]
                out.cells[rows][:: int(out.widths[lane])] = before
        return out

    planted(arc.fill, leave_column_7)
    assert found_within(60, seed=1)


def drawn(observe, programs=100):
    """Return all that `observe` gives for the values of some programs, as one set."""
    seen = set()
    for number in range(programs):
        program = program_of(DRAWS, 0, number)
        samples = DRAWS.samples(Random(number), 4)
        run = vectorized_steps(WORKLOAD, program, samples, 20_000)
        for place in range(1, len(program.operations) + 1):
            for outcome in run.step(place)[2]:
                seen |= set(observe(outcome.value))
    return seen


def test_functions_are_drawn_on_both_sides_of_where_their_calls_cost_more():
    sizes = drawn(lambda value: [size_of(value)] if isinstance(value, Function) else [])
    assert {15, 16, 31, 32} <= sizes


def test_samples_are_real_and_made_up_small_and_large():
    samples = [sample for number in range(200) for sample in DRAWS.samples(Random(number), 4)]
    grids = [grid for sample in samples for grid in (sample.I, sample.C) if grid]
    shapes = {(len(grid), len(grid[0])) for grid in grids}
    assert {sample.task == "fuzz" for sample in samples} == {True, False}
    assert any(h == 1 and w > 31 for h, w in shapes) and any(w == 1 and h > 31 for h, w in shapes)
    assert any(min(shape) >= 30 for shape in shapes)
    assert {cell for grid in grids for row in grid for cell in row} >= {-128, *range(10), 127, 128}


def test_a_seed_determines_the_programs():
    assert program_of(DRAWS, 7, 3) == program_of(DRAWS, 7, 3)
    assert program_of(DRAWS, 7, 3) != program_of(DRAWS, 8, 3)


@pytest.mark.parametrize("seed", [0, 1])
def test_every_primitive_is_called_within_twenty_programs(seed):
    programs = [program_of(DRAWS, seed, number) for number in range(20)]
    assert {operation[1] for program in programs for operation in program.operations} >= set(
        WORKLOAD.language.primitives
    )
