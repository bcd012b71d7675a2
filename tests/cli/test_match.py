"""Traces go back to the route on which they were made, and trips take the cheapest order."""

import gzip
import itertools
import json
import os

from support import EXIT, CommandTest, rows_of, run

TOWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "town.osm")


class Match(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.town = os.path.join(cls.folder, "town.mcd")
        run("import", TOWN, "-o", cls.town)
        cls.nodes = [
            row[0] for row in rows_of(run("tree", cls.town, "--from", "node:11")[0])[1] if row[1] is not None
        ]

    def write(self, name, lines):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
        return path

    def test_points_on_a_route_are_matched_to_its_arcs(self):
        ends = "--from", f"node:{self.nodes[0]}", "--to", f"node:{self.nodes[-1]}"
        arcs = {row[2] for row in rows_of(run("route", self.town, *ends, "--format", "csv")[0])[1]}
        line = json.loads(run("route", self.town, *ends, "--format", "geojson")[0])["geometry"]["coordinates"]
        halves = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in zip(line, line[1:]) if a != b]
        lines = ["trace,time,lon,lat"] + [
            f"x,{10 * i},{lon:.7f},{lat:.7f}" for i, (lon, lat) in enumerate(halves)
        ]
        lines += ["y,0,7.0,7.0", "y,1,,7.0"]
        header, rows = rows_of(run("match", self.town, "--traces", self.write("traces.csv", lines))[0])
        self.assertEqual(
            ",".join(header), "trace,point,status,matching,arc,along,way,lon,lat,distance_m,name"
        )
        self.assertEqual([row[:3] for row in rows[-2:]], [["y", 0, "no_road"], ["y", 1, "invalid"]])
        self.assertGreaterEqual(len(rows), 4)
        for row in rows[:-2]:
            self.assertEqual((row[0], row[2], row[3]), ("x", "ok", 0))
            self.assertIn(row[4], arcs)

    def test_every_format_of_traces_is_read_alike(self):
        points = [
            (
                node,
                run("route", self.town, "--from", f"node:{node}", "--to", f"node:{node}", "--format", "json")[
                    0
                ],
            )
            for node in self.nodes[:5]
        ]
        places = [json.loads(answer)["waypoints"][0] for _, answer in points]
        line = [(place["lon"], place["lat"]) for place in places]
        times = [f"2026-03-01T00:59:{10 * i:02}.5+01:00" for i in range(5)]
        seconds = [1772323140.5 + 10 * i for i in range(5)]
        csv = self.write(
            "t.csv", ["trace,time,lon,lat"] + [f"Tour 1,{t},{x},{y}" for t, (x, y) in zip(seconds, line)]
        )
        stamped = self.write(
            "s.csv", ["trace,time,lon,lat"] + [f"Tour 1,{t},{x},{y}" for t, (x, y) in zip(times, line)]
        )
        gpx = self.write(
            "t.gpx",
            [
                '<gpx xmlns="http://www.topografix.com/GPX/1/1" xmlns:g="x"><wpt lat="1" lon="2"/><trk>',
                "<name>Tour 1</name><trkseg>",
                *(
                    f'<trkpt lat="{y}" lon="{x}"><ele>3</ele><time> {t} </time></trkpt>'
                    for t, (x, y) in zip(times, line)
                ),
                "</trkseg></trk></gpx>",
            ],
        )
        feature = {
            "type": "Feature",
            "geometry": {"type": "LineString", "coordinates": line},
            "properties": {"name": "Tour 1", "coordTimes": times},
        }
        collection = {
            "type": "FeatureCollection",
            "features": [
                {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": None},
                {
                    "type": "Feature",
                    "geometry": {"type": "MultiLineString", "coordinates": [line]},
                    "properties": {"name": "Tour 1", "coordinateProperties": {"times": [seconds]}},
                },
            ],
        }
        answer = run("match", self.town, "--traces", csv)[0]
        self.assertIn("Tour 1,0,ok,0,", answer)
        for path in (
            stamped,
            gpx,
            self.write("a.geojson", [json.dumps(feature)]),
            self.write("b.json", [json.dumps(collection)]),
        ):
            self.assertEqual(run("match", self.town, "--traces", path)[0], answer, path)
            with open(path, "rb") as plain, gzip.open(path + ".gz", "wb") as packed:
                packed.write(b"\xef\xbb\xbf\r\n" + plain.read())
            self.assertEqual(run("match", self.town, "--traces", path + ".gz")[0], answer, path)
        rows = rows_of(answer)[1]
        whole = json.loads(run("match", self.town, "--traces", gpx, "--format", "json")[0])
        self.assertEqual([point["status"] for point in whole["points"]], [row[2] for row in rows])
        self.assertEqual(whole["matchings"][0]["trace"], "Tour 1")
        self.assertGreater(len(whole["matchings"][0]["arcs"]), 0)
        drawn = json.loads(run("match", self.town, "--traces", gpx, "--format", "geojson")[0])["features"]
        self.assertEqual([f["geometry"]["type"] for f in drawn[:2]], ["LineString", "Point"])
        self.assertEqual(len(drawn), len(whole["matchings"]) + len(rows))
        self.assertEqual(drawn[1]["properties"]["trace"], "Tour 1")

    def test_errors_that_stay_the_same_do_not_outweigh_a_detour(self):
        """Fixes of each second are 7 m beside the street for 200 m, and 5 m from a lane that is parallel there.
        Later, three are 16 m from the only road: over three times their accuracy."""
        degree, far_off = 111195, {78: 8, 79: 16, 80: 16, 81: 16, 82: 8}  # metres
        metres = {1: (0, 0), 2: (300, 0), 3: (500, 0), 4: (800, 0), 5: (300, 12), 6: (500, 12)}
        nodes = [
            f"<node id='{node}' version='1' lat='{north / degree}' lon='{east / degree}'/>"
            for node, (east, north) in metres.items()
        ]
        ways = [
            f"<way id='{way}' version='1'>"
            + "".join(f"<nd ref='{node}'/>" for node in passed)
            + f"<tag k='highway' v='residential'/><tag k='name' v='{name}'/></way>"
            for way, name, passed in ((10, "Street", (1, 2, 3, 4)), (11, "Lane", (2, 5, 6, 3)))
        ]
        source = self.write("lane.osm", ["<osm version='0.6'>", *nodes, *ways, "</osm>"])
        run("import", source, "-o", os.path.join(self.folder, "lane.mcd"))
        lines = ["trace,time,lon,lat"]
        for second in range(100):
            north = far_off.get(second, 7 if 300 < 8 * second < 500 else 0)
            lines.append(f"x,{second},{8 * second / degree:.7f},{north / degree:.7f}")
        traces = self.write("lane.csv", lines)
        rows = rows_of(run("match", os.path.join(self.folder, "lane.mcd"), "--traces", traces)[0])[1]
        self.assertEqual({(row[2], row[-1]) for row in rows}, {("ok", "Street")})

    def test_the_other_side_of_a_hairpin_is_not_an_outlier(self):
        """Between two of four fixes, 30 s apart, the way is 260 m long, and the line 60 m."""
        degree = 111195  # metres
        metres = {1: (0, 0), 2: (400, 0), 3: (400, 60), 4: (0, 60)}
        nodes = [
            f"<node id='{node}' version='1' lat='{north / degree}' lon='{east / degree}'/>"
            for node, (east, north) in metres.items()
        ]
        refs = "".join(f"<nd ref='{node}'/>" for node in metres)
        way = f"<way id='1' version='1'>{refs}<tag k='highway' v='secondary'/></way>"
        source = self.write("hairpin.osm", ["<osm version='0.6'>", *nodes, way, "</osm>"])
        run("import", source, "-o", os.path.join(self.folder, "hairpin.mcd"))
        lines = ["trace,time,lon,lat"]
        for i, (east, north) in enumerate([(10, 0), (300, 0), (300, 60), (10, 60)]):
            lines.append(f"x,{30 * i},{east / degree:.7f},{north / degree:.7f}")
        traces = self.write("hairpin.csv", lines)
        rows = rows_of(run("match", os.path.join(self.folder, "hairpin.mcd"), "--traces", traces)[0])[1]
        self.assertEqual([row[2] for row in rows], ["ok"] * 4)

    def test_swapped_coordinates_get_a_hint(self):
        """As of places; a point that is outside either way gets none."""
        swapped = self.write("swapped.csv", ["lon,lat", "50,10.0002", "50,10.0009"])
        error = run("match", self.town, "--traces", swapped)[1]
        self.assertEqual(error, "macadam: 50,10.0002: outside the map; are longitude and latitude swapped?\n")
        far = self.write("far.csv", ["lon,lat", "70,70", "10.0002,50"])
        self.assertEqual(run("match", self.town, "--traces", far)[1], "")

    def test_a_heading_counts_with_and_without_its_accuracy(self):
        """One that is not known is not that of north, whatever its accuracy."""

        def arcs(*lines):
            rows = rows_of(run("match", self.town, "--traces", self.write("heading.csv", lines))[0])[1]
            return [row[4] for row in rows]

        here, there = "10.002,50.0009", "10.002,50.00088"
        north, south = ([arc] * 2 for arc in (arcs("lon,lat", there, here)[0], arcs("lon,lat", here, there)[0]))
        self.assertNotEqual(north, south)
        for heading, expected in (("0", north), ("180", south)):
            self.assertEqual(arcs("lon,lat,heading", *[f"{here},{heading}"] * 2), expected)
            self.assertEqual(arcs("lon,lat,heading,heading_accuracy", *[f"{here},{heading},"] * 2), expected)
        unknown = arcs("lon,lat,heading,heading_accuracy", f"{here},,1", f"{there},,1")
        self.assertEqual(unknown, south)

    def test_traces_are_read_strictly(self):
        ask = "match", self.town, "--traces"
        self.assertUsage("match", self.town, says="--traces")
        self.assertUsage(*ask, self.write("bad.csv", ["lon,lat,time", "1,2,noon"]), says="bad.csv:2")
        self.assertUsage(*ask, self.write("none.csv", ["lon,when"]), says="lon and lat")
        self.assertUsage(*ask, self.write("empty.csv", ["lon,lat"]), says="no points")
        self.assertUsage(*ask, self.write("empty.gpx", ["<gpx/>"]), says="no points")
        self.assertUsage(*ask, self.write("cut.gpx", ["<gpx>", "<trk>"]), says="cut.gpx:3: no element found")
        point = '<gpx><trk><trkseg>\n<trkpt lat="%s" lon="2"><time>%s</time></trkpt></trkseg></trk></gpx>'
        self.assertUsage(
            *ask, self.write("north.gpx", [point % ("north", "")]), says='north.gpx:2: not a number: "north"'
        )
        dates = "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z"
        for time in (*dates, "2026-01-01T00:00:00+1", "2026-01-01", "2026-01-01T00:00:00.Z"):
            self.assertUsage(
                *ask,
                self.write("noon.gpx", [point % (1, time)]),
                says=f'noon.gpx:2: not a timestamp of ISO 8601: "{time}"',
            )
        leap = [point % (50, time) for time in ("2028-02-29T00:00:00Z", "2027-12-31T00:00:00Z")]
        for text in leap:
            self.assertEqual(run(*ask, self.write("leap.gpx", [text]))[1], "")
        self.assertUsage(*ask, self.write("bad.geojson", ["[1,"]), says="bad.geojson:1: not JSON")
        line = '{"type":"LineString","coordinates":[[1,2],[1,3]]}'
        self.assertUsage(*ask, self.write("two.geojson", [line, line]), says="two.geojson:2: text after the end")
        self.assertUsage(
            *ask,
            self.write("x.geojson", ['{"type":"LineString","coordinates":[[1,2],["x",2]]}']),
            says="trace 1, point 1",
        )

    def test_times_of_geojson_are_read_or_refused(self):
        line, flat = [[10.001, 50], [10.0012, 50]], "the times of its line are not a list"
        no_time = "its time is neither seconds nor a timestamp of ISO 8601"
        for kind, coordinates, times, says in (
            ("LineString", line, [1, None], None),
            ("LineString", line, None, None),
            ("MultiLineString", [line, line], [[1, 2], None], None),
            ("LineString", line, [1, True], "trace 1, point 1: " + no_time),
            ("LineString", line, [{}], "trace 1, point 0: " + no_time),
            ("LineString", line, "1", "trace 1, point 0: " + flat),
            ("MultiLineString", [line], "1", "trace 1, point 0: " + flat),
            ("MultiLineString", [line, line], [[1, 2], 3], "trace 2, point 0: " + flat),
        ):
            geometry = {"type": kind, "coordinates": coordinates}
            feature = {"type": "Feature", "geometry": geometry, "properties": {"coordTimes": times}}
            ask = "match", self.town, "--traces", self.write("times.geojson", [json.dumps(feature)])
            with self.subTest(kind=kind, times=times):
                self.assertUsage(*ask, says=says) if says else self.assertIn("0,1,ok", run(*ask)[0])

    def test_a_trip_takes_the_cheapest_order(self):
        stops = self.nodes[:: max(1, len(self.nodes) // 5)][:5]
        places = self.write("stops.csv", [f"node:{stop}" for stop in stops])
        ask = "matrix", self.town, "--sources", places, "--targets", places
        cells = rows_of(run(*ask)[0])[1]
        seconds = json.loads(run(*ask, "--format", "ortools")[0])["time_matrix"]
        self.assertEqual(
            sum(seconds, []), [10000000 if c[2] is None else (c[2] + 500) // 1000 for c in cells]
        )
        cost = {(row[0], row[1]): row[2] for row in cells}
        for options, last in ((("--open", "--from-first"), []), (("--from-first",), [stops[0]])):
            best = min(
                sum(cost[leg] for leg in zip(order, order[1:]))
                for rest in itertools.permutations(stops[1:])
                for order in [[stops[0], *rest, *last]]
                if all(cost[leg] is not None for leg in zip(order, order[1:]))
            )
            header, rows = rows_of(run("trip", self.town, "--places", places, *options)[0])
            self.assertEqual(header, ["id", "duration"])
            self.assertEqual(sorted(row[0] for row in rows), sorted(stops))
            self.assertEqual(rows[0][0], stops[0])
            self.assertEqual(sum(row[1] or 0 for row in rows), best)
        self.assertEqual(
            json.loads(run("trip", self.town, "--places", places, "--format", "json")[0])["found"], True
        )

    def test_a_trip_that_is_not_possible_has_exit_status_1(self):
        places = self.write("islands.csv", ["node:1", "node:50"])
        self.assertIn("no trip", run("trip", self.file, "--places", places, status=1)[1])

    def test_a_trip_leaves_out_stops_that_cannot_be_reached(self):
        at = {node: "{},{},{}".format(node, *self.map.coordinates[node]) for node in (1, 9, 30, EXIT)}

        def write(name, *lines):
            return self.write(name, ["id,lon,lat", *lines])

        reached = at[1], at[9], at[30]
        places, rest = write("left_out.csv", at[1], at[EXIT], at[9], "far,8,44", at[30]), write("reached.csv", *reached)
        trip = "trip", self.file, "--places", places
        for form in "csv", "geojson":
            out, told = run(*trip, "--format", form)
            self.assertEqual(out, run("trip", self.file, "--places", rest, "--format", form)[0])
            self.assertIn("1 of 5 stops failed: no way leads there from the other stops and back", told)
            self.assertIn("left_out.csv:3: 7.2,43.06", told)
            self.assertIn("left_out.csv:5: 8,44", told)
        out, told = run(*trip, "--strict", status=2)
        self.assertEqual(out, "")
        self.assertIn("2 of 5 stops failed, and --strict allows none", told)
        self.assertIn("left_out.csv:3: 7.2,43.06", told)
        for option, stops, reason in (
            ("--from-first", (at[EXIT], *reached), "first stop: no way leads there from the other stops and back"),
            ("--to-last", (*reached, at[EXIT]), "last stop: no way leads there from the other stops and back"),
            ("--to-last", (*reached, "far,8,44"), "last stop: no road within 1000 m"),
        ):
            fixed = write("fixed.csv", *stops)
            self.assertIn(f"no trip: the {reason}", run("trip", self.file, "--places", fixed, option, status=1)[1])
