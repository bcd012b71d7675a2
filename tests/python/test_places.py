"""Places in all their forms, and places that fail."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import macadam
import numpy as np
import pytest
from conftest import ROOT

POINTS = [(10.0021, 49.9999), (10.0061, 50.0025), (10.0040, 50.0040)]


class Interface:
    """Anything with __array__."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.array


class Tensor:
    """Anything with DLPack."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class Point:
    """A point as shapely has it."""

    geom_type, is_empty = "Point", False

    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y


class LonLat(NamedTuple):
    """A row as pandas.DataFrame.itertuples has it."""

    lon: float
    lat: float


ARRAY = np.array(POINTS)


@pytest.mark.parametrize(
    "form",
    [
        POINTS,
        tuple(POINTS),
        [list(point) for point in POINTS],
        [LonLat(*point) for point in POINTS],
        ARRAY,
        np.asfortranarray(ARRAY),
        np.repeat(ARRAY, 2, axis=0)[::2],
        Interface(ARRAY),
        Tensor(ARRAY),
        {"lon": ARRAY[:, 0], "lat": ARRAY[:, 1]},
        {"id": ["a", "b", "c"], "longitude": list(ARRAY[:, 0]), "latitude": list(ARRAY[:, 1])},
        np.array([*POINTS], dtype=[("lon", "f8"), ("lat", "f8")]),
        [Point(*point) for point in POINTS],
        (tuple(point) for point in POINTS),
        macadam.places(POINTS),
        np.concatenate([macadam.places(POINTS[:1]), macadam.places(POINTS[1:])]),
    ],
    ids=lambda form: type(form).__name__,
)
def test_points_in_every_form(town: macadam.Engine, form: Any) -> None:
    expected = town.snap(POINTS)
    found = town.snap(form)
    np.testing.assert_array_equal(found.lon, expected.lon)
    np.testing.assert_array_equal(found.arc, expected.arc)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4", "i8", "u8", ">i4"])
def test_ids_of_every_type(town: macadam.Engine, dtype: str) -> None:
    assert town.snap(np.array([11, 35, 22], dtype)).id.tolist() == [11, 35, 22]


def test_ids_and_points_may_mix(town: macadam.Engine) -> None:
    snaps = town.snap([11, POINTS[0], np.int64(35), Point(*POINTS[1])])
    assert snaps.id.tolist()[0::2] == [11, 35]


def test_a_single_place(town: macadam.Engine) -> None:
    for place in (11, np.int32(11), POINTS[0], Point(*POINTS[0]), np.array(POINTS[:1])):
        assert len(town.snap(place)) == 1
    assert town.tree(11).duration.shape == (21,)
    assert town.tree([11]).duration.shape == (1, 21)


def test_headings_and_curbs(town: macadam.Engine) -> None:
    point = [(10.0029, 50.0013)]
    free = town.tree(point).duration
    east = town.tree(macadam.places(point, heading=90, tolerance=30)).duration
    assert np.any(east > free) and not np.any(east < free)
    assert town.snap({"lon": [10.0029], "lat": [50.0013], "heading": [270.0]}, snap_radius=50)["name"] == [
        "Market Street"
    ]
    with pytest.warns(macadam.PlaceWarning, match="1 too_far"):
        town.snap(macadam.places(point, heading=45, tolerance=1))
    beside = [(10.0029, 50.0014)]
    free, one, other = (town.tree(macadam.places(beside, side=it)).duration for it in ("any", "curb", "opposite"))
    assert np.array_equal(np.minimum(one, other), free) and not np.array_equal(one, other)
    with pytest.warns(macadam.PlaceWarning, match="1 too_far"):
        town.snap(macadam.places([(10.0021, 49.9999), (10.0021, 49.9999)], radius=[5, 20]))
    with pytest.raises(macadam.InvalidError, match="'left'"):
        macadam.places(POINTS, side="left")
    with pytest.raises(macadam.InvalidError):
        macadam.places(POINTS, heading=[1, 2])


def test_failures_are_counted(town: macadam.Engine) -> None:
    with pytest.warns(
        macadam.PlaceWarning, match=r"3 of 4 sources.*1 unknown_id, 1 too_far, 1 invalid.*number 1"
    ) as caught:
        matrix = town.matrix([11, 999, (1.0, 2.0), (float("nan"), 2.0)], [11])
    assert caught[0].filename == __file__
    assert matrix.source_status.tolist() == [0, 1, 2, 3]
    assert macadam.PlaceStatus(matrix.status[0][2]).name == "TOO_FAR"
    assert matrix.duration[1:, 0].tolist() == [macadam.UNREACHED] * 3
    with pytest.raises(macadam.PlaceError, match="targets"):
        town.matrix([11], [999], strict=True)


def test_swapped_coordinates_are_noticed(town: macadam.Engine) -> None:
    with pytest.raises(macadam.PlaceError, match="longitude and latitude swapped"):
        town.matrix([point[::-1] for point in POINTS], strict=True)
    with pytest.raises(macadam.PlaceError) as caught:
        town.matrix([(1.0, 1.0)], strict=True)
    assert "swapped" not in str(caught.value)
    with pytest.warns(macadam.PlaceWarning, match="longitude and latitude swapped"):
        town.match([point[::-1] for point in POINTS])
    with pytest.warns(macadam.PlaceWarning) as warned:
        town.match([(1.0, 1.0), POINTS[0]])
    assert "swapped" not in str(warned[0].message)


@pytest.mark.parametrize(
    ("form", "error", "text"),
    [
        ([], macadam.InvalidError, "sources: there is no place"),
        (np.zeros((0, 2)), macadam.InvalidError, "sources: there is no place"),
        ("node:11", TypeError, "sources: 'node:11' is not a place"),
        (None, TypeError, "sources"),
        (True, TypeError, "sources"),
        (11.5, TypeError, "sources"),
        ([11, 11.5], TypeError, r"sources\[1\]: 11.5 is not a place"),
        ([11, "x"], TypeError, r"sources\[1\]"),
        ([(1.5, None)], TypeError, r"sources\[0\]: \(1.5, None\) is not a place"),
        ((1.5, None), TypeError, r"sources\[0\]"),
        ([(11, 12, 13)], TypeError, r"sources\[0\]"),
        ([2**70], macadam.InvalidError, r"sources\[0\]: the id 1180591620717411303424 does not fit"),
        (np.array([2**63], np.uint64), macadam.InvalidError, "sources: the id 9223372036854775808"),
        (np.array([1.0, 2.0, 3.0]), macadam.InvalidError, r"sources: an array of shape \(3,\) and type float64"),
        (np.zeros((2, 3)), macadam.InvalidError, r"sources: an array of shape \(2, 3\)"),
        (np.zeros((2, 2, 2)), macadam.InvalidError, "sources"),
        (np.zeros(3, "M8[s]"), macadam.InvalidError, "sources"),
        (np.array([True]), macadam.InvalidError, "sources"),
        (np.array(["a"]), macadam.InvalidError, "sources"),
        ({"lon": [1.0]}, macadam.InvalidError, "sources: a table with the columns"),
        ({"lon": [1.0], "lat": [1.0, 2.0]}, ValueError, "lon and lat differ in length"),
        (object(), TypeError, "sources: object is not a place"),
    ],
)
def test_bad_places_name_the_argument(town: macadam.Engine, form: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        town.matrix(form)


def open_with_road(tmp_path: Path, *ends: tuple[float, float]) -> macadam.Engine:
    """The guide's town with a road that nothing joins."""
    nodes = "".join(f'<node id="{900 + i}" version="1" lon="{lon}" lat="{lat}"/>' for i, (lon, lat) in enumerate(ends))
    (tmp_path / "road.osm").write_text(
        f'<osm version="0.6">{nodes}<way id="900" version="1"><nd ref="900"/><nd ref="901"/>'
        '<tag k="highway" v="service"/></way></osm>'
    )
    macadam.import_osm([ROOT / "examples" / "town.osm", tmp_path / "road.osm"], tmp_path / "town.mcd")
    return macadam.open(tmp_path / "town.mcd")


