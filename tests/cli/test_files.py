"""import, info, update and --version: what they write and report."""

import gzip
import json
import os
import subprocess
import unittest

from support import COMMAND, CommandTest, rows_of, run

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Info(CommandTest):
    def test_json_names_what_is_in_the_file(self):
        info = json.loads(run("info", self.file, "--json")[0])
        self.assertEqual(info["file"], self.file)
        self.assertEqual(info["ids"], self.map.node_count)
        self.assertEqual(info["arcs"], len(self.map.arcs))
        self.assertEqual([quantity["name"] for quantity in info["quantities"]], ["duration", "distance"])
        self.assertEqual(
            info["metrics"],
            [
                {"objective": "duration", "companion": "distance"},
                {"objective": "distance", "companion": "duration"},
            ],
        )
        self.assertEqual(info["bytes"], os.path.getsize(self.file))
        for name in (
            "format",
            "source",
            "profile",
            "nodes",
            "components",
            "restrictions",
            "hierarchy",
            "device",
        ):
            self.assertIn(name, info)

    def test_bbox_is_west_south_east_north(self):
        info = json.loads(run("info", self.file, "--json")[0])
        self.assertEqual([round(side, 6) for side in info["bbox"]], [7.0, 43.0, 7.2, 43.06])

    def test_verify_checks_and_says_so(self):
        self.assertIs(json.loads(run("info", self.file, "--json", "--verify")[0])["verified"], True)

    def test_text_is_for_people(self):
        self.assertIn("metric        duration with distance\n", run("info", self.file)[0])


