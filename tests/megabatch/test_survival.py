"""A run that is stopped or killed loses nothing: going on, it computes the missing batches."""

import ast
import os
import random
import signal
from functools import partial

import pytest

from megabatt.runtime.megabatch.run.stopping import on_signals
from tests.megabatch import runs
from tests.megabatch.commands import ROOT, command, megabatt, rows_in, workers_of

WHOLE = [*(f"batch-{k:05d}.parquet" for k in range(runs.BATCHES)), "manifest.json", "summary.json"]


def gone_on(folder, undisturbed):
    """Go on with a run to its end. Asserts that it has an undisturbed run's rows, each once."""
    status, output, errors = runs.ended(runs.started("--out", folder, "--resume"))
    assert status == 0, errors
    assert runs.rows_by_key(folder) == runs.rows_by_key(undisturbed[0])
    assert [name for name in runs.files_in(folder) if not name.startswith("batch-")] == WHOLE[-2:]
    assert runs.files_in(undisturbed[0]) == WHOLE and output.splitlines()[-1] == undisturbed[1]
    summaries = [runs.summary_in(at) for at in (folder, undisturbed[0])]
    assert all(summary["complete"] for summary in summaries)
    for name in "samples batches failed_share host_share solved_by program_digest".split():
        assert summaries[0][name] == summaries[1][name]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(50))
def test_a_run_killed_at_any_moment_even_repeatedly_goes_on(tmp_path, undisturbed, seed):
    chance, folder = random.Random(seed), tmp_path / "out"
    for _ in range(chance.randrange(1, 4)):
        process = runs.started("--out", folder, "--resume")
        many = chance.randrange(runs.BATCHES)
        runs.wait_for(lambda many=many: len(runs.batches_in(folder)) >= many, process)
        runs.wait_for(partial(workers_of, process.pid), process)
        goes_on = process.poll() is None and runs.kill_something(process, chance)
        status, _, errors = runs.ended(process)
        assert status == 0 if goes_on else status in (0, -signal.SIGKILL), errors
        assert runs.group_is_gone(process)
    gone_on(folder, undisturbed)


SIGNALS = [(signal.SIGINT, "Ctrl-C", 130), (signal.SIGTERM, "SIGTERM", 143)]


@pytest.mark.parametrize(
    "signals",
    [SIGNALS[:1], *(pytest.param(some, marks=pytest.mark.long) for some in (SIGNALS[1:], SIGNALS))],
)
def test_a_signal_stops_a_run_after_the_batches_under_way_and_a_second_at_once(
    tmp_path, undisturbed, signals
):
    folder = tmp_path / "out"
    process = runs.started("--out", folder)
    runs.wait_for(lambda: len(runs.batches_in(folder)) > 1, process)
    for number, *_ in signals:
        os.killpg(process.pid, number)  # as a terminal and a scheduler do: to all processes
    found, output, errors = runs.ended(process)
    assert found in [status for *_, status in signals] and "Traceback" not in errors, errors
    summary, done = runs.summary_in(folder), len(runs.batches_in(folder))
    assert not summary["complete"]
    assert runs.files_in(folder) == [*runs.batches_in(folder), "manifest.json", "summary.json"]
    if len(signals) == 1:
        name = signals[0][1]
        assert summary["batches"] == done and summary["ended"] == f"stopped by {name}"
        assert 1 < done < runs.BATCHES
        last, of = output.splitlines()[-1], f"{done} of {runs.BATCHES} batches in {folder}"
        assert last.startswith(f"stopped by {name}: kept {of}; go on with: ")
        assert last.endswith("--resume")
    gone_on(folder, undisturbed)


def test_two_signals_at_once_are_one_ctrl_c():
    presses = []
    with on_signals(lambda: presses.append("first")) as stop:
        stop.between_batches = True
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)  # as `timeout` does: to the process and to its group
    assert presses == ["first"] and stop.cause == "stopped by Ctrl-C"


@pytest.mark.parametrize(("number", "name", "status"), SIGNALS)
def test_a_signal_before_the_first_batch_is_told_too(tmp_path, monkeypatch, number, name, status):
    monkeypatch.setattr(
        "megabatt.command_line.run.select", lambda *_, **__: os.kill(os.getpid(), number)
    )
    stopped = megabatt("run", "--out", tmp_path / "out", status=status)
    assert stopped.stderr.endswith(f"\nstopped by {name}\n")


@pytest.mark.long
def test_two_shards_at_once_do_what_one_run_does(tmp_path, undisturbed):
    folder = tmp_path / "out"
    both = [runs.started("--out", folder, "--shard", f"{k}/2", "--workers", 1) for k in (1, 2)]
    for process in both:
        status, _, errors = runs.ended(process)
        assert status == 0, errors
    assert runs.rows_by_key(folder) == runs.rows_by_key(undisturbed[0])
    assert runs.files_in(folder) == WHOLE and runs.summary_in(folder)["complete"]


# Processes that die of a sample


OWN_PRIMITIVE = """
import os
import signal

from megabatt.arc import Grid, primitive


@primitive
def own(grid: Grid) -> Grid:
    if os.getpid() != int(os.environ["BEGAN_IN"]) and len(grid) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return grid
"""

RUN_OF_OWN = """
import os
from pathlib import Path
from megabatt.runtime.arc.workload import WORKLOAD, ArcSample
from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.run.cpu import on_cpus
from megabatt.runtime.megabatch.run.parts import whole_batches
from megabatt.runtime.megabatch.run.stopping import Stop
from megabatt.runtime.megabatch.store import Store
from tests.megabatch.commands import compiled
if __name__ == "__main__":
    compiled(Path.cwd(), "def solve_own(I): return own(I)", "--primitives", "own_primitives")
    os.environ["BEGAN_IN"] = str(os.getpid())
    grids = [((k, k),) * (1 if k == 1 else 2) for k in range(4)]
    samples = [ArcSample("a", (), grid, grid, "training", k, True) for k, grid in enumerate(grids)]
    batches = [Batch(0, None, samples[:2]), Batch(1, None, samples[2:])]
    settings = Settings(WORKLOAD, "batt", out=Store.at("out"))
    settings.out.make()
    done = whole_batches(settings, batches, on_cpus(settings, batches, 2, Stop()))
    print({each.batch.number: each.not_computed for each in done})
"""
"""A run of four samples; the grid of sample 1 has a single row."""


def test_a_sample_that_kills_processes_is_reported_and_the_others_are_computed(tmp_path):
    (tmp_path / "own_primitives.py").write_text(OWN_PRIMITIVE)
    (tmp_path / "run_of_own.py").write_text(RUN_OF_OWN)
    environment = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    done = command("run_of_own.py", cwd=tmp_path, env=environment, status=0)
    why = "ended by SIGKILL, most likely for want of memory"
    lost = {1: f"the process that computed it was {why}"}
    assert ast.literal_eval(done.stdout) == {0: lost, 1: {}}
    rows = rows_in(tmp_path / "out")
    assert sorted((row["sample"], row["matches"]) for row in rows) == [
        (0, True), (1, None), (2, True), (3, True)
    ]  # fmt: skip
