"""Places: CSVs as people have them, points that have no road, and what is said about them."""

import csv
import io
import json
import os
import subprocess
import unittest

from support import COMMAND, ESTATE, CommandTest, rows_of, run


def piped(text, *arguments):
    done = subprocess.run([COMMAND, *map(str, arguments)], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Columns(CommandTest):
    """Of the small map: node 1 is at 7,43, node 10 (row 1, column 2) at 7.02,43.01."""

    def matrix(self, text, *arguments):
        places = self.write("places.csv", text)
        return rows_of(run("matrix", self.file, "--sources", places, "--targets", places, *arguments)[0])[1]

    def setUp(self):
        self.expected = self.matrix("lon,lat\n7,43\n7.02,43.01\n")

    def test_columns_come_in_any_order_and_case_and_others_are_ignored(self):
        for text in (
            "lat,lon\n43,7\n43.01,7.02\n",
            "Latitude,LONGITUDE\n43,7\n43.01,7.02\n",
            "y,x\n43,7\n43.01,7.02\n",
            "name,lat,city,lng\nA,43,Nice,7\nB,43.01,Nice,7.02\n",
            "long;name;lat\n7;A;43\n7.02;B;43.01\n",
            "lat\tlon\tname\n43\t7\tA\n43.01\t7.02\tB\n",
            '"lat","lon","name"\n43,7,"A, ""the"" first\nof two"\n43.01,7.02,B\n',
            "\ufefflat,lon\r\n43,7\r\n\r\n43.01,7.02\r\n",
        ):
            with self.subTest(text=text):
                self.assertEqual(self.matrix(text), self.expected)

    def test_nodes_may_be_a_column(self):
        cells = [row[2] for row in self.expected]
        for text in ("node\n1\n10\n", "name,node\nA,node:1\nB,10\n", "node:1\nnode:10\n"):
            with self.subTest(text=text):
                self.assertEqual([row[2] for row in self.matrix(text)], cells)

    def test_places_of_both_kinds_keep_their_ids_in_every_answer(self):
        for text in ("id,lon,lat\n7,7,43\n007,7.02,43.01\n", "node,id\n1,7\n10,007\n"):
            places, pairs = self.write("places.csv", text), self.write("pairs.csv", "source,target,source_lon,source_lat,target_lon,target_lat\n7,007,7,43,7.02,43.01\n")
            both = ("--sources", places, "--targets", places)
            for ask, expected in (
                (("matrix", *both), [("7", "7"), ("7", "007"), ("007", "7"), ("007", "007")]),
                (("reach", "--sources", places, "--limits", "9"), [("7",), ("007",)]),
                (("reach", *both, "--nearest", "1"), [("7", "7"), ("007", "007")]),
                (("snap", "--places", places), [("7",), ("007",)]),
                (("trip", "--places", places), [("7",), ("007",)]),
                (("routes", "--pairs", pairs), [("7", "007")]),
            ):
                with self.subTest(text=text, ask=ask[0]):
                    rows = csv.DictReader(io.StringIO(run(ask[0], self.file, *ask[1:])[0]))
                    self.assertEqual([tuple(row[it] for it in ("id", "source", "target") if it in row) for row in rows], expected)

    def test_pairs_have_columns_too(self):
        for text in (
            "source_lon,source_lat,target_lon,target_lat\n7,43,7.02,43.01\n",
            "target_y;target_x;weight;source_y;source_x\n43.01;7.02;5;43;7\n",
            "target,source\n10,1\n",
            "source,target_lat,target_lon\n1,43.01,7.02\n",
        ):
            with self.subTest(text=text):
                pairs = self.write("pairs.csv", text)
                self.assertEqual(rows_of(run("routes", self.file, "--pairs", pairs)[0])[1][0][2], self.expected[1][2])

    def test_values_have_columns_in_any_order(self):
        sources = self.write("s.csv", "node:1\n")
        answers = [
            run("reach", self.file, "--sources", sources, "--limits", 30, "--values", self.write("v.csv", text))
            for text in ("node,value\n1,5\n2,7\n", "value;note;node\n5;x;1\n7;y;2\n")
        ]
        self.assertEqual(answers[0], answers[1])

    def test_standard_input_and_output_are_a_dash(self):
        places = self.write("places.csv", "lon,lat\n7,43\n")
        output = piped("lon,lat\n7,43\n", "matrix", self.file, "--sources", "-", "--targets", places, "-o", "-")
        self.assertEqual(rows_of(output)[1], [[0, 0, 0]])
        self.assertUsage("matrix", self.file, "--sources", "-", "--targets", "-", says="standard input")
        self.assertUsage("update", self.file, "--weights", places, "-o", "-", says="standard output")

    def test_a_csv_that_cannot_be_read_is_exit_3_and_a_bad_one_exit_2(self):
        places = self.write("places.csv", "lon,lat\n7,43\n")
        for bad in (self.path("none.csv"), self.folder):
            self.assertIn(bad, run("matrix", self.file, "--sources", bad, "--targets", places, status=3)[1])
        with open(self.path("utf16.csv"), "wb") as file:
            file.write("lon,lat\n7,43\n".encode("utf-16"))
        self.assertUsage("matrix", self.file, "--sources", self.path("utf16.csv"), "--targets", places, says="UTF-16")

    def test_a_latitude_that_is_a_longitude_is_guessed(self):
        places = self.write("places.csv", "lon,lat\n35.6,139.7\n")
        self.assertUsage("matrix", self.file, "--sources", places, "--targets", places, says="swapped?")


class Failures(CommandTest):
    """A row that is good, one with its columns swapped, one far away."""

    def setUp(self):
        self.places = self.write("p.csv", "lon,lat\n7,43\n43,7\n\n0,0\n")
        self.pairs = self.write("q.csv", "source_lon,source_lat,target_lon,target_lat\n7,43,7.02,43.01\n7,43,0,0\n")

    def assertTold(self, error, what, place="p.csv:3: 43,7: outside the map; are longitude and latitude swapped?"):
        self.assertIn(f"{what} have no road within 1000 m\n", error)
        self.assertIn(place, error)

    def test_every_command_reports_which_places_have_no_road(self):
        error = run("matrix", self.file, "--sources", self.places, "--targets", self.places)[1]
        self.assertTold(error, "2 of 3 sources")
        self.assertTold(error, "2 of 3 targets", "p.csv:5: 0,0: outside the map\n")
        self.assertTold(run("reach", self.file, "--sources", self.places, "--limits", 9)[1], "2 of 3 sources")
        self.assertTold(run("snap", self.file, "--places", self.places)[1], "2 of 3 places")
        self.assertTold(run("routes", self.file, "--pairs", self.pairs)[1], "1 of 2 targets", "q.csv:3: 0,0")
        for command in (("tree",), ("isochrone", "--limits", 9), ("hops",)):
            error = run(*command[:1], self.file, "--from", "43,7", *command[1:])[1]
            self.assertIn("--from 43,7: no road within 1000 m: outside the map; are longitude", error)

    def test_quiet_says_nothing_of_it(self):
        self.assertEqual(run("snap", self.file, "--places", self.places, "--quiet")[1], "")

    def test_strict_allows_no_place_that_is_cut_off(self):
        island = self.write("island.osm", """<osm version="0.6">
            <node id="1" version="1" lat="50.1" lon="10.1"/><node id="2" version="1" lat="50.1" lon="10.102"/>
            <way id="1" version="1"><nd ref="1"/><nd ref="2"/><tag k="highway" v="residential"/></way></osm>""")
        town = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "town.osm")
        map = self.path("island.mcd")
        run("import", town, island, "-o", map, "--quiet")
        places = self.write("cut.csv", "id,lon,lat\ndepot,10.0021,49.9999\nbakery,10.0019,50.0027\nisland,10.101,50.1\n")
        matrix = "matrix", "--sources", places, "--targets", places
        for arguments, says in (
            (matrix, "1 of 3 sources failed or are cut off"),
            ((*matrix, "--format", "vroom"), "1 of 3 sources failed or are cut off"),
            (("snap", "--places", places), "1 of 3 places failed or are cut off"),
            (("tree", "--from", "10.101,50.1"), "--from 10.101,50.1: the road there is cut off from most others"),
            (("route", "--from", "10.101,50.1", "--to", "10.0021,49.9999"), "--from 10.101,50.1: the road there is cut off"),
        ):
            with self.subTest(arguments=arguments):
                run(arguments[0], map, *arguments[1:], status=1 if arguments[0] == "route" else 0)
                out = self.path("cut.json" if arguments[0] == "route" else "cut.out.csv")
                strict = (*arguments[1:], "--strict") if "vroom" in arguments else (*arguments[1:], "--strict", "-o", out)
                self.assertIn(says, run(arguments[0], map, *strict, status=2)[1])
                self.assertFalse(os.path.exists(out))
        vroom, error = run(*matrix[:1], map, *matrix[1:], "--format", "vroom")
        self.assertEqual([job["description"] for job in json.loads(vroom)["jobs"]], ["bakery"])
        self.assertIn("cut.csv:4: island", error)
        points = self.write("points.csv", "lon,lat\n10.0021,49.9999\n10.0019,50.0027\n10.101,50.1\n")
        error = run("matrix", map, "--sources", points, "--targets", points, "--format", "ortools")[1]
        self.assertEqual(error.count("points.csv:4: 10.101,50.1\n"), 2) # on a road that is cut off; left out

    def test_places_that_are_moved_are_counted(self):
        """A house beside the estate's street, and a barn at its other end."""
        town = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "town.osm")
        map = self.path("estate.mcd")
        run("import", town, self.write("estate.osm", ESTATE), "--profile", "car", "--profile", "foot", "-o", map, "--quiet")
        house, barn, shop = "10.005,50.0019", "10.0056,50.0017", "10.0021,49.9999"
        places = self.write("p.csv", f"id,lon,lat\nshop,{shop}\nhouse,{house}\nbarn,{barn}\n")
        estate = self.write("estate.csv", f"lon,lat\n{house}\n{barn}\n")
        pairs = self.write("q.csv", f"source_lon,source_lat,target_lon,target_lat\n{house},{barn}\n{house},{shop}\n{shop},{barn}\n")
        limits, both = ("--limits", 9000), ("--sources", places, "--targets", places)
        counted = "{} of 3 {} were moved: the nearest road is cut off from most others\n"
        at = ("  {0}:3: 10.005,50.0019: 11 m away, moved 67 m\n", "  {0}:4: 10.0056,50.0017: 11 m away, moved 29 m\n")
        both_of = {name: [counted.format(2, name), at[0].format(places), at[1].format(places)] for name in ("places", "sources", "targets", "stops")}
        one = "{} {}: the nearest road is cut off from most others: 11 m away, moved {} m\n"
        for arguments, says in (
            (("snap", "--places", places), both_of["places"]),
            (("matrix", *both), both_of["sources"] + both_of["targets"]),
            (("matrix", *both, "--format", "vroom"), both_of["sources"]),
            (("reach", "--sources", places, *limits), both_of["sources"]),
            (("reach", "--sources", places, "--targets", places, "--nearest", 1), both_of["sources"] + both_of["targets"]),
            (("trip", "--places", places), both_of["stops"]),
            (("trip", "--places", estate), []),
            (("routes", "--pairs", pairs), [counted.format(1, "sources"), counted.format(1, "targets")]),
            (("tree", "--from", house), [one.format("--from", house, 67)]),
            (("hops", "--from", house), [one.format("--from", house, 67)]),
            (("isochrone", "--from", house, *limits), [one.format("--from", house, 67)]),
            (("isochrone", "--from", house, *limits, "--format", "geojson"), [one.format("--from", house, 67)]),
            (("connect", "--from", house, "--to", shop), [one.format("--from", house, 67)]),
            (("connect", "--from", shop, "--to", barn), [one.format("--to", barn, 29)]),
            (("connect", "--from", house, "--to", barn), []),
            (("route", "--from", house, "--to", shop), [one.format("--from", house, 67)]),
            (("route", "--from", house, "--to", barn), []),
            (("route", "--from", house, "--via", barn, "--to", shop), [one.format("--via", barn, 29)]),
        ):
            with self.subTest(arguments=arguments):
                command = arguments[0], map, *arguments[1:]
                answer, error = run(*command)
                self.assertEqual(error.count("cut off"), sum(it.count("cut off") for it in says), error)
                for it in says:
                    self.assertIn(it, error)
                self.assertEqual(run(*command, "--strict"), (answer, error)) # no failure
                self.assertEqual(run(*command, "--quiet"), (answer, ""))
                self.assertNotIn("moved", run(*command, "--profile", "foot")[1]) # the alley is open to them
        header, rows = rows_of(run("snap", map, "--places", places)[0])
        self.assertEqual([header[-1], *(row[-1] for row in rows)], ["nearest_m", None, "11.12", "11.12"])
        found = json.loads(run("snap", map, "--places", places, "--format", "json")[0])
        self.assertEqual([(it["status"], it.get("nearest_m")) for it in found], [("ok", None), ("moved", 11.12), ("moved", 11.12)])
        self.assertEqual([it["snapped_m"] for it in found], [11.12, 66.72, 28.59])
        rows = rows_of(run("matrix", map, *both, "--statuses")[0])[1]
        self.assertEqual([row[-2:] for row in rows[2:4]], [["ok", "moved"], ["moved", "ok"]])
        rows = rows_of(run("routes", map, "--pairs", pairs, "--statuses")[0])[1]
        self.assertEqual([row[-2:] for row in rows], [["ok", "ok"], ["moved", "ok"], ["ok", "moved"]])
        route = json.loads(run("route", map, "--from", house, "--via", barn, "--to", shop, "--format", "json")[0])
        self.assertEqual([(it["status"], it["snapped_m"], it.get("nearest_m")) for it in route["waypoints"]],
                         [("ok", 11.12, None), ("moved", 28.59, 11.12), ("ok", 11.12, None)])

    def test_strict_is_exit_2_and_leaves_no_file(self):
        out = self.path("strict.csv")
        error = run(
            "matrix", self.file, "--sources", self.places, "--targets", self.places, "--strict", "-o", out, status=2
        )[1]
        self.assertIn("2 of 3 sources failed, and --strict allows none", error)
        with self.assertRaises(FileNotFoundError):
            open(out)
        for arguments in (
            ("tree", "--from", "43,7"),
            ("routes", "--pairs", self.pairs),
            ("reach", "--sources", self.places, "--limits", 9),
            ("isochrone", "--from", "43,7", "--limits", 9),
            ("snap", "--places", self.places),
            ("route", "--from", "43,7", "--to", "7,43"),
            ("connect", "--from", "43,7", "--to", "7,43"),
            ("hops", "--from", "43,7"),
            ("trip", "--places", self.places),
        ):
            with self.subTest(arguments=arguments):
                run(arguments[0], self.file, *arguments[1:], "--strict", "-o", out, status=2)
                self.assertFalse(os.path.exists(out))
        good = self.write("good.csv", "lon,lat\n7,43\n")
        run("matrix", self.file, "--sources", good, "--targets", good, "--strict")

    def test_statuses_are_columns_and_fields(self):
        header, rows = rows_of(
            run("matrix", self.file, "--sources", self.places, "--targets", self.places, "--statuses")[0]
        )
        self.assertEqual(header, ["source", "target", "duration", "source_status", "target_status"])
        self.assertEqual(rows[1], [0, 1, None, "ok", "too_far"])
        self.assertEqual(rows[3], [1, 0, None, "too_far", "ok"])
        text = run("routes", self.file, "--pairs", self.pairs, "--statuses", "--format", "json")[0]
        self.assertEqual([row["target_status"] for row in json.loads(text)], ["ok", "too_far"])
        header, rows = rows_of(run("reach", self.file, "--sources", self.places, "--limits", 9, "--statuses")[0])
        self.assertEqual([row[-1] for row in rows], ["ok", "too_far", "too_far"])
        header, rows = rows_of(run("tree", self.file, "--from", "43,7", "--statuses")[0])
        self.assertEqual((header[-1], rows[0][-1]), ("source_status", "too_far"))
        text = run("isochrone", self.file, "--from", "43,7", "--limits", 9, "--statuses", "--format", "geojson")[0]
        self.assertEqual(json.loads(text)["features"][0]["properties"]["source_status"], "too_far")
        self.assertUsage(
            "matrix", self.file, "--sources", self.places, "--targets", self.places, "--statuses", "--format", "npy",
            says="statuses",
        )

    def test_warnings_are_objects_with_json_errors(self):
        error = run("snap", self.file, "--places", self.places, "--json-errors")[1]
        self.assertIn("2 of 3", json.loads(error.splitlines()[0])["warning"])

    def test_a_route_says_why_there_is_none(self):
        for end, says, reason in (
            ("43,7", "--to 43,7: no road within 1000 m", "place_failed"),
            ("node:50", "no road leads to --to node:50", "end_blocked"),
        ):
            text, error = run("route", self.file, "--from", "7,43", "--to", end, "--format", "json", status=1)
            self.assertIn(says, error)
            self.assertEqual(json.loads(text)["reason"], reason)
        text, error = run("route", self.file, "--from", "node:51", "--to", "7,43", "--format", "json", status=1)
        self.assertIn("no road leads on from --from node:51", error)
        self.assertEqual(json.loads(text)["reason"], "start_blocked")


