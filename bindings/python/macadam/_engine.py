"""An engine: an opened edge file, and all questions to it."""

from __future__ import annotations

import inspect
import os
from typing import Any

import numpy as np

from . import _core
from ._access import Engine as Accesses
from ._arguments import flag, integers, naming, path_of, pattern_table
from ._area import Engine as Areas
from ._errors import InvalidError
from ._matrix import Engine as Matrices
from ._places import names_in, places
from ._progress import Progress
from ._route import Engine as Routes
from ._options import ALL, ConnectOptions, SnapOptions
from ._session import Unpack, question
from ._table import SIGNED_UNREACHED, UNREACHED
from ._trace import Engine as Traces
from ._tree import Engine as Trees
from .tables import Snaps
from .tiles import Engine as Tiles


class Engine(Matrices, Trees, Accesses, Routes, Traces, Areas, Tiles):
    """An opened edge file. Any number of threads may use it concurrently.

    Keyword arguments that all queries take:

    **options
    progress : callable or bool
        A function (phase, done, total); it returns False to cancel. True: a bar of tqdm. Default: a bar if the call
        takes more than a second and standard error is a terminal or a notebook.
    strict : bool
        Whether places that are not found, or have no path, raise PlaceError instead of a PlaceWarning. Places on roads
        that are cut off raise it as well; those that were moved do not. A cell that a `fallback_speed` fills
        has a path.

    The names of `avoid` are those of RoadFlag: ``["toll", "ferry"]``. `avoid_areas` is an array of shape (n, 2), GeoJSON,
    shapely, GeoPandas, or a list of these. `road_costs` is a dict such as ``{"track": 2, "motorway": 0.9}``, and `vehicle`
    one such as ``{"height_m": 3.8, "weight_t": 18}``: measures that signs limit (`vehicle` of import_osm is the file of an
    electric vehicle). `slot` is a text such as "Mo08:15".

    The first query with new conditions (`avoid`, `avoid_areas`, `road_costs`, `vehicle`, `slot`) takes as long as
    an update; see warm.
    Limits are seconds for durations (or a timedelta), metres for distances, watt hours for energies, and the quantity's
    own unit otherwise.
    Results are the library's integers: milliseconds and centimetres.
    """

    @question("snap")
    def snap(self, where: Any, **options: Unpack[SnapOptions]) -> Snaps:
        """Moves places to the nearest road.

        Parameters
        ----------
        where : places
            See macadam.places.

        Returns
        -------
        Snaps
            A row for each place: status, lon, lat, distance_m, id (of the nearer node), arc, way, name, nearest_m (of a place that
            was moved: from it to its nearest road, which is cut off).
        """
        given, (query, _) = places(where, "where"), self._asked("snap", None, options)
        rows = self._core.room("macadam_snap", len(given))
        self._core.ask("snap", query.core, given, [rows.address, len(given)])
        out = Snaps(rows, index=names_in(where))
        self._found(out.status, given, "places", query.strict)
        return out

    @question("snap")
    def candidates(self, where: Any, count: int = 8, **options: Unpack[SnapOptions]) -> Snaps:
        """The positions that one place could mean, one on each of the nearest roads, nearest first: at most 32."""
        given = self._one(where, "where")
        with naming("count"):
            count = int(count)  # an array would be taken for memory
            if not 1 <= count <= 32:
                raise ValueError(f"{count} is not in 1..32")
        rows, found = self._core.room("macadam_snap", count), np.zeros(1, np.uint64)
        query, _ = self._asked("snap", None, options, "candidates")
        self._core.ask("candidates", query.core, given, [rows.address, found, count])
        return Snaps(rows.part(0, int(found[0])))

    @question("connect")
    def warm(self, **options: Unpack[ConnectOptions]) -> None:
        """Computes the weights for conditions before queries need them: warm(avoid="toll")."""
        self._core.warm(self._asked("connect", None, options, "warm")[0].core)

    def update(
        self, arcs: Any = None, *, tails: Any = None, heads: Any = None, ways: Any = None, directions: Any = None,
        turns: Any = None, closed: bool = False, all_profiles: bool = False, skip_unknown: bool = False,
        changed: Any = None, arc_patterns: Any = None, patterns: Any = None, progress: Progress = None, **weights: Any,
    ) -> int | None:  # fmt: skip
        """Gives arcs new weights. Queries that run finish on the weights they began with.

        Parameters
        ----------
        arcs : array of int
            The numbers of arcs; or name them in another way:
        tails, heads : array of int
            Ids of nodes: all arcs between them.
        ways : array of int
            OSM way ids: all arcs of each; with `tails` and `heads`: those on its shortest way between them.
        directions : array of int
            Of ways without ends: 1 = as the way is drawn, -1 = against it, 0 = both (default).
        turns : array of int, shape (n, 2) or (n, 3)
            Turns instead of arcs: the numbers of the arcs before and after, or the ids of the nodes before, at and after
            the junction. The weights are then what is paid for each turn before the arc.
        closed : bool
            Nobody may use these arcs.
        all_profiles : bool
            The update holds for all profiles of the file, except those that have no such arcs; not with `arcs`.
        skip_unknown : bool
            Arcs and turns that are not on the map are passed over.
        changed : array of uint32, optional
            Receives how many arcs each entry names; not with `turns`.
        arc_patterns, patterns : array of int, optional
            New patterns of speed of the arcs, as in import_arrays; not with `turns`.
        progress
            As in all queries.
        **weights : array of int, or int
            The new weight of each arc, by the name of the quantity: ``duration=...`` in milliseconds.
            ``macadam.UNREACHED`` closes an arc, ``macadam.IMPORTED`` brings its imported weight back; of a quantity that may
            be negative, ``macadam.SIGNED_UNREACHED`` and ``macadam.SIGNED_IMPORTED`` do. Prices before an arc (turns, signals, boarding) stay.

        Returns
        -------
        int or None
            With `skip_unknown`: how many arcs and turns were passed over.
        """
        named = {"arc": arcs, "tail": tails, "head": heads, "way": ways, "direction": directions}
        named = {name: it for name, it in named.items() if it is not None}
        if turns is not None:
            columns = integers(turns, "turns", np.int64, floats=False)
            names = {2: ("turn_from", "turn_to"), 3: ("turn_tail", "turn_via", "turn_head")}.get(columns.shape[-1])
            if named or columns.ndim != 2 or not names:
                raise InvalidError(f"turns: the shape is {columns.shape}, not (n, 2) or (n, 3), or there are arcs as well")
            named = {name: np.ascontiguousarray(column) for name, column in zip(names, columns.T)}
        elif ("arc" in named) + ("tail" in named or "way" in named) != 1 or ("tail" in named) != ("head" in named):
            raise InvalidError("arcs: name arcs by their numbers, by tails and heads, or by ways")
        if flag(closed, "closed"):
            first = next(iter(self._units))
            weights = {first: SIGNED_UNREACHED if first in self._signed else UNREACHED, **weights}
        if not weights and arc_patterns is None:
            raise InvalidError("weights: there are none; give them by the name of the quantity, such as duration=...")
        kinds = {"arc": np.uint64, "turn_from": np.uint64, "turn_to": np.uint64, "direction": np.int8}
        keys = {
            name: np.atleast_1d(integers(it, f"{name}s", kinds.get(name, np.int64), floats=False))
            for name, it in named.items()
        }
        shape = next(iter(keys.values())).shape
        if len(shape) != 1 or any(it.shape != shape for it in keys.values()):
            raise InvalidError(f"{' and '.join(named)}s: the shapes are {[it.shape for it in keys.values()]}")
        types = self._types(weights) if turns is None else dict.fromkeys(weights, np.uint32)
        values = [integers(it, name, types[name]) for name, it in weights.items()]
        values = [np.full(shape, it) if it.ndim == 0 else integers(it, name, types[name], shape) for name, it in zip(weights, values)]
        count, value = ("count", "value") if turns is None else ("turn_count", "turn_price")
        request = {**keys, count: shape[0], "quantity": list(weights), value: values}
        if arc_patterns is not None:
            if turns is not None:
                raise InvalidError("arc_patterns: not with turns")
            request |= {"pattern": integers(arc_patterns, "arc_patterns", np.uint16, shape, floats=False), **pattern_table(patterns)}
        request["all_profiles"] = flag(all_profiles, "all_profiles")
        unknown = np.zeros(1, np.uint64)
        if flag(skip_unknown, "skip_unknown"):
            request["unknown_count"] = unknown
        if changed is not None:
            if turns is not None or not isinstance(changed, np.ndarray) or changed.dtype != np.uint32 or changed.shape != shape:
                raise InvalidError(f"changed: not an array of uint32 of shape {shape}, or there are turns")
            if not changed.flags.carray:
                raise InvalidError("changed: the array is read-only, or not contiguous")
            request["changed"] = changed
        self._core.ask("update", self._query(None, progress=progress).core, request)
        self._updated = True
        return int(unknown[0]) if skip_unknown else None

    def update_speeds(self, speeds: Any, *, progress: Progress = None) -> None:
        """Gives the arcs of the engine's profile speeds over the week.

        Parameters
        ----------
        speeds : list of str
            Files, as the `speeds` of import_osm.
        progress
            As in all queries.
        """
        with naming("speeds"):
            files = [speeds] if isinstance(speeds, (str, bytes, os.PathLike)) else [os.fspath(it) for it in speeds]
        self._core.ask("update_speeds", self._query(None, progress=progress).core, {"speeds": files})
        self._updated = True


