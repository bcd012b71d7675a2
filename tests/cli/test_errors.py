"""Errors of the command: exit status, one line that names the place and the offending value."""

import json
import os
import re
import unittest

from support import ISLAND, CommandTest, run


class Usage(CommandTest):
    def test_a_command_is_needed(self):
        self.assertIn("usage:", run(status=2)[1])

    def test_an_unknown_command_is_answered_with_those_there_are(self):
        self.assertUsage(
            "teleport", self.file, says="import, info, tree, route, routes, matrix, reach, isochrone, hops, connect, all-pairs, closure, snap, match, trip, update, ready, serve, bench, arcs"
        )

    def test_help_is_a_command_too(self):
        self.assertEqual(run("help")[0], run("--help")[0])
        self.assertEqual(run("help", "route")[0], run("route", "--help")[0])

    def test_a_second_file_is_refused_with_the_reason(self):
        self.assertUsage("match", self.file, "trace.gpx", says="trace.gpx: only one file, the map")

    def test_a_format_is_refused_with_those_that_there_are(self):
        self.assertUsage("matrix", self.file, "-o", self.path("x.html"), says="html, only csv|json|npy|vroom")

    def test_parquet_is_what_the_python_package_writes(self):
        self.assertUsage("matrix", self.file, "-o", self.path("x.parquet"), says="x.parquet: only the Python package writes Parquet: python3 -m macadam matrix")

    def test_limits_that_look_like_minutes_are_pointed_out(self):
        town = self.path("town.mcd")
        run("import", os.path.join(os.path.dirname(__file__), "../../examples/town.osm"), "-o", town, "--quiet")
        for limits, is_pointed_out in (("5,10", True), ("5s", False), ("5,1000", False)):
            error = run("isochrone", town, "--from", "node:23", "--limits", limits)[1]
            self.assertEqual("5min,10min" in error, is_pointed_out, error)

    def test_no_route_is_not_drawn(self):
        path = self.path("none.html")
        ask = ("route", self.file, "--from", "node:1", "--to", f"node:{ISLAND}")
        self.assertIn("no route", run(*ask, "-o", path, status=1)[1])
        self.assertFalse(os.path.exists(path))

    def test_no_area_is_drawn_around_a_place_without_a_road(self):
        path = self.path("far.html")
        error = run("isochrone", self.file, "--from", "0,0", "--limits", "9", "-o", path, status=1)[1]
        self.assertIn("no area to draw", error)
        self.assertFalse(os.path.exists(path))

    def test_an_unknown_option_is_named(self):
        self.assertUsage("tree", self.file, "--from", "node:1", "--frobnicate", says="--frobnicate")
        self.assertUsage("tree", self.file, "--from", "node:1", "-x", says="-x")

    def test_an_option_of_another_command_is_refused(self):
        self.assertUsage("matrix", self.file, "--from", "node:1", says="--from")

    def test_a_missing_option_is_named(self):
        self.assertUsage("route", self.file, "--from", "node:1", says="--to")
        self.assertUsage("tree", "--from", "node:1", says="FILE.mcd")

    def test_a_missing_value_is_named(self):
        self.assertUsage("tree", self.file, "--from", says="--from")

    def test_numbers_are_read_strictly(self):
        for option, value in (
            ("--limit", "1x"),
            ("--limit", "-1"),
            ("--threads", "5000"),
            ("--threads", "two"),
            ("--memory", "8Q"),
            ("--memory", "99999999999T"),
            ("--snap-radius", "nan"),
            ("--snap-radius", "-5"),
            ("--snap-radius", "0x10"),
            ("--heading", "north"),
            ("--heading", "361"),
        ):
            with self.subTest(option=option, value=value):
                self.assertUsage("tree", self.file, "--from", "node:1", option, value, says=value)

    def test_options_of_routes_are_read_strictly(self):
        ask = ("route", self.file, "--from", "node:1", "--to", "node:2")
        self.assertUsage(*ask, "--alternatives", "17", says="16")
        self.assertUsage(*ask, "--via-turn", "left", says="straight")

    def test_an_output_refuses_the_options_that_it_does_not_take(self):
        place, csv = ("--from", "node:1"), self.write("one.csv", "node:1\n")
        route, matrix = ("route", self.file, *place, "--to", "node:2"), ("--sources", csv, "--targets", csv)
        trip, isochrone = ("trip", self.file, "--places", csv), ("isochrone", self.file, *place, "--limits", "9")
        for command, options, formats in (
            (route, ("--steps",), "csv polyline5 polyline6"),
            (route, ("--language", "de"), "csv polyline5"),
            (route, ("--segments",), "csv polyline5 html text"),
            (route, ("--totals",), "csv polyline5 html"),
            (route, ("--alternatives", "2"), "csv polyline5"),
            (route, ("--units", "si"), "polyline5 html"),
            (route, ("--quantities", "distance"), "polyline6"),
            (trip, ("--quantities", "distance"), "polyline5"),
            (isochrone, ("--width", "50m"), "csv json"),
            (isochrone, ("--disjoint",), "csv json"),
            (isochrone, ("--statuses",), "html"),
            (("matrix", self.file, *matrix), ("--statuses",), "vroom ortools"),
            (("matrix", self.file, *matrix), ("--units", "file"), "vroom"),
            (("tree", self.file, *place), ("--statuses",), "html"),
        ):
            for name in formats.split():
                with self.subTest(command=command[0], option=options[0], format=name):
                    says = f"{options[0]} is not taken with {name}, only with "
                    self.assertUsage(*command, *options, "--format", name, says=says)
        self.assertUsage(*route, "--steps", "-o", self.path("x.csv"), says="only with json|geojson|html|text")
        self.assertFalse(os.path.exists(self.path("x.csv")))
        self.assertUsage("serve", self.file, "-o", "x", says="serve has no option -o")

    def test_options_that_depend_on_others_are_refused_without_them(self):
        csv, values = self.write("one.csv", "node:1\n"), self.write("values.csv", "node,value\n1,2\n")
        nearest = ("reach", self.file, "--sources", csv, "--targets", csv, "--nearest", "1")
        self.assertUsage(*nearest, "--limits", "9", says="--limits is not taken with --nearest")
        self.assertUsage(*nearest, "--values", values, says="--values is taken only with --limits")
        self.assertUsage(*nearest[:-2], says="--targets is taken only with --nearest")
        self.assertUsage("route", self.file, "--from", "node:1", "--via", "node:2", "--to", "node:3", "--alternatives", "1",
                         "--format", "json", says="--alternatives is not taken with --via")
        out, weight = ("-o", self.path("x.mcd")), ("--weight", "duration=" + self.path("duration.gr"))
        for options in (("--node-ids",), ("--profile", "car")):
            self.assertUsage("import", *weight, *options, *out, says=f"{options[0]} is not taken with --weight")
        self.assertUsage("import", "x.osm", "--coords", "x.co", *out, says="--coords is taken only with --weight")

    def test_an_option_is_given_once(self):
        tree = ("tree", self.file, "--from", "node:1")
        for options in (("--from", "node:2"), ("--threads", "1", "--threads", "2"),
                        ("-o", self.path("a.csv"), "-o", self.path("b.csv"))):
            with self.subTest(options=options):
                self.assertUsage(*tree, *options, says=f"{options[0]} is given twice")
        run("route", self.file, "--from", "node:1", "--via", "node:2", "--via", "node:3", "--to", "node:4")

    def test_what_changes_nothing_is_allowed(self):
        route = "route", self.file, "--from", "node:1", "--to", "node:2"
        csv = self.write("one.csv", "node:1\nnode:2\n")
        matrix = "matrix", self.file, "--sources", csv, "--targets", csv
        for ask, more in (
            ((*route, "--quiet"), ("--quiet",)),
            ((*route, "--strict", "--json-errors"), ("--strict", "--json-errors")),
            (route, ("--via-turn", "any")),
            ((*route, "--format", "html"), ("--units", "file")),
            ((*matrix, "--format", "vroom"), ("--units", "si")),
            ((*matrix, "--format", "ortools"), ("--units", "si")),
        ):
            with self.subTest(more=more):
                self.assertEqual(run(*ask, *more), run(*ask))
        self.assertUsage(*route, "--format", "html", "--units", "si", says="--units is not taken with html")
        self.assertUsage(*matrix, "--format", "vroom", "--units", "file", says="--units is not taken with vroom")

    def test_conditions_have_known_classes_and_measures_their_units_and_old_names(self):
        ask = ("tree", self.file, "--from", "node:1")
        for options in (("--vehicle-height", "3.8km2"), ("--vehicle-weight", "18m"), ("--vehicle-width", "0"),
                        ("--height", "tall"), ("--axle-load", "-1")):
            with self.subTest(options=options):
                self.assertUsage(*ask, *options, says=f"{options[1]}: not a positive number of ")
        file = self.path("town.mcd")
        run("import", os.path.join(os.path.dirname(__file__), "..", "..", "examples", "town.osm"), "-o", file, "--quiet")
        for unknown in "nonsense", "trackway", "":
            self.assertUsage("tree", file, "--from", "node:22", "--factor", f"{unknown}=0", says=f'"{unknown}')
        run("tree", file, "--from", "node:22", "--factor", "track=0,motorway_link=2,footway=3")
        for options in ("--vehicle-height", "380cm"), ("--height", "3.8"), ("--vehicle-weight", "18000kg"), ("--weight", "18t"):
            run("tree", file, "--from", "node:22", *options)

    def test_help_explains_every_option_that_a_command_takes(self):
        general = run("--help")[0]
        for command in re.findall(r"^  ([a-z][a-z-]*)  +", general, re.MULTILINE):
            own, _, shared = run(command, "--help")[0].partition("macadam --help explains:")
            explained = re.findall(r"^  (--?[a-z-]+)", own, re.MULTILINE)
            for option in explained + shared.split():
                with self.subTest(command=command, option=option):
                    self.assertTrue(option in explained or f"\n  {option}" in general)
                    self.assertNotIn(f"has no option {option};", run(command, option, "--nonsense", status=2)[1])

    def test_memory_takes_sizes(self):
        for size in ("64M", "1G", "100000000"):
            run("tree", self.file, "--from", "node:1", "--memory", size)

    def test_unknown_metrics_and_quantities_are_answered_with_those_there_are(self):
        self.assertUsage("tree", self.file, "--from", "node:1", "--metric", "toll", says="duration, distance")
        self.assertUsage("tree", self.file, "--from", "node:1", "--quantities", "duration,toll", says="toll")

    def test_roads_to_avoid_are_read_strictly(self):
        ask = ("tree", self.file, "--from", "node:1")
        self.assertUsage(*ask, "--avoid", "toll,bumps", says="bumps")
        self.assertUsage(*ask, "--avoid", "", says="toll")
        self.assertUsage(*ask, "--factor", "track", says="track")
        for text, says in (
            ("{\n]", "area.geojson:2: not JSON"),
            (2 * '{"type": "FeatureCollection", "features": []}\n', "area.geojson:2: text after the end of the JSON"),
            ('{"type": "Point", "coordinates": [1, 2]}', "polygons"),
            ('{"type": "Polygon", "coordinates": [[[1], [2], [3]]]}', "[lon, lat]"),
            ('{"type": "Polygon", "coordinates": [[[1, 2], [3, 4]]]}', "corners"),
        ):
            with self.subTest(text=text):
                path = self.path("area.geojson")
                with open(path, "w") as file:
                    file.write(text)
                self.assertUsage(*ask, "--avoid-area", path, says=says)
        with open(path, "w") as file:
            file.write('{"type": "Feature", "properties": null, "geometry": null}\n')
        run(*ask, "--avoid-area", path)

    def test_an_extension_that_names_no_format_is_refused(self):
        self.assertUsage("tree", self.file, "--from", "node:1", "-o", self.path("x.txt"), says="x.txt")
        self.assertFalse(os.path.exists(self.path("x.txt")))

    def test_an_unknown_device_is_refused(self):
        self.assertUsage("tree", self.file, "--from", "node:1", "--device", "abacus", says="abacus")

    def test_import_needs_exactly_one_kind_of_input(self):
        out = self.path("x.mcd")
        self.assertUsage("import", "-o", out, says="import needs")
        self.assertUsage("import", "x.osm.pbf", "--weight", "a=b", "-o", out, says="either")
        self.assertUsage("import", "--weight", "duration.gr", "-o", out, says="NAME=PATH")

    def test_an_unknown_profile_is_answered_with_those_there_are(self):
        for known in ("car", "bike", "foot", "truck", "wheelchair"):
            self.assertUsage(
                "import", "x.osm", "--profile", "submarine", "-o", self.path("x.mcd"), says=known
            )

    def test_a_bad_line_of_a_profile_is_exit_3(self):
        bad = self.write("bad.profile", "name cart\nspeed_max fast\n")
        error = run("import", "x.osm", "--profile", bad, "-o", self.path("x.mcd"), status=3)[1]
        self.assertIn('bad.profile:2: "fast" is not a number: "speed_max fast"', error)

    def test_help_is_not_an_error(self):
        self.assertIn("usage: macadam", run("--help")[0])
        self.assertIn("--reverse", run("tree", "--help")[0])


