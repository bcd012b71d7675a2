"""Answers are the oracle's, agree with each other, and have the promised shapes and types. It is one file, because all
tests share its engines and its oracle."""

from __future__ import annotations

import datetime
import itertools
import json
import pickle
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import macadam
import numpy as np
import pytest
from conftest import ROOT, Random

BOTH = ("duration", "distance")


@pytest.mark.filterwarnings("ignore::macadam.PlaceWarning")
def test_matrix_is_the_oracles(engine: macadam.Engine, graph: Random) -> None:
    sources = np.arange(0, 200, 7)
    matrix = engine.matrix(graph.ids[sources], graph.ids)
    assert matrix.shape == (29, 200)
    assert matrix.duration.dtype == np.uint32 and matrix.duration.flags.c_contiguous
    for row, source in zip(matrix.duration, sources):
        np.testing.assert_array_equal(row, graph.tree(source))


@pytest.mark.filterwarnings("ignore::macadam.PlaceWarning")
def test_paths_between_points_and_ids(town: macadam.Engine) -> None:
    """One side has points only, the other one ids only; some paths have no arc but that of the point."""
    ids = [*town.ids.tolist(), 999]
    points = [(lon + 1e-4, lat) for lon, lat in town.snap(town.ids)[["lon", "lat"]].tolist()]
    pairs = [(point, node) for point in points for node in ids]
    sources, targets = [point for point, _ in pairs], [node for _, node in pairs]
    for first, second in ((sources, targets), (targets, sources)):
        out = town.routes(first, second, paths=True)
        for number, pair in enumerate(zip(first, second)):
            route = town.route(pair)
            assert out["arcs"][number].tolist() == (route.arcs.arc.tolist() if route else [])


@pytest.mark.filterwarnings("ignore::macadam.PlaceWarning")
def test_all_questions_agree(engine: macadam.Engine, graph: Random) -> None:
    matrix = engine.matrix(graph.ids, quantities=BOTH)
    order = np.argsort(graph.ids)
    tree = engine.tree(graph.ids, quantities=BOTH)
    routes = engine.routes(np.repeat(graph.ids, 200), np.tile(graph.ids, 200), quantities=BOTH, paths=True)
    pairs = engine.all_pairs(quantities=BOTH)
    assert pairs is not None
    np.testing.assert_array_equal(engine.ids, graph.ids[order])
    for name in BOTH:
        np.testing.assert_array_equal(tree[name], matrix[name][:, order])
        np.testing.assert_array_equal(routes[name], matrix[name].ravel())
        np.testing.assert_array_equal(pairs[name], matrix[name][np.ix_(order, order)])
    for number in (5, 12345, 30010):
        path = routes["arcs"][number].astype(np.int64) - 1
        assert graph.duration[path].sum() == routes.duration[number]
        np.testing.assert_array_equal(graph.head[path][:-1], graph.tail[path][1:])
    closure = engine.closure()
    np.testing.assert_array_equal(closure, pairs.duration != macadam.UNREACHED)
    np.testing.assert_array_equal(engine.closure(packed=True), np.packbits(closure, axis=1))


def test_tree_in_all_orders_and_methods(engine: macadam.Engine, graph: Random) -> None:
    some = graph.ids[:16]
    tree = engine.tree(some)
    position = np.searchsorted(engine.ids, engine.node_ids)
    np.testing.assert_array_equal(engine.tree(some, order="nodes").duration, tree.duration[:, position])
    np.testing.assert_array_equal(engine.tree(some, order="lanes").duration.T, tree.duration[:, position])
    for method in macadam.methods("tree", "cpu"):
        np.testing.assert_array_equal(engine.tree(some, method=method).duration, tree.duration)
    one = engine.tree(int(some[0]), parents=True, limit=4)
    assert one.duration.shape == one.parent.shape == (200,)
    np.testing.assert_array_equal(one.duration, np.where(tree.duration[0] <= 4000, tree.duration[0], macadam.UNREACHED))
    backward = engine.tree(some, reverse=True).duration
    np.testing.assert_array_equal(
        backward[0][np.searchsorted(engine.ids, some)], engine.matrix(some, some[:1]).duration[:, 0]
    )


def test_seconds_are_nan_where_there_is_no_path(engine: macadam.Engine, graph: Random) -> None:
    with pytest.warns(macadam.PlaceWarning, match="1 of 4 cells have no path"):
        matrix = engine.matrix(graph.ids[[3, 190]], quantities=BOTH)
    assert np.isnan(matrix.seconds()[1, 0]) and np.isnan(matrix.metres()[1, 0])
    assert matrix.seconds()[0, 1] == matrix.duration[0, 1] / 1000
    with pytest.raises(macadam.InvalidError, match="unit cm"):
        engine.matrix(graph.ids[:2]).metres()
    with pytest.raises(AttributeError, match="its quantities are duration"):
        engine.matrix(graph.ids[:2]).distance


def test_cells_without_a_path_are_counted(engine: macadam.Engine, graph: Random) -> None:
    for ids in (graph.ids[:185], graph.ids[::-1][:50], graph.ids):
        with pytest.warns(macadam.PlaceWarning) as caught:
            matrix = engine.matrix(ids).duration
        missing = np.count_nonzero(matrix == macadam.UNREACHED)
        assert str(caught[0].message) == f"{missing} of {matrix.size} cells have no path"


def test_a_matrix_comes_in_the_engines_order(engine: macadam.Engine, graph: Random) -> None:
    rows, columns = graph.ids[:40], graph.ids[40:70]
    plain, matrix = (engine.matrix(rows, columns, quantities=BOTH, order=order) for order in ("request", "engine"))
    assert plain.source_order is None and matrix.source_order is not None and matrix.target_order is not None
    assert sorted(matrix.source_order) == list(range(40)) and sorted(matrix.target_order) == list(range(30))
    for own, permuted in zip(plain.values, matrix.values):
        assert np.array_equal(permuted, own[np.ix_(matrix.source_order, matrix.target_order)])
    assert np.array_equal(matrix.table()["target"][:30], matrix.target_order)
    with pytest.raises(macadam.InvalidError, match="in the engine's order"):
        matrix.for_solver()
    with pytest.raises(macadam.InvalidError, match="'nodes' is none of request, engine"):
        engine.matrix(rows, order="nodes")


