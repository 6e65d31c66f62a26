"""Made-up series of numbers; the expected output is the mean of the weighted numbers."""

from __future__ import annotations

from typing import NamedTuple

import click
import numpy as np
import pyarrow as pa

from megabatt.language import Data, DataError, Draws, Shown, Workload
from tests.toy.language import LANGUAGE


class Series(NamedTuple):
    """A series that a station has measured. W: the station's weights. X: the numbers."""

    station: int
    number: int
    W: tuple[float, ...]
    X: tuple[float, ...]
    expected: float | None

    @property
    def key(self):
        return f"station {self.station}, series {self.number}"

    @property
    def group(self):
        return f"station {self.station}"


def series_of(station, weights, numbers, random):
    found = []
    for number in numbers:
        values = tuple(random.normal(size=len(weights)).tolist())
        answer = sum(v * w for v, w in zip(values, weights, strict=True)) / len(weights)
        found.append(Series(station, number, weights, values, answer))
    return found


REALS = ("tuple", "real")


def drawn_samples(random, count):
    """Draw series for the fuzzer: of any length, sometimes of another length than the weights."""
    drawn = []
    for number in range(count):
        weights, series = (
            tuple(random.choice([0.0, 1.0, -2.5, random.gauss(0, 9), 1e308]) for _ in range(length))
            for length in ([random.randrange(6)] * 2 if random.random() < 0.8 else [3, 40])
        )
        drawn.append(Series(0, number, weights, series, None))
    return drawn


def smaller(sample):
    """Yield copies of a sample with one number less, in X or in W."""
    for name in ("X", "W"):
        values = getattr(sample, name)
        for at in range(len(values)):
            yield sample._replace(**{name: (*values[:at], *values[at + 1 :])})


DRAWS = Draws(
    language=LANGUAGE,
    inputs={"W": REALS, "X": REALS},
    elements={},
    examples={
        "Any": ["real", REALS, "bool", "int"],
        "Boolean": ["bool"],
        "Integer": ["int", "bool"],
        "Number": ["int", "real"],
        "Real": ["real", "real", "real", "int"],
        "Reals": [REALS],
        "IntegerSet": [("set", "int"), ("tuple", "int")],
        "Container": [REALS, ("set", "real"), ("tuple", REALS)],
        "ContainerContainer": [("tuple", REALS), ("set", REALS)],
        "FrozenSet": [("set", "real"), ("set", REALS)],
        "Tuple": [REALS, ("tuple", REALS)],
        "TupleTuple": [("tuple", REALS)],
    },
    declared={"Boolean": "bool", "Integer": "int", "Real": "real", "Reals": REALS},
    results={},
    constants={"real": ["ONE", "TWO", "HALF"], "bool": ["T", "F"]},
    literals=["0", "1", "3", "-2", "17"],
    makers={
        "real": ["total", "mean", "plus", "times", "quotient", "root", "first", "last"],
        "bool": ["above", "equality", "contained"],
        "int": ["size"],
        REALS: ["scaled", "smoothed", "weighted", "ramp", "order"],
        ("set", "real"): ["initset", "apply", "insert"],
        ("tuple", REALS): ["repeat", "apply"],
        ("set", REALS): ["initset"],
        ("set", "int"): ["initset"],
    },
    sources={
        "real": [[("total", ["X"], "real")]],
        REALS: [[("smoothed", ["X"], REALS)], [("scaled", ["X", "HALF"], REALS)]],
    },
    beginnings=[("total", ["X"], "real"), ("mean", ["W"], "real"), ("size", ["X"], "int"),
                ("smoothed", ["X"], REALS), ("repeat", ["X", "3"], ("tuple", REALS))],
    edges=[[("repeat", ["TWO", "17"], REALS), ("smoothed", ["$1"], REALS)]],
    large=[[("ramp", ["300", "HALF"], REALS), ("smoothed", ["$1"], REALS)]],
    samples=drawn_samples,
    smaller=smaller,
    stand_ins=("X", "ONE", "T"),
)  # fmt: skip


class StationsShown(Shown):
    """Stations' outputs are numbers."""

    numeric_outputs = ("number", "numbers")


class Stations(Workload):
    """Series of a few stations, four each; the last of the four has no known answer."""

    name = "stations"
    language = LANGUAGE
    draws = DRAWS
    options = (
        click.Option(["--stations"], type=int, default=3, help="How many."),
        click.Option(["--alone"], is_flag=True, help="Each station with its own solver."),
    )
    sample_fields = (pa.field("station", pa.int32()), pa.field("series", pa.int32()))
    output_fields = (pa.field("number", pa.float64()), pa.field("numbers", pa.list_(pa.float64())))

    shown = StationsShown()

    def load(self, stations=3, alone=False):
        if stations < 1:
            raise DataError(f"{stations} stations have no series", ["station 0: no such [station]"])
        random = np.random.default_rng(0)
        samples = []
        for station in range(stations):
            weights = tuple(random.random(station + 2).tolist())
            samples += series_of(station, weights, range(4), random)
        samples = [s._replace(expected=None) if s.number == 3 else s for s in samples]
        return Data(samples, ["one series, [unreadable]"], self.solver_for if alone else None)

    def solver_for(self, group, solvers):
        return next((name for name in solvers if name.endswith(group.replace(" ", "_"))), None)

    def variants(self, samples, random):
        while True:
            sample = samples[random.integers(len(samples))]
            numbers = [sample.number]
            yield series_of(sample.station, sample.W, numbers, random)[0]

    def sample_arrays(self, samples):
        return [
            pa.array([sample.station for sample in samples], pa.int32()),
            pa.array([sample.number for sample in samples], pa.int32()),
        ]

    def output_arrays(self, column):
        values = column.decode()
        number = [v if v.__class__ is float else None for v in values]
        numbers = [v if v.__class__ is tuple else None for v in values]
        return [
            pa.array(array, field.type)
            for array, field in zip([number, numbers], self.output_fields, strict=True)
        ]


WORKLOAD = Stations()
