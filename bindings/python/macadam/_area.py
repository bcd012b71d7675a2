"""Roads and areas: all roads, those that are reached within a limit, and the areas around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arguments import flag, naming
from ._errors import InvalidError
from ._options import IsochroneOptions, ReachedOptions
from ._session import Session, Unpack, question
from ._table import Answer, Lists, Table


if TYPE_CHECKING:
    import geopandas
    from numpy.typing import NDArray
    from shapely import LineString, MultiLineString


def points_of(core: Any) -> NDArray[np.float64]:
    """The points of an answer: longitudes and latitudes, shape (n, 2)."""
    return np.stack([core.lon, core.lat], axis=1)


def distinct(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The points of a line without those that repeat the one before; if one is left, it is there twice."""
    kept = points[np.any(np.diff(points[:, :2], axis=0, prepend=np.nan) != 0, axis=1)]
    return kept if len(kept) != 1 else np.repeat(kept, 2, axis=0)


def pieces_of(points: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """A line as pieces that do not cross the 180th meridian: see RFC 7946, section 3.1.9."""
    lon, inner = points[:, 0].copy(), np.abs(points[:, 0]) != 180
    if inner.any() and not inner[0]:
        lon[0] = np.copysign(180, lon[inner.argmax()])  # the first point is on the side of the next one
    lon = np.unwrap(lon, period=360)
    points = distinct(np.column_stack([lon, points[:, 1:]]))
    if np.abs(lon).max(initial=0) <= 180:
        return [points]
    pieces, turn = [[points[0]]], np.zeros(points.shape[1])
    for before, after in zip(points, points[1:]):
        if abs(after[0] - turn[0]) > 180:
            edge = np.copysign(180, after[0] - turn[0])
            end = before + (after - before) * ((edge + turn[0] - before[0]) / (after[0] - before[0]))
            pieces[-1].append(end - turn)
            turn[0] += 2 * edge
            pieces.append([end - turn])
        pieces[-1].append(after - turn)
    return [distinct(np.array(it)) for it in pieces]


def shape_of(points: NDArray[np.float64]) -> LineString | MultiLineString:
    """The line as shapely has it, a MultiLineString if it crosses the 180th meridian."""
    import shapely

    pieces = pieces_of(points)
    return shapely.MultiLineString(pieces) if len(pieces) > 1 else shapely.LineString(pieces[0])


class Lines(Table):
    """Roads with their shapes, and with what the map says of them. ``lines.coordinates(i)`` are the points of row i.

    Attributes
    ----------
    points : ndarray of float64, shape (n, 2)
        The points of all roads: those of row i are ``points[first_point[i]:end_point[i]]``.
    source : Table or None
        Of Engine.reached: where the place was snapped.
    to : ndarray of float64, shape (rows,), or None
        Of Engine.reached: the share of each arc's length up to which it is reached.
    """

    def __init__(
        self, rows: Any, points: NDArray[np.float64], quantities: Any = (), source: Any = None, to: Any = None
    ) -> None:
        super().__init__(rows, quantities)
        self.points = points
        self.to: NDArray[np.float64] | Any = to
        self.source: Table | Any = None if source is None else Table(source)

    def coordinates(self, row: int) -> NDArray[np.float64]:
        """Longitudes and latitudes of one road, shape (n, 2)."""
        return self.points[self["first_point"][row] : self["end_point"][row]]

    def to_geopandas(self) -> geopandas.GeoDataFrame:
        """A GeoDataFrame of LineStrings in WGS 84; those over the 180th meridian are MultiLineStrings."""
        import geopandas
        import shapely

        first, counts = self["first_point"], (self["end_point"] - self["first_point"]).astype(np.int64)
        rows = np.repeat(np.arange(len(self)), counts)
        index = np.repeat(first, counts) + np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        geometry = shapely.linestrings(self.points[index.astype(np.int64)], indices=rows)
        over = np.abs(np.diff(self.points[index.astype(np.int64), 0])) > 180
        for row in np.unique(rows[1:][over & (rows[1:] == rows[:-1])]):
            geometry[row] = shape_of(self.coordinates(row))
        return geopandas.GeoDataFrame(self.to_pandas(), geometry=geometry, crs=4326)


class Isochrone(Answer):
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
    points : ndarray of float64, shape (n, 2)
        The points of all rings: longitudes and latitudes.
    offsets : tuple of ndarray
        Where each ring's points begin, each polygon's rings, and each area's polygons, as GeoArrow has them.
    """

    def __init__(self, core: Any, limits: list[int], scale: int) -> None:
        self.limits, self._scale = limits, scale
        self.source, self.points = Table(core.source), points_of(core)
        self.width_m: NDArray[np.float64] = core.width_m
        self.area_m2: NDArray[np.float64] = core.area_m2.reshape(-1, len(limits))
        self.offsets: tuple[NDArray[np.uint64], ...] = core.first_point, core.first_ring, core.first_polygon

    def __len__(self) -> int:
        return self.area_m2.size

    def __repr__(self) -> str:
        return f"<macadam.Isochrone: limits {self.limits} of {len(self.source)} places>"

    def table(self) -> Table:
        """A row for each area: source (its position), limit (seconds or metres), area_m2."""
        source, limit = (it.ravel() for it in np.indices(self.area_m2.shape))
        limits = np.asarray(self.limits)[limit] / self._scale
        return Table({"source": source, "limit": limits, "area_m2": self.area_m2.ravel()})

    def polygons(self, source: int = 0, limit: int = -1) -> list[list[NDArray[np.float64]]]:
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
                about = {"source": source, "limit": self.limits[limit] / self._scale, "area_m2": self.area_m2[source, limit]}
                geometry = {"type": "MultiPolygon", "coordinates": rings}
                features.append({"type": "Feature", "geometry": geometry, "properties": about})
        return {"type": "FeatureCollection", "features": features}

    @property
    def shapely(self) -> NDArray[np.object_]:
        """shapely.MultiPolygons, an array of shape (sources, limits)."""
        import shapely

        offsets = tuple(it.astype(np.int64) for it in self.offsets)
        kind = shapely.GeometryType.MULTIPOLYGON
        return shapely.from_ragged_array(kind, self.points, offsets).reshape(self.area_m2.shape)

    def to_geopandas(self) -> geopandas.GeoDataFrame:
        """A GeoDataFrame with a row for each area: source (its position), limit (seconds or metres), area_m2, geometry."""
        import geopandas

        return geopandas.GeoDataFrame(self.to_pandas(), geometry=self.shapely.ravel(), crs=4326)


class Areas(Session):
    """An engine's roads and areas."""

    def arcs(self, *, imported: bool = False) -> Table:
        """All arcs: their numbers, ends, weights (UNREACHED or SIGNED_UNREACHED: closed), and what the map says of their roads.

        The weights are the present ones, or those before any update (`imported`).

        ``forward`` says whether an arc leads in the direction in which its way is drawn; ``length_m`` is nan without
        coordinates. With `import_osm(..., node_ids=True)`, ``nodes`` are the ids of an arc's nodes, and ``nodes_m`` how
        far each of them is along the arc.
        """
        rows, weights, first, nodes, metres = self._core.arcs(flag(imported, "imported"))
        types = self._types(self._units)
        table = Table(rows, nullable=tuple(types))
        del table._columns["node_count"]
        if len(nodes):
            table._columns |= {"nodes": Lists(first, nodes), "nodes_m": Lists(first, metres)}
        columns = weights.reshape(-1, len(types)).T.copy()
        table._columns |= {name: it.view(kind) for (name, kind), it in zip(types.items(), columns)}
        return table

    def roads(self, bbox: tuple[float, float, float, float] | None = None) -> Lines:
        """The roads that meet a box (west, south, east, north), or all. A road of two directions appears once."""
        with naming("bbox"):
            west, south, east, north = map(float, bbox if bbox is not None else self._bbox or (-180, -90, 180, 90))
        sides = {"west": west, "south": south, "east": east, "north": north}
        core = self._core.ask("roads", _core.Query({}, None), sides)
        return Lines(core.road, points_of(core))

    def vector_tile(self, zoom: int, x: int, y: int) -> bytes:
        """A square of the map as a vector tile with the layers and properties of OSRM's: `speeds` and, from zoom 15 on, `turns`.

        The id of a feature of `speeds` is the number of its arc.
        """
        with naming("zoom, x, y"):
            return bytes(self._core.vector_tile(zoom, x, y))

    @question("reached")
    def reached(self, place: Any, limit: Any, **options: Unpack[ReachedOptions]) -> Lines:
        """The arcs that are reached within a limit of a place; see isochrone.

        Parameters
        ----------
        **options

        Returns
        -------
        Lines
            ``cost`` has been spent at the entry, ``weight`` is the cost of all of the arc, ``from`` the share of its
            length where it is entered. ``.source`` is where the place was snapped; ``.to`` has the share of each arc's
            length up to which it is reached.
        """
        given, (query, request) = self._one(place, "place"), self._asked("reached", None, options)
        (bound,) = self._limits([limit], options, "limit")
        core = self._core.ask("reached", query.core, {"source": given, "limit": bound, **request})
        out = Lines(core.arc, points_of(core), source=core.source, to=core.to)
        out._types = {it: kind for kind in query.names.values() for it in ("cost", "weight")}
        self._found(out.source.status, given, "places", query.strict)
        return out

    @question("isochrone")
    def isochrone(self, sources: Any, limits: Any, **options: Unpack[IsochroneOptions]) -> Isochrone:
        """The areas around what is reached within limits of places.

        Parameters
        ----------
        sources : places
        limits : float, timedelta, or sequence of them
            Seconds if the metric is a duration, metres if it is a distance, watt hours if it is an energy; at most 16.
        **options
        """
        given, (query, request) = self._sources(sources), self._asked("isochrone", None, options)
        bounds = sorted(self._limits(limits, options))
        if not bounds:
            raise InvalidError("limits: there is none")
        core = self._core.ask("rings", query.core, {"source": given, "limit": bounds, **request})
        out = Isochrone(core, bounds, self._scale(options.get("metric")))
        self._found(out.source.status, given, "sources", query.strict)
        return out