def test_frames_name_rows_in_the_engines_order(engine: macadam.Engine, graph: Random) -> None:
    pytest.importorskip("pandas")
    matrix = engine.matrix(graph.ids[:40], order="engine")
    assert matrix.source_order is not None
    assert np.array_equal(matrix.to_pandas().index, matrix.source_order)


def test_solvers_get_a_cost_in_every_cell(engine: macadam.Engine, graph: Random) -> None:
    ids = graph.ids[[3, 190, 4, 199, 5]]
    with pytest.warns(macadam.PlaceWarning):
        matrix = engine.matrix(ids, quantities=BOTH)
    with pytest.warns(macadam.PlaceWarning, match=r"2 of 5 stops have no path .*: numbers \[1, 3\]"):
        left = matrix.for_solver()
    assert left.stops.tolist() == [0, 2, 4] and left.quantities == BOTH
    for name, unit in zip(BOTH, (1000, 100)):
        cells = matrix[name][np.ix_(left.stops, left.stops)].astype(np.int64)
        np.testing.assert_array_equal(left[name], (cells + unit // 2) // unit)
        assert left[name].dtype == np.int64 and not left[name].diagonal().any()
    with pytest.raises(macadam.PlaceError, match="2 of 5 stops"):
        matrix.for_solver(unreachable="fail")
    costs = matrix.for_solver(unreachable="cost")
    missing = matrix.duration == macadam.UNREACHED
    assert costs.stops.tolist() == [0, 1, 2, 3, 4] and not costs.duration.diagonal().any()
    assert len(set(costs.duration[missing])) == 1 and costs.duration[missing][0] > costs.duration[~missing].max()
    assert 3 * len(ids) * int(costs.duration.max()) < 2**32
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert engine.matrix(graph.ids[:4], strict=True).for_solver("fail").shape == (4, 4)
    with pytest.warns(macadam.PlaceWarning):
        alone = engine.matrix(ids[[1, 0, 2]])
    with pytest.raises(macadam.PlaceError, match="2 of 3 stops"):
        alone.for_solver()
    with pytest.raises(macadam.InvalidError, match="its sources are not its targets"):
        engine.matrix(graph.ids[:2], graph.ids[:3]).for_solver()
    with pytest.raises(macadam.InvalidError, match="'drop' is none of skip, fail, cost"):
        costs = matrix.for_solver("drop")


def test_out_receives_the_answer(engine: macadam.Engine, graph: Random) -> None:
    out = np.zeros((3, 5), np.uint32)
    matrix = engine.matrix(graph.ids[:3], graph.ids[:5], out=out)
    assert matrix.duration is out
    np.testing.assert_array_equal(out, engine.matrix(graph.ids[:3], graph.ids[:5]).duration)
    both = np.zeros((2, 3, 5), np.uint32)
    engine.matrix(graph.ids[:3], graph.ids[:5], out=tuple(both), quantities=BOTH)
    np.testing.assert_array_equal(both[0], out)
    read_only = np.zeros((3, 5), np.uint32)
    read_only.flags.writeable = False
    for bad, text in (
        (np.zeros((3, 5), np.int32), "type <i4"),
        (np.zeros((5, 3), np.uint32).T, "contiguous"),
        (np.zeros((3, 4), np.uint32), "shape"),
        (np.zeros((3, 10), np.uint32)[:, ::2], "contiguous"),
        (read_only, "read-only"),
        ([out, out], "2 arrays for 1"),
    ):
        with pytest.raises(macadam.InvalidError, match=f"out.*{text}"):
            engine.matrix(graph.ids[:3], graph.ids[:5], out=bad)
    with pytest.raises(TypeError, match="out"):
        engine.matrix(graph.ids[:3], graph.ids[:5], out=3)


def test_device_memory_is_read_without_a_copy(engine: macadam.Engine, graph: Random) -> None:
    matrix = engine.matrix(graph.ids[:5], device=True, quantities=BOTH)
    array = matrix.distance
    assert isinstance(array, macadam.DeviceArray) and array.shape == (5, 5)
    expected = engine.matrix(graph.ids[:5], quantities=BOTH)
    np.testing.assert_array_equal(array.numpy(), expected.distance)
    view = np.from_dlpack(array)
    assert view.ctypes.data == array.address  # without a GPU it lies in host memory
    np.testing.assert_array_equal(view, expected.distance)
    pinned = engine.matrix(graph.ids[:5], device="pinned").duration
    np.testing.assert_array_equal(pinned, expected.duration)
    parts = engine.matrix(graph.ids[:5], device="divided").duration
    np.testing.assert_array_equal(np.concatenate([part.numpy() for part in parts]), expected.duration)


def test_route_of_the_town(town: macadam.Engine) -> None:
    route = town.route([11, 23, 35], quantities=BOTH, steps=True)
    assert route and route.found and route.reason == "found" and route.reason_waypoint == 0
    assert (route.duration, route.distance) == (96000, 86276)
    assert route.legs.duration.tolist() == [50000, 46000]
    assert route.arcs.arc.tolist() == [29, 9, 11, 13, 15, 55]
    assert route.arcs.road_class[1] == "secondary" and route.arcs.speed_kmh[1] == 50
    assert route.coordinates.shape == (7, 2)
    feature = json.loads(json.dumps(route.geojson()))
    assert feature["geometry"]["coordinates"][0] == [10.0, 50.0]
    assert feature["properties"]["duration"] == 96000
    assert route.__geo_interface__ == route.geojson()
    assert route.waypoints.id.tolist() == [11, 23, 35]
    short = town.route([11, 23, 35], quantities=BOTH, costs_only=True)
    assert (short.duration, short.distance, len(short.arcs)) == (96000, 86276, 0)


def test_routes_have_heights_where_the_import_takes_them(town: macadam.Engine, tmp_path: Path) -> None:
    assert town.route([11, 35]).heights is None and not town.info.has_heights
    subprocess.run([sys.executable, str(ROOT / "tests" / "height_tile.py"), str(tmp_path), "N50E010", "5"], check=True)
    report = macadam.import_osm(ROOT / "examples" / "town.osm", tmp_path / "high.mcd", heights=tmp_path)
    assert "tiles of heights: 1" in report
    with macadam.open(tmp_path / "high.mcd", device="cpu") as engine:
        assert engine.info.has_heights and engine.info.quantity[2:] == ["ascent", "descent"]
        route = engine.route([11, 35], metric="ascent", quantities=("ascent", "duration"))
        rises = np.diff(np.rint(route.heights * 10).astype(int))
        assert route.ascent == 10 * rises[rises > 0].sum() == route.arcs.ascent.sum()
        line = np.array(route.geojson()["geometry"]["coordinates"])
        np.testing.assert_array_equal(line, np.column_stack([route.coordinates, route.heights]))
    with pytest.raises(macadam.InvalidError, match="only for OpenStreetMap"):
        macadam.import_arrays([0], [1], {"duration": [1]}, tmp_path / "no.mcd", heights=tmp_path)


def test_totals_of_a_route_are_those_of_all_quantities(town: macadam.Engine) -> None:
    for metric in town.info.metric:
        whole = town.route([34, (10.001, 50.0002), 11], metric=metric, quantities=("duration", "distance"), totals=True)
        assert whole.totals == {"duration": whole.duration, "distance": whole.distance}
        alone = town.route([34, (10.001, 50.0002), 11], metric=metric, totals=True)
        assert alone.totals == whole.totals
    assert town.route([34, 11]).totals == {} and town.route([34, 34], totals=True).totals == {"duration": 0, "distance": 0}


def test_energies_are_signed_and_agree(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(ROOT / "tests" / "height_tile.py"), str(tmp_path), "N50E010", "5"], check=True)
    (tmp_path / "my.vehicle").write_text("mass 1800\nauxiliary 0\n")
    vehicle = tmp_path / "my.vehicle"
    macadam.import_osm(ROOT / "examples" / "town.osm", tmp_path / "high.mcd", heights=tmp_path, vehicle=vehicle)
    with macadam.open(tmp_path / "high.mcd", device="cpu") as engine:
        ends, both = [11, 23, 35, (10.001, 50.0002)], ("energy", "duration")
        assert engine.info.is_signed == [False] * 4 + [True]
        matrix = engine.matrix(ends, metric="energy", quantities=both)
        assert matrix.energy.dtype == np.int32 and matrix.duration.dtype == np.uint32 and matrix.energy.min() < 0
        np.testing.assert_array_equal(matrix.watt_hours() * 1000, matrix.energy)
        pairs = [(a, b) for a in ends for b in ends]
        table = engine.routes([a for a, _ in pairs], [b for _, b in pairs], metric="energy")
        np.testing.assert_array_equal(table.energy.reshape(4, 4), matrix.energy)
        for number, (a, b) in enumerate(pairs):
            route = engine.route([a, b], metric="energy", quantities=both, segments=True, steps=True, totals=True)
            assert route.totals["energy"] == route.energy and route.totals["duration"] == route.duration
            for part in route.arcs, route.legs, route.steps, route.segments:
                assert part.energy.sum() == route.energy == matrix.energy.flat[number]
                assert part.duration.sum() == route.duration
            assert engine.route([a, b], metric="energy", costs_only=True).energy == route.energy
        whole = engine.tree(ends, metric="energy", quantities=both)
        column = np.searchsorted(engine.ids, np.array([11, 23, 35]))
        np.testing.assert_array_equal(whole.energy[:, column], matrix.energy[:, :3])
        back = engine.tree(ends, metric="energy", reverse=True).energy
        np.testing.assert_array_equal(back[:, column].T, matrix.energy[:3])
        nodes = engine.tree(11, metric="energy", order="nodes").energy
        assert set(whole.energy[0]) <= set(nodes)
        near = engine.tree(ends, metric="energy", quantities=both, limit=0.02)
        beyond = whole.energy > 20
        assert beyond.any() and not beyond.all()
        np.testing.assert_array_equal(near.energy, np.where(beyond, macadam.SIGNED_UNREACHED, whole.energy))
        np.testing.assert_array_equal(near.duration, np.where(beyond, macadam.UNREACHED, whole.duration))
        duration = engine.tree(ends, metric="energy", quantities="duration", limit=0.02).duration
        np.testing.assert_array_equal(duration, near.duration)
        reach = engine.reach(ends, [0.02, 1000], targets=ends, nearest=3, metric="energy")
        np.testing.assert_array_equal(reach.nodes[:, 0], (~beyond).sum(axis=1))
        np.testing.assert_array_equal(reach.eccentricity, whole.energy.max(axis=1))
        np.testing.assert_array_equal(reach.cost_sum, whole.energy.sum(axis=1))
        order = np.argsort(matrix.energy, axis=1, kind="stable")[:, :3]
        np.testing.assert_array_equal(reach.nearest_position, order)
        np.testing.assert_array_equal(reach.nearest_cost, np.take_along_axis(matrix.energy, order, axis=1))
        prepared = engine.nearest(ends, 3, metric="energy")(ends)
        np.testing.assert_array_equal(prepared.nearest_position, order)
        np.testing.assert_array_equal(prepared.nearest_cost, reach.nearest_cost)
        back_order = np.argsort(matrix.energy.T, axis=1, kind="stable")[:, :2]
        back_reach = engine.reach(ends, targets=ends, nearest=2, reverse=True, metric="energy")
        np.testing.assert_array_equal(back_reach.nearest_cost, np.take_along_axis(matrix.energy.T, back_order, axis=1))
        lines = engine.reached(11, 0.02, metric="energy")
        assert (np.minimum(lines.cost, lines.cost + lines.weight) <= 20).all() and lines.weight.min() < 0
        areas = engine.isochrone(11, [5, 15], metric="energy").area_m2[0]
        assert 0 < areas[0] < areas[1]
        everything = engine.all_pairs(metric="energy")
        assert everything is not None
        np.testing.assert_array_equal(everything.energy[column][:, column], matrix.energy[:3, :3])
        pinned, out = engine.matrix(ends, metric="energy", device="pinned"), np.empty((4, 4), np.int32)
        engine.matrix(ends, metric="energy", out=out)
        (tile,) = engine.matrix_tiles(ends, metric="energy")
        engine.matrix_to(tmp_path / "energy.npy", ends, metric="energy")
        for cells in np.asarray(pinned), out, tile.energy, np.load(tmp_path / "energy.npy"):
            assert cells.dtype == np.int32
            np.testing.assert_array_equal(cells, matrix.energy)
        closed = {name: 0.0 for name in ("primary", "secondary", "tertiary", "residential", "living_street")}
        with pytest.warns(macadam.PlaceWarning, match="no path"):
            engine.matrix_to(tmp_path / "both.npy", ends, metric="energy", quantities=both, road_costs=closed)
        cells = np.load(tmp_path / "both.npy")
        assert cells.dtype == np.int32 and (cells[0, 1] == macadam.SIGNED_UNREACHED).all()
        with pytest.raises(macadam.InvalidError, match="<i4"):
            engine.matrix(ends, metric="energy", out=np.empty((4, 4), np.uint32))
        engine.all_pairs(metric="energy", path=tmp_path / "all.npy")
        np.testing.assert_array_equal(np.load(tmp_path / "all.npy"), everything.energy)
        lanes = engine.tree([11] * 16, metric="energy", order="lanes").energy
        np.testing.assert_array_equal(lanes[:, 3], nodes)
        trip = engine.trip(ends, metric="energy", open=True)
        assert trip.route is not None and trip.cost == trip.route.energy
        with pytest.raises(macadam.UnsupportedError, match="alternatives by energy"):
            engine.route([11, 23], metric="energy", alternatives=1)
        arcs = engine.arcs()
        assert arcs.energy.dtype == np.int32 and arcs.energy.min() < 0
        engine.update(arcs.arc, energy=arcs.energy)
        np.testing.assert_array_equal(engine.arcs().energy, arcs.energy)
        with pytest.raises(macadam.InvalidError, match="the least weight of arc"):
            engine.update(arcs.arc[:1], energy=-(2**30))


def test_frames_have_signed_costs(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    weights = {"energy": [60, -40], "duration": [1, 1]}
    macadam.import_arrays([0, 1], [1, 0], weights, tmp_path / "a.mcd", ids=[0, 1, 2], potentials={"energy": [0, 50, 0]})
    with macadam.open(tmp_path / "a.mcd", device="cpu") as engine:
        frame = engine.routes([0, 1, 1], [1, 0, 2]).to_pandas()
        assert frame.energy.dtype == "Int32" and frame.energy.tolist()[:2] == [60, -40] and frame.energy.isna().tolist()[2]
        cells = engine.matrix([0, 1, 2]).to_pandas()
        assert cells.isna().to_numpy().sum() == 4 and cells[0][1] == -40


def test_arrays_with_potentials_are_signed(tmp_path: Path) -> None:
    potentials, weights = {"energy": [0, 50, -20]}, {"energy": [60, -40, -70, 25], "duration": [1, 1, 1, 1]}
    macadam.import_arrays([0, 1, 1, 2], [1, 0, 2, 0], weights, tmp_path / "a.mcd", potentials=potentials)
    with macadam.open(tmp_path / "a.mcd", device="cpu") as engine:
        np.testing.assert_array_equal(engine.matrix([0, 1, 2]).energy, [[0, 60, -10], [-45, 0, -70], [25, 85, 0]])
        assert engine.route([1, 0]).energy == -45 and engine.route([1, 0]).arcs.energy.tolist() == [-70, 25]
    with pytest.raises(macadam.InvalidError, match="-51 of arc 1 is less than the rise"):
        weights["energy"][1] = -51
        macadam.import_arrays([0, 1, 1, 2], [1, 0, 2, 0], weights, tmp_path / "b.mcd", potentials=potentials)


def test_route_that_is_not_there(engine: macadam.Engine, graph: Random) -> None:
    ends = graph.ids[[190, 3]].tolist()
    with pytest.warns(macadam.PlaceWarning, match="no route"):
        route = engine.route(ends)
    assert not route and route.duration is None and route.geojson()["geometry"] is None
    with pytest.raises(macadam.PlaceError, match="no route"):
        engine.route(ends, strict=True)
    with pytest.raises(macadam.PlaceError, match="1 of 2 waypoints were not found: 1 unknown_id"):
        engine.route([ends[0], 1], strict=True)


def test_steps_are_instructions_of_the_driver(town: macadam.Engine) -> None:
    route = town.route([11, 23, 35], steps=True)
    steps = route.steps
    assert steps.type.tolist() == ["depart", "turn", "arrive", "depart", "end of road", "arrive"]
    assert steps.modifier.tolist() == ["", "right", "", "", "left", ""]
    assert steps["name"].tolist()[:2] == ["West Street", "Market Street"]
    assert steps.duration.sum() == route.duration and steps.bearing_after[1] == 90
    assert route.legs.end_step.tolist() == [3, 6]
    assert len(steps.coordinates(0)) == 2
    crossing = route.intersections[steps.first_intersection[1]]
    branches = route.branches[crossing["first_branch"] : crossing["end_branch"]]
    assert len(branches) == 3 and branches["bearing"].tolist() == sorted(branches["bearing"])
    assert route.branches.entry[crossing["out"]] == 1 and route.branches.bearing[crossing["out"]] == 90
    assert route.intersections["in"][0] == -1 and len(route.lanes) == 0
    assert route.texts()[:2] == ["Head north on West Street", "Turn right onto Market Street"]
    assert route.texts("de")[1] == "Biegen Sie rechts auf Market Street ab"
    assert re.fullmatch(r"In \d+ m, turn right onto Market Street", route.texts(distances="metric")[1])
    assert route.texts(lanes=True) == route.texts()  # no road has lanes
    with pytest.raises(macadam.InvalidError, match="distances: 'miles' is none of"):
        route.texts(distances="miles")  # type: ignore[arg-type]
    assert all(len(route.texts(language)) == 6 for language in macadam.languages())
    with pytest.raises(macadam.InvalidError, match="xx"):
        route.texts("xx")
    with pytest.raises(macadam.InvalidError, match="not requested"):
        town.route([11, 35]).steps


def test_alternatives_and_turns_at_waypoints(town: macadam.Engine) -> None:
    route = town.route([11, 35], alternatives=3, stretch=1, sharing=0.9, optimality=0.05, quantities=BOTH, steps=True)
    others = route.alternatives
    assert 1 <= len(others) <= 3 and all(it.found and it.duration <= 2 * route.duration for it in others)
    assert [it.duration for it in others] == sorted(it.duration for it in others) and others[0].duration >= route.duration
    assert all(it.arcs.duration.sum() == it.duration and it.texts() for it in others)
    assert all(it.arcs.arc.tolist() != route.arcs.arc.tolist() and it.alternatives == [] for it in others)
    assert town.route([11, 35]).alternatives == []
    durations = [town.route([11, 23, 11], via_turn=it).duration for it in ("any", "straight", "profile")]
    assert durations[0] < durations[1] == durations[2]
    with pytest.raises(macadam.InvalidError, match="via_turn: 'left' is none of profile"):
        town.route([11, 35], via_turn="left")  # type: ignore[arg-type]
    with pytest.raises(macadam.InvalidError, match="alternatives"):
        town.route([11, 35], alternatives=17)
    with pytest.raises(macadam.InvalidError, match="alternatives: -1"):
        town.route([11, 35], alternatives=-1)


def test_conditions_keep_roads_out(town: macadam.Engine) -> None:
    free = town.route([11, 35])
    x, y = free.coordinates[3]
    square = np.array([(x - 1e-4, y - 1e-4), (x + 1e-4, y - 1e-4), (x + 1e-4, y + 1e-4), (x - 1e-4, y + 1e-4)])
    polygon = {"type": "Polygon", "coordinates": [square.tolist()]}
    forms: list[Any] = [square, [square], square.tolist(), polygon, {"type": "Feature", "geometry": polygon}]
    round_it = [town.route([11, 35], avoid_areas=it).duration for it in forms]
    assert len(set(round_it)) == 1 and round_it[0] > free.duration
    with pytest.warns(macadam.PlaceWarning, match="no route"):
        assert not town.route([11, 35], road_costs={"residential": 0})
    slower = town.route([11, 35], road_costs={"residential": 2.0, "secondary": 2.0}).duration
    assert free.duration < slower <= 2 * free.duration
    assert town.route([11, 35], avoid=("toll", "ferry")).duration == free.duration
    flags = macadam.RoadFlag.PRIVATE | macadam.RoadFlag.DESTINATION_ONLY
    town.warm(avoid=flags)
    assert np.all(town.tree(11, avoid=flags).duration >= town.tree(11).duration)
    assert np.any(town.tree(11, avoid=flags).duration > town.tree(11).duration)
    with pytest.raises(macadam.InvalidError, match="avoid: 'tolls'"):
        town.route([11, 35], avoid="tolls")
    with pytest.raises(TypeError, match="avoid_areas: 'here'"):
        town.route([11, 35], avoid_areas="here")
    with pytest.raises(macadam.InvalidError, match="avoid_areas"):
        town.route([11, 35], avoid_areas=np.zeros((3, 3)))


def test_vehicles_obey_signs(tmp_path: Path) -> None:
    text = (ROOT / "examples" / "town.osm").read_text()
    name = '<tag k="name" v="Market Street"/>'
    low = name + '<tag k="maxheight" v="3.2"/><tag k="maxweight" v="7.5"/>'
    (tmp_path / "low.osm").write_text(text.replace(name, low))
    macadam.import_osm(tmp_path / "low.osm", tmp_path / "low.mcd")
    with macadam.open(tmp_path / "low.mcd") as engine:
        free = engine.route([11, 35]).duration
        assert engine.route([11, 35], vehicle={"height_m": 3.2, "weight_t": 7.5}).duration == free
        high = engine.route([11, 35], vehicle={"height_m": 3.3})
        assert high.duration > free and "Market Street" not in high.arcs["name"]
        assert engine.route([11, 35], vehicle={"weight_t": 8}).duration == high.duration
        for bad in ({"height": 3}, {"height_m": -1}, {"height_m": float("nan")}):
            with pytest.raises(macadam.InvalidError, match="height"):
                engine.route([11, 35], vehicle=bad)
        with pytest.raises(TypeError, match="vehicle: 3"):
            engine.route([11, 35], vehicle=3)  # type: ignore[arg-type]


def test_slots_obey_conditional_tags(tmp_path: Path) -> None:
    text = (ROOT / "examples" / "town.osm").read_text()
    name = '<tag k="name" v="Market Street"/>'
    timed = name + '<tag k="motor_vehicle:conditional" v="no @ (Mo-Fr 07:00-09:00)"/>'
    (tmp_path / "timed.osm").write_text(text.replace(name, timed))
    macadam.import_osm(tmp_path / "timed.osm", tmp_path / "timed.mcd", node_ids=True)
    with macadam.open(tmp_path / "timed.mcd") as engine:
        free = engine.route([11, 35])
        assert engine.route([11, 35], slot="Mo09:00").duration == free.duration
        market = engine.route([11, 35], slot="Mo08:15")
        assert market.duration > free.duration and "Market Street" not in market.arcs["name"]
        assert engine.matrix([11], [35], slot="Tu07:00").duration[0, 0] == market.duration
        with pytest.raises(macadam.InvalidError, match="slot"):
            engine.route([11, 35], slot="08:15")
        with pytest.raises(TypeError, match="slot"):
            engine.route([11, 35], slot=8)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="departure: there is no such argument of Engine.route: use slot .roads as they are in"):
            engine.route([11, 35], departure="Mo08:15")  # type: ignore[call-arg]
        arcs = engine.arcs()
        assert [it[0] for it in arcs.nodes] == arcs.tail.tolist() and [it[-1] for it in arcs.nodes] == arcs["head"].tolist()
        np.testing.assert_allclose([it[-1] for it in arcs.nodes_m], arcs.length_m)
        route = engine.route([11, 35], segments=True, quantities=["duration", "distance"])
        segments = route.segments
        assert segments["duration"].sum() == route.duration and segments["distance"].sum() == route.distance
        assert segments["from"][0] == 11 and segments["to"][-1] == 35 and (segments["to"][:-1] == segments["from"][1:]).all()
        assert (segments["speed_kmh"] > 0).all() and (segments["arc"] < len(route.arcs)).all()


def test_all_arcs_are_listed_with_their_weights(engine: macadam.Engine, graph: Random, town: macadam.Engine) -> None:
    arcs = engine.arcs()
    np.testing.assert_array_equal(arcs.arc, np.arange(1, len(graph.tail) + 1))
    np.testing.assert_array_equal(arcs.tail, graph.ids[graph.tail])
    np.testing.assert_array_equal(arcs["head"], graph.ids[graph.head])
    np.testing.assert_array_equal(arcs.duration, graph.duration)
    np.testing.assert_array_equal(arcs.distance, graph.distance)
    streets = town.arcs()
    assert set(streets["name"]) == set(town.roads()["name"]) and set(streets.forward) == {0, 1}
    np.testing.assert_allclose(streets.length_m, streets.distance / 100, atol=0.01)


def test_updates_name_ways(town_path: Path) -> None:
    with macadam.open(town_path) as engine:
        before, duration = engine.arcs(), engine.route([11, 35]).duration
        way = before.way[8]
        mine = before.way == way
        engine.update(ways=[way], duration=7)
        np.testing.assert_array_equal(engine.arcs().duration, np.where(mine, 7, before.duration))
        engine.update(ways=[way], directions=[-1], duration=9)
        np.testing.assert_array_equal(engine.arcs().duration[mine], np.where(before.forward[mine], 7, 9))
        engine.update(ways=[way], tails=before.tail[8:9], heads=before["head"][8:9], closed=True)
        assert engine.arcs().duration[8] == macadam.UNREACHED
        np.testing.assert_array_equal(engine.arcs(imported=True).duration, before.duration)
        engine.update(ways=[way], duration=macadam.IMPORTED)
        np.testing.assert_array_equal(engine.arcs().duration, before.duration)
        assert engine.route([11, 35]).duration == duration
        engine.update(turns=[[11, 21, 22]], duration=500)
        turned = engine.route([11, 22])
        assert turned.arcs.price_duration.tolist() == [0, 500]
        engine.update(turns=turned.arcs.arc.reshape(1, 2), duration=macadam.IMPORTED)
        assert engine.route([11, 22]).duration > turned.duration
        assert engine.update(turns=[[11, 21, 99], [1, 2, 3]], duration=5, skip_unknown=True) == 2
        changed = np.full(2, 9, np.uint32)
        assert engine.update(ways=[way, 10**9], duration=macadam.IMPORTED, skip_unknown=True, changed=changed) == 1
        assert changed.tolist() == [mine.sum(), 0]
        for bad_array in (changed[:1], changed.astype(np.int64), [0, 0], np.broadcast_to(np.uint32(0), 2)):
            with pytest.raises(macadam.InvalidError, match="changed"):
                engine.update([1, 2], duration=5, changed=bad_array)
        with pytest.raises(macadam.InvalidError, match="changed"):
            engine.update(turns=[[11, 21, 22]], duration=5, changed=changed[:1])
        bad_turns: list[Any] = [[[1]], [11, 21, 22], [[11, 21, 99]]]
        for turns in bad_turns:
            with pytest.raises(macadam.MacadamError, match="turns: the shape|no turn leads"):
                engine.update(turns=turns, duration=5)
        for bad in ({"ways": [way], "arcs": [1]}, {"tails": [11]}, {"directions": [1]}):
            with pytest.raises(macadam.InvalidError, match="name arcs"):
                engine.update(**bad, duration=1)


def test_matrices_have_the_snapped_places(town: macadam.Engine) -> None:
    matrix = town.matrix([11, (10.0021, 49.9999)], [12], snap=True)
    assert matrix.sources["name"].tolist() == ["", "Mill Lane"] and matrix.targets.id.tolist() == [12]
    np.testing.assert_array_equal(matrix.sources.lon, town.snap([11, (10.0021, 49.9999)]).lon)


def test_trips_may_cost_any_number_below_zero(tmp_path: Path) -> None:
    for cost in (-2, -1, 0):
        weights = {"energy": [cost, 2 - cost]}
        macadam.import_arrays([0, 1], [1, 0], weights, tmp_path / "hill.mcd", units={"energy": "mWh"}, potentials={"energy": [0, -2]})
        with macadam.open(tmp_path / "hill.mcd") as engine:
            trip = engine.trip([0, 1], open=True, from_first=True)
        assert trip and trip.route is not None and trip.cost == trip.route.energy == cost


def test_trips_are_the_best_order(town: macadam.Engine) -> None:
    stops = [11, 35, 23, 51, 14]
    cost = town.matrix(stops).duration.astype(int)
    trip = town.trip(stops, quantities=BOTH, steps=True)
    tours = [(0, *rest) for rest in itertools.permutations(range(1, 5))]
    best = min(sum(cost[a, b] for a, b in zip(it, (*it[1:], 0))) for it in tours)
    assert trip and trip.cost == best and sorted(trip.order) == [0, 1, 2, 3, 4]
    assert trip.route is not None and trip.route.duration == best and trip.route.texts()
    way = town.trip(stops, open=True, from_first=True, to_last=True)
    assert way.order[0] == 0 and way.order[-1] == 4
    assert town.trip([11], open=True).route is None
    with pytest.warns(macadam.PlaceWarning, match="1 of 2 stops"):
        assert not town.trip([11, 999])


def test_traces_are_matched(town: macadam.Engine) -> None:
    route = town.route([11, 23, 35])
    line = route.coordinates
    trace = np.concatenate([np.linspace(a, b, 5) for a, b in zip(line, line[1:])]) + 1e-5
    match = town.match(trace, time=np.arange(len(trace)) * 3.0, quantities=BOTH, steps=True)
    assert len(match) == len(match.routes) == 1 and len(match.points) == len(trace)
    assert np.all(match.points.status == macadam.MatchStatus.OK) and np.all(match.points.distance_m < 5)
    assert set(route.arcs.arc) <= set(match.arc) == set(match.routes[0].arcs.arc)
    assert match.routes[0].found and match.matchings.confidence[0] > 0.5 and match.routes[0].texts()
    two = town.match([*map(tuple, trace), *map(tuple, trace[::-1])], first=[0, len(trace), 2 * len(trace)])
    assert two.matchings.trace.tolist() == [0, 1]
    with pytest.warns(macadam.PlaceWarning, match=r"1 of \d+ points were not matched: 1 no_road"):
        town.match([*map(tuple, trace), (11.0, 50.0)])
    for bad, name in (({"first": [0, 1]}, "first"), ({"time": ["a"]}, "time"), ({"speed": [1, 2]}, "speed")):
        with pytest.raises(macadam.InvalidError, match=name):
            town.match(trace, **bad)
    with pytest.raises(macadam.InvalidError, match="points"):
        town.match([11, 12])


def test_matches_have_the_parts_that_were_requested(town: macadam.Engine) -> None:
    trace = town.route([11, 23, 35]).coordinates + 1e-5
    found, arcs, routes = town.match(trace), town.match(trace, arcs=True), town.match(trace, routes=True)
    for other in (arcs, routes):
        for name in found.points.column_names:
            np.testing.assert_array_equal(found.points[name], other.points[name])
        assert other.matchings.end_arc[0] == len(other.arc) > 0 and found.matchings.distance_m == other.matchings.distance_m
    assert found.matchings.end_arc.tolist() == [0] and found._core.matching.route is arcs._core.matching.route is None
    assert set(routes.routes[0].arcs.arc) == set(routes.arc) and routes.arc.tolist() == arcs.arc.tolist()
    for other in (town.match(trace, steps=True), town.match(trace, passes=np.zeros(len(trace), bool))):
        np.testing.assert_array_equal(other.routes[0].coordinates, routes.routes[0].coordinates)
        assert other.arc.tolist() == arcs.arc.tolist()
    for match in (found, arcs, town.match(trace, steps=False), pickle.loads(pickle.dumps(found))):
        with pytest.raises(macadam.InvalidError, match=r"^routes: they were not requested: match\(\.\.\., routes=True\)$"):
            match.routes
    with pytest.raises(macadam.InvalidError, match="arcs: they were not requested"):
        found.arc
    with pytest.raises(macadam.InvalidError, match="not requested"):
        routes.routes[0].steps
    for flag in ("arcs", "routes"):
        with pytest.raises(TypeError, match=f"{flag}: 1 is neither"):
            town.match(trace, **{flag: 1})  # type: ignore[arg-type]


def test_reached_takes_seconds(town: macadam.Engine) -> None:
    near = town.reached(34, 20)
    assert near.cost.tolist() == [0, 0, 0, 17206]
    assert near.tail.tolist() == [34, 34, 34, 35]
    assert len(near.coordinates(0)) >= 2 and near.source.id.tolist() == [34]
    assert set(near.road_class) == {"residential", "living_street", "service"}
    assert len(near.to) == 4 and all(near.to > 0) and all(near.to <= 1) and near.to[3] < 1
    then = town.reached(34, 20, depart="Mo03:00")  # no tag of the town holds then
    assert then.cost.tolist() == near.cost.tolist() and then.to.tolist() == near.to.tolist()


def ring_area(ring: np.ndarray) -> float:
    x, y = (ring - ring[0]).T * [[71_696], [111_229]]  # metres in a degree at 50 degrees north
    return float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]) / 2)


