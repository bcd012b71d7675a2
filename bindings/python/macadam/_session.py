"""The part that all questions to an engine share: the engine itself, options, places that fail."""

from __future__ import annotations

import datetime
import inspect
import pickle
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from . import _core
from ._arguments import CallOptions, array_of, flag, naming, path_of
from ._clock import clock_of
from ._errors import InvalidError, complain
from ._options import ALL, OPTIONS, REFUSED
from ._places import places
from ._progress import Progress, function_of
from ._roads import CONDITIONS
from .tables import Info, PlaceStatus

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack as Unpack
else:
    Unpack = None

F = TypeVar("F", bound=Callable[..., Any])
WEIGHT_MAX = 0x7FFFFFFE

FOUND = (PlaceStatus.OK, PlaceStatus.MOVED, PlaceStatus.CUT_OFF)


class Query(NamedTuple):
    """A query for the library, what it reports and of which type, whether failures raise, and the axes of times."""

    core: Any
    names: dict[str, Any]
    strict: bool
    depart: tuple[int, ...]  # the axes of times in an answer
    arrive_by: tuple[int, ...]


S = TypeVar("S", bound="Engine")


CALL = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=it) for name, it in (("progress", None), ("strict", False))]


def question(name: str) -> Callable[[F], F]:
    """Writes the options of a question into the signature and the parameters of its method, which takes them by name."""

    def describe(method: F) -> F:
        own, signature = OPTIONS[name].values(), inspect.signature(method)
        first = list(signature.parameters.values())[:-1]
        parameters = [*first, *(it.parameter() for it in own), *CALL]
        method.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        if method.__doc__ and "**options\n" in method.__doc__:
            told = "\n".join(str(it) for it in own if it.part == "request")
            method.__doc__ = inspect.cleandoc(method.__doc__).replace("**options", told or "**options")
        return method

    return describe


