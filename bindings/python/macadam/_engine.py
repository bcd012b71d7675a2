"""An engine: an opened edge file, and all questions to it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._answers import Connection, Costs, Isochrone, Lines, Match, Matrix, Route, Tree, Trip, routes_table
from ._errors import InvalidError, complain
from ._imports import integers
from ._places import Places, places
from ._progress import Progress, function_of
from ._session import Session
from ._table import UNREACHED, Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._session import QueryOptions
    from .tiles import Tile

_ORDERS = ("ids", "nodes", "lanes")
METHODS = ("auto", "sweep", "near-far", "bellman-ford", "dijkstra", "floyd-warshall")
_HOPS = ("auto", "expand-contract", "contract-expand", "two-phase", "hybrid", "bottom-up")


def choice(value: str, choices: tuple[str, ...], name: str) -> int:
    if value not in choices:
        raise InvalidError(f"{name}: {value!r} is none of {', '.join(choices)}")
    return choices.index(value)


class Engine(Session):
    """An opened edge file. Any number of threads may use it at once.

    Keyword arguments that all queries take:

    metric : str
        What to minimise: the name of a quantity. Default: the file's first metric.
    snap_radius : float
        How far a point may be from a road, in metres (1000).
    any_component : bool
        Whether roads that lead nowhere else are as good as others for points.
    memory_limit : int
        Bytes of scratch memory for the call; 0 = the engine's limit.
    progress : callable or bool
        A function (phase, done, total); it returns False to cancel. True: a bar of tqdm. Default: a bar if the call
        takes more than a second and standard error is a terminal or a notebook.
    strict : bool
        Whether places that are not found, or have no path, raise PlaceError instead of a PlaceWarning.
    avoid : str, sequence of str, or RoadFlag
        Roads that must not be used: "toll", "ferry", "motorway", "tunnel", "unpaved", ...: see RoadFlag.
    avoid_areas : polygons
        Areas that no road may touch: an array of shape (n, 2), GeoJSON, shapely, GeoPandas, or a list of these.
    road_costs : dict of str to float
        By what the costs of classes of roads are multiplied: ``{"track": 2, "motorway": 0.9}``; 0 = not used.

    The first query with new conditions (`avoid`, `avoid_areas`, `road_costs`) takes as long as an update; see warm.
    Limits are seconds for durations (or a timedelta), metres for distances, and the quantity's own unit otherwise.
    Results are the library's integers: milliseconds and centimetres.
    """

    # ---- places and roads ----

    def snap(self, where: Any, **options: Unpack[QueryOptions]) -> Table:
        """Moves places to the nearest road.

        Parameters
        ----------
        where : places
            See macadam.places.

        Returns
        -------
        Table
            A row for each place: status, lon, lat, distance_m, id (of the nearer node), arc, way, name.
        """
        given, query = places(where, "where"), self._query(None, **options)
        out = Table(self._core.snap(query.core, given))
        self._found(out.status, given, "places", query.strict)
        return out

    def candidates(self, where: Any, count: int = 8, **options: Unpack[QueryOptions]) -> Table:
        """The positions that one place could mean, one on each of the nearest roads, nearest first: at most 32."""
        given = self._one(where, "where")
        if not 1 <= count <= 32:
            raise InvalidError(f"count: {count} is not in 1..32")
        return Table(self._core.candidates(self._query(None, **options).core, given, count))

    def arcs(self, bbox: tuple[float, float, float, float] | None = None) -> Lines:
        """The roads that meet a box (west, south, east, north), or all. A road of two directions appears once."""
        box = bbox or self._bbox or (-180.0, -90.0, 180.0, 90.0)
        if len(box) != 4:
            raise InvalidError(f"bbox: {bbox!r} is not (west, south, east, north)")
        return Lines(*self._core.roads(*map(float, box)))

    def warm(self, **options: Unpack[QueryOptions]) -> None:
        """Computes the weights for conditions before queries need them: warm(avoid="toll")."""
        self._core.warm(self._query(None, **options).core)

    # ---- matrices ----

    def matrix(
        self,
        sources: Any,
        targets: Any = None,
        *,
        quantities: Any = None,
        out: Any = None,
        device: bool | str = False,
        **options: Unpack[QueryOptions],
    ) -> Matrix:
        """The costs from each source to each target.

        Parameters
        ----------
        sources, targets : places
            The rows and the columns. Without targets: the sources again.
        quantities : str or sequence of str, optional
            What to report: the metric's objective (default), its companion, or both.
        out : array or sequence of arrays, optional
            uint32, C order, shape (sources, targets), one for each quantity: NumPy's, or of a GPU.
        device : bool or {"pinned", "divided"}
            True: the answers stay in the memory of the GPU, as DeviceArrays. "pinned": host memory that GPUs reach at
            full speed. "divided": each of several GPUs keeps its part; a list of DeviceArrays.

        Returns
        -------
        Matrix

        Raises
        ------
        InvalidError, NotFoundError, LimitError, PlaceError, KeyboardInterrupt
        """
        rows = self._sources(sources)
        columns = rows if targets is None else self._sources(targets, "targets")
        query, shape = self._query(quantities, **options), (len(rows), len(columns))
        values, addresses = self._room(query.names, shape, out, device)
        status = self._core.matrix(query.core, rows, columns, addresses)
        matrix = Matrix(values, self._units, source_status=status[: shape[0]], target_status=status[shape[0] :])
        self._check(matrix, rows, columns, query.strict, targets is None)
        return matrix

    def _check(self, matrix: Matrix, rows: Places, columns: Places, strict: bool, square: bool) -> None:
        all_found = self._found(matrix.source_status, rows, "sources", strict)
        if not square:
            all_found &= self._found(matrix.target_status, columns, "targets", strict)
        first = matrix.values[0]
        if not all_found or not isinstance(first, np.ndarray):
            return
        missing = None
        if (
            square
        ):  # who reaches the first place, reaches all that it reaches: only the other rows and columns are looked at
            bad_rows, bad_columns = first[:, 0] == UNREACHED, first[0] == UNREACHED
            if np.count_nonzero(bad_rows) + np.count_nonzero(bad_columns) < len(first) // 8:
                rest = first[np.ix_(~bad_rows, bad_columns)] if bad_columns.any() else first[:0]
                missing = np.count_nonzero(first[bad_rows] == UNREACHED) + np.count_nonzero(rest == UNREACHED)
        if missing is None:
            missing = _core.count_unreached(first.ctypes.data, first.size)
        if missing:
            complain(f"{missing} of {first.size} cells have no path", strict)

    def matrix_tiles(self, sources: Any, targets: Any = None, **options: Any) -> Iterator[Tile]:
        """The same as macadam.tiles.matrix_tiles(engine, ...)."""
        return _tiles().matrix_tiles(self, sources, targets, **options)

    def matrix_to(self, path: Any, sources: Any, targets: Any = None, **options: Any) -> None:
        """The same as macadam.tiles.matrix_to(engine, ...)."""
        _tiles().matrix_to(self, path, sources, targets, **options)

    def all_pairs_tiles(self, **options: Any) -> Iterator[Tile]:
        """The same as macadam.tiles.all_pairs_tiles(engine, ...)."""
        return _tiles().all_pairs_tiles(self, **options)

    # ---- trees ----

    def tree(
        self,
        sources: Any,
        *,
        reverse: bool = False,
        limit: Any = None,
        order: str = "ids",
        method: str = "auto",
        parents: bool = False,
        quantities: Any = None,
        out: Any = None,
        device: bool | str = False,
        **options: Unpack[QueryOptions],
    ) -> Tree:
        """The costs between each source and all nodes.

        Parameters
        ----------
        sources : places
            A single place gives arrays of one dimension.
        reverse : bool
            The costs to the source instead of from it.
        limit : float or timedelta, optional
            Costs above it become UNREACHED.
        order : {"ids", "nodes", "lanes"}
            "ids": shape (sources, ids), columns as `ids`. "nodes": columns as `node_ids`. "lanes": shape (nodes,
            sources), fastest; a multiple of 16 sources.
        method : {"auto", "sweep", "near-far", "bellman-ford", "dijkstra"}
            Every method gives the same answers.
        parents : bool
            Whether the node before each node on its path is requested too.
        quantities, out, device
            As in matrix.
        """
        given, single = self._sources(sources), _is_single(sources)
        query, info = self._query(quantities, **options), self.info
        lanes = choice(order, _ORDERS, "order") == 2
        width = info.id_count if order == "ids" else info.node_count
        shape = (width, len(given)) if lanes else (len(given), width)
        values, addresses = self._room(query.names, shape if out is None or not single else (width,), out, device)
        parent = np.empty(shape, np.uint32) if parents else None
        bound, kind = self._limit(limit, options), choice(method, METHODS[:5], "method")
        request = (reverse, bound, _ORDERS.index(order), kind, addresses, _address_of(parent))
        status = self._core.tree(query.core, given, *request)
        self._found(status, given, "sources", query.strict)
        if single and not lanes:
            parent = None if parent is None else parent[0]
            values = {name: it[0] if isinstance(it, np.ndarray) and it.ndim == 2 else it for name, it in values.items()}
        return Tree(values, self._units, parent=parent, source_status=status)

    def hops(
        self,
        sources: Any,
        *,
        reverse: bool = False,
        limit: int = 0,
        method: str = "auto",
        parents: bool = False,
        **options: Unpack[QueryOptions],
    ) -> Tree:
        """The fewest arcs between each source and all nodes, whatever their weights: ``.hops``, and ``.parent``."""
        given, single = self._sources(sources), _is_single(sources)
        query, shape = self._query(None, **options), (len(given), self.info.id_count)
        hops, parent = np.empty(shape, np.uint32), np.empty(shape, np.uint32) if parents else None
        if not 0 <= limit < 2**32:
            raise InvalidError(f"limit: {limit} is no number of arcs")
        request = (reverse, limit, choice(method, _HOPS, "method"), hops.ctypes.data, _address_of(parent))
        status = self._core.hops(query.core, given, *request)
        self._found(status, given, "sources", query.strict)
        if single:
            hops, parent = hops[0], None if parent is None else parent[0]
        return Tree({"hops": hops}, {}, parent=parent, source_status=status)

    def connect(self, source: Any, target: Any, **options: Unpack[QueryOptions]) -> Connection:
        """Whether a path leads from one place to another, and one of the fewest arcs."""
        ends = self._one(source, "source").slice(0, 1)
        ends.append(self._one(target, "target"))
        query = self._query(None, **options)
        out = Connection(*self._core.connect(query.core, ends))
        status = np.concatenate([out.source.status, out.target.status])
        if self._found(status, ends, "places", query.strict) and query.strict and not out:
            complain("no path connects the places", True)
        return out

    def reach(
        self,
        sources: Any,
        limits: Any = (),
        *,
        values: Any = None,
        targets: Any = None,
        nearest: int = 0,
        reverse: bool = False,
        **options: Unpack[QueryOptions],
    ) -> Table:
        """What lies within limits of each source, how far the farthest node is, and which targets are nearest.

        Parameters
        ----------
        sources : places
        limits : float, timedelta, or sequence of them
            At most 16, in any order.
        values : array of uint32, shape (ids,), optional
            One number for each node, in the order of `ids`, to sum up within each limit.
        targets : places, optional
            The `nearest` ones are listed.
        nearest : int
            How many targets to list: at most 1024.

        Returns
        -------
        Table
            A row for each source: status, reached, eccentricity, cost_sum; with limits: nodes, and value_sum, of shape
            (sources, limits); with targets: nearest_found, and nearest_position and nearest_cost of shape (sources,
            nearest), UNREACHED where there are no more.
        """
        given, query = self._sources(sources), self._query(None, **options)
        wanted = places([] if targets is None else targets, "targets")
        bounds = self._limits(limits, options)
        sums = None if values is None else integers(values, "values", np.uint32, (self.info.id_count,))
        if nearest and targets is None:
            raise InvalidError("nearest: there are no targets")
        if not 0 <= nearest <= 1024:
            raise InvalidError(f"nearest: {nearest} is not in 0..1024")
        n, m = len(given), len(bounds)
        columns = {
            "nodes": np.empty((n, m), np.uint64) if m else None,
            "value_sum": np.empty((n, m), np.uint64) if m and sums is not None else None,
            "reached": np.empty(n, np.uint64),
            "eccentricity": np.empty(n, np.uint32),
            "nearest_found": np.empty(n, np.uint32) if nearest else None,
            "nearest_position": np.empty((n, nearest), np.uint32) if nearest else None,
            "nearest_cost": np.empty((n, nearest), np.uint32) if nearest else None,
            "cost_sum": np.empty(n, np.uint64),
        }
        addresses = [_address_of(it) for it in columns.values()]
        request = (reverse, bounds, _address_of(sums), wanted, nearest, addresses)
        status = self._core.reach(query.core, given, *request)
        self._found(status[:n], given, "sources", query.strict)
        self._found(status[n:], wanted, "targets", query.strict)
        kept = {name: it for name, it in columns.items() if it is not None}
        return Table({"status": status[:n], **kept}, nullable=("eccentricity", "nearest_position", "nearest_cost"))

    def isochrone(
        self,
        sources: Any,
        limits: Any,
        *,
        reverse: bool = False,
        disjoint: bool = False,
        width: float = 0.0,
        **options: Unpack[QueryOptions],
    ) -> Isochrone:
        """The areas around what is reached within limits of places.

        Parameters
        ----------
        sources : places
        limits : float, timedelta, or sequence of them
            Seconds if the metric is a duration, metres if it is a distance; at most 16.
        reverse : bool
            From where the places are reached, instead of what is reached from them.
        disjoint : bool
            Whether each area leaves out that of the limit before. Otherwise it includes it.
        width : float
            How far from a road the areas reach, in metres; 0 = 100, and more in areas above 50 km across.
        """
        given, query = self._sources(sources), self._query(None, **options)
        bounds = sorted(self._limits(limits, options))
        if not bounds:
            raise InvalidError("limits: there is none")
        core = self._core.rings(query.core, given, reverse, bounds, disjoint, width)
        out = Isochrone(core, bounds, self._scale(options.get("metric")))
        self._found(out.source.status, given, "sources", query.strict)
        return out

    def reached(self, place: Any, limit: Any, *, reverse: bool = False, **options: Unpack[QueryOptions]) -> Lines:
        """The arcs that can be entered within a limit of a place; see isochrone.

        Returns
        -------
        Lines
            ``cost`` has been spent at the entry, ``weight`` is the cost of all of the arc, ``from`` the share of its
            length where it is entered. ``.source`` tells where the place was snapped.
        """
        given, query = self._one(place, "place"), self._query(None, **options)
        (bound,) = self._limits([limit], options, "limit")
        rows, points, source = self._core.reached(query.core, given, reverse, bound)
        out = Lines(rows, points, source=source)
        self._found(out.source.status, given, "places", query.strict)
        return out

    # ---- routes ----

    def route(
        self, waypoints: Any, *, steps: bool = False, quantities: Any = None, **options: Unpack[QueryOptions]
    ) -> Route:
        """The route of least cost from the first waypoint to the last, through those between them.

        `steps` requests what a driver has to be told: ``.steps``, ``.texts(language)``, ``.intersections``, ``.lanes``.
        """
        given = places(waypoints, "waypoints")
        if len(given) < 2:
            raise InvalidError(f"waypoints: {len(given)} places; a route needs two")
        query = self._query(quantities, **options)
        core = self._core.route(query.core, given, steps)
        out = Route(core, query.names, self._units, steps)
        if not out.found:
            if not core.place_failed or self._found(out.waypoints.status, given, "waypoints", query.strict):
                complain(f"no route: {out.reason} at waypoint {core.reason_waypoint}", query.strict)
        return out

    def routes(
        self,
        sources: Any,
        targets: Any = None,
        *,
        paths: bool = False,
        quantities: Any = None,
        **options: Unpack[QueryOptions],
    ) -> Table:
        """The costs of many routes: number i goes from source i to target i.

        Parameters
        ----------
        sources, targets : places
            As many of each. Without targets, `sources` are pairs: an array of ids of shape (n, 2), of longitudes and
            latitudes of shape (n, 4) or (n, 2, 2), or a list of pairs of places.
        paths : bool
            Whether the numbers of the arcs of each route are requested: the column ``arcs``.
        quantities
            As in matrix.

        Returns
        -------
        Table
            A row for each route: the costs, source_status, target_status, and arcs.
        """
        first, second = _pairs(sources) if targets is None else (sources, targets)
        begins, ends = places(first, "sources"), places(second, "targets")
        if len(begins) != len(ends):
            raise InvalidError(f"targets: {len(ends)} places for {len(begins)} sources")
        query = self._query(quantities, **options)
        values, addresses = self._room(query.names, (len(begins),), None, False)
        status, *found = self._core.routes(query.core, begins, ends, paths, addresses)
        table = routes_table(values, status, found if paths else None)
        all_found = self._found(table.source_status, begins, "sources", query.strict)
        all_found &= self._found(table.target_status, ends, "targets", query.strict)
        missing = int(np.count_nonzero(next(iter(values.values())) == UNREACHED))
        if all_found and missing:
            complain(f"{missing} of {len(begins)} routes have no path", query.strict)
        return table

    # ---- traces and trips ----

    def match(
        self,
        points: Any,
        *,
        first: Any = None,
        time: Any = None,
        accuracy: Any = 0.0,
        heading: Any = None,
        heading_accuracy: Any = 30.0,
        speed: Any = 0.0,
        split: bool = True,
        tidy: bool = False,
        steps: bool = False,
        quantities: Any = None,
        **options: Unpack[QueryOptions],
    ) -> Match:
        """Takes traces of points to roads, and tells the way between them.

        Parameters
        ----------
        points : places
            Points, in the order of travel.
        first : sequence of int, optional
            Trace i has the points first[i] <= p < first[i + 1]. Without it, all points are one trace.
        time : array, optional
            When, in seconds from any moment on, or datetime64; nan where it is not known.
        accuracy : float or array
            The standard deviation of the positions, in metres; 0 = 5.
        heading, heading_accuracy : float or array, optional
            The direction of travel and its standard deviation, in degrees.
        speed : float or array
            Metres per second; 0 = not known.
        split : bool
            Whether a pause in the times splits a trace.
        tidy : bool
            Leave out points that are less than 15 m or 5 s from the last one.
        steps, quantities
            Of the routes: as in route.
        """
        given = places(points, "points")
        lonlat, count = given.points(), len(given)
        if len(lonlat) != count:
            raise InvalidError("points: some are ids of nodes")
        query = self._query(quantities, **options)
        unknown = np.full(count, np.nan)
        if time is not None and np.asarray(time).dtype.kind == "M":
            time = np.asarray(time, "M8[ns]").astype(np.int64) / 1e9
        about = {
            "time": unknown if time is None else time,
            "accuracy": accuracy,
            "heading": 0.0 if heading is None else heading,
            "heading_accuracy": 0.0 if heading is None else heading_accuracy,
            "speed": speed,
        }
        table = np.empty((count, 7))
        table[:, :2] = lonlat
        for column, (name, value) in enumerate(about.items(), 2):
            try:
                table[:, column] = value
            except (TypeError, ValueError) as error:
                raise InvalidError(f"{name}: {error}") from None
        begins = [0, count] if first is None else integers(first, "first", np.uint64).tolist()
        if len(begins) < 2 or begins[0] != 0 or begins[-1] != count or sorted(begins) != begins:
            raise InvalidError(f"first: positions must ascend from 0 to {count}, the number of points")
        out = Match(
            self._core.match(query.core, table, begins, 0.0, split, tidy, steps), query.names, self._units, steps
        )
        status = out.points.status
        if status.any():
            kinds = [(n, _core.match_status_name(s)) for s in range(1, 5) if (n := int(np.count_nonzero(status == s)))]
            if kinds:
                told = ", ".join(f"{n} {name}" for n, name in kinds)
                complain(f"{sum(n for n, _ in kinds)} of {count} points were not matched: {told}", query.strict)
        return out

    def trip(
        self,
        stops: Any,
        *,
        open: bool = False,
        from_first: bool = False,
        to_last: bool = False,
        steps: bool = False,
        quantities: Any = None,
        **options: Unpack[QueryOptions],
    ) -> Trip:
        """Puts at most 1000 stops in the order whose route costs least.

        Parameters
        ----------
        stops : places
        open : bool
            The trip ends at its last stop, instead of returning to its first one.
        from_first, to_last : bool
            It begins at the first stop of the request; the last stop of the request is the last one.
        steps, quantities
            Of the route: as in route.
        """
        given, query = self._sources(stops, "stops"), self._query(quantities, **options)
        core = self._core.trip(query.core, given, open, from_first, to_last, steps)
        out = Trip(core, query.names, self._units, steps)
        if self._found(out.stops.status, given, "stops", query.strict) and not out:
            complain("no order visits all stops", query.strict)
        return out

    # ---- all pairs, closure, updates ----

    def all_pairs(
        self,
        *,
        method: str = "auto",
        next_hops: bool = False,
        quantities: Any = None,
        out: Any = None,
        path: Any = None,
        **options: Unpack[QueryOptions],
    ) -> Costs | None:
        """The costs between all nodes; rows and columns are `ids`.

        With `path` they go to a .npy file, which may be larger than the memory. `next_hops` requests, as
        ``.next_hops``, the position of the node that follows on each path (Floyd-Warshall). ``.method`` tells the
        method in use.
        """
        query = self._query(quantities, **options)
        number, count = choice(method, METHODS, "method"), self.info.id_count
        if path is not None:
            self._core.all_pairs(query.core, number, next_hops, [], 0, os.fspath(path), None)
            return None
        values, addresses = self._room(query.names, (count, count), out, False)
        hops = np.empty((count, count), np.uint32) if next_hops else None
        chosen = self._core.all_pairs(query.core, number, next_hops, addresses, _address_of(hops), "", None)
        return Costs(values, self._units, next_hops=hops, method=METHODS[chosen])

    def closure(
        self, *, packed: bool = False, path: Any = None, memory_limit: int = 0, progress: Progress = None
    ) -> Any:
        """Which nodes reach which: a bool array whose rows and columns are `ids`.

        `packed` leaves it as bits, uint8 of shape (ids, (ids + 7) // 8), as numpy.packbits makes them; so does `path`,
        a .npy file to write.
        """
        query = self._query(None, memory_limit=memory_limit, progress=progress).core
        if path is not None:
            self._core.closure(query, 0, os.fspath(path))
            return None
        count = self.info.id_count
        bits = np.empty((count, (count + 7) // 8), np.uint8)
        self._core.closure(query, bits.ctypes.data, "")
        return bits if packed else np.unpackbits(bits, axis=1, count=count).astype(bool)

    def update(
        self,
        arcs: Any = None,
        *,
        tails: Any = None,
        heads: Any = None,
        closed: bool = False,
        progress: Progress = None,
        **weights: Any,
    ) -> None:
        """Gives arcs new weights. Queries that run finish on the weights they began with.

        Parameters
        ----------
        arcs : array of int
            The numbers of arcs; or name them by `tails` and `heads`, ids of nodes.
        closed : bool
            Nobody may use these arcs.
        progress
            As in all queries.
        **weights : array of int, or int
            The new weight of each arc, by the name of the quantity: ``duration=...`` in milliseconds.
            ``macadam.UNREACHED`` closes an arc.
        """
        if (arcs is None) == (tails is None or heads is None):
            raise InvalidError("arcs: name arcs by their numbers, or by tails and heads")
        if closed:
            weights = {next(iter(self._units)): UNREACHED, **weights}
        if not weights:
            raise InvalidError("weights: there are none; give them by the name of the quantity, such as duration=...")
        keys = [integers(np.atleast_1d(np.asarray(arcs)), "arcs", np.uint64)] if arcs is not None else [
            integers(np.atleast_1d(np.asarray(it)), name, np.int64) for it, name in ((tails, "tails"), (heads, "heads"))
        ]  # fmt: skip
        shape = keys[0].shape
        if len(shape) != 1 or keys[-1].shape != shape:
            raise InvalidError(f"heads: the shapes are {shape} and {keys[-1].shape}")
        filled = {name: np.full(shape, it) if np.ndim(it) == 0 else it for name, it in weights.items()}
        arrays = [integers(it, name, np.uint32, shape) for name, it in filled.items()]
        addresses = [it.ctypes.data for it in keys]
        named = (addresses[0], 0, 0) if arcs is not None else (0, *addresses)
        query = _core.Query(None, list(weights), 0, 0, False, function_of(progress))
        self._core.update(query, *named, shape[0], [it.ctypes.data for it in arrays])
        self._updated = True


def _tiles() -> Any:
    from . import tiles

    return tiles


def _address_of(array: Any) -> int:
    return 0 if array is None else int(array.ctypes.data)


def _is_single(value: Any) -> bool:
    number = isinstance(value, (int, np.integer)) or hasattr(value, "geom_type")
    return number or (isinstance(value, tuple) and len(value) == 2 and any(isinstance(it, float) for it in value))


def _pairs(value: Any) -> tuple[Any, Any]:
    if hasattr(value, "__array__") or hasattr(value, "__dlpack__"):
        array = np.asarray(value)
        if array.ndim == 2 and array.shape[1] == 2 and array.dtype.kind in "iu":
            return array[:, 0], array[:, 1]
        if array.ndim == 2 and array.shape[1] == 4 and array.dtype.kind in "iuf":
            return array[:, :2], array[:, 2:]
        if array.ndim == 3 and array.shape[1:] == (2, 2) and array.dtype.kind in "iuf":
            return array[:, 0], array[:, 1]
        raise InvalidError(
            f"sources: an array of shape {array.shape} and type {array.dtype} are no pairs; give targets too"
        )
    items = list(value)
    for index, item in enumerate(items):
        if not isinstance(item, (tuple, list, np.ndarray)) or len(item) != 2:
            raise InvalidError(f"sources[{index}]: {item!r} is no pair of places; give targets too")
    return [item[0] for item in items], [item[1] for item in items]


def open(
    path: Any,
    *,
    device: str = "auto",
    threads: int = 0,
    memory_limit: int = 0,
    trust_file: bool = False,
    read_file: bool = False,
) -> Engine:
    """Opens an edge file.

    Parameters
    ----------
    path : path, or bytes-like
        The file, or its contents in memory.
    device : {"auto", "cpu", "cuda", "cuda:N", "cuda:all"}
        "auto": the first GPU, or the CPU if there is none.
    threads : int
        The threads of one call; 0 = one per processor.
    memory_limit : int
        Bytes of scratch memory of all running calls; 0 = three quarters of the machine's memory.
    trust_file : bool
        Skip checksums and validation.
    read_file : bool
        Read the file into memory instead of mapping it.

    Raises
    ------
    FileNotFoundError, FileFormatError, DeviceError, InvalidError, MemoryError
    """
    if isinstance(path, (bytes, bytearray, memoryview, np.ndarray)):
        data = np.frombuffer(path, np.uint8)
        room = np.empty(len(data) + 64, np.uint8)
        aligned = room[-room.ctypes.data % 64 :][: len(data)]
        aligned[:] = data
        options = (device, threads, memory_limit, trust_file, False)
        engine = Engine(_core.Engine.open("", aligned.ctypes.data, len(data), *options), None)
        engine._memory = aligned  # type: ignore[attr-defined]  # lives as long as the engine
        return engine
    reopen = (os.path.abspath(os.fspath(path)), 0, 0, device, threads, memory_limit, trust_file, read_file)
    return Engine(_core.Engine.open(os.fspath(path), *reopen[1:]), reopen)
