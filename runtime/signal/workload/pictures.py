"""Pictures of signals and spectra, drawn by matplotlib, which is an extra."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text

from megabatt.runtime.megabatch.extras import install_command
from megabatt.runtime.megabatch.pictures import Picture, Words
from megabatt.runtime.signal.constants import FEATURES, MODULATIONS, PROFILES, STATISTICS
from megabatt.runtime.signal.parameters import COUNT, PARAMETERS
from megabatt.runtime.vocabulary import counted

Array = np.ndarray[Any, Any]

_MOST_POINTS = 2000
"""Points of a constellation."""
_MOST_BINS = 1024
_ACROSS = 6
"""Numbers of a tuple in a line."""
_WATERFALL = 128
"""Bins of a line of the waterfall."""
_MOST_COLUMNS = 600
"""Columns of an envelope, each from the least to the greatest of its samples."""
_BLOCKS = "▁▂▃▄▅▆▇█"
_LEAST_POWER = 1e-30
"""The power that stands for a power of 0, which has no decibels."""


def picture_of(value: Any, among: Sequence[Any] = ()) -> Picture | None:
    """Draw a signal, a spectrum, features or a lane's parameters; return None for other values.

    among: The values that `value` was computed from. A signal is drawn over their first signal.
    """
    if is_sampled(value, np.complexfloating):
        before = next((v for v in among if is_sampled(v, np.complexfloating)), None)
        return SignalPicture(value, before)
    if is_sampled(value, np.floating):
        return SpectrumPicture(value)
    if value.__class__ is tuple and value and set(map(type, value)) == {float}:
        if len(value) == COUNT:
            return parameters_picture(value)
        if len(value) == len(FEATURES) * len(STATISTICS):
            return features_picture(value)
        if len(value) > _ACROSS:
            texts = [f"{number:.6g}" for number in value]
            return Table([texts[at : at + _ACROSS] for at in range(0, len(texts), _ACROSS)])
    return None


def is_sampled(value: Any, kind: Any) -> bool:
    """Tell whether a value is a step and samples of a kind, np.complexfloating or np.floating."""
    return (
        value.__class__ is tuple
        and len(value) == 2
        and isinstance(value[1], np.ndarray)
        and np.issubdtype(value[1].dtype, kind)
    )


def parameters_picture(parameters: tuple[float, ...]) -> Table:
    """Return the parameters that differ from their defaults, each with its name."""
    named = zip(PARAMETERS.items(), parameters, strict=True)
    own = [[name, _shown(name, value)] for (name, about), value in named if value != about.default]
    return Table(own or [["all by default"]])


def _shown(name: str, value: float) -> str:
    """Return a parameter's number, after the name of the modulation or profile that it means."""
    named = {"modulation": MODULATIONS, "profile": PROFILES}.get(name, ())
    meaning = f"{named[int(value)]}, " if value in range(len(named)) else ""
    return f"{meaning}{value:g}"


def features_picture(features: tuple[float, ...]) -> Table:
    """Return features as a table: a line for each feature, a column for each statistic."""
    of_each = [features[at :: len(FEATURES)] for at in range(len(FEATURES))]
    numbers = [[f"{number:.4g}" for number in row] for row in of_each]
    rows = [[name, *row] for name, row in zip(FEATURES, numbers, strict=True)]
    return Table([["", *STATISTICS], *rows])


class Table(Words):
    """A picture of text in columns, whose lines stay whole."""

    def __init__(self, rows: Sequence[Sequence[str]]) -> None:
        """Align the first column left, the others right."""
        widths = [max(len(row[k]) for row in rows if k < len(row)) for k in range(len(rows[0]))]
        super().__init__([_aligned(row, widths) for row in rows])

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        widest = max(map(len, self.lines))
        return Measurement(widest, widest)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(row, widths, strict=False)
    cells = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
    return "  ".join(cells)


class Plot:
    """A picture that matplotlib draws; in a terminal it is lines of text."""

    size = (600.0, 420.0)

    def lines(self) -> list[str]:
        raise NotImplementedError

    def draw(self, figure: Any) -> None:
        raise NotImplementedError

    def svg(self) -> str:
        try:
            png = drawn(self.draw, self.size)
        except ImportError:
            missing = f"matplotlib is missing; {install_command('plot')} brings it"
            return Words([*self.lines(), missing]).svg()
        width, height = self.size
        data = base64.b64encode(png).decode()
        return f'<image width="{width:g}" height="{height:g}" href="data:image/png;base64,{data}"/>'

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text("\n".join(self.lines()))

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        widest = max(map(len, self.lines()))
        return Measurement(widest, widest)


