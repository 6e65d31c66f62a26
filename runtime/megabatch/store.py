"""The folder of a run's files, local or on an object store.

A file exists whole or not at all: a local file is written under a temporary name and renamed; an
object store shows only complete objects.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self
from uuid import uuid4

import pyarrow as pa
from pyarrow import fs


class NotAFile(OSError):
    """Raised for what is no regular file: a folder, or a pipe or device, which may never end."""


_TEMPORARY = re.compile(r"\.(?P<name>.+)\.[0-9a-f]+\.tmp")


@dataclass(frozen=True)
class Store:
    """A folder, by its path or its URI: `results`, `s3://bucket/results`, `gs://...`.

    A store is pickled as its place; each process opens the file system itself. Arrow gets paths as
    bytes, since those of this machine may be no UTF-8.

    shown: The path as given, for messages.
    """

    place: str
    shown: str = field(compare=False)

    @classmethod
    def at(cls, place: str | os.PathLike[str]) -> Self:
        """Return the store at a path or a URI. Raises ValueError for an unknown file system."""
        text = os.fspath(place)
        store = cls(text if "://" in text else os.path.abspath(text), text)
        try:
            store._opened  # noqa: B018
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"{text}: {error}") from error
        return store

    def __str__(self) -> str:
        return self.shown

    def __reduce__(self) -> tuple[Any, ...]:
        return Store, (self.place, self.shown)

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        if "://" not in self.place:
            return fs.LocalFileSystem(), self.place
        return fs.FileSystem.from_uri(self.place)  # type: ignore[no-any-return]

    @property
    def local(self) -> str | None:
        """The path of a folder on this machine; None for a folder on another store."""
        system, path = self._opened
        return path if isinstance(system, fs.LocalFileSystem) else None

    def path(self, name: str) -> str:
        return f"{self._opened[1]}/{name}"

    def make(self) -> None:
        """Make the folder. Raises OSError."""
        system, path = self._opened
        if self.local is None:
            system.create_dir(os.fsencode(path), recursive=True)
        elif os.path.exists(path) and not os.path.isdir(path):
            raise NotADirectoryError(errno.ENOTDIR, "it is a file, not a folder", path)
        else:  # Arrow's errors are of several clauses, with a path within
            os.makedirs(path, exist_ok=True)

    def names(self) -> list[str]:
        """List the names of the folder's files and folders, sorted; none for a missing folder."""
        system, path = self._opened
        if self.local is not None:  # Arrow omits names that are no UTF-8
            return sorted(os.listdir(path)) if os.path.isdir(path) else []
        found = system.get_file_info(fs.FileSelector(path, allow_not_found=True))
        return sorted(info.base_name for info in found)

    def read(self, name: str) -> bytes | None:
        """Return a file's content; None for a missing file."""
        try:
            with self.open(name) as file:
                return bytes(file.read())
        except FileNotFoundError:
            return None

    def open(self, name: str) -> Any:
        """Open a file for reading, as pyarrow's NativeFile. Raises FileNotFoundError, OSError."""
        return self._opened[0].open_input_file(os.fsencode(self.regular(name)))

    def regular(self, name: str) -> str:
        """Return the path of a file. Raises NotAFile."""
        path = self.path(name)
        if self.local is not None and os.path.exists(path) and not os.path.isfile(path):
            raise NotAFile(errno.EINVAL, "not a regular file", path)
        return path

    def remove(self, name: str) -> None:
        """Remove a file, or an empty folder. Raises OSError."""
        path = self.path(name)
        if self.local is not None and os.path.isdir(path) and not os.path.islink(path):
            os.rmdir(path)
            return
        with suppress(FileNotFoundError):
            self._opened[0].delete_file(os.fsencode(path))

    def write(self, name: str, content: bytes) -> None:
        """Write a file, whole or not at all."""
        with self.writing(name) as file:
            file.write(content)

    @contextmanager
    def writing(self, name: str) -> Iterator[Any]:
        """Yield a stream to write a file; the file appears if the block ends without an error."""
        system = self._opened[0]
        if self.local is None:
            with pa.BufferOutputStream() as buffer:
                yield buffer
                content = buffer.getvalue()
            try:
                with system.open_output_stream(self.path(name)) as file:
                    file.write(content)
            except BaseException:
                with suppress(OSError):  # some stores show an incomplete object
                    self.remove(name)
                raise
            return
        path = self.regular(name)
        temporary = self.path(f".{name}.{uuid4().hex}.tmp")  # distinct on all machines
        try:
            with open(temporary, "wb") as file:
                yield file
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise


def temporary_for(name: str) -> str | None:
    """Return the final name of a temporary file, given its name; None for any other file."""
    found = _TEMPORARY.fullmatch(name)
    return found["name"] if found else None
