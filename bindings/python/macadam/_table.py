"""Tables: columns of NumPy that Arrow's readers take without a copy."""

from __future__ import annotations

import copyreg
import pickle
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from . import _core
from ._arguments import path_of
from ._errors import InvalidError

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray

UNREACHED, SIGNED_UNREACHED = 0xFFFFFFFF, 0x7FFFFFFF
IMPORTED, SIGNED_IMPORTED = 0xFFFFFFFE, -0x80000000
_FORMATS = {
    "int32": "i", "uint32": "I", "int64": "l", "uint64": "L", "float64": "g", "uint8": "C", "uint16": "S",
}  # fmt: skip


def unreached(costs: NDArray[Any]) -> NDArray[np.bool_]:
    """Where costs are unreached, or weights are closed: those of a signed quantity are int32."""
    return costs == (SIGNED_UNREACHED if costs.dtype == np.int32 else UNREACHED)


_ENUMS: dict[str, Any] = {
    "type": _core.maneuver_type_name, "modifier": _core.modifier_name,
    "mode": ("profile", "ferry", "train", "pushing").__getitem__,
}  # fmt: skip


@cache
def dtype_of(struct: str) -> np.dtype[Any]:
    """The type of NumPy for a structure of macadam.h. Pointers are addresses. Gaps are members, so that NumPy keeps them."""
    size, members = _core.members(struct)
    out: list[tuple[Any, ...]] = []
    end = 0
    for name, code, stars, of, offset, count in [*members, ("", "S", 0, "", size, 0)]:
        if end < offset:
            out.append((f"gap{end}", f"V{offset - end}"))
        if name:
            item = np.dtype("u8") if stars else dtype_of(of) if code == "S" else np.dtype(code)
            out.append((name, item) if count == item.itemsize else (name, item, (count // item.itemsize,)))
        end = offset + count
    return np.dtype(out)


def _read(core: Any, path: tuple[str, ...], kind: str) -> Any:
    """A column of the library's structures."""
    array = np.asarray(core).view(dtype_of(core.struct))
    for name in path:
        array = array[:, int(name)] if name.isdigit() else array[name]
        if name == "facts":
            facts = core.follow(array.copy(), "macadam_road_facts")
            array = np.asarray(facts).view(dtype_of(facts.struct))
    array = array.copy()
    if kind == "s":
        return Text(*_core.texts(array))
    if name in _ENUMS and kind == "i":
        values, codes = np.unique(array, return_inverse=True)
        return Text(codes.astype(np.int32), [_ENUMS[name](value) for value in values.tolist()])
    return array.view(np.uint8 if kind == "?" else np.int64 if name in ("in", "out") else array.dtype)


def _copied(version: str, *copy: Any) -> Any:
    if version != _core.VERSION:
        raise pickle.UnpicklingError(f"an answer of macadam {version}; this is {_core.VERSION}")
    return _core.copied_rows(*copy)


copyreg.pickle(_core.Rows, lambda rows: (_copied, (_core.VERSION, *rows.copy())))


def nullable_type(column: Any) -> str:
    """The type of pandas for costs."""
    return "Int32" if column.dtype == np.int32 else "UInt32"


class Text:
    """A column of strings, or of integers, stored once each: ``codes[i]`` is a position in ``values``, or -1 if it is missing."""

    def __init__(self, codes: Any, values: list[Any]) -> None:
        self.codes, self.values = codes, values

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, index: Any) -> Any:
        return self.__array__()[index]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array([*self.values, None], dtype=object)[self.codes]


def named(names: Any, at: NDArray[Any]) -> Any:
    """The column of the names at these positions; without names, of the positions."""
    if names is None:
        return at
    array = np.asarray(names)
    if array.dtype.name in _FORMATS:
        return array[at]
    items = array.tolist() if array.dtype.kind == "O" else array.astype(str).tolist()
    present = [it for it in items if not _is_missing(it)]
    if not all(isinstance(it, str) for it in present):
        kinds = {int if isinstance(it, np.integer) else type(it) for it in present}
        if len(kinds) > 1:
            raise InvalidError(f"the ids of places are of several types: {', '.join(sorted(it.__name__ for it in kinds))}")
        if kinds != {int}:  # times, or tuples of an index with levels
            items = [None if _is_missing(it) else str(it) for it in items]
    values = sorted({it for it in items if not _is_missing(it)})
    code = {it: i for i, it in enumerate(values)}
    return Text(np.array([code.get(it, -1) for it in items], np.int32)[at], values)


def _is_missing(name: Any) -> bool:
    return name is None or type(name).__name__ in ("NAType", "NaTType") or (isinstance(name, float) and name != name)


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


class Row(tuple):  # type: ignore[type-arg]
    """A row of an answer. Its values are found by name, too."""

    _fields: tuple[str, ...] = ()

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self._fields.index(key) if isinstance(key, str) else key)

    def __getattr__(self, name: str) -> Any:
        if name not in self._fields:
            raise AttributeError(f"the row has no {name!r}; it has {', '.join(self._fields)}")
        return self[name]


class Answer:
    """An answer, which libraries for tables read: pyarrow, Polars and DuckDB by the Arrow C stream interface, without a
    copy; pandas as an iterable of rows, ``pandas.DataFrame(answer)``. Costs without a path are missing there."""

    _index: Any = None  # the names of the rows, of the frame in which their places came

    def table(self) -> Table:
        """The answer as a table."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[Row]:
        names, columns = zip(*((name, _values(column, nullable)) for name, column, nullable in self.table()._flat()))
        for values in zip(*columns):
            row = Row(values)
            row._fields = names
            yield row

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The columns for readers of Arrow, without a copy."""
        table = self.table()
        return _core.arrow_stream(("+s", "", len(table), 0, [None], [_arrow_column(*it) for it in table._flat()], None))

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas.DataFrame, which keeps the types. Costs without a path are ``<NA>``.

        If there is a row for each place, and the places came in a frame, rows have the names of its column ``id``, or else
        ``node``, or else its index."""
        import pandas

        out = {}
        for name, column, nullable in self.table()._flat():
            if isinstance(column, Text):
                out[name] = pandas.Categorical.from_codes(column.codes, column.values)
            elif nullable:
                out[name] = pandas.array(column, dtype=nullable_type(column))
                out[name][unreached(column)] = pandas.NA
            else:
                out[name] = np.asarray(column)
        index = self.table()._index
        return pandas.DataFrame(out, None if index is None else pandas.Index(index))

    def to_parquet(self, path: Any, **options: Any) -> None:
        """Writes the answer to a Parquet file with pyarrow, which takes the options. Rows that have names, as in to_pandas, have
        them in the column ``place``."""
        import pyarrow.parquet

        out, index = pyarrow.table(self), self.table()._index
        if index is not None:
            out = out.add_column(0, "place", pyarrow.array(np.asarray(index)))
        pyarrow.parquet.write_table(out, path_of(path, "path"), **options)


def interface_of(array: Any) -> dict[str, Any]:
    """Objects that NumPy takes for an array. An object without ``__array__`` is its rows to pandas."""
    return {**array.__array_interface__, "data": array}


class Table(Answer):
    """Columns of one length.

    A column is an attribute and an item: ``table.lon`` and ``table["lon"]`` are one array. ``numpy.asarray(table)`` is
    a structured array.
    """

    _struct = ""
    _members: ClassVar[dict[str, tuple[tuple[str, ...], str]]] = {}

    def __init__(self, columns: Any, quantities: Any = (), *, nullable: tuple[str, ...] = (), index: Any = None) -> None:
        """`columns` is a dict, or structures of the library, whose `_members` become columns when they are first used: where
        each is stored (a member of a member), and its type: NumPy's, or "s" for text. `quantities` are the names of costs, or a dict with their types. `index` has the
        names of the rows."""
        self._index = index
        self._core, self._columns, self._nullable = None, columns, nullable or tuple(quantities)
        self._types = quantities if isinstance(quantities, dict) else {}
        if not isinstance(columns, dict):
            names = {"value0": "", "value1": "", "price0": "", "price1": ""}
            for q, name in enumerate(quantities):
                names |= {f"value{q}": name, f"price{q}": f"price_{name}"}
            self._core, self._columns = columns, {key: it for name, it in self._members.items() if (key := names.get(name, name))}

    def _column(self, name: str) -> Any:
        column = self._columns[name]
        if isinstance(column, tuple):
            column = _read(self._core, *column)
            self._columns[name] = column = column.view(self._types[name]) if name in self._types else column
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

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name.startswith("__") or "_columns" not in self.__dict__ or name not in self._columns:
            raise AttributeError(f"{type(self).__name__} has no column {name!r}")
        return self[name]

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return np.asarray(self)[key]
        column = self._column(key)
        return column.__array__() if isinstance(column, Text) else column

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())) if self._core is None else self._core)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._columns]

    def __repr__(self) -> str:
        return f"<macadam.{type(self).__name__}: {len(self)} rows of {', '.join(self._columns)}>"

    @property
    def __array_interface__(self) -> dict[str, Any]:
        out = np.empty(len(self), self.dtype)
        for name in self._columns:
            out[name] = self[name]
        return interface_of(out)

    def table(self) -> Table:
        """The table itself."""
        return self

    def _flat(self) -> Iterator[tuple[str, Any, bool]]:
        """The columns, and whether they may be unreached. A column with several numbers a row becomes several columns."""
        for name in self._columns:
            column, nullable = self._column(name), name in self._nullable
            if getattr(column, "ndim", 1) == 2:
                yield from ((f"{name}_{i}", column[:, i], nullable) for i in range(column.shape[1]))
            else:
                yield name, column, nullable


def _values(column: Any, nullable: bool) -> list[Any]:
    """The values of a column; None where there is no path."""
    array = np.asarray(column)
    if nullable:
        missing, array = unreached(array), array.astype(object)
        array[missing] = None
    return list(array) if isinstance(column, Lists) else array.tolist()


def _arrow_column(name: str, column: Any, nullable: bool) -> tuple[Any, ...]:
    length = len(column)
    if isinstance(column, Text):
        here = column.codes >= 0
        nulls = length - int(np.count_nonzero(here))
        codes = [np.packbits(here, bitorder="little") if nulls else None, np.ascontiguousarray(column.codes)]
        if column.values and isinstance(column.values[0], int):
            return "i", name, length, nulls, codes, [], _arrow_column("", np.array(column.values, np.int64), False)
        data = [value.encode() for value in column.values]
        ends = np.cumsum([0, *map(len, data)], dtype=np.int32)
        text = np.frombuffer(b"".join(data) or b"\0", np.uint8)
        dictionary: tuple[Any, ...] = ("u", "", len(data), 0, [None, ends, text], [], None)
        return "i", name, length, nulls, codes, [], dictionary
    if isinstance(column, Lists):
        item = _arrow_column("item", column.values, False)
        return "+L", name, length, 0, [None, column.offsets], [item], None
    valid, nulls = None, 0
    if nullable:
        reached = ~unreached(column)
        nulls = length - int(np.count_nonzero(reached))
        if nulls:
            valid = np.packbits(reached, bitorder="little")
    return _FORMATS[column.dtype.name], name, length, nulls, [valid, np.ascontiguousarray(column)], [], None
