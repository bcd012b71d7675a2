"""One to all: trees, hops, connections, and what lies how near."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arguments import Quantities, choice, flag, integers, naming
from ._costs import Costs, room_for
from ._errors import InvalidError, complain
from ._places import is_single, names_in, places
from ._options import ConnectOptions, HopsOptions, NearestOptions, ReachOptions, TreeOptions
from ._session import Engine as Session, Unpack, question
from ._table import Answer, Table
from .tables import Snaps

if TYPE_CHECKING:
    from numpy.typing import NDArray


_ORDERS = ("ids", "nodes", "lanes")


class Tree(Costs):
    """Costs from (or to) each source: one row a source, or one array if the call was given a single place.

    Attributes
    ----------
    parent : ndarray of uint32 or None
        The position of the node before each node on its path, if requested.
    source_status : ndarray of int32
        Whether each source was found.
    """

    hops: NDArray[np.uint32]
    parent: NDArray[np.uint32] | Any
    source_status: NDArray[np.int32]
    _axes = ("source", "node")

    def table(self, row: int = 0, column: int = 0) -> Table:
        """The costs as a table: the positions of the source and of the node, the costs, and the parents if requested."""
        out = super().table(row, column)
        if self.parent is not None:
            out._columns["parent"] = self.parent.ravel()
            out._nullable += ("parent",)
        return out


class Connection(Answer):
    """Whether a path leads from one place to another, and one of the fewest arcs: its `hops` and the `ids` of its nodes."""

    def __init__(self, core: Any) -> None:
        self.connected: bool = core.connected
        self.hops: int | Any = core.hops if core.connected else None
        self.ids: NDArray[np.int64] = core.id
        self.source: Snaps = Snaps(core.source)
        self.target: Snaps = Snaps(core.target)

    def __bool__(self) -> bool:
        return self.connected

    def table(self) -> Table:
        """The ids of the path."""
        return Table({"id": self.ids})

    def __repr__(self) -> str:
        return f"<macadam.Connection: {f'{self.hops} hops' if self.connected else 'none'}>"


class Nearest:
    """Targets, prepared so that the nearest of them are found within microseconds; see Engine.nearest.

    Any number of threads may call it. It keeps the weights with which it was made, and keeps the map open.
    """

    def __init__(self, core: Any, session: Engine, query: Any, targets: Any, status: Any, count: int, options: Any) -> None:
        self._core, self._session, self._query, self._count, self._options = core, session, query, count, options
        self.targets: NDArray[np.void] = targets
        self.status: NDArray[np.int32] = status

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(self._session.nearest, self.targets, self._count, **self._options), ()

    def __repr__(self) -> str:
        return f"<macadam.Nearest: the nearest {self._count} of {len(self.targets)} targets>"

    def __call__(self, sources: Any) -> Table:
        """Finds the nearest targets of each source.

        Returns
        -------
        Table
            A row for each source: status, nearest_found; nearest_position and nearest_cost of shape (sources, count),
            UNREACHED where there are no more.
        """
        given = self._session._sources(sources)
        shape = len(given), self._count
        answer = {
            "nearest_found": np.empty(shape[0], "u4"), "nearest_position": np.empty(shape, "u4"),
            "nearest_cost": np.empty(shape, next(iter(self._query.names.values()))),
        }  # fmt: skip
        status = np.empty(shape[0], np.int32)
        self._core.find(given, answer, status)
        self._session._found(status, given, "sources", self._query.strict)
        return Table({"status": status, **answer}, nullable=("nearest_position", "nearest_cost"), index=names_in(sources))


class Engine(Session):
    """An engine's trees."""

    @question("tree")
    def tree(
        self, sources: Any, *, limit: Any = None, order: str = "ids", parents: bool = False,
        quantities: Quantities = None, out: Any = None, device: bool | str = False, **options: Unpack[TreeOptions],
    ) -> Tree:  # fmt: skip
        """The costs between each source and all nodes; with a list of times, at each: sources x times x nodes. `macadam.methods("tree")` lists the methods.

        Parameters
        ----------
        sources : places
            A single place gives arrays of one dimension.
        **options
        limit : float or timedelta, optional
            Costs above it become UNREACHED.
        order : {"ids", "nodes", "lanes"}
            The order of the columns. "ids": shape (sources, ids), columns as `ids`. "nodes": columns as `node_ids`.
            "lanes": shape (nodes, sources), fastest; a multiple of 16 sources.
        parents : bool
            Whether the node before each node on its path is requested too.
        quantities, out, device
            As in matrix.
        """
        given, (query, request), info = self._sources(sources), self._asked("tree", quantities, options), self.info
        number = choice(order, _ORDERS, "order")
        parents, single = flag(parents, "parents"), is_single(sources) and order != "lanes"
        width = info.id_count if order == "ids" else info.node_count
        times = query.depart + query.arrive_by
        shape = (width, len(given), *times) if order == "lanes" else (*(() if single else (len(given),)), *times, width)
        (bound,) = (0,) if limit is None else self._limits([limit], options, "limit")
        if limit is not None and bound == 0:
            raise InvalidError("limit: 0 would reach nothing; None means no limit")
        whole = shape if device is False or not single else (1, *shape)
        values, room = room_for(self._core, query.names, whole, out, device)
        parent = np.empty(shape, np.uint32) if parents else None
        request |= {"source": given, "limit": bound, "order": number}
        call, more = ("tree_parents", [parent]) if parents else ("tree", [])
        (status,), _ = self._ask(call, query, request, {"sources": given}, room, *more)
        time = ("depart",) * len(query.depart) + ("arrive_by",) * len(query.arrive_by)
        axes = ("node", "source", *time) if order == "lanes" else ("source", *time, "node")
        names = (None, names_in(sources)) if order == "lanes" else (names_in(sources), None)
        return Tree(values, self._units, parent=parent, source_status=status, _axes=axes, _names=names)

    @question("hops")
    def hops(
        self, sources: Any, *, limit: int = 0, parents: bool = False,
        **options: Unpack[HopsOptions],
    ) -> Tree:  # fmt: skip
        """The fewest arcs between each source and all nodes, whatever their weights: ``.hops``, and ``.parent``.

        `limit` is a number of arcs, not a cost: more count as UNREACHED; 0: none do.
        """
        given, (query, request), count = self._sources(sources), self._asked("hops", None, options), self.info.id_count
        shape = (count,) if is_single(sources) else (len(given), count)
        hops, parent = np.empty(shape, np.uint32), np.empty(shape, np.uint32) if flag(parents, "parents") else None
        request |= {"source": given, "limit": limit}
        (status,), _ = self._ask("hops", query, request, {"sources": given}, hops, parent)
        return Tree({"hops": hops}, {}, parent=parent, source_status=status, _names=(names_in(sources), None))

    @question("connect")
    def connect(self, source: Any, target: Any, **options: Unpack[ConnectOptions]) -> Connection:
        """Whether a path leads from one place to another, and one of the fewest arcs."""
        ends = {"source": self._one(source, "source"), "target": self._one(target, "target")}
        query, _ = self._asked("connect", None, options)
        out = Connection(self._core.ask("connect", query.core, ends))
        status = np.concatenate([out.source.status, out.target.status])
        if self._found(status, np.concatenate([*ends.values()]), "places", query.strict) and query.strict and not out:
            complain("no path connects the places", True)
        return out

    @question("reach")
    def reach(
        self, sources: Any, limits: Any = (), *, values: Any = None, targets: Any = None, **options: Unpack[ReachOptions]
    ) -> Table:
        """Counts of nodes within limits of each source, how far the farthest node is, and which targets are nearest.

        Parameters
        ----------
        sources : places
        limits : float, timedelta, or sequence of them
            At most 16, in any order.
        values : array of uint32, shape (ids,), optional
            One number for each node, in the order of `ids`, to sum up within each limit.
        targets : places, optional
            The `nearest` ones are listed.
        **options

        Returns
        -------
        Table
            A row for each source: status, reached, eccentricity, cost_sum; with limits: nodes, and value_sum, of shape
            (sources, limits); with targets: nearest_found, and nearest_position and nearest_cost of shape (sources,
            nearest), UNREACHED where there are no more.        """
        given, (query, request) = self._sources(sources), self._asked("reach", None, options)
        wanted, bounds = places([] if targets is None else targets, "targets"), self._limits(limits, options)
        sums = None if values is None else integers(values, "values", np.uint32, (self.info.id_count,))
        nearest = request.get("nearest_count", 0)
        n, m = len(given), len(bounds)
        (cost,) = query.names.values()
        kinds: dict[str, Any] = {"reached": (n, "u8"), "eccentricity": (n, cost), "cost_sum": (n, "i8" if cost == np.int32 else "u8")}
        if m:
            kinds["nodes"] = (n, m), "u8"
        if sums is not None:
            kinds["value_sum"] = (n, m), "u8"
        if nearest or targets is not None:
            kinds |= {"nearest_found": (n, "u4"), "nearest_position": ((n, nearest), "u4"), "nearest_cost": ((n, nearest), cost)}
        columns = {name: np.empty(*it) for name, it in kinds.items()}
        request |= {"source": given, "limit": bounds, "value": sums, "target": wanted}
        members = {"nodes": "node_count"}
        answer = {members.get(name, name): it for name, it in columns.items()}
        both = {"sources": given, "targets": wanted}
        (status, _), _ = self._ask("reach", query, request, both, answer)
        nullable = "eccentricity", "nearest_position", "nearest_cost"
        return Table({"status": status, **columns}, nullable=nullable, index=names_in(sources))

    @question("nearest")
    def nearest(self, targets: Any, count: int = 1, **options: Unpack[NearestOptions]) -> Nearest:
        """Prepares targets, of which the nearest are then found within microseconds a source.

        Parameters
        ----------
        targets : places
        count : int
            How many of them are found for each source: at most 64.
        **options

        Returns
        -------
        Nearest
            Call it with sources. ``status`` says which targets were found.
        """
        given, (query, request) = self._sources(targets, "targets"), self._asked("nearest", None, options)
        with naming("count"):
            if not 1 <= int(count) <= 64:
                raise ValueError(f"{count} is not in 1..64")
        status = np.empty(len(given), np.int32)
        request |= {"target": given, "nearest_count": int(count)}
        core = self._core.prepare(query.core, request, status)
        self._found(status, given, "targets", query.strict)
        return Nearest(core, self, query, given, status, int(count), options)
