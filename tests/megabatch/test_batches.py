"""Samples are cut into batches, and a batch's results into parts."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from megabatt.runtime.arc.workload import WORKLOAD, load, samples_of
from megabatt.runtime.engine.columns import encode
from megabatt.runtime.engine.executor.program import Results
from megabatt.runtime.engine.language.values import identical, weight
from megabatt.runtime.megabatch.batches import Settings, batches_of
from megabatt.runtime.megabatch.data import Data
from megabatt.runtime.megabatch.parts import in_parts
from megabatt.runtime.megabatch.run.parts import parts_of_each
from megabatt.runtime.signal.workload import WORKLOAD as SIGNALS
from tests.engine.machine_values import columns
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


@given(columns, st.integers(1, 50), st.data())
def test_parts_equal_the_whole_and_weigh_no_more_than_asked(lanes, most, data):
    n = len(lanes)
    flags = data.draw(st.lists(st.booleans(), min_size=2 * n, max_size=2 * n))
    outputs = {"one": encode(lanes), "other": encode(lanes[::-1])}
    results = Results(outputs, np.array(flags).reshape(2, n), {"one": [1], "other": [1]}, 0)
    parts = list(in_parts(results, most))
    assert [lane for some, _ in parts for lane in some] == list(range(n))
    found = [row for _, part in parts for row in part.decode()]
    for (values, failed), (expected, flagged) in zip(found, results.decode(), strict=True):
        assert all(identical(values[name], expected[name]) for name in outputs)
        assert failed == flagged
    for some, _ in parts:
        held = sum(min(weight(lanes[k]), most) + min(weight(lanes[-1 - k]), most) for k in some)
        assert len(some) == 1 or held <= most
