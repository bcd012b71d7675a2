"""What calls answer: matrices, trees, routes, isochrones. Costs are the library's integers; seconds() and metres() scale them."""

from __future__ import annotations

from enum import IntFlag
from functools import cached_property
from typing import Any

import numpy as np

from ._errors import InvalidError
from ._table import UNREACHED, Lists, Table

UNIT_SCALE = {"ms": 1000, "cm": 100}


class RoadFlag(IntFlag):
    """What the column ``flags`` of roads, steps and intersections tells."""

    ROUNDABOUT = 1
    CIRCULAR = 2
    LINK = 4
    MOTORWAY = 8
    TOLL = 16
    FERRY = 32
    TRAIN = 64
    TUNNEL = 128
    BRIDGE = 256
    FORD = 512
    UNPAVED = 1024
    DESTINATION_ONLY = 2048
    PRIVATE = 4096
    PUSHED = 8192


def flags_of(avoid: Any) -> int:
    """The flags of roads that a query avoids: a RoadFlag, a name such as "toll", or several names."""
    if avoid is None or isinstance(avoid, int):
        return int(avoid or 0)
    out = 0
    for name in [avoid] if isinstance(avoid, str) else avoid:
        if not isinstance(name, str) or name.upper() not in RoadFlag.__members__:
            raise InvalidError(f"avoid: {name!r} is none of {', '.join(it.lower() for it in RoadFlag.__members__)}")
        out |= RoadFlag[name.upper()]
    return out


class LaneArrow(IntFlag):
    """Where the arrows of a lane point: the column ``modifiers`` of lanes."""

    UTURN = 2
    SHARP_RIGHT = 4
    RIGHT = 8
    SLIGHT_RIGHT = 16
    STRAIGHT = 32
    SLIGHT_LEFT = 64
    LEFT = 128
    SHARP_LEFT = 256