class Snap(CommandTest):
    def test_shows_where_places_go(self):
        places = self.write("p.csv", "id,lon,lat\nA,7.0025,43.0001\n7,7,43\nfar,0,0\n")
        header, rows = rows_of(run("snap", self.file, "--places", places)[0])
        self.assertEqual(header, "id,status,lon,lat,distance_m,way,arc,name,nearest_m".split(","))
        self.assertEqual([row[:2] for row in rows], [["A", "ok"], [7, "ok"], ["far", "too_far"]])
        self.assertEqual((rows[0][2], rows[0][3]), ("7.0025000", "43.0000000"))
        self.assertAlmostEqual(float(rows[0][4]), 11.12, delta=0.01)
        self.assertEqual(rows[2][2:], [None] * 7)
        objects = json.loads(run("snap", self.file, "--places", places, "--format", "json")[0])
        self.assertEqual([o["status"] for o in objects], ["ok", "ok", "too_far"])
        self.assertEqual((objects[0]["id"], objects[0]["lon"], objects[1]["node"]), ("A", 7.0025, 1))

    def test_a_place_with_an_empty_name_is_an_object_without_it(self):
        places = self.write("p.csv", "id,lon,lat\n,7,43\nB,7,43\n")
        first, second = json.loads(run("snap", self.file, "--places", places, "--format", "json")[0])
        self.assertEqual((first.get("id"), second.pop("id")), (None, "B"))
        self.assertEqual(first, second)


