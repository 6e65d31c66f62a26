"""The summary.json of a folder: figures, and the names of the Parquet files that they sum up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from megabatt.runtime.megabatch.checksums import Damaged, read_json, write_json
from megabatt.runtime.megabatch.store import Store

SUMMARY = "summary.json"
_FILES = "files"


def write_summary(store: Store, figures: dict[str, Any], files: Iterable[str]) -> None:
    """Write the figures of a folder's files. Raises OSError."""
    write_json(store, SUMMARY, figures | {_FILES: sorted(files)})


def read_summary_of(store: Store) -> dict[str, Any] | None:
    """Read the figures of a folder, if it has a summary, and look for the files that it sums up.

    Raises Damaged, also for a file that is gone, and OSError.
    """
    summary = read_json(store, SUMMARY)
    if summary is None:
        return None
    files, there = summary.pop(_FILES, []), set(store.names())
    if not isinstance(files, list):
        raise Damaged(f"{store}/{SUMMARY}: it has no list of files")
    gone = [name for name in map(str, files) if name not in there]
    if gone:
        raise Damaged(f"{store}/{gone[0]}: it is missing")
    return summary
