"""Mistakes that the fuzzer misses: fuzzes the vectorized form with one small mistake at a time.

    python -m benchmarks.mutants --count 100 --seed 1
    python -m benchmarks.mutants --only runtime/arc/painting.py:93 --programs 400

A mutant lives in a process of its own, forked when everything is imported and nothing is compiled.
The process compiles the functions that the change affects, and loads the others from disk. The
mutant is found if the forms differ in a program, or if its process crashes or does not end.
Otherwise it survives.
"""

from __future__ import annotations

import gc
import json
import multiprocessing
import resource
import time
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from types import CodeType, FunctionType

import click

from benchmarks.mutations import Mutation, mutations_of
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.engine.machine import native
from megabatt.runtime.megabatch.verify.fuzz import Coverage, differing_case
from megabatt.runtime.megabatch.verify.planned import Expected, differing

_SOURCES = ("runtime/arc", "runtime/core", "runtime/engine/machine", "runtime/engine/executor")
_SPARED = {"constants", "language", "values", "policy", "types", "cpp", "cuda", "clock", "workload"}
"""Modules and folders without mutants: of the scalar form, both forms, GPUs alone, or no form."""

_MAX_ELEMENTS = 20_000
_MEMORY = 16 << 30
"""Bytes that a mutant may take, so that a mutant that builds without end crashes."""


def all_mutations(only: str = "") -> list[Mutation]:
    """List the mutations of the vectorized form, of one file, or of one line (`FILE:LINE`)."""
    name, _, line = only.partition(":")
    paths = []
    for source in (name,) if only else _SOURCES:
        found = sorted(Path(source).rglob("*.py")) if Path(source).is_dir() else [Path(source)]
        paths += [path for path in found if only or _SPARED.isdisjoint((path.stem, *path.parts))]
    mutations = [mutation for path in paths for mutation in mutations_of(path)]
    return [mutation for mutation in mutations if not line or mutation.line == int(line)]


def chosen(mutations: list[Mutation], count: int, seed: int) -> list[Mutation]:
    """Choose `count` mutations at random, of each kind in turn."""
    rng = Random(seed)
    by_kind: dict[str, list[Mutation]] = {}
    for mutation in rng.sample(mutations, len(mutations)):
        by_kind.setdefault(mutation.kind, []).append(mutation)
    rounds = [[kind, place] for kind, of_kind in by_kind.items() for place in range(len(of_kind))]
    rounds.sort(key=lambda entry: (entry[1], entry[0]))
    return [by_kind[kind][place] for kind, place in rounds[:count]]


# A mutant


def mutate(mutation: Mutation) -> None:
    """Make the change in this process, in which nothing is compiled.

    Compiled code is looked up by a function's code; the machine translates the function's source.
    """
    code, source = mutation.made()
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and _origin(function.__code__) == _origin(code):
            function.__code__ = code
            function.source = source


def _origin(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def first_difference(programs: int, samples: int, seed: int) -> str:
    """Say where the forms first differ in the programs of a seed; "" if they do not."""
    computed: list[Expected] = []
    for number in range(programs):
        case = differing_case(
            WORKLOAD, seed, number, samples, _MAX_ELEMENTS, Coverage(), computed
        )
        if case is not None:
            return f"program {number}, {case.program.operations[case.finding.number - 1][1]}"
    found = differing(WORKLOAD, computed, _MAX_ELEMENTS)
    return "" if found is None else f"side by side, program {found[0].number}"


def fate(mutation: Mutation | None, patience: float | None, *budget: int) -> str:
    """Return the fate of a mutant, or of the unchanged code: "survived", or how it is found."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_live, args=(sender, mutation, *budget))
    process.start()
    sender.close()
    try:
        if not receiver.poll(patience):
            return "did not end"
        return str(receiver.recv())
    except EOFError:
        process.join()
        if process.exitcode > 0:
            raise
        return "crashed"
    finally:
        process.kill()
        process.join()


def _live(sender: Connection, mutation: Mutation | None, *budget: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    if mutation is not None:
        native.keep = lambda *_: None  # no code of a mutant stays on disk
        mutate(mutation)
    try:
        sender.send(first_difference(*budget) or "survived")
    except Exception as error:
        sender.send(f"raised {type(error).__name__}")


# The command


@click.command()
@click.option("--count", type=click.IntRange(min=1), default=40, show_default=True,
              help="How many mutants, as many of each kind.")  # fmt: skip
@click.option("--only", default="", metavar="FILE[:LINE]", help="Change this file, or line, alone.")
@click.option("--seed", type=int, default=0, show_default=True,
              help="Seed of the mutants, the programs and the inputs.")  # fmt: skip
@click.option("--programs", type=click.IntRange(min=1), default=60, show_default=True,
              help="The most programs of the fuzzer that each mutant runs.")  # fmt: skip
@click.option("--samples", type=click.IntRange(min=1), default=8, show_default=True,
              help="How many inputs each program is run on.")  # fmt: skip
def main(count: int, only: str, seed: int, programs: int, samples: int) -> None:
    """Say which mistakes in the vectorized form the fuzzer finds, and which it misses."""
    mutants = chosen(all_mutations(only), count, seed)
    budget = programs, samples, seed
    fate(None, None, *budget)  # compiles
    began = time.monotonic()
    found = fate(None, None, *budget)
    if found != "survived":
        raise click.ClickException(f"the forms differ as they are: {found}")
    patience = 60 + 4 * (time.monotonic() - began)
    survived = []
    for mutant in mutants:
        became = fate(mutant, patience, *budget)
        survived += [str(mutant)] if became == "survived" else []
        print(f"{became:<30} {mutant}", flush=True)
    report = {
        "mutants": len(mutants), "found": len(mutants) - len(survived), "programs": programs,
        "samples": samples, "seed": seed, "seconds": round(time.monotonic() - began, 1),
        "survived": survived,
    }  # fmt: skip
    print(json.dumps(report))


if __name__ == "__main__":
    main()
