"""Answers pickle and copy, and other libraries read them as tables."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import macadam
import numpy as np
import pytest

TRACE = [(10.0, 50.0), (10.001, 50.0), (10.002, 50.0005)]
BOTH = ("duration", "distance")
CALLS: dict[str, Callable[[macadam.Engine], Any]] = {
    "matrix": lambda m: m.matrix([11, 12], quantities=BOTH),
    "matrix_snap": lambda m: m.matrix([11, (10.0021, 49.9999)], snap=True),
    "matrix_device": lambda m: m.matrix([11, 12], device=True),
    "tile": lambda m: next(m.matrix_tiles([11, 12])),
    "tree": lambda m: m.tree([11, 12], parents=True),
    "hops": lambda m: m.hops(11, parents=True),
    "lanes": lambda m: m.tree([11] * 16, order="lanes"),
    "all_pairs": lambda m: m.all_pairs(quantities=BOTH),
    "snap": lambda m: m.snap([(10.0021, 49.9999), 11]),
    "nowhere": lambda m: m.snap([]),
    "candidates": lambda m: m.candidates((10.0021, 49.9999)),
    "arcs": lambda m: m.arcs(),
    "roads": lambda m: m.roads(),
    "reached": lambda m: m.reached(34, 20),
    "isochrone": lambda m: m.isochrone([34, 11], [10, 20]),
    "reach": lambda m: m.reach([11, 12], [10, 20], targets=[35, 23], nearest=2),
    "nearest": lambda m: m.nearest([35, 23], 2)([11, 12]),
    "route": lambda m: m.route([11, 23, 35], steps=True, segments=True, totals=True, quantities=BOTH),
    "alternatives": lambda m: m.route([11, 35], steps=True, alternatives=2, stretch=1, sharing=0.9, optimality=0.05),
    "no_route": lambda m: m.route([11, 999]),
    "routes": lambda m: m.routes([11, 12], [35, 34], paths=True),
    "match": lambda m: m.match(TRACE, steps=True),
    "trip": lambda m: m.trip([11, 23, 35], steps=True),
    "no_trip": lambda m: m.trip([11, 999]),
    "connect": lambda m: m.connect(11, 35),
}
PARTS = (
    "values", "shape", "parent", "next_hops", "source_status", "sources", "targets", "source", "stops", "points", "matchings", "arc",
    "routes", "route", "order", "cost", "found", "reason", "totals", "waypoints", "legs", "arcs", "coordinates", "segments", "alternatives",
    "limits", "width_m", "area_m2", "offsets", "ids", "hops", "duration",
)  # fmt: skip
GUIDANCE = ("steps", "intersections", "branches", "lanes")


def contents(value: Any) -> Any:
    """All that an answer contains, as objects that compare."""
    if isinstance(value, macadam.Table):
        out = {name: [np.asarray(it).tolist() for it in np.asarray(value[name])] for name in value.column_names}
        return {**out, "dtype": value.dtype}
    if isinstance(value, (list, tuple)):
        return [contents(it) for it in value]
    if isinstance(value, (np.ndarray, macadam.DeviceArray)):
        return str(value.dtype), np.asarray(value).tolist()
    if type(value).__module__ != "macadam":
        return value
    out = {name: contents(getattr(value, name, None)) for name in PARTS}
    if getattr(value, "_has_steps", False):
        out |= {name: contents(getattr(value, name)) for name in GUIDANCE} | {"texts": value.texts("de")}
    return repr(contents(value.table())), out


def same(one: Any, other: Any) -> bool:
    return repr(contents(one)) == repr(contents(other))  # nan is nan


@pytest.mark.filterwarnings("ignore::macadam.PlaceWarning")
@pytest.mark.parametrize("name", CALLS)
def test_answers_pickle_and_copy(town_path: Path, name: str) -> None:
    with macadam.open(town_path, device="cpu") as engine:
        answer, read = CALLS[name](engine), CALLS[name](engine)
        copies = [pickle.loads(pickle.dumps(answer, protocol)) for protocol in (2, pickle.HIGHEST_PROTOCOL)]
        copies += [copy.deepcopy(answer), copy.copy(answer)]
        contents(read)  # what an answer has computed of itself travels, too
        copies += [pickle.loads(pickle.dumps(read)), pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(read))))]
        assert all(type(it) is type(answer) and same(it, answer) for it in copies)


def test_a_copy_needs_no_engine(town_path: Path) -> None:
    with macadam.open(town_path, device="cpu") as engine:
        route = engine.route([11, 35], steps=True)
        data, expected = pickle.dumps(route), route.texts()
        nearest = pickle.dumps(engine.nearest([35, 23], 2))
        del route
    assert pickle.loads(data).texts() == expected
    assert pickle.loads(nearest)([11]).nearest_position.tolist() == [[1, 0]]


def test_damaged_copies_are_refused(town: macadam.Engine) -> None:
    name, count, offset, data = town.route([11, 35])._core.copy()
    rows = macadam._core.copied_rows
    assert rows(name, count, offset, data).found
    for bad in ((name, count, offset + 8, data), (name, 1 << 60, offset, data), (name, count, offset, data[:-8])):
        with pytest.raises(ValueError, match="the copy is damaged"):
            rows(*bad)
    with pytest.raises(pickle.UnpicklingError, match="an answer of macadam 0.0.1"):
        macadam._table._copied("0.0.1", name, count, offset, data)


def ask(engine: macadam.Engine, name: str) -> Any:
    return CALLS[name](engine)


WORKERS = ("matrix_snap", "snap", "arcs", "isochrone", "route", "match", "trip", "connect")


def test_processes_return_answers(town_path: Path) -> None:
    with macadam.open(town_path, threads=1) as engine:
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            answers = pool.starmap(ask, [(engine, name) for name in WORKERS])
        assert all(same(it, ask(engine, name)) for name, it in zip(WORKERS, answers))


def test_joblib_and_dask_return_answers(town_path: Path) -> None:
    joblib = pytest.importorskip("joblib")
    with macadam.open(town_path, threads=1) as engine:
        answers = joblib.Parallel(2)(joblib.delayed(ask)(engine, name) for name in WORKERS)
        assert all(same(it, ask(engine, name)) for name, it in zip(WORKERS, answers))
        distributed = pytest.importorskip("distributed")
        with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
            answers = client.gather([client.submit(ask, engine, name) for name in WORKERS])
        assert all(same(it, ask(engine, name)) for name, it in zip(WORKERS, answers))


@pytest.mark.filterwarnings("ignore::macadam.PlaceWarning")
@pytest.mark.parametrize("name", CALLS)
def test_rows_are_what_the_table_holds(town: macadam.Engine, name: str) -> None:
    answer = CALLS[name](town)
    nanoarrow = pytest.importorskip("nanoarrow")
    expected = nanoarrow.ArrayStream(answer).read_all().to_pylist()
    rows = list(answer)
    found = [{name: np.asarray(it).tolist() for name, it in zip(row._fields, row)} for row in rows]
    assert repr(found) == repr(expected)
    if rows:
        assert rows[0][0] == rows[0][rows[0]._fields[0]] == getattr(rows[0], rows[0]._fields[0])
        with pytest.raises(AttributeError, match="the row has no 'x'"):
            rows[0].x
        assert pickle.loads(pickle.dumps(rows[0]))._fields == rows[0]._fields


@pytest.mark.filterwarnings("ignore::macadam.PlaceWarning")
def test_rows_have_none_where_there_is_no_path(town: macadam.Engine) -> None:
    assert [row.duration for row in town.routes([11, 11], [35, 999])] == [96000, None]
    assert [tuple(row) for row in town.matrix([11, 999], [35])] == [(0, 0, 96000), (1, 0, None)]
    assert [tuple(row) for row in town.route([11, 999])] == [(0, None)]
    assert [row.position for row in town.trip([11, 999])] == [None, None]
    assert np.asarray(town.routes([11, 11], [35, 999])).tolist() == [(96000, 0, 0), (macadam.UNREACHED, 0, 1)]


@pytest.mark.filterwarnings("ignore::macadam.PlaceWarning")
def test_pandas_makes_columns(town: macadam.Engine) -> None:
    pandas = pytest.importorskip("pandas")
    for name, call in CALLS.items():
        answer = call(town)
        frame, typed = pandas.DataFrame(answer), answer.table().to_pandas()
        assert list(frame.columns) == (list(typed.columns) if len(typed) else []), name
        assert len(frame) == len(typed) and frame.isna().to_numpy().tolist() == typed.isna()[frame.columns].to_numpy().tolist()
    frame = pandas.DataFrame(town.routes([11, 11], [35, 999]))
    assert frame.duration[0] == 96000 and frame.duration.isna().tolist() == [False, True]
    assert list(pandas.DataFrame(town.reach([11], [10, 20])).columns[-2:]) == ["nodes_0", "nodes_1"]


def test_matrices_keep_the_names_of_frames(town: macadam.Engine) -> None:
    pandas = pytest.importorskip("pandas")
    points = pandas.DataFrame({"id": ["mill", "market"], "lon": [10.0021, 10.0011], "lat": [49.9999, 50.0012]})
    nodes = pandas.DataFrame({"node": [35, 11]})
    frame = town.matrix(points, nodes).to_pandas()
    assert frame.index.tolist() == ["mill", "market"] and frame.columns.tolist() == [35, 11]
    assert town.matrix(points).to_pandas().columns.tolist() == ["mill", "market"]
    indexed = points.set_index("id")
    assert town.matrix(indexed, [11]).to_pandas().index.tolist() == ["mill", "market"]
    assert town.matrix(points, nodes).to_pandas(index=[1, 2], columns=["a", "b"]).loc[2, "b"] == frame.loc["market", 11]
    assert town.matrix([11, 12]).to_pandas().index.tolist() == [0, 1]
    again = pickle.loads(pickle.dumps(town.matrix(points, nodes)))
    assert again.to_pandas().index.tolist() == ["mill", "market"]
