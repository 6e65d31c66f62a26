"""The commands on signals: a run gives the same rows, bit for bit, in any batches."""


import pytest

from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.signal.dataset.configuration import KEYS
from megabatt.runtime.signal.workload import WORKLOAD
from tests.megabatch.commands import printed, rows_in
from tests.megabatch.runs import summary_in

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
    printed(*RUN, "--workers", 1, "--out", folder)
    found = rows(folder)
    assert len(found) == 12 * summary_in(folder)["solvers"]
    return found


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


def test_a_seed_that_results_cannot_hold_is_refused():
    for seed in (-(2**63), 2**63 - 1):
        links = WORKLOAD.load(links=2, data_seed=seed).samples
        assert WORKLOAD.sample_arrays(links)[0].to_pylist() == [seed] * 2
    for seed in (-(2**63) - 1, 2**63):
        with pytest.raises(DataError, match="64 bits"):
            WORKLOAD.load(links=2, data_seed=seed)