class Costs:
    """Costs for one or two quantities: one array for each, in the order of the request.

    ``answer.duration`` and ``answer["duration"]`` are uint32 arrays in the unit of the quantity: milliseconds for
    durations, centimetres for distances. ``macadam.UNREACHED`` (2**32 - 1) means that there is no path.
    """

    def __init__(self, values: dict[str, Any], units: dict[str, str], **more: Any) -> None:
        self._values, self._units = values, units
        self.__dict__.update(more)

    @property
    def quantities(self) -> tuple[str, ...]:
        """The names of the quantities."""
        return tuple(self._values)

    @property
    def values(self) -> tuple[Any, ...]:
        """Their arrays."""
        return tuple(self._values.values())

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of each array."""
        return tuple(self.values[0].shape)

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            raise KeyError(f"{name!r} was not requested; there is {', '.join(self._values)}")
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("_values", {})
        if name not in values:
            raise AttributeError(f"{type(self).__name__} has no {name!r}; its quantities are {', '.join(values)}")
        return values[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def __repr__(self) -> str:
        return f"<macadam.{type(self).__name__} {self.shape} of {', '.join(self._values)}>"

    def _scaled(self, unit: str) -> Any:
        for name, values in self._values.items():
            if self._units.get(name) == unit:
                out = np.asarray(values) / UNIT_SCALE[unit]
                out[np.asarray(values) == UNREACHED] = np.nan
                return out
        raise InvalidError(f"no requested quantity has the unit {unit}: {', '.join(self._values)}")

    def seconds(self) -> Any:
        """The duration in seconds, float64; nan where there is no path."""
        return self._scaled("ms")

    def metres(self) -> Any:
        """The distance in metres, float64; nan where there is no path."""
        return self._scaled("cm")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        values = self.values
        out = np.asarray(values[0]) if len(values) == 1 else np.stack([np.asarray(it) for it in values], axis=-1)
        return out if dtype is None else out.astype(dtype)


class Matrix(Costs):
    """A matrix of costs: rows are sources, columns are targets.

    Attributes
    ----------
    source_status, target_status : ndarray of int32
        Whether each place was found: see macadam.PlaceStatus.
    """

    source_status: Any
    target_status: Any

    @property
    def status(self) -> tuple[Any, Any]:
        """The statuses of the sources and those of the targets."""
        return self.source_status, self.target_status

    def table(self, row: int = 0, column: int = 0) -> Table:
        """The cells as a table of ``source``, ``target`` (positions, from `row` and `column` on) and the costs."""
        rows, columns = self.shape
        source, target = np.repeat(np.arange(row, row + rows), columns), np.tile(np.arange(columns) + column, rows)
        costs = {name: np.asarray(it).reshape(-1) for name, it in self._values.items()}
        return Table({"source": source, "target": target, **costs}, self.quantities)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table().__arrow_c_stream__(requested_schema)

    def to_pandas(self, index: Any = None, columns: Any = None) -> Any:
        """The first quantity as a DataFrame; cells without a path are ``<NA>``."""
        import pandas

        return pandas.DataFrame(self.values[0], index, columns).astype("UInt32").replace(UNREACHED, pandas.NA)


class Tree(Costs):
    """Costs from (or to) each source: one row a source, or one array if the call was given a single place.

    Attributes
    ----------
    parent : ndarray of uint32 or None
        The position of the node before each node on its path, if requested.
    source_status : ndarray of int32
        Whether each source was found.
    """

    parent: Any
    source_status: Any


class Connection:
    """Whether a path leads from one place to another, and one of the fewest arcs: its `hops` and the `ids` of its nodes."""

    def __init__(self, connected: bool, hops: int, ids: Any, source: Any, target: Any) -> None:
        self.connected, self.hops, self.ids = connected, hops if connected else None, ids
        self.source, self.target = Table(source), Table(target)

    def __bool__(self) -> bool:
        return self.connected

    def __repr__(self) -> str:
        return f"<macadam.Connection: {f'{self.hops} hops' if self.connected else 'none'}>"


class Lines(Table):
    """Roads with their shapes, and with what the map says of them. ``lines.coordinates(i)`` are the points of row i.

    Attributes
    ----------
    points : ndarray of float64, shape (n, 2)
        The points of all roads: those of row i are ``points[first_point[i]:last_point[i]]``.
    source : Table or None
        Of Engine.reached: where the place was snapped.
    """

    def __init__(self, rows: Any, points: Any, quantities: tuple[str, ...] = (), source: Any = None) -> None:
        super().__init__(rows, quantities)
        self.points = points
        self.source: Any = None if source is None else Table(source)

    def coordinates(self, row: int) -> Any:
        """Longitudes and latitudes of one road, shape (n, 2)."""
        return self.points[self["first_point"][row] : self["last_point"][row]]

    def to_geopandas(self) -> Any:
        """A GeoDataFrame of LineStrings in WGS 84."""
        import geopandas
        import shapely

        first, counts = self["first_point"], (self["last_point"] - self["first_point"]).astype(np.int64)
        rows = np.repeat(np.arange(len(self)), counts)
        index = np.repeat(first, counts) + np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        geometry = shapely.linestrings(self.points[index.astype(np.int64)], indices=rows)
        return geopandas.GeoDataFrame(self.to_pandas(), geometry=geometry, crs=4326)


class Isochrone:
    """Areas around what is reached within limits of places.

    Attributes
    ----------
    limits : list of int
        The limits, ascending, in the unit of the metric's objective.
    source : Table
        Where each place was snapped.
    area_m2 : ndarray of float64, shape (sources, limits)
        The size of each area, without its holes.
    width_m : ndarray of float64, shape (sources,)
        How far from the roads the areas reach.
    """

    def __init__(self, core: Any, limits: list[int], scale: int) -> None:
        self._core, self.limits, self._scale = core, limits, scale
        self.source, self.width_m = Table(core.source), core.width_m
        self.area_m2 = core.area_m2.reshape(-1, len(limits))

    def __len__(self) -> int:
        return self.area_m2.size

    def __repr__(self) -> str:
        return f"<macadam.Isochrone: limits {self.limits} of {len(self.source)} places>"

    @cached_property
    def points(self) -> Any:
        """The points of all rings: longitudes and latitudes, shape (n, 2)."""
        return self._core.points()

    @property
    def offsets(self) -> tuple[Any, Any, Any]:
        """Where each ring's points begin, each polygon's rings, and each area's polygons, as GeoArrow has them."""
        return self._core.first_point, self._core.first_ring, self._core.first_polygon

    def polygons(self, source: int = 0, limit: int = -1) -> list[list[Any]]:
        """The polygons of one area: for each the outer ring and its holes, arrays of shape (n, 2)."""
        first_point, first_ring, first_polygon = self.offsets
        count = len(self.limits)
        area = range(len(self.source))[source] * count + range(count)[limit]
        return [
            [self.points[first_point[r] : first_point[r + 1]] for r in range(first_ring[p], first_ring[p + 1])]
            for p in range(first_polygon[area], first_polygon[area + 1])
        ]

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        return self.geojson()

    def geojson(self) -> dict[str, Any]:
        """A GeoJSON FeatureCollection: a MultiPolygon for each place and limit, the largest of a place first."""
        features = []
        for source in range(len(self.source)):
            for limit in reversed(range(len(self.limits))):
                rings = [[ring.tolist() for ring in it] for it in self.polygons(source, limit)]
                about = {
                    "source": source,
                    "limit": self.limits[limit] / self._scale,
                    "area_m2": self.area_m2[source, limit],
                }
                geometry = {"type": "MultiPolygon", "coordinates": rings}
                features.append({"type": "Feature", "geometry": geometry, "properties": about})
        return {"type": "FeatureCollection", "features": features}

    @property
    def shapely(self) -> Any:
        """shapely.MultiPolygons, an array of shape (sources, limits)."""
        import shapely

        offsets = tuple(it.astype(np.int64) for it in self.offsets)
        kind = shapely.GeometryType.MULTIPOLYGON
        return shapely.from_ragged_array(kind, self.points, offsets).reshape(self.area_m2.shape)

    def to_geopandas(self) -> Any:
        """A GeoDataFrame with a row for each area: source (its position), limit (seconds or metres), area_m2, geometry."""
        import geopandas

        source, limit = np.indices(self.area_m2.shape)
        columns = {"source": source.ravel(), "limit": np.asarray(self.limits)[limit.ravel()] / self._scale}
        columns["area_m2"] = self.area_m2.ravel()
        return geopandas.GeoDataFrame(columns, geometry=self.shapely.ravel(), crs=4326)


