"""`verify` on wrong compiled forms: each difference is told at once."""

import pytest

from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.arc.workload import WORKLOAD, ArcSample
from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.verify.verify import verify_batches
from tests.engine.forms import form_of
from tests.megabatch.commands import compiled, megabatt, solvers, write_task

LISTS = solvers(
    mirror="vmirror(identity(I))", turned="rot180(I)", size="width(hconcat(vmirror(I), rot180(I)))"
)
"""The output of solve_size is right all the same."""

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


def test_differences_are_told_as_they_are_found(folder, wrong_forms):
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
