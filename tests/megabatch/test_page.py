"""`megabatt report` of any workload: its programs, and the distributions of their numbers."""

import json

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from megabatt.runtime.megabatch.checksums import write_json
from megabatt.runtime.megabatch.page.numbers import BARS, distributions
from megabatt.runtime.megabatch.store import Store
from tests.arc.test_report import parts_of
from tests.megabatch.commands import megabatt, printed, rows_in

SIGNALS = ["--workload", "signals", "--links", 12, "--duration-ms", 2, "--workers", 1]


@given(st.lists(st.lists(st.floats(-1e6, 1e6) | st.just(np.nan), max_size=9), max_size=4))
@example([[1.0], [np.nextafter(1.0, 2.0)]])
def test_a_distribution_does_not_depend_on_how_its_numbers_are_cut(parts):
    records = [("x", np.array(part, dtype=np.float64)[:, None]) for part in parts]
    known = np.array([x for part in parts for x in part if x == x])
    found = distributions(lambda: records)
    if not len(known):
        assert not any(one.count.any() for one in found.values())
        return
    ((_, count, mean, deviation, least, most, bars),) = found["x"].described(["x"])
    assert count == len(known) == sum(bars) and len(bars) == BARS
    scale = 1e-5 * np.abs(known).max() + 1e-12
    assert float(mean) == pytest.approx(known.mean(), abs=scale)
    assert float(deviation) == pytest.approx(known.std(), abs=scale)
    assert (float(least), float(most)) == pytest.approx((known.min(), known.max()), abs=scale)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("signals") / "run"
    shown = printed("run", *SIGNALS, "--out", folder, "--batch-size", 5)
    assert shown.splitlines()[-1].endswith(" outputs")
    printed("report", folder)
    return folder


def test_a_run_of_signals_has_its_solvers_and_the_numbers_that_they_gave(folder):
    parts = parts_of(folder / "report.html")
    assert "tasks" not in parts["index"]
    names = [name for name, *_ in parts["index"]["solvers"]]
    program = parts["programs"][names.index("link_features")]
    assert [call.partition("(")[0] for call in program["calls"]][-2:] == ["awgn", "features"]
    assert len(program["outputs"]) == 72
    name, count, mean, *_ = program["outputs"][1]
    given = [row["numbers"][1] for row in rows_in(folder) if row["solver"] == "link_features"]
    assert (name, count) == ("snr_db, mean", 12)
    assert float(mean) == pytest.approx(np.mean(given), rel=1e-5)


def test_a_dataset_has_the_numbers_of_the_links_that_are_heard(tmp_path):
    (tmp_path / "few.toml").write_text("num_samples = 5\nduration_ms = 1\n")
    made = ["run", "--workload", "signals", "--config", "few.toml", "--out", "few", "--workers", 1]
    for arguments in (made, ["report", "few"]):
        printed(*arguments, cwd=tmp_path)
    numbers = parts_of(tmp_path / "few/report.html")["index"]["numbers"]
    found = {name: count for name, count, *_ in numbers}
    summary = json.loads((tmp_path / "few/summary.json").read_text())
    assert found["gdop"] == 5
    assert found["snr_db"] == found["features: crest"] == summary["signals_this_run"]


def test_a_workload_of_a_module_is_asked_for_by_name(tmp_path):
    write_json(Store.at(tmp_path), "summary.json", {"workload": "stations"})
    done = megabatt("report", tmp_path, status=2)
    assert "name its module with --workload" in " ".join(done.stderr.split())
