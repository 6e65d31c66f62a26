"""A batch that would exceed the memory budget of a run is computed and written in halves."""

import sys
import weakref
from dataclasses import replace
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import megabatt as mb
from megabatt.runtime.arc.workload import WORKLOAD, ArcSample
from megabatt.runtime.engine.language.values import CUT
from megabatt.runtime.engine.memory import free_memory, held_below, held_bytes, require_memory
from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.run import compute, memory, results
from megabatt.runtime.megabatch.run.compute import run_batch
from megabatt.runtime.megabatch.run.memory import free_bytes, peak_rss_mb, shares_of_memory
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.megabatch.verify import verify
from megabatt.runtime.megabatch.verify.verify import verify_batch
from megabatt.runtime.megabatch.workload import MOST_CHARACTERS
from tests.megabatch.commands import command, compiled, solvers, sorted_rows_in
from tests.megabatch.runs import assert_alike

LARGE = solvers(large="product(asindices(I), asindices(I))")
WIDE = solvers(wide="upscale(replace(I, first(first(I)), 1000), 20)")

SAMPLES = [
    ArcSample("a", (), ((k % 10,) * 16,) * 15, 240 * 240, "training", k, True) for k in range(48)
]
"""Samples whose products have 240 x 240 pairs of places; wide values have 240 x 400 cells."""


@pytest.fixture
def settings_of(tmp_path_factory):
    """Give a function that compiles a source, and returns the settings of a run of the programs."""
    folder = tmp_path_factory.mktemp("budget")
    return lambda source: Settings(WORKLOAD, str(compiled(folder, source)))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads what a process holds")
def test_a_batch_is_halved_until_it_keeps_to_the_budget(settings_of, tmp_path):
    settings = settings_of(WIDE)
    outs = [Store.at(tmp_path / name) for name in ("any", "little")]
    for out in outs:
        out.make()
    run_batch(settings, Batch(0, None, SAMPLES[:2]))  # compiled and loaded code stays in memory
    whole = run_batch(replace(settings, out=outs[0]), Batch(0, None, SAMPLES))
    assert not whole.rescued
    free_memory()
    little = replace(settings, out=outs[1], memory=held_bytes() + (16 << 20))
    halved = run_batch(little, Batch(0, None, SAMPLES))
    assert halved.rescued.startswith("MemoryError: ") and halved.rescued.endswith("in halves")
    assert halved.not_computed == {}
    assert_alike([halved], [whole])
    assert sorted_rows_in(tmp_path / "any") == sorted_rows_in(tmp_path / "little")


def test_a_run_that_keeps_all_outputs_holds_those_of_a_piece(settings_of, tmp_path, monkeypatch):
    """Some outputs have a million elements."""
    settings, made = settings_of(WIDE), []
    vectorized = compute._vectorized

    def computed(settings, batch):
        assert not any(results() for results in made)
        found = vectorized(settings, batch)
        made.append(weakref.ref(found.results))
        return found

    monkeypatch.setattr(compute, "_vectorized", computed)
    found = []
    for at_once in (5, 48):
        monkeypatch.setattr(compute, "_KEPT_AT_ONCE", at_once)
        out = Store.at(tmp_path / str(at_once))
        out.make()
        made.clear()
        found.append(run_batch(replace(settings, out=out, outputs="all"), Batch(0, None, SAMPLES)))
        assert len(made) == -(-48 // at_once) and not found[-1].rescued
    assert_alike(found[:1], found[1:])
    assert sorted_rows_in(tmp_path / "5") == sorted_rows_in(tmp_path / "48")


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads what a process holds")
def test_verify_compares_a_batch_above_the_budget_in_halves(settings_of):
    settings = settings_of(LARGE)
    batch = Batch(0, None, SAMPLES[:24])
    verify_batch(settings, replace(batch, samples=SAMPLES[:2]))  # compiled code stays in memory
    free_memory()
    with mock.patch.object(verify, "_set_against", wraps=verify._set_against) as compared:
        little = replace(settings, memory=held_bytes() + (110 << 20))
        count, found, why = verify_batch(little, batch)
    at_once = [len(call.args[1].samples) for call in compared.call_args_list]
    assert (count, found.differences, found.not_compared, why) == (24, [], [], "")
    assert sum(at_once) == 24 and len(at_once) > 1


def test_a_value_that_is_too_long_is_cut_and_marked_as_cut(settings_of, tmp_path, monkeypatch):
    monkeypatch.setattr(results, "_SLICE_ELEMENTS", 2 * 240 * 240 * 5)  # rows of one or two samples
    chosen = replace(settings_of(LARGE), out=Store.at(tmp_path))
    run_batch(chosen, Batch(0, None, SAMPLES[:3]))
    found = [row["other_output"] for row in sorted_rows_in(tmp_path)]
    assert len(found) == 3
    for text in found:
        assert text.startswith("frozenset({((0, 0), (0, 0)), ") and text.endswith(CUT)
        assert len(text) == MOST_CHARACTERS + len(CUT)


def test_no_limit_holds_outside_of_a_batch():
    with held_below(1), pytest.raises(MemoryError, match=" MB held, of 0 MB"):
        require_memory()
    require_memory()


def test_workers_share_the_budget_and_are_no_more_than_it_allows():
    gb = 1 << 30
    assert shares_of_memory(8 * gb, 4) == (4, 2 * gb)
    assert shares_of_memory(gb, 4) == (2, gb // 2)
    assert shares_of_memory(1, 4) == (1, gb // 2)
    assert 0 < shares_of_memory(None, 1)[1] <= max(free_bytes(), gb // 2)


def test_a_container_has_the_free_memory_that_its_limit_leaves(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_CONTROL_GROUP", tmp_path)
    outside = free_bytes()
    for name, text in [
        ("max", "5000000"), ("current", "4000000"),
        ("stat", "anon 1000000\nfile 3000000\ninactive_file 2000000\n"),
    ]:  # fmt: skip
        (tmp_path / f"memory.{name}").write_text(text)
    assert free_bytes() == 3000000 < outside
    reals = pa.table({"real": np.random.default_rng(0).random(250000)})
    pq.write_table(reals, tmp_path / "reals.parquet")
    assert mb.ResidentDataset(tmp_path, say=None).nbytes is None
    assert mb.ResidentDataset(tmp_path, memory="2MB", say=None).nbytes == 2000000


def test_the_peak_is_of_this_process_not_of_its_parent():
    code = "from megabatt.runtime.megabatch.run.memory import peak_rss_mb; print(peak_rss_mb())"
    large = bytearray(500 << 20)
    large[::4096] = b"x" * len(large[::4096])
    assert peak_rss_mb() > 500
    assert float(command("-c", code).stdout) < 400