def test_strict_allows_no_place_that_is_cut_off(tmp_path: Path) -> None:
    with open_with_road(tmp_path, (10.1, 50.1), (10.102, 50.1)) as engine:
        points = [(10.0021, 49.9999), (10.0019, 50.0027), (10.101, 50.1)]
        with pytest.warns(macadam.PlaceWarning):
            assert engine.matrix(points).source_status.tolist() == [0, 0, macadam.PlaceStatus.CUT_OFF]
        for ask in (lambda: engine.matrix(points, strict=True), lambda: engine.route(points[1:], strict=True)):
            with pytest.raises(macadam.PlaceError, match="1 of [23] .* were not found or are cut off: 1 cut_off"):
                ask()


def test_trips_leave_out_stops_that_cannot_be_reached(tmp_path: Path) -> None:
    stops = [(10.0021, 49.9999), (10.101, 50.1), (10.0019, 50.0027), 999]
    with open_with_road(tmp_path, (10.1, 50.1), (10.102, 50.1)) as engine:
        with pytest.warns(macadam.PlaceWarning, match="2 of 4 stops were not found or cannot be reached: 1 unknown_id, 1 unreached"):
            trip = engine.trip(stops)
        assert trip and sorted(trip.order) == [0, 2] and trip.cost == engine.trip(stops[::2]).cost
        assert [macadam.PlaceStatus(it).name for it in trip.stops.status] == ["OK", "UNREACHED", "OK", "UNKNOWN_ID"]
        assert [row.position is None for row in trip] == [False, True, False, True]
        with pytest.raises(macadam.PlaceError, match="2 of 4 stops"):
            engine.trip(stops, strict=True)
        with pytest.warns(macadam.PlaceWarning, match="number 0"):
            trip = engine.trip([stops[1], stops[0], stops[2]], from_first=True)
        assert not trip and trip.stops.status.tolist() == [macadam.PlaceStatus.UNREACHED, 0, 0] and len(trip.order) == 0


