"""A dataset is the same however it is made: in any batches, by any workers, at one go or not."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import megabatt as mb
from megabatt.runtime.megabatch.batches import Settings
from megabatt.runtime.megabatch.locks import locked
from megabatt.runtime.megabatch.programs import merged_program
from megabatt.runtime.megabatch.run.manifest import program_digest
from megabatt.runtime.megabatch.run.stopping import Stop
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.signal.constants import MODULATIONS
from megabatt.runtime.signal.dataset import files as files_module
from megabatt.runtime.signal.dataset.configuration import (
    Configuration,
    as_table,
    read_configuration,
)
from megabatt.runtime.signal.dataset.files import DatasetRefused, begin, go_on
from megabatt.runtime.signal.dataset.generation import Generation
from megabatt.runtime.signal.dataset.links import links_of
from megabatt.runtime.signal.dataset.measuring import measure, samples_of
from megabatt.runtime.signal.dataset.rejection import Fruitless
from megabatt.runtime.signal.parameters import value_of
from megabatt.runtime.signal.workload import WORKLOAD
from tests.megabatch.commands import ROOT, compiled, megabatt, printed
from tests.megabatch.runs import ended, wait_for
from tests.mutants_of_files import flipped_bits

CHAIN = """
def link_clear_features(P, K):
    clean = fm_tone(P, K)
    scaled = set_power(clean, P)
    noisy = awgn(scaled, P, K)
    level = power_dbm(noisy)
    O = repeat(level, 18)
    return O


def link_clear_power(P, K):
    clean = fm_tone(P, K)
    scaled = set_power(clean, P)
    O = power_dbm(scaled)
    return O


def link_clear_signal(P, K):
    clean = fm_tone(P, K)
    scaled = set_power(clean, P)
    O = awgn(scaled, P, K)
    return O
"""
"""A chain that compiles fast; its features are all the level."""

SMALL = Configuration(
    num_samples=30, duration_ms=0.5, enable_multipath=False, enable_fading=False, min_snr_db=10.0,
    max_gdop=1.5,
)


OF_SIGNALS = "--language", "megabatt.runtime.signal"


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    return str(compiled(tmp_path_factory.mktemp("chain"), CHAIN, *OF_SIGNALS))


@pytest.fixture(autouse=True)
def small_files(monkeypatch):
    monkeypatch.setattr(files_module, "_ROWS", 8)


def opened(folder, programs, configuration):
    """Go on with a folder's dataset, as the command does; return the folder."""
    return go_on(folder, configuration, program_digest(Settings(WORKLOAD, programs), own=False))


def generated(folder, programs, configuration, workers=1, stop_after=None):
    """Go on with a folder's dataset until `stop_after` samples have come; return the generation."""
    stop, come = Stop(), []

    def progress(samples):
        come.append(samples)
        stop.asked = stop_after is not None and sum(come) >= stop_after

    how = Settings(WORKLOAD, programs, workers=workers)
    made = Generation(how, configuration, opened(folder, programs, configuration), stop, progress)
    made.run()
    return made


