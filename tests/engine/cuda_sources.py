"""The kernels, recorded launches and joined sources that the tests of CUDA sources share."""

from __future__ import annotations

import functools
from collections import Counter
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from megabatt.runtime.engine.columns import encode
from megabatt.runtime.engine.device import kernels
from megabatt.runtime.engine.device.arrays import offsets_of, place_set, taken
from megabatt.runtime.engine.device.kernels import LaneKernel
from tests.engine.on_columns import on_columns
from tests.toy.language import LANGUAGE as TOY
from tests.toy.test_primitives import BY_TYPE, OWN

PACKAGES = "megabatt.runtime.engine.", "tests.toy."
ROUNDS = 3
KEPT = 40


class Launch(NamedTuple):
    """A launch of a kernel: its arguments, with copies of the arrays before it and after it."""

    lanes: int
    before: list[Any]
    after: list[Any]


def every_kernel():
    """Return all kernels except the kernels of signals, by full name."""
    names = {f"{k.function.__module__}.{k.function.__name__}": k for k in kernels._kernels}
    return {name: names[name] for name in sorted(names) if name.startswith(PACKAGES)}


@functools.cache
def recorded_launches():
    """Record launches by kernel, then by types of arguments.

    The rules of the toy language launch kernels on random lanes; so do operations on columns.
    """
    launches = {kernel: {} for kernel in every_kernel().values()}
    for work in (run_rules, run_on_columns):
        for (kernel, types), sample in sampled_launches(work).items():
            launches[kernel].setdefault(types, []).extend(sample)
    return launches


def sampled_launches(work):
    """Record up to KEPT launches by `work()` for each kernel and combination of arguments' types.

    Each launch of a combination is equally likely to be kept.
    """
    random = Random(0)
    seen = Counter()
    sample = {}
    launch = LaneKernel.__call__

    def record(kernel, lanes, *args):
        if not lanes:
            return
        variant = kernel, tuple(map(type_of, args))
        kept = sample.setdefault(variant, [])
        seen[variant] += 1
        place = len(kept) if len(kept) < KEPT else random.randrange(seen[variant])
        before = copies(args) if place < KEPT else None
        launch(kernel, lanes, *args)
        if place < KEPT:
            kept[place : place + 1] = [Launch(lanes, before, copies(args))]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LaneKernel, "__call__", record)
        work()
    return sample


def type_of(arg):
    """Return all that a kernel's source depends on in an argument."""
    if isinstance(arg, np.ndarray):
        return arg.dtype, arg.ndim, arg.flags.c_contiguous
    return int


def copies(args):
    """Copy the arguments' arrays, and make the other arguments integers.

    An array that a kernel writes must share no memory with others, since copies share none.
    """
    return [arg.copy() if isinstance(arg, np.ndarray) else int(arg) for arg in args]


def run_rules():
    with TOY.in_use(), np.errstate(all="ignore"):
        for number in range(ROUNDS):
            for name in OWN:
                run_rule(TOY.primitives[name], number)


def run_rule(primitive, number):
    """Run a rule on a few batches of a few random lanes, some of them with a low limit."""
    arguments = st.tuples(*[BY_TYPE[declared.name] for declared in primitive.types])

    @seed(number)
    @settings(
        max_examples=10, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(arguments, min_size=2, max_size=6), st.sampled_from([3, 100]))
    def run(lanes, limit):
        on_columns(primitive.function, lanes, limit)

    run()


def run_on_columns():
    """Take and pack columns, and make the other operations on arrays."""
    with TOY.in_use():
        for number in range(KEPT):
            random = np.random.default_rng(number)
            lanes = int(random.integers(1, 7))
            lists = encode([tuple(random.integers(-9, 9, n).tolist()) for n in range(1, lanes + 1)])
            index = random.integers(0, lanes, lanes)
            for column in (encode([1, 2] * lanes), lists):
                column.take(index).packed()
            run_on_arrays(random.integers(0, 2, lanes).astype(np.bool_), index)


def run_on_arrays(flags, counts):
    running = offsets_of(flags)
    place_set(len(flags), flags, running, np.empty(int(running[-1]), dtype=np.int64))
    taken(counts, counts)


def in_namespaces(sources):
    """Join sources, the i-th in namespace `kernel_i`, so that no names clash."""
    parts = []
    for number, source in enumerate(sources):
        source = source.replace('extern "C" ', "")
        parts.append(f"namespace kernel_{number} {{\n{source}\n}}\n")
    return "".join(parts)
