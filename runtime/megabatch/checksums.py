"""Parquet and JSON files with checksums.

The entry `checksum` in a Parquet file's metadata is the digest of the file's bytes, with zeros in
place of the digest itself. Each page has a checksum of its own, for readers of single pages.
A file of a run also names the run and itself, so that files of other runs and copies are noticed.
The last entry of a JSON file, `checksum`, is the digest of the file's other entries.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from megabatt.runtime.megabatch.store import NotAFile, Store

_KEY = "checksum"
_KIND = "megabatt-sha256:"
"""The beginning of a checksum. The footer's bytes are searched for this text, since parsing a
damaged footer may do anything."""
_ZEROS = "0" * 64
_CHECKSUM = re.compile(f"{_KIND}([0-9a-f]{{64}})".encode())
_BYTES_AT_ONCE = 1 << 20
_END = 8
"""The bytes after a Parquet file's footer: the footer's length in four bytes, and PAR1."""
_RUN, _FILE = b"megabatt.run", b"megabatt.file"
"""The keys of the run and of the file's name in the metadata of a run's file."""


class Damaged(Exception):
    """Raised for a file whose content is not as written; the message names the file."""


# Parquet


class _Digested(io.RawIOBase):
    """A stream that digests and passes on bytes; after a call of `keep`, it holds bytes back."""

    def __init__(self, stream: Any) -> None:
        self.digest = hashlib.sha256()
        self.kept = b""
        self._stream = stream
        self._keeps = False
        self._at = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def keep(self) -> None:
        self._keeps = True

    def write(self, content: Any) -> int:
        content = bytes(content)
        self.digest.update(content)
        self._at += len(content)
        if self._keeps:
            self.kept += content
        else:
            self._stream.write(content)
        return len(content)


@contextmanager
def writing_parquet(
    store: Store, name: str, schema: pa.Schema, run: str | None = None
) -> Iterator[pq.ParquetWriter]:
    """Yield a writer of a Parquet file; the file appears if the block ends without an error.

    run: The identity of the run whose file it is; None if it is of no run.
    """
    with store.writing(name) as stream:
        digested = _Digested(stream)
        writer = pq.ParquetWriter(digested, schema, compression="zstd", write_page_checksum=True)
        try:
            yield writer
        except BaseException:
            with suppress(Exception):
                writer.close()
            raise
        if run is not None:
            writer.add_key_value_metadata({_RUN: run, _FILE: name})
        writer.add_key_value_metadata({_KEY: _KIND + _ZEROS})
        digested.keep()  # the footer follows
        writer.close()
        checksum = _KIND + digested.digest.hexdigest()
        stream.write(digested.kept.replace((_KIND + _ZEROS).encode(), checksum.encode()))


@contextmanager
def reading_parquet(
    store: Store, name: str, run: str | None = None
) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file, and check all of its bytes, and whether it is the run's file.

    run: As for `writing_parquet`; None for any run. Raises Damaged if the file is not as it was
    written, or not there, and OSError if the file cannot be read.
    """
    with opened(store, name) as file:
        where = f"{store}/{name}"
        if not has_checksum(file, where):
            raise Damaged(f"{where}: it has no checksum; something else has written it")
        try:
            parquet = pq.ParquetFile(file, page_checksum_verification=True)
        except (ValueError, pa.ArrowException) as error:  # forged: the checksum is right
            raise Damaged(f"{where}: not a Parquet file: {error}") from error
        if run is not None:
            check_run(parquet.metadata, store, name, run)
        try:
            yield parquet
        except pa.ArrowException as error:
            raise Damaged(f"{where}: {error}") from error


def opened(store: Store, name: str) -> Any:
    """Open a file for reading. Raises Damaged if there is no regular file, OSError."""
    try:
        return store.open(name)
    except FileNotFoundError as error:  # or a link to nothing
        raise Damaged(f"{store}/{name}: it is missing") from error
    except NotAFile as error:
        raise Damaged(f"{store}/{name}: it is not a regular file") from error


def check_run(footer: pq.FileMetaData, store: Store, name: str, run: str) -> None:
    """Check that a file was written for a run under its name. Raises Damaged."""
    said = footer.metadata or {}
    if not names_run(footer):
        raise Damaged(f"{store}/{name}: it does not name its run: an earlier megabatt wrote it")
    if said[_RUN] != run.encode():
        raise Damaged(f"{store}/{name}: it is of another run")
    if said.get(_FILE) != name.encode():
        raise Damaged(f"{store}/{name}: it is a copy of another file of the run")


def names_run(footer: pq.FileMetaData) -> bool:
    """Tell whether a file names the run that wrote it."""
    return _RUN in (footer.metadata or {})


def has_checksum(file: Any, where: str) -> bool:
    """Tell whether an open Parquet file has a checksum, and check the checksum.

    Raises Damaged, with `where`, for another file, a wrong checksum or a failing disk; OSError if
    the file cannot be read for another reason.
    """
    try:
        return _has_checksum(file, where)
    except OSError as error:
        if error.errno == errno.EIO:  # the disk fails
            raise Damaged(f"{where}: it cannot be read: {error}") from error
        raise


def _has_checksum(file: Any, where: str) -> bool:
    size = file.size()
    file.seek(max(size - _END, 0))
    length = int.from_bytes(file.read(4), "little")
    begin = size - _END - length
    if size < _END or begin < 0:
        raise Damaged(f"{where}: not a whole Parquet file")
    file.seek(begin)
    footer = file.read()
    *_, said = [None, *_CHECKSUM.finditer(footer)]
    if said is None:
        return False
    digest = hashlib.sha256()
    file.seek(0)
    for at in range(0, begin, _BYTES_AT_ONCE):
        digest.update(file.read(min(_BYTES_AT_ONCE, begin - at)))
    digest.update(footer.replace(said[1], _ZEROS.encode()))
    if digest.hexdigest().encode() != said[1]:
        raise Damaged(f"{where}: its bytes are not those that were written")
    return True


# JSON


def write_json(store: Store, name: str, content: dict[str, Any]) -> None:
    """Write a JSON file, whole or not at all. Raises OSError."""
    text = json.dumps(content | {_KEY: _checksum_of(content)}, indent=2, ensure_ascii=False) + "\n"
    store.write(name, text.encode("utf-8", "backslashreplace"))


def read_json(store: Store, name: str) -> dict[str, Any] | None:
    """Return the content that `write_json` wrote to a file; None if there is no file.

    Raises Damaged if the file has other content, OSError if the file cannot be read.
    """
    text = store.read(name)
    if text is None:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:  # nested too deeply
        raise Damaged(f"{store}/{name}: it is no JSON: {error}") from error
    said = found.pop(_KEY, None) if isinstance(found, dict) else None
    if said is None:
        raise Damaged(f"{store}/{name}: it has no checksum; something else has written it")
    if said != _checksum_of(found):
        raise Damaged(f"{store}/{name}: its content has changed")
    return found  # type: ignore[no-any-return]


def _checksum_of(content: dict[str, Any]) -> str:
    return _KIND + hashlib.sha256(json.dumps(content).encode()).hexdigest()