class Route:
    """A route. It is true if it was found. Its costs are attributes: ``route.duration``.

    Attributes
    ----------
    found : bool
    reason : str
        Why there is no route: "found", "place_failed", "not_connected", "start_blocked" or "end_blocked".
    quantities : tuple of str
    """

    def __init__(self, core: Any, quantities: tuple[str, ...], units: dict[str, str], has_steps: bool) -> None:
        self._core, self.quantities, self._units, self._has_steps = core, quantities, units, has_steps
        self.found: bool = core.found

    @property
    def reason(self) -> str:
        return str(self._core.reason)

    def __bool__(self) -> bool:
        return self.found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self.quantities:
            raise AttributeError(f"Route has no {name!r}; its quantities are {', '.join(self.quantities)}")
        return self._core.value[self.quantities.index(name)] if self.found else None

    def _costs(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.quantities}

    def __repr__(self) -> str:
        costs = ", ".join(f"{name} {cost} {self._units.get(name, '')}".rstrip() for name, cost in self._costs().items())
        return f"<macadam.Route: {costs}>" if self.found else f"<macadam.Route: none, {self.reason}>"

    @cached_property
    def waypoints(self) -> Table:
        """Where each waypoint was snapped."""
        return Table(self._core.waypoints)

    @cached_property
    def legs(self) -> Table:
        """From each waypoint to the next: the costs, and which arcs and steps."""
        return Table(self._core.legs, self.quantities)

    @cached_property
    def arcs(self) -> Lines:
        """The arcs in the order of travel, with their costs."""
        return Lines(self._core.arcs, self._core.points(), self.quantities)

    @cached_property
    def coordinates(self) -> Any:
        """The line: longitudes and latitudes, shape (n, 2), without repeated points."""
        points = self._core.points()
        keep = np.ones(len(points), bool)
        keep[1:] = np.any(points[1:] != points[:-1], axis=1)
        return points[keep]

    def _guidance(self) -> Any:
        if not self._has_steps:
            raise InvalidError("steps: they were not requested: route(..., steps=True)")
        return self._core

    @cached_property
    def steps(self) -> Lines:
        """What a driver has to be told: maneuvers with OSRM's words, the roads, the costs, and which arcs."""
        return Lines(self._guidance().steps, self._core.points(), self.quantities)

    @cached_property
    def intersections(self) -> Table:
        """The nodes that the steps pass where roads meet. ``in`` and ``out`` are branches; -1 = none."""
        return Table(self._guidance().intersections)

    @cached_property
    def branches(self) -> Table:
        """The roads at the intersections: their bearings, and whether one may enter them."""
        return Table(self._guidance().branches)

    @cached_property
    def lanes(self) -> Table:
        """The lanes at the intersections: see macadam.LaneArrow; and whether they lead where the route goes."""
        return Table(self._guidance().lanes)

    def texts(self, language: str = "en") -> list[str]:
        """The steps as sentences, in a language of macadam.languages()."""
        return list(self._guidance().texts(language))

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        return self.geojson()

    def geojson(self) -> dict[str, Any]:
        """A GeoJSON Feature: a LineString (null if there is none) with the costs as properties."""
        line = {"type": "LineString", "coordinates": self.coordinates.tolist()} if self.found else None
        return {"type": "Feature", "geometry": line, "properties": {"found": self.found, **self._costs()}}

    @property
    def shapely(self) -> Any:
        """A shapely.LineString; an empty one if there is no route."""
        import shapely

        points = self.coordinates if self.found else []
        return shapely.LineString(points if len(points) != 1 else np.repeat(points, 2, axis=0))

    def to_geopandas(self) -> Any:
        """A GeoDataFrame of one row: the costs and the line."""
        import geopandas

        return geopandas.GeoDataFrame([self._costs()], geometry=[self.shapely], crs=4326)


