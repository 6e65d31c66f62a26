"""Displays of a dataset: maps, and the links of one sample."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from megabatt.runtime.megabatch.data import Data, DataError
from megabatt.runtime.megabatch.page.folder import table_of
from megabatt.runtime.megabatch.pictures import Panel
from megabatt.runtime.signal.dataset.configuration import from_table
from megabatt.runtime.signal.dataset.files import DatasetRefused, dataset_in, files_in, schema_of
from megabatt.runtime.signal.dataset.links import (
    MARGIN_DEGREES,
    Array,
    Links,
    dilution_of,
    links_of,
)
from megabatt.runtime.signal.dataset.measuring import chain_of, samples_of
from megabatt.runtime.signal.workload.links import Link
from megabatt.runtime.signal.workload.pictures import Plot
from megabatt.runtime.vocabulary import counted

_SIDE = 160
"""The points of the dilution's field along a side."""
_MOST_SHOWN = 5.0
"""The dilution above which all places have one color."""


@dataclass
class DatasetLinks(Data[Link]):
    """The heard links of a dataset's sample, and maps."""

    maps: list[Panel] = field(default_factory=list)


def links_in(group: str) -> DatasetLinks | None:
    """Load a sample of a dataset: the first for FOLDER, or candidate N's for FOLDER/N.

    Returns None if there is no such folder. Raises DataError if there is no such sample.
    """
    path = Path(group)
    try:
        written, candidate = dataset_in(path), None
        if written is None and path.name.isdecimal():
            path, candidate = path.parent, int(path.name)
            written = dataset_in(path)
        if written is None:
            return None
        configuration = from_table(written["configuration"])
        places = _places(path, schema_of(configuration), written["run"])
    except (DatasetRefused, TypeError, KeyError) as error:
        raise DataError(f"{path}: {error}") from error
    if not len(places):
        raise DataError(f"{path}: there is no sample in it yet")
    if candidate is None:
        candidate = places["candidate"][0].as_py()
    if candidate not in places["candidate"].to_pylist():
        raise DataError(f"{path}: candidate {candidate} is not among its samples")
    links = links_of(configuration, np.array([candidate]))
    labels = [label for label, _ in configuration.modulations]
    labelled = f', label "{labels[links.label[0]]}"' if labels else ""
    solver = chain_of(configuration).features

    def solver_for(group: str, solvers: Collection[str]) -> str | None:
        return solver if solver in solvers else None

    return DatasetLinks(
        samples_of(configuration, links),
        solver_for=solver_for,
        maps=[
            Panel(f"{configuration.dataset_name}: transmitters", DatasetMap(places)),
            Panel(f"candidate {candidate}{labelled}: dilution of precision", SampleMap(links)),
        ],
    )


def _places(folder: Path, schema: pa.Schema, run: str) -> pa.Table:
    """Read the places of the transmitters of all samples. Raises DataError."""
    columns = ["candidate", "latitude", "longitude", "gdop"]
    tables = [table_of(folder, name, columns, schema, run) for name in files_in(folder).values()]
    return pa.concat_tables(tables) if tables else pa.table({name: [] for name in columns})


class DatasetMap(Plot):
    """A map of a dataset's transmitters, colored by the dilution of their receivers."""

    def __init__(self, places: pa.Table) -> None:
        self.latitude, self.longitude, self.gdop = (
            np.asarray(places[name]) for name in ("latitude", "longitude", "gdop")
        )

    def lines(self) -> list[str]:
        return [
            counted(len(self.latitude), "transmitter"),
            f"latitude {self.latitude.min():.2f} to {self.latitude.max():.2f}",
            f"longitude {self.longitude.min():.2f} to {self.longitude.max():.2f}",
            f"gdop {np.median(self.gdop):.2f} in the median, {self.gdop.max():.2f} at most",
        ]

    def draw(self, figure: Any) -> None:
        axes = figure.subplots()
        dots = axes.scatter(
            self.longitude, self.latitude, c=self.gdop, s=4, vmax=_MOST_SHOWN, cmap="viridis_r"
        )
        figure.colorbar(dots, label="gdop", extend="max")
        _label(axes, self.latitude)


class SampleMap(Plot):
    """A map of a sample's transmitter and receivers, over the dilution at each place."""

    def __init__(self, links: Links) -> None:
        self.links = links

    def lines(self) -> list[str]:
        links = self.links
        heard = int(links.heard.sum())
        return [
            f"transmitter at {links.latitude[0]:.3f}, {links.longitude[0]:.3f}",
            f"heard by {heard} of {counted(int(links.there.sum()), 'receiver')}",
            f"gdop {links.gdop[0]:.2f}",
        ]

    def draw(self, figure: Any) -> None:
        links, axes = self.links, figure.subplots()
        there, heard = links.there[0], links.heard[0]
        north, east = links.receiver_latitude[0], links.receiver_longitude[0]
        field, extent = _field(links)
        image = axes.imshow(
            field, origin="lower", extent=extent, vmax=_MOST_SHOWN, cmap="viridis_r", aspect="auto"
        )
        figure.colorbar(image, label="gdop", extend="max")
        axes.plot(east[heard], north[heard], "^k", markersize=8, label="hears it")
        deaf = there & ~heard
        if deaf.any():
            axes.plot(east[deaf], north[deaf], "^k", markerfacecolor="none", label="does not")
        for at in np.flatnonzero(heard):
            axes.annotate(f" {links.snr_db[0, at]:.0f} dB", (east[at], north[at]), fontsize=7)
        axes.plot(links.longitude, links.latitude, "*r", markersize=13, label="transmitter")
        axes.legend(fontsize="x-small")
        _label(axes, links.latitude)


def _field(links: Links) -> tuple[Array, tuple[float, float, float, float]]:
    """Return the dilution at places around a sample's receivers, and the places' bounds."""
    heard = links.heard[0]
    north, east = links.receiver_latitude[0][heard], links.receiver_longitude[0][heard]
    margin = MARGIN_DEGREES
    south, top = (float(f(np.append(north, links.latitude))) for f in (np.min, np.max))
    west, right = (float(f(np.append(east, links.longitude))) for f in (np.min, np.max))
    bounds = (west - margin, right + margin, south - margin, top + margin)
    longitude, latitude = np.meshgrid(
        np.linspace(*bounds[:2], _SIDE), np.linspace(*bounds[2:], _SIDE)
    )
    shape = latitude.size, len(north)
    found = dilution_of(
        np.broadcast_to(north, shape), np.broadcast_to(east, shape),
        latitude.ravel(), longitude.ravel(), np.ones(shape, dtype=np.bool_),
    )  # fmt: skip
    return found.reshape(latitude.shape), bounds


def _label(axes: Any, latitude: Array) -> None:
    """Label the axes, and set their aspect for the latitude."""
    axes.set(xlabel="longitude", ylabel="latitude")
    axes.set_aspect(1 / max(float(np.cos(np.radians(np.mean(latitude)))), 0.05))
