"""A dataset is the same in any batches, by any number of workers, in one run or several."""

import json
import os
import random
import re
import shutil
import signal
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from unittest import mock

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
from megabatt.runtime.megabatch.run import compute as compute_module
from megabatt.runtime.megabatch.run.manifest import program_digest
from megabatt.runtime.megabatch.run.stopping import Stop
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.signal.constants import MODULATIONS
from megabatt.runtime.signal.dataset import files as files_module
from megabatt.runtime.signal.dataset import generation, rejection
from megabatt.runtime.signal.dataset.configuration import Configuration, as_table
from megabatt.runtime.signal.dataset.files import DatasetRefused, begin, go_on
from megabatt.runtime.signal.dataset.generation import Generation
from megabatt.runtime.signal.dataset.links import links_of
from megabatt.runtime.signal.dataset.measuring import Unmeasured, measure, samples_of
from megabatt.runtime.signal.dataset.rejection import Fruitless
from megabatt.runtime.signal.parameters import value_of
from megabatt.runtime.signal.workload import WORKLOAD
from tests.examples import examples
from tests.megabatch.commands import compiled, megabatt, printed
from tests.megabatch.runs import ended, started, summary_in, wait_for
from tests.mutants_of_files import flipped_bits

SCALED = "set_power(fm_tone(P, K), P)"
CHAIN = f"""
def link_clear_features(P, K):
    return repeat(power_dbm(awgn({SCALED}, P, K)), 18)


def link_clear_power(P, K):
    return power_dbm({SCALED})


def link_clear_signal(P, K):
    return awgn({SCALED}, P, K)
"""
"""A chain that compiles fast; all its features are the level."""

SMALL = Configuration(
    num_samples=30, duration_ms=0.5, enable_multipath=False, enable_fading=False, min_snr_db=10.0,
    max_gdop=1.5,
)


OF_SIGNALS = "--language", "megabatt.runtime.signal"


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    return str(compiled(tmp_path_factory.mktemp("chain"), CHAIN, *OF_SIGNALS))


@pytest.fixture(scope="module", autouse=True)
def small_files():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files_module, "_ROWS", 8)
        yield


def opened(folder, programs, configuration):
    """Go on with a folder's dataset, as the command does; return the folder."""
    return go_on(folder, configuration, program_digest(Settings(WORKLOAD, programs), own=False))


def generated(folder, programs, configuration, workers=1, stop_after=None):
    """Go on with a folder's dataset until `stop_after` samples are made; return the generation."""
    stop, come = Stop(), []

    def progress(samples):
        come.append(samples)
        stop.asked = stop_after is not None and sum(come) >= stop_after

    how = Settings(WORKLOAD, programs, workers=workers)
    made = Generation(how, configuration, opened(folder, programs, configuration), stop, progress)
    made.run()
    return made


def content(folder):
    """Return the content of a dataset's folder, by file name."""
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
    """Make a dataset for each way to keep signals; return the folders."""
    folders = {kept: tmp_path_factory.mktemp(kept) for kept in KEPT}
    for kept, configuration in KEPT.items():
        generated(folders[kept], programs, configuration)
    return folders


def test_a_dataset_has_the_configured_numbers_of_samples_and_counts_all_candidates(programs, made):
    files = [rows for rows, _ in content(made["none"]).values()]
    assert [len(rows) for rows in files] == [8, 8, 8, 6]
    candidates = [row["candidate"] for rows in files for row in rows]
    assert candidates == sorted(set(candidates))
    folder = opened(made["none"], programs, SMALL)
    assert folder.accepted == len(candidates)
    assert sum(folder.rejected.values()) + len(candidates) == max(candidates) + 1
    assert folder.rejected["too few receivers"] and folder.rejected["gdop"]


