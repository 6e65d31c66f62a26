"""Locks of folders, so that one run writes to a folder at a time."""

from __future__ import annotations

import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from megabatt.runtime.megabatch.store import Store

_WAIT_FOR_REMOVAL = 0.2
"""Seconds to try again, since a process that held the lock briefly may be removing its file."""


_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""O_NOFOLLOW, since another user of the folder may have put a link in place of the lock's file."""


class InUse(Exception):
    """Raised if another process has locked the folder; the message names the process."""


@contextmanager
def locked(
    store: Store, name: str, why: str, shared: bool = False, wait: bool = False
) -> Iterator[None]:
    """Lock a local folder within the block; do nothing for other stores.

    shared: Whether others may share the lock. wait: Whether to wait until the lock is free. The
    last holder removes the lock's file. Raises InUse, with `why` and the holder.
    """
    if store.local is None:
        yield
        return
    path = store.path(name)
    how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    until = time.monotonic() + _WAIT_FOR_REMOVAL
    while True:
        file = os.open(path, _FLAGS, 0o666)
        try:
            fcntl.flock(file, how if wait else how | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(file, 200, 0).decode(errors="replace").strip()
            os.close(file)
            if time.monotonic() < until:
                time.sleep(_WAIT_FOR_REMOVAL / 20)
                continue
            by = f" ({holder})" if holder else ""
            raise InUse(f"{store} is {why}{by}") from None
        if _is_still(file, path):
            break
        os.close(file)  # the last holder has removed this file meanwhile
    try:
        os.ftruncate(file, 0)  # a killed process may have left its name
        if not shared:
            os.pwrite(file, f"process {os.getpid()} on {socket.gethostname()}".encode(), 0)
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # nobody else holds it
            os.unlink(path)
        os.close(file)


def _is_still(file: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except FileNotFoundError:
        return False