def test_places_that_are_moved_are_found(tmp_path: Path) -> None:
    shop, house, barn = points = [(10.0021, 49.9999), (10.005, 50.0019), (10.0056, 50.0017)]
    ok, moved = macadam.PlaceStatus.OK, macadam.PlaceStatus.MOVED
    with open_with_road(tmp_path, (10.0040, 50.0018), (10.0058, 50.0018)) as engine, warnings.catch_warnings():
        warnings.simplefilter("error")
        for strict in (False, True):
            matrix = engine.matrix(points, strict=strict)
            assert matrix.source_status.tolist() == matrix.target_status.tolist() == [ok, moved, moved]
            assert matrix.for_solver("fail").shape == (3, 3)
            snaps = engine.snap(points, strict=strict)
            assert snaps.status.tolist() == [ok, moved, moved]
            assert np.isnan(snaps.nearest_m[0]) and snaps.nearest_m[1:].round(2).tolist() == [11.12, 11.12]
            assert snaps.distance_m.round(2).tolist() == [11.12, 66.72, 28.59]
            assert engine.tree(points, strict=strict).source_status.tolist() == [ok, moved, moved]
            assert engine.hops(points, strict=strict).source_status.tolist() == [ok, moved, moved]
            assert engine.reach(points, 9000, strict=strict).status.tolist() == [ok, moved, moved]
            assert engine.nearest(points, 1, strict=strict).status.tolist() == [ok, moved, moved]
            routes = engine.routes([house, house, shop], [barn, shop, barn], strict=strict)
            assert routes.source_status.tolist() == [ok, moved, ok] and routes.target_status.tolist() == [ok, ok, moved]
            assert engine.route([house, barn], strict=strict).waypoints.status.tolist() == [ok, ok]
            route = engine.route([house, barn, shop], strict=strict)
            assert route.waypoints.status.tolist() == [ok, moved, ok]
            assert engine.trip([house, barn], strict=strict).stops.status.tolist() == [ok, ok]


def test_vector_tiles(town: macadam.Engine) -> None:
    tile = town.vector_tile(14, 8647, 5556)
    assert b"speeds" in tile and b"West Street" in tile and town.vector_tile(14, 0, 0) == b""
    assert town.vector_tile(0, 0, 0) == b""  # each road is a point there
    with pytest.raises(macadam.InvalidError, match="zoom 3, x 8, y 0"):
        town.vector_tile(3, 8, 0)


def test_the_tile_of_the_globe_draws_a_road_over_the_180th_meridian_at_both_sides(tmp_path: Path) -> None:
    file = tmp_path / "fiji.mcd"
    macadam.import_arrays([0, 1], [1, 0], {"duration": [1000, 1000]}, file, lonlat=[[179.9, -17], [-179.9, -17]])
    with macadam.open(file) as fiji:
        tile = fiji.vector_tile(0, 0, 0)
    line_to, east, west = 1 << 3 | 2, 2 << 1, -2 << 1 ^ -1  # two units of the tile
    assert [tile.count(bytes([line_to, way, 0])) for way in (east, west)] == [2, 2]


def test_waypoints_are_passed_without_a_stop(town: macadam.Engine) -> None:
    whole, passed = (town.route([11, 23, 35], steps=True, passes=passes) for passes in (None, [False, True, False]))
    assert (len(whole.legs), len(passed.legs)) == (2, 1) and len(passed.waypoints) == 3
    assert passed.duration == whole.duration == passed.legs.duration[0]
    assert passed.steps.type.tolist().count("arrive") == 1 and len(passed.steps) < len(whole.steps)
    with pytest.raises(macadam.InvalidError, match="passes"):
        town.route([11, 23, 35], passes=[True])
    with pytest.raises(macadam.InvalidError, match="passes: the values are of type int64, not flags"):
        town.route([11, 23, 35], passes=[0, 1, 0])
    trace = whole.coordinates + 1e-5
    match = town.match(trace, steps=True, passes=np.ones(len(trace), bool))
    assert [len(route.legs) for route in match.routes] == [1]
