"""What the tests of CUDA sources share: the kernels, what they are launched with, and sources."""

from __future__ import annotations

import functools
import gc
from collections import Counter
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

import megabatt.runtime.arc  # noqa: F401
from megabatt.runtime.arc.language import LANGUAGE
from megabatt.runtime.arc.workload.closeness import overlap_of_colors
from megabatt.runtime.engine.calls.dispatch import call
from megabatt.runtime.engine.calls.frames import Frame, Operation
from megabatt.runtime.engine.columns import Uniform, encode
from megabatt.runtime.engine.device.kernels import LaneKernel
from megabatt.runtime.engine.limits import MAX_ELEMENTS
from tests.arc.lanes import lanes_of
from tests.arc.test_large_values import large_lanes

RULES = [p for _, p in sorted(LANGUAGE.primitives.items()) if p.rule is not None]
PACKAGES = tuple(
    f"megabatt.runtime.{package}." for package in ("engine", "core", "arc.layouts", "arc.workload")
)
ROUNDS = 3
KEPT = 40


class Launch(NamedTuple):
    """A launch of a kernel: its arguments, with copies of the arrays before it and after it."""

    lanes: int
    before: list[Any]
    after: list[Any]


def every_kernel():
    """Find all kernels but those of signals, and return them by their full names."""
    kernels = (found for found in gc.get_objects() if isinstance(found, LaneKernel))
    names = {f"{k.function.__module__}.{k.function.__name__}": k for k in kernels}
    return {name: names[name] for name in sorted(names) if name.startswith(PACKAGES)}


@functools.cache
def recorded_launches():
    """Record launches by kernel, then by types of arguments.

    Rules launch kernels on random lanes, of small values and of large ones. Closeness launches its
    own.
    """
    launches = {kernel: {} for kernel in every_kernel().values()}
    for work in (run_rules, run_on_large_values, run_closeness):
        for (kernel, types), sample in sampled_launches(work).items():
            launches[kernel].setdefault(types, []).extend(sample)
    return launches


def sampled_launches(work):
    """Record up to KEPT launches by `work()` for each kernel and combination of arguments' types.

    Each launch is equally likely to be kept, whichever rule makes it.
    """
    random = Random(0)
    seen = Counter()
    sample = {}
    launch = LaneKernel.run

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
        patch.setattr(LaneKernel, "run", record)
        work()
    return sample


def type_of(arg):
    """Return the type of an argument: all of it that the source of a kernel depends on."""
    if isinstance(arg, np.ndarray):
        return arg.dtype, arg.ndim, arg.flags.c_contiguous
    return int


def copies(args):
    """Copy the arguments' arrays. An array that a kernel writes must share no memory with others: a
    copy would differ."""
    return [arg.copy() if isinstance(arg, np.ndarray) else int(arg) for arg in args]


def run_rules():
    for number in range(ROUNDS):
        for primitive in RULES:
            run_rule(primitive, number)


def run_rule(primitive, number):
    """Run a rule on a few batches of a few random lanes."""

    @seed(number)
    @settings(
        max_examples=10,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(lanes_of(primitive))
    def run(lanes):
        compute(primitive, lanes)

    run()


def compute(primitive, lanes):
    frame = Frame(Operation(len(lanes), MAX_ELEMENTS), len(lanes))
    columns = [encode(list(column)) for column in zip(*lanes, strict=True)]
    call(frame, Uniform(primitive.function, len(lanes)), columns)


def run_on_large_values():
    for primitive in RULES:
        for number in range(ROUNDS):
            compute(primitive, large_lanes(primitive.name, number))


def run_closeness():
    """Compute how close grids come to others."""
    with LANGUAGE.in_use():
        overlap_of_colors(encode([((1, 2),), ((3,),)]), encode([((1, 0),), ((3, 3),)]))


def in_namespaces(sources):
    """Join sources, the i-th in namespace `kernel_i`, so that no names clash."""
    parts = []
    for number, source in enumerate(sources):
        source = source.replace('extern "C" ', "")
        parts.append(f"namespace kernel_{number} {{\n{source}\n}}\n")
    return "".join(parts)
