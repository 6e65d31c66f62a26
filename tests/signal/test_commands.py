"""The commands on signals: a run gives the same rows, bit for bit, however it is cut."""

import json

import pytest

from megabatt.runtime.signal.dataset.configuration import KEYS
from megabatt.runtime.signal.workload import WORKLOAD
from tests.megabatch.commands import printed, rows_in

SIGNALS = ["--workload", "signals", "--links", 12, "--duration-ms", 1]
RUN = ["run", *SIGNALS, "--outputs", "all", "--quiet"]
WAYS = {
    "one by one": [["--batch-size", 1, "--workers", 1]],
    "two workers": [["--batch-size", 3, "--workers", 2]],
    "shards": [["--batch-size", 5, "--workers", 1, "--shard", f"{k}/2"] for k in (1, 2)],
    "stopped": [
        ["--batch-size", 4, "--workers", 1, "--seconds", "0.001"],
        ["--batch-size", 7, "--workers", 1, "--resume"],
    ],
}


def rows(folder):
    return sorted(map(str, rows_in(folder)))


@pytest.fixture(scope="module")
def at_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("signals")
    solvers = json.loads(_summary(folder, "--workers", 1))["solvers"]
    found = rows(folder / "out")
    assert len(found) == 12 * solvers
    return found


def _summary(folder, *options):
    printed(*RUN, *options, "--out", "out", cwd=folder)
    return (folder / "out" / "summary.json").read_text()


@pytest.mark.parametrize("way", WAYS)
def test_a_run_gives_the_same_rows_however_it_is_cut(at_once, tmp_path, way):
    for options in WAYS[way]:
        last = printed(*RUN, *options, "--out", "out", cwd=tmp_path).splitlines()[-1]
    assert rows(tmp_path / "out") == at_once
    assert last == f"{len(at_once)} outputs"


@pytest.mark.parametrize("name", ["sample_rate_hz", "duration_ms"])
def test_an_option_has_the_range_of_the_key_of_a_configuration(name):
    (option,) = [option for option in WORKLOAD.options if option.name == name]
    assert (option.type.min, option.type.max) == (KEYS[name].least, KEYS[name].most)


@pytest.mark.long
def test_bench_and_sweep_time_them(tmp_path):
    options = [*SIGNALS, "--workers", 1]
    figures = json.loads(printed("bench", *options, "--samples", 1).splitlines()[-1])
    assert figures["samples"] == 12 and figures["host_share"] == 0
    shown = printed("sweep", *options, "--sizes", "4,8", "--out", "sweep", cwd=tmp_path)
    assert "best batch size on cpu: " in shown
    assert len((tmp_path / "sweep" / "sweep.csv").read_text().splitlines()) == 3
