"""Samples are cut into batches, and results into parts; any cut of a run keeps the same outputs."""

from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from megabatt.runtime.arc.workload import WORKLOAD, ArcSample, load, samples_of
from megabatt.runtime.megabatch.batches import Settings, batches_of
from megabatt.runtime.megabatch.data import Data
from megabatt.runtime.megabatch.run import compute
from megabatt.runtime.megabatch.run.compute import joined, run_batch
from megabatt.runtime.megabatch.run.run import run_batches, settle_pieces
from megabatt.runtime.megabatch.run.stopping import Stop
from megabatt.runtime.megabatch.store import Store
from tests.examples import examples
from tests.megabatch.commands import ROOT, compiled, solvers, sorted_rows_in
from tests.megabatch.runs import computed, job_of

SETTINGS = Settings(WORKLOAD, str(ROOT / "generated"))
SAMPLES = samples_of(load("arcagi", "training").tasks)


@example(600, 3, 6)
@given(st.integers(1, len(SAMPLES)), st.integers(1, 2000), st.integers(1, 8))
def test_batches_are_of_one_size_and_hold_every_sample_once(count, batch_size, workers):
    batches = batches_of(SETTINGS, Data(SAMPLES[:count]), batch_size, workers)
    sizes = [len(batch.samples) for batch in batches]
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) <= batch_size
    assert [sample for batch in batches for sample in batch.samples] == SAMPLES[:count]
    if count >= 100 * workers and batch_size > 1:
        assert len(batches) % workers == 0


# `--outputs fits` keeps the same outputs for any cut of a run into batches and pieces


SOURCE = solvers(same="identity(I)", vmirror="vmirror(I)", hmirror="hmirror(I)", size="size(I)")
GRID = ((1, 2), (3, 4))
EXPECTED = [None, GRID, ((2, 1), (4, 3)), ((3, 4), (1, 2)), ((0,),)]


@pytest.fixture(scope="module")
def chosen(tmp_path_factory):
    folder = compiled(tmp_path_factory.mktemp("fits"), SOURCE)
    return Settings(WORKLOAD, str(folder), outputs="fits")


@st.composite
def samples(draw):
    """Draw samples of a few tasks, in any order. Solvers give some of the expected outputs."""
    found = []
    for name in "abcd"[: draw(st.integers(1, 4))]:
        answer = st.sampled_from(draw(st.sampled_from([EXPECTED, EXPECTED[:2], EXPECTED[2:4]])))
        for k in range(draw(st.integers(1, 7))):
            is_test = draw(st.booleans())
            found.append(ArcSample(name, (), GRID, draw(answer), "training", k, is_test))
    return draw(st.permutations(found)) if draw(st.booleans()) else found


@contextmanager
def room_for(count):
    """Make the engine run out of memory on more than `count` samples at once."""
    enough = compute._vectorized

    def vectorized(settings, batch):
        if len(batch.samples) > count:
            raise MemoryError("too many")
        return enough(settings, batch)

    with mock.patch.object(compute, "_vectorized", vectorized):
        yield


def kept_by_definition(rows):
    """Flag the rows whose output must be kept: no demonstration shows their solver wrong."""
    shown = [row for row in rows if row["matches"] is False and not row["is_test"]]
    wrong = {(row["task"], row["solver"]) for row in shown}
    return [(row["task"], row["solver"]) not in wrong for row in rows]


@settings(max_examples=examples(10))
@given(samples(), st.integers(1, 12), st.integers(1, 12), st.booleans())
def test_outputs_are_kept_of_solvers_that_no_demonstration_shows_wrong(
    chosen, tmp_path_factory, samples, batch_size, room, processes_die
):
    folder = tmp_path_factory.mktemp("out")
    whole = batches_of(chosen, Data(samples), len(samples))
    _, expected = computed(chosen, whole, folder / "all", run_batches, outputs="all")
    for row, is_kept in zip(expected, kept_by_definition(expected), strict=True):
        if not is_kept:
            row["output"] = row["other_output"] = None

    cut = replace(chosen, out=Store.at(folder / "cut"))
    cut.out.make()
    with room_for(room):
        for batch in batches_of(cut, Data(samples), batch_size):
            if processes_die:
                pieces = [piece for half in batch.halves() for piece in half.halves() or [half]]
                outcome = joined([run_batch(cut, piece) for piece in pieces or [batch]], batch)
            else:
                outcome = run_batch(cut, batch)
            settle_pieces(cut, outcome)
            settle_pieces(cut, outcome)  # a second time changes nothing
    assert sorted_rows_in(folder / "cut") == expected


def test_pieces_that_a_killed_run_left_are_settled_when_it_goes_on(chosen, tmp_path):
    tasks = [
        ArcSample("a", (), GRID, expected, "training", k, k == 3)
        for k, expected in enumerate([GRID, GRID, ((0,),), GRID])
    ]
    cut = replace(chosen, out=Store.at(tmp_path))
    with job_of(cut, tasks) as job, room_for(2):
        (batch,) = job.missing
        outcome = run_batch(job.settings, batch)  # nothing follows: the process is killed
    kept = partial(filter, lambda row: row["output"] is not None or row["other_output"] is not None)
    assert outcome.in_pieces and list(kept(sorted_rows_in(tmp_path)))
    for _ in range(2):
        with job_of(cut, tasks, resume=True) as job:
            job.run(Stop())
            assert job.missing == [] and not list(kept(sorted_rows_in(tmp_path)))
            assert not job.found()[0].not_computed
