"""Values that are hidden, missing or of another type are refused by name: nothing is guessed from their shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import macadam
import numpy as np
import pytest

POINTS = np.array([(10.0021, 49.9999), (10.0061, 50.0025), (10.0040, 50.0040)])
TRACE = [(10.0, 50.0), (10.001, 50.0), (10.002, 50.0005)]


def masked(values: Any, hidden: int = 0) -> Any:
    """An array that hides its first entries; what they hide would be fine."""
    out = np.ma.masked_array(values)
    out.mask = np.arange(out.size).reshape(out.shape) < hidden
    return out


class Nullable:
    """A column of pandas that may have missing values."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    @property
    def dtype(self) -> Any:
        class Int64:
            numpy_dtype = np.dtype("i8")

        return Int64()

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.values, object)

    def isna(self) -> Any:
        return np.array([it is None for it in self.values])

    def to_numpy(self, dtype: Any) -> Any:
        return np.array(self.values, dtype)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (masked([11, 35], 1), "sources: 1 of 2 values are masked or missing; leave them out, or fill them"),
        (masked(POINTS, 2), "sources: 2 of 6 values are masked"),
        (masked(macadam.places([11, 35]), 1), "sources: 1 of 2 values are masked"),
        ({"id": masked([11, 35], 1)}, r"sources\['id'\]: 1 of 2 values are masked"),
        ({"lon": POINTS[:, 0], "lat": masked(POINTS[:, 1], 1)}, r"sources\['lat'\]: 1 of 3 values are masked"),
        ({"id": [11, 35], "radius": masked([5.0, 6.0], 1)}, r"sources\['radius'\]: 1 of 2 values are masked"),
        (Nullable([11, None]), "sources: 1 of 2 values are masked or missing"),
        ({"node": Nullable([11, None])}, r"sources\['node'\]: 1 of 2 values are masked or missing"),
        (np.array([11.0, 35.0]), r"sources: an array of shape \(2,\) and type float64; ids are integers"),
        (np.array([11.0, np.nan]), r"1 values are missing \(nan\): leave them out"),
        ({"id": np.array([11.0, 35.0])}, r"sources\['id'\]: an array of shape \(2,\) and type float64"),
        ({"id": np.array([[11.0, 35.0]])}, r"sources\['id'\]: a column of shape \(1, 2\)"),
        (np.array([[11, 35], [22, 12]]), r"sources: an array of shape \(2, 2\) and type int64"),
        ((11, 35), r"sources: \(11, 35\) is ambiguous; two ids are a list"),
        (np.array([11, None]), "sources: an array of shape .* and type object"),
        ({"id": np.array([11, 35], object)}, r"sources\['id'\]: the values are objects, not numbers; convert them"),
        ({"id": ["11", "35"]}, r"sources\['id'\]: the values are of type <U2, not numbers"),
        ({"lon": ["10.0"], "lat": ["50.0"]}, r"sources\['lon'\]: the values are of type <U4"),
        ({"lon": [[10.0]], "lat": [[50.0]]}, r"sources\['lon'\]: a column of shape \(1, 1\)"),
        ({"lon": np.array([[1, 2], [3]], object), "lat": [1.0, 2.0]}, r"sources\['lon'\]: the values are objects"),
    ],
)
def test_places_are_not_guessed(town: macadam.Engine, form: Any, text: str) -> None:
    with pytest.raises(macadam.InvalidError, match=text):
        town.matrix(form)


def test_two_floats_are_not_a_place(town: macadam.Engine) -> None:
    with pytest.raises(TypeError, match=r"sources\[0\]: 11.0 is not a place; ids are integers, a point is a tuple"):
        town.matrix([11.0, 35.0])


@pytest.mark.parametrize("form", [masked([11, 35]), Nullable([11, 35]), {"id": Nullable([11, 35])}, {"id": masked([11, 35])}])
def test_a_mask_that_hides_nothing_is_fine(town: macadam.Engine, form: Any) -> None:
    assert town.snap(form).id.tolist() == [11, 35]