def test_disjoint_areas_lose_little_if_borders_are_far_apart(tmp_path: Path) -> None:
    nodes = [[10, 50], [10.03, 50]]  # a traveller goes 1 metre a second
    macadam.import_arrays([0, 1], [1, 0], {"duration": [2150000] * 2}, tmp_path / "line.mcd", lonlat=nodes)
    with macadam.open(tmp_path / "line.mcd") as line:
        for step, least in (200, 0.95), (100, 0.9), (50, 0.8):
            limits = [300 + i * step for i in range(5)]
            whole, parts = (line.isochrone(0, limits, width=100, disjoint=it).area_m2[0] for it in (False, True))
            assert least < sum(parts[1:]) / (whole[-1] - whole[0]) < 1


def test_isochrones_are_rings(town: macadam.Engine) -> None:
    areas = town.isochrone([34, 11], [datetime.timedelta(seconds=20), 10])
    assert areas.limits == [10000, 20000] and areas.area_m2.shape == (2, 2) and len(areas) == 4
    for source in range(2):
        for limit in range(2):
            polygons = areas.polygons(source, limit)
            assert polygons and all(np.array_equal(ring[0], ring[-1]) for it in polygons for ring in it)
            area = sum(ring_area(ring) for it in polygons for ring in it)  # holes run clockwise
            assert area == pytest.approx(areas.area_m2[source, limit], rel=0.01)
    features = json.loads(json.dumps(areas.geojson()))["features"]
    assert [it["properties"]["limit"] for it in features] == [20, 10, 20, 10]
    assert features[0]["geometry"]["coordinates"][0][0] == areas.polygons(0, 1)[0][0].tolist()
    narrow = town.isochrone(34, [10, 20], width=20, disjoint=True)
    assert np.all(narrow.width_m == 20) and np.all(narrow.area_m2[0] < areas.area_m2[0])
    with pytest.warns(macadam.PlaceWarning, match="1 of 2 sources"):
        assert town.isochrone([34, 999], 10).polygons(1) == []
    with pytest.raises(macadam.InvalidError, match="limits"):
        town.isochrone(34, [])


