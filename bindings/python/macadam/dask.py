"""Matrices, routes and reach on a cluster of Dask: rectangles are computed and written by workers.

Every worker opens the map once. An output is a folder, or an address of fsspec such as ``s3://...``. Beside its data it
holds a manifest: one small file for each finished rectangle, with a checksum, written after the data. A run that was ended
goes on where it stopped when it is called again with the same arguments. A worker that dies loses only what it computes.
With one GPU for each worker (dask-cuda sets CUDA_VISIBLE_DEVICES) every worker uses its own.
"""

from __future__ import annotations

import hashlib
import json
import threading
import uuid
import zlib
from collections.abc import Iterable
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from . import _engine
from ._arguments import Quantities, array_of
from ._errors import InvalidError, complain
from ._places import places
from ._session import FOUND
from ._table import unreached
from .tiles import Rectangle, create_zarr, partition

_engines: dict[tuple[str, int], _engine.Engine] = {}
_lock = threading.Lock()


class Job(NamedTuple):
    """The data that the tasks of one call have in  common; small, because every task carries it."""

    kind: str
    map: str
    out: str
    fingerprint: str
    quantities: tuple[str, ...] | None
    limits: tuple[float, ...]
    options: dict[str, Any]


def matrix(
    client: Any, map: Any, sources: Any, targets: Any = None, *, out: str, chunk: tuple[int, int] = (4096, 4096),
    quantities: Quantities = None, **options: Any,
) -> list[dict[str, Any]]:  # fmt: skip
    """Computes a matrix on a cluster.

    Parameters
    ----------
    client : distributed.Client
    map : path or address
        The edge file, as workers see it. An address of fsspec is copied to each worker once.
    sources, targets : array
        Ids (integers) of shape (n,), or longitudes and latitudes (floats) of shape (n, 2).
    out : path or address
        ``.zarr``: a group with one array for each quantity. ``.parquet``: a folder with a file for each rectangle, of
        the columns source, target and the costs.
    chunk : tuple of int
        Rows and columns of a rectangle, which are the chunks of a Zarr array.
    quantities, **options
        As in Engine.matrix.

    Returns
    -------
    list of dict
        The manifest: for each rectangle row, rows, column, columns, crc, and the counts not_found and unreached.
    """
    if "order" in options:
        raise InvalidError("order: rectangles have the request's order")
    rows = _array(sources, "sources")
    columns = rows if targets is None else _array(targets, "targets")
    names = _names(map, quantities)
    job = _job("matrix", map, out, names, (), options, rows, columns, chunk)
    if out.endswith(".zarr"):
        engine = _open(job)
        create_zarr(out, engine._types(names or (engine.info.metric[0],)), (len(rows), len(columns)), chunk)
    return _run(client, job, partition(len(rows), len(columns), chunk), rows, columns)


def routes(
    client: Any, map: Any, sources: Any, targets: Any, *, out: str, chunk: int = 100_000, quantities: Quantities = None,
    **options: Any,
) -> list[dict[str, Any]]:  # fmt: skip
    """Computes many routes on a cluster: a folder ``.parquet`` with a file for every `chunk` routes; see matrix."""
    rows, columns = _array(sources, "sources"), _array(targets, "targets")
    if len(rows) != len(columns):
        raise InvalidError(f"targets: {len(columns)} places for {len(rows)} sources")
    job = _job("routes", map, out, _names(map, quantities), (), options, rows, columns, chunk)
    return _run(client, job, partition(len(rows), 1, (chunk, 1)), rows, columns)


def reach(
    client: Any, map: Any, sources: Any, limits: Iterable[float], *, out: str, chunk: int = 10_000, **options: Any
) -> list[dict[str, Any]]:
    """Computes what lies within limits on a cluster: a folder ``.parquet``; see matrix and Engine.reach."""
    rows = _array(sources, "sources")
    job = _job("reach", map, out, None, tuple(limits), options, rows, rows[:0], chunk)
    return _run(client, job, partition(len(rows), 1, (chunk, 1)), rows, rows[:0])


def _array(value: Any, name: str) -> Any:
    array = array_of(value, name)
    if len(places(array, name)) == 0:
        raise InvalidError(f"{name}: there is no place")
    return np.ascontiguousarray(array)


def _names(map: Any, quantities: Any) -> tuple[str, ...] | None:
    return None if quantities is None else (quantities,) if isinstance(quantities, str) else tuple(quantities)


def _job(
    kind: str, map: Any, out: str, names: Any, limits: Any, options: Any, rows: Any, columns: Any, chunk: Any
) -> Job:
    if not out.endswith(".parquet") and (kind != "matrix" or not out.endswith(".zarr")):
        raise InvalidError(f"out: {out} does not end with .parquet" + (" or .zarr" if kind == "matrix" else ""))
    files, path = _files(str(map))
    request = (kind, names, limits, sorted(options.items()), chunk, files.info(path)["size"])
    digest = hashlib.sha256(repr(request).encode())
    for array in (rows, columns):
        digest.update(str((array.dtype, array.shape)).encode())
        digest.update(array.data)
    return Job(kind, str(map), out, digest.hexdigest(), names, limits, options)


def _files(address: str) -> tuple[Any, str]:
    import fsspec

    files, path = fsspec.core.url_to_fs(address)
    return files, path