def drawn(draw: Any, size: tuple[float, float]) -> bytes:
    """Return a PNG file of what `draw` puts on a figure. Raises ImportError without matplotlib."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width, height = size
    figure = Figure(figsize=(width / 100, height / 100), dpi=150, layout="constrained")
    canvas = FigureCanvasAgg(figure)
    draw(figure)
    file = io.BytesIO()
    canvas.print_png(file)
    return file.getvalue()


class SignalPicture(Plot):
    """A signal's constellation, spectrum and envelope, over an earlier signal's; its waterfall."""

    def __init__(self, signal: Any, before: Any = None) -> None:
        self.rate, self.samples = signal[0], np.asarray(signal[1])
        self.before = None if before is None or before[1] is signal[1] else before

    def lines(self) -> list[str]:
        power = decibels(np.mean(np.abs(self.samples) ** 2))
        _, spectrum = spectrum_of(self.rate, self.samples, 32)
        return [
            f"{counted(len(self.samples), 'sample')} at {self.rate:g} Hz, {power:.1f} dBm",
            f"spectrum |{_sparks(spectrum)}|",
        ]

    def draw(self, figure: Any) -> None:
        (constellation, spectrum), (envelope, waterfall) = figure.subplots(2, 2)
        axes = constellation, spectrum, envelope
        _plot(axes, self.rate, self.samples, "C0", "after")
        if self.before is not None:
            rate, samples = self.before
            _plot(axes, rate, np.asarray(samples), "C1", "before")
            spectrum.legend(fontsize="x-small", loc="upper right")
        constellation.set(title="constellation, RMS 1", xlabel="I", ylabel="Q", aspect="equal")
        spectrum.set(title="spectrum", xlabel="kHz", ylabel="dBm a bin")
        low, high = envelope.get_ylim()
        envelope.set(title="envelope", xlabel="ms", ylabel="dB over the mean")
        envelope.set_ylim(min(low, -1.0), max(high, 1.0))
        lines, extent = waterfall_of(self.rate, self.samples)
        top = lines.max()
        waterfall.imshow(
            lines, aspect="auto", origin="lower", extent=extent, vmin=top - 60, vmax=top
        )
        waterfall.set(title="waterfall", xlabel="kHz", ylabel="ms")
        for part in (*axes, waterfall):
            part.tick_params(labelsize="x-small")
            part.title.set_fontsize("small")


def _plot(axes: tuple[Any, ...], rate: float, samples: Array, colour: str, label: str) -> None:
    constellation, spectrum, envelope = axes
    power = max(float(np.mean(np.abs(samples.astype(np.complex128)) ** 2)), _LEAST_POWER)
    few = samples[:: max(len(samples) // _MOST_POINTS, 1)] / np.sqrt(power)
    constellation.plot(few.real, few.imag, ".", markersize=1.5, color=colour, alpha=0.7)
    frequencies, bins = spectrum_of(rate, samples, _MOST_BINS)
    spectrum.plot(frequencies / 1e3, bins, linewidth=0.7, color=colour, label=label, alpha=0.8)
    times, low, high = envelope_of(rate, samples)
    mean = decibels(power)
    envelope.fill_between(times * 1e3, low - mean, high - mean, color=colour, alpha=0.7)


class SpectrumPicture(Plot):
    """A spectrum's bins over the frequency, the lowest first."""

    size = (600.0, 260.0)

    def __init__(self, spectrum: Any) -> None:
        self.width, self.bins = spectrum[0], np.asarray(spectrum[1])

    def lines(self) -> list[str]:
        parts = np.array_split(self.bins, min(32, len(self.bins)))
        return [
            f"{counted(len(self.bins), 'bin')} of {self.width:g} Hz",
            f"|{_sparks(decibels(np.array([part.mean() for part in parts])))}|",
        ]

    def draw(self, figure: Any) -> None:
        axes = figure.subplots()
        numbers = np.arange(len(self.bins)) - len(self.bins) // 2
        axes.plot(numbers * self.width / 1e3, decibels(self.bins), linewidth=0.7)
        axes.set(xlabel="kHz", ylabel="dB")


def decibels(power: Any) -> Any:
    return 10 * np.log10(np.maximum(power, _LEAST_POWER))


def spectrum_of(rate: float, samples: Array, most_bins: int) -> tuple[Array, Array]:
    """Return frequencies in Hz, ascending, and each bin's mean power in dBm over all segments."""
    bins = min(most_bins, len(samples))
    segments = _segments(samples, bins)
    power = np.mean(np.abs(np.fft.fft(segments, axis=1) / bins) ** 2, axis=0)
    return (
        np.fft.fftshift(np.fft.fftfreq(bins, 1 / rate)),
        decibels(np.fft.fftshift(power)),
    )


def waterfall_of(rate: float, samples: Array) -> tuple[Array, tuple[float, float, float, float]]:
    """Return the power in dBm by time and frequency, and the bounds: kHz, then ms."""
    bins = min(_WATERFALL, max(len(samples) // 8, 1))
    segments = _segments(samples, bins)
    power = np.abs(np.fft.fftshift(np.fft.fft(segments, axis=1), axes=1) / bins) ** 2
    rows = [part.mean(axis=0) for part in np.array_split(power, min(len(power), _WATERFALL))]
    seconds = len(samples) / rate
    return decibels(np.array(rows)), (-rate / 2e3, rate / 2e3, 0.0, seconds * 1e3)


def envelope_of(rate: float, samples: Array) -> tuple[Array, Array, Array]:
    """Return times in s, and the least and the greatest power in dBm around each."""
    powers = np.abs(samples.astype(np.complex128)) ** 2
    parts = np.array_split(powers, min(_MOST_COLUMNS, len(samples)))
    lengths = np.array([len(part) for part in parts])
    times = (lengths.cumsum() - lengths / 2) / rate
    low = decibels(np.array([part.min() for part in parts]))
    return times, low, decibels(np.array([part.max() for part in parts]))


def _segments(samples: Array, length: int) -> Array:
    """Cut the signal into segments, complex128; drop the rest at the end."""
    count = len(samples) // length
    return samples[: count * length].reshape(count, length).astype(np.complex128)


def _sparks(values: Array) -> str:
    """Draw a block character for each value, as high as the value is large."""
    low, high = values.min(), values.max()
    share = (values - low) / (high - low) if high > low else np.zeros(len(values))
    return "".join(_BLOCKS[int(s * (len(_BLOCKS) - 1) + 0.5)] for s in share)