def test_reach_counts_what_trees_hold(engine: macadam.Engine, graph: Random) -> None:
    values = np.arange(200, dtype=np.uint32)
    reach = engine.reach(graph.ids[:9], [2, 5], values=values, targets=graph.ids[20:40], nearest=3)
    tree = engine.tree(graph.ids[:9]).duration
    np.testing.assert_array_equal(reach.nodes[:, 1], (tree <= 5000).sum(axis=1))
    np.testing.assert_array_equal(reach.value_sum[:, 0], np.where(tree <= 2000, values, 0).sum(axis=1))
    matrix = engine.matrix(graph.ids[:9], graph.ids[20:40]).duration
    np.testing.assert_array_equal(reach.nearest_cost, np.sort(matrix, axis=1)[:, :3])
    np.testing.assert_array_equal(np.take_along_axis(matrix, reach.nearest_position, axis=1), reach.nearest_cost)


def test_prepared_targets_answer_as_reach(graph: Random, random_path: Path) -> None:
    with macadam.open(random_path) as engine:
        nearest = engine.nearest(graph.ids[20:40], 3)
        backward = engine.nearest(graph.ids[20:40], 2, reverse=True)
        reach = engine.reach(graph.ids, targets=graph.ids[20:40], nearest=3)
        matrix = engine.matrix(graph.ids[20:40], graph.ids[:9]).duration
    found = nearest(graph.ids)  # the map stays open for it
    for name in ("status", "nearest_found", "nearest_position", "nearest_cost"):
        np.testing.assert_array_equal(found[name], reach[name])
    np.testing.assert_array_equal(backward(graph.ids[:9]).nearest_cost, np.sort(matrix.T, axis=1)[:, :2])
    with pytest.warns(macadam.PlaceWarning, match="1 of 2 sources"):
        assert nearest([int(graph.ids[0]), 10**12]).nearest_found[1] == 0
    assert "3 of 20" in repr(nearest) and not nearest.status.any()


