"""Fields of an object that have other values for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def for_now(owner: object, **fields: Any) -> Iterator[None]:
    """Give fields of an object other values while the context is open."""
    before = {name: getattr(owner, name) for name in fields}
    try:
        for name, value in fields.items():
            setattr(owner, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(owner, name, value)
