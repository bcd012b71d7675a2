#!/usr/bin/env python3
"""The cost of Python beside C, as a table of Markdown: figures.py MAP.osm.pbf [own|dask]

The C calls are made with ctypes in the same process, in turn with ours, and the best of each is taken. Both write into
new memory. Answers are compared before a time is printed. MACADAM_CPU=1 takes processor time, for a machine that is
busy.
"""

from __future__ import annotations

import ctypes
import glob
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import macadam
import numpy as np

PLACE = np.dtype(
    [
        ("kind", "i4"), ("", "i4"), ("id", "i8"), ("lon", "f8"), ("lat", "f8"), ("heading", "f8"),
        ("tolerance", "f8"), ("side", "i4"), ("radius", "f4"), ("reserved", "u4", 2),
    ]
)  # fmt: skip
SNAP = np.dtype(
    [
        ("status", "i4"), ("", "i4"), ("id", "i8"), ("lon", "f8"), ("lat", "f8"), ("distance", "f8"),
        ("arc", "u8"), ("way", "i8"), ("name", "u8"), ("reserved", "u8", 4),
    ]
)  # fmt: skip


class Query(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("metric", ctypes.c_char_p),
        ("quantity", ctypes.POINTER(ctypes.c_char_p)),
        ("quantity_count", ctypes.c_size_t),
        ("snap_radius_m", ctypes.c_double),
        ("memory_limit", ctypes.c_uint64),
        ("progress", ctypes.c_void_p),
        ("progress_context", ctypes.c_void_p),
        ("snap_any_component", ctypes.c_bool),
    ]


class MatrixRequest(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("source", ctypes.c_void_p),
        ("target", ctypes.c_void_p),
        ("source_count", ctypes.c_size_t),
        ("target_count", ctypes.c_size_t),
    ]


class RouteRequest(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("waypoint", ctypes.c_void_p),
        ("waypoint_count", ctypes.c_size_t),
        ("steps", ctypes.c_bool),
    ]


class C:
    """The library as a program in C calls it."""

    def __init__(self, path: str) -> None:
        (name,) = glob.glob(os.path.dirname(macadam.__file__) + "/libmacadam_import.so*")
        self.library = ctypes.CDLL(name)
        self.engine = ctypes.c_void_p()
        assert self.library.macadam_engine_open(ctypes.byref(self.engine), path.encode(), None, None) == 0

    def query(self, *quantities: str) -> Query:
        self.names = (ctypes.c_char_p * 2)(*(it.encode() for it in quantities))
        return Query(ctypes.sizeof(Query), None, self.names, len(quantities))

    def matrix(self, places: Any, *quantities: str) -> list[Any]:
        out = [np.empty((len(places), len(places)), np.uint32) for _ in quantities]
        request = MatrixRequest(40, places.ctypes.data, places.ctypes.data, len(places), len(places))
        values = (ctypes.c_void_p * 2)(*(it.ctypes.data for it in out))
        query = ctypes.byref(self.query(*quantities))
        call = self.library.macadam_matrix_find_into
        assert call(values, None, self.engine, query, ctypes.byref(request), None) == 0
        return out

    def snap(self, places: Any) -> Any:
        out = np.empty(len(places), SNAP)
        call, count = self.library.macadam_snap_find, ctypes.c_size_t(len(places))
        query, data = ctypes.byref(self.query()), ctypes.c_void_p(places.ctypes.data)
        assert call(ctypes.c_void_p(out.ctypes.data), self.engine, query, data, count, None) == 0
        return out

    def route(self, places: Any) -> Callable[[], None]:
        """Two calls of C whose arguments are ready, so that ctypes adds half a microsecond."""
        route, request = ctypes.c_void_p(), RouteRequest(32, places.ctypes.data, len(places), False)
        query, find, free = self.query(), self.library.macadam_route_find, self.library.macadam_route_free
        find.argtypes, free.argtypes = [ctypes.c_void_p] * 5, [ctypes.c_void_p]
        arguments = ctypes.byref(route), self.engine, ctypes.byref(query), ctypes.byref(request), None

        def call() -> None:
            find(*arguments)
            free(route)

        return call


def c_places(value: Any) -> Any:
    out = np.zeros(len(value), PLACE)
    if value.ndim == 1:
        out["id"] = value
    else:
        out["kind"], out["lon"], out["lat"] = 1, value[:, 0], value[:, 1]
    return out


def best_of(rounds: int, *calls: Callable[[], Any]) -> list[float]:
    """The best time of each call, in seconds; they are made in turn."""
    clock = time.process_time if os.environ.get("MACADAM_CPU") else time.perf_counter
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            start = clock()
            call()
            best[i] = min(best[i], clock() - start)
    return best


def row(what: str, ours: str, other: str, ratio: str, asked: str) -> None:
    print(f"| {what} | {ours} | {other} | {ratio} | {asked} |", flush=True)


