"""Signals are drawn as they are: the tests compute the plots' values a second time."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from megabatt.runtime.megabatch.pictures import Panel, Row
from megabatt.runtime.signal.constants import FEATURES, STATISTICS
from megabatt.runtime.signal.parameters import record
from megabatt.runtime.signal.workload.pictures import (
    SignalPicture,
    SpectrumPicture,
    envelope_of,
    picture_of,
    spectrum_of,
    waterfall_of,
)

RATE = 8000.0
TIMES = np.arange(4096) / RATE
TONE = np.exp(2j * np.pi * 1000.0 * TIMES).astype(np.complex64)


@given(length=st.integers(1, 3000), bins=st.integers(1, 600), seed=st.integers(0, 9))
def test_the_bins_of_a_spectrum_add_up_to_the_power_of_whole_segments(length, bins, seed):
    random = np.random.default_rng(seed)
    samples = (random.normal(size=length) + 1j * random.normal(size=length)).astype(np.complex64)
    frequencies, power = spectrum_of(RATE, samples, bins)
    assert (np.diff(frequencies) > 0).all() and len(frequencies) == min(bins, length)
    whole = samples[: length // len(frequencies) * len(frequencies)]
    assert np.sum(10 ** (power / 10)) == pytest.approx(np.mean(np.abs(whole) ** 2), rel=1e-4)


def test_a_tone_is_at_its_frequency_at_all_times():
    frequencies, power = spectrum_of(RATE, TONE, 256)
    assert frequencies[power.argmax()] == 1000.0 and power.max() == pytest.approx(0.0, abs=1e-3)
    lines, (low, high, first, last) = waterfall_of(RATE, TONE)
    columns = low + (high - low) * np.arange(lines.shape[1]) / lines.shape[1]
    assert (columns[lines.argmax(axis=1)] == 1.0).all()  # kHz
    assert (low, high, first, last) == (-4.0, 4.0, 0.0, 512.0)


def test_an_envelope_has_the_extremes_of_the_power():
    loud = TONE.copy()
    loud[1000] *= 10
    times, low, high = envelope_of(RATE, loud)
    assert high.max() == pytest.approx(20.0, abs=1e-3) and low.min() == pytest.approx(0, abs=1e-3)
    assert times[high.argmax()] == pytest.approx(1000 / RATE, abs=2 * (times[1] - times[0]))


def test_signals_spectra_and_parameters_are_drawn_and_other_values_are_not():
    signal, spectrum = (RATE, TONE), (1.0, np.abs(TONE))
    assert isinstance(picture_of(signal), SignalPicture)
    made = RATE, 2 * TONE
    assert picture_of(made, [record(), signal]).before is signal  # which it was made of
    assert picture_of(signal, [signal]).before is None
    assert isinstance(picture_of(spectrum), SpectrumPicture)
    assert picture_of(record(snr_db=3.0)).lines == ["snr_db  3"]
    assert picture_of(record(modulation=1.0)).lines == ["modulation  PSK2, 1"]
    assert picture_of(record()).lines == ["all by default"]
    assert all(picture_of(value) is None for value in (1.0, (), (1.0, 2.0), (0, 0, 0), None))


@pytest.mark.parametrize(
    "value", [(RATE, TONE), (RATE, TONE[:1]), (RATE, 0 * TONE), (1.0, np.abs(TONE)[:3])]
)
def test_every_signal_can_be_drawn(value):
    pytest.importorskip("matplotlib")
    text = picture_of(value, [(RATE, TONE)]).svg()
    assert text.startswith("<image") and "data:image/png;base64," in text


def test_without_matplotlib_a_line_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    text = picture_of((RATE, TONE)).svg()
    assert "matplotlib is missing" in text and "megabatt[plot]" in text


def test_features_are_a_line_each_whatever_stands_beside_them():
    features = tuple(float(number) for number in range(len(FEATURES) * len(STATISTICS)))
    console = Console(width=90, record=True)
    console.print(Row("", [Panel("input", picture_of(record(snr_db=3.0))),
                           Panel("given", picture_of(features))]))  # fmt: skip
    lines = console.export_text().splitlines()
    for place, name in enumerate(FEATURES):
        numbers = [f"{place + k * len(FEATURES)}" for k in range(len(STATISTICS))]
        assert [name, *numbers] in [line.split()[-1 - len(STATISTICS) :] for line in lines]


def test_many_numbers_stay_whole():
    numbers = tuple(x / 7 for x in range(40))
    shown = " ".join(picture_of(numbers).lines).split()
    assert [float(text) for text in shown] == pytest.approx(numbers, rel=1e-5)


def test_a_terminal_is_told_of_length_power_and_spectrum():
    console = Console(width=80, record=True)
    console.print(picture_of((RATE, TONE)))
    text = console.export_text()
    assert "4,096 samples at 8000 Hz, 0.0 dBm" in text and "█" in text
