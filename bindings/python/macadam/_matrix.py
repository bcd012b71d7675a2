"""Matrices: many to many, and between all nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arguments import Quantities, choice, flag, path_of
from ._costs import Costs, room_for
from ._errors import InvalidError, complain
from ._places import names_in
from ._options import AllPairsOptions, MatrixOptions
from ._session import Engine as Session, Unpack, question
from ._table import SIGNED_UNREACHED, UNREACHED, nullable_type, unreached
from .tables import Approximation, MatrixPlan, Snaps

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray

class Matrix(Costs):
    """A matrix of costs: rows are sources, columns are targets.

    Attributes
    ----------
    source_status, target_status : ndarray of int32
        Whether each place was found: see macadam.PlaceStatus.
    sources, targets : Snaps
        Where each place was snapped, if it was requested: as in Engine.snap.
    approximation : Approximation or None
        One row with the error of an approximate matrix: `cells` that were compared with exact ones, and the mean and the
        largest difference in millionths of the exact duration, `mean_ppm` and `worst_ppm`. None: the matrix is exact.
    plan : MatrixPlan or None
        One row, if it was requested, that counts what each method computed: see macadam_matrix_plan of macadam.h.
    fallback : ndarray of bool or None
        Which cells are straight lines, if there was a `fallback_speed`.
    source_order, target_order : ndarray of int64 or None
        Of a matrix in the engine's order: the position of each row's source among the sources, and of each column's target.
    """

    source_status: NDArray[np.int32]
    target_status: NDArray[np.int32]
    sources: Snaps
    targets: Snaps
    approximation: Approximation | None = None
    plan: MatrixPlan | None = None
    source_order: NDArray[np.int64] | None = None
    target_order: NDArray[np.int64] | None = None

    @property
    def status(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The statuses of the sources and those of the targets."""
        return self.source_status, self.target_status

    def for_solver(self, unreachable: str = "skip", time: int = 0) -> Costs:
        """The costs as solvers of vehicle routing problems take them: whole seconds and metres in int64, and in every cell.

        The matrix has the same places as rows and as columns; the first is the depot. A cost from a place to itself is 0.
        Energies may be negative, which VROOM does not accept.

        Parameters
        ----------
        unreachable : {"skip", "fail", "cost"}
            Of stops without a path to or from the depot, or a stop before them that stays: leave them out with a
            PlaceWarning; raise PlaceError; or keep them, with a cost that is larger than all others, and so small that
            sums for as many vehicles as stops stay below 2**32.
        time : int
            Which of several times of departure or arrival: its position.

        Returns
        -------
        Costs
            ``.stops`` are the positions of the places that stay.

        Raises
        ------
        InvalidError, PlaceError
        """
        choice(unreachable, ("skip", "fail", "cost"), "unreachable")
        if self.source_order is not None:
            raise InvalidError("for_solver: the matrix is in the engine's order; the depot is not its first place")
        if self.values[0].ndim == 3:
            values = {name: it.take(time, 1 if "depart" in self._axes else 2) for name, it in self._values.items()}
            return Matrix(values, self._units).for_solver(unreachable)
        count = self.shape[0]
        if self.shape != (count, count):
            raise InvalidError(f"for_solver: the matrix has the shape {self.shape}; its sources are not its targets")
        names = list(self._values)
        stops = _core.solver_stops(*self._cells(names[0])).astype(np.int64)
        lost = np.setdiff1d(np.arange(count), stops).tolist()
        if lost and unreachable != "cost":
            message = f"{len(lost)} of {count} stops have no path to or from the depot or another stop: numbers {lost}"
            complain(message, unreachable == "fail" or len(lost) == count - 1)
        stops = np.arange(count) if unreachable == "cost" else stops
        return Costs({name: self._whole(name, stops) for name in names}, {}, stops=stops)

    def _cells(self, name: str) -> tuple[Any, ...]:
        values = np.ascontiguousarray(self._values[name])
        return values, _core.unit_scale(self._units.get(name, "")), values.dtype == np.int32

    def _whole(self, name: str, stops: Any) -> Any:
        """Costs in whole seconds and metres, rounded half away from 0, with a cost in every cell."""
        costs = _core.solver_cells(*self._cells(name), stops.tolist()).view(np.int64)
        gap = costs == np.iinfo(np.int64).max
        if gap.any():
            most, largest = _core.solver_cost_max(len(costs)), costs[~gap].max()
            if name != "distance" and largest >= most:
                raise InvalidError(f"for_solver: a {name} of {largest} is too high: of {len(costs)} stops, solvers can add less than {most}")
            costs[gap] = most
        return costs

    def to_pandas(self, index: Any = None, columns: Any = None) -> pandas.DataFrame:
        """The first quantity as a DataFrame; cells without a path are ``<NA>``. It has no marks of straight lines: those are in
        `fallback`, and a column of ``table().to_pandas()``.

        Rows and columns have the names that `index` and `columns` give; else those of the frames that the places came in:
        their column ``id``, or else ``node``, or else their index.
        """
        import pandas

        costs = np.asarray(self.values[0])
        names = [own if given is None else given for own, given in zip(self._names, (index, columns))]
        return pandas.DataFrame(costs, *names).astype(nullable_type(costs)).mask(unreached(costs))


