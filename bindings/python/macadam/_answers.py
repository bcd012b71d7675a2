"""What calls answer: matrices, trees, routes, isochrones. Costs are the library's integers; seconds() and metres() scale them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ._errors import InvalidError
from ._table import UNREACHED, Lists, Table, Text

UNIT_SCALE = {"ms": 1000, "cm": 100}


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
        if name.startswith("_") or name not in self.__dict__.get("_values", ()):
            have = ", ".join(self.__dict__.get("_values", ()))
            raise AttributeError(f"{type(self).__name__} has no {name!r}; its quantities are {have}")
        return self._values[name]

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

    def table(self) -> Table:
        """The cells as a table of ``source``, ``target`` (positions) and the costs."""
        rows, columns = self.shape
        source, target = np.repeat(np.arange(rows), columns), np.tile(np.arange(columns), rows)
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
    """Whether a path leads from one place to another, and one of the fewest arcs."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.connected: bool = columns["connected"]
        self.hops: int | None = columns["hops"] if self.connected else None
        self.ids = columns["ids"]
        self.places = Table(columns["places"])

    def __bool__(self) -> bool:
        return self.connected

    def __repr__(self) -> str:
        return f"<macadam.Connection: {f'{self.hops} hops' if self.connected else 'none'}>"


class Lines(Table):
    """Roads with their shapes. ``table.coordinates(i)`` are the points of row i.

    Attributes
    ----------
    points : ndarray of float64, shape (n, 2)
        The points of all roads: those of row i are ``points[first_point[i]:last_point[i]]``.
    """

    def __init__(self, columns: dict[str, Any], points: Any, nullable: tuple[str, ...] = ()) -> None:
        super().__init__(columns, nullable)
        self.points = points

    def coordinates(self, row: int) -> Any:
        """Longitudes and latitudes of one road, shape (n, 2)."""
        return self.points[self._columns["first_point"][row] : self._columns["last_point"][row]]

    def to_geopandas(self) -> Any:
        """A GeoDataFrame of LineStrings in WGS 84."""
        import geopandas
        import shapely

        first, last = self._columns["first_point"], self._columns["last_point"]
        counts = last - first
        rows = np.repeat(np.arange(len(self)), counts)
        index = np.repeat(first, counts) + np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        geometry = shapely.linestrings(self.points[index], indices=rows)
        return geopandas.GeoDataFrame(self.to_pandas(), geometry=geometry, crs=4326)


class Isochrone:
    """What lies within limits of a place.

    Attributes
    ----------
    limits : list of int
        The limits, in the unit of the metric's objective.
    arcs : Lines
        The arcs that can be entered within the largest limit: ``cost`` has been spent at the entry, ``weight`` is the
        cost of all of the arc, ``from`` the share of its length where it is entered.
    source : Table
        Where the place was snapped, one row.
    """

    def __init__(self, columns: dict[str, Any], limits: list[int], unit: str, reverse: bool) -> None:
        self.limits, self._unit, self._reverse = limits, unit, reverse
        self.source = Table(columns.pop("source"))
        self.arcs = Lines(columns, columns.pop("points"))

    def __len__(self) -> int:
        return len(self.limits)

    def __repr__(self) -> str:
        return f"<macadam.Isochrone: limits {self.limits}, {len(self.arcs)} arcs>"


class Route:
    """A route. It is true if it was found.

    Attributes
    ----------
    found : bool
    reason : str
        Why there is no route: "found", "place_failed", "not_connected", "start_blocked" or "end_blocked".
    quantities : tuple of str
    """

    def __init__(self, core: Any, quantities: tuple[str, ...], units: dict[str, str]) -> None:
        self._core, self.quantities, self._units = core, quantities, units
        self.found: bool = core.found
        self.reason: str = core.reason

    def __bool__(self) -> bool:
        return self.found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self.quantities:
            raise AttributeError(f"Route has no {name!r}; its quantities are {', '.join(self.quantities)}")
        value = self._core.value[self.quantities.index(name)]
        return value if self.found else None

    def __repr__(self) -> str:
        costs = ", ".join(
            f"{name} {getattr(self, name)} {self._units.get(name, '')}".rstrip() for name in self.quantities
        )
        return f"<macadam.Route: {costs}>" if self.found else f"<macadam.Route: none, {self.reason}>"

    @cached_property
    def waypoints(self) -> Table:
        """Where each waypoint was snapped."""
        return Table(self._core.waypoints())

    @cached_property
    def legs(self) -> Table:
        """From each waypoint to the next: the costs, and which arcs."""
        return Table(self._named(self._core.legs()), self.quantities)

    @cached_property
    def arcs(self) -> Lines:
        """The arcs in the order of travel, with their costs."""
        return Lines(self._named(self._core.arcs()), self._core.shape())

    def _named(self, columns: dict[Any, Any]) -> dict[str, Any]:
        return {self.quantities[it] if isinstance(it, int) else it: values for it, values in columns.items()}

    @cached_property
    def coordinates(self) -> Any:
        """The line: longitudes and latitudes, shape (n, 2), without repeated points."""
        points = self._core.shape()
        keep = np.ones(len(points), bool)
        keep[1:] = np.any(points[1:] != points[:-1], axis=1)
        return points[keep]

    @cached_property
    def steps(self) -> Table:
        """The roads in the order of travel: their names, costs, and which arcs; a road is one step while its name lasts."""
        name = self.arcs._columns["name"]
        starts = np.flatnonzero(np.diff(name.codes, prepend=-1))
        costs = {it: np.add.reduceat(self.arcs[it], starts) if len(starts) else self.arcs[it] for it in self.quantities}
        ends = np.append(starts[1:], len(self.arcs))[: len(starts)]
        return Table({"name": Text(name.codes[starts], name.values), **costs, "first_arc": starts, "last_arc": ends})

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        return self.geojson()

    def geojson(self) -> dict[str, Any]:
        """A GeoJSON Feature: a LineString (null if there is none) with the costs as properties."""
        line = {"type": "LineString", "coordinates": self.coordinates.tolist()} if self.found else None
        costs = {name: getattr(self, name) for name in self.quantities}
        return {"type": "Feature", "geometry": line, "properties": {"found": self.found, **costs}}

    @property
    def shapely(self) -> Any:
        """A shapely.LineString; an empty one if there is no route."""
        import shapely

        points = self.coordinates if self.found else []
        return shapely.LineString(points if len(points) != 1 else np.repeat(points, 2, axis=0))

    def to_geopandas(self) -> Any:
        """A GeoDataFrame of one row: the costs and the line."""
        import geopandas

        row = {name: [getattr(self, name)] for name in self.quantities}
        return geopandas.GeoDataFrame(row, geometry=[self.shapely], crs=4326)


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