def test_hops_and_connect(engine: macadam.Engine, graph: Random) -> None:
    hops = engine.hops(int(graph.ids[0]), parents=True)
    target = int(graph.ids[99])
    connection = engine.connect(int(graph.ids[0]), target)
    assert connection and connection.hops == hops.hops[np.searchsorted(engine.ids, target)]
    assert connection.ids[0] == graph.ids[0] and connection.ids[-1] == target
    assert not engine.connect(int(graph.ids[190]), target)
    found = [engine.hops(graph.ids[:2], method=method).hops for method in macadam.methods("hops", "cpu")]
    assert len(found) == 3 and found[0].shape == (2, 200) and all(np.array_equal(it, found[0]) for it in found)


def test_update_closes_and_opens(random_path: Path, graph: Random, tmp_path: Path) -> None:
    with macadam.open(random_path) as engine:
        before = engine.tree(int(graph.ids[0])).duration
        arcs = np.arange(1, 11)
        engine.update(arcs, duration=np.full(10, 7))
        graph2 = Random()
        graph2.duration[:10] = 7
        order = np.argsort(graph.ids)
        np.testing.assert_array_equal(engine.tree(int(graph.ids[0])).duration, graph2.tree(0)[order])
        engine.save(tmp_path / "new.mcd")
        engine.save(tmp_path / "ready.mcd", ready=True)
        engine.trim()
        engine.update(arcs, duration=graph.duration[:10])
        np.testing.assert_array_equal(engine.tree(int(graph.ids[0])).duration, before)
        engine.update(tails=graph.ids[graph.tail[:1]], heads=graph.ids[graph.head[:1]], closed=True)
        with pytest.raises(macadam.NotFoundError):
            engine.update([99999], duration=1)
    for name in ("new.mcd", "ready.mcd"):
        with macadam.open(tmp_path / name) as engine:
            np.testing.assert_array_equal(engine.tree(int(graph.ids[0])).duration, graph2.tree(0)[order])
    assert (tmp_path / "ready.mcd").stat().st_size > (tmp_path / "new.mcd").stat().st_size


