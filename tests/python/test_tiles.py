"""Matrices tile by tile, in files, and on a cluster whose workers die."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import macadam
import numpy as np
import pytest
from conftest import Random
from macadam.tiles import partition

BOTH = ("duration", "distance")


def test_tiles_are_the_matrix(engine: macadam.Engine, graph: Random) -> None:
    ids = graph.ids[:150]
    expected = engine.matrix(ids, quantities=BOTH)
    found = np.zeros((2, 150, 150), np.uint32)
    for tile in engine.matrix_tiles(ids, quantities=BOTH, memory_limit=300_000):
        rows, columns = tile.shape
        for q, name in enumerate(BOTH):
            found[q, tile.row : tile.row + rows, tile.column : tile.column + columns] = tile[name]
    np.testing.assert_array_equal(found[0], expected.duration)
    np.testing.assert_array_equal(found[1], expected.distance)


def test_cells_without_a_path_become_straight_lines(engine: macadam.Engine, graph: Random, tmp_path: Path) -> None:
    ids, more = graph.ids[150:], {"fallback_speed": 10.0, "scale_factor": 1.5}
    with pytest.warns(macadam.PlaceWarning, match="cells have no path"):
        plain = engine.matrix(ids, quantities=BOTH)
    filled = engine.matrix(ids, quantities=BOTH, **more)  # type: ignore[arg-type]
    gaps = plain.duration == macadam.UNREACHED
    assert plain.fallback is None and filled.fallback is not None and 0 < gaps.sum() < gaps.size
    np.testing.assert_array_equal(filled.fallback, gaps)
    np.testing.assert_array_equal(filled.distance[~gaps], plain.distance[~gaps])
    np.testing.assert_array_equal(filled.duration[~gaps], np.floor(plain.duration[~gaps] * 1.5 + 0.5))
    lon, lat = np.radians(graph.lonlat[150:]).T
    half = np.sin((lat - lat[:, None]) / 2) ** 2 + np.cos(lat) * np.cos(lat[:, None]) * np.sin((lon - lon[:, None]) / 2) ** 2
    metres = 2 * 6371000 * np.arcsin(np.sqrt(half))
    np.testing.assert_allclose(filled.distance[gaps], metres[gaps] * 100, atol=3)
    np.testing.assert_allclose(filled.duration[gaps], metres[gaps] / 10 * 1.5 * 1000, atol=6)
    np.testing.assert_array_equal(filled.table().fallback, gaps.ravel())
    for tile in engine.matrix_tiles(ids, quantities=BOTH, memory_limit=100_000, **more):  # type: ignore[arg-type]
        part = np.s_[tile.row : tile.row + tile.shape[0], tile.column : tile.column + tile.shape[1]]
        np.testing.assert_array_equal(np.asarray(tile), np.asarray(filled)[part])
        assert tile.fallback is not None
        np.testing.assert_array_equal(tile.fallback, gaps[part])
    engine.matrix_to(tmp_path / "filled.npy", ids, quantities=BOTH, **more)  # type: ignore[arg-type]
    np.testing.assert_array_equal(np.load(tmp_path / "filled.npy"), np.asarray(filled))
    parquet = pytest.importorskip("pyarrow.parquet")
    engine.matrix_to(tmp_path / "filled.parquet", ids, quantities=BOTH, **more)  # type: ignore[arg-type]
    table = parquet.read_table(tmp_path / "filled.parquet")
    np.testing.assert_array_equal(table["fallback"], gaps.ravel())
    np.testing.assert_array_equal(table["duration"], filled.duration.ravel())
    zarr = pytest.importorskip("zarr")
    engine.matrix_to(tmp_path / "filled.zarr", ids, quantities=BOTH, chunk=(16, 16), **more)  # type: ignore[arg-type]
    group: Any = zarr.open_group(str(tmp_path / "filled.zarr"), mode="r")
    np.testing.assert_array_equal(group["fallback"][:], gaps)
    np.testing.assert_array_equal(group["duration"][:], filled.duration)


def test_straight_lines_join_places_or_their_roads(town: macadam.Engine, tmp_path: Path) -> None:
    flood = [(10.005, 49.99), (10.0051, 49.99), (10.0051, 50.01), (10.005, 50.01), (10.005, 49.99)]
    places, metres = [(10.0021, 49.9999), (10.0077, 50.0009)], []
    for word in ("input", "snapped"):
        more: Any = {"fallback_speed": 1.0, "fallback_coordinate": word, "quantities": BOTH, "avoid_areas": [flood]}
        matrix = town.matrix(places, snap=True, **more)
        assert matrix.fallback is not None and matrix.fallback.tolist() == [[False, True], [True, False]]
        metres.append(matrix.distance[0, 1])
        (tile,) = town.matrix_tiles(places, **more)
        np.testing.assert_array_equal(np.asarray(tile), np.asarray(matrix))
        town.matrix_to(tmp_path / "costs.npy", places, **more)
        np.testing.assert_array_equal(np.load(tmp_path / "costs.npy"), np.asarray(matrix))
    assert metres[0] != metres[1]
    assert town.matrix(places, strict=True, **more).fallback is not None  # all cells have a cost
    with pytest.raises(macadam.InvalidError, match="fallback_coordinate: 'roads' is none of input, snapped"):
        town.matrix(places, fallback_speed=1.0, fallback_coordinate="roads")  # type: ignore[arg-type]
    for name in ("fallback_speed", "scale_factor"):
        for wrong in (0, -1, float("nan")):
            with pytest.raises(macadam.InvalidError, match=f"{name}: .* is not a positive number"):
                town.matrix(places, **{name: wrong})  # type: ignore[arg-type]


def test_the_map_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "map.npy"
    macadam.import_arrays([0, 1], [1, 0], {"duration": [1, 2]}, path)
    kept = path.read_bytes()
    with macadam.open(path) as engine:
        for write in (
            lambda: engine.matrix_to(path, [0]), lambda: engine.closure(path=path), lambda: engine.all_pairs(path=path)
        ):  # fmt: skip
            with pytest.raises(macadam.InvalidError, match="same file"):
                write()
    assert path.read_bytes() == kept


def test_all_pairs_tile_by_tile(engine: macadam.Engine) -> None:
    expected = engine.all_pairs(method="floyd-warshall", next_hops=True)
    assert expected is not None and expected.next_hops.shape == expected.shape
    rows = list(engine.all_pairs_tiles(method="floyd-warshall", next_hops=True))
    np.testing.assert_array_equal(np.concatenate([it.duration for it in rows]), expected.duration)
    np.testing.assert_array_equal(np.concatenate([it.next_hops for it in rows]), expected.next_hops)
    both = np.concatenate([np.asarray(it) for it in engine.all_pairs_tiles(quantities=BOTH)])
    np.testing.assert_array_equal(both[..., 0], expected.duration)


def test_tiles_complain_and_stop(engine: macadam.Engine, graph: Random) -> None:
    with pytest.warns(macadam.PlaceWarning, match="1 of 2 sources.*unknown_id") as caught:
        list(engine.matrix_tiles([int(graph.ids[0]), 1]))
    assert caught[0].filename == __file__
    with pytest.warns(macadam.PlaceWarning, match="2 of 9 cells"):
        list(engine.matrix_tiles(graph.ids[[0, 1, 190]]))
    with pytest.raises(macadam.InvalidError, match="sources"):
        engine.matrix_tiles([])
    threads = threading.active_count()
    for _ in engine.matrix_tiles(graph.ids[:100]):
        break
    assert threading.active_count() == threads


@pytest.mark.parametrize("kind", [".npy", ".parquet", ".zarr"])
def test_files(engine: macadam.Engine, graph: Random, tmp_path: Path, kind: str) -> None:
    path, ids = tmp_path / f"out{kind}", graph.ids[:60]
    if kind != ".npy":
        pytest.importorskip("pyarrow" if kind == ".parquet" else "zarr")
    expected = engine.matrix(ids, quantities=BOTH)
    engine.matrix_to(path, ids, quantities=BOTH)
    if kind == ".npy":
        found = np.load(path, mmap_mode="r")
        np.testing.assert_array_equal(found, np.asarray(expected))
    elif kind == ".parquet":
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(path).sort_by([("source", "ascending"), ("target", "ascending")])
        np.testing.assert_array_equal(table["distance"].to_numpy(), expected.distance.ravel())
    else:
        import zarr

        group: Any = zarr.open_group(str(path), mode="r")
        np.testing.assert_array_equal(group["duration"][:], expected.duration)
    assert os.listdir(tmp_path) == [path.name]
    with pytest.raises(macadam.PlaceError):
        engine.matrix_to(tmp_path / f"bad{kind}", [1], strict=True)
    with pytest.raises(macadam.PlaceError, match="2 of 9 cells"):
        engine.matrix_to(tmp_path / f"bad{kind}", graph.ids[[0, 1, 190]], strict=True)
    assert os.listdir(tmp_path) == [path.name]
    with pytest.raises(macadam.InvalidError, match="ends with none of"):
        engine.matrix_to(tmp_path / "out.xlsx", ids)


def test_partition_covers_every_cell_once() -> None:
    seen = np.zeros((10, 7), int)
    for it in partition(10, 7, (4, 3)):
        seen[it.row : it.row + it.rows, it.column : it.column + it.columns] += 1
    assert np.all(seen == 1)
    with pytest.raises(macadam.InvalidError):
        partition(1, 1, (0, 1))


@pytest.fixture(scope="module")
def client() -> Any:
    distributed = pytest.importorskip("distributed")
    pytest.importorskip("zarr")
    pytest.importorskip("pyarrow")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client


def test_matrix_survives_a_dead_worker(
    client: Any, engine: macadam.Engine, random_path: Path, graph: Random, tmp_path: Path
) -> None:
    import zarr
    from macadam import dask

    ids, out = graph.ids[:180], str(tmp_path / "m.zarr")
    workers = list(client.run(os.getpid).values())

    def kill() -> None:
        while len(list((tmp_path / "m.zarr").glob(".manifest/*.json"))) < 20:
            time.sleep(0.01)
        os.kill(workers[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    manifest = dask.matrix(client, random_path, ids, out=out, chunk=(5, 20), quantities=BOTH)
    killer.join()
    assert len(manifest) == len({(it["row"], it["column"]) for it in manifest}) == 36 * 9
    group: Any = zarr.open_group(out, mode="r")
    expected = engine.matrix(ids, quantities=BOTH)
    np.testing.assert_array_equal(group["duration"][:], expected.duration)
    np.testing.assert_array_equal(group["distance"][:], expected.distance)


def test_a_run_goes_on(client: Any, random_path: Path, graph: Random, tmp_path: Path) -> None:
    import zarr
    from macadam import dask

    ids, out = graph.ids[:100], str(tmp_path / "m.zarr")
    first = dask.matrix(client, random_path, ids, out=out, chunk=(25, 100))
    entries = sorted((tmp_path / "m.zarr" / ".manifest").iterdir())
    assert len(entries) == 4
    times = [entry.stat().st_mtime_ns for entry in entries]
    entries[1].unlink()
    group: Any = zarr.open_group(out, mode="r+")
    group["duration"][25:50] = 0
    assert dask.matrix(client, random_path, ids, out=out, chunk=(25, 100)) == first
    again = [entry.stat().st_mtime_ns for entry in entries]
    assert again[0] == times[0] and again[1] != times[1]
    assert group["duration"][25:50].any()
    with pytest.raises(macadam.InvalidError, match="another request"):
        dask.matrix(client, random_path, ids[::-1], out=out, chunk=(25, 100))


@pytest.mark.filterwarnings("ignore::macadam.PlaceWarning")
def test_routes_and_reach(
    client: Any, engine: macadam.Engine, random_path: Path, graph: Random, tmp_path: Path
) -> None:
    import pyarrow.parquet
    from macadam import dask

    dask.routes(
        client,
        random_path,
        graph.ids[:90],
        graph.ids[90:180],
        out=str(tmp_path / "r.parquet"),
        chunk=40,
        paths=True,
    )
    table = pyarrow.parquet.read_table(tmp_path / "r.parquet")
    expected = engine.routes(graph.ids[:90], graph.ids[90:180], paths=True)
    np.testing.assert_array_equal(table["duration"].to_numpy(), expected.duration)
    assert table["arcs"][7].as_py() == expected["arcs"][7].tolist()
    dask.reach(client, random_path, graph.ids, [1, 3], out=str(tmp_path / "n.parquet"), chunk=64)
    table = pyarrow.parquet.read_table(tmp_path / "n.parquet")
    np.testing.assert_array_equal(table["nodes_1"].to_numpy(), engine.reach(graph.ids, [1, 3]).nodes[:, 1])
