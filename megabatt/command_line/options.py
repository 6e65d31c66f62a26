"""Options that commands share, and options of the workload that a command is given."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from megabatt.codegen.language import LanguageError, load_primitives, look_in_working_folder
from megabatt.runtime import WORKLOADS
from megabatt.runtime.arguments import amount
from megabatt.runtime.completing import folders_beginning, workloads_beginning
from megabatt.runtime.engine.language.limits import UNLIMITED
from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.megabatch.run.hardware import GPU_THRESHOLD
from megabatt.runtime.megabatch.run.memory import LEAST_BYTES, bytes_of
from megabatt.runtime.megabatch.workload import Workload, WorkloadError, named

Options = dict[str, Any]
"""The values of a workload's options, by name."""


def bundled_programs() -> str:
    """Return the folder of the workload's bundled programs."""
    return str(files("megabatt.generated") / click.get_current_context().obj.programs)


def _with_modules_here(context: click.Context, option: click.Parameter, folder: str) -> str:
    """Make modules of the working folder importable for a folder of programs."""
    if context.get_parameter_source(option.name or "") == ParameterSource.COMMANDLINE:
        look_in_working_folder()
    return folder


BATT = click.option("--batt", "folder", default=bundled_programs, metavar="DIR",
                    show_default="the bundled programs", callback=_with_modules_here,
                    shell_complete=folders_beginning,
                    help="Folder that `megabatt compile` wrote. megabatt imports it: name only a "
                    "folder that you trust.")  # fmt: skip


def require_draws(workload: Workload[Any]) -> None:
    """Exit with 2 if a workload has no `draws`, or a mistake in them."""
    if workload.draws is None:
        line = f"workload {workload.name} does not say what to make programs of (draws)"
        raise click.UsageError(line)
    mistake = next(workload.draws.mistakes(), None)
    if mistake is not None:
        raise click.UsageError(mistake)


def load_modules(workload: Workload[Any], modules: tuple[str, ...]) -> None:
    """Import modules that register more primitives.

    Exits with 2 if a module cannot be imported, or has a compiled form that cannot be compiled.
    """
    try:
        names = [name for module in modules for name in load_primitives(workload.language, module)]
    except LanguageError as error:
        raise click.UsageError(str(error)) from error
    for why in uncompilable(workload, names):
        raise click.UsageError(why)


def uncompilable(workload: Workload[Any], names: Iterable[str]) -> list[str]:
    """Return the reasons why compiled forms of some primitives cannot be compiled, a line each."""
    from megabatt.runtime.engine.machine.llvm import translate
    from megabatt.runtime.engine.machine.syntax import Untranslatable

    found = []
    for compiled in [workload.language.primitives[name].compiled for name in names]:
        try:
            if compiled is not None:
                translate(compiled)
        except Untranslatable as error:
            found.append(str(error).removeprefix(f"{Path.cwd()}/"))
    return found


_WORKLOAD_OPTION = click.Option(
    ["--workload"], default="arc", show_default=True, metavar="NAME",
    shell_complete=workloads_beginning,
    help="The workload: arc, signals, or a module with a WORKLOAD. It may add options."
)  # fmt: skip
_BATCH_SIZE_OPTION = click.option(
    "--batch-size", type=click.IntRange(min=1),
    show_default="the best of the last sweep; without one, as many as a GPU holds, or on a "
    "CPU 1000 for arc and 64 for signals",
    help="Samples computed at once.")  # fmt: skip


class LocalPath(click.Path):
    """A path on this machine; a URI is refused, from which a path would silently be made."""

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> Any:
        if isinstance(value, str) and "://" in value:
            self.fail(f"{value} is no path: name a folder of this machine", param, context)
        return super().convert(value, param, context)


class _Memory(click.ParamType):
    """A number of bytes, such as 8GB or 500 MB."""

    name = "size"

    def __init__(self, least: int = 0) -> None:
        self.least = least

    def convert(self, value: Any, param: Any, context: Any) -> int:
        if isinstance(value, int):
            return value
        found = bytes_of(str(value))
        if found is None:
            self.fail(f"{value!r} is not a size such as 8GB or 500MB", param, context)
        if found < self.least:
            least = f"give {self.least // 10**6} MB or more"
            self.fail(f"{value!r} is too little: {least}", param, context)
        return found


class _Seconds(click.ParamType):
    """A time in seconds: a finite number above 0."""

    name = "seconds"

    def convert(self, value: Any, param: Any, context: Any) -> float:
        try:
            return amount("seconds", click.FLOAT.convert(value, param, context))
        except ValueError as error:
            self.fail(str(error), param, context)


class _Shard(click.ParamType):
    """A shard, such as 1/4 to 4/4, as (number from 0, number of shards)."""

    name = "shard"

    def convert(self, value: Any, param: Any, context: Any) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        found = re.fullmatch(r"(\d+)/(\d+)", str(value).strip())
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            self.fail(f"{value!r} is not a shard such as 1/4, the first of four", param, context)
        return int(found[1]) - 1, int(found[2])


class _Elements(click.IntRange):
    """A positive number up to `UNLIMITED`, which the help does not show."""

    def convert(self, value: Any, param: Any, context: Any) -> int:
        number: int = super().convert(value, param, context)
        if number > UNLIMITED:
            self.fail(f"{value} is more than {UNLIMITED:,}", param, context)
        return number


class _Counts(click.ParamType):
    """Whole numbers such as 4,64,1000, sorted and without repetitions."""

    name = "counts"

    def convert(self, value: Any, param: Any, context: Any) -> list[int]:
        if isinstance(value, list):
            return value
        parts = str(value).replace(",", " ").split()
        if not parts or not all(part.isdecimal() and int(part) for part in parts):
            self.fail(f"not positive whole numbers: {value!r}", param, context)
        return sorted({int(part) for part in parts})


