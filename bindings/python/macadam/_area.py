"""Roads and areas: all roads, those that are reached within a limit, and the areas around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arguments import flag, naming
from ._errors import InvalidError
from ._lines import Lines, points_of
from ._options import IsochroneOptions, ReachedOptions
from ._places import names_in
from ._session import Engine as Session, Unpack, question
from ._table import Answer, Lists, Table, named
from .tables import Arcs, ReachedArcs, Roads, Snaps


if TYPE_CHECKING:
    import geopandas
    from numpy.typing import NDArray


class Isochrone(Answer):
    """Areas around what is reached within limits of places.

    Attributes
    ----------
    limits : list of int
        The limits, ascending, in the unit of the metric's objective.
    source : Snaps
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

    def __init__(self, core: Any, limits: list[int], scale: int, names: Any) -> None:
        self.limits: list[int] = limits
        self._scale = scale
        self.source: Snaps = Snaps(core.source, index=names)
        self.points: NDArray[np.float64] = points_of(core)
        self.width_m: NDArray[np.float64] = core.width_m
        self.area_m2: NDArray[np.float64] = core.area_m2.reshape(-1, len(limits))
        self.offsets: tuple[NDArray[np.uint64], ...] = core.first_point, core.first_ring, core.first_polygon

    def __len__(self) -> int:
        return self.area_m2.size

    def __repr__(self) -> str:
        return f"<macadam.Isochrone: limits {self.limits} of {len(self.source)} places>"

    def table(self) -> Table:
        """A row for each area: source (its name in a frame, else its position), limit (seconds or metres), area_m2."""
        source, limit = (it.ravel() for it in np.indices(self.area_m2.shape))
        limits = np.asarray(self.limits)[limit] / self._scale
        return Table({"source": named(self.source._index, source), "limit": limits, "area_m2": self.area_m2.ravel()})

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
        features, names = [], np.asarray(named(self.source._index, np.arange(len(self.source)))).tolist()
        for source in range(len(self.source)):
            for limit in reversed(range(len(self.limits))):
                rings = [[ring.tolist() for ring in it] for it in self.polygons(source, limit)]
                about = {"source": names[source], "limit": self.limits[limit] / self._scale, "area_m2": self.area_m2[source, limit]}
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
        """A GeoDataFrame with a row for each area: source (its name in a frame, else its position), limit (seconds or metres), area_m2, geometry."""
        import geopandas

        return geopandas.GeoDataFrame(self.to_pandas(), geometry=self.shapely.ravel(), crs=4326)


class Engine(Session):
    """An engine's roads and areas."""

    def arcs(self, *, imported: bool = False) -> Arcs:
        """All arcs: their numbers, ends, weights (UNREACHED or SIGNED_UNREACHED: closed), and what the map says of their roads.

        The weights are the present ones, or those before any update (`imported`).

        ``forward`` says whether an arc leads in the direction in which its way is drawn; ``length_m`` is nan without
        coordinates. With `import_osm(..., node_ids=True)`, ``nodes`` are the ids of an arc's nodes, and ``nodes_m`` how
        far each of them is along the arc.
        """
        rows, weights, first, nodes, metres = self._core.arcs(flag(imported, "imported"))
        types = self._types(self._units)
        table = Arcs(rows, nullable=tuple(types))
        if len(nodes):
            table._columns |= {"nodes": Lists(first, nodes), "nodes_m": Lists(first, metres)}
        columns = weights.reshape(-1, len(types)).T.copy()
        table._columns |= {name: it.view(kind) for (name, kind), it in zip(types.items(), columns)}
        return table

    def roads(self, bbox: tuple[float, float, float, float] | None = None) -> Roads:
        """The roads that meet a box (west, south, east, north), or all. A road of two directions appears once."""
        with naming("bbox"):
            west, south, east, north = map(float, bbox if bbox is not None else self._bbox or (-180, -90, 180, 90))
        sides = {"west": west, "south": south, "east": east, "north": north}
        core = self._core.ask("roads", _core.Query({}, None), sides)
        return Roads(core.road, points_of(core))

    def vector_tile(self, zoom: int, x: int, y: int) -> bytes:
        """A square of the map as a vector tile with the layers and properties of OSRM's: `speeds` and, from zoom 15 on, `turns`.

        The id of a feature of `speeds` is the number of its arc.
        """
        with naming("zoom, x, y"):
            return bytes(self._core.vector_tile(zoom, x, y))

    @question("reached")
    def reached(self, place: Any, limit: Any, **options: Unpack[ReachedOptions]) -> ReachedArcs:
        """The arcs that are reached within a limit of a place; see isochrone.

        Parameters
        ----------
        **options

        Returns
        -------
        ReachedArcs
            ``cost`` has been spent at the entry, ``weight`` is the cost of all of the arc, ``from`` the share of its
            length where it is entered. ``.source`` is where the place was snapped; ``.to`` has the share of each arc's
            length up to which it is reached.
        """
        given, (query, request) = self._one(place, "place"), self._asked("reached", None, options)
        (bound,) = self._limits([limit], options, "limit")
        core = self._core.ask("reached", query.core, {"source": given, "limit": bound, **request})
        out = ReachedArcs(core.arc, points_of(core), source=Snaps(core.source), to=core.to)
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
        out = Isochrone(core, bounds, self._scale(options.get("metric")), names_in(sources))
        self._found(out.source.status, given, "sources", query.strict)
        return out
