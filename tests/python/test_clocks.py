"""Clocks that move along the way, and the patterns of speed over the week that arrays, updates and files give."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import macadam
import numpy as np
import pytest
from conftest import ROOT

SLOTS, HOUR = 672, 3_600_000


def rush() -> np.ndarray:
    """One pattern: half the speed on Monday from 8 to 9."""
    speed = np.full((1, SLOTS), 255)
    speed[0, 32:36] = 51
    return speed


@pytest.fixture
def line(tmp_path: Path) -> macadam.Engine:
    """Nodes 0, 1, 2 in a row, ten minutes apart; the first arc has the pattern."""
    weights = {"duration": [600_000, 600_000]}
    macadam.import_arrays([0, 1], [1, 2], weights, tmp_path / "line.mcd", arc_patterns=[1, 0], patterns=rush())
    return macadam.open(tmp_path / "line.mcd")


def test_a_clock_follows_the_pattern(line: macadam.Engine) -> None:
    assert line.matrix([0], [2])["duration"][0, 0] == 1_200_000
    assert line.matrix([0], [2], depart="Mo07:00")["duration"][0, 0] == 1_200_000
    assert line.matrix([0], [2], depart="Mo08:00")["duration"][0, 0] == 600_000 * 5 + 600_000
    # A minute of driving before the rush, then nine minutes that take five times as long.
    assert line.matrix([0], [2], depart="Mo07:59")["duration"][0, 0] == 60_000 + 5 * 540_000 + 600_000
    assert line.matrix([0], [2], depart=[0, 8 * HOUR])["duration"].shape == (1, 2, 1)


def test_a_slot_holds_its_speed_still(line: macadam.Engine) -> None:
    assert line.matrix([0], [2], slot="Mo07:45")["duration"][0, 0] == 1_200_000
    assert line.matrix([0], [2], slot="Mo08:15")["duration"][0, 0] == 3_600_000
    assert line.matrix([0], [2], slot="Mo08:59")["duration"][0, 0] == 3_600_000
    line.update([1], duration=[60_000])
    assert line.matrix([0], [2], slot="Mo08:15")["duration"][0, 0] == 900_000


def test_a_slot_is_as_fine_as_those_of_the_patterns(tmp_path: Path) -> None:
    speed = np.full((1, 3 * SLOTS), 255)
    speed[0, 97] = 51  # Monday from 08:05 to 08:10
    macadam.import_arrays([0, 1], [1, 2], {"duration": [600_000, 600_000]}, tmp_path / "fine.mcd", arc_patterns=[1, 0], patterns=speed)
    with macadam.open(tmp_path / "fine.mcd") as fine:
        for slot, cost in ("Mo08:00", 600_000), ("Mo08:05", 3_000_000), ("Mo08:09", 3_000_000), ("Mo08:10", 600_000):
            assert fine.matrix([0], [2], slot=slot).duration[0, 0] == cost + 600_000
            assert fine.route([0, 2], slot=slot).duration == cost + 600_000
            assert fine.tree(0, slot=slot).duration.tolist() == [0, cost, cost + 600_000]


def test_a_second_week_is_of_holidays(tmp_path: Path) -> None:
    speed = np.full((1, 2 * SLOTS), 255)
    speed[0, SLOTS + 32 : SLOTS + 36] = 51  # a Monday from 8 to 9, if it is a holiday
    macadam.import_arrays([0, 1], [1, 2], {"duration": [600_000, 600_000]}, tmp_path / "two.mcd", arc_patterns=[1, 0], patterns=speed)
    with macadam.open(tmp_path / "two.mcd") as two:
        for depart, cost in ("Mo08:00", 600_000), ("PHMo08:00", 3_000_000), ("PH08:00", 600_000), ((7 * 24 + 8) * HOUR, 3_000_000):
            assert two.matrix([0], [2], depart=depart).duration[0, 0] == cost + 600_000
        assert two.matrix([0], [2], slot="PHMo08:00").duration[0, 0] == 3_600_000
        with pytest.raises(macadam.MacadamError, match="do not mix"):
            two.matrix([0], [2], depart=["Mo08:00", "PHMo08:00"])


def test_solvers_take_the_matrix_of_a_time(tmp_path: Path) -> None:
    weights = {"duration": [600_000, 300_000]}
    macadam.import_arrays([0, 1], [1, 0], weights, tmp_path / "loop.mcd", arc_patterns=[1, 0], patterns=rush())
    with macadam.open(tmp_path / "loop.mcd") as loop:
        by_arrival = loop.matrix([0, 1], arrive_by=["Mo08:00", "Mo08:50"])
        for matrix in loop.matrix([0, 1], depart=["Mo07:30", "Mo08:00"]), by_arrival:
            costs = [matrix.for_solver(time=time).duration.tolist() for time in (0, 1)]
            assert costs == [[[0, 600], [300, 0]], [[0, 3000], [300, 0]]]


def test_reach_and_trips_follow_the_pattern(line: macadam.Engine) -> None:
    assert line.reach([0], [1199, 1200], depart="Mo07:00").nodes.tolist() == [[2, 3]]
    assert line.reach([0], [1200, 3600], depart="Mo08:00").nodes.tolist() == [[1, 3]]
    late, early = (line.trip([0, 1, 2], open=True, from_first=True, depart=at).cost for at in ("Mo08:00", "Mo07:00"))
    assert (late, early) == (3_600_000, 1_200_000)


def test_an_update_changes_patterns(line: macadam.Engine) -> None:
    line.update([1, 2], arc_patterns=[0, 1], patterns=rush())
    assert line.matrix([0], [1], depart="Mo08:00")["duration"][0, 0] == 600_000
    assert line.matrix([1], [2], depart="Mo08:00")["duration"][0, 0] == 3_000_000
    line.update([2], arc_patterns=[0], duration=[1000])
    assert line.matrix([1], [2], depart="Mo08:00")["duration"][0, 0] == 1000


def test_errors_name_the_argument(line: macadam.Engine, tmp_path: Path) -> None:
    with pytest.raises(macadam.InvalidError, match="patterns: the shape"):
        line.update([1], arc_patterns=[1], patterns=rush()[0])
    with pytest.raises(macadam.InvalidError, match="arc_patterns"):
        line.update([1], arc_patterns=[1, 1], patterns=rush())
    with pytest.raises(macadam.InvalidError):
        line.update([1], arc_patterns=[2], patterns=rush())
    with pytest.raises(macadam.InvalidError):
        line.update([1], arc_patterns=[1], patterns=rush()[:, :100])
    with pytest.raises(FileNotFoundError, match="none.csv"):
        line.update_speeds([str(tmp_path / "none.csv")])


def test_the_clock_waits_at_closed_roads(tmp_path: Path) -> None:
    text = (ROOT / "examples" / "town.osm").read_text()
    tag = '<tag k="highway"'
    (tmp_path / "shut.osm").write_text(text.replace(tag, f'<tag k="motor_vehicle:conditional" v="no @ (Mo 08:00-09:00)"/>{tag}'))
    macadam.import_osm(tmp_path / "shut.osm", tmp_path / "shut.mcd", node_ids=True)
    monday = datetime.datetime(2026, 11, 30, 8, 30)
    with macadam.open(tmp_path / "shut.mcd") as engine:
        free, wait = engine.route([11, 35]).duration, 30 * 60 * 1000
        eight = 8 * 60 * 60 * 1000
        for time in ("Mo08:30", "2026-11-30T08:30", monday, np.datetime64(monday), eight + wait, np.uint32(eight + wait)):
            assert engine.route([11, 35], depart=time).duration == free + wait
        assert engine.route([11, 35], depart="Mo08:59:59.999").duration == free + 1
        assert engine.route([11, 35], arrive_by="Mo09:00").duration == free + 2 * wait

        times = ["Mo08:30", "Tu08:30", "Mo08:45"]
        nodes = [11, 35, 33]
        each = [engine.matrix(nodes, depart=it).duration for it in times]
        answer = engine.matrix(nodes, depart=times)
        np.testing.assert_array_equal(answer.duration, np.stack(each, axis=1))
        assert answer.duration.shape == (3, 3, 3)
        assert list(answer.table())[14:16] == [(1, 1, 2, each[1][1, 2]), (1, 2, 0, each[2][1, 0])]
        stamps = np.array(["2026-11-30T08:30", "2026-12-01T08:30", "2026-11-30T08:45"], "M8[m]")
        np.testing.assert_array_equal(engine.matrix(nodes, depart=stamps).duration, answer.duration)
        assert engine.matrix(nodes, [35], depart=times[:1]).shape == (3, 1, 1)

        precise = engine.matrix(nodes, depart="Tu12:00")
        estimate = engine.matrix(nodes, depart="Tu12:00", approximate=True)
        assert precise.approximation is None and estimate.approximation is not None
        assert estimate.approximation.cells[0] == 6
        np.testing.assert_allclose(estimate.duration, precise.duration, atol=100)
        error = np.abs(estimate.duration - precise.duration.astype(float)).max() / precise.duration[precise.duration > 0].min()
        assert estimate.approximation.mean_ppm[0] <= estimate.approximation.worst_ppm[0] <= 1e6 * error + 1
        explained = engine.matrix(nodes, depart=times, explain=True).plan
        assert precise.plan is None and explained is not None
        assert explained.route_cells[0] == 27 and explained.label_rows[0] == explained.part_ppm[0] == 0
        refused: list[dict[str, Any]] = [{}, {"arrive_by": "Tu12:00"}, {"depart": "Tu12:00", "quantities": ["duration", "distance"]}]
        for options in refused:
            with pytest.raises(macadam.MacadamError, match="approximate"):
                engine.matrix(nodes, approximate=True, **options)
        arrivals = [engine.matrix(nodes, arrive_by=it).duration for it in times]
        np.testing.assert_array_equal(engine.matrix(nodes, arrive_by=times).duration, np.stack(arrivals, axis=2))
        own = engine.matrix(nodes, depart=times, time_each=True).duration
        np.testing.assert_array_equal(own, [each[i][i] for i in range(3)])

        tree = engine.tree(11, depart=times).duration
        np.testing.assert_array_equal(tree, [engine.tree(11, depart=it).duration for it in times])
        lanes = engine.tree([11, 35] * 4, depart=times[:2], order="lanes", method="near-far")
        nodes_tree = engine.tree([11, 35] * 4, depart=times[:2], order="nodes").duration
        np.testing.assert_array_equal(lanes.duration, nodes_tree.transpose(2, 0, 1))
        assert lanes.table().depart.tolist()[:4] == [0, 1, 0, 1]
        routes = engine.routes([11, 11], [35, 33], depart=times)
        np.testing.assert_array_equal(routes.duration, answer.duration[0, :, 1:].T)
        pairs = engine.routes([11, 35], [35, 11], depart=times[:2], time_each=True, paths=True)
        assert pairs.duration.tolist() == [each[0][0, 1], each[1][1, 0]] and len(pairs.arcs) == 2

        for bad, words in (("08:15", "is not like Mo08:15"), (-1, "is not in 0..604799999"), (np.zeros((2, 2), int), "of shape"),
                           ([np.datetime64("NaT")], "missing"), (np.array(["NaT"], "M8[s]"), "missing")):  # fmt: skip
            with pytest.raises((macadam.InvalidError, TypeError), match=words):
                engine.matrix(nodes, depart=bad)
        # An aware datetime is local time of its own zone, or the map's if that is given.
        zone = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
        aware = monday.replace(tzinfo=zone)
        assert engine.route([11, 35], depart=aware).duration == free + wait
        assert engine.route([11, 35], depart=aware, utc_offset="+05:30").duration == free + wait
        assert engine.route([11, 35], depart=aware.astimezone(datetime.timezone.utc), utc_offset="+05:30").duration == free + wait
        assert engine.route([11, 35], depart=aware, utc_offset="+01:00").duration == free
        answer = engine.matrix([11], [35], depart=["2026-11-30T07:30Z", monday, aware], utc_offset="+01:00")
        assert answer.duration.tolist() == [[[free + wait], [free + wait], [free]]]
        with pytest.raises(macadam.MacadamError, match="has a zone: give the map's utc_offset"):
            engine.route([11, 35], depart="2026-11-30T08:30+01:00")
        with pytest.raises(macadam.InvalidError, match='the utc_offset "1" is not like'):
            engine.route([11, 35], depart=8 * HOUR, utc_offset="1")
        with pytest.raises(TypeError, match="utc_offset: 1 is not a text"):
            engine.route([11, 35], depart="Mo08:30", utc_offset=1)  # type: ignore[arg-type]
        with pytest.raises(macadam.MacadamError, match="without a departure or an arrival"):
            engine.route([11, 35], utc_offset="Z")
        with pytest.raises(macadam.InvalidError, match="paths"):
            engine.routes([11], [35], depart=times, paths=True)
        with pytest.raises(TypeError, match="depart: there is no such argument of Engine.hops"):
            engine.hops(11, depart="Mo08:15")  # type: ignore[call-arg]
        ends = engine.snap([11, 23, 35])
        points = np.column_stack((ends.lon, ends.lat))
        at = np.array(["2026-11-30T07:00", "2026-11-30T07:01", "2026-11-30T07:02"], "datetime64[s]")
        noon, morning = (
            engine.match(points, time=it, utc_offset="+01:00", routes=True).routes[0].legs.duration for it in (at + 14_400, at)
        )
        assert morning.tolist() == [noon[0] + HOUR, noon[1] + HOUR - 60_000]
        with pytest.raises(macadam.InvalidError, match="a clock, but no routes"):
            engine.match(points, time=at, utc_offset="+01:00")


def test_a_way_along_a_road_that_takes_too_long_is_none(tmp_path: Path) -> None:
    speed = np.zeros((1, SLOTS), np.uint8)
    speed[0, 0] = 255
    weights = {"duration": [2_000_000_000], "distance": [80_000]}
    ends = [(7.0, 43.0), (7.01, 43.0)]
    macadam.import_arrays([0], [1], weights, tmp_path / "slow.mcd", lonlat=ends, arc_patterns=[1], patterns=speed)
    places = [(7.002, 43.0), (7.008, 43.0)]
    with macadam.open(tmp_path / "slow.mcd") as slow:
        for depart, arrive_by in ("Mo00:00", None), (None, "Mo00:15"):
            for quantities in ["duration"], ["duration", "distance"]:
                with pytest.warns(macadam.PlaceWarning):
                    matrix = slow.matrix(places, quantities=quantities, depart=depart, arrive_by=arrive_by)
                for quantity in quantities:
                    assert matrix[quantity].tolist() == [[0, macadam.UNREACHED], [macadam.UNREACHED, 0]]
            with pytest.warns(macadam.PlaceWarning):
                routes = slow.routes(places[:1], places[1:], depart=depart, arrive_by=arrive_by)
            assert routes.duration.tolist() == [macadam.UNREACHED]


def test_a_road_that_is_closed_when_it_is_fastest_keeps_its_speeds(tmp_path: Path) -> None:
    tags = '<tag k="highway" v="residential"/><tag k="motor_vehicle:conditional" v="no @ (Mo 08:00-09:00)"/>'
    nodes = '<node id="1" lat="43" lon="7"/><node id="2" lat="43.01" lon="7"/>'
    (tmp_path / "gate.osm").write_text(f'<osm version="0.6">{nodes}<way id="1"><nd ref="1"/><nd ref="2"/>{tags}</way></osm>')
    macadam.import_osm(tmp_path / "gate.osm", tmp_path / "gate.mcd")
    speed = np.full((1, SLOTS), 47)
    speed[0, 32:36] = 255
    speed[0, 48:] = 7
    with macadam.open(tmp_path / "gate.mcd") as gate:
        gate.update(tails=[1], heads=[2], duration=[100_000], arc_patterns=[1], patterns=speed)
        for depart, rate in ("Mo09:00", 47), ("Tu09:00", 7):
            assert gate.route([1, 2], depart=depart).duration == -(-255 * 100_000 // rate)


def test_a_road_that_opens_at_times_keeps_its_hours_until_both_quantities_are_updated(tmp_path: Path) -> None:
    hours = '<tag k="motor_vehicle" v="no"/><tag k="motor_vehicle:conditional" v="yes @ (Mo 08:00-09:00)"/>'
    nodes = '<node id="1" lat="43" lon="7"/><node id="2" lat="43.01" lon="7"/><node id="3" lat="43.02" lon="7"/>'
    ways = "".join(
        f'<way id="{way}"><nd ref="{way}"/><nd ref="{way + 1}"/><tag k="highway" v="residential"/>{tags}</way>'
        for way, tags in ((1, ""), (2, hours))
    )
    (tmp_path / "gate.osm").write_text(f'<osm version="0.6">{nodes}{ways}</osm>')
    macadam.import_osm(tmp_path / "gate.osm", tmp_path / "gate.mcd")
    with macadam.open(tmp_path / "gate.mcd") as gate:

        def cost(**when: Any) -> int:
            return int(gate.matrix([2], [3], **when).duration[0, 0])

        gate.update(tails=[2], heads=[3], duration=[1000])
        assert cost(depart="Mo08:10") == cost(slot="Mo08:10") == 1000
        assert cost(depart="Mo07:00") == 1000 + HOUR
        with pytest.warns(macadam.PlaceWarning):
            assert cost() == cost(slot="Mo07:00") == macadam.UNREACHED
        gate.update(tails=[2], heads=[3], distance=[2000])
        assert cost() == cost(depart="Mo07:00") == cost(slot="Mo07:00") == 1000