class Places(CommandTest):
    def test_a_place_on_the_command_line_is_read_strictly(self):
        for place in ("node:", "node:x", "node:1x", "1", "7", "7,", "7,91", "181,0", "7,43,1", "nan,0", ""):
            with self.subTest(place=place):
                self.assertUsage("tree", self.file, "--from", place, says=f"--from {place}")

    def test_an_unknown_id_is_named(self):
        self.assertUsage("tree", self.file, "--from", "node:1000", says="node:1000")
        self.assertUsage(
            "route", self.file, "--from", "node:1", "--via", "node:-3", "--to", "node:2", says="node:-3"
        )

    def test_a_bad_line_of_a_csv_is_named(self):
        good = self.write("good.csv", "node:1\n")
        for text, line in (
            ("node:1\nnode:1000\n", 2),
            ("node:1\n\n2\n", 3),
            ("1\n", 1),
            ("lat,lot\n1,2\n", 1),
            ("lon,lat,x\n1,2,3\n", 1),
            ("lon,lat\n\"7\n", 2),
            ("lon,lat\n7,43\n7\n", 3),
            ("lon,lat\n7,91\n", 2),
            ("lon,lat\n7,\n", 2),
            ("id,lon,lat\na,b,43\n", 2),
            ("node:1,node:2\n", 1),
            ('id,lon,lat\n"a"b",7,43\n', 2),
            ("node:99999999999999999999\n", 1),
            (",".join("x" * 30) + "\n", 1),
        ):
            with self.subTest(text=text):
                bad = self.write("bad.csv", text)
                self.assertUsage(
                    "matrix", self.file, "--sources", good, "--targets", bad, says=f"bad.csv:{line}:"
                )

    def test_what_is_not_text_is_refused_when_the_first_nul_is_read(self):
        good = self.write("good.csv", "node:1\n")
        for path in (self.write("nul.csv", "node:1\n\0"), self.file, "/dev/zero"):  # the last one has no end
            self.assertUsage(
                "matrix", self.file, "--sources", good, "--targets", path, says=f"{path}: not a text: it contains NUL"
            )

    def test_an_empty_csv_is_refused(self):
        empty = self.write("empty.csv", "")
        self.assertUsage("matrix", self.file, "--sources", empty, "--targets", empty, says="empty.csv")
        self.assertUsage("routes", self.file, "--pairs", empty, says="empty.csv")

    def test_a_csv_with_only_a_header_has_no_place(self):
        """In the words of the Python package."""
        places, pairs = self.write("places.csv", "lon,lat\n"), self.write("pairs.csv", "source,target\n")
        one = self.write("one.csv", "node\n8\n")
        self.assertUsage("matrix", self.file, "--sources", places, "--targets", one, says="places.csv: there is no place")
        self.assertUsage("matrix", self.file, "--sources", one, "--targets", places, says="places.csv: there is no place")
        self.assertUsage("snap", self.file, "--places", places, says="places.csv: there is no place")
        self.assertUsage("routes", self.file, "--pairs", pairs, says="pairs.csv: there is no place")

    def test_a_bad_pair_is_named(self):
        for text, line in (
            ("1,2\n", 1),
            ("source,target\n1\n", 2),
            ("source,target\n1,2\n1,1000\n", 3),
            ("source_lon,source_lat,target_lon,target_lat\n7,43,7,x\n", 2),
        ):
            with self.subTest(text=text):
                pairs = self.write("pairs.csv", text)
                self.assertUsage("routes", self.file, "--pairs", pairs, says=f"pairs.csv:{line}:")

    def test_points_need_a_file_with_coordinates(self):
        bare = self.path("bare.mcd")
        run("import", "--weight", "duration=" + self.path("duration.gr"), "-o", bare, "--quiet")
        self.assertUsage("tree", bare, "--from", "7,43", says="no coordinates")
        self.assertUsage(
            "route", bare, "--from", "node:1", "--to", "node:2", "--format", "geojson", says="no coordinates"
        )
        self.assertUsage("tree", bare, "--from", "node:1", "--format", "html", says="no coordinates")


