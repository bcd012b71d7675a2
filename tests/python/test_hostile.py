"""Whatever a call is given, it answers or raises an exception; MACADAM_HYPOTHESIS=long tries 10,000 a call."""

from __future__ import annotations

import tempfile
import warnings
from typing import Any

import macadam
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

EXPECTED = (macadam.MacadamError, TypeError, ValueError, OSError)
numbers = st.one_of(st.integers(-(2**80), 2**80), st.floats(), st.integers(0, 60), st.none(), st.booleans())
shapes = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
dtypes = st.one_of(
    arrays.integer_dtypes(),
    arrays.unsigned_integer_dtypes(),
    arrays.floating_dtypes(),
    arrays.boolean_dtypes(),
    arrays.unicode_string_dtypes(),
)
points = st.tuples(st.floats(9.99, 10.02), st.floats(49.99, 50.01))
anything = st.one_of(
    numbers,
    st.text(),
    st.binary(),
    points,
    arrays.arrays(dtypes, shapes),
    st.lists(st.one_of(numbers, points, st.integers(11, 51), st.text(), st.tuples(numbers, numbers)), max_size=4),
    st.dictionaries(st.sampled_from(["lon", "lat", "id", "heading", "side", "x"]), st.lists(numbers, max_size=3)),
)
places = st.one_of(
    anything, st.lists(st.one_of(points, st.integers(10, 52)), max_size=4), arrays.arrays(np.float64, (3, 2))
)

TRACE = [(10.0, 50.0), (10.001, 50.0), (10.002, 50.0005)]
FOLDER = tempfile.mkdtemp()
CALLS: dict[str, Any] = {
    "matrix": lambda m, a, b, c: m.matrix(a, b, out=c),
    "matrix_options": lambda m, a, b, c: m.matrix([11], quantities=a, metric=b, snap_radius=c),
    "tree": lambda m, a, b, c: m.tree(a, limit=b, out=c),
    "snap": lambda m, a, b, c: m.snap(a, snap_radius=b),
    "routes": lambda m, a, b, c: m.routes(a, b, paths=True),
    "route": lambda m, a, b, c: m.route([a, b]),
    "reach": lambda m, a, b, c: m.reach(a, b, values=c, targets=a, nearest=2),
    "isochrone": lambda m, a, b, c: m.isochrone(a, b),
    "hops": lambda m, a, b, c: m.hops(a, limit=b),
    "connect": lambda m, a, b, c: m.connect(a, b),
    "update": lambda m, a, b, c: m.update(a, duration=b),
    "update_ends": lambda m, a, b, c: m.update(tails=a, heads=b, distance=c),
    "candidates": lambda m, a, b, c: m.candidates(a, b),
    "vehicle": lambda m, a, b, c: m.route([11, 35], vehicle={"height_m": a, "weight_t": b} if c else a),
    "departure": lambda m, a, b, c: m.route([11, 35], departure=a, segments=b, vehicle=c),
    "update_ways": lambda m, a, b, c: m.update(ways=a, directions=b, duration=c),
    "matrix_snap": lambda m, a, b, c: [it.name for it in (m.matrix(a, b, snap=True).sources,)],
    "conditions": lambda m, a, b, c: m.route([11, 35], avoid=a, avoid_areas=b, road_costs=c),
    "match": lambda m, a, b, c: m.match(a, time=b, heading=c, first=b),
    "match_options": lambda m, a, b, c: m.match(TRACE, accuracy=a, speed=b, heading_accuracy=c, heading=a),
    "trip": lambda m, a, b, c: m.trip(a, open=b, steps=c),
    "route_options": lambda m, a, b, c: m.route([11, 35], alternatives=a, via_turn=b, stretch=c, sharing=a),
    "texts": lambda m, a, b, c: m.route([11, 35], steps=True).texts(a),
    "tree_options": lambda m, a, b, c: m.tree([11], order=a, method=b, device=c, reverse=c, parents=a),
    "hops_options": lambda m, a, b, c: m.hops([11], method=a, reverse=b, parents=c),
    "isochrone_options": lambda m, a, b, c: m.isochrone(11, [10], width=a, disjoint=b, reverse=c),
    "reached": lambda m, a, b, c: m.reached(a, b, reverse=c),
    "all_pairs": lambda m, a, b, c: m.all_pairs(method=a, quantities=b, out=c),
    "closure": lambda m, a, b, c: m.closure(packed=a, memory_limit=b),
    "warm": lambda m, a, b, c: m.warm(avoid=a, avoid_areas=b, road_costs=c),
    "progress": lambda m, a, b, c: m.matrix([11], progress=a, strict=b, any_component=c),
    "matrix_tiles": lambda m, a, b, c: list(m.matrix_tiles(a, b, quantities=c)),
    "all_pairs_tiles": lambda m, a, b, c: list(m.all_pairs_tiles(method=a, quantities=b, next_hops=c)),
    "matrix_to": lambda m, a, b, c: m.matrix_to(FOLDER + "/out.npy", a, b, quantities=c),
    "save": lambda m, a, b, c: m.save(FOLDER + "/saved.mcd", ready=a),
    "open": lambda m, a, b, c: macadam.open(FOLDER + "/none.mcd", device=a, memory_limit=b, trust_file=c),
    "open_memory": lambda m, a, b, c: macadam.open(a if isinstance(a, (bytes, np.ndarray)) else b""),
    "import_osm": lambda m, a, b, c: macadam.import_osm(FOLDER + "/none.osm", FOLDER + "/out.mcd", profile=a, ready=b),
    "import_dimacs": lambda m, a, b, c: macadam.import_dimacs({"duration": a}, FOLDER + "/out.mcd", coordinates=b),
    "roads": lambda m, a, b, c: m.roads(a),
    "places": lambda m, a, b, c: macadam.places(a, heading=b, side=c, radius=b),
    "call": lambda m, a, b, c: m.call(a),
}


@pytest.mark.parametrize("name", CALLS)
def test_any_arguments(town_path: Any, name: str) -> None:
    with macadam.open(town_path, threads=1) as engine:

        @settings(suppress_health_check=list(HealthCheck))
        @given(places, places, anything)
        def attack(a: Any, b: Any, c: Any) -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    CALLS[name](engine, a, b, c)
                except EXPECTED:
                    pass

        attack()


@settings(suppress_health_check=list(HealthCheck))
@given(
    tail=arrays.arrays(dtypes, shapes), head=arrays.arrays(dtypes, shapes), weight=arrays.arrays(dtypes, shapes),
    ids=st.one_of(st.none(), arrays.arrays(np.int64, shapes)), lonlat=st.one_of(st.none(), arrays.arrays(np.float64, shapes)),
)  # fmt: skip
def test_any_graph(
    tmp_path_factory: pytest.TempPathFactory, tail: Any, head: Any, weight: Any, ids: Any, lonlat: Any
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.mcd"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            macadam.import_arrays(tail, head, {"w": weight}, path, ids=ids, lonlat=lonlat, threads=1)
        except EXPECTED:
            pass