def beside_c(path: str) -> None:
    rng = np.random.default_rng(1)
    with macadam.open(path) as m:
        c, ids = C(path), rng.choice(m.ids, 4000)
        points = np.stack([m.snap(m.ids).lon, m.snap(m.ids).lat], axis=1)
        points = points[rng.integers(0, len(points), 1_000_000)] + rng.normal(0, 1e-4, (1_000_000, 2))
        both = ("duration", "distance")

        def compare(what: str, places: Any, *quantities: str) -> None:
            given = c_places(places)
            matrix = m.matrix(places, quantities=quantities)
            assert all(np.array_equal(a, b) for a, b in zip(matrix.values, c.matrix(given, *quantities)))
            a, b = best_of(7, lambda: m.matrix(places, quantities=quantities), lambda: c.matrix(given, *quantities))
            row(what, f"{1000 * a:.0f} ms", f"{1000 * b:.0f} ms", f"{a / b:.3f}", "1.05")

        compare("4000 x 4000 ids, one quantity", ids, "duration")
        compare("4000 x 4000 points, two quantities", points[:4000], *both)
        given = c_places(points)
        a, b = best_of(2, lambda: m.snap(points), lambda: c.snap(given))
        assert np.array_equal(m.snap(points).arc, c.snap(given)["arc"])
        row("snap of a million points", f"{a:.2f} s", f"{b:.2f} s", f"{a / b:.3f}", "1.1")
        pair = [tuple(it) for it in points[:2].tolist()]
        given = c_places(points[:2])
        a, b = best_of(3000, lambda: m.route(pair), c.route(given))
        row("a route", f"{1e6 * a:.1f} us", f"{1e6 * b:.1f} us", f"+{1e6 * (a - b):.1f} us", "15 us")


PEAK = """
import sys, macadam, numpy as np
def memory(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name)) * 1024
with macadam.open(sys.argv[1]) as m:
    ids = np.random.default_rng(1).choice(m.ids, 10000)
    m.matrix(ids[:64])
    before = memory("VmRSS")
    matrix = m.matrix(ids)
    print(memory("VmHWM") - before, matrix.duration.nbytes, memory("VmHWM"))
"""
IMPORT = "import time, numpy; a = time.process_time(); import macadam; print(time.process_time() - a)"


def in_new_processes(path: str) -> None:
    def run(code: str) -> list[float]:
        return [float(it) for it in subprocess.check_output([sys.executable, "-c", code, path], text=True).split()]

    peak, answer, whole = run(PEAK)
    row("memory of a 10,000 x 10,000 matrix", f"{peak / 1e6:.0f} MB more (in all {whole / 1e6:.0f})",
        f"{answer / 1e6:.0f} MB", f"{peak / answer:.3f}", "1.1")  # fmt: skip
    row("import macadam, after NumPy", f"{1000 * min(run(IMPORT)[0] for _ in range(7)):.0f} ms", "", "", "60 ms")


def on_a_cluster(path: str, count: int = 20_000, rounds: int = 3) -> None:
    from distributed import Client, LocalCluster
    from macadam import dask

    with tempfile.TemporaryDirectory() as folder, macadam.open(path, threads=2) as m:
        ids = np.random.default_rng(1).choice(m.ids, count)
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):
            dask.matrix(client, path, ids[:2000], out=f"{folder}/first.zarr", chunk=(1000, 1000))  # opens the engines
            m.matrix(ids[:2000])

            def fresh(name: str) -> str:
                shutil.rmtree(f"{folder}/{name}.zarr", ignore_errors=True)
                return f"{folder}/{name}.zarr"

            a, b = best_of(
                rounds,
                lambda: dask.matrix(client, path, ids, out=fresh("cluster")),
                lambda: m.matrix_to(fresh("one"), ids, chunk=(4096, 4096)),
            )
        import zarr

        one, two = (zarr.open_group(f"{folder}/{it}.zarr", mode="r")["duration"] for it in ("one", "cluster"))
        assert all(np.array_equal(one[i : i + 2000], two[i : i + 2000]) for i in range(0, count, 2000))  # type: ignore
    row(f"{count} x {count} into Zarr: two workers of one thread, one process of two",
        f"{a:.1f} s", f"{b:.1f} s", f"{a / b:.3f}", "1.15")  # fmt: skip


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    which = sys.argv[2] if len(sys.argv) > 2 else ""
    warnings.simplefilter("ignore")
    map_path = tempfile.mkdtemp() + "/map.mcd"
    macadam.import_osm(sys.argv[1], map_path)
    print("| what | Python | C, or one process | ratio | asked |\n|---|---|---|---|---|")
    if which != "dask":
        beside_c(map_path)
        in_new_processes(map_path)
    if which != "own":
        on_a_cluster(map_path)