@settings(max_examples=examples(8))
@given(
    kept=st.sampled_from(["none", "none", *KEPT]),
    batch_size=st.integers(1, 70),
    stops=st.lists(st.tuples(st.integers(1, 30), st.integers(1, 20)), max_size=3).map(sorted),
    workers=st.just(1),
)
@example(kept="npy", batch_size=7, stops=[(12, 5), (12, 4)], workers=1)
@example(kept="sigmf", batch_size=7, stops=[(12, 5), (12, 4)], workers=1)
@example(kept="none", batch_size=16, stops=[(5, 9), (16, 20), (17, 9)], workers=2)
def test_a_dataset_is_the_same_in_any_batches_with_any_stops_by_several_workers_and_asked_for_later(
    tmp_path_factory, programs, made, kept, batch_size, stops, workers
):
    folder = tmp_path_factory.mktemp("disturbed")
    whole = KEPT[kept].num_samples
    for asked, stop_after in [*stops, (whole, None)]:
        asked = min(asked, whole)
        configuration = replace(KEPT[kept], batch_size=batch_size, num_samples=asked)
        generated(folder, programs, configuration, workers, stop_after)
        batch_size = 71 - batch_size
    assert content(folder) == content(made[kept])


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
    named = ["iq", "label", "mask", "features", "candidate", "iq_first"]
    options = {"split": (1.0,), "columns": named, "memory": memory}
    dataset = mb.ResidentDataset(modulated, **options, say=(said := []).append)
    also = "; and iq, read batch by batch"
    assert said[-1].endswith(also) and repr(dataset).endswith(f"iq_first{also})")
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
        assert batch["iq"].dtype == np.complex64 and batch["features"].dtype == np.float32
        assert batch["iq"].shape[::2] == (len(batch.rows), MODULATED.signal_length)
        assert batch["features"].shape[::2] == (len(batch.rows), 18)
        for at, candidate in enumerate(batch["candidate"].tolist()):
            row, signals = rows[candidate]
            heard = np.flatnonzero(row["mask"])
            wanted = signals[row["iq_first"] :][: len(heard)]
            np.testing.assert_array_equal(batch["iq"][at][heard], wanted)
            assert not np.delete(batch["iq"][at], heard, axis=0).any()
            assert dataset.words["label"][batch["label"][at]] == row["label"]
            met += 1
    assert met == len(rows) == 20


def test_signals_that_are_gone_are_named(modulated, tmp_path_factory):
    folder = copied(modulated, tmp_path_factory)
    (folder / "iq-00001.npy").unlink()
    dataset = mb.ResidentDataset(folder, columns=["iq"], split=(1.0,), say=None)
    with pytest.raises(mb.DatasetError, match="iq-00001.npy: cannot be read"):
        list(dataset.epoch(20))


def test_a_row_is_what_the_scalar_form_makes_of_its_links(programs, made):
    how, forms = Settings(WORKLOAD, programs), merged_program(programs)
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
            level = np.sqrt(np.mean(np.abs(expected) ** 2))
            np.testing.assert_allclose(signals[row["iq_first"] + at], expected, atol=1e-5 * level)
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


# What is not right


def test_signals_of_another_power_are_rejected(tmp_path):
    unscaled = CHAIN.replace(SCALED, "scale(fm_tone(P, K), 1)")
    programs = str(compiled(tmp_path, unscaled, *OF_SIGNALS))
    with pytest.raises(Fruitless, match=r"once its signals are made \(not finite 0, power 1,"):
        generated(tmp_path / "made", programs, replace(SMALL, batch_size=4096))
    assert opened(tmp_path / "made", programs, SMALL).accepted == 0


@pytest.mark.parametrize("kept", ["slice_time({}, 0, 0)", "resample({}, 2, 1)", "psd({})"])
def test_a_kept_signal_that_is_none_of_the_length_is_rejected(tmp_path, monkeypatch, kept):
    monkeypatch.setattr(generation, "_FRUITLESS", 40)
    noisy = f"awgn({SCALED}, P, K)"
    chain = CHAIN.replace(f"return {noisy}", f"return {kept.format(noisy)}")
    programs = str(compiled(tmp_path, chain, *OF_SIGNALS))
    with pytest.raises(Fruitless, match="not finite [1-9]"):
        generated(tmp_path / "made", programs, replace(KEPT["npy"], batch_size=200))


def test_it_is_the_same_by_several_workers_where_no_more_is_found(tmp_path, programs, monkeypatch):
    """The samples that workers measure meanwhile are kept."""
    monkeypatch.setattr(rejection, "_FRUITLESS", 1000)
    rare, why = replace(SMALL, max_gdop=0.66), []
    for workers in (1, 2):
        with pytest.raises(Fruitless) as ended:
            generated(tmp_path / str(workers), programs, rare, workers)
        why.append((str(ended.value), ended.value.rejected))
    assert why[0] == why[1] and content(tmp_path / "1")
    assert content(tmp_path / "1") == content(tmp_path / "2")


def test_a_folder_is_neither_mixed_nor_deleted_unless_asked(
    tmp_path_factory, programs, made, modulated
):
    turned = replace(MODULATED, modulations=MODULATED.modulations[::-1])  # has other labels
    with pytest.raises(DatasetRefused, match="modulations was .*bpsk"):
        go_on(modulated, turned, "")
    folder = copied(made["none"], tmp_path_factory)
    with pytest.raises(DatasetRefused, match="seed was 0 and is 1. Only num_samples and"):
        opened(folder, programs, replace(SMALL, seed=1))
    other = compiled(folder.parent, CHAIN.replace(", 18)", ", 0)"), *OF_SIGNALS)
    with pytest.raises(DatasetRefused, match="other programs have begun the dataset in it"):
        opened(folder, str(other), SMALL)
    with pytest.raises(DatasetRefused, match="there is a dataset in it; .* with --resume"):
        begin(folder, SMALL, "")
    assert content(folder) == content(made["none"])
    begin(folder, SMALL, "", overwrite=True)
    assert content(folder) == {}