class Report(CommandTest):
    """A road with two missing nodes, a road of which nothing is left, a footway, and a road that goes nowhere."""

    def setUp(self):
        ways = {7: "primary", 9: "footway", 8: "primary", 6: "primary", 5: "primray"}
        refs = {7: (98, 1, 2, 99), 8: (99, 98), 9: (1, 2), 6: (1, 1), 5: (1, 2)}
        self.map = self.write("map.osm", "<osm version='0.6'>" + "".join(
            f"<node id='{node}' lat='0' lon='0.00{node}'/>" for node in (1, 2)) + "".join(
            f"<way id='{way}'>" + "".join(f"<nd ref='{ref}'/>" for ref in refs[way]) +
            f"<tag k='highway' v='{highway}'/></way>" for way, highway in ways.items()) + "</osm>")

    def test_lines_name_objects(self):
        said = run("import", self.map, "-o", self.path("map.mcd"))[1]
        self.assertIn("ways closed to the profile: 1 (way/9)\n", said)
        self.assertIn("missing nodes of ways: 4 (node/98, node/99)\n", said)
        self.assertIn("ways that are not roads for the profile: 1 (way/5)\n", said)
        self.assertIn("ways with fewer than two nodes: 1 (way/6)\n", said)

    def test_a_file_names_all_objects_of_each_profile(self):
        for threads in "1", "3":
            run("import", self.map, "--profile", "car", "--profile", "foot", "--report", self.path("map.json"),
                "--threads", threads, "-o", self.path("map.mcd"), "--quiet")
            with open(self.path("map.json"), encoding="utf-8") as file:
                profiles = json.load(file)["profiles"]
            self.assertEqual([profile["profile"] for profile in profiles], ["car", "foot"])
            found = [{line["what"]: (line["count"], line["ids"]) for line in one["counts"]} for one in profiles]
            for one in found:
                self.assertEqual(one["ways cut because nodes are missing"], (2, ["way/7", "way/8"]))
                self.assertEqual(one["missing nodes of ways"], (4, ["node/98", "node/99"]))
            self.assertEqual(found[0]["ways closed to the profile"], (1, ["way/9"]))
            self.assertNotIn("ways closed to the profile", found[1])
            self.assertEqual(found[1]["ways used"], (3, []))

    def test_a_name_with_quotes_is_a_string(self):
        own, name = self.path("own.profile"), 'a"b\\c\x01\x1f\u00e9'
        with open(own, "wb") as file:
            file.write(b"like car\nname \xff\n")
        said = run("import", self.map, "--profile", own, "-o", self.path("own.mcd"), "--quiet", status=3)[1]
        self.assertIn("own.profile:2: the name is not UTF-8", said)
        with open(own, "w", encoding="utf-8") as file:
            file.write(f"like car\nname {name}\n")
        run("import", self.map, "--profile", own, "--report", self.path("own.json"), "-o", self.path("own.mcd"), "--quiet")
        with open(self.path("own.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["profiles"][0]["profile"], name)

    def test_it_destroys_no_other_file(self):
        output = self.path("safe.mcd")
        folder, tile = os.path.split(output)[0], self.write("N00E000.hgt", "heights")
        spellings = [os.path.join(folder, ".", "safe.mcd"), os.path.relpath(output)]
        for name in self.map, output, *spellings, tile, "", "-":
            said = run("import", self.map, "--report", name, "--heights", folder, "-o", output, "--quiet", status=2)[1]
            self.assertIn(f"'{name}'", said)
            self.assertFalse(os.path.exists(output))
        with open(tile) as file:
            self.assertEqual(file.read(), "heights")

    def test_it_must_be_writable_before_the_map_is_read(self):
        broken = self.write("broken.osm", "<osm")
        for name in self.path("none/map.json"), self.path("."), "/dev/full":
            said = run("import", broken, "--report", name, "-o", self.path("map.mcd"), "--quiet", status=2)[1]
            self.assertIn(f"--report {name}: ", said)
        name = self.path("kept.json")
        run("import", broken, "--report", name, "-o", self.path("map.mcd"), "--quiet", status=3)
        self.assertFalse(os.path.exists(name))

    def test_lines_are_the_same_with_a_file(self):
        said = [run("import", self.map, *more, "-o", self.path("map.mcd"))[1] for more in ((), ("--report", self.path("map.json")))]
        self.assertEqual(*said)

    def test_a_map_without_roads_has_one(self):
        for highway, what in ("footway", "ways closed to the profile"), ("primary", "ways cut because nodes are missing"):
            text = f"<osm version='0.6'><way id='9'><nd ref='1'/><nd ref='2'/><tag k='highway' v='{highway}'/></way></osm>"
            empty, name = self.write("empty.osm", text), self.path(f"{highway}.json")
            run("import", empty, "--report", name, "-o", self.path("empty.mcd"), "--quiet", status=3)
            with open(name, encoding="utf-8") as file:
                counts = json.load(file)["profiles"][0]["counts"]
            self.assertIn((what, ["way/9"]), [(line["what"], line["ids"]) for line in counts])


class Versions(CommandTest):
    """Way 10 leads over nodes 1, 2 and 3, which are 111 m apart."""

    def node(self, of, version, more="", tags=""):
        return f"<node id='{of}' version='{version}' lat='0' lon='0.00{of}' {more}>{tags}</node>"

    def way(self, version, lat=None):
        at = "" if lat is None else "lat='{}' lon='0.00{}'"
        refs = "".join(f"<nd ref='{ref}' {at.format(lat if ref == 2 else 0, ref)}/>" for ref in (1, 2, 3))
        return f"<way id='10' version='{version}'>{refs}<tag k='highway' v='residential'/></way>"

    def asked(self, *texts, status=0):
        """The metres from node 1 to node 3 by a vehicle of 3 m; None: unreached."""
        paths = [self.write(f"{i}.osm", f"<osm version='0.6'>{text}</osm>") for i, text in enumerate(texts)]
        said = run("import", *paths, "-o", self.path("v.mcd"), "--quiet", status=status)[1]
        if status:
            return said
        asked = "--from", "node:1", "--to", "node:3", "--vehicle-height", "3", "--metric", "distance", "--format", "json"
        answer = json.loads(subprocess.run([COMMAND, "route", self.path("v.mcd"), *asked, "--quiet"], stdout=subprocess.PIPE).stdout)
        return answer["distance"] and round(answer["distance"] / 100)

    def test_the_newest_limit_of_a_node_counts(self):
        low = "<tag k='maxheight' v='2'/>"
        ends, old, new = self.node(1, 1) + self.node(3, 1), self.node(2, 1), self.node(2, 3, tags=low)
        middle, way, placed = self.node(2, 2), self.way(1), self.way(1, 0)
        for texts, metres in (
            ((ends + middle + way, old + new), None),
            ((ends + middle + way, new + old), None),
            ((ends + middle + way, placed + new), None),
            ((ends + middle + way, self.node(2, 1, tags=low) + self.node(2, 3)), 223),
            ((ends + way, self.node(2, 1, tags=low) + middle + self.node(2, 2, tags=low)), 223),
        ):
            with self.subTest(texts):
                self.assertEqual(self.asked(*texts), metres)

    def test_the_newest_way_places_its_nodes(self):
        old, new = self.way(1, 0.05), self.way(2, 0)
        for texts in (old + new,), (new + old,), (old, new), (new, old), (old + self.node(2, 1) + new,):
            with self.subTest(texts):
                self.assertEqual(self.asked(*texts), 223)

    def test_a_way_brings_no_deleted_node_back(self):
        gone, placed = self.node(2, 2, "visible='false'"), self.way(1, 0)
        for texts in (gone + placed,), (placed + gone,), (placed, gone), (gone, placed):
            with self.subTest(texts):
                self.assertIn("1 nodes missing", self.asked(*texts, status=3))


class Profiles(CommandTest):
    def test_profiles_share_a_file(self):
        town, path, alone = os.path.join(ROOT, "examples", "town.osm"), self.path("all.mcd"), self.path("alone.mcd")
        names = ["car", "foot", "bike"]
        run("import", town, *(word for name in names for word in ("--profile", name)), "-o", path, "--quiet")
        for name in names:
            run("import", town, "--profile", name, "-o", alone, "--quiet")
            self.assertEqual(run("arcs", path, "--profile", name), run("arcs", alone))
            info = json.loads(run("info", path, "--profile", name, "--json")[0])
            self.assertEqual((info["profile"], info["profiles"]), (name, names))
        self.assertEqual(run("arcs", path), run("arcs", path, "--profile", "car"))
        self.assertIn("also          foot\nalso          bike\n", run("info", path, "--verify")[0])
        self.assertIn('unknown profile "sledge"; the file has car, foot, bike', run("arcs", path, "--profile", "sledge", status=2)[1])

    def test_updates_hold_for_one_profile_or_for_all(self):
        town, path, one, all_ = os.path.join(ROOT, "examples", "town.osm"), *map(self.path, ("u.mcd", "one.mcd", "all.mcd"))
        weights, numbers = self.path("w.csv"), self.path("n.csv")
        run("import", town, "--profile", "car", "--profile", "foot", "-o", path, "--quiet")
        with open(weights, "w") as file:
            file.write("tail,head,duration\n22,23,\n")
        with open(numbers, "w") as file:
            file.write("arc,duration\n1,5\n")
        run("update", path, "--weights", weights, "--profile", "foot", "-o", one, "--quiet")
        run("update", path, "--weights", weights, "-o", all_, "--quiet")
        arcs = {name: [run("arcs", file, "--profile", name)[0] for file in (path, one, all_)] for name in ("car", "foot")}
        self.assertEqual(arcs["car"][0], arcs["car"][1])
        self.assertNotEqual(arcs["car"][0], arcs["car"][2])
        self.assertNotEqual(arcs["foot"][0], arcs["foot"][1])
        self.assertEqual(arcs["foot"][1], arcs["foot"][2])
        self.assertIn("name one with --profile", run("update", path, "--weights", numbers, "-o", all_, status=2)[1])
        run("update", path, "--weights", numbers, "--profile", "car", "-o", all_, "--quiet")

    def test_each_profile_becomes_ready(self):
        town, path, one, all_ = os.path.join(ROOT, "examples", "town.osm"), *map(self.path, ("p.mcd", "one.mcd", "ready.mcd"))
        run("import", town, "--profile", "car", "--profile", "foot", "-o", path, "--quiet")
        run("ready", path, "-o", all_, "--quiet")
        run("ready", path, "--profile", "foot", "-o", one, "--quiet")
        self.assertLess(os.path.getsize(path), os.path.getsize(one))
        self.assertLess(os.path.getsize(one), os.path.getsize(all_))
        for name in ("car", "foot"):
            run("info", all_, "--verify", "--profile", name)
            self.assertEqual(run("arcs", path, "--profile", name), run("arcs", all_, "--profile", name))


class Import(CommandTest):
    def test_info_names_each_of_many_files(self):
        with open(os.path.join(ROOT, "examples", "town.osm")) as file:
            town = file.read()
        parts = [self.write(f"{'x' * 50}{i}.osm", town) for i in range(30)]
        run("import", *parts, "-o", self.path("many.mcd"), "--quiet")
        names = ", ".join(os.path.basename(part) for part in parts)
        self.assertIn(f"source        {names}\n", run("info", self.path("many.mcd"))[0])

    def test_without_hierarchy_info_has_none(self):
        bare = self.path("bare.mcd")
        run(
            "import",
            "--weight",
            "duration=" + self.path("duration.gr"),
            "--no-hierarchy",
            "-o",
            bare,
            "--quiet",
        )
        self.assertIsNone(json.loads(run("info", bare, "--json")[0])["hierarchy"])

    def test_an_order_of_the_user_gives_the_same_answers(self):
        order = self.write("order.txt", "".join(f"{node}\n" for node in range(self.map.node_count, 0, -1)))
        ordered = self.path("ordered.mcd")
        run(
            "import",
            "--weight",
            "duration=" + self.path("duration.gr"),
            "--order",
            order,
            "-o",
            ordered,
            "--quiet",
        )
        self.assertEqual(
            run("tree", ordered, "--from", "node:10")[0], run("tree", self.file, "--from", "node:10")[0]
        )

    def test_standard_input_is_read(self):
        text = ("<osm version='0.6'><node id='1' lat='0' lon='0'/><node id='2' lat='0' lon='1'/><way id='7'>"
                "<nd ref='1'/><nd ref='2'/><tag k='highway' v='primary'/></way></osm>")
        for packed in (text.encode(), gzip.compress(text.encode())):
            path = self.path("piped.mcd")
            subprocess.run([COMMAND, "import", "-", "--quiet", "-o", path], input=packed, check=True)
            self.assertIn("1,1,2,7,1,primary", run("arcs", path)[0])

    def test_quiet_is_quiet(self):
        self.assertEqual(
            run(
                "import",
                "--weight",
                "duration=" + self.path("duration.gr"),
                "-o",
                self.path("q.mcd"),
                "--quiet",
            ),
            ("", ""),
        )


class Update(CommandTest):
    def update(self, text):
        run("update", self.file, "--weights", self.write("w.csv", text), "-o", self.path("new.mcd"))
        return self.path("new.mcd")

    def duration(self, file, source, target):
        return rows_of(
            run("routes", file, "--pairs", self.write("p.csv", f"source,target\n{source},{target}\n"))[0]
        )[1][0][2]

    def changed(self, change):
        """The oracle's duration from 1 to 2 with arcs replaced by change(number, arc); None closes."""
        before = self.map.arcs
        self.map.arcs = [arc for arc in (change(i + 1, arc) for i, arc in enumerate(before)) if arc]
        cost = self.map.tree(1)[2][0]
        self.map.arcs = before
        return cost

    def test_arcs_are_named_by_number(self):
        new = self.update("arc,duration\n1,1000\n")
        self.assertEqual(
            self.duration(new, 1, 2),
            self.changed(lambda number, arc: (1, 2, 1000, 1) if number == 1 else arc),
        )

    def test_arcs_are_named_by_their_ends_all_parallel_ones(self):
        new = self.update("tail,head,duration,distance\n1,2,0,7\n")
        self.assertEqual(
            rows_of(
                run("route", new, "--from", "node:1", "--to", "node:2", "--quantities", "duration,distance")[
                    0
                ]
            )[1][0][3:],
            [0, 7],
        )

    def test_an_empty_field_closes_the_arc(self):
        new = self.update("tail,head,duration\n1,2,\n")
        self.assertEqual(
            self.duration(new, 1, 2), self.changed(lambda number, arc: None if arc[:2] == (1, 2) else arc)
        )

    def test_the_old_file_stays_as_it_was(self):
        before = self.duration(self.file, 1, 2)
        self.update("tail,head,duration\n1,2,\n")
        self.assertEqual(self.duration(self.file, 1, 2), before)

    def test_import_in_little_memory_writes_the_same_file(self):
        with open(os.path.join(ROOT, "examples", "town.osm")) as file:
            town = file.read()
        twins = '<node id="9001" lon="10.0007" lat="50.0033"/>'  # one way there, another back: not one road
        for way, ends in ((9002, (11, 9001)), (9003, (9001, 11))):
            nodes = "".join(f'<nd ref="{node}"/>' for node in ends)
            twins += f'<way id="{way}">{nodes}<tag k="highway" v="service"/><tag k="oneway" v="yes"/></way>'
        town = self.write("twins.osm", town.replace("</osm>", twins + "</osm>"))
        for options in ((), ("--ready",), ("--no-hierarchy",), ("--threads", "1"), ("--profile", "foot")):
            written = []
            for memory in ("4G" if os.environ.get("MACADAM_SANITIZED") else "48M", "64G"):
                path = self.path(f"{memory}.mcd")
                run("import", town, *options, "--memory", memory, "-o", path)
                with open(path, "rb") as file:
                    written.append(file.read())
            self.assertEqual(written[0], written[1], options)

    def test_ready_file_answers_the_same_and_is_larger(self):
        ready = self.path("ready.mcd")
        run("ready", self.file, "-o", ready)
        self.assertGreater(os.path.getsize(ready), os.path.getsize(self.file))
        run("info", "--verify", ready)
        tree = ("--from", "node:1")
        self.assertEqual(run("tree", ready, *tree), run("tree", self.file, *tree))

    def test_bad_weights_are_named(self):
        for text, says in (
            ("arc,duration\n1,-1\n", "w.csv:2:"),
            ("arc,duration\n1,2147483647\n", "w.csv:2:"),
            ("arc,duration\n1\n", "w.csv:2:"),
            ("arc\n1\n", "w.csv:1:"),
            ("duration\n1\n", "w.csv:1:"),
            ("arc,duration\n1000000,1\n", "1000000"),
            ("arc,toll\n1,1\n", "toll"),
            ("tail,head,duration\n1,49,5\n", "49"),
        ):
            with self.subTest(text=text):
                self.assertUsage(
                    "update",
                    self.file,
                    "--weights",
                    self.write("w.csv", text),
                    "-o",
                    self.path("none.mcd"),
                    says=says,
                )
                self.assertFalse(os.path.exists(self.path("none.mcd")))


class Version(unittest.TestCase):
    def test_names_version_format_backends_and_devices(self):
        text = run("--version")[0]
        for part in ("macadam 0.1.0", "file format: 6", "backends: cpu", "  cpu: "):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()
