"""Errors are exceptions that name what is wrong, by the status and by what Python's users expect."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import macadam
import numpy as np
import pytest
from conftest import ROOT


def test_files(tmp_path: Path, town_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nope\.mcd"):
        macadam.open(tmp_path / "nope.mcd")
    with pytest.raises(macadam.FileFormatError):
        macadam.open(ROOT / "README.md")
    with pytest.raises(FileNotFoundError):
        macadam.import_osm(tmp_path / "nope.osm", tmp_path / "x.mcd")
    with pytest.raises(OSError, match=r"cannot create '.*folder\.mcd'"):
        macadam.import_osm(ROOT / "examples" / "town.osm", tmp_path / "no" / "folder.mcd")
    data = bytearray(town_path.read_bytes())
    data[64:] = bytes(byte ^ 1 for byte in data[64:])  # all but the header
    broken = tmp_path / "broken.mcd"
    broken.write_bytes(data)
    with pytest.raises(macadam.FileFormatError), macadam.open(broken) as engine:
        engine.verify()
    assert os.listdir(tmp_path) == ["broken.mcd"]


def test_text_with_nul_is_not_cut(tmp_path: Path, town_path: Path, town: macadam.Engine) -> None:
    town_osm, cut, file = ROOT / "examples" / "town.osm", str(tmp_path / "a"), str(town_path)
    for call in (
        lambda: town.save(cut + "\0b"),
        lambda: town.closure(path=cut + "\0b"),
        lambda: town.all_pairs(path=cut + "\0b"),
        lambda: town.matrix_to(cut + "\0.npy", [11]),
        lambda: macadam.import_osm(town_osm, cut + "\0b"),
        lambda: macadam.import_osm(f"{town_osm}\0b", cut),
        lambda: macadam.open(file + "\0b"),
    ):
        with pytest.raises(macadam.InvalidError, match="embedded null character"):
            call()
    with pytest.raises(TypeError, match="metric: .* does not fit"):
        town.matrix([11, 12], metric="duration\0x")
    assert os.listdir(tmp_path) == []


def test_exceptions_have_one_base() -> None:
    kinds = [
        it
        for it in vars(macadam).values()
        if isinstance(it, type) and issubclass(it, Exception) and it is not macadam.PlaceWarning
    ]
    assert len(kinds) == 14 and all(issubclass(it, macadam.MacadamError) for it in kinds)
    assert issubclass(macadam.LimitError, MemoryError) and issubclass(macadam.InvalidError, ValueError)


def test_arguments(town: macadam.Engine) -> None:
    with pytest.raises(macadam.NotFoundError, match="speed"):
        town.matrix([11, 12], quantities="speed")
    with pytest.raises(macadam.NotFoundError, match="speed"):
        town.matrix([11, 12], metric="speed")
    with pytest.raises(TypeError, match="metric: 3"):
        town.matrix([11, 12], metric=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="road_class: 3"):
        town.matrix([11, 12], road_costs={3: 1.0})  # type: ignore[dict-item]
    with pytest.raises(macadam.InvalidError, match="quantities"):
        town.matrix([11, 12], quantities=("duration", "duration"))
    with pytest.raises(TypeError, match="quantities"):
        town.matrix([11, 12], quantities=(1,))  # type: ignore[arg-type]
    with pytest.raises(macadam.InvalidError, match="snap_radius"):
        town.matrix([11, 12], snap_radius=-1)
    with pytest.raises(macadam.LimitError, match="memory"):
        town.matrix([11, 12], memory_limit=10)
    with pytest.raises(macadam.InvalidError, match='"quick" for trees on cpu.*there are auto, sweep, '):
        town.tree(11, method="quick")
    with pytest.raises(TypeError, match="method: 3"):
        town.tree(11, method=3)  # type: ignore[arg-type]
    with pytest.raises(macadam.InvalidError, match='"trees" is none of tree, all_pairs, hops'):
        macadam.methods("trees")
    with pytest.raises(macadam.DeviceError, match="tpu"):
        macadam.methods("tree", "tpu")
    with pytest.raises(macadam.InvalidError, match="limit"):
        town.tree(11, limit=float("nan"))
    with pytest.raises(macadam.InvalidError, match="limits"):
        town.isochrone(11, 1e300)
    with pytest.raises(macadam.InvalidError, match="waypoints"):
        town.route([11])
    with pytest.raises(macadam.InvalidError, match="targets"):
        town.routes([11, 12], [11])
    with pytest.raises(macadam.InvalidError, match=r"sources\[0\]"):
        town.routes([11, 12])
    with pytest.raises(macadam.InvalidError, match="values"):
        town.reach([11], [1], values=np.zeros(3))
    with pytest.raises(macadam.InvalidError, match="duration"):
        town.update([1], duration=[-1])
    with pytest.raises(macadam.InvalidError, match="arcs"):
        town.update(duration=1)
    for name in ("quantity", "size", "progress_context", "nonsense"):  # members of structures, and none
        with pytest.raises(TypeError, match=f"{name}: there is no such argument"):
            town.matrix([11, 12], **{name: 8})  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=f"{name}: there is no such argument"):
            macadam.import_osm(ROOT / "examples" / "town.osm", "x.mcd", **{name: 8})  # type: ignore[arg-type]
    wrong = {"matrix": "steps", "routes": "alternatives", "hops": "width", "match": "snap_radius", "trip": "totals", "isochrone": "tidy",
             "nearest": "depart", "access": "steps", "candidates": "steps"}  # fmt: skip
    for name in ("depart", "fallback_speed"):
        with pytest.raises(TypeError, match=f"{name}: there is no such argument of Engine.warm"):
            town.warm(**{name: 1})  # type: ignore[arg-type]
    for call, name in wrong.items():
        with pytest.raises(TypeError, match=f"{name}: there is no such argument of Engine.{call}"):
            getattr(town, call)([11], [11], **{name: 1}) if call in ("routes", "isochrone", "access") else getattr(town, call)([(10.0, 50.0)], **{name: 1})
    partial: dict[str, Any] = {"nearest 1 of 0": {"nearest": 1}, "nearest 0 of 1": {"targets": [35]}, "a limit": {"values": [0] * 21}}
    for message, asked in partial.items():
        with pytest.raises(macadam.InvalidError, match=message):
            town.reach([11], **asked)
    with pytest.raises(TypeError, match="steps: 1 is neither True nor False"):
        town.trip([11, 35], steps=1)  # type: ignore[arg-type]
    with pytest.raises(macadam.DeviceError):
        macadam.open(ROOT / "examples" / "town.osm", device="cuda:77")
    with pytest.raises(macadam.UnsupportedError):
        town.all_pairs(next_hops=True, method="floyd-warshall")


def test_closed_engine(town_path: Path) -> None:
    engine = macadam.open(town_path)
    ids = engine.ids
    tree = engine.tree(11).duration
    engine.close()
    engine.close()
    assert engine.closed and repr(engine) == "<macadam.Engine: closed>"
    for call in (
        lambda: engine.matrix([11]),
        lambda: engine.info,
        lambda: engine.snap([11]),
        lambda: engine.update([1], duration=1),
    ):
        with pytest.raises(macadam.InvalidError, match="closed"):
            call()
    assert ids[0] == 11 and tree[0] == 0  # arrays keep what they need


def test_imports(tmp_path: Path) -> None:
    path = tmp_path / "x.mcd"
    ok = {"duration": [1, 2]}
    macadam.import_arrays([0, 1], [1, 0], ok, path)
    cases: list[tuple[Any, str]] = [
        (([0, 1], [1], ok), "head: the shape"),
        (([0, -1], [1, 0], ok), "tail: values must be in 0"),
        (([0, 1.5], [1, 0], ok), "tail: values of type float64"),
        (([0, 1], [1, 0], {"duration": [1]}), "duration"),
        (([0, 1], [1, 0], {"duration": [1, 2**31]}), "2147483648"),
        (([0, 1], [1, 0], {}), "quantit"),
        ((["a", "b"], [1, 0], ok), "tail"),
        (([0, 2**32 - 1], [1, 0], ok), "give node_count"),
    ]
    with pytest.raises(TypeError, match="quantity"):
        macadam.import_arrays([0, 1], [1, 0], {3: [1, 2]}, path)  # type: ignore[dict-item]
    for arguments, text in cases:
        with pytest.raises(macadam.InvalidError, match=text):
            macadam.import_arrays(arguments[0], arguments[1], arguments[2], path)
    with pytest.raises(macadam.InvalidError, match="ids"):
        macadam.import_arrays([0, 1], [1, 0], ok, path, ids=[1, 2, 3], node_count=2)
    with pytest.raises(macadam.InvalidError, match="lonlat"):
        macadam.import_arrays([0, 1], [1, 0], ok, path, lonlat=[(0, 200), (0, 0)])
    with macadam.open(path) as engine:
        assert engine.matrix([0, 1]).duration.tolist() == [[0, 1], [2, 0]]


def test_imports_of_several_files(tmp_path: Path) -> None:
    town, again, path = ROOT / "examples" / "town.osm", tmp_path / "again.osm", tmp_path / "town.mcd"
    again.write_bytes(town.read_bytes())
    report = macadam.import_osm([town, str(again)], path)
    assert "ways that several files have: 13" in report
    one = tmp_path / "one.mcd"
    macadam.import_osm(town, one, report_file=tmp_path / "one.json")
    assert json.loads((tmp_path / "one.json").read_text())["profiles"][0]["profile"] == "car"
    with macadam.open(path) as several, macadam.open(one) as single:
        ids = single.ids
        assert np.array_equal(several.ids, ids)
        assert np.array_equal(several.matrix(ids).duration, single.matrix(ids).duration)
    with pytest.raises(macadam.InvalidError, match="given twice"):
        macadam.import_osm([town, town], path)
    with pytest.raises(macadam.InvalidError, match="no OpenStreetMap file"):
        macadam.import_osm([], path)