def test_call_speaks_protobuf(town: macadam.Engine) -> None:
    all_pairs = b"\x72\x00"  # Request { all_pairs {} }
    parts: list[bytes] = []
    whole = town.call(all_pairs)
    last = town.call(all_pairs, parts.append)
    pairs = town.all_pairs()
    assert pairs is not None and len(whole) > pairs.duration.size
    assert parts and len(last) < len(whole)
    with pytest.raises(macadam.CancelledError):
        town.call(all_pairs, lambda part: False)
    with pytest.raises(ZeroDivisionError):
        town.call(all_pairs, lambda part: 1 / 0)
    with pytest.raises(macadam.InvalidError):
        town.call(b"\xff\xff")


def test_snap_names_roads(town: macadam.Engine) -> None:
    snaps = town.snap([(10.0021, 49.9999), (10.0, 50.0), (10.0011, 50.0012)])
    assert snaps["name"].tolist() == ["Mill Lane", "Mill Lane", "Market Street"]
    assert snaps.distance_m[0] == pytest.approx(11.12, abs=0.01)
    assert snaps.status.tolist() == [0, 0, 0]
    assert town.candidates((10.0021, 49.9999), 3)["name"].tolist() == ["Mill Lane", "King Street", "Station Road"]
    assert len(town.snap([])) == 0
    roads = town.roads()
    ring = town.snap((10.0021, 49.9999)).way[0]
    assert roads.road_class[list(roads.way).index(ring)] == "residential"
    assert macadam.RoadFlag(int(roads.flags.max())) == macadam.RoadFlag.DESTINATION_ONLY | macadam.RoadFlag.PRIVATE
    assert "Church Street" in roads["name"] and len(roads.points) > 20
    assert len(town.roads((10.0, 50.0, 10.001, 50.0001))) < len(roads)


