"""Matrices and all pairs that are larger than the memory: tile by tile, or into a file."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._arguments import Quantities, flag, naming, path_of
from ._costs import Costs
from ._errors import InvalidError, complain
from ._matrix import Matrix
from ._places import names_in
from ._options import AllPairsOptions, MatrixOptions
from ._session import Engine as Session, Unpack, question
from ._table import SIGNED_UNREACHED, UNREACHED, unreached


class Rectangle(NamedTuple):
    """A part of a matrix."""

    row: int
    rows: int
    column: int
    columns: int


class Tile(Costs):
    """A rectangle of a matrix on its way to the caller: the costs, and the `row` and `column` of its first cell."""

    row: int
    column: int


def partition(rows: int, columns: int, chunk: tuple[int, int]) -> list[Rectangle]:
    """Divides a matrix into rectangles of at most `chunk` rows and columns, for programs that share the work."""
    with naming("chunk"):
        high, wide = chunk
        if not (high >= 1 and wide >= 1):
            raise ValueError(f"{chunk} is not positive")
        return [
            Rectangle(row, min(high, rows - row), column, min(wide, columns - column))
            for row in range(0, rows, high)
            for column in range(0, columns, wide)
        ]


class _Request:
    """A matrix whose tiles go to a function."""

    def __init__(self, engine: Session, sources: Any, targets: Any, quantities: Any, options: Any) -> None:
        self.engine, self.rows = engine, engine._sources(sources)
        self.columns = self.rows if targets is None else engine._sources(targets, "targets")
        self.given = {"sources": self.rows, "" if targets is None else "targets": self.columns}
        self.query, self.options = engine._asked("matrix", quantities, options)
        self.shape = len(self.rows), len(self.columns)
        self.names = names_in(sources), names_in(sources if targets is None else targets)
        self.status = np.empty(sum(self.shape), np.int32)
        self.missing, self.checked = 0, False

    def run(self, receive: Callable[[int, int, list[Any]], Any]) -> None:
        """Calls receive(row, column, arrays): the arrays live until it returns. Complains about places first."""

        def step(row: int, column: int, arrays: list[Any]) -> Any:
            if not self.checked:
                self.check_places()
            costs = [array.view(kind) for array, kind in zip(arrays, self.query.names.values())]
            self.missing += int(np.count_nonzero(unreached(costs[0])))
            return receive(row, column, costs + arrays[len(costs) :])

        request = {**self.options, "source": self.rows, "target": self.columns}
        self.engine._core.ask("matrix_tiles", self.query.core, request, [self.status], step)

    def check_places(self) -> None:
        self.checked, parts = True, [self.status[: self.shape[0]], self.status[self.shape[0] :]]
        self.found = self.engine._all_found(parts, self.given, self.query.strict)

    def check_cells(self) -> None:
        if self.missing and self.found:
            complain(f"{self.missing} of {self.shape[0] * self.shape[1]} cells have no path", self.query.strict)


def _marks(names: dict[str, Any], arrays: list[Any]) -> Any:
    """Which cells are straight lines: the array after the costs."""
    return arrays[-1].view(bool) if len(arrays) > len(names) else None


def _tiles(run: Callable[[Any], None], names: dict[str, Any], units: dict[str, str], places: tuple[Any, Any] = (None, None)) -> Iterator[Tile]:
    """The tiles that run(receive) gives to its function, which a thread of its own calls."""
    ready: queue.Queue[Any] = queue.Queue(maxsize=2)
    stopped = threading.Event()

    def put(item: Any) -> bool:
        while not stopped.is_set():
            try:
                ready.put(item, timeout=0.05)
                return True
            except queue.Full:
                if _core.ends():
                    ready.maxsize = 0  # its reader has to receive the end, or is gone
        return False

    def receive(row: int, column: int, arrays: list[Any]) -> bool:
        values = {name: array.copy().view(kind) for (name, kind), array in zip(names.items(), arrays)}
        marks = _marks(names, arrays)
        return put(Tile(values, units, row=row, column=column, fallback=None if marks is None else marks.copy(), _names=places))

    def work() -> None:
        try:
            run(receive)
            put(None)
        except BaseException as error:
            put(error)

    thread = threading.Thread(target=work, name="macadam tiles", daemon=True)
    thread.start()
    try:
        while (item := ready.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stopped.set()
        thread.join()


def _to_npy(path: str, request: _Request, chunk: Any) -> None:
    kinds = request.query.names.values()
    both, kind = len(kinds) == 2, np.int32 if np.int32 in kinds else np.uint32
    out = np.lib.format.open_memmap(path, "w+", kind, (*request.shape, 2) if both else request.shape)

    def receive(row: int, column: int, arrays: list[Any]) -> None:
        rows, columns = slice(row, row + arrays[0].shape[0]), slice(column, column + arrays[0].shape[1])
        for q, array in enumerate(arrays[: len(kinds)]):
            array = array if array.dtype == kind else np.where(unreached(array), SIGNED_UNREACHED, array)
            out[(rows, columns, q) if both else (rows, columns)] = array

    request.run(receive)
    out.flush()


def _to_parquet(path: str, request: _Request, chunk: Any) -> None:
    import pyarrow
    import pyarrow.parquet

    writer: Any = None

    def receive(row: int, column: int, arrays: list[Any]) -> None:
        nonlocal writer
        marks = _marks(request.query.names, arrays)
        matrix = Matrix(dict(zip(request.query.names, arrays)), request.engine._units, fallback=marks, _names=request.names)
        table = pyarrow.table(matrix.table(row, column))
        writer = writer or pyarrow.parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)

    try:
        request.run(receive)
    finally:
        if writer is not None:
            writer.close()


def create_zarr(path: str, names: dict[str, Any], shape: tuple[int, int], chunk: tuple[int, int]) -> Any:
    """A Zarr group with one array for each quantity; those that exist must fit."""
    import zarr

    group = zarr.open_group(path, mode="a")
    for name, kind in names.items():
        none = False if kind == np.bool_ else SIGNED_UNREACHED if kind == np.int32 else UNREACHED
        if name not in group:
            group.create_array(name, shape=shape, chunks=chunk, dtype=np.dtype(kind).name, fill_value=none)
        elif group[name].shape != shape or group[name].chunks != chunk:
            raise InvalidError(f"out: {path} holds another matrix")
    return group


def _to_zarr(path: str, request: _Request, chunk: tuple[int, int]) -> None:
    """By rows of chunks, so that every chunk is written once."""
    core, names = request.engine._core, dict(request.query.names)
    if has_marks := bool(request.options.get("fallback_speed_ms")):
        names["fallback"] = np.bool_
    group = create_zarr(path, names, request.shape, chunk)
    for it in partition(*request.shape, (chunk[0], request.shape[1])):
        values = [np.empty((it.rows, it.columns), kind) for kind in names.values()]
        status, rows = np.empty(it.rows + it.columns, np.int32), slice(it.row, it.row + it.rows)
        places = {**request.options, "source": request.rows[rows], "target": request.columns}
        if has_marks:
            places["fallback"] = values[-1].ctypes.data
        core.ask("matrix", request.query.core, places, [values[: len(request.query.names)], status])
        for name, array in zip(names, values):
            group[name][rows] = array
        request.status[rows], request.status[request.shape[0] :] = status[: it.rows], status[it.rows :]
        request.missing += int(np.count_nonzero(unreached(values[0])))
    request.check_places()


class Engine(Session):
    """An engine's answers in parts."""

    @question("matrix")
    def matrix_tiles(
        self, sources: Any, targets: Any = None, *, quantities: Quantities = None, **options: Unpack[MatrixOptions]
    ) -> Iterator[Tile]:
        """Computes a matrix and yields it tile by tile, while the next ones are computed.

        Tiles cover every cell once, in ascending order of (row, column). Arguments are those of Engine.matrix. To stop,
        leave the loop.
        """
        request = _Request(self, sources, targets, quantities, options)

        def tiles() -> Iterator[Tile]:
            request.checked = True  # here, so that the warning is the caller's
            for number, tile in enumerate(_tiles(request.run, request.query.names, self._units, request.names)):
                if number == 0:
                    request.check_places()
                yield tile
            request.check_cells()

        return tiles()

    @question("matrix")
    def matrix_to(
        self, path: Any, sources: Any, targets: Any = None, *, quantities: Quantities = None,
        chunk: tuple[int, int] = (2048, 2048), **options: Unpack[MatrixOptions],
    ) -> None:  # fmt: skip
        """Computes a matrix in a file. It has its name only when it is complete.

        Parameters
        ----------
        path : path
            ``.npy``: uint32 (int32 if a quantity may be negative) of shape (sources, targets), or (sources, targets, 2). ``.parquet``: the columns source,
            target (their names in frames, else positions) and the costs, null where there is no path (pyarrow). ``.zarr``: a group with one array for
            each quantity (zarr). Parquet and Zarr also have ``fallback``, the marks, if there is a `fallback_speed`.
        chunk : tuple of int
            The chunks of a Zarr array.
        sources, targets, quantities, **options
            As in Engine.matrix.
        """
        name = path_of(path, "path")
        kinds: dict[str, Callable[..., None]] = {".npy": _to_npy, ".parquet": _to_parquet, ".zarr": _to_zarr}
        kind = os.path.splitext(name)[1]
        if kind not in kinds:
            raise InvalidError(f"path: {name} ends with none of {', '.join(kinds)}")
        if self._reopen is not None:
            _core.output_check(name, self._reopen[0])
        request = _Request(self, sources, targets, quantities, options)
        unfinished = f"{name}.{os.getpid()}.unfinished{kind}"
        try:
            kinds[kind](unfinished, request, chunk)
            request.check_cells()
            os.replace(unfinished, name)
        except BaseException:
            if os.path.isdir(unfinished):
                import shutil

                shutil.rmtree(unfinished)
            elif os.path.exists(unfinished):
                os.remove(unfinished)
            raise

    @question("all_pairs")
    def all_pairs_tiles(
        self, *, next_hops: bool = False, quantities: Quantities = None, **options: Unpack[AllPairsOptions]
    ) -> Iterator[Tile]:
        """Computes the costs between all nodes and yields whole rows as they are computed; see Engine.all_pairs.

        If `next_hops` is true, the last array of a tile is ``next_hops``.
        """
        query, request = self._asked("all_pairs", quantities, options)
        request["next"] = flag(next_hops, "next_hops")

        def run(receive: Any) -> None:
            self._core.ask("all_pairs_tiles", query.core, request, [], receive)

        return _tiles(run, {**query.names, "next_hops": np.uint32}, self._units)
