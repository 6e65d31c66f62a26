"""`megabatt sweep` as a user types it, and its evaluation of the figures."""

import csv
import json
import os
import sys
import time
from contextlib import nullcontext
from dataclasses import replace

import pytest

from megabatt.runtime.arc.workload import WORKLOAD, ArcSample
from megabatt.runtime.megabatch.batches import Settings
from megabatt.runtime.megabatch.data import Data
from megabatt.runtime.megabatch.measure import sweep as sweeping
from megabatt.runtime.megabatch.measure.sweep import LeftOut, Load, Measured, best_sizes, sweep
from tests.megabatch.commands import megabatt


@pytest.fixture
def of_folder(mirrors, tmp_path):
    """Give a function that runs a command on programs, with its own cache in tmp_path/cache."""

    def run(name, *options, status=0):
        selection = ["--batt", mirrors / "batt", "--data", mirrors / "tasks", "--workers", 1]
        cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
        return megabatt(name, *selection, *options, env=cache, status=status)

    return run


def swept(of_folder, out, *options):
    """Sweep over sizes, by default 4; return the output."""
    sizes = [] if "--sizes" in options else ["--sizes", "4"]
    return of_folder("sweep", "--device", "cpu", "--out", out, *sizes, *options).stdout


def rows_of_csv(folder):
    with (folder / "sweep.csv").open() as file:
        return list(csv.DictReader(file))


def test_a_sweep_writes_its_figures_and_the_next_run_uses_the_best_size(of_folder, tmp_path):
    out = tmp_path / "out"
    shown = swept(of_folder, out, "--sizes", "8,4")
    assert "megabatt sweep" in shown
    assert (out / "sweep.png").read_bytes().startswith(b"\x89PNG")
    rows = rows_of_csv(out)
    assert [(row["device"], row["batch_size"]) for row in rows] == [("cpu", "4"), ("cpu", "8")]
    assert list(rows[0]) == [
        "device", "batch_size", "samples_per_second", "ms_per_lane", "seconds", "peak_rss_mb",
        "stages",
    ]  # fmt: skip
    (best,) = json.loads((tmp_path / "cache" / "megabatt" / "batch_size.json").read_text()).values()
    assert f"best batch size on cpu: {best}" in shown.splitlines()
    said = f"batch size {best}: the best of the last sweep on this machine"
    for name in ("run", "verify", "bench"):
        assert said in of_folder(name).stdout.splitlines()
        assert "the last sweep" not in of_folder(name, "--batch-size", 2).stdout
    assert "the last sweep" not in of_folder("run", "--own").stdout


def test_without_matplotlib_a_line_says_how_to_get_it(of_folder, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "pip install 'megabatt[plot]'" in swept(of_folder, tmp_path)
    assert (tmp_path / "sweep.csv").exists() and not (tmp_path / "sweep.png").exists()


def test_a_sweep_of_each_solver_on_its_own_task_is_not_kept(of_folder, tmp_path):
    assert "best batch size on cpu: 4" in swept(of_folder, tmp_path / "out", "--own")
    assert not (tmp_path / "cache" / "megabatt").exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"cpu": -1}', "\x00"])
def test_a_broken_cache_is_no_error(of_folder, tmp_path, text):
    path = tmp_path / "cache" / "megabatt" / "batch_size.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert "the last sweep" not in of_folder("run").stdout


def test_a_cache_that_cannot_be_written_is_named_and_no_error(of_folder, tmp_path):
    (tmp_path / "cache").write_text("a file, no folder")
    assert "not kept for the next runs" in swept(of_folder, tmp_path / "out")


def measured(size, seconds, device="cpu", **more):
    return Measured(device, size, size, seconds, 100.0 + size, **more)


def test_the_best_size_is_the_smallest_of_equally_good_sizes():
    found = [measured(64, 1.28), measured(128, 1.32), measured(256, 2.60), measured(512, 5.12)]
    assert best_sizes(found) == {"cpu": 256}
    assert best_sizes([*found, measured(1024, 12.0)]) == {"cpu": 256}
    assert best_sizes([*found, measured(1024, 9.7)]) == {"cpu": 1024}
    assert best_sizes([*found, measured(64, 0.01, "cuda:0")]) == {"cpu": 256, "cuda:0": 64}


SAMPLE = ArcSample("t", (), ((1, 2),), None, "training", 0, False)
LOAD = Load(Settings(WORKLOAD, "nowhere", 100, devices=("cuda:0", "cpu")), Data([SAMPLE]))


def test_a_size_left_out_is_named_and_the_sweep_goes_on(monkeypatch, tmp_path):
    def call(load, device, size, limit=None):
        if device == "cuda:0" and size > 4:
            raise LeftOut("it does not fit in memory")
        figures = {"vram_peak_mb": 512.4, "transfers": 7} if device == "cuda:0" else {}
        return measured(size, 0.001 * size, device, **figures)

    monkeypatch.setattr(sweeping, "_process", lambda: nullcontext(call))
    monkeypatch.setattr(sweeping, "compile_kernels", lambda *_: None)
    monkeypatch.setattr(Load, "whole", [])
    done, lines = [], []
    found = sweep(LOAD, [10**9, 4096, 16, 8, 4], 3.0, done.append, lines.append)
    assert done == found
    assert lines == [
        "cuda:0, batch size 8 and larger: left out, it does not fit in memory",
        "cpu, batch size 4096 and larger: left out, it would take about 4 s (--patience 3)",
    ]
    sweep(LOAD, [10**9, 8, 4], 1e9, done.append, lines.append)
    cpu = "cpu, batch size 1000000000: left out, it does not fit in memory: it would take about "
    assert lines[-1].startswith(cpu)
    sweeping.write_csv(tmp_path / "sweep.csv", found)
    rows = rows_of_csv(tmp_path)
    assert "gpu_percent_mean" not in rows[0]  # nothing has this figure
    names = ("device", "batch_size", "vram_peak_mb", "transfers")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("cuda:0", "4", "512", "7"), *(("cpu", size, "", "") for size in ("4", "8", "16"))
    ]  # fmt: skip


def hangs(*_):
    time.sleep(3600)


def dies(*_):
    os._exit(1)


@pytest.mark.parametrize(
    ("does", "limit", "message"),
    [(hangs, 0.01, "not done after 0 s"), (dies, None, "ended from outside")],
)
def test_a_process_that_hangs_or_dies_is_left_out(does, limit, message, monkeypatch):
    monkeypatch.setattr(sweeping, "_serve", does)
    with pytest.raises(LeftOut, match=message), sweeping._process() as call:
        call(LOAD, "cpu", 2, limit=limit)


def test_samples_with_too_few_variants_are_left_out():
    few = replace(LOAD, data=Data([SAMPLE._replace(I=((0,),))]))
    with pytest.raises(LeftOut, match="only 10 different variants"):
        sweeping.measure(few, "cpu", 64)