class Match:
    """Traces on roads.

    Attributes
    ----------
    points : Table
        A row for each point: its status (see MatchStatus), where it lies, and which `matching` has it.
    matchings : Table
        A row for each journey: trace, confidence, distance_m, duration_s, and which arcs.
    arc : ndarray of uint64
        The numbers of the arcs of all matchings, in the order of travel.
    routes : list of Route
        The way of each matching.
    """

    def __init__(self, core: Any, quantities: tuple[str, ...], units: dict[str, str], has_steps: bool) -> None:
        self.points, self.matchings, self.arc = Table(core.points), Table(core.matchings), core.arc
        self._made = core, quantities, units, has_steps

    def __len__(self) -> int:
        return len(self.matchings)

    def __repr__(self) -> str:
        return f"<macadam.Match: {len(self.points)} points, {len(self)} matchings>"

    @cached_property
    def routes(self) -> list[Route]:
        core, *rest = self._made
        return [Route(core.route(i), *rest) for i in range(len(self))]


class Trip:
    """Stops in a good order. It is true if there is one.

    Attributes
    ----------
    found : bool
    cost : int
        The sum of the objective over all legs.
    order : ndarray of uint32
        The stops by their positions in the request, as they are visited.
    stops : Table
        Where each stop of the request was snapped.
    route : Route or None
        Through the stops in their order.
    """

    def __init__(self, core: Any, quantities: tuple[str, ...], units: dict[str, str], has_steps: bool) -> None:
        self.found, self.cost, self.order, self.stops = bool(core.found), int(core.cost), core.order, Table(core.stops)
        self.route = Route(core.route(), quantities, units, has_steps) if core.has_route else None

    def __bool__(self) -> bool:
        return self.found

    def __repr__(self) -> str:
        return f"<macadam.Trip: {f'{self.order.tolist()} for {self.cost}' if self.found else 'none'}>"


class DeviceArray:
    """An answer in the memory of a GPU. torch, CuPy and others take it without a copy by DLPack.

    It keeps the engine open. If the CPU computed, it lies in host memory.

    Attributes
    ----------
    shape : tuple of int
    device : int or None
        The number of the GPU, or None for host memory.
    """

    dtype = np.dtype(np.uint32)

    def __init__(self, memory: Any, address: int, shape: tuple[int, ...], device: int | None) -> None:
        self._memory, self.address, self.shape, self.device = memory, address, shape, device

    def __dlpack__(self, **options: Any) -> Any:
        options.pop("stream", None)  # the answer is complete
        return self._array().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0) if self.device is None else (2, self.device)

    def _array(self) -> Any:
        return self._memory.array(self.address, self.shape, *self.__dlpack_device__())

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.device is None:
            raise AttributeError("the array lies in host memory")
        return {"shape": self.shape, "typestr": "<u4", "data": (self.address, False), "version": 3, "strides": None}

    def numpy(self) -> Any:
        """A copy in host memory."""
        out = np.empty(self.shape, np.uint32)
        self._memory.read(out.ctypes.data, self.address, out.nbytes)
        return out

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        out = self.numpy() if self.device is not None or copy else np.asarray(self._array())
        return out if dtype is None else out.astype(dtype)

    def __repr__(self) -> str:
        where = "host memory" if self.device is None else f"cuda:{self.device}"
        return f"<macadam.DeviceArray {self.shape} in {where}>"


def routes_table(costs: dict[str, Any], status: Any, paths: Any) -> Table:
    """The table of many routes."""
    count = len(status) // 2
    columns = {**costs, "source_status": status[:count], "target_status": status[count:]}
    if paths is not None:
        columns["arcs"] = Lists(*paths)
    return Table(columns, tuple(costs))
