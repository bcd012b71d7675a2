"""Tables: columns of NumPy that Arrow's readers take without a copy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _core

UNREACHED = 0xFFFFFFFF
_FORMATS = {
    "int32": "i", "uint32": "I", "int64": "l", "uint64": "L", "float64": "g", "uint8": "C", "uint16": "S",
}  # fmt: skip


class Text:
    """A column of strings, stored once each: ``codes[i]`` is a position in ``values``."""

    def __init__(self, codes: Any, values: list[str]) -> None:
        self.codes, self.values = codes, values

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, index: Any) -> Any:
        return self.__array__()[index]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.values, dtype=object)[self.codes] if self.values else np.empty(0, dtype=object)


class Lists:
    """A column of lists: list i is ``values[offsets[i]:offsets[i + 1]]``."""

    def __init__(self, offsets: Any, values: Any) -> None:
        self.offsets, self.values = offsets, values

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, (int, np.integer)):
            index = range(len(self))[index]
            return self.values[self.offsets[index] : self.offsets[index + 1]]
        return self.__array__()[index]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        out = np.empty(len(self), dtype=object)
        out[:] = [self[i] for i in range(len(self))]
        return out


class Table:
    """Columns of one length.

    A column is an attribute and an item: ``table.lon`` and ``table["lon"]`` are one array. ``numpy.asarray(table)`` is
    a structured array. pyarrow, Polars, DuckDB and pandas read a table without a copy by the Arrow C stream interface;
    costs without a path are nulls there.
    """

    def __init__(self, columns: Any, quantities: tuple[str, ...] = (), *, nullable: tuple[str, ...] = ()) -> None:
        """`columns` is a dict, or rows of the library, of which a column is made when it is first used."""
        self._rows, self._columns, self._nullable = None, columns, nullable or quantities
        if not isinstance(columns, dict):
            names = {"value0": None, "value1": None, **{f"value{q}": name for q, name in enumerate(quantities)}}
            all_names = [names.get(name, name) for name in columns.names()]
            self._rows = columns
            self._columns = {name: index for index, name in enumerate(all_names) if name is not None}

    def _column(self, name: str) -> Any:
        column = self._columns[name]
        if isinstance(column, int):
            assert self._rows is not None
            column = self._rows.column(column)
            self._columns[name] = column = Text(*column) if isinstance(column, tuple) else column
        return column

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of ``numpy.asarray(table)``."""
        columns = [(name, self._column(name)) for name in self._columns]
        return np.dtype(
            [(name, getattr(it, "dtype", np.dtype(object)), getattr(it, "shape", (0,))[1:]) for name, it in columns]
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_columns" not in self.__dict__ or name not in self._columns:
            raise AttributeError(f"{type(self).__name__} has no column {name!r}")
        return self[name]

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return self.__array__()[key]
        column = self._column(key)
        return column.__array__() if isinstance(column, Text) else column

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())) if self._rows is None else self._rows)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.__array__())

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._columns]

    def __repr__(self) -> str:
        return f"<macadam.{type(self).__name__}: {len(self)} rows of {', '.join(self._columns)}>"

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        out = np.empty(len(self), self.dtype)
        for name in self._columns:
            out[name] = self[name]
        return out if dtype is None else out.astype(dtype)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The columns for readers of Arrow, without a copy."""
        children = []
        for name in self._columns:
            children.extend(_arrow_columns(name, self._column(name), name in self._nullable))
        return _core.arrow_stream(("+s", "", len(self), 0, [None], children, None))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame. Costs without a path are ``<NA>``."""
        import pandas

        out = {}
        for name in self._columns:
            column = self._column(name)
            if isinstance(column, Text):
                out[name] = pandas.Categorical.from_codes(column.codes, column.values)
            elif name in self._nullable:
                out[name] = pandas.array(column, dtype="UInt32")
                out[name][column == UNREACHED] = pandas.NA
            elif getattr(column, "ndim", 1) == 2:
                out.update({f"{name}_{i}": column[:, i] for i in range(column.shape[1])})
            else:
                out[name] = np.asarray(column)
        return pandas.DataFrame(out)


def _arrow_columns(name: str, column: Any, nullable: bool) -> list[tuple[Any, ...]]:
    length = len(column)
    if isinstance(column, Text):
        data = [value.encode() for value in column.values]
        ends = np.cumsum([0, *map(len, data)], dtype=np.int32)
        text = np.frombuffer(b"".join(data) or b"\0", np.uint8)
        dictionary = ("u", "", len(data), 0, [None, ends, text], [], None)
        return [("i", name, length, 0, [None, np.ascontiguousarray(column.codes)], [], dictionary)]
    if isinstance(column, Lists):
        (item,) = _arrow_columns("item", column.values, False)
        return [("+L", name, length, 0, [None, column.offsets], [item], None)]
    if column.ndim == 2:
        return [it for i in range(column.shape[1]) for it in _arrow_columns(f"{name}_{i}", column[:, i], nullable)]
    valid, nulls = None, 0
    if nullable:
        reached = column != UNREACHED
        nulls = length - int(np.count_nonzero(reached))
        if nulls:
            valid = np.packbits(reached, bitorder="little")
    return [(_FORMATS[column.dtype.name], name, length, nulls, [valid, np.ascontiguousarray(column)], [], None)]
