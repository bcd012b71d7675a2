"""Whatever a call is given, it answers or raises an exception that names the argument; MACADAM_HYPOTHESIS=long tries 10,000 a call."""

from __future__ import annotations

import tempfile
import warnings
from typing import Any

import macadam
import numpy as np
import pytest
from conftest import ROOT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from macadam.tiles import partition

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

TOWN = ROOT / "examples" / "town.osm"
TRACE = [(10.0, 50.0), (10.001, 50.0), (10.002, 50.0005)]
FOLDER = tempfile.mkdtemp()
# Each call, and what its errors may name.
CALLS: dict[str, tuple[str, Any]] = {
    "matrix": ("sources targets out", lambda m, a, b, c: m.matrix(a, b, out=c)),
    "matrix_options": ("quantit metric snap_radius", lambda m, a, b, c: m.matrix([11], quantities=a, metric=b, snap_radius=c)),
    "tree": ("sources limit out", lambda m, a, b, c: m.tree(a, limit=b, out=c)),
    "snap": ("where snap_radius", lambda m, a, b, c: m.snap(a, snap_radius=b)),
    "routes": ("sources targets", lambda m, a, b, c: m.routes(a, b, paths=True)),
    "routes_pairs": ("sources", lambda m, a, b, c: m.routes(a)),
    "route": ("waypoints", lambda m, a, b, c: m.route([a, b])),
    "reach": ("sources limits values targets", lambda m, a, b, c: m.reach(a, b, values=c, targets=a, nearest=2)),
    "nearest": ("targets count reverse", lambda m, a, b, c: m.nearest(a, b, reverse=c)),
    "nearest_sources": ("sources", lambda m, a, b, c: m.nearest([11, 35], 2)(a)),
    "isochrone": ("sources limits", lambda m, a, b, c: m.isochrone(a, b)),
    "hops": ("sources limit", lambda m, a, b, c: m.hops(a, limit=b)),
    "connect": ("source target", lambda m, a, b, c: m.connect(a, b)),
    "update": ("arcs duration", lambda m, a, b, c: m.update(a, duration=b)),
    "update_ends": ("tails heads distance node arc", lambda m, a, b, c: m.update(tails=a, heads=b, distance=c)),
    "candidates": ("where count", lambda m, a, b, c: m.candidates(a, b)),
    "vehicle": ("vehicle height weight", lambda m, a, b, c: m.route([11, 35], vehicle={"height_m": a, "weight_t": b} if isinstance(c, list) else a)),
    "slot": ("slot segments vehicle", lambda m, a, b, c: m.route([11, 35], slot=a, segments=b, vehicle=c)),
    "clock": ("depart arrive_by time_each", lambda m, a, b, c: m.matrix([11], depart=a, arrive_by=b, time_each=c)),
    "zone": ("utc_offset depart", lambda m, a, b, c: m.matrix([11], depart=a, utc_offset=b)),
    "update_ways": ("ways directions duration arcs", lambda m, a, b, c: m.update(ways=a, directions=b, duration=c)),
    "matrix_snap": ("sources targets", lambda m, a, b, c: [it.name for it in (m.matrix(a, b, snap=True).sources,)]),
    "conditions": ("avoid area road_costs road_class", lambda m, a, b, c: m.route([11, 35], avoid=a, avoid_areas=b, road_costs=c)),
    "match": ("points time heading first", lambda m, a, b, c: m.match(a, time=b, heading=c, first=b)),
    "match_options": ("accuracy speed heading", lambda m, a, b, c: m.match(TRACE, accuracy=a, speed=b, heading_accuracy=c, heading=a)),
    "trip": ("stops open steps", lambda m, a, b, c: m.trip(a, open=b, steps=c)),
    "route_options": ("alternatives via_turn stretch sharing", lambda m, a, b, c: m.route([11, 35], alternatives=a, via_turn=b, stretch=c, sharing=a)),
    "texts": ("language", lambda m, a, b, c: m.route([11, 35], steps=True).texts(a)),
    "tree_options": ("order method device reverse parents", lambda m, a, b, c: m.tree([11], order=a, method=b, device=c, reverse=c, parents=a)),
    "hops_options": ("method reverse parents", lambda m, a, b, c: m.hops([11], method=a, reverse=b, parents=c)),
    "isochrone_options": ("width disjoint reverse", lambda m, a, b, c: m.isochrone(11, [10], width=a, disjoint=b, reverse=c)),
    "reached": ("place limit reverse", lambda m, a, b, c: m.reached(a, b, reverse=c)),
    "all_pairs": ("method quantit out", lambda m, a, b, c: m.all_pairs(method=a, quantities=b, out=c)),
    "closure": ("packed limit", lambda m, a, b, c: m.closure(packed=a, memory_limit=b)),
    "warm": ("avoid area road_costs road_class", lambda m, a, b, c: m.warm(avoid=a, avoid_areas=b, road_costs=c)),
    "progress": ("progress strict any_component", lambda m, a, b, c: m.matrix([11], progress=a, strict=b, any_component=c)),
    "matrix_tiles": ("sources targets quantit", lambda m, a, b, c: list(m.matrix_tiles(a, b, quantities=c))),
    "all_pairs_tiles": ("method quantit next_hops", lambda m, a, b, c: list(m.all_pairs_tiles(method=a, quantities=b, next_hops=c))),
    "matrix_to": ("sources targets quantit", lambda m, a, b, c: m.matrix_to(FOLDER + "/out.npy", a, b, quantities=c)),
    "save": ("ready", lambda m, a, b, c: m.save(FOLDER + "/saved.mcd", ready=a)),
    "open": ("device memory_limit trust_file", lambda m, a, b, c: macadam.open(FOLDER + "/none.mcd", device=a, memory_limit=b, trust_file=c)),
    "open_path": ("path open memory read", lambda m, a, b, c: macadam.open(a)),
    "open_memory": ("path memory", lambda m, a, b, c: macadam.open(a if isinstance(a, (bytes, np.ndarray)) else b"")),
    "import_osm": ("profile ready", lambda m, a, b, c: macadam.import_osm(FOLDER + "/none.osm", FOLDER + "/out.mcd", profile=a, ready=b)),
    "import_options": (
        "order heights threads memory_limit open",
        lambda m, a, b, c: macadam.import_osm(TOWN, FOLDER + "/out.mcd", order=a, heights=b, memory_limit=c, threads=1),
    ),
    "import_dimacs": ("weights coordinates open", lambda m, a, b, c: macadam.import_dimacs({"duration": a}, FOLDER + "/out.mcd", coordinates=b)),
    "roads": ("box", lambda m, a, b, c: m.roads(a)),
    "partition": ("chunk", lambda m, a, b, c: partition(20, 20, a)),
    "places": ("places heading side radius", lambda m, a, b, c: macadam.places(a, heading=b, side=c, radius=b)),
    "call": ("request", lambda m, a, b, c: m.call(a)),
}


@pytest.mark.parametrize("name", CALLS)
def test_any_arguments(town_path: Any, name: str) -> None:
    arguments, call = CALLS[name]
    stems = [it.rstrip("s") for it in arguments.split()]
    with macadam.open(town_path, threads=1) as engine:

        @settings(suppress_health_check=list(HealthCheck))
        @given(places, places, anything)
        def attack(a: Any, b: Any, c: Any) -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    call(engine, a, b, c)
                except EXPECTED as error:
                    assert any(it in str(error) for it in stems), error

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
        except EXPECTED as error:
            assert any(it in str(error) for it in ("tail", "head", "weight", "node", "id", "lonlat")), error
