"""Routes: one to one."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _core
from ._arguments import Quantities, array_of, flag, flags_of, naming
from ._costs import room_for
from ._errors import InvalidError, complain
from ._places import column_names, names_in, places, table_places
from ._lines import pieces_of, points_of, shape_of
from ._options import RouteOptions, RoutesOptions
from ._session import Engine as Session, Unpack, question
from ._table import SIGNED_UNREACHED, UNREACHED, Answer, Lists, Table, unreached
from .tables import Branches, Intersections, Lanes, Legs, RouteArcs, Segments, Snaps, Steps


if TYPE_CHECKING:
    import geopandas
    from numpy.typing import NDArray
    from shapely import LineString, MultiLineString


class Route(Answer):
    """A route. It is true if it was found. Its costs are attributes: ``route.duration``; so is each member of
    macadam_route that is one number.

    Attributes
    ----------
    found : bool
    reason : str
        Why there is no route: "found", "place_failed", "not_connected", "start_blocked" or "end_blocked".
    reason_waypoint : int
        The waypoint that the reason is about; of two that are not connected, the first.
    quantities : tuple of str
    alternatives : list of Route
        Other routes, by ascending cost, if they were requested.
    """

    duration: int | Any  # None if there is no route
    distance: int | Any
    ascent: int | Any
    descent: int | Any
    energy: int | Any

    def __init__(self, core: Any, types: dict[str, Any], units: dict[str, str], has_steps: bool) -> None:
        self._core, self._types, self._units, self._has_steps = core, types, units, has_steps
        self.quantities: tuple[str, ...] = tuple(types)
        self.found: bool = core.found

    @property
    def reason(self) -> str:
        return str(_core.route_reason_name(self._core.reason))

    def __bool__(self) -> bool:
        return self.found

    def __getattr__(self, name: str) -> Any:
        quantities = self.__dict__.get("quantities", ())  # a copy begins without them
        if name not in quantities:
            member = None if name.startswith("_") else getattr(self._core, name, None)
            if isinstance(member, (int, float, str)):
                return member
            raise AttributeError(f"Route has no {name!r}; its quantities are {', '.join(quantities)}")
        if not self.found:
            return None
        return int(np.array(self._core.value[self.quantities.index(name)], np.uint32).view(self._types[name]))

    @cached_property
    def totals(self) -> dict[str, int]:
        """The sum of the route in every quantity of the map, if requested."""
        return dict(zip(self._units, self._core.total.tolist()))

    def table(self) -> Table:
        """One row: whether the route was found, and its costs."""
        none = [SIGNED_UNREACHED if kind == np.int32 else UNREACHED for kind in self._types.values()]
        costs = self._core.value if self.found else none
        columns = {name: np.array([it], np.uint32).view(self._types[name]) for name, it in zip(self.quantities, costs)}
        return Table({"found": np.array([self.found], np.uint8), **columns}, self.quantities)

    def _costs(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.quantities}

    def __repr__(self) -> str:
        costs = ", ".join(f"{name} {cost} {self._units.get(name, '')}".rstrip() for name, cost in self._costs().items())
        return f"<macadam.Route: {costs}>" if self.found else f"<macadam.Route: none, {self.reason}>"

    @cached_property
    def alternatives(self) -> list[Route]:
        return [Route(it, self._types, self._units, self._has_steps) for it in self._core.alternative]

    @cached_property
    def waypoints(self) -> Snaps:
        """Where each waypoint was snapped."""
        return Snaps(self._core.waypoint)

    @cached_property
    def legs(self) -> Legs:
        """From each waypoint to the next: the costs, and which arcs and steps."""
        return Legs(self._core.leg, self._types)

    @cached_property
    def arcs(self) -> RouteArcs:
        """The arcs in the order of travel, with their costs. Of these, ``price_duration`` is paid before the arc (turn,
        signal, boarding) or, with the last arc, on arrival; the rest is the arc's own weight."""
        return RouteArcs(self._core.arc, self._points, self._types)

    @cached_property
    def _points(self) -> NDArray[np.float64]:
        return points_of(self._core)

    @cached_property
    def coordinates(self) -> NDArray[np.float64]:
        """The line: longitudes and latitudes, shape (n, 2), without repeated points."""
        return self._points[self._kept]

    @cached_property
    def heights(self) -> NDArray[np.float32] | Any:
        """Heights of the coordinates in metres above sea level, shape (n,); None if the map has no heights."""
        heights = self._core.height_m
        return heights[self._kept] if len(heights) == len(self._points) > 0 else None

    @cached_property
    def _kept(self) -> NDArray[np.bool_]:
        return np.any(np.diff(self._points, axis=0, prepend=np.nan) != 0, axis=1)

    @cached_property
    def segments(self) -> Segments:
        """From each point of an arc to the next, if requested: ids of nodes (0 = not known), length, speed, costs."""
        return Segments(self._core.segment, self._types)

    def _guidance(self) -> Any:
        if not self._has_steps:
            raise InvalidError("steps: they were not requested: route(..., steps=True)")
        return self._core

    @cached_property
    def steps(self) -> Steps:
        """Instructions for the driver: maneuvers with OSRM's words, the roads, the costs, and which arcs."""
        return Steps(self._guidance().step, self._points, self._types)

    @cached_property
    def intersections(self) -> Intersections:
        """The nodes that the steps pass where roads meet. ``in`` and ``out`` are branches; -1 = none."""
        return Intersections(self._guidance().intersection)

    @cached_property
    def branches(self) -> Branches:
        """The roads at the intersections: their bearings, and whether they may be entered."""
        return Branches(self._guidance().branch)

    @cached_property
    def lanes(self) -> Lanes:
        """The lanes at the intersections: see macadam.LaneArrow; and whether they lead where the route goes."""
        return Lanes(self._guidance().lane)

    def texts(self, language: str = "en", *, distances: Literal["none", "metric", "imperial"] = "none", lanes: bool = False) -> list[str]:
        """The steps as sentences, in a language of macadam.languages().

        Parameters
        ----------
        language
        distances
            Each step begins with the distance to its maneuver: "In 300 m, turn left".
        lanes
            The steps say which lanes to use: "Use the left lane to turn left".
        """
        if not isinstance(language, str):
            raise TypeError(f"language: {language!r} is not a name")
        if distances not in (known := ("none", "metric", "imperial")):
            raise InvalidError(f"distances: {distances!r} is none of {', '.join(known)}")
        core, wants_lanes = self._guidance(), flag(lanes, "lanes")
        return [_core.route_text(core, i, language, known.index(distances), wants_lanes) for i in range(len(core.step))]

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        return self.geojson()

    def geojson(self) -> dict[str, Any]:
        """A GeoJSON Feature: a LineString, over the 180th meridian a MultiLineString, or null if there is none, with the
        costs as properties. The third coordinates are heights, if the map has some."""
        points = self.coordinates
        if self.heights is not None:
            points = np.column_stack([points, self.heights])
        pieces: Any = [it.tolist() for it in pieces_of(points)]
        line: Any = {"type": "LineString", "coordinates": pieces[0]} if self.found else None
        if len(pieces) > 1:
            line = {"type": "MultiLineString", "coordinates": pieces}
        return {"type": "Feature", "geometry": line, "properties": {"found": self.found, **self._costs()}}

    @property
    def shapely(self) -> LineString | MultiLineString:
        """A shapely.LineString, over the 180th meridian a MultiLineString; an empty line if there is no route."""
        import shapely

        return shape_of(self.coordinates) if self.found else shapely.LineString()

    def to_geopandas(self) -> geopandas.GeoDataFrame:
        """A GeoDataFrame of one row: the costs and the line."""
        import geopandas

        return geopandas.GeoDataFrame([self._costs()], geometry=[self.shapely], crs=4326)