Engine.__doc__ = inspect.cleandoc(Engine.__doc__ or "").replace("**options", "\n".join(str(it) for it in ALL.values() if it.part != "request"))


def open(
    path: Any, *, device: str = "auto", threads: int = 0, memory_limit: int = 0, trust_file: bool = False,
    read_file: bool = False, profile: str | None = None,
) -> Engine:  # fmt: skip
    """Opens an edge file.

    Parameters
    ----------
    path : path, or bytes-like
        The file, or its contents in memory.
    device : {"auto", "cpu", "cuda", "cuda:N", "cuda:all"}
        The device that computes; `device` of matrix and tree says where their answers stay. "auto": each question goes
        where it is estimated to be answered first, the CPU or the first GPU, which is opened when that pays.
    threads : int
        The threads of one call; 0 = one per processor.
    memory_limit : int
        Bytes of scratch memory of all running calls; 0 = three quarters of the machine's memory.
    trust_file : bool
        Skip checksums and validation.
    read_file : bool
        Read the file into memory instead of mapping it.
    profile : str, optional
        Which of the file's profiles; the first if none is named.

    Raises
    ------
    FileNotFoundError, FileFormatError, NotFoundError, DeviceError, InvalidError, MemoryError
    """
    options: dict[str, Any] = {
        "device": device, "threads": threads, "memory_limit": memory_limit, "trust_file": trust_file,
        "read_file": read_file, "profile": profile,
    }  # fmt: skip
    if isinstance(path, (bytes, bytearray, memoryview, np.ndarray)):
        data = np.frombuffer(path, np.uint8)
        room = np.empty(len(data) + 64, np.uint8)
        aligned = room[-room.ctypes.data % 64 :][: len(data)]
        aligned[:] = data
        engine = Engine(_core.Engine.open("", aligned, {**options, "read_file": False}), None)
        engine._memory = aligned  # lives as long as the engine
        return engine
    name = path_of(path, "path")
    return Engine(_core.Engine.open(name, None, options), (os.path.abspath(name), None, options))
