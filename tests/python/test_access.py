"""Accessibility is what macadam.h defines, bit for bit: of the cells of a matrix, in Python's integers and fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import timedelta
from fractions import Fraction
from typing import Any

import macadam
import numpy as np
import pytest

from conftest import Random

Weight = Callable[[float], float]


def clamped(weight: float) -> float:
    return min(max(weight, 0.0), 1.0)


def decays(near: float, scale: int) -> list[tuple[macadam.Decay | None, Weight]]:
    """Decays in seconds or metres, and their formulas in the `scale` times smaller unit of the file."""
    c, w = near * scale, near * 0.3 * scale
    k, rate, x = math.pi / (w * math.sqrt(3)), math.log(0.5) / c, (0.0, c / 2, c, c, 2 * c)
    y = (1.0, 0.9, 0.5, 0.25, 0.125)

    def table(t: float) -> float:
        i = next((i for i in range(5) if x[i] >= t), None)
        if i is None:
            return 0
        return y[0] if i == 0 else y[i - 1] + (y[i] - y[i - 1]) * ((t - x[i - 1]) / (x[i] - x[i - 1]))

    return [
        (None, lambda t: 1.0),
        (macadam.Decay.step(near), lambda t: float(t <= c)),
        (macadam.Decay.linear(near, near * 0.3), lambda t: clamped(1 - (t - (c - w / 2)) / w)),
        (macadam.Decay.logistic(near, near * 0.3), lambda t: (1 + math.exp((0 - c) * k)) / (1 + math.exp(min((t - c) * k, 700)))),
        (macadam.Decay.exponential(near), lambda t: math.exp(t * rate)),
        (macadam.Decay.gaussian(near * 0.3), lambda t: math.exp(-0.5 * (t / w) * (t / w))),
        (macadam.Decay.table([it / scale for it in x], y), table),
    ]


def expected(costs: Any, amounts: Any, weight: Weight, percentiles: list[float]) -> tuple[float, float, list[int]]:
    """The sum, the mean and the percentiles of one source and one column."""
    largest = max(amounts)
    shift = min(62 - math.frexp(largest)[1] - len(amounts).bit_length(), 900) if largest else 0
    whole = [round(Fraction(it) * Fraction(2) ** shift) for it in amounts]
    found = [
        (cost, math.floor(weight(float(cost)) * 2**30 + 0.5) * a) for cost, a in zip(costs, whole) if cost != macadam.UNREACHED
    ]
    total = sum(it for _, it in found)
    if not total:
        return 0.0, math.nan, [macadam.UNREACHED] * len(percentiles)
    shares = []
    for percentile in percentiles:
        within = 0
        for cost, it in sorted(found):
            within += it
            if within and within * 100_000_000 >= round(percentile * 1e6) * total:
                shares.append(cost)
                break
    return float(Fraction(total) / Fraction(2) ** (30 + shift)), sum(cost * it for cost, it in found) / total, shares


def check(engine: macadam.Engine, sources: Any, opportunities: Any, near: float, **options: Any) -> None:
    rng = np.random.default_rng(3)
    n = len(opportunities)
    columns = {"jobs": rng.integers(0, 5000, n).astype(float), "area": rng.random(n) * 1e-3, "none": np.zeros(n), "huge": rng.random(n) * 1e300}
    percentiles = [50, 0, 100, 12.5]
    for reverse in (False, True):
        cells = engine.matrix(opportunities, sources, **options) if reverse else engine.matrix(sources, opportunities, **options)
        costs = np.asarray(cells.values[0])
        costs = costs.T if reverse else costs
        for decay, weight in decays(near, 100 if options.get("metric") == "distance" else 1000):
            found = engine.access(sources, opportunities, columns, decay=decay, percentiles=percentiles, reverse=reverse, **options)
            for s in range(len(costs)):
                for name, amounts in columns.items():
                    total, mean, shares = expected(costs[s].tolist(), amounts.tolist(), weight, percentiles)
                    assert found[name][s] == total
                    assert found[f"mean_{name}"][s] == mean or (math.isnan(mean) and math.isnan(found[f"mean_{name}"][s]))
                    assert [found[f"p{it:g}_{name}"][s] for it in percentiles] == shares


@pytest.mark.filterwarnings("ignore::macadam.PlaceWarning")
def test_nodes_have_the_integers_of_the_header(engine: macadam.Engine, graph: Random) -> None:
    ids = graph.ids.tolist()
    check(engine, [*ids[:6], 0, ids[190]], [*ids[50:90], 0, ids[195], ids[50]], 9)
    check(engine, ids[:3], ids[50:70], 9, metric="distance")


@pytest.mark.parametrize("options", [{}, {"road_costs": {"residential": 2.5}}, {"avoid": "link"}, {"depart": "Mo08:15"}])
def test_points_have_too(town: macadam.Engine, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(4)
    west, south, east, north = town.info.bbox or (0, 0, 0, 0)
    points = np.stack([rng.uniform(west, east, 25), rng.uniform(south, north, 25)], axis=1)
    check(town, points[:5], points, 40, **options)


def test_threads_and_memory_do_not_matter(random_path: Any, graph: Random) -> None:
    ids, answers = graph.ids.tolist(), []
    for threads, limit in (1, 0), (2, 0), (7, 0), (2, 100_000):
        with macadam.open(random_path, device="cpu", threads=threads, memory_limit=limit) as one:
            found = one.access(ids[:100], ids, {"x": np.linspace(0, 1, len(ids))}, decay=macadam.Decay.logistic("9s", "2s"), percentiles=[50])
            answers.append([found[name].tobytes() for name in found.column_names])
    assert answers == [answers[0]] * 4


def test_units_of_costs(engine: macadam.Engine, graph: Random) -> None:
    ids = graph.ids.tolist()

    def ask(cutoff: Any, **options: Any) -> list[float]:
        return [*engine.access(ids[:5], ids, decay=macadam.Decay.step(cutoff), **options)["count"]]

    assert ask("9s") == ask(9) == ask(9.0) == ask(timedelta(seconds=9)) == ask("9000ms") == ask("0.15min")
    assert ask("0.02km", metric="distance") == ask(20, metric="distance") == ask("20m", metric="distance")
    for wrong in "9", "9km", "x", "", "9 fortnights":
        with pytest.raises(macadam.InvalidError, match="decay: .* is not a duration"):
            ask(wrong)
    with pytest.raises(macadam.InvalidError, match="the metric is not a duration"):
        ask(timedelta(seconds=9), metric="distance")



def test_what_is_wrong_is_named(engine: macadam.Engine, graph: Random) -> None:
    ids = graph.ids.tolist()
    table = {"id": ids, "jobs": np.ones(len(ids))}
    for columns, says in (
        ("shops", "no column 'shops'"),
        ([], "columns: there is none"),
        ({"status": np.ones(200)}, "two columns of the answer are named 'status'"),
        ({"jobs": np.ones(200), "mean_jobs": np.ones(200)}, "two columns of the answer are named 'mean_jobs'"),
        ({"jobs": [1.0]}, r"columns\['jobs'\]: the shape is \(1,\), not \(200,\)"),
        ({"jobs": np.full(200, -2.0)}, r"columns\['jobs'\]: -2 is not an amount"),
        ({"jobs": np.full(200, np.nan)}, r"columns\['jobs'\]: nan is not an amount"),
        ({str(i): np.ones(200) for i in range(17)}, "17 columns of amounts"),
    ):
        with pytest.raises(macadam.InvalidError, match=says):
            engine.access(ids[:2], table, columns)
    assert engine.access(ids[:2], table, "jobs")["jobs"].tolist() == engine.access(ids[:2], ids)["count"].tolist()
    with pytest.raises(macadam.InvalidError, match="percentile 0 is 101"):
        engine.access(ids[:2], table, percentiles=[101])
    with pytest.raises(macadam.InvalidError, match="1 costs, but 2 weights"):
        engine.access(ids[:2], table, decay=macadam.Decay.table([1], [1, 0]))
    with pytest.raises(macadam.InvalidError, match="width is 0"):
        engine.access(ids[:2], table, decay=macadam.Decay.gaussian(0))
    with pytest.raises(TypeError, match="is not a macadam.Decay"):
        engine.access(ids[:2], table, decay="logistic")  # type: ignore[arg-type]
    with pytest.raises(macadam.InvalidError, match="nearest"):
        engine.access(ids[:2], table, nearest=2)


def test_a_frame_keeps_its_index_and_its_geometry(town: macadam.Engine) -> None:
    geopandas = pytest.importorskip("geopandas")
    lon, lat = [10.0019, 10.0061, 10.0040], [50.0027, 50.0025, 50.0040]
    jobs = geopandas.GeoDataFrame({"jobs": [120, 40, 15]}, geometry=geopandas.points_from_xy(lon, lat), crs=4326)
    homes = jobs.iloc[:2].set_index([["a", "b"]]).to_crs(3857)
    found = town.access(homes, jobs, "jobs", decay=macadam.Decay.logistic("30s", "10s"), percentiles=[50])
    assert found.index.tolist() == ["a", "b"] and found.crs == homes.crs
    assert found.geometry.geom_equals(homes.geometry).all()
    twice = town.access(homes.set_index([["a", "a"]]), jobs, "jobs", decay=macadam.Decay.logistic("30s", "10s"))
    assert twice.index.tolist() == ["a", "a"] and twice.jobs.tolist() == found.jobs.tolist()
    assert twice.geometry.tolist() == homes.geometry.tolist() and twice.crs == homes.crs
    plain = town.access(np.stack([lon[:2], lat[:2]], axis=1), np.stack([lon, lat], axis=1), {"jobs": jobs.jobs}, decay=macadam.Decay.logistic(30, 10), percentiles=[50])
    for name in "jobs", "mean_jobs", "p50_jobs":
        assert np.allclose(found[name].to_numpy(float), plain[name])
    frame = town.access(homes.to_crs(4326).get_coordinates().rename(columns={"x": "lon", "y": "lat"}), jobs, "jobs")
    assert frame.index.tolist() == ["a", "b"] and frame.columns.tolist() == ["status", "jobs", "mean_jobs"]