SIZE, SECONDS, SHARD, COUNTS = _Memory(), _Seconds(), _Shard(), _Counts()
ELEMENTS = _Elements(1)
MEMORY = click.option("--memory", type=_Memory(LEAST_BYTES), metavar="SIZE",
                      show_default="3/4 of what is free",
                      help="Memory of all processes together, such as 8GB; 500MB or "
                      "more.")  # fmt: skip

SELECTORS: list[Callable[..., Any]] = [
    BATT,
    _BATCH_SIZE_OPTION,
    click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto",
                 show_default=True, help="Where to compute. auto: on a GPU if there is one."),
    click.option("--devices", "gpus", default="", metavar="N,N,...", show_default="all",
                 help="GPUs to use. A GPU gets a process for each time that it is named."),
    click.option("--gpu-threshold", type=click.IntRange(min=0), default=GPU_THRESHOLD,
                 show_default=True,
                 help="With --device auto: use a GPU only for batches of more lanes."),
    click.option("--workers", type=click.IntRange(min=1), default=os.cpu_count() or 1,
                 show_default="number of cores",
                 help="Threads, or processes where Python computes."),
    click.option("--max-elements", type=ELEMENTS, show_default="the language's",
                 help="Container elements that one operation may build."),
]  # fmt: skip


def selectors(command: Callable[..., Any], batch_size: bool = True) -> Callable[..., Any]:
    """Add the shared options to a command. batch_size: Whether to add --batch-size."""
    for option in reversed(SELECTORS):
        if batch_size or option is not _BATCH_SIZE_OPTION:
            command = option(command)
    return command


def is_dataset(folder: Path) -> bool:
    """Tell whether a folder has a dataset of signals."""
    return (folder / "dataset.json").is_file()


class DataCommand(click.Command):
    """A command that does not print its usage with an error in its data."""

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except click.UsageError as error:
            error.ctx = None
            raise


class WorkloadCommand(DataCommand):
    """A command with the options of the workload that `--workload` names.

    The command is called with the workload, and with the values of its options, by name, as `data`.
    """

    own_options = True

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        finder = click.Command(
            None, params=[_WORKLOAD_OPTION], add_help_option=False,
            context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
        )  # fmt: skip
        found = finder.make_context(None, list(args), parent=context, resilient_parsing=True)
        if found.params["workload"] not in WORKLOADS:
            look_in_working_folder()
        try:
            context.obj = named(found.params["workload"])
        except WorkloadError as error:
            if not context.resilient_parsing:
                raise click.UsageError(str(error), context) from error
            context.obj = named("arc")  # a shell completes a line that is not finished
        try:
            return super().parse_args(context, args)
        except click.NoSuchOption as error:
            other = self._workload_with(error.option_name, context)
            if other is None:
                raise
            message = f"No such option {error.option_name!r}: it is one of --workload {other}."
            raise click.UsageError(message, context) from error

    def _workload_with(self, option: str, context: click.Context) -> str | None:
        """Return the name of a bundled workload that gives the command an option."""
        for name in WORKLOADS:
            context.obj = named(name)
            if any(option in one.opts for one in self._options(context)):
                return name
        return None

    def get_params(self, context: click.Context) -> list[click.Parameter]:
        first, *others = super().get_params(context)
        return [_WORKLOAD_OPTION, first, *self._options(context), *others]

    def invoke(self, context: click.Context) -> Any:
        options = {
            option.name: context.params.pop(option.name) for option in self._options(context)
        }
        context.params["workload"] = context.obj
        if self.own_options:
            context.params["data"] = options
        return super().invoke(context)

    def _options(self, context: click.Context) -> tuple[click.Parameter, ...]:
        if not self.own_options:
            return ()
        return (context.obj or named("arc")).options  # type: ignore[no-any-return]


class UnpairedCommand(WorkloadCommand):
    """A command that pairs groups with programs by itself, or not at all."""

    def _options(self, context: click.Context) -> tuple[click.Parameter, ...]:
        pairing = () if context.obj is None else context.obj.pairing
        return tuple(o for o in super()._options(context) if o.name not in pairing)


class GroupCommand(WorkloadCommand):
    """A command that chooses groups by itself, in place of the workload's options."""

    def _options(self, context: click.Context) -> tuple[click.Parameter, ...]:
        workload = context.obj
        choosing = () if workload is None else workload.choosing
        return tuple(o for o in super()._options(context) if o.name not in choosing)


def groups_beginning(
    context: click.Context, option: click.Parameter, begun: str
) -> list[CompletionItem]:
    """List the groups of a command's data, such as tasks, whose names begin with `begun`.

    If there is no such group, ask the shell for folders: a dataset's folder is a group too.
    """
    names = [CompletionItem(name) for name in _groups_beginning(context, begun)]
    return names or folders_beginning(context, option, begun)


def _groups_beginning(context: click.Context, begun: str) -> list[str]:
    options = {name: context.params.get(name) for name in _names_of_options(context.obj)}
    known = {name: value for name, value in options.items() if value is not None}
    try:
        samples = context.obj.load(**known).samples
    except (DataError, OSError):
        return []
    return sorted({sample.group for sample in samples if sample.group.startswith(begun)})


def _names_of_options(workload: Workload[Any]) -> list[str]:
    return [o.name or "" for o in workload.options if o.name not in workload.choosing]


class LanguageCommand(WorkloadCommand):
    """A command for the workload's language alone; it takes none of the workload's options."""

    own_options = False