def truncated(path):
    path.write_bytes(path.read_bytes()[:-40])


def of_something_else(path):
    pq.write_table(pa.table({"a": [1]}), path)


@settings(max_examples=examples(6))
@given(
    harms=st.dictionaries(
        st.integers(0, 3), st.sampled_from([Path.unlink, truncated, of_something_else]), min_size=1
    ),
    stops=st.lists(st.integers(1, 20), max_size=2),
)
def test_files_that_were_harmed_are_made_again(tmp_path_factory, programs, made, harms, stops):
    folder = copied(made["none"], tmp_path_factory)
    for number, harm in harms.items():
        harm(folder / f"samples-{number:05d}.parquet")
    damaged = opened(folder, programs, SMALL).damaged
    named = {number for number in harms if any(f"samples-{number:05d}" in line for line in damaged)}
    # missing last files leave no trace
    there = max((n for n in range(4) if harms.get(n) is not Path.unlink), default=-1)
    assert named == {number for number in harms if number <= there}
    for stop_after in [*stops, None]:
        again = generated(folder, programs, SMALL, stop_after=stop_after)
    assert content(folder) == content(made["none"]) and again.missing == 0
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


# The command


@pytest.fixture
def run(tmp_path, programs):
    """Return a function that gives the words of `megabatt run` for SMALL, with changes."""
    def words(out, *more, **changed):
        config, table = tmp_path / "dataset.toml", as_table(replace(SMALL, **changed))
        kept = {key: table[key] for key in table.keys() - {"receivers", "snr_db", "modulations"}}
        config.write_text("\n".join(f"{key} = {json.dumps(kept[key])}" for key in kept))
        return ["run", "--workload", "signals", "--batt", programs, "--config", config,
                "--out", tmp_path / out, "--workers", 1, *more]  # fmt: skip

    return words


def test_candidates_are_counted_where_none_is_accepted(tmp_path, run):
    done = megabatt(*run("none", max_gdop=0.0001), status=1)
    count = r"none of the last ([\d,]+) candidates was accepted: \d+ % have a gdop above max_gdop"
    told = int(re.search(count, done.stdout)[1].replace(",", ""))
    summary = summary_in(tmp_path / "none")
    assert summary["candidates"] == sum(summary["rejected"].values()) == told > 100_000


def assert_goes_on(folder, other, programs, configuration):
    """Go on with a dataset; assert that it then equals a dataset made in another folder."""
    made, whole = (generated(path, programs, configuration) for path in (folder, other))
    assert made.folder.damaged == [] and made.folder.rejected == whole.folder.rejected
    assert content(folder) == content(other)


SAVES_OFTEN = """
from megabatt.command_line import main, run
from megabatt.runtime.signal.dataset import files, generation

files._ROWS, files._IQ_BYTES, generation._SAVE_SECONDS = 8, 1 << 14, 0.0
main.main(prog_name="megabatt")
"""
"""The command with small files, which it writes after every sample."""


@pytest.mark.parametrize(
    ("kept", "seed"),
    [("npy", 0), *(pytest.param(kept, seed, marks=pytest.mark.long)
                   for kept in KEPT for seed in range(1, 8))],
)  # fmt: skip
def test_a_run_ended_or_killed_while_it_writes_loses_nothing(
    tmp_path, programs, run, kept, seed, monkeypatch
):
    chance, folder = random.Random(seed), tmp_path / "killed"
    changed = {"num_samples": 60, "keep_iq": kept, "batch_size": 4}
    statuses = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -signal.SIGKILL}

    def samples():
        """Count the written samples. A file stays whole while it is replaced."""
        found = 0
        for path in folder.glob("samples-*.parquet"):
            with suppress(FileNotFoundError):
                found += pq.read_metadata(path).num_rows
        return found

    few = kept == "npy" and not seed
    for sent in list(statuses)[::2] if few else [*statuses, *[signal.SIGKILL] * 6]:
        before, workers = samples(), ["--workers", 1 + (sent == signal.SIGINT)]
        words = run("killed", "--resume", *workers, **changed)
        process = started(run=words, program=("-c", SAVES_OFTEN))
        wait_for(lambda before=before: samples() > before, process)
        time.sleep(chance.random() * 0.05)
        process.send_signal(sent)
        status, told, errors = ended(process)
        assert status in (0, statuses[sent]) and "Traceback" not in errors, errors
        assert samples() >= before and "damaged" not in told
        assert sent == signal.SIGKILL or (folder / "summary.json").exists()
    assert samples()
    monkeypatch.setattr(files_module, "_IQ_BYTES", 1 << 14)
    assert_goes_on(folder, tmp_path / "whole", programs, replace(SMALL, **changed))