def _open(job: Job) -> _engine.Engine:
    """The engine of this process, opened once. It uses as many threads as the worker has."""
    with _lock:
        threads = _threads()
        if (job.map, threads) not in _engines:
            path = job.map
            if "://" in path:
                import fsspec

                path = fsspec.open_local(f"simplecache::{path}")
            _engines[job.map, threads] = _engine.open(path, threads=threads)
        return _engines[job.map, threads]


def _threads() -> int:
    try:
        from distributed import get_worker

        return int(get_worker().state.nthreads)
    except (ImportError, ValueError, AttributeError):
        return 0


def _entry(job: Job, it: Rectangle) -> str:
    return f"{job.out.rstrip('/')}/.manifest/{it.row}-{it.column}.json"


def _write(address: str, data: bytes) -> None:
    """Writes a file atomically: it is there with all its bytes, or not at all."""
    files, path = _files(address)
    files.makedirs(path.rsplit("/", 1)[0], exist_ok=True)
    unfinished = f"{path}.{uuid.uuid4().hex}"
    files.pipe_file(unfinished, data)
    files.mv(unfinished, path)


def compute(job: Job, it: Rectangle, sources: Any, targets: Any) -> dict[str, Any]:
    """Computes one rectangle of `sources` and `targets` and writes it: the task of a worker."""
    import warnings

    engine = _open(job)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table, values, failed = _answer(engine, job, it, sources, targets)
    crc = 0
    for array in values.values():
        crc = zlib.crc32(np.ascontiguousarray(array).data, crc)
    if job.out.endswith(".zarr"):
        import zarr

        group = zarr.open_group(job.out, mode="r+")
        for name, array in values.items():
            group[name][it.row : it.row + it.rows, it.column : it.column + it.columns] = array
    else:
        import pyarrow
        import pyarrow.parquet

        buffer = pyarrow.BufferOutputStream()
        pyarrow.parquet.write_table(pyarrow.table(table), buffer)
        _write(f"{job.out.rstrip('/')}/part-{it.row:012}-{it.column:012}.parquet", buffer.getvalue().to_pybytes())
    first = next(iter(values.values()))
    missing = int(np.count_nonzero(unreached(first)))
    entry = {**it._asdict(), "crc": crc, "not_found": failed, "unreached": missing, "fingerprint": job.fingerprint}
    _write(_entry(job, it), json.dumps(entry).encode())
    return entry


def _answer(
    engine: _engine.Engine, job: Job, it: Rectangle, sources: Any, targets: Any
) -> tuple[Any, dict[str, Any], int]:
    """The table of one rectangle, its costs, and how many of its places were not found."""
    if job.kind == "matrix":
        answer = engine.matrix(sources, targets, quantities=job.quantities, **job.options)
        values = dict(zip(answer.quantities, answer.values))
        status = np.concatenate(answer.status)
        table = None if job.out.endswith(".zarr") else answer.table(it.row, it.column)
    elif job.kind == "routes":
        table = engine.routes(sources, targets, quantities=job.quantities, **job.options)
        status = np.concatenate([table.source_status, table.target_status])
        values = {name: table[name] for name in table.column_names if name in engine.info.quantity}
    else:
        table = engine.reach(sources, job.limits, **job.options)
        status, values = table.status, {"eccentricity": table.eccentricity, "nodes": table.nodes}
    return table, values, int(np.count_nonzero(np.isin(status, FOUND, invert=True)))


def _finished(job: Job) -> dict[tuple[int, int], dict[str, Any]]:
    files, path = _files(f"{job.out.rstrip('/')}/.manifest")
    out = {}
    for data in files.cat(path + "/*.json").values() if files.exists(path) and files.ls(path) else ():
        entry = json.loads(data)
        if entry["fingerprint"] != job.fingerprint:
            raise InvalidError(f"out: {job.out} holds the answers to another request")
        out[entry["row"], entry["column"]] = entry
    return out


def _run(client: Any, job: Job, parts: list[Rectangle], sources: Any, targets: Any) -> list[dict[str, Any]]:
    from distributed import as_completed

    entries = _finished(job)
    left = [it for it in parts if (it.row, it.column) not in entries]
    todo = iter(left)

    def submit(it: Rectangle) -> Any:
        rows = sources[it.row : it.row + it.rows]
        # The data that a task needs travels with it: the scheduler can give it to another worker if one dies.
        columns = (
            targets[it.row : it.row + it.rows] if job.kind == "routes" else targets[it.column : it.column + it.columns]
        )
        return client.submit(compute, job, it, rows, columns, pure=False)

    window = 4 * max(1, sum(client.nthreads().values()))
    pending = as_completed([submit(it) for it in islice(todo, window)], with_results=True)
    try:
        for _, entry in pending:
            entries[entry["row"], entry["column"]] = entry
            for it in islice(todo, 1):
                pending.add(submit(it))
    finally:
        client.cancel(list(pending.futures))  # what an error or an interrupt has left
    manifest = [entries[it.row, it.column] for it in parts]
    failed, missing = (sum(entry[key] for entry in manifest) for key in ("not_found", "unreached"))
    if failed or missing:
        complain(f"places not found, counted in every rectangle: {failed}; cells without a path: {missing}", False)
    return manifest