def content(folder):
    """Return all that a dataset's folder has, by the files' names."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.suffix == ".lock":  # of a run that was killed; nobody holds it
            continue
        if path.suffix == ".parquet":
            found[path.name] = pq.read_table(path).to_pylist(), pq.read_metadata(path).metadata
        elif path.name not in ("dataset.json", "summary.json"):
            found[path.name] = path.read_bytes()
    return found


def copied(folder, tmp_path_factory):
    return Path(shutil.copytree(folder, tmp_path_factory.mktemp("copied") / "copy"))


KEPT = {kept: replace(SMALL, keep_iq=kept, num_samples=12) for kept in ("npy", "sigmf")}
KEPT["none"] = SMALL


@pytest.fixture(scope="module")
def made(tmp_path_factory, programs):
    """Make a dataset of each way in which signals are kept; return the folders."""
    folders = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files_module, "_ROWS", 8)
        for kept, configuration in KEPT.items():
            folders[kept] = tmp_path_factory.mktemp(kept)
            generated(folders[kept], programs, configuration)
    return folders


@pytest.fixture(scope="module")
def undisturbed(made):
    return content(made["none"])


def test_it_has_so_many_samples_in_files_of_so_many(undisturbed):
    assert [len(rows) for rows, _ in undisturbed.values()] == [8, 8, 8, 6]
    numbers = [row["candidate"] for rows, _ in undisturbed.values() for row in rows]
    assert numbers == sorted(set(numbers))


@settings(max_examples=24)
@given(
    kept=st.sampled_from(["none", "none", *KEPT]),
    batch_size=st.integers(1, 70),
    stops=st.lists(st.integers(1, 20), max_size=3),
)
@example(kept="npy", batch_size=7, stops=[5, 4])
@example(kept="sigmf", batch_size=7, stops=[5, 4])
def test_it_is_the_same_in_any_batches_and_with_any_stops(
    tmp_path_factory, programs, made, kept, batch_size, stops
):
    folder = tmp_path_factory.mktemp("disturbed")
    for stop_after in [*stops, None]:
        configuration = replace(KEPT[kept], batch_size=batch_size)
        generated(folder, programs, configuration, stop_after=stop_after)
        batch_size = 71 - batch_size
    assert content(folder) == content(made[kept])


def test_it_is_the_same_by_several_workers(tmp_path, programs, undisturbed):
    for stop_after in (9, None):
        configuration = replace(SMALL, batch_size=16)
        generated(tmp_path, programs, configuration, workers=2, stop_after=stop_after)
    assert content(tmp_path) == undisturbed


def test_signals_of_a_save_that_was_cut_short_are_written_again(tmp_path, programs, made):
    generated(tmp_path, programs, KEPT["npy"], stop_after=3)
    before = (tmp_path / "samples-00000.parquet").read_bytes()
    generated(tmp_path, programs, KEPT["npy"])
    (tmp_path / "samples-00000.parquet").write_bytes(before)
    generated(tmp_path, programs, KEPT["npy"])
    assert content(tmp_path) == content(made["npy"])


MODULATED = Configuration(
    num_samples=20, duration_ms=2.0, enable_multipath=False, enable_fading=False, keep_iq="npy",
    modulations=(("bpsk", "PSK2"), ("am", "AM"), ("dense", "QAM64")),
)  # fmt: skip


@pytest.fixture(scope="module")
def modulated(tmp_path_factory):
    """Make a dataset of modulations, signals kept; return its folder."""
    chain = CHAIN.replace("link_clear", "link_modulated_clear").replace("fm_tone", "modulated")
    programs = compiled(tmp_path_factory.mktemp("modulated"), chain, *OF_SIGNALS)
    folder = tmp_path_factory.mktemp("classes")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files_module, "_ROWS", 8)
        generated(folder, str(programs), MODULATED)
    return folder


def test_every_sample_has_the_label_of_its_modulation(modulated):
    table = pa.concat_tables([pq.read_table(path) for path in modulated.glob("*.parquet")])
    labels = dict(MODULATED.modulations)
    assert set(table["label"].to_pylist()) == set(labels)
    for row in table.to_pylist():
        links = links_of(MODULATED, np.array([row["candidate"]]))
        chosen = {int(value_of(link.P, "modulation")) for link in samples_of(MODULATED, links)}
        assert chosen == {MODULATIONS.index(labels[row["label"]])}


@pytest.mark.parametrize("memory", [None, 0])
def test_signals_are_a_tensor_of_the_batch(modulated, memory):
    named = ["iq", "label", "mask", "candidate", "iq_first"]
    options = {"split": (1.0,), "columns": named, "memory": memory}
    dataset = mb.ResidentDataset(modulated, **options, say=(said := []).append)
    also = "; and iq, read batch by batch"
    assert said[0].endswith(also) and repr(dataset).endswith(f"iq_first{also})")
    assert "iq" not in mb.ResidentDataset(modulated, say=None).left_out
    with pytest.raises(mb.DatasetError, match="no column iqq; did you mean iq\\?"):
        mb.ResidentDataset(modulated, columns=["iqq"], say=None)
    with pytest.raises(mb.DatasetError, match="no column colour; there are .*iq_first.*, iq$"):
        mb.ResidentDataset(modulated, columns=["colour"], say=None)
    rows = {
        row["candidate"]: (row, np.load(path.with_name(f"iq-{path.stem[-5:]}.npy")))
        for path in modulated.glob("*.parquet")
        for row in pq.read_table(path).to_pylist()
    }
    met = 0
    for batch in dataset.epoch(6, seed=3):
        assert batch["iq"].dtype == np.complex64
        assert batch["iq"].shape[::2] == (len(batch.rows), MODULATED.signal_length)
        for at, candidate in enumerate(batch["candidate"].tolist()):
            row, signals = rows[candidate]
            heard = np.flatnonzero(row["mask"])
            wanted = signals[row["iq_first"] :][: len(heard)]
            np.testing.assert_array_equal(batch["iq"][at][heard], wanted)
            assert not np.delete(batch["iq"][at], heard, axis=0).any()
            assert dataset.words["label"][batch["label"][at]] == row["label"]
            met += 1
    assert met == len(rows) == 20


def test_signals_that_are_gone_are_named(modulated, tmp_path):
    shutil.copytree(modulated, tmp_path / "copy")
    (tmp_path / "copy" / "iq-00001.npy").unlink()
    dataset = mb.ResidentDataset(tmp_path / "copy", columns=["iq"], split=(1.0,), say=None)
    with pytest.raises(mb.DatasetError, match="iq-00001.npy: cannot be read"):
        list(dataset.epoch(20))


def test_more_samples_can_be_asked_for_later(tmp_path, programs, undisturbed):
    for count in (5, 16, 17, 30):
        made = generated(tmp_path, programs, replace(SMALL, num_samples=count))
        assert made.folder.accepted == count
    assert content(tmp_path) == undisturbed


def test_all_candidates_are_accounted_for(tmp_path, programs, undisturbed):
    candidates = [row["candidate"] for rows, _ in undisturbed.values() for row in rows]
    begun = generated(tmp_path, programs, SMALL).folder
    for folder in (begun, opened(tmp_path, programs, SMALL)):
        assert folder.accepted == len(candidates)
        assert sum(folder.rejected.values()) + len(candidates) == max(candidates) + 1
        assert folder.rejected["too few receivers"] and folder.rejected["gdop"]


def test_a_row_is_what_the_scalar_form_makes_of_its_links(programs, made):
    how = Settings(WORKLOAD, programs)
    forms = merged_program(programs)
    signals = np.load(made["npy"] / "iq-00000.npy")
    for row in pq.read_table(made["npy"] / "samples-00000.parquet").to_pylist()[:6]:
        links = links_of(KEPT["npy"], np.array([row["candidate"]]))
        there = links.there[0]
        assert row["mask"] == links.heard[0][there].tolist()
        assert row["snr_db"] == np.float32(links.snr_db[0][there]).tolist()
        assert row["gdop"] == np.float32(links.gdop[0])
        heard = np.flatnonzero(links.heard[0])
        for at, lane in enumerate(samples_of(KEPT["npy"], links)):
            outputs, failed = how.scalar(forms, lane)
            assert not failed
            features = row["features"][heard[at]]
            assert features == pytest.approx(outputs["link_clear_features"], rel=1e-4)
            expected = np.asarray(outputs["link_clear_signal"][1])
            np.testing.assert_allclose(
                signals[row["iq_first"] + at],
                expected,
                atol=1e-5 * np.sqrt(np.mean(np.abs(expected) ** 2)),
            )
        unheard = [f for f, mask in zip(row["features"], row["mask"], strict=True) if not mask]
        assert all(not any(features) for features in unheard)


def test_a_recording_is_sigmf(made):
    sigmf = pytest.importorskip("sigmf")
    recording = sigmf.fromfile(made["sigmf"] / "iq-00000.sigmf-meta")
    recording.validate()
    signals = np.load(made["npy"] / "iq-00000.npy")
    assert len(recording.get_captures()) == len(signals)
    for number, one in enumerate(signals):
        np.testing.assert_array_equal(recording.read_samples_in_capture(number), one)


def test_mb_reads_it_back(made):
    dataset = mb.ResidentDataset(made["none"], split=(1.0,), say=None)
    (batch,) = dataset.epoch(30)
    assert batch["features"].shape[0] == 30 and batch["features"].shape[2] == 18
    assert batch["features"].dtype == np.float32
    assert (batch["mask"] <= batch.mask("features")).all()
    assert (batch["mask"].sum(axis=1) >= 3).all()


# What is not right


def test_signals_of_another_power_are_rejected(tmp_path):
    unscaled = CHAIN.replace("set_power(clean, P)", "scale(clean, 1)")
    programs = str(compiled(tmp_path, unscaled, *OF_SIGNALS))
    with pytest.raises(Fruitless, match=r"once its signals are made \(not finite 0, power 1,"):
        generated(tmp_path / "made", programs, replace(SMALL, batch_size=4096))
    assert opened(tmp_path / "made", programs, SMALL).accepted == 0


def test_a_folder_is_neither_mixed_nor_deleted_unless_asked(
    tmp_path_factory, programs, made, undisturbed
):
    folder = copied(made["none"], tmp_path_factory)
    with pytest.raises(DatasetRefused, match="seed was 0 and is 1. Only num_samples and"):
        opened(folder, programs, replace(SMALL, seed=1))
    with pytest.raises(DatasetRefused, match="there is a dataset in it; .* with --resume"):
        begin(folder, SMALL, "")
    assert content(folder) == undisturbed
    begin(folder, SMALL, "", overwrite=True)
    assert content(folder) == {}


def truncated(path):
    path.write_bytes(path.read_bytes()[:-40])


def of_something_else(path):
    pq.write_table(pa.table({"a": [1]}), path)


@settings(max_examples=10)
@given(
    harms=st.dictionaries(
        st.integers(0, 3), st.sampled_from([Path.unlink, truncated, of_something_else]), min_size=1
    ),
    stops=st.lists(st.integers(1, 20), max_size=2),
)
def test_files_that_were_harmed_are_made_again(
    tmp_path_factory, programs, undisturbed, made, harms, stops
):
    folder = copied(made["none"], tmp_path_factory)
    for number, harm in harms.items():
        harm(folder / f"samples-{number:05d}.parquet")
    damaged = opened(folder, programs, SMALL).damaged
    named = {number for number in harms if any(f"samples-{number:05d}" in line for line in damaged)}
    # the last files, where they are gone, are as if they had never been there
    there = max((n for n in range(4) if harms.get(n) is not Path.unlink), default=-1)
    assert named == {number for number in harms if number <= there}
    for stop_after in [*stops, None]:
        again = generated(folder, programs, SMALL, stop_after=stop_after)
    assert content(folder) == undisturbed and again.missing == 0
    assert again.folder.accepted == 30 and opened(folder, programs, SMALL).damaged == []


@given(kept=st.sampled_from(["npy", "sigmf"]), data=st.data())
def test_a_bit_of_any_file_is_noticed_or_changes_nothing(
    tmp_path_factory, programs, made, kept, data
):
    folder = copied(made[kept], tmp_path_factory)
    name = data.draw(st.sampled_from(sorted(path.name for path in folder.iterdir())))
    (folder / name).write_bytes(data.draw(flipped_bits((folder / name).read_bytes())))
    try:
        harmed = opened(folder, programs, KEPT[kept])
    except DatasetRefused as error:
        assert name == "dataset.json" and "dataset.json: " in str(error)
        return
    if harmed.damaged:
        assert name in harmed.damaged[0]
        generated(folder, programs, KEPT[kept])
        assert content(folder) == content(made[kept])
    elif name.endswith(".npy"):
        assert (np.load(folder / name) == np.load(made[kept] / name)).all()
    else:
        assert name == "dataset.json"


def test_a_dataset_of_other_programs_is_not_gone_on_with(made, tmp_path):
    other = compiled(tmp_path, CHAIN.replace("repeat(level, 18)", "repeat(0, 18)"), *OF_SIGNALS)
    with pytest.raises(DatasetRefused, match="other programs have begun the dataset in it"):
        opened(made["none"], str(other), SMALL)


# The command


TOML = """
num_samples = 100000
duration_ms = 5
enable_multipath = false
enable_fading = false
min_snr_db = 10
max_gdop = 1.5
"""


@pytest.fixture
def run(tmp_path, programs):
    """Return a function that gives the arguments for `megabatt run` of a dataset to a folder."""
    config = tmp_path / "dataset.toml"
    config.write_text(TOML)
    options = ["--workload", "signals", "--batt", programs, "--config", config, "--workers", 2]

    def arguments(out, *more):
        return [str(a) for a in ("run", *options, "--out", tmp_path / out, *more)]

    return arguments


def test_candidates_are_counted_where_none_is_accepted(tmp_path, run):
    (tmp_path / "dataset.toml").write_text(TOML.replace("1.5", "0.0001"))
    done = megabatt(*run("none"), status=1)
    count = r"none of the last ([\d,]+) candidates was accepted: \d+ % have a gdop above max_gdop"
    told = int(re.search(count, done.stdout)[1].replace(",", ""))
    summary = json.loads((tmp_path / "none" / "summary.json").read_text())
    assert summary["candidates"] == sum(summary["rejected"].values()) == told > 100_000


def started(*words):
    """Start Python on some words; return its process, which keeps what it prints."""
    return subprocess.Popen(
        [sys.executable, *map(str, words)], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def assert_goes_on(folder, other, programs, configuration):
    """Go on with a dataset; assert that it is then the one that is made in another folder."""
    made, whole = (generated(path, programs, configuration) for path in (folder, other))
    assert made.folder.damaged == [] and made.folder.rejected == whole.folder.rejected
    assert content(folder) == content(other)


@pytest.mark.parametrize(
    "sent, status",
    [
        pytest.param("SIGINT", 130, marks=pytest.mark.long),
        pytest.param("SIGTERM", 143, marks=pytest.mark.long),
        ("SIGKILL", -9),
    ],
)
def test_a_run_that_is_ended_goes_on_where_it_was(
    tmp_path, programs, run, sent, status, monkeypatch
):
    process = started("run_batt.py", *run("ended"))
    first = tmp_path / "ended" / "samples-00000.parquet"
    wait_for(first.exists, process)
    process.send_signal(getattr(signal, sent))
    found, printed, _ = ended(process)
    assert found == status, printed
    assert "Traceback" not in printed
    files = (tmp_path / "ended").glob("samples-*.parquet")
    there = sum(pq.read_metadata(path).num_rows for path in files)
    assert 1024 <= there < 100_000
    configuration = read_configuration(tmp_path / "dataset.toml")
    configuration = replace(configuration, num_samples=there + 50, batch_size=700)
    assert (tmp_path / "ended" / "summary.json").exists() == (sent != "SIGKILL")
    monkeypatch.setattr(files_module, "_ROWS", 1024)
    assert_goes_on(tmp_path / "ended", tmp_path / "whole", programs, configuration)


SAVES_OFTEN = """
from megabatt.command_line import main, run
from megabatt.runtime.signal.dataset import files, generation