def test_pairs_are_not_guessed(town: macadam.Engine) -> None:
    expected = town.routes([11, 23], [35, 51]).duration.tolist()
    columns = {"target": np.array([35, 51]), "source": np.array([11, 23])}
    assert town.routes(columns).duration.tolist() == expected
    assert town.routes(np.array([[11, 35], [23, 51]])).duration.tolist() == expected
    assert town.routes(np.hstack([POINTS, POINTS])).duration.tolist() == [0, 0, 0]
    ends = {f"{end}_{axis}": POINTS[:, i] for end in ("source", "target") for i, axis in enumerate(("lon", "lat"))}
    assert town.routes(ends).duration.tolist() == [0, 0, 0]
    mixed = {"source": [11], "target_longitude": [10.0021], "target_y": [49.9999]}  # as the command takes them
    assert town.routes(mixed).duration.tolist() == town.routes([11], [(10.0021, 49.9999)]).duration.tolist()
    pairs = np.array([(11, 35), (23, 51)], [("source", "i8"), ("target", "i8")])
    assert town.routes(pairs).duration.tolist() == expected
    for form, text in (
        (masked([[11, 35]], 1), "sources: 1 of 2 values are masked"),
        (np.array([[11.0, 35.0]]), r"sources: an array of shape \(1, 2\) and type float64 are not pairs"),
        (np.array([[1, 2, 3, 4]]), r"sources: an array of shape \(1, 4\) and type int64 are not pairs"),
        ({"from": [11], "to": [35]}, r"sources: a table with the columns \['from', 'to'\], but neither source_lon and source_lat nor source"),
        ({"source": [11], "to": [35]}, "but neither target_lon and target_lat nor target"),
        ({"source": [11.0, 12.0], "target": [35, 51]}, r"sources\['source'\]: an array of shape \(2,\) and type float64"),
        ({"source": [11], "target": Nullable([None])}, r"sources\['target'\]: 1 of 1 values are masked or missing"),
        ({"source": [11], "target": [[35, 51]]}, r"sources\['target'\]: a column of shape \(1, 2\)"),
    ):
        with pytest.raises((macadam.InvalidError, TypeError), match=text):
            town.routes(form)


def test_traces_are_not_guessed(town: macadam.Engine) -> None:
    times = np.array(["2026-05-01T12:00:00", "NaT", "2026-05-01T12:00:20"], "M8[ns]")
    assert len(town.match(TRACE, time=times)) == len(town.match(TRACE, time=[0, np.nan, 20])) == 1
    for options, text in (
        ({"time": masked([0.0, 1.0, 2.0], 1)}, "time: 1 of 3 values are masked"),
        ({"time": ["0", "1", "2"]}, "time: the values are of type <U1, not datetime64 or numbers"),
        ({"accuracy": masked([5.0, 5.0, 5.0], 2)}, "accuracy: 2 of 3 values are masked"),
        ({"heading": Nullable([90, None, 90])}, "heading: 1 of 3 values are masked or missing"),
        ({"speed": np.array([5, "x", 5], object)}, "speed: the values are objects"),
        ({"first": np.array([0.0, 3.0])}, "first: values of type float64 are not integers"),
    ):
        with pytest.raises(macadam.InvalidError, match=text):
            town.match(TRACE, **options)


def test_weights_are_not_guessed(random_path: Path, graph: Any) -> None:
    with macadam.open(random_path, device="cpu") as engine:
        before = engine.tree(graph.ids[0]).duration
        for options, text in (
            ({"arcs": masked([1, 2], 1), "duration": 5}, "arcs: 1 of 2 values are masked"),
            ({"arcs": [1.0, 2.0], "duration": 5}, "arcs: values of type float64 are not integers"),
            ({"arcs": [1, np.nan], "duration": 5}, r"arcs: .*: 1 of 2 are missing \(nan\)"),
            ({"arcs": [1, 2], "duration": masked([5, 6], 1)}, "duration: 1 of 2 values are masked"),
            ({"arcs": [1, 2], "duration": [5, np.nan]}, r"duration: .*: 1 of 2 are missing \(nan\)"),
            ({"arcs": [1, 2], "duration": Nullable([5, None])}, "duration: 1 of 2 values are masked or missing"),
            ({"arcs": [1, 2], "duration": ["5", "6"]}, "duration: the values are of type <U1, not numbers"),
            ({"tails": graph.ids[:2].astype(float), "heads": graph.ids[1:3], "duration": 5}, "tails: values of type float64"),
        ):
            with pytest.raises(macadam.InvalidError, match=text):
                engine.update(**options)
        assert np.array_equal(engine.tree(graph.ids[0]).duration, before)
        engine.update([1, 2], duration=[5.0, 6.0])


