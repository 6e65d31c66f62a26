"""A configuration is right, or its error names every wrong key."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.signal.dataset.configuration import (
    KEYS,
    Configuration,
    ConfigurationError,
    as_table,
    differences,
    from_table,
    read_configuration,
)

RECEIVER = '[[receivers]]\nname = "{}"\nlatitude = {}\nlongitude = {}\n'.format
ONE_RECEIVER = RECEIVER("a", 45, 7.5)
NETWORK_OF_THREE = ONE_RECEIVER + RECEIVER("b", 46.0, 8.5) + RECEIVER("c", 45.5, 9.5)


@pytest.fixture
def read(tmp_path):
    """Return a function that reads a text as a configuration."""

    def of(text):
        path = tmp_path / "dataset.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_configuration(path)

    return of


def test_an_empty_file_has_the_defaults(read):
    assert read("") == from_table(as_table(Configuration())) == Configuration()
    assert set(as_table(Configuration())) == set(KEYS)


GIVEN = {
    "dataset_name": "harbour", "num_samples": 7, "seed": 9223372036854775807, "frequency_mhz": 433,
    "tx_power_dbm": 30.5, "noise_floor_dbm": -115, "snr_db": 12, "sample_rate_hz": 48000,
    "duration_ms": 20, "enable_multipath": False, "enable_fading": False, "min_snr_db": 5,
    "max_gdop": 20, "use_random_receivers": False, "min_receivers": 3, "max_receivers": 4,
    "batch_size": 16, "keep_iq": "sigmf",
}  # fmt: skip


def test_every_key_is_read(read):
    text = "".join(f"{name} = {json.dumps(value)}\n" for name, value in GIVEN.items())
    found = read(f'{text}modulations = {{bpsk = "PSK2", qam = "QAM16"}}\n{NETWORK_OF_THREE}')
    assert set(GIVEN) | {"modulations", "receivers"} == set(KEYS)
    assert {name: getattr(found, name) for name in GIVEN} == GIVEN
    assert found.signal_length == 960
    assert [receiver.name for receiver in found.receivers] == ["a", "b", "c"]
    assert found.most_receivers == 3
    assert found.modulations == (("bpsk", "PSK2"), ("qam", "QAM16"))
    assert from_table(json.loads(json.dumps(as_table(found)))) == found
    assert type(found.frequency_mhz) is float


@pytest.mark.parametrize("written, kept", [("true", "npy"), ("false", "none"), ('"npy"', "npy")])
def test_signals_are_kept_where_that_is_asked(read, written, kept):
    assert read(f"keep_iq = {written}").keep_iq == kept


@pytest.mark.parametrize(
    "text, message",
    [("num_sample = 3", "unknown key num_sample; did you mean num_samples?"),
     ("colour = 3", "unknown key colour; the keys are dataset_name, num_samples"),
     ("num_samples = 0", "num_samples is 0; it must be from 1 to 1,000,000,000"),
     ("num_samples = 10.0", "num_samples is 10.0; it must be an integer"),
     ("num_samples = true", "num_samples is True; it must be an integer"),
     ("enable_fading = 1", "enable_fading is 1; it must be true or false"),
     ('keep_iq = "wav"', 'keep_iq is \'wav\'; it must be true, false or "none", "npy" or "sigmf"'),
     ("keep_iq = [1]", "keep_iq is [1]; it must be"),
     ('dataset_name = " "', "dataset_name is empty"),
     ("min_receivers = 11", "min_receivers is 11; it must not be above max_receivers, 10"),
     ("use_random_receivers = false\nmin_receivers = 8", "the network has 7 receivers"),
     ("sample_rate_hz = 1e9\nduration_ms = 1e6", "is a signal of 1,000,000,000,000 samples"),
     ("sample_rate_hz = 1\nduration_ms = 1", "is a signal of 0 samples; it may have 80 to"),
     ("snr_db = 1", "snr_db is 1.0, below min_snr_db, 3.0: no link is heard"),
     ('modulations = ["PSK2", "psk4"]', "'psk4' is not \"AM\", \"PSK2\""),
     ('modulations = ["PSK2", "FM"]', "FM cannot be mixed in: FM is sent without this key"),
     ('modulations = ["BPSK"]', "did you mean PSK2?"),
     ('modulations = ["qpsk"]', "did you mean PSK4?"),
     ('modulations = {a = "64-QAM"}', "did you mean QAM64?"),
     ('modulations = {" " = "PSK2"}', "modulations must be a list such as"),
     ("modulations = []", "modulations is empty; without this key, FM is sent"),
     ('modulations = ["PSK2", "AM", "PSK2"]', "modulations: 'PSK2' is repeated"),
     ('modulations = {a = "AM", b = "AM"}', "modulations: 'AM' is repeated"),
     ("receivers = [3]", "receivers must be tables"),
     (ONE_RECEIVER, "there is 1 receiver; a network needs 3 or more"),
     (NETWORK_OF_THREE.replace('"c"', '"a"'), "receivers: 'a' is repeated"),
     (NETWORK_OF_THREE.replace("45.5", "95.5"), "number 3: latitude is 95.5; it must be from -90"),
     (NETWORK_OF_THREE.replace("9.5", '"E"'), "number 3: longitude is 'E'; it must be a number"),
     (NETWORK_OF_THREE.replace('name = "b"', ""), "receivers, number 2: name missing"),
     (NETWORK_OF_THREE + "height = 3", "receivers, number 3: unknown key height"),
     ("num_samples = ", "not TOML"),
     (f"frequency_mhz = [{1 << 20000:#x}]", "far more than 64 bits"),
     (b"\xff\xfe", "not TOML")],
)  # fmt: skip
def test_a_mistake_is_named_with_its_file(read, text, message):
    with pytest.raises(ConfigurationError) as raised:
        read(text)
    assert "dataset.toml: " in str(raised.value)
    assert message in str(raised.value)


def test_all_mistakes_are_named_at_once(read, tmp_path):
    with pytest.raises(ConfigurationError) as raised:
        read("nmu_samples = 1\nseed = -1\nkeep_iq = 7")
    assert [line.count("dataset.toml: ") for line in str(raised.value).splitlines()] == [1, 1, 1]
    with pytest.raises(ConfigurationError, match="none.toml: cannot be read"):
        read_configuration(tmp_path / "none.toml")


NUMBERS = {name: key for name, key in KEYS.items() if key.kind in (int, float)}


@given(name=st.sampled_from(sorted(NUMBERS)), value=st.integers() | st.floats())
def test_a_number_is_within_its_range_or_refused(tmp_path_factory, name, value):
    path = tmp_path_factory.mktemp("configuration") / "dataset.toml"
    lines = [f"{key} = {given}" for key, given in {"min_snr_db": -300, name: value}.items()]
    path.write_text("\n".join(lines))
    key = NUMBERS[name]
    try:
        found = read_configuration(path)
    except ConfigurationError as error:
        assert name in str(error)
    else:
        kept = getattr(found, name)
        assert kept == value and type(kept) is key.kind and math.isfinite(kept)
        assert key.least <= kept <= key.most


def test_keys_that_may_differ_when_a_dataset_goes_on(read):
    written = as_table(Configuration())
    assert differences(read("num_samples = 3\nbatch_size = 1"), written) == []
    assert len(differences(read(NETWORK_OF_THREE), written)) == 1
