"""What everything that is a table can become: an Arrow table, a pandas or a polars data frame."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from yarnstick.optional import require

if TYPE_CHECKING:
    import pandas
    import polars


class Tabular(ABC):
    """Something with ``to_arrow``; data frames follow from it."""

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """The whole as an Arrow table."""

    def to_pandas(self) -> pandas.DataFrame:
        """The whole as a pandas data frame (what is missing is NaN or None)."""
        require("pandas", "to_pandas()")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """The whole as a polars data frame."""
        return require("polars", "to_polars()").from_arrow(self.to_arrow())


def table_of_lines(lines: Sequence[Any], line: type) -> pa.Table:
    """A row a line, a column a field of the dataclass ``line``."""
    return pa.table({field.name: [getattr(one, field.name) for one in lines] for field in fields(line)})