def test_graphs_are_not_guessed(tmp_path: Path) -> None:
    points = [(10.0, 50.0), (10.1, 50.0)]
    good: dict[str, Any] = {"tail": [0, 1], "head": [1, 0], "weights": {"duration": [5, 6]}, "ids": [7, 8], "lonlat": points}
    for name, value, text in (
        ("tail", masked([0, 1], 1), "tail: 1 of 2 values are masked"),
        ("head", [1.0, 0.0], "head: values of type float64 are not integers"),
        ("weights", {"duration": masked([5, 6], 1)}, r"weights\['duration'\]: 1 of 2 values are masked"),
        ("ids", [7.0, 8.0], "ids: values of type float64 are not integers"),
        ("lonlat", masked(points, 1), "lonlat: 1 of 4 values are masked"),
        ("lonlat", [("10.0", "50.0"), ("10.1", "50.0")], "lonlat: the values are of type <U4"),
    ):
        with pytest.raises(macadam.InvalidError, match=text):
            macadam.import_arrays(**{**good, name: value}, output=tmp_path / "out.mcd")
    macadam.import_arrays(**good, output=tmp_path / "out.mcd")


def test_areas_and_values_are_not_guessed(town: macadam.Engine) -> None:
    ring = [(10.0, 50.0), (10.001, 50.0), (10.001, 50.001)]
    with pytest.raises(macadam.InvalidError, match="avoid_areas: 1 of 6 values are masked"):
        town.route([11, 35], avoid_areas=masked(ring, 1))
    with pytest.raises(macadam.InvalidError, match="avoid_areas: the values are of type"):
        town.route([11, 35], avoid_areas=np.array(ring, str))
    with pytest.raises(TypeError, match="avoid: True is neither a RoadFlag nor a name"):
        town.route([11, 35], avoid=True)  # type: ignore[arg-type]
    with pytest.raises(macadam.InvalidError, match="values: 1 of 21 values are masked"):
        town.reach([11], 10, values=masked(np.ones(21, int), 1))
    with pytest.raises(macadam.InvalidError, match="limits: 1 of 2 values are masked"):
        town.reach([11], masked([10, 20], 1))
    with pytest.raises(macadam.InvalidError, match="places: heading: 1 of 3 values are masked"):
        macadam.places(POINTS, heading=masked([1, 2, 3], 1))


def test_frames_are_not_guessed(town: macadam.Engine) -> None:
    pandas = pytest.importorskip("pandas")
    assert town.snap(pandas.DataFrame({"id": [11, 35]})).id.tolist() == [11, 35]
    assert town.snap(pandas.Series([11, 35], dtype="Int64")).id.tolist() == [11, 35]
    for form, text in (
        (pandas.DataFrame({"id": [11.0, 35.0]}), r"sources\['id'\]: an array of shape \(2,\) and type float64"),
        (pandas.DataFrame({"id": [11, None]}), r"sources\['id'\]: .*1 values are missing"),
        (pandas.DataFrame({"id": pandas.array([11, None], "Int64")}), r"sources\['id'\]: 1 of 2 values are masked or missing"),
        (pandas.Series([11.0, 35.0]), r"sources: an array of shape \(2,\) and type float64"),
        (pandas.DataFrame({"id": [[10.0, 50.0]]}), r"sources\['id'\]: the values are objects"),
        (pandas.DataFrame({"lon": [10.0, None], "lat": [50.0, 50.0]}), r"sources\['lon'\]: 1 of 2 values are missing \(nan\)"),
        (pandas.DataFrame({"id": [11, 35], "radius": [5, None]}), r"sources\['radius'\]: 1 of 2 values are missing"),
    ):
        with pytest.raises(macadam.InvalidError, match=text):
            town.matrix(form)
    assert len(town.match(TRACE, time=pandas.Series(pandas.date_range("2026-05-01", periods=3, freq="10s")))) == 1


class Arrow:
    """A column of Arrow, which NumPy would have as floats with nan."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values
        self.null_count: Any = values.count(None)

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.values, np.float64 if None in self.values else None)


class Polars(Arrow):
    def __init__(self, values: list[Any]) -> None:
        super().__init__(values)
        self.null_count = lambda: values.count(None)


@pytest.mark.parametrize("kind", [Arrow, Polars])
def test_columns_with_nulls_are_not_guessed(town: macadam.Engine, kind: Any) -> None:
    assert town.snap({"id": kind([11, 35])}).id.tolist() == [11, 35]
    for form, text in (
        ({"id": kind([11, None])}, r"sources\['id'\]: 1 of 2 values are masked or missing"),
        ({"lon": kind([10, None]), "lat": kind([50, 50])}, r"sources\['lon'\]: 1 of 2 values are masked or missing"),
        ({"id": [11, 35], "radius": kind([5, None])}, r"sources\['radius'\]: 1 of 2 values are masked or missing"),
    ):
        with pytest.raises(macadam.InvalidError, match=text):
            town.matrix(form)
    with pytest.raises(macadam.InvalidError, match="heading: 1 of 3 values are masked or missing"):
        town.match(TRACE, heading=kind([90, None, 90]))