class Files(CommandTest):
    def test_what_a_file_requests_in_vain_is_said_with_its_name(self):
        weights = self.write("weights.csv", "tail,head,duration\n1,1,5\n")
        ask = ("update", self.file, "--weights", weights, "-o", self.path("updated.mcd"))
        self.assertUsage(*ask, says="weights.csv: no arc leads from node 1 to node 1")

    def test_a_missing_token_file_is_exit_3(self):
        error = run("serve", self.file, "--token-file", self.path("none"), status=3)[1]
        self.assertIn("none: No such file", error)

    def test_a_missing_edge_file_is_exit_3(self):
        self.assertIn("none.mcd", run("info", self.path("none.mcd"), status=3)[1])

    def test_a_missing_csv_is_exit_3(self):
        self.assertIn("none.csv", run("routes", self.file, "--pairs", self.path("none.csv"), status=3)[1])

    def test_a_file_that_is_not_an_edge_file_is_exit_3(self):
        run("info", self.write("x.mcd", "not an edge file at all\n" * 1000), status=3)
        run("info", self.write("x.mcd", ""), status=3)

    def test_a_cut_off_edge_file_is_exit_3(self):
        with open(self.file, "rb") as file:
            data = file.read()
        for part in (1, 2, 3):
            with open(self.path("cut.mcd"), "wb") as file:
                file.write(data[: len(data) * part // 4])
            run("info", self.path("cut.mcd"), "--verify", status=3)

    def test_a_bad_dimacs_line_is_exit_3_and_leaves_no_file(self):
        bad = self.write("bad.gr", "p sp 2 1\na 1 7 3\n")
        error = run("import", "--weight", f"duration={bad}", "-o", self.path("bad.mcd"), status=3)[1]
        self.assertIn("bad.gr:2", error)
        self.assertFalse([name for name in os.listdir(self.folder) if name.startswith("bad.mcd")])

    def test_a_junction_of_too_many_roads_is_exit_3(self):
        roads = [
            f"<node id='{i}' lat='50.{i:04}' lon='10'/><way id='{i}'><nd ref='1'/><nd ref='{i}'/>"
            "<tag k='highway' v='residential'/></way>"
            for i in range(2, 200)
        ]
        star = self.write("star.osm", f"<osm version='0.6'><node id='1' lat='50' lon='11'/>{''.join(roads)}</osm>")
        error = run("import", star, "-o", self.path("star.mcd"), "--quiet", status=3)[1]
        self.assertIn("node 1, at way", error)
        self.assertIn("198 ways in and 198 ways out are more than the 16384 turns", error)

    def test_an_output_that_cannot_be_written_is_reported(self):
        self.assertUsage(
            "tree", self.file, "--from", "node:1", "-o", self.path("none/x.csv"), says="none/x.csv"
        )
        self.assertIn(
            "/dev/full",
            run("tree", self.file, "--from", "node:1", "--format", "csv", "-o", "/dev/full", status=4)[1],
        )


class ControlCharacters(CommandTest):
    def test_messages_show_control_characters_by_their_codes(self):
        self.assertUsage(
            "tree", self.file, "--from", "\x1b]0;ü\x07\x9b2J\n\x7f", says="--from \\x1b]0;ü\\x07\\xc2\\x9b2J\\x0a\\x7f: not a place"
        )
        places = self.write("red\x1b[31m.csv", "node:1\nnode:1000\n")
        self.assertIn("red\\x1b[31m.csv:2", run("snap", self.file, "--places", places, status=2)[1])


class JsonErrors(CommandTest):
    def check(self, *arguments, status):
        error = json.loads(run(*arguments, "--json-errors", status=status)[1])
        self.assertEqual(error["exit"], status)
        self.assertEqual(sorted(error), ["error", "exit", "status"])
        return error

    def test_every_kind_of_error_is_one_object(self):
        self.assertIn("--bogus", self.check("tree", self.file, "--bogus", status=2)["error"])
        self.check("tree", self.file, "--from", "node:1000", status=2)
        self.check("info", self.path("none.mcd"), status=3)
        self.assertEqual(
            self.check("route", self.file, "--from", "0,0", "--to", "node:1", status=1)["status"], "no route"
        )


if __name__ == "__main__":
    unittest.main()
