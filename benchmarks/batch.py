"""The batch that a benchmark computes, and the options that choose the batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from megabatt.runtime.arc.workload import ArcSample, load, samples_of
from megabatt.runtime.megabatch.programs import PackageError, merged_program
from megabatt.runtime.megabatch.samples import spread_evenly


def program_folder(_context: click.Context, _option: click.Parameter, folder: str) -> str:
    """Return the value of `--batt`. Raises BadParameter if the folder has no program."""
    try:
        merged_program(folder)
    except PackageError as error:
        raise click.BadParameter(str(error)) from error
    return folder


def batch_options(samples: int) -> Callable[[Any], Any]:
    """Return a decorator that adds the options `batt`, `samples` and `seed` to a command.

    samples: The default size of the batch.
    """
    options = [
        click.option("--batt", default="generated", show_default=True, metavar="DIR",
                     callback=program_folder, help="Folder that `megabatt compile` wrote."),
        click.option("--samples", type=click.IntRange(min=1), default=samples, show_default=True,
                     help="The batch's size; samples drawn at random."),
        click.option("--seed", type=int, default=0, show_default=True, help="Seed of that draw."),
    ]  # fmt: skip

    def with_options(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


def batch(samples: int, seed: int, split: str = "all") -> list[ArcSample]:
    """Draw samples of ARC-AGI-1."""
    return spread_evenly(samples_of(load("arcagi", split).tasks), samples, seed)
