"""The fuzzer's draws from the language: kinds, sources of their values, samples."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from megabatt.runtime.megabatch.verify.kinds import Draws, Kind
from megabatt.runtime.signal import LANGUAGE
from megabatt.runtime.signal.constants import MODULATIONS, PROFILES
from megabatt.runtime.signal.parameters import NAMES, PLACES
from megabatt.runtime.signal.workload.links import Link, link

REALS: Kind = ("tuple", "real")
REALS_NAMED = ["ZERO", "HALF", "ONE", "TEN", "MICROSECOND", "SPACING_HZ"]
NAMED = [name.upper() for name in NAMES]


def drawn_samples(random: Random, count: int) -> list[Link]:
    """Draw links with short signals; their lengths may differ within a batch."""
    lengths = [random.choice([1, 2, 7, 64, 100, 250, 1000]) for _ in range(3)]
    drawn = []
    for number in range(count):
        rate = random.choice([8000.0, 200_000.0, 200_000.0, 1e6])
        samples = random.choice(lengths)
        given = {"sample_rate_hz": rate, "duration_ms": 1000.0 * samples / rate}
        if random.random() < 0.3:
            given["thermal"] = 1.0
        seed = random.choice([0, -1, 2**40, random.getrandbits(60)])
        drawn.append(link(seed, number, random.randrange(5), given))
    return drawn


def smaller(sample: Link) -> Iterator[Link]:
    """Yield samples a little smaller than the given sample: shorter signals, plainer keys."""
    place = PLACES["duration_ms"]
    duration = sample.P[place]
    if duration * sample.rate > 2000:
        halved = (*sample.P[:place], duration / 2, *sample.P[place + 1 :])
        yield sample._replace(P=halved)
    if sample.K != (0, 0, 0):
        yield sample._replace(K=(0, 0, 0))


DRAWS = Draws(
    language=LANGUAGE,
    inputs={"P": "record", "K": "key"},
    elements={"record": "real", "key": "int", "signal": "any", "spectrum": "any"},
    examples={
        "Any": ["real", "signal", "bool", "int", REALS, "record"],
        "Boolean": ["bool"],
        "Integer": ["int", "bool"],
        "Number": ["real", "int", "bool"],
        "Real": ["real", "real", "real", "int"],
        "Reals": [REALS, "record"],
        "Parameters": ["record"],
        "Name": ["name"],
        "Key": ["key"],
        "Site": ["int"],
        "Signal": ["signal"],
        "Spectrum": ["spectrum"],
        "IntegerSet": [("set", "int"), "key"],
        "Container": [REALS, "record", "key", ("tuple", "signal"), ("set", "real")],
        "ContainerContainer": [("tuple", "signal"), ("tuple", REALS)],
        "FrozenSet": [("set", "real"), ("set", "int")],
        "Tuple": [REALS, "record", ("tuple", "signal")],
        "TupleTuple": [("tuple", "signal"), ("tuple", REALS)],
    },
    declared={
        "Boolean": "bool", "Integer": "int", "Number": "real", "Real": "real", "Reals": REALS,
        "Signal": "signal", "Spectrum": "spectrum", "Parameters": "record", "Key": "key",
    },
    results={},
    constants={
        "bool": ["T", "F"],
        "real": [*MODULATIONS, *PROFILES, *REALS_NAMED],
        "name": NAMED,
    },
    literals=["0", "1", "2", "3", "-2", "17", "1000"],
    makers={
        "real": ["parameter", "power_dbm", "snr_estimate", "path_loss", "received_power", "first"],
        "signal": ["awgn", "scale", "set_power", "multipath", "rayleigh", "rician", "mix", "add",
                   "conjugate", "filter", "delay", "slice_time", "resample"],
        "spectrum": ["psd", "welch"],
        REALS: ["features"],
        "record": ["with_parameter"],
        "bool": ["equality"],
        "int": ["size"],
        ("tuple", "signal"): ["repeat"],
        ("set", "real"): ["initset"],
        ("set", "int"): ["initset"],
    },
    sources={
        "signal": [
            [(name, ["P", "K", "0"], "signal")] for name in ("tone", "fm_tone", "modulated")
        ],
        "spectrum": [[("tone", ["P", "K", "0"], "signal"), ("psd", ["$1"], "spectrum")]],
        REALS: [[("modulated", ["P", "K", "2"], "signal"), ("features", ["$1", "P"], REALS)]],
        "real": [[("parameter", ["P", "SNR_DB"], "real")]],
    },
    beginnings=[
        ("tone", ["P", "K", "0"], "signal"),
        ("fm_tone", ["P", "K", "1"], "signal"),
        ("modulated", ["P", "K", "2"], "signal"),
        ("parameter", ["P", "SNR_DB"], "real"),
        ("with_parameter", ["P", "THERMAL", "AM"], "record"),
    ],
    edges=[[("tone", ["P", "K", "0"], "signal"), ("repeat", ["$1", "3"], ("tuple", "signal"))]],
    large=[[("with_parameter", ["P", "DURATION_MS", "17"], "record"),
            ("tone", ["$1", "K", "0"], "signal")]],
    samples=drawn_samples,
    smaller=smaller,
    stand_ins=("P", "K", "T"),
)  # fmt: skip