class Units(CommandTest):
    """The small map is made from DIMACS files, which do not say their units; a drawn one does."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        ways = '<way id="1"><nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="residential"/></way>'
        nodes = "".join(f'<node id="{i}" lat="43" lon="{7 + i * 0.01}"/>' for i in (1, 2, 3))
        with open(cls.path("drawn.osm"), "w") as file:
            file.write(f'<osm version="0.6">{nodes}{ways}</osm>')
        cls.drawn = cls.path("drawn.mcd")
        run("import", cls.path("drawn.osm"), "-o", cls.drawn, "--quiet")

    def test_limits_have_units(self):
        places = self.write("p.csv", "node:1\n")
        answers = [
            rows_of(run("reach", self.drawn, "--sources", places, "--limits", limit)[0])
            for limit in ("60000", "60s", "1min", "60000ms")
        ]
        self.assertEqual([a[0][1] for a in answers], ["nodes_60000", "nodes_60s", "nodes_1min", "nodes_60000ms"])
        self.assertEqual([a[1] for a in answers], [answers[0][1]] * 4)
        far = run("tree", self.drawn, "--from", "node:1", "--metric", "distance", "--limit", "1.2km")[0]
        self.assertEqual(far, run("tree", self.drawn, "--from", "node:1", "--metric", "distance", "--limit", 120000)[0])
        self.assertUsage("reach", self.drawn, "--sources", places, "--limits", "2km", says="ms, s, min or h")
        self.assertUsage("reach", self.drawn, "--sources", places, "--limits", "60s,1min", says="1min twice")
        self.assertUsage("reach", self.file, "--sources", places, "--limits", "5min", says='"5min" is not a whole')

    def test_radii_have_units(self):
        for radius, status in (("2km", "ok"), ("2000", "ok"), ("500m", "too_far"), ("90000cm", "too_far")):
            places = self.write("p.csv", "lon,lat\n7.015,43.0135\n")  # 1501 m north of the road
            row = rows_of(run("snap", self.drawn, "--places", places, "--snap-radius", radius)[0])[1][0]
            self.assertEqual(row[1], status, radius)

    def test_answers_come_in_seconds_and_metres(self):
        arguments = ("tree", self.drawn, "--from", "node:1", "--quantities", "duration,distance")
        raw, si = (rows_of(run(*arguments, *units)[0])[1] for units in ((), ("--units", "si")))
        self.assertEqual([[row[0], f"{row[1] / 1000:.3f}", f"{row[2] / 100:.2f}"] for row in raw], si)
        route = json.loads(
            run("route", self.drawn, "--from", "node:1", "--to", "node:3", "--format", "json", "--units", "si")[0]
        )
        self.assertAlmostEqual(route["duration"], raw[-1][1] / 1000)
        self.assertAlmostEqual(sum(arc["duration"] for arc in route["arcs"]), route["duration"])
        self.assertUsage(*arguments, "--units", "si", "--format", "npy", says="whole numbers")

    def test_parts_of_a_bent_road_are_as_long_as_its_pieces(self):
        """North and then east at 60 degrees, where a sphere is wrong by 0.3 %: as one road, and as two."""
        nodes = "".join(
            f'<node id="{i}" lat="{lat}" lon="{lon}"/>' for i, lat, lon in ((1, 60, 7), (2, 60.02, 7), (3, 60.02, 7.04))
        )
        lengths, both = [], ("--quantities", "duration,distance", "--format", "json")
        for ways, bend in ((["123"], "7,60.02"), (["12", "23"], "node:2")):
            roads = "".join(
                f'<way id="{i}">{"".join(f"""<nd ref="{node}"/>""" for node in way)}<tag k="highway" v="primary"/></way>'
                for i, way in enumerate(ways, 1)
            )
            with open(self.path("bent.osm"), "w") as file:
                file.write(f'<osm version="0.6">{nodes}{roads}</osm>')
            run("import", self.path("bent.osm"), "-o", self.path("bent.mcd"), "--quiet")
            for ends in (("node:1", bend), (bend, "node:3")):
                text = run("route", self.path("bent.mcd"), "--from", ends[0], "--to", ends[1], *both)[0]
                lengths.append(sum(arc["distance"] for arc in json.loads(text)["arcs"]))
        for part, piece in zip(lengths[:2], lengths[2:]):
            self.assertAlmostEqual(part, piece, delta=2)  # centimetres

    def test_no_threads_are_as_many_as_there_are(self):
        run("tree", self.drawn, "--from", "node:1", "--threads", 0)


if __name__ == "__main__":
    unittest.main()