class Engine(Session):
    """An engine's matrices."""

    @question("matrix")
    def matrix(
        self, sources: Any, targets: Any = None, *, quantities: Quantities = None, out: Any = None,
        device: bool | str = False, snap: bool = False, approximate: bool = False, explain: bool = False,
        order: str = "request", **options: Unpack[MatrixOptions],
    ) -> Matrix:  # fmt: skip
        """The costs from each source to each target; with a list of times, at each: sources x depart x targets x arrive_by.

        Parameters
        ----------
        sources, targets : places
            The rows and the columns. Without targets: the sources again.
        quantities : str or sequence of str, optional
            What to report: the metric's objective (default), its companion, or both.
        out : array or sequence of arrays, optional
            uint32 (int32 if the quantity may be negative), C order, shape (sources, targets), one for each quantity:
            NumPy's, or of a GPU.
        device : bool or {"pinned", "divided"}
            Where the answers stay; `macadam.open(device=...)` chooses the device that computes them. True: in the memory
            of the GPU, as DeviceArrays. "pinned": in host memory that GPUs reach at full speed. "divided": each of
            several GPUs keeps its part; a list of DeviceArrays.
        snap : bool
            Whether to report where the places were snapped: ``.sources`` and ``.targets``.
        approximate : bool
            Durations at departures that are interpolated, which is much faster for many targets. ``.approximation`` is
            their error in a sample of rows.
        explain : bool
            Whether to report as ``.plan`` by which methods the matrix was computed.
        order : {"request", "engine"}
            The order of rows and columns. "engine": that in which the engine computes them, which saves a pass over large
            matrices; ``.source_order`` and ``.target_order`` are the positions of the places. Statuses and snaps keep the
            request's order. Not with times or a fallback speed.
        **options

        Returns
        -------
        Matrix

        Raises
        ------
        InvalidError, NotFoundError, LimitError, PlaceError, KeyboardInterrupt
        """
        rows = self._sources(sources)
        columns = rows if targets is None else self._sources(targets, "targets")
        query, request = self._asked("matrix", quantities, options)
        shape = (len(rows), *query.depart, len(columns), *query.arrive_by)
        values, room = room_for(self._core, query.names, shape, out, device)
        given = {"sources": rows, "" if targets is None else "targets": columns}
        request |= {"source": rows, "target": columns}
        names: tuple[Any, ...] = names_in(sources), names_in(sources if targets is None else targets)
        more: dict[str, Any] = {}
        if flag(snap, "snap"):
            snaps = self._core.room("macadam_snap", len(rows) + len(columns))
            request["snap"] = snaps.address
            more |= {"sources": Snaps(snaps.part(0, len(rows)), index=names[0]), "targets": Snaps(snaps.part(len(rows), len(columns)), index=names[1])}
        if flag(approximate, "approximate"):
            one = self._core.room(Approximation._struct, 1)
            request["approximation"], more["approximation"] = one.address, Approximation(one)
        if flag(explain, "explain"):
            one = self._core.room(MatrixPlan._struct, 1)
            request["plan"], more["plan"] = one.address, MatrixPlan(one)
        if request.get("fallback_speed_ms"):
            more["fallback"] = np.empty(shape, bool)
            request["fallback"] = more["fallback"].ctypes.data
        if choice(order, ("request", "engine"), "order"):
            request["order"] = positions = np.empty(len(rows) + len(columns), np.uint64)
        (source_status, target_status), found = self._ask("matrix", query, request, given, room)
        if order == "engine":
            orders = np.split(positions.view(np.int64), [len(rows)])
            more |= dict(zip(("source_order", "target_order"), orders))
            names = tuple(at if own is None else own[at] for own, at in zip(names, orders))
        missing = 0
        if isinstance(first := next(iter(values.values())), np.ndarray) and found:
            none = SIGNED_UNREACHED if first.dtype == np.int32 else UNREACHED
            if first.ndim == 2:
                missing = _core.count_unreached(first.ctypes.data, *first.shape, targets is None and order == "request", none)
            else:
                missing = int(np.count_nonzero(first == none))
        statuses = {"source_status": source_status, "target_status": target_status}
        if len(shape) > 2:
            more["_axes"] = ("source", *("depart",) * len(query.depart), "target", *("arrive_by",) * len(query.arrive_by))
        matrix = Matrix(values, self._units, **statuses, **more, _names=names)
        if missing:
            complain(f"{missing} of {first.size} cells have no path", query.strict)
        return matrix

    @question("all_pairs")
    def all_pairs(
        self, *, next_hops: bool = False, quantities: Quantities = None, out: Any = None,
        path: Any = None, **options: Unpack[AllPairsOptions],
    ) -> Costs | None:  # fmt: skip
        """The costs between all nodes; rows and columns are `ids`.

        With `path` they go to a .npy file, which may be larger than the memory. `next_hops` requests, as
        ``.next_hops``, the position of the node that follows on each path (Floyd-Warshall). ``.method`` is the method in use.
        """
        (query, request), chosen = self._asked("all_pairs", quantities, options), np.zeros(1, np.uintp)
        request |= {"next": flag(next_hops, "next_hops"), "chosen": chosen}
        if path is not None:
            self._core.ask("all_pairs_save", query.core, request, [path_of(path, "path")])
            return None
        count = self.info.id_count
        values, room = room_for(self._core, query.names, (count, count), out, False)
        hops = np.empty((count, count), np.uint32) if request["next"] else None
        self._core.ask("all_pairs", query.core, request, [room, hops])
        return Costs(values, self._units, next_hops=hops, method=_core.texts(chosen)[1][0])

    def closure(self, *, packed: bool = False, path: Any = None, memory_limit: int = 0, progress: Any = None) -> Any:
        """Which nodes reach which: a bool array whose rows and columns are `ids`.

        `packed` leaves it as bits, uint8 of shape (ids, (ids + 7) // 8), as numpy.packbits makes them; so does `path`,
        a .npy file to write.
        """
        query, request = self._query(None, progress=progress).core, {"memory_limit": memory_limit}
        packed = flag(packed, "packed")
        if path is not None:
            self._core.ask("closure_save", query, request, [path_of(path, "path")])
            return None
        count = self.info.id_count
        bits = np.empty((count, (count + 7) // 8), np.uint8)
        self._core.ask("closure", query, request, [bits])
        return bits if packed else np.unpackbits(bits, axis=1, count=count).astype(bool)
