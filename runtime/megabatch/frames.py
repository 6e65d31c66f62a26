"""Results as tables of Arrow, pandas and Polars."""

from __future__ import annotations

import shlex
import sys
from importlib import import_module
from typing import Any

import pyarrow as pa


class Tabular:
    """A result with rows; a subclass returns the rows by `to_arrow`."""

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """Return the rows as a pandas DataFrame, with nullable dtypes.

        Raises:
            ModuleNotFoundError: pandas is not installed.
        """
        pandas = _imported("pandas")
        types = {
            pa.bool_(): pandas.BooleanDtype(),
            pa.int32(): pandas.Int32Dtype(),
            pa.int64(): pandas.Int64Dtype(),
        }
        return self.to_arrow().to_pandas(types_mapper=types.get)

    def to_polars(self) -> Any:
        """Return the rows as a Polars DataFrame.

        Raises:
            ModuleNotFoundError: Polars is not installed.
        """
        return _imported("polars").from_arrow(self.to_arrow())


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        command = f"{shlex.quote(sys.executable)} -m pip install {name}"
        raise ModuleNotFoundError(f"{name} is not installed: {command}", name=name) from None
