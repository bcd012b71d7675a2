"""Matrices that are larger than the memory: tile by tile, or into a file."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ._answers import Costs, Matrix
from ._engine import Engine
from ._errors import InvalidError, complain
from ._table import UNREACHED, Table


class Rectangle(NamedTuple):
    """A part of a matrix."""

    row: int
    rows: int
    column: int
    columns: int


class Tile(Costs):
    """A rectangle of a matrix on its way to the caller: the costs, and ``row`` and ``column`` of its first cell."""

    row: int
    column: int


def partition(rows: int, columns: int, chunk: tuple[int, int]) -> list[Rectangle]:
    """Divides a matrix into rectangles of at most `chunk` rows and columns, for programs that share the work."""
    if min(chunk) < 1:
        raise InvalidError(f"chunk: {chunk} is not positive")
    return [
        Rectangle(row, min(chunk[0], rows - row), column, min(chunk[1], columns - column))
        for row in range(0, rows, chunk[0])
        for column in range(0, columns, chunk[1])
    ]


class _Request:
    """A matrix whose tiles go to a function."""

    def __init__(self, engine: Engine, sources: Any, targets: Any, quantities: Any, options: Any) -> None:
        self.engine, self.square = engine, targets is None
        self.rows = engine._sources(sources)
        self.columns = self.rows if targets is None else engine._sources(targets, "targets")
        self.asked = engine._ask(quantities, **options)
        self.status = np.empty(len(self.rows) + len(self.columns), np.int32)
        self.missing, self.checked = 0, False

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.columns)

    def run(self, receive: Callable[[int, int, list[Any]], Any]) -> None:
        """Calls receive(row, column, arrays): the arrays live until it returns. Complains about places first."""

        def step(row: int, column: int, arrays: list[Any]) -> Any:
            if not self.checked:
                self.check_places()
            self.missing += int(np.count_nonzero(arrays[0] == UNREACHED))
            return receive(row, column, arrays)

        core = self.engine._core
        core.matrix_tiles(self.asked.query, self.rows, self.columns, self.status.ctypes.data, step)

    def check_places(self) -> None:
        self.checked, count = True, len(self.rows)
        self.found = self.engine._found(self.status[:count], self.rows, "sources", self.asked.strict)
        if not self.square:
            self.found &= self.engine._found(self.status[count:], self.columns, "targets", self.asked.strict)

    def check_cells(self) -> None:
        if self.missing and self.found:
            complain(f"{self.missing} of {self.shape[0] * self.shape[1]} cells have no path", self.asked.strict)


def matrix_tiles(
    engine: Engine, sources: Any, targets: Any = None, *, quantities: Any = None, **options: Any
) -> Iterator[Tile]:
    """Computes a matrix and yields it tile by tile, while the next ones are computed.

    Tiles cover every cell once, in ascending order of (row, column). Arguments are those of Engine.matrix. To stop,
    leave the loop.
    """
    return _tiles(_Request(engine, sources, targets, quantities, options))


def _tiles(request: _Request) -> Iterator[Tile]:
    ready: queue.Queue[Any] = queue.Queue(maxsize=2)
    stopped = threading.Event()

    def put(item: Any) -> bool:
        while not stopped.is_set():
            try:
                ready.put(item, timeout=0.05)
                return True
            except queue.Full:
                continue
        return False

    def receive(row: int, column: int, arrays: list[Any]) -> bool:
        values = {name: array.copy() for name, array in zip(request.asked.names, arrays)}
        return put(Tile(values, request.engine._units, row=row, column=column))

    def work() -> None:
        try:
            request.run(receive)
            put(None)
        except BaseException as error:
            put(error)

    request.checked = True  # here, so that the warning is the caller's
    thread = threading.Thread(target=work, name="macadam tiles", daemon=True)
    thread.start()
    try:
        first = True
        while (item := ready.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            if first:
                request.check_places()
                first = False
            yield item
        request.check_cells()
    finally:
        stopped.set()
        thread.join()


def matrix_to(
    engine: Engine,
    path: Any,
    sources: Any,
    targets: Any = None,
    *,
    quantities: Any = None,
    chunk: tuple[int, int] = (2048, 2048),
    **options: Any,
) -> None:
    """Computes a matrix in a file. It has its name only when it is complete.

    Parameters
    ----------
    path : path
        ``.npy``: uint32 of shape (sources, targets), or (sources, targets, 2). ``.parquet``: the columns source,
        target (positions) and the costs, null where there is no path (pyarrow). ``.zarr``: a group with one array for
        each quantity (zarr).
    chunk : tuple of int
        The chunks of a Zarr array.
    sources, targets, quantities, **options
        As in Engine.matrix.
    """
    name = os.fspath(path)
    kinds: dict[str, Callable[..., None]] = {".npy": _to_npy, ".parquet": _to_parquet, ".zarr": _to_zarr}
    kind = os.path.splitext(name)[1]
    if kind not in kinds:
        raise InvalidError(f"path: {name} ends with none of {', '.join(kinds)}")
    request = _Request(engine, sources, targets, quantities, options)
    unfinished = f"{name}.{os.getpid()}.unfinished{kind}"
    try:
        kinds[kind](unfinished, request, chunk)
        os.replace(unfinished, name)
    except BaseException:
        if os.path.isdir(unfinished):
            import shutil

            shutil.rmtree(unfinished)
        elif os.path.exists(unfinished):
            os.remove(unfinished)
        raise
    request.check_cells()


def _to_npy(path: str, request: _Request, chunk: Any) -> None:
    both = len(request.asked.names) == 2
    out = np.lib.format.open_memmap(path, "w+", np.uint32, (*request.shape, 2) if both else request.shape)

    def receive(row: int, column: int, arrays: list[Any]) -> None:
        rows, columns = slice(row, row + arrays[0].shape[0]), slice(column, column + arrays[0].shape[1])
        for q, array in enumerate(arrays):
            out[(rows, columns, q) if both else (rows, columns)] = array

    request.run(receive)
    out.flush()


def cells(values: dict[str, Any], row: int, column: int) -> Table:
    """The cells of a rectangle as a table of source, target and the costs."""
    rows, columns = next(iter(values.values())).shape
    source = np.repeat(np.arange(row, row + rows), columns)
    target = np.tile(np.arange(column, column + columns), rows)
    return Table({"source": source, "target": target, **{n: it.reshape(-1) for n, it in values.items()}}, tuple(values))


def _to_parquet(path: str, request: _Request, chunk: Any) -> None:
    import pyarrow
    import pyarrow.parquet

    writer: Any = None

    def receive(row: int, column: int, arrays: list[Any]) -> None:
        nonlocal writer
        values = {name: np.ascontiguousarray(it) for name, it in zip(request.asked.names, arrays)}
        table = pyarrow.table(cells(values, row, column))
        writer = writer or pyarrow.parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)

    try:
        request.run(receive)
    finally:
        if writer is not None:
            writer.close()


def _to_zarr(path: str, request: _Request, chunk: tuple[int, int]) -> None:
    import zarr

    group = zarr.open_group(path, mode="w")
    arrays = {
        name: group.create_array(name, shape=request.shape, chunks=chunk, dtype="uint32", fill_value=UNREACHED)
        for name in request.asked.names
    }
    status = np.empty(0)
    for it in partition(*request.shape, (chunk[0], request.shape[1])):
        part = request.rows.slice(it.row, it.row + it.rows)
        matrix = _part(request, part)
        for name, array in arrays.items():
            array[it.row : it.row + it.rows] = matrix[name]
        status = np.concatenate([status, matrix.source_status])
        request.missing += int(np.count_nonzero(matrix.values[0] == UNREACHED))
    request.status = np.concatenate([status, matrix.target_status]).astype(np.int32)
    request.check_places()


def _part(request: _Request, rows: Any) -> Matrix:
    shape = (len(rows), len(request.columns))
    values, addresses = request.engine._room(request.asked.names, shape, None, False)
    status = np.empty(sum(shape), np.int32)
    query, core = request.asked.query, request.engine._core
    core.matrix(query, rows, request.columns, addresses, status.ctypes.data)
    units = request.engine._units
    return Matrix(values, units, source_status=status[: shape[0]], target_status=status[shape[0] :])
