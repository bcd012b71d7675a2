"""Tables: columns, structured arrays, and Arrow's readers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import macadam
import numpy as np
import pytest
from conftest import Random
from macadam._lines import pieces_of


@pytest.fixture
def routes(engine: macadam.Engine, graph: Random) -> Any:
    with pytest.warns(macadam.PlaceWarning, match="1 of 5 routes"):
        return engine.routes(graph.ids[[0, 1, 2, 3, 190]], graph.ids[[5, 6, 7, 8, 9]], paths=True)


def test_columns_and_rows(town: macadam.Engine) -> None:
    snaps = town.snap([11, (10.0021, 49.9999)])
    assert snaps.column_names[:3] == ["status", "id", "lon"]
    assert len(snaps) == 2 and "2 rows" in repr(snaps)
    rows = np.asarray(snaps)
    assert rows.dtype.names == tuple(snaps.column_names)
    assert rows["name"][1] == "Mill Lane" and snaps[1]["name"] == "Mill Lane"
    with pytest.raises(AttributeError, match="no column 'x'"):
        snaps.x


def test_arrow_of_numbers_text_and_lists(routes: Any, town: macadam.Engine) -> None:
    nanoarrow = pytest.importorskip("nanoarrow")
    stream = nanoarrow.ArrayStream(routes)
    array = stream.read_all()
    rows = array.to_pylist()
    assert [row["duration"] for row in rows[:4]] == routes.duration[:4].tolist() and rows[4]["duration"] is None
    assert rows[0]["arcs"] == routes["arcs"][0].tolist() and rows[4]["arcs"] == []
    snaps = nanoarrow.ArrayStream(town.snap([11, (10.0021, 49.9999)])).read_all()
    assert snaps.to_pylist()[1]["name"] == "Mill Lane"
    empty = nanoarrow.ArrayStream(town.snap([])).read_all()
    assert len(empty) == 0
    reach = nanoarrow.ArrayStream(town.reach([23, 31], [20, 40])).read_all().to_pylist()
    assert [row["nodes_1"] for row in reach] == [13, 10]


def test_arrow_without_a_copy(engine: macadam.Engine, graph: Random) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    routes = engine.routes(graph.ids[:4], graph.ids[4:8])
    table = pyarrow.table(routes)
    column = table["duration"].chunk(0)
    assert column.buffers()[1].address == routes.duration.ctypes.data
    assert pyarrow.table(engine.matrix(graph.ids[:3])).num_rows == 9
    del routes
    assert len(table.to_pylist()) == 4


def test_readers_of_arrow(routes: Any) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(routes)
    assert frame["duration"].null_count() == 1
    duckdb = pytest.importorskip("duckdb")
    assert duckdb.sql("SELECT count(duration) FROM routes").fetchall() == [(4,)]


def test_pandas_and_geopandas(town: macadam.Engine) -> None:
    pytest.importorskip("geopandas")
    roads = town.roads().to_geopandas()
    assert roads.crs.to_epsg() == 4326 and len(roads) == len(town.roads())
    route = town.route([11, 35])
    assert route.to_geopandas().duration[0] == 96000
    assert route.shapely.length > 0
    assert town.matrix([11, 12]).to_pandas().shape == (2, 2)
    stops = roads.geometry.interpolate(0.5, normalized=True)
    assert len(town.snap(stops.to_crs(3857))) == len(roads)


@pytest.mark.parametrize(
    ("points", "pieces"),
    [
        ([[180, 0], [179.9, 0], [180, 1], [-179.9, 1]], [[[180, 0], [179.9, 0], [180, 1]], [[-180, 1], [-179.9, 1]]]),
        ([[180, 0], [-180, 0], [-179.9, 0]], [[[-180, 0], [-179.9, 0]]]),
        ([[-180, 0], [180, 0], [179.9, 0]], [[[180, 0], [179.9, 0]]]),
        ([[179, 0], [-179, 1]], [[[179, 0], [180, 0.5]], [[-180, 0.5], [-179, 1]]]),
        ([[180, 0], [-180, 0]], [[[180, 0], [180, 0]]]),
        ([[7, 0], [7, 0]], [[[7, 0], [7, 0]]]),
    ],
)
def test_lines_keep_to_the_side_of_their_next_point(points: Any, pieces: Any) -> None:
    found = pieces_of(np.array(points, dtype=float))
    assert len(found) == len(pieces)
    for piece, wanted in zip(found, pieces):
        assert np.allclose(piece, wanted, rtol=0, atol=1e-9)


def test_lines_are_cut_at_the_180th_meridian(tmp_path: Path) -> None:
    west, east = [[179.98, 1.0], [180.0, 1.0]], [[-180.0, 1.0], [-179.98, 1.0]]
    node = "<node id='{}' lon='{}' lat='1'/>"
    way = "<way id='{}'><nd ref='{}'/><nd ref='{}'/><tag k='highway' v='residential'/></way>"
    places = "".join(node.format(i, lon) for i, lon in enumerate((179.98, 180, -180, -179.98), 1))
    for i, ways in enumerate((((1, 2), (3, 4)), ((1, 4),))):
        file, drawn = tmp_path / f"{i}.mcd", tmp_path / f"{i}.osm"
        roads = "".join(way.format(10 + k, *ends) for k, ends in enumerate(ways))
        drawn.write_text(f"<osm version='0.6'>{places}{roads}</osm>")
        macadam.import_osm(drawn, file)
        with macadam.open(file, device="cpu") as engine:
            for start, end, wanted in ((1, 4, [west, east]), (4, 1, [east[::-1], west[::-1]])):
                geometry = engine.route([start, end]).geojson()["geometry"]
                assert geometry["type"] == "MultiLineString"
                assert np.allclose(geometry["coordinates"], wanted, rtol=0, atol=1e-9)
            area = engine.isochrone([1], [1000]).geojson()["features"][0]["geometry"]["coordinates"]
            bounds = sorted((np.min(outer, axis=0)[0], np.max(outer, axis=0)[0]) for outer, *_ in area)
            assert len(bounds) == 2 and bounds[0][0] == -180 and bounds[1][1] == 180
            pytest.importorskip("geopandas")
            line = engine.route([1, 4]).shapely
            assert line.geom_type == "MultiLineString" and abs(line.length - 0.04) < 1e-6
            kinds = set(engine.roads().to_geopandas().geometry.geom_type)
            assert kinds == ({"LineString"} if i == 0 else {"MultiLineString"})
