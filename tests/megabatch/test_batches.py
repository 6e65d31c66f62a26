"""Samples are cut into batches, and kernels compiled before workers share the batches."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from megabatt.runtime.arc.workload import WORKLOAD, load, samples_of
from megabatt.runtime.megabatch.batches import Settings, batches_of
from megabatt.runtime.megabatch.data import Data
from megabatt.runtime.megabatch.run.parts import parts_of_each
from megabatt.runtime.signal.workload import WORKLOAD as SIGNALS
from tests.megabatch.commands import ROOT

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


@pytest.mark.parametrize(("links", "sizes"), [(64, [32, 32]), (13, [6, 7]), (12, [12])])
def test_workers_share_few_samples_where_a_few_are_work_enough(links, sizes):
    settings = Settings(SIGNALS, str(ROOT / "generated" / "signals"))
    batches = batches_of(settings, SIGNALS.load(links, duration_ms=1.0), 64, workers=2)
    assert [len(batch.samples) for batch in batches] == sizes


@given(st.integers(1, 12), st.integers(1, 12))
def test_parts_give_every_process_as_much_and_no_more_than_are_needed(batches, processes):
    parts = parts_of_each(batches, processes)
    assert batches * parts % processes == 0 or batches >= 2 * processes
    assert parts == 1 or batches * parts <= batches * processes
