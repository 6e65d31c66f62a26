"""`show` on a dataset: its folder is a group whose samples are links, with maps above them."""

from dataclasses import replace

import numpy as np
import pytest

from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.signal.dataset.configuration import Configuration
from megabatt.runtime.signal.dataset.files import begin
from megabatt.runtime.signal.dataset.looking import DatasetMap, SampleMap, links_in
from megabatt.runtime.signal.dataset.measuring import FEATURE_COUNT, Measurements, samples_of
from megabatt.runtime.signal.dataset.rejection import in_units, survivors_from
from megabatt.runtime.signal.parameters import PLACES
from megabatt.runtime.signal.workload import WORKLOAD

CONFIGURATION = Configuration(num_samples=20, dataset_name="harbour", min_snr_db=12.0)


@pytest.fixture
def folder(tmp_path):
    return written(tmp_path / "made", CONFIGURATION)


def written(path, configuration):
    """Write a dataset of twenty samples without measurements; return its folder."""
    folder = begin(path, configuration, "")
    for unit in in_units(survivors_from(configuration, 0), 1000, 20):
        features = np.zeros((int(unit.signals.sum()), FEATURE_COUNT), dtype=np.float32)
        verdicts = np.full(len(unit), -1)
        folder.append(Measurements(unit, verdicts, features, [], 0.0), 0, len(unit))
    folder.save()
    return path


def test_a_folder_is_its_first_sample_and_a_number_behind_it_another(folder):
    for place, unit in enumerate(in_units(survivors_from(CONFIGURATION, 0), 1, 3)):
        (candidate,) = unit.links.candidates.tolist()
        for path in [folder / str(candidate), *([] if place else [folder])]:
            found = WORKLOAD.load_group(str(path))
            assert found.samples == samples_of(CONFIGURATION, unit.links)


def test_above_it_are_the_maps(folder):
    data = WORKLOAD.load_group(str(folder))
    every, one = (panel.picture for panel in WORKLOAD.shown.overview(data))
    assert isinstance(every, DatasetMap) and isinstance(one, SampleMap)
    assert every.lines()[0] == "20 transmitters"
    assert f"heard by {len(data.samples)} of" in one.lines()[1]
    pytest.importorskip("matplotlib")
    for panel in (every, one):
        assert "data:image/png;base64," in panel.svg()


def test_a_label_is_shown(tmp_path):
    modulated = replace(CONFIGURATION, modulations=(("four", "PSK4"), ("sixteen", "QAM16")))
    folder = written(tmp_path / "labelled", modulated)
    data = WORKLOAD.load_group(str(folder))
    title = WORKLOAD.shown.overview(data)[1].title
    (modulation,) = {link.P[PLACES["modulation"]] for link in data.samples}
    name = {2.0: "four", 4.0: "sixteen"}[modulation]
    assert f'label "{name}"' in title


def test_the_solver_of_a_dataset_is_its_configuration_s(folder):
    data = links_in(str(folder))
    assert data.solver_for("", ["link_features", "x"]) == "link_features"
    assert data.solver_for("", ["x"]) is None


def test_names_of_nothing_are_refused(folder, tmp_path):
    assert links_in(str(tmp_path)) is None and links_in("transmitter 0") is None
    with pytest.raises(DataError, match="candidate 999999 is not among its samples"):
        links_in(str(folder / "999999"))
    with pytest.raises(DataError, match="^there is no such folder, and nothing is called 'mad'; "):
        WORKLOAD.load_group("mad")
    with pytest.raises(DataError, match="^there is no dataset in this folder, and nothing is"):
        WORKLOAD.load_group(str(tmp_path))
    with pytest.raises(DataError, match="'transmiter 1'; did you mean transmitter 1\\?"):
        WORKLOAD.load_group("transmiter 1")
    begin(tmp_path / "empty", CONFIGURATION, "")
    with pytest.raises(DataError, match="there is no sample in it yet"):
        links_in(str(tmp_path / "empty"))
    (folder / "dataset.json").write_text('{"receivers": 3}')
    with pytest.raises(DataError):
        links_in(str(folder))
    assert not WORKLOAD.shown.overview(WORKLOAD.load(links=2))
