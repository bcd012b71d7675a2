"""The names that places have in a frame are in every answer; frames come from files, and answers go into them."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import macadam
import numpy as np
import pytest

pandas = pytest.importorskip("pandas")

NAMES = ["mill", "007", "market"]
STOPS = {"lon": [10.0021, 10.0041, 10.0011], "lat": [49.9999, 50.0024, 50.0012]}
Ask = Callable[[macadam.Engine, Any], Any]
# A row for each place: the index of the frame. `trace`: the places are points of one.
ROWS: dict[str, Ask] = {
    "snap": lambda m, it: m.snap(it),
    "snaps of a matrix": lambda m, it: m.matrix([11], it, snap=True).targets,
    "reach": lambda m, it: m.reach(it, [60]),
    "nearest of reach": lambda m, it: m.reach(it, targets=[11], nearest=1),
    "nearest": lambda m, it: m.nearest([11, 23])(it),
    "routes": lambda m, it: m.routes(it, [11, 23, 35]),
    "trip": lambda m, it: m.trip(it),
    "stops of a trip": lambda m, it: m.trip(it).stops,
    "match": lambda m, it: m.match(it),
    "sources of isochrones": lambda m, it: m.isochrone(it, [60]).source,
}
# More rows for each place: the column source.
SOURCES: dict[str, Ask] = {
    "matrix": lambda m, it: m.matrix(it, [11, 23]),
    "tiles": lambda m, it: next(m.matrix_tiles(it, [11, 23])),
    "matrix with times": lambda m, it: m.matrix(it, [11], depart=["Mo08:00", "Mo09:00"]),
    "tree": lambda m, it: m.tree(it),
    "hops": lambda m, it: m.hops(it),
    "isochrone": lambda m, it: m.isochrone(it, [30, 60]),
}


def frames() -> list[Any]:
    """With a column, with an index of text, and with one of numbers that are not positions."""
    frame = pandas.DataFrame({"id": NAMES, **STOPS})
    return [frame, frame.set_index("id"), pandas.DataFrame(STOPS, index=[30, 10, 20]), frame.assign(id=[7, 1 << 40, -1])]


def names_of(frame: Any) -> list[Any]:
    names: list[Any] = (frame["id"] if "id" in frame else frame.index).tolist()
    return names


@pytest.mark.filterwarnings("ignore::macadam.PlaceWarning")
@pytest.mark.parametrize("name", ROWS)
def test_rows_have_the_names_of_places(town: macadam.Engine, name: str) -> None:
    for frame in frames():
        assert ROWS[name](town, frame).to_pandas().index.tolist() == names_of(frame)
    assert ROWS[name](town, list(zip(*STOPS.values()))).to_pandas().index.tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", SOURCES)
def test_sources_have_the_names_of_places(town: macadam.Engine, name: str) -> None:
    for frame in frames():
        answer = SOURCES[name](town, frame)
        count = len(answer.table()) // 3
        expected = np.repeat(np.array(names_of(frame)), count).tolist()
        assert np.asarray(answer.table().source).tolist() == expected
        assert [row.source for row in answer] == expected
    plain = SOURCES[name](town, list(zip(*STOPS.values()))).table().source
    assert plain.tolist() == np.repeat(np.arange(3), count).tolist()


def test_targets_and_pairs_have_names(town: macadam.Engine, tmp_path: Path) -> None:
    frame = frames()[0]
    table = town.matrix([11], frame).table()
    assert table.target.tolist() == NAMES and table.source.tolist() == [0, 0, 0]
    pairs = pandas.DataFrame({"source": [11, 23], "target": [35, 11]}, index=["there", "back"])
    assert town.routes(pairs).to_pandas().index.tolist() == ["there", "back"]
    assert town.access(frame.set_index("id"), [11, 23]).index.tolist() == NAMES
    features = town.isochrone(frame, [60]).geojson()["features"]
    assert [it["properties"]["source"] for it in features] == NAMES
    parquet = pytest.importorskip("pyarrow.parquet")
    town.matrix_to(tmp_path / "costs.parquet", frame, memory_limit=100_000)
    found = parquet.read_table(tmp_path / "costs.parquet")
    assert found["source"].to_pylist() == np.repeat(NAMES, 3).tolist() and found["target"].to_pylist() == NAMES * 3


def test_names_may_repeat(town: macadam.Engine) -> None:
    frame = frames()[0].assign(id=["a", "b", "a"])
    assert town.matrix(frame, [11]).to_pandas().index.tolist() == ["a", "b", "a"]
    assert town.matrix(frame, [11]).table().to_pandas().source.tolist() == ["a", "b", "a"]


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "geoparquet", "geojson", "gpkg"])
def test_points_come_from_files(town: macadam.Engine, tmp_path: Path, kind: str) -> None:
    frame, path = frames()[0], tmp_path / f"stops.{kind.replace('geoparquet', 'parquet')}"
    if kind.startswith("csv"):
        frame.to_csv(path, index=False)
    elif kind == "parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(path)
    else:
        geopandas = pytest.importorskip("geopandas")
        points = geopandas.GeoDataFrame({"id": NAMES}, geometry=geopandas.points_from_xy(*STOPS.values()), crs=4326)
        if kind == "geoparquet":
            pytest.importorskip("pyarrow")
            points.to_crs(3857).to_parquet(path)
        else:
            points.to_file(path)
    found = town.matrix(macadam.read_points(path))
    assert found.to_pandas().index.tolist() == NAMES
    np.testing.assert_array_equal(found.duration, town.matrix(frame).duration)


def test_ids_of_csv_are_numbers_only_if_all_are(tmp_path: Path) -> None:
    for ids, expected in ((["1", "-20"], [1, -20]), (["1", "02"], ["1", "02"]), (["1", "x"], ["1", "x"])):
        path = tmp_path / "ids.csv"
        path.write_text("id,lon,lat\n" + "".join(f"{it},10.0,50.0\n" for it in ids))
        assert macadam.read_points(path).id.tolist() == expected
    path.write_text("id,lon,lat\nNA,10.0,50.0\nnull,10.0,50.0\n007,,50.0\n")
    for options in ({}, {"dtype": {"lon": "float32"}}):
        found = macadam.read_points(path, **options)
        assert found.id.tolist() == ["NA", "null", "007"] and found.lon.isna().tolist() == [False, False, True]
    path.write_text("id,lon,lat\n7,10.0,50.0\n,10.0,50.0\n")
    assert macadam.read_points(path).id.tolist() == ["7", ""]
    assert macadam.read_points(path, dtype={"id": "float64"}).id.tolist()[0] == 7.0


def test_names_keep_their_type(town: macadam.Engine) -> None:
    """Missing names are null, and integers stay integers."""
    arrow = pytest.importorskip("pyarrow")
    whole = pandas.DataFrame({"id": pandas.array([7, None, 1 << 60], dtype="Int64"), **STOPS})
    texts = pandas.DataFrame({"id": ["7", None, "x"], **STOPS})
    for frame, names in ((whole, [7, None, 1 << 60]), (texts, ["7", None, "x"]), (arrow.table(whole), [7, None, 1 << 60])):
        table = town.matrix(frame, [11]).table()
        assert table.source.tolist() == names and [row.source for row in table] == names
        found = arrow.table(table)["source"].to_pylist()
        assert found == names and list(map(type, found)) == list(map(type, names))
        assert [None if pandas.isna(it) else it for it in table.to_pandas().source] == names
    for ids in ([1, "1", None], [1, 2.5, 3], [True, 1, 0]):
        with pytest.raises(macadam.InvalidError, match="the ids of places are of several types"):
            town.matrix(pandas.DataFrame({"id": pandas.Series(ids, dtype=object), **STOPS}), [11]).table()


@pytest.mark.filterwarnings("ignore::macadam.PlaceWarning")
def test_answers_go_into_parquet(town: macadam.Engine, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    frame, path = frames()[0], tmp_path / "answer.parquet"
    for name, call in {**ROWS, **SOURCES}.items():
        answer = call(town, frame)
        answer.to_parquet(path, compression="zstd")
        found = parquet.read_table(path)
        assert len(found) == len(answer.table()), name
        if name in ROWS:
            assert found["place"].to_pylist() == NAMES, name
            found = found.drop_columns(["place"])
        else:
            assert list(dict.fromkeys(found["source"].to_pylist())) == NAMES, name
        assert found.column_names == list(answer.table().to_pandas().columns), name
    answer = town.matrix([11, 23], [35, 999])
    answer.to_parquet(path)
    assert parquet.read_table(path)["duration"].to_pylist() == [96000, None, 46000, None]


def run_module(*arguments: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "macadam", *map(str, arguments)], capture_output=True, text=True)


COMMANDS = [
    "matrix --sources stops.csv --targets nodes.csv --quantities duration,distance --statuses",
    "matrix --sources stops.csv --targets stops.csv --units si",
    "matrix --sources stops.csv --targets nodes.csv --fallback-speed 20km/h",
    "routes --pairs pairs.csv --paths", "reach --sources stops.csv --limits 10s,20s", "snap --places stops.csv",
    "reach --sources stops.csv --targets nodes.csv --nearest 2", "tree --from node:11", "trip --places stops.csv",
    "hops --from node:11", "arcs",
]  # fmt: skip


@pytest.mark.parametrize("ask", COMMANDS)
def test_the_module_writes_what_the_command_writes(town_path: Path, tmp_path: Path, ask: str) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path, text = tmp_path / "answer.parquet", tmp_path / "answer.csv"
    stops = [f"{name},{lon},{lat}\n" for name, lon, lat in zip(["7", "007", "a"], *STOPS.values())]
    (tmp_path / "stops.csv").write_text("id,lon,lat\n" + "".join(stops))
    (tmp_path / "nodes.csv").write_text("node,id\n11,8\n35,9\n")
    (tmp_path / "pairs.csv").write_text("source,target\n11,35\n23,11\n")
    name, *options = ask.split()
    arguments = name, town_path, *(tmp_path / it if it.endswith(".csv") else it for it in options), "--quiet"
    for output in path, text:
        done = run_module(*arguments, "-o", output)
        assert done.returncode == 0, done.stderr
    header, *rows = csv.reader(text.read_text().splitlines())
    table = parquet.read_table(path)
    assert table.column_names == header and len(table) == len(rows) > 0
    for column, cells in zip(header, zip(*rows)):
        found, kind = table[column].to_pylist(), str(table[column].type)
        assert [it is None for it in found] == [it == "" for it in cells], column
        given = [(it, cell) for it, cell in zip(found, cells) if cell]
        assert all(float(cell) == it if kind == "double" else cell == str(it) for it, cell in given), column
        if column in ("source", "id"):
            assert kind == ("string" if "stops.csv" in ask else "int64")
        if column in ("duration", "distance"):
            assert kind == ("double" if "--units" in ask else "int64")
    assert sorted(it.name for it in tmp_path.glob("answer*")) == ["answer.csv", "answer.parquet"]


def test_the_module_fails_as_the_command_does(town_path: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "answer.parquet"
    path.write_text("kept")
    done = run_module("tree", town_path, "--from", "node:999", "-o", path)
    assert done.returncode == 2 and "no such node" in done.stderr
    done = run_module("tree", town_path, "--from", "node:11", "--format", "json", "-o", path)
    assert done.returncode == 0 and path.read_text().startswith("[")
    assert [it.name for it in tmp_path.iterdir()] == ["answer.parquet"]
    done = run_module("tree", town_path, "--from", "node:11", "--json-errors", "-o", tmp_path / "none" / "a.parquet")
    assert done.returncode == 2
    assert json.loads(done.stderr)["error"] == f"-o {tmp_path / 'none' / 'a.parquet'}: No such file or directory"
    (tmp_path / "pyarrow.py").write_text("raise ImportError")
    ask = [sys.executable, "-m", "macadam", "tree", str(town_path), "--from", "node:11", "--json-errors", "-o", str(path)]
    without = subprocess.run(ask, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert without.returncode == 2 and "Parquet needs pyarrow" in json.loads(without.stderr)["error"]


def test_the_module_makes_maps_of_any_name(town_path: Path, tmp_path: Path) -> None:
    done = run_module("ready", town_path, "-o", tmp_path / "town.parquet", "--quiet")
    assert done.returncode == 0, done.stderr
    with macadam.open(tmp_path / "town.parquet") as engine:
        assert engine.route([11, 35]).duration


def test_whole_numbers_are_found_in_all_of_a_column(tmp_path: Path) -> None:
    """Past the first block that Arrow reads."""
    parquet = pytest.importorskip("pyarrow.parquet")
    from macadam.__main__ import _convert as convert

    for last, kind in (("8", "int64"), ("08", "string"), ("a", "string"), ("", "int64"), ("1.5", "string")):
        text = "source,cost\n" + "12345678,1\n" * 200_000 + f"{last},2.5\n"
        (tmp_path / "long.csv").write_text(text)
        convert(os.fspath(tmp_path / "long.csv"), os.fspath(tmp_path / "long.parquet"))
        table = parquet.read_table(tmp_path / "long.parquet")
        assert str(table["source"].type) == kind and str(table["cost"].type) == "double"
        assert len(table) == 200_001 and table["source"][-1].as_py() == (None if last == "" else int(last) if kind == "int64" else last)
