"""Times of departure and arrival: waits before a road that is closed at times, as the command writes them."""

import json
import os
import unittest

from support import CommandTest, read_npy, rows_of, run

HOUR = 3600 * 1000
TEXT = """<osm version="0.6">
    <node id="1" lat="43" lon="7"/><node id="2" lat="43.01" lon="7"/><node id="3" lat="43.02" lon="7"/>
    <way id="1"><nd ref="1"/><nd ref="2"/><tag k="highway" v="residential"/></way>
    <way id="2"><nd ref="2"/><nd ref="3"/><tag k="highway" v="residential"/>
        <tag k="motor_vehicle:conditional" v="no @ (Mo-Fr 07:00-09:00)"/></way></osm>"""


class Clock(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with open(cls.path("gate.osm"), "w") as file:
            file.write(TEXT)
        cls.gate = cls.path("gate.mcd")
        run("import", cls.path("gate.osm"), "-o", cls.gate, "--quiet")
        cls.first, cls.second = (cls.route(ends)["duration"] for ends in ((1, 2), (2, 3)))

    @classmethod
    def route(cls, ends, *options):
        ends = "--from", f"node:{ends[0]}", "--to", f"node:{ends[1]}"
        return json.loads(run("route", cls.gate, *ends, *options, "--format", "json")[0])

    def places(self, *nodes):
        return self.write("-".join(map(str, nodes)) + ".csv", "\n".join(f"node:{node}" for node in nodes) + "\n")

    def matrix(self, *options):
        ends = "--sources", self.places(1, 2), "--targets", self.places(3, 2)
        return run("matrix", self.gate, *ends, *options)[0]

    def test_a_route_waits(self):
        whole = self.first + self.second
        for time, cost in (
            ("Mo12:00", whole),
            ("Mo08:00", HOUR + self.second),
            ("Mo08:00:00.250", HOUR + self.second - 250),
            ("2026-11-30T08:00", HOUR + self.second),
            ("2026-11-28T08:00", whole),
        ):
            self.assertEqual(self.route((1, 3), "--depart", time)["duration"], cost, time)
        for time, cost in (("Mo12:00", whole), ("Mo08:00", HOUR + whole)):
            self.assertEqual(self.route((1, 3), "--arrive-by", time)["duration"], cost, time)

    def test_times_with_a_zone_become_local(self):
        late = HOUR + self.second
        for time, offset, cost in (
            ("2026-11-30T08:00:00+01:00", "+01:00", late),
            ("2026-11-30T07:00Z", "+01:00", late),
            ("2026-11-30T13:00Z", "-05:00", late),
            ("2026-11-30T08:00Z", "+14:00", self.first + self.second),
            ("2026-11-30T08:00", "+14:00", late),
        ):
            self.assertEqual(self.route((1, 3), "--depart", time, "--utc-offset", offset)["duration"], cost, time)
        cost = self.route((1, 3), "--arrive-by", "2026-11-30T07:00Z", "--utc-offset", "+01:00")["duration"]
        self.assertEqual(cost, HOUR + self.first + self.second)
        _, rows = rows_of(self.matrix("--depart", "2026-11-30T07:00Z,Mo12:00", "--utc-offset", "+01:00"))
        self.assertEqual(rows[0], [1, 3, "2026-11-30T07:00Z", late])

    def test_a_matrix_has_a_row_for_each_departure(self):
        header, rows = rows_of(self.matrix("--depart", "Mo08:00,Mo12:00"))
        self.assertEqual(header, ["source", "target", "depart", "duration"])
        first, second = self.first, self.second
        early = [[1, 3, "Mo08:00", HOUR + second], [1, 2, "Mo08:00", first], [2, 3, "Mo08:00", HOUR + second], [2, 2, "Mo08:00", 0]]
        late = [[1, 3, "Mo12:00", first + second], [1, 2, "Mo12:00", first], [2, 3, "Mo12:00", second], [2, 2, "Mo12:00", 0]]
        self.assertEqual(rows, [*early[:2], *late[:2], *early[2:], *late[2:]])
        records = json.loads(self.matrix("--depart", "Mo08:00,Mo12:00", "--format", "json"))
        self.assertEqual([list(it.values()) for it in records], rows)
        self.matrix("--depart", "Mo08:00,Mo12:00", "-o", self.path("m.npy"))
        self.assertEqual(read_npy(self.path("m.npy")), ((2, 2, 2), [row[3] for row in rows]))

    def test_an_approximate_matrix_reports_its_error(self):
        ask = "matrix", self.gate, "--sources", self.places(1, 2), "--targets", self.places(3, 2)
        out, said = run(*ask, "--depart", "Mo12:00", "--approximate")
        _, exact = rows_of(self.matrix("--depart", "Mo12:00"))
        for found, right in zip(rows_of(out)[1], exact, strict=True):
            self.assertEqual(found[:3], right[:3])
            self.assertAlmostEqual(found[3], right[3], delta=60)  # units of 18 ms
        self.assertRegex(said, r"approximate durations: 0\.0. % from the exact ones on average, 0\.0. % at most, in 3 cells")
        self.assertUsage(*ask, "--approximate", says="--depart")
        ask = *ask, "--approximate", "--depart", "Mo12:00", "--quantities", "duration,distance"
        self.assertIn("an approximate matrix of more than durations", run(*ask, status=2)[1])

    def test_a_matrix_explains_how_it_was_computed(self):
        ask = "matrix", self.gate, "--sources", self.places(1, 2), "--targets", self.places(3, 2), "--explain"
        for options, plan in (
            ((), '"label_rows":2'),
            (("--depart", "Mo08:00,Mo12:00"), '"route_cells":8'),
            (("--depart", "Mo12:00", "--approximate"), '"approximate_rows":2'),
        ):
            self.assertIn(f"plan: {{{plan}}}\n", run(*ask, *options)[1])
        self.assertUsage("tree", self.gate, "--from", "node:1", "--explain", says="--explain")

    def test_a_matrix_has_a_column_for_each_arrival(self):
        _, rows = rows_of(self.matrix("--arrive-by", "Mo08:00,Mo12:00,Mo13:00"))
        whole = self.first + self.second
        self.assertEqual(rows[:3], [[1, 3, "Mo08:00", HOUR + whole], [1, 3, "Mo12:00", whole], [1, 3, "Mo13:00", whole]])
        self.matrix("--arrive-by", "Mo08:00,Mo12:00,Mo13:00", "-o", self.path("m.npy"))
        self.assertEqual(read_npy(self.path("m.npy")), ((2, 2, 3), [row[3] for row in rows]))

    def test_a_problem_has_a_file_for_each_time(self):
        stops = self.places(1, 3)
        ask = "matrix", self.gate, "--sources", stops, "--targets", stops, "--format"
        for option, times in (
            ("--depart", {"Mo07:59:50": "Mo075950", "2026-11-30T12:00": "2026-11-30T1200"}),
            ("--arrive-by", {"Mo09:00:10": "Mo090010", "Mo12:00": "Mo1200"}),
        ):
            for format, name in (("ortools", "p.json"), ("vroom", "p.d/p")):
                os.makedirs(self.path("p.d"), exist_ok=True)
                stem, end = os.path.splitext(self.path(name))
                with self.subTest(option=option, format=format):
                    run(*ask, format, option, ",".join(times), "-o", stem + end)
                    self.assertFalse(os.path.exists(stem + end))
                    problems = []
                    for time, part in times.items():
                        with open(f"{stem}-{part}{end}") as file:
                            problems.append(file.read())
                        self.assertEqual(problems[-1], run(*ask, format, option, time)[0])
                    self.assertNotEqual(*problems)
        self.assertUsage(*ask, "vroom", "--depart", "Mo08:00,Mo09:00", says="2 times are as many problems: name their files with -o")

    def legs(self, first, second, third, *options):
        """The durations of the legs of a trace whose second point is at the gate."""
        rows = zip((43.001, 43.01, 43.019), (first, second, third))
        trace = self.write("trace.csv", "trace,lon,lat,time\n" + "".join(f"1,7,{lat},{time}\n" for lat, time in rows))
        answer = json.loads(run("match", self.gate, "--traces", trace, "--format", "json", *options)[0])
        (matching,) = answer["matchings"]
        self.assertEqual(matching["duration"], sum(leg["duration"] for leg in matching["legs"]))
        return [leg["duration"] for leg in matching["legs"]]

    def test_legs_of_a_trace_take_as_long_as_at_its_times(self):
        day = "2026-11-30T"
        first, second = self.legs(*(f"{day}{time}Z" for time in ("08:00:00", "08:02:00", "08:04:00")))
        for at, wait in ("06:30:00", 5400), ("07:59:58.5", 1.5), ("08:00:00", 0), ("05:59:00", 7200):
            with self.subTest(at=at):
                legs = self.legs(*(f"{day}{time}Z" for time in ("05:30:00", at, "08:04:00")), "--utc-offset", "+01:00")
                self.assertEqual(legs, [first, second + round(wait * 1000)])
        self.assertEqual(self.legs(-60, 30, 90, "--depart", "Mo08:59:00"), [first, second + 30000])
        trace = self.write("trace.csv", "trace,lon,lat\n1,7,43.001\n1,7,43.019\n")
        ask = "match", self.gate, "--traces", trace, "--utc-offset", "Z"
        self.assertUsage(*ask, "--format", "json", says="a clock, and point 0 has no time")
        self.assertUsage(*ask, says="a clock, but no routes")

    def test_each_source_has_its_own_departure(self):
        _, rows = rows_of(self.matrix("--depart", "Mo08:00,Mo12:00", "--time-each"))
        times = [(1, 3, "Mo08:00", HOUR + self.second), (2, 3, "Mo12:00", self.second)]
        self.assertEqual([tuple(rows[0]), tuple(rows[2])], times)
        pairs = self.write("pairs.csv", "source,target\n1,3\n2,3\n")
        header, rows = rows_of(run("routes", self.gate, "--pairs", pairs, "--depart", "Mo08:00,Mo12:00", "--time-each")[0])
        self.assertEqual((header, [tuple(row) for row in rows]), (["source", "target", "depart", "duration"], times))
        header, rows = rows_of(run("routes", self.gate, "--pairs", pairs, "--depart", "Mo08:00,Mo12:00", "--paths")[0])
        self.assertEqual([row[:4] for row in rows[:2]], [list(times[0]), [1, 3, "Mo12:00", self.first + self.second]])
        self.assertEqual([len(str(row[4]).split()) for row in rows], [2, 2, 1, 1])
        self.assertUsage("routes", self.gate, "--pairs", pairs, "--depart", "Mo08:00", "--time-each", says="1 times for 2 pairs")

    def test_a_tree_has_the_nodes_of_each_time(self):
        self.assertIn("<canvas", run("tree", self.gate, "--from", "node:1", "--depart", "Mo08:00", "--format", "html")[0])
        header, rows = rows_of(run("tree", self.gate, "--from", "node:1", "--depart", "Mo08:00,Mo12:00")[0])
        whole = self.first + self.second
        self.assertEqual(header, ["node", "depart", "duration"])
        self.assertEqual(rows[::3], [[1, "Mo08:00", 0], [1, "Mo12:00", 0]])
        self.assertEqual(rows[2::3], [[3, "Mo08:00", HOUR + self.second], [3, "Mo12:00", whole]])
        ask = "tree", self.gate, "--from", "node:3", "--reverse", "--arrive-by", "Mo08:00,Mo12:00"
        run(*ask, "-o", self.path("t.npy"))
        shape, values = read_npy(self.path("t.npy"))
        self.assertEqual((shape, values[::3]), ((1, 2, 3), [HOUR + whole, whole]))

    def test_what_is_reached_follows_the_clock(self):
        whole = self.first + self.second
        for time, cost in (("Mo12:00", whole), ("Mo08:00", HOUR + self.second)):
            _, rows = rows_of(run("reach", self.gate, "--sources", self.places(1), "--limits", "2000s", "--depart", time)[0])
            self.assertEqual(rows, [[1, 3 if cost == whole else 2, 3, cost]])
        ends = "--sources", self.places(1), "--targets", self.places(2, 3), "--nearest", "2"
        _, rows = rows_of(run("reach", self.gate, *ends, "--depart", "Mo08:00")[0])
        self.assertEqual([row[2:] for row in rows], [[2, self.first], [3, HOUR + self.second]])
        ask = "isochrone", self.gate, "--from", "node:2", "--limits", f"{self.second / 2000}s", "--format", "csv"
        _, rows = rows_of(run(*ask, "--depart", "Mo12:00")[0])
        self.assertEqual([row[4] for row in rows if row[:2] == [2, 3]], [self.second])
        _, rows = rows_of(run(*ask, "--depart", "Mo08:00")[0])
        self.assertEqual([row[4] for row in rows if row[:2] == [2, 3]], [HOUR + self.second])

    def test_a_trip_is_the_route_at_its_time(self):
        stops = "trip", self.gate, "--places", self.places(1, 3), "--open", "--from-first"
        _, rows = rows_of(run(*stops, "--depart", "Mo08:00", "--format", "csv")[0])
        self.assertEqual(rows[0], [1, HOUR + self.second])

    def test_other_times_and_questions_are_refused(self):
        ask = "route", self.gate, "--from", "node:1", "--to", "node:3"
        self.assertUsage(*ask, "--depart", "08:00", says='the time "08:00" is not like Mo08:15')
        self.assertUsage(*ask, "--depart", "Mo08:00,", says='the time "" is not like Mo08:15')
        self.assertUsage(*ask, "--depart", "2026-11-30T08:00Z", says="has a zone: give the map's utc_offset (--utc-offset)")
        self.assertUsage(*ask, "--depart", "Mo08:00", "--utc-offset", "1", says='the utc_offset "1" is not like +01:00')
        self.assertUsage(*ask, "--utc-offset", "+01:00", says="without a departure or an arrival")
        self.assertUsage(*ask, "--depart", "Mo08:00,Mo09:00", says="2 instants")
        self.assertUsage(*ask, "--time-each", says="without a departure or an arrival")
        self.assertUsage(*ask, "--depart", "Mo08:00", "--arrive-by", "Mo09:00", says="is not taken with --depart")
        self.assertUsage(*ask, "--depart", "Mo08:00", "--slot", "Mo08:00", says="a clock")
        self.assertUsage(*ask, "--via", "node:2", "--arrive-by", "Mo09:00", says="it needs via_turn any (--via-turn any; ")
        self.assertUsage(*ask, "--departure", "Mo08:00", says="with depart, the clock moves")
        self.assertUsage("connect", *ask[1:], "--depart", "Mo08:00", says="connect has no option --depart")


if __name__ == "__main__":
    unittest.main()