files._ROWS, files._IQ_BYTES, generation._SAVE_SECONDS = 8, 1 << 14, 0.0
main.main(prog_name="megabatt")
"""
"""The command with small files, which it writes whenever a sample is there."""


@pytest.mark.parametrize(
    ("kept", "seed"),
    [
        ("npy", 0),
        *(
            pytest.param(kept, seed, marks=pytest.mark.long)
            for kept in ("npy", "sigmf", "none")
            for seed in range(1, 8)
        ),
    ],
)
def test_a_run_killed_while_it_writes_loses_nothing(tmp_path, programs, kept, seed, monkeypatch):
    chance, folder = random.Random(seed), tmp_path / "killed"
    configuration = replace(SMALL, num_samples=60, keep_iq=kept, batch_size=4)
    (tmp_path / "killed.toml").write_text(
        "".join(
            f"{key} = {json.dumps(value)}\n"
            for key, value in as_table(configuration).items()
            if key not in ("receivers", "snr_db")
        )
    )
    words = ["run", "--workload", "signals", "--batt", programs, "--config",
             tmp_path / "killed.toml", "--out", folder, "--resume", "--workers", "1"]  # fmt: skip

    def samples():
        """Count them, as far as they are written. Where a file is replaced it stays whole."""
        found = 0
        for path in folder.glob("samples-*.parquet"):
            with suppress(FileNotFoundError):
                found += pq.read_metadata(path).num_rows
        return found

    for _ in range(3 if kept == "npy" and not seed else 8):
        before = samples()
        process = started("-c", SAVES_OFTEN, *words)
        wait_for(lambda before=before: samples() > before, process)
        time.sleep(chance.random() * 0.05)
        process.kill()
        _, printed, _ = ended(process)
        assert samples() >= before and "damaged" not in printed and "Traceback" not in printed
    monkeypatch.setattr(files_module, "_IQ_BYTES", 1 << 14)
    assert_goes_on(folder, tmp_path / "whole", programs, configuration)


def test_a_worker_that_dies_is_replaced(tmp_path, programs, undisturbed, monkeypatch):
    died = []

    def killed(generation, worker, unit, configuration):
        if not died:
            died.append(worker)
            return worker.submit(os._exit, 1)
        return worker.submit(measure, generation.settings, configuration, unit, "cpu")

    monkeypatch.setattr(Generation, "_submit", killed)
    made = generated(tmp_path, programs, replace(SMALL, batch_size=40), workers=2)
    assert content(tmp_path) == undisturbed
    assert any("batches made smaller" in note for note in made.notes)


def test_the_command_makes_it_goes_on_and_says_so(tmp_path, run):
    (tmp_path / "dataset.toml").write_text(TOML.replace("100000", "20"))
    printed(*run("made"))
    summary = json.loads((tmp_path / "made" / "summary.json").read_text())
    assert summary["samples"] == 20 and summary["samples_missing"] == 0
    assert summary["candidates"] == 20 + sum(summary["rejected"].values())
    assert summary["signals_this_run"] > 20
    printed(*run("made", "--resume"))
    summary = json.loads((tmp_path / "made" / "summary.json").read_text())
    assert summary["samples"] == 20 and summary["signals_this_run"] == 0
    refused = megabatt(*run("made"))
    assert refused.returncode == 2 and "--resume" in refused.stderr
    (tmp_path / "dataset.toml").write_text(TOML.replace("100000", "25"))
    more = megabatt(*run("made", "--resume"))
    assert more.returncode == 0 and "there already: 20 samples" in more.stdout
    assert mb.ResidentDataset(tmp_path / "made", say=None).sizes == [25]
    told = json.loads((tmp_path / "made" / "dataset.json").read_text())
    assert told["configuration"]["num_samples"] == 25
    (tmp_path / "dataset.toml").write_text(TOML.replace("100000", "24"))
    fewer = megabatt(*run("made", "--resume"), status=2)
    assert "num_samples is 24, and the dataset in it has 25" in " ".join(fewer.stderr.split())


def test_a_configuration_that_is_wrong_is_refused_before_anything_is_written(tmp_path, run):
    (tmp_path / "dataset.toml").write_text("num_sample = 3\nseed = -1")
    done = megabatt(*run("none"), status=2)
    message = " ".join(done.stderr.split())
    assert "did you mean num_samples?" in message and "seed is -1" in message
    assert not (tmp_path / "none").exists()


def test_a_folder_that_another_run_writes_to_is_refused(tmp_path, run):
    (tmp_path / "taken").mkdir()
    with locked(Store.at(tmp_path / "taken"), ".run.lock", "in use"):
        refused = megabatt(*run("taken"))
    assert refused.returncode == 2
    assert "in use by another run (process" in " ".join(refused.stderr.split())
    assert list((tmp_path / "taken").iterdir()) == []