class Engine:
    """An opened edge file, without its questions. Other files define the rest of the class in parts of the same name, which
    errors show."""

    def __init__(self, core: Any, reopen: tuple[Any, ...] | None) -> None:
        self._core, self._reopen, self._updated = core, reopen, False
        self._memory: NDArray[np.uint8] | None = None
        self._queries: dict[Any, Query] = {}
        info = self.info
        self._units = dict(zip(info.quantity, info.unit))
        self._metrics, self._bbox = info.metric, info.bbox
        self._signed = {name for name, it in zip(info.quantity, info.is_signed) if it}

    # ---- the engine ----

    @property
    def info(self) -> Info:
        """The contents of the file, and which device answers."""
        it = self._core.info()
        more: dict[str, Any] = {"is_signed": it.is_signed.tolist()}
        more["bbox"] = (it.west, it.south, it.east, it.north) if it.has_coordinates else None
        return Info(**{name: more[name] if name in more else getattr(it, name) for name in Info._fields})

    @property
    def ids(self) -> NDArray[np.int64]:
        """All ids of nodes, ascending: int64, a view of the file. Trees and all pairs are in this order."""
        return self._core.ids(False)

    @property
    def node_ids(self) -> NDArray[np.int64]:
        """The id of each node inside the file: int64, a view of the file."""
        return self._core.ids(True)

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return bool(self._core.closed)

    def close(self) -> None:
        """Closes the engine. Calls that other threads still make end first."""
        self._core.close()

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<macadam.Engine: closed>"
        it = self.info
        name = f"{it.source}, {it.profile}" if it.profile else it.source
        return f"<macadam.Engine: {name}, {it.id_count} nodes, {it.arc_count} arcs, metrics {', '.join(it.metric)}, on {it.device}>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self._reopen is None:
            raise pickle.PicklingError("an engine that was opened from memory has no path to be opened from again")
        if self._updated:
            raise pickle.PicklingError("the engine has new weights: save() it, and open the new file")
        return type(self)._reopened, self._reopen

    @classmethod
    def _reopened(cls: type[S], *options: Any) -> S:
        return cls(_core.Engine.open(*options), options)

    def of_profile(self: S, profile: str) -> S:
        """The engine of another profile of the same file, on the same device. Raises NotFoundError."""
        if not isinstance(profile, str):
            raise TypeError(f"profile: {type(profile).__name__} is not str")
        path, memory, options = self._reopen or (None, None, {})
        other = type(self)(self._core.of_profile(profile), path and (path, memory, {**options, "profile": profile}))
        other._memory, other._updated = self._memory, self._updated
        return other

    def verify(self) -> None:
        """Checks every section of the file: its checksum and its contents. Raises FileFormatError."""
        self._core.verify()

    def trim(self) -> None:
        """Gives back the memory that is kept for later calls."""
        self._core.trim()

    def save(self, path: Any, *, ready: bool = False) -> None:
        """Writes the map with its present weights to a new edge file; `ready`: with customized weights too."""
        self._core.save(path_of(path, "path"), flag(ready, "ready"))

    def call(self, request: bytes, part: Any = None) -> bytes:
        """Answers a serialized macadam.v1.Request with a serialized macadam.v1.Reply (proto/macadam/v1).

        `part` is a function that receives each Reply of a matrix or a tree as it is computed; False cancels.
        """
        if not isinstance(request, bytes):
            raise TypeError(f"request: {type(request).__name__} is not bytes")
        return bytes(self._core.call(request, part))

    # ---- what all queries share ----

    def _asked(
        self, question: str, quantities: Any, options: Mapping[str, Any], method: str | None = None
    ) -> tuple[Query, dict[str, Any]]:
        """The query and the request that the options of a question make; `method`: the name of the method, if another."""
        query: dict[str, Any] = {}
        request: dict[str, Any] = {}
        for name, value in options.items():
            option = OPTIONS[question].get(name)
            if option is None and name not in CallOptions.__annotations__:
                advice = f": use {REFUSED[name]}" if name in REFUSED else ""
                raise TypeError(f"{name}: there is no such argument of Engine.{method or question}{advice}")
            if option is None or option.part != "request":
                query[name] = value
            elif value is not None:
                request[option.member] = option.value(value)
        return self._query(quantities, **query), request

    def _query(self, quantities: Any = None, progress: Progress = None, **options: Any) -> Query:
        """A query by options of every question. Equal plain options share one query."""
        function = function_of(progress)
        key: Any = tuple(quantities) if isinstance(quantities, list) else quantities, *options.items()
        try:
            if function is None and key in self._queries:
                return self._queries[key]
        except TypeError:
            key = None  # an array or a list cannot be looked up; its error is reported below
        with naming("quantities"):
            names = () if quantities is None else (quantities,) if isinstance(quantities, str) else tuple(quantities)
            if not all(isinstance(name, str) for name in names):
                raise TypeError(f"{quantities!r} are not names")
            if len(names) > 2 or len(set(names)) < len(names):
                raise ValueError(f"{names} are not one or two different names")
        strict, conditions = flag(options.pop("strict", False), "strict"), dict[str, Any]()
        members: dict[str, Any] = {"quantity": list(names)}
        depart, arrive_by, offset = (options.pop(name, None) for name in ("depart", "arrive_by", "utc_offset"))
        members["clock"], axes = clock_of(depart, arrive_by, offset, options.pop("time_each", False))
        for name, value in options.items():
            option = ALL[name]
            if value is None:
                continue
            if option.part == "query":
                members[option.member] = option.value(value)
                continue
            with naming(name):
                conditions |= CONDITIONS[name](value) if name in CONDITIONS else {option.member: option.value(value)}
        members["conditions"] = conditions or None
        types = self._types(names or (options.get("metric") or self._metrics[0],))
        query = Query(_core.Query(members, function), types, strict, **axes)
        if function is None and not conditions and not members["clock"] and key is not None:
            self._queries[key] = query
        return query

    def _types(self, names: Any) -> dict[str, Any]:
        """The types of the costs of quantities."""
        return {name: np.int32 if name in self._signed else np.uint32 for name in names}

    def _ask(
        self, call: str, query: Query, request: dict[str, Any], given: dict[str, Any], *out: Any, after: Any = ()
    ) -> tuple[list[Any], bool]:
        """Makes a call that writes into `out` and statuses, and complains about the places that are `given`, if they have a name.

        Returns the statuses of each of them, and whether all were found.
        """
        counts = [len(it) for it in given.values()]
        status = np.empty(sum(counts), np.int32)
        self._core.ask(call, query.core, request, [*out, status, *after])
        parts = [status[sum(counts[:i]) : sum(counts[: i + 1])] for i in range(len(counts))]
        return parts, self._all_found(parts, given, query.strict)

    def _all_found(self, statuses: list[Any], given: dict[str, Any], strict: bool) -> bool:
        """Complains about places that were not found."""
        return all(
            [self._found(it, places, name, strict) for it, (name, places) in zip(statuses, given.items()) if name]
        )

    def _found(self, status: Any, given: Any, name: str, strict: bool) -> bool:
        if not status.any():
            return True
        failed = np.isin(status, FOUND[:2] if strict else FOUND, invert=True)
        count = int(np.count_nonzero(failed))
        if count == 0:
            return True
        kinds = ", ".join(
            f"{n} {_core.place_status_name(s)}" for s in PlaceStatus if (n := np.count_nonzero(status[failed] == s))
        )
        lost = "were not found" + " or are cut off" * bool((status[failed] == PlaceStatus.CUT_OFF).any())
        lost += " or cannot be reached" * bool((status == PlaceStatus.UNREACHED).any())
        message = f"{count} of {len(status)} {name} {lost}: {kinds} (the first is number {np.argmax(failed)})"
        complain(message + (self._advice(given) if count == len(status) else ""), strict)
        return False

    def _advice(self, given: Any) -> str:
        """The end of a message about places, none of which was found: that their order is wrong; else nothing."""
        points = given[given["kind"] == 1]
        if self._bbox is None or len(points) == 0:
            return ""
        west, south, east, north = self._bbox
        margin = 0.02  # degrees: some points of a map lie beyond its roads

        def inside(x: Any, y: Any) -> Any:
            across = (x >= west - margin) & (x <= east + margin)
            return across & (y >= south - margin) & (y <= north + margin)

        if inside(points["lon"], points["lat"]).any() or not inside(points["lat"], points["lon"]).all():
            return ""
        return ". They lie outside the map, but inside it with longitude and latitude swapped: a place is (lon, lat)"

    def _scale(self, metric: str | None) -> int:
        """How many of the metric's units are a second or a metre."""
        return int(_core.unit_scale(self._units.get(metric or self._metrics[0], "")))

    def _limits(self, values: Any, options: Any, name: str = "limits") -> list[int]:
        """Limits in the metric's own unit."""
        durations = (datetime.timedelta, np.timedelta64)
        metric = options.get("metric") or self._metrics[0]
        scale, out = self._scale(metric), []
        with naming(name):
            if isinstance(values, np.ma.MaskedArray):
                values = array_of(values, name, "iufm")
            for value in [values] if isinstance(values, (int, float, str, np.number, *durations)) else values:
                if isinstance(value, durations):
                    if self._units.get(metric) != "ms":
                        raise ValueError(f"{value!r}, but the metric is not a duration")
                    value = np.timedelta64(value) / np.timedelta64(1, "s")
                if isinstance(value, (str, bytes)):
                    raise TypeError(f"{value!r} is not a number")
                number = float(value) * scale
                if not 0 <= number <= WEIGHT_MAX:
                    raise ValueError(f"{value!r} is not between 0 and {WEIGHT_MAX / scale}")
                out.append(round(number))
        return out

    def _one(self, value: Any, name: str) -> Any:
        given = places(value, name)
        if len(given) != 1:
            raise InvalidError(f"{name}: {len(given)} places, not one")
        return given

    def _sources(self, value: Any, name: str = "sources") -> Any:
        out = places(value, name)
        if len(out) == 0:
            raise InvalidError(f"{name}: there is no place")
        return out
