"""Traces of points, and stops without an order: what becomes of them is a route."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arguments import Quantities, array_of, flag, flags_of, integers, naming
from ._errors import InvalidError, complain
from ._places import names_in, places
from ._route import Route
from ._options import MatchOptions, TripOptions
from ._session import Engine as Session, Unpack, question
from ._table import UNREACHED, Answer, Table, dtype_of
from .tables import Matchings, MatchPoints, Snaps

if TYPE_CHECKING:
    from numpy.typing import NDArray


TRACE_POINT: np.dtype[Any] = dtype_of("macadam_trace_point")


class Match(Answer):
    """Traces on roads.

    Attributes
    ----------
    points : MatchPoints
        A row for each point: its status (see MatchStatus), where it lies, and which `matching` has it.
    matchings : Matchings
        A row for each journey: trace, confidence, distance_m, duration_s, and which arcs, if they were requested.
    """

    def __init__(self, core: Any, types: dict[str, Any], units: dict[str, str], parts: set[str], names: Any) -> None:
        self.points: MatchPoints = MatchPoints(core.point, index=names)
        self.matchings: Matchings = Matchings(core.matching)
        self._core, self._types, self._units, self._parts = core, types, units, parts

    def __len__(self) -> int:
        return len(self.matchings)

    def __repr__(self) -> str:
        return f"<macadam.Match: {len(self.points)} points, {len(self)} matchings>"

    def table(self) -> MatchPoints:
        """The points."""
        return self.points

    def _requested(self, part: str) -> Any:
        if part not in self._parts:
            raise InvalidError(f"{part}: they were not requested: match(..., {part}=True)")
        return self._core

    @property
    def arc(self) -> NDArray[np.uint64]:
        """The numbers of the arcs of all matchings, in the order of travel, if requested."""
        return self._requested("arcs").arc

    @cached_property
    def routes(self) -> list[Route]:
        """The way of each matching, if requested."""
        matching, more = self._requested("routes").matching, (self._types, self._units, "steps" in self._parts)
        return [Route(matching.part(i, 1).route, *more) for i in range(len(self))]


class Trip(Answer):
    """Stops in a good order. It is true if there is one.

    Attributes
    ----------
    found : bool
    cost : int
        The sum of the objective over all legs.
    order : ndarray of uint32
        The order of travel: the stops by their positions in the request, as they are visited.
    stops : Snaps
        Where each stop of the request was snapped. The ``status`` of one that is left out says why.
    route : Route or None
        Through the stops in their order.
    """

    def __init__(self, core: Any, types: dict[str, Any], units: dict[str, str], has_steps: bool, names: Any) -> None:
        self.found: bool = core.found
        self.stops: Snaps = Snaps(core.stop, index=names)
        self.cost: int = int(np.array(core.cost, np.uint64).astype(np.int64))  # may be negative
        self.order: NDArray[np.uint32] = core.order
        self.route: Route | None = Route(core.route, types, units, has_steps) if core.route else None

    def __bool__(self) -> bool:
        return self.found

    def table(self) -> Table:
        """The stops of the request, and the ``position`` at which each is visited."""
        position = np.full(len(self.stops), UNREACHED, np.uint32)
        position[self.order] = np.arange(len(self.order))
        columns = {name: self.stops._column(name) for name in self.stops.column_names}
        return Table({"position": position, **columns}, nullable=("position",), index=self.stops._index)

    def __repr__(self) -> str:
        return f"<macadam.Trip: {f'{self.order.tolist()} for {self.cost}' if self.found else 'none'}>"


class Engine(Session):
    """An engine's traces and trips."""

    @question("match")
    def match(
        self, points: Any, *, first: Any = None, time: Any = None, accuracy: Any = 0.0, heading: Any = None,
        heading_accuracy: Any = 30.0, speed: Any = 0.0, split: bool = True, arcs: bool = False, routes: bool = False,
        passes: Any = None, quantities: Quantities = None, **options: Unpack[MatchOptions],
    ) -> Match:  # fmt: skip
        """Takes traces of points to roads, and returns the way between them if it is requested.

        Parameters
        ----------
        points : places
            Points, in the order of travel.
        first : sequence of int, optional
            Trace i has the points first[i] <= p < first[i + 1]. Without it, all points are one trace.
        time : array, optional
            When, in seconds from any moment on, or datetime64; nan where it is not known. With ``utc_offset``, seconds since
            1970 in UTC: each leg then has the duration of the time of its first point. ``depart`` is the instant of time 0.
        accuracy : float or array
            The standard deviation of the positions, in metres; 0 = 5.
        heading, heading_accuracy : float or array, optional
            The direction of travel and its standard deviation, in degrees.
        speed : float or array
            Metres per second; 0 = not known.
        split : bool
            Whether a pause in the times splits a trace.
        arcs : bool
            Whether to report the arcs of the matchings: ``.arc``.
        routes : bool
            Whether to find the route of each matching, too: ``.routes``, and ``.arc``. `steps` and `passes` request it, too.
        passes : array of bool, optional
            At which points no leg of a matching ends.
        quantities
            As in matrix.
        **options
        """
        given = places(points, "points")
        if np.any(given["kind"] != 1):
            raise InvalidError("points: some are ids of nodes")
        if options.get("utc_offset") is not None:
            options.setdefault("depart", "1970-01-01T00:00Z")
        (query, more), count = self._asked("match", quantities, options), len(given)
        if time is not None:
            time = array_of(time, "time", "iufM")
            if time.dtype.kind == "M":
                time = np.where(np.isnat(time), np.nan, time.astype("M8[ns]").astype(np.int64) / 1e9)
        trace = np.zeros(count, TRACE_POINT)
        trace["lon"], trace["lat"] = given["lon"], given["lat"]
        about = {"time_s": np.nan if time is None else time, "accuracy_m": accuracy, "speed_ms": speed}
        if heading is not None:
            about |= {"heading": heading, "heading_accuracy": heading_accuracy}
        for member, value in about.items():
            name = member if member == "heading_accuracy" else member.rsplit("_", 1)[0]
            with naming(name):
                trace[member] = array_of(value, name)
        begins = np.array([0, count], np.uint64) if first is None else integers(first, "first", np.uint64, floats=False)
        ends = begins[[0, -1]].tolist() if begins.ndim == 1 and len(begins) > 1 else None
        if ends != [0, count] or np.any(begins[1:] < begins[:-1]):
            raise InvalidError(f"first: positions must ascend from 0 to {count}, the number of points")
        more |= flags_of(passes, "passes", count)
        wants_routes = flag(routes, "routes") or passes is not None or more.get("steps", False)
        request = {
            "point": trace, "first": begins, "trace_count": len(begins) - 1, "gaps": 0 if flag(split, "split") else 1,
            **more, "arcs": flag(arcs, "arcs") or wants_routes, "routes": wants_routes,
        }  # fmt: skip
        parts = {it for it in ("arcs", "routes", "steps") if request.get(it)}
        out = Match(self._core.ask("match", query.core, request), query.names, self._units, parts, names_in(points))
        kinds = [(n, _core.match_status_name(s)) for s, n in enumerate(np.bincount(out.points.status).tolist()) if 1 <= s <= 4 and n]
        if kinds:
            told, lost = ", ".join(f"{n} {name}" for n, name in kinds), sum(n for n, _ in kinds)
            advice = self._advice(given) if lost == count else ""
            complain(f"{lost} of {count} points were not matched: {told}{advice}", query.strict)
        return out

    @question("trip")
    def trip(self, stops: Any, *, quantities: Quantities = None, **options: Unpack[TripOptions]) -> Trip:
        """Puts at most 1000 stops in the order whose route costs least.

        Stops that were not found, or cannot all reach each other, are left out with a warning.

        Parameters
        ----------
        stops : places
        quantities
            As in matrix.
        **options
        """
        given, (query, request) = self._sources(stops, "stops"), self._asked("trip", quantities, options)
        core = self._core.ask("trip", query.core, {"stop": given, **request})
        out = Trip(core, query.names, self._units, options.get("steps", False), names_in(stops))
        if self._found(out.stops.status, given, "stops", query.strict) and not out:
            complain("no order visits all stops", query.strict)
        return out
