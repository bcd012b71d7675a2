"""Imports: source data becomes an edge file."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arguments import array_of, flag, integers, known, naming, path_of, pattern_table
from ._errors import InvalidError
from ._progress import Progress, function_of

if TYPE_CHECKING:
    from typing_extensions import TypedDict, Unpack

    class ImportOptions(TypedDict, total=False):
        order: Any
        heights: Any
        vehicle: Any
        report_file: Any
        speeds: Any
        hierarchy: bool
        ready: bool
        node_ids: bool
        resume: bool
        threads: int
        memory_limit: int
        progress: Progress


def _run(call: Any, arguments: Any, **options: Any) -> list[str]:
    """Runs an import in a thread of its own, so that Ctrl-C ends the call immediately, whatever the import is doing."""
    stopped, function = threading.Event(), function_of(options.pop("progress", None))
    state: dict[str, Any] = {}
    hierarchy = flag(options.pop("hierarchy", True), "hierarchy")
    files = ("output", "order", "heights", "vehicle", "report_file")
    known(options, *files, "speeds", "ready", "node_ids", "resume", "threads", "memory_limit")
    options |= {"no_hierarchy": not hierarchy, **{name: _path(options.get(name), name) for name in files}}

    def step(phase: str, done: int, total: int) -> Any:
        return False if stopped.is_set() else function is None or function(phase, done, total)

    def work() -> None:
        try:
            state["report"] = call(options, step, *arguments)
        except BaseException as error:
            state["error"] = error

    thread = threading.Thread(target=work, name="macadam import", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.05)
    except BaseException:
        stopped.set()
        thread.join(0.1)
        raise
    if "error" in state:
        raise state["error"]
    report: list[str] = state["report"]
    return report


def _path(value: Any, name: str) -> str | None:
    return None if value is None else path_of(value, name)


def import_osm(source: Any, output: Any, *, profile: Any = "car", **options: Unpack[ImportOptions]) -> list[str]:
    """Imports OpenStreetMap data.

    Parameters
    ----------
    source : path or sequence of paths
        A file .osm.pbf, .o5m, .osm, .osc, .osh or .opl (these four also with .gz or .bz2), "-" for standard input; or
        several, which become one map: of objects that come more than once, the newest version counts.
    output : path
        The edge file to write. A file there is replaced only when the new one is complete.
    profile : str or path, or sequence of them
        "car", "bike", "foot", "truck" or another built-in one, or the path of a profile. Several share one file:
        `macadam.open(..., profile=...)`.
    order : path, optional
        A file with the elimination order of the preprocessing: all node ids, one per line.
    heights : path, optional
        A folder of SRTM tiles (N45E009.hgt, .hgt.gz or .zip; the wheels read no GeoTIFF). Routes then have heights,
        "ascent" and "descent" are quantities, and people on foot or by bicycle are slower uphill. Only for import_osm.
    vehicle : path, optional
        A file that describes an electric vehicle (docs/profiles.md): "energy" (mWh) is then a quantity, which may be
        negative. Needs `heights`. The measures of a vehicle are the argument `vehicle` of each query.
    report_file : path, optional
        A JSON file to write, with the ids of all objects that were skipped or mended. Only for import_osm.
    speeds : list of texts, optional
        Files with speeds over the week (docs/speeds.md): the path of a CSV, "osrm:WHEN=PATH", "factors:TABLE=PATH" or
        "valhalla:PATH". Only for import_osm.
    hierarchy : bool
        False for graphs that are not road networks: no preprocessing.
    ready : bool
        Store the hierarchy and customized weights too, ready to be mapped by many processes; a larger file.
    node_ids : bool
        Keep the ids of the nodes between junctions too, for the segments of routes; a larger file.
    resume : bool
        Keep checkpoints beside the output until it is complete, and go on from the last one if the same import was stopped, or
        its process killed. Not for import_arrays.
    threads : int
        0 = one per processor.
    memory_limit : int
        The most bytes of this process that are resident during the import, on Linux; large arrays are then in temporary files beside
        the output. 0 = about 256 MiB of arrays, which it may exceed.
    progress : callable or bool, optional
        A function (phase, done, total); it returns False to cancel. True: a bar of tqdm.

    Returns
    -------
    list of str
        What the importer used, skipped and mended.

    Raises
    ------
    FileNotFoundError, FileFormatError, InvalidError, MemoryError
    """
    sources = [source] if isinstance(source, (str, bytes, os.PathLike)) else source
    with naming("profile"):
        profiles = [profile] if isinstance(profile, (str, bytes, os.PathLike)) else list(profile)
    names = [path_of(one, "profile") for one in profiles]
    if not names:
        raise InvalidError("profile: none is given")
    return _run(_core.import_osm, ([path_of(path, "source") for path in sources], names), output=output, **options)


def import_dimacs(
    weights: Mapping[str, Any], output: Any, *, coordinates: Any = None, **options: Unpack[ImportOptions]
) -> list[str]:
    """Imports DIMACS files, .gr or .gr.gz.

    Parameters
    ----------
    weights : mapping of str to path
        One file for each quantity, all over the same arcs in the same order. The first is the default metric.
    output : path
        The edge file to write.
    coordinates : path, optional
        A file .co or .co.gz.
    **options
        As in import_osm.
    """
    paths = [path_of(path, f"weights[{name!r}]") for name, path in weights.items()]
    files = {"quantity": list(weights), "weight": paths, "coordinates": _path(coordinates, "coordinates")}
    return _run(_core.import_dimacs, (files,), output=output, **options)


def import_arrays(
    tail: Any, head: Any, weights: Mapping[str, Any], output: Any, *, ids: Any = None, node_count: int | None = None,
    lonlat: Any = None, units: Mapping[str, str] | None = None, potentials: Mapping[str, Any] | None = None,
    arc_patterns: Any = None, patterns: Any = None, **options: Unpack[ImportOptions],
) -> list[str]:  # fmt: skip
    """Imports a graph from arrays. Arc i has the number i + 1.

    Parameters
    ----------
    tail, head : array of int, shape (arcs,)
        Where each arc begins and ends: positions of nodes, from 0.
    weights : mapping of str to array of int, shape (arcs,)
        One weight per arc for each quantity; the first is the default metric. "duration" is in milliseconds and
        "distance" in centimetres, unless `units` says otherwise.
    output : path
        The edge file to write.
    ids : array of int64, optional
        One distinct id per node; else node i has the id i.
    node_count : int, optional
        If neither `ids` nor `lonlat` is given; by default the number of nodes that the arcs name.
    lonlat : array of float64, shape (nodes, 2), optional
        Longitudes and latitudes in degrees.
    units : mapping of str to str, optional
        The units of the quantities.
    potentials : mapping of str to array of int32, shape (nodes,), optional
        For quantities that may be negative. No weight may be less than the potential of its head less that of its tail.
    arc_patterns : array of int, shape (arcs,), optional
        The pattern of speed of each arc: a row of `patterns`, plus 1; 0: its speed never changes. Weights of the first
        quantity hold at the fastest speed of the week.
    patterns : array of int, shape (patterns, 672 or 2016), optional
        The speeds in each slot of the week, Monday 00:00 first, in 255ths of the fastest; each row has a 255. Twice as
        many slots: a second week, of public holidays, follows.
    **options
        As in import_osm.
    """
    tails = integers(tail, "tail", np.uint32, floats=False)
    heads = integers(head, "head", np.uint32, tails.shape, floats=False)
    if tails.ndim != 1:
        raise InvalidError(f"tail: the shape is {tails.shape}, not (arcs,)")
    keys = None if ids is None else integers(ids, "ids", np.int64, floats=False)
    points = None if lonlat is None else array_of(lonlat, "lonlat").astype(np.float64)
    if points is not None and (points.ndim != 2 or points.shape[1] != 2 or not np.all(np.isfinite(points))):
        raise InvalidError(f"lonlat: the shape is {points.shape}, not (nodes, 2), or a value is not finite")
    if node_count is None:
        known = keys if keys is not None else points
        node_count = len(known) if known is not None else 1 + int(max(tails.max(), heads.max())) if len(tails) else 0
        if known is None and node_count > 1_000_000 + 100 * len(tails):
            raise InvalidError(f"tail, head: {len(tails)} arcs, but a node {node_count - 1}; give node_count if this is meant")
    for name, array in (("ids", keys), ("lonlat", points)):
        if array is not None and len(array) != node_count:
            raise InvalidError(f"{name}: {len(array)} entries for {node_count} nodes")
    if points is not None and np.any(np.abs(points) > 180):
        raise InvalidError("lonlat: a coordinate is not in -180..180 degrees")
    lon, lat = (None, None) if points is None else np.ascontiguousarray(np.rint(points.T * 1e7), np.int32)
    rises = {name: integers(it, f"potentials[{name!r}]", np.int32, (node_count,)) for name, it in (potentials or {}).items()}
    if not rises.keys() <= weights.keys():
        raise InvalidError(f"potentials: {sorted(rises.keys() - weights.keys())} have no weights")
    arrays = [
        integers(it, f"weights[{name!r}]", np.int32 if name in rises else np.uint32, tails.shape)
        for name, it in weights.items()
    ]
    unit = {"duration": "ms", "distance": "cm", **(units or {})}
    pattern = None if arc_patterns is None else integers(arc_patterns, "arc_patterns", np.uint16, tails.shape, floats=False)

    graph = {
        "node_count": node_count, "id": keys, "lon_e7": lon, "lat_e7": lat, "tail": tails, "head": heads, "arc_count": len(tails),
        "arc_pattern": pattern, **({} if pattern is None and patterns is None else pattern_table(patterns)),
        "quantity": list(weights), "unit": [unit.get(name, "") for name in weights], "weight": arrays, "potential": [rises.get(name) for name in weights] if rises else None,
    }  # fmt: skip
    return _run(_core.import_arrays, (graph,), output=output, **options)


def from_scipy(graph: Any, output: Any, *, quantity: str = "distance", **options: Any) -> list[str]:
    """Imports a sparse matrix of SciPy: entry (i, j) is the weight of the arc from node i to node j.

    Explicit zeros are arcs of weight 0. `options` are those of import_arrays.
    """
    matrix = graph.tocoo()
    if matrix.shape[0] != matrix.shape[1]:
        raise InvalidError(f"graph: the shape is {matrix.shape}, not square")
    options.setdefault("node_count", matrix.shape[0])
    return import_arrays(matrix.row, matrix.col, {quantity: matrix.data}, output, **options)


def from_networkx(
    graph: Any, output: Any, *, weights: Mapping[str, str] | Sequence[str] = ("distance",), scale: float = 1,
    **options: Any,
) -> list[str]:  # fmt: skip
    """Imports a graph of networkx, such as osmnx makes. An undirected edge becomes two arcs.

    Parameters
    ----------
    graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        Node attributes ``x`` and ``y`` are longitudes and latitudes. Nodes that are integers keep them as ids.
    output : path
        The edge file to write.
    weights : mapping of str to str, or sequence of str
        Quantity -> edge attribute; or names that are both.
    scale : float
        What the attributes are multiplied with: 100 makes centimetres of osmnx's metres. Weights are rounded.
    **options
        As in import_arrays.
    """
    attributes = dict(weights) if isinstance(weights, Mapping) else {name: name for name in weights}
    nodes = list(graph.nodes)
    position = {node: i for i, node in enumerate(nodes)}
    if nodes and all(isinstance(node, (int, np.integer)) for node in nodes):
        options.setdefault("ids", np.asarray(nodes))
    if nodes and all("x" in data and "y" in data for _, data in graph.nodes(data=True)):
        options.setdefault("lonlat", [(data["x"], data["y"]) for _, data in graph.nodes(data=True)])
    edges = list(graph.edges(data=True))
    try:
        columns = {
            q: np.rint(scale * array_of([e[2][a] for e in edges], f"weights[{q!r}]")) for q, a in attributes.items()
        }
    except KeyError as error:
        raise InvalidError(f"weights: an edge has no attribute {error}") from None
    ends = np.array([(position[e[0]], position[e[1]]) for e in edges], dtype=np.int64).reshape(-1, 2)
    if not graph.is_directed():
        ends = np.concatenate([ends, ends[:, ::-1]])
        columns = {name: np.concatenate([it, it]) for name, it in columns.items()}
    options.setdefault("node_count", len(nodes))
    return import_arrays(ends[:, 0], ends[:, 1], columns, output, **options)