def test_a_candidate_whose_signals_cannot_be_computed_is_not_rejected(
    tmp_path, programs, made, monkeypatch
):
    """The run ends with its number and the reason, and goes on later, with more memory."""
    rows, _ = content(made["none"])["samples-00001.parquet"]
    large = rows[2]["candidate"]

    def out_of_memory(self, forms, sample):
        if sample.sample == large:
            raise MemoryError("too little")
        return in_memory(self, forms, sample)

    in_memory = Settings.scalar
    with monkeypatch.context() as patch:
        patch.setattr(Settings, "scalar", out_of_memory)
        patch.setattr(compute_module, "_vectorized", mock.Mock(side_effect=MemoryError))
        with pytest.raises(Unmeasured, match=f"candidate {large}: MemoryError: too little"):
            generated(tmp_path, programs, SMALL)
    generated(tmp_path, programs, SMALL)
    found = [row["candidate"] for rows, _ in content(tmp_path).values() for row in rows]
    assert found == [row["candidate"] for rows, _ in content(made["none"]).values() for row in rows]


def test_a_worker_that_dies_is_replaced(tmp_path, programs, made, monkeypatch):
    died = []

    def killed(generation, worker, unit, configuration):
        if not died:
            died.append(worker)
            return worker.submit(os._exit, 1)
        return worker.submit(measure, generation.settings, configuration, unit, "cpu")

    monkeypatch.setattr(Generation, "_submit", killed)
    replaced = generated(tmp_path, programs, replace(SMALL, batch_size=40), workers=2)
    assert content(tmp_path) == content(made["none"])
    assert any("batches made smaller" in note for note in replaced.notes)


def assert_gone_and_foreign_files_are_named(folder, run):
    """Assert what is said of a last file that is not there, or is of another dataset."""
    last, other = max(folder.glob("samples-*.parquet")), folder.with_name("other")
    content = last.read_bytes()
    printed(*run("other", num_samples=25, seed=8))
    run("made", num_samples=25)  # its configuration again
    for found, fault in ((None, "missing"), (other / last.name, "of another run")):
        last.unlink()
        if found is not None:
            shutil.copy(found, last)
        said = " ".join(megabatt("report", folder, status=2).stderr.split())
        with pytest.raises(mb.DatasetError, match=f"{last.name}: it is {fault}; --resume of the"):
            mb.ResidentDataset(folder, say=None)
        assert f"{last.name}: it is {fault}; --resume of the" in said
        last.write_bytes(content)


def test_the_command_makes_a_dataset_goes_on_and_says_so(tmp_path, run):
    signals = []
    for more in ([], ["--resume"]):
        printed(*run("made", *more, num_samples=20))
        summary = summary_in(tmp_path / "made")
        assert summary["samples"] == 20 and summary["samples_missing"] == 0
        assert summary["candidates"] == 20 + sum(summary["rejected"].values())
        signals.append(summary["signals_this_run"])
    assert signals[0] > 20 and signals[1] == 0
    assert "--resume" in megabatt(*run("made", num_samples=20), status=2).stderr
    told = printed(*run("made", "--resume", num_samples=25))
    assert "there already: 20 samples" in told
    assert mb.ResidentDataset(tmp_path / "made", say=None).sizes == [25]
    assert_gone_and_foreign_files_are_named(tmp_path / "made", run)
    kept = json.loads((tmp_path / "made" / "dataset.json").read_text())
    assert kept["configuration"]["num_samples"] == 25
    fewer = megabatt(*run("made", "--resume", num_samples=24), status=2)
    assert "num_samples is 24, and the dataset in it has 25" in " ".join(fewer.stderr.split())


def test_a_configuration_that_is_wrong_is_refused_before_anything_is_written(tmp_path, run):
    words = run("none")
    (tmp_path / "dataset.toml").write_text("num_sample = 3\nseed = -1")
    message = " ".join(megabatt(*words, status=2).stderr.split())
    assert "did you mean num_samples?" in message and "seed is -1" in message
    assert not (tmp_path / "none").exists()


def test_a_folder_that_another_run_writes_to_is_refused(tmp_path, run):
    (tmp_path / "taken").mkdir()
    with locked(Store.at(tmp_path / "taken"), ".run.lock", "in use"):
        refused = megabatt(*run("taken"), status=2)
    assert "in use by another run (process" in " ".join(refused.stderr.split())
    assert list((tmp_path / "taken").iterdir()) == []