class Engine(Session):
    """An engine's routes."""

    @question("route")
    def route(self, waypoints: Any, *, passes: Any = None, quantities: Quantities = None, **options: Unpack[RouteOptions]) -> Route:
        """The route of least cost from the first waypoint to the last, through those between them.

        Each requested part is an attribute of the answer: ``.steps``, ``.intersections``, ``.lanes`` and ``.texts(language)``
        with `steps`; ``.segments``, ``.totals`` and ``.alternatives``.

        Parameters
        ----------
        waypoints : places
            At least two.
        passes : array of bool, optional
            Which of them the route passes without a stop: no leg ends there. The first and the last do not count.
        **options
        quantities
            As in matrix.
        """
        given = places(waypoints, "waypoints")
        if len(given) < 2:
            raise InvalidError(f"waypoints: {len(given)} places; a route needs two")
        query, request = self._asked("route", quantities, options)
        request |= {"waypoint": given, **flags_of(passes, "passes", len(given))}
        core = self._core.ask("route", query.core, request)
        out = Route(core, query.names, self._units, options.get("steps", False))
        if query.strict or not out.found:
            if self._found(out.waypoints.status, given, "waypoints", query.strict) and not out.found:
                complain(f"no route: {out.reason} at waypoint {core.reason_waypoint}", query.strict)
        return out

    @question("routes")
    def routes(
        self, sources: Any, targets: Any = None, *, paths: bool = False, quantities: Quantities = None,
        **options: Unpack[RoutesOptions],
    ) -> Table:  # fmt: skip
        """The costs of many routes: number i goes from source i to target i.

        Parameters
        ----------
        sources, targets : places
            As many of each. Without targets, `sources` are pairs: an array of ids (integers) of shape (n, 2), of
            longitudes and latitudes (floats) of shape (n, 4) or (n, 2, 2), a list of pairs of places, or a table. It
            has the columns of the command: ``source`` and ``target`` (ids), or ``source_lon``, ``source_lat``,
            ``target_lon``, ``target_lat``, or ids of one end and points of the other.
        paths : bool
            Whether the numbers of the arcs of each route are requested: the column ``arcs``.
        quantities
            As in matrix.

        Returns
        -------
        Table
            A row for each route: the costs (with a list of times: at each, of shape (routes, times)), source_status, target_status, and arcs.
        """
        first, second = _pairs(sources) if targets is None else (sources, targets)
        begins, ends = places(first, "sources"), places(second, "sources" if targets is None else "targets")
        if len(begins) != len(ends):
            raise InvalidError(f"targets: {len(ends)} places for {len(begins)} sources")
        query, _ = self._asked("routes", quantities, options)
        times = query.depart + query.arrive_by
        if times and flag(paths, "paths"):
            raise InvalidError("paths: routes have paths at one time, or with time_each")
        values, room = room_for(self._core, query.names, (len(begins), *times), None, False)
        both = {"sources": begins, "targets": ends}
        request = {"source": begins, "target": ends, "pair_count": len(begins)}
        found, statuses, all_found = _core.Paths(), [np.zeros(0, np.int32)] * 2, True
        if len(begins):
            more = [found.receive, found.address] if flag(paths, "paths") else []
            statuses, all_found = self._ask("routes_paths" if paths else "routes", query, request, both, room, after=more)
        missing = int(np.count_nonzero(unreached(room[0])))
        if all_found and missing:
            complain(f"{missing} of {room[0].size} routes have no path", query.strict)
        columns = {**values, "source_status": statuses[0], "target_status": statuses[1]}
        more_columns = {"arcs": Lists(*found.arrays())} if paths else {}
        return Table({**columns, **more_columns}, tuple(values), index=names_in(sources))


def _pairs(value: Any) -> tuple[Any, ...]:
    if column_names(value) is not None:
        return tuple(table_places(value, "sources", end) for end in ("source", "target"))
    if hasattr(value, "__array__") or hasattr(value, "__dlpack__"):
        array = array_of(value, "sources")
        if array.ndim == 2 and array.shape[1] == 2 and array.dtype.kind in "iu":
            return array[:, 0], array[:, 1]
        if array.ndim == 2 and array.shape[1] == 4 and array.dtype.kind == "f":
            return array[:, :2], array[:, 2:]
        if array.ndim == 3 and array.shape[1:] == (2, 2) and array.dtype.kind == "f":
            return array[:, 0], array[:, 1]
        raise InvalidError(
            f"sources: an array of shape {array.shape} and type {array.dtype} are not pairs, which are integers of shape "
            "(n, 2), or floats of shape (n, 4) or (n, 2, 2); give targets too"
        )
    with naming("sources"):
        items = list(value)
    for index, item in enumerate(items):
        if not isinstance(item, (tuple, list, np.ndarray)) or np.shape(item)[:1] != (2,):
            raise InvalidError(f"sources[{index}]: {item!r} is not a pair of places; give targets too")
    return [item[0] for item in items], [item[1] for item in items]
