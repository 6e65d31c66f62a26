"""The fuzzer and `verify` find no difference in the right forms, and find a planted one."""

import re
from contextlib import contextmanager
from dataclasses import replace

import pytest

from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.arc.workload import WORKLOAD, ArcSample
from megabatt.runtime.arc.workload.draws import DRAWS
from megabatt.runtime.engine.machine import forms
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.verify import compare, verify
from megabatt.runtime.megabatch.verify.fuzz import Coverage, differing_case, fuzz
from megabatt.runtime.megabatch.verify.generate import program_of
from megabatt.runtime.megabatch.verify.verify import verify_batches
from tests.engine.forms import form_of
from tests.megabatch.commands import compiled, megabatt, solvers, write_task


def test_draws_that_name_what_the_language_lacks_are_wrong():
    draws = replace(WORKLOAD.draws, edges=[], large=[], literals=[], beginnings=[])
    assert not list(draws.mistakes())
    wrong = replace(draws, inputs={"Y": "grid"}, makers={"grid": ["turn"]})
    assert list(wrong.mistakes()) == [
        "draws: inputs: 'Y' is no input of the language",
        "draws: makers: the language has no primitive 'turn'",
    ]
    known = {name: kinds for name, kinds in draws.examples.items() if name != "Grid"}
    assert list(replace(draws, examples=known).mistakes()) == [
        "draws: examples: no kind of value is given for the declared type Grid"
    ]
    steps = [("hmirror", ["I"], "grid"), ("hmirror", [], "grid"), ("turn", ["$1"], "grid")]
    assert list(replace(draws, edges=[steps]).mistakes()) == [
        "draws: edges: hmirror(): hmirror takes 1 argument",
        "draws: edges: turn($1): the language has no such primitive",
    ]


def test_workers_run_the_programs_of_the_seed():
    runs = [fuzz(WORKLOAD, 8, 2, seed=3, workers=workers, max_elements=2000) for workers in (1, 2)]
    assert runs[0].coverage == runs[1].coverage
    assert program_of(DRAWS, 7, 3) == program_of(DRAWS, 7, 3) != program_of(DRAWS, 8, 3)


@contextmanager
def planted(name, body):
    """Give a primitive another compiled form for a while."""
    with form_of(name, forms.form_of(LANGUAGE.primitives[name], m.machine_function(body))):
        yield


def three(heap, piece):
    """Return 3 for any grid."""
    return 3 if m.is_table(heap, piece) else m.NO_VALUE


def test_a_wrong_value_is_found_shrunk_and_said_once_with_the_number_of_programs_that_show_it():
    with planted("width", three):
        report = fuzz(WORKLOAD, 60, 4, seed=1, max_elements=5000, deck=["width"])
    small = [d for d in report.differences if d.case.program.operations[-1][1] == "width"]
    assert len(small[0].case.program.operations) <= 2 and len(small[0].case.samples) == 1
    text = str(small[0])
    assert "    x1 = width(" in text and "I = ((" in text and "scalar: " in text
    examples = report.counter_examples()
    assert len(set(examples)) == len(examples) < len(report.differences)
    more = re.findall(r"^(\d+) more programs? like it$", "\n".join(examples), re.MULTILINE)
    assert len(examples) + sum(map(int, more)) == len(report.differences)
    lanes, succeeded, host, differ = report.compared("width")
    assert lanes >= differ > 0 and lanes - differ >= succeeded


def test_a_crash_is_a_difference_and_stops_nothing(monkeypatch):
    def crash(heap, operands, *others):
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(compare, "call_alone", crash)
    report = fuzz(WORKLOAD, 30, 2, seed=1, max_elements=5000)
    assert report.programs == 30
    assert any("planted" in d.case.finding.vectorized for d in report.differences)


def address(heap, piece):
    """Return the piece's address in the heap."""
    return piece & 4095


def test_every_primitive_is_called_within_twenty_programs():
    programs = [program_of(DRAWS, 0, number) for number in range(20)]
    assert {operation[1] for program in programs for operation in program.operations} >= set(
        WORKLOAD.language.primitives
    )


def test_a_form_that_depends_on_the_batch_is_found():
    with planted("height", address):
        assert any(
            differing_case(WORKLOAD, 1, number, 8, 20_000, Coverage()) for number in range(60)
        )


# `verify` tells each difference at once


LISTS = solvers(
    mirror="vmirror(identity(I))", turned="rot180(I)",
    zeros="colorcount(hconcat(vmirror(I), rot180(I)), 0)",
)  # fmt: skip
"""The output of solve_zeros is right all the same."""

GRIDS = [((k, 1), (2, 3), (k, k)) for k in range(8)]


@pytest.fixture
def wrong_forms():
    """Make the compiled forms of vmirror and rot180 compute hmirror."""
    wrong = LANGUAGE.primitives["hmirror"].compiled
    with form_of("vmirror", wrong), form_of("rot180", wrong):
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verify")
    compiled(folder, LISTS)
    pairs = [([list(row) for row in grid], [[1]]) for grid in GRIDS]
    write_task(folder / "tasks", "task", pairs[:7], pairs[7:])
    return folder


def test_differences_are_told_as_they_are_found(folder, wrong_forms, monkeypatch):
    monkeypatch.setattr(verify, "_DECODED_AT_ONCE", 20)  # a sample or two
    samples = [ArcSample("a", (), grid, None, "training", k, False) for k, grid in enumerate(GRIDS)]
    batches = [Batch(0, None, samples[:3]), Batch(1, None, samples[3:])]
    told = []
    differences = verify_batches(
        Settings(WORKLOAD, str(folder / "batt")),
        batches,
        progress=lambda count: told.append(f"{count} samples are compared"),
        found=lambda difference: told.append(difference.solver),
    )
    each = ["solve_mirror", "solve_turned"]
    assert told == [*each * 3, "3 samples are compared", *each * 5, "5 samples are compared"]
    called = {one.solver: one.operation.partition(" ")[2] for one in differences}
    assert called["solve_turned"] == "rot180(I)" and called["solve_mirror"].startswith("vmirror(")


def test_the_first_ten_are_printed_in_full_and_the_others_by_operation(folder, wrong_forms):
    options = ["--batt", "batt", "--data", "tasks", "--workers", 1, "--device", "cpu"]
    done = megabatt("verify", *options, cwd=folder, status=1)
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    in_full = [line for line in lines if line.startswith("task task, sample ")]
    assert len(in_full) == 10
    assert sum(line.startswith("first operation that differs: ") for line in lines) == 10
    others = [line for line in lines if "more differences, first operation that differs" in line]
    assert [int(line.split()[0]) for line in others] == [3, 3]
    assert {line.partition(": ")[2].partition("(")[0] for line in others} == {"rot180", "vmirror"}
    assert lines[-1] == "verified 8 samples x 3 solvers: 16 differences"