def test_profiles_share_a_file(tmp_path: Path) -> None:
    town, path, alone = ROOT / "examples" / "town.osm", tmp_path / "all.mcd", tmp_path / "alone.mcd"
    names = ["car", "foot", "bike"]
    macadam.import_osm(town, path, profile=names)
    for name in names:
        macadam.import_osm(town, alone, profile=name)
        with macadam.open(path, profile=name) as engine, macadam.open(alone) as single:
            assert (engine.info.profile, engine.info.profiles) == (name, names)
            np.testing.assert_array_equal(engine.tree(engine.ids[0]), single.tree(single.ids[0]))
    with macadam.open(path) as engine:
        assert engine.info.profile == "car"
        foot = engine.of_profile("foot")
        with macadam.open(path, profile="foot") as single:
            np.testing.assert_array_equal(foot.tree(foot.ids[0]), single.tree(single.ids[0]))
            engine.update(tails=[22], heads=[23], closed=True, all_profiles=True)
            single.update(tails=[22], heads=[23], closed=True)
            assert foot.route([22, 23]).duration == single.route([22, 23]).duration
            assert engine.of_profile("foot").route([22, 23]).duration == foot.route([22, 23]).duration
        with pytest.raises(macadam.InvalidError, match="arc numbers are a profile's own"):
            engine.update([1], duration=5, all_profiles=True)
        with pytest.raises(macadam.NotFoundError, match='unknown profile "sledge"'):
            engine.of_profile("sledge")
        with pickle.loads(pickle.dumps(macadam.open(path).of_profile("foot"))) as again:
            assert again.info.profile == "foot"
    with pytest.raises(macadam.NotFoundError, match='unknown profile "sledge"; the file has car, foot, bike'):
        macadam.open(path, profile="sledge")
