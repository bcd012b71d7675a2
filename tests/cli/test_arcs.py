"""arcs, and updates that name arcs by their way: a drawn town whose ways have several arcs each."""

import json
import os
import unittest

from support import CommandTest, rows_of, run

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")

# A two-way street 1-2-3-4 with side streets at 2 and 3, a street that is one-way against its way (8 to 5), and a
# closed way 1-6-7-1.
WAYS = {
    11: ((1, 2, 3, 4), {}),
    12: ((2, 5), {}),
    13: ((3, 8), {"maxheight": "3"}),
    14: ((5, 8), {"oneway": "-1"}),
    15: ((1, 6, 7, 1), {"highway": "tertiary"}),
    16: ((6, 9), {}),
    17: ((7, 10), {"motor_vehicle:conditional": "no @ (Mo-Fr 07:00-09:00)"}),
}
PLACES = {1: (0, 0), 2: (1, 0), 3: (2, 0), 4: (3, 0), 5: (1, 1), 8: (2, 1), 6: (-1, 1), 7: (-1, -1), 9: (-2, 1), 10: (-2, -1)}


class Arcs(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        nodes = "".join(f'<node id="{i}" lat="{43 + y / 100}" lon="{7 + x / 100}"/>' for i, (x, y) in sorted(PLACES.items()))
        ways = ""
        for way, (refs, tags) in WAYS.items():
            inner = "".join(f'<nd ref="{ref}"/>' for ref in refs)
            tags = {"highway": "residential", **tags}
            ways += f'<way id="{way}">{inner}' + "".join(f'<tag k="{k}" v="{v}"/>' for k, v in tags.items()) + "</way>"
        with open(cls.path("town.osm"), "w") as file:
            file.write(f'<osm version="0.6">{nodes}{ways}</osm>')
        cls.town = cls.path("town.mcd")
        run("import", cls.path("town.osm"), "-o", cls.town, "--quiet")

    def arcs(self, file):
        header, rows = rows_of(run("arcs", file)[0])
        return [dict(zip(header, row)) for row in rows]

    def changed(self, text):
        """The (tail, head) of the arcs whose duration an update sets to 7, and the numbers of closed ones."""
        run("update", self.town, "--weights", self.write("w.csv", text), "-o", self.path("new.mcd"))
        rows = self.arcs(self.path("new.mcd"))
        self.assertEqual(len(rows), len(self.arcs(self.town)))
        return sorted((row["tail"], row["head"]) for row in rows if row["duration"] in (7, None))

    def test_every_arc_is_listed_once_with_its_way(self):
        rows = self.arcs(self.town)
        self.assertEqual(
            list(rows[0]), "arc tail head way forward class length_cm duration distance".split()
        )
        self.assertEqual([row["arc"] for row in rows], sorted({row["arc"] for row in rows}))
        expected = set()
        for way, (refs, tags) in WAYS.items():
            for tail, head in zip(refs, refs[1:]):
                if tags.get("oneway") != "-1":
                    expected.add((way, tail, head, 1))
                expected.add((way, head, tail, 0))
        self.assertEqual({(row["way"], row["tail"], row["head"], row["forward"]) for row in rows}, expected)
        self.assertEqual(len(rows), len(expected))
        for row in rows:
            self.assertEqual(row["class"], WAYS[row["way"]][1].get("highway", "residential"))
            self.assertLessEqual(abs(row["length_cm"] - row["distance"]), 1)

    def test_json_says_the_same(self):
        objects = json.loads(run("arcs", self.town, "--format", "json")[0])
        rows = self.arcs(self.town)
        self.assertEqual([{**it, "forward": int(it["forward"])} for it in objects], rows)

    def test_maps_without_ways_have_arcs_too(self):
        header, rows = rows_of(run("arcs", self.file)[0])
        self.assertEqual(
            [(row[1], row[2], row[7], row[8]) for row in rows], [tuple(arc) for arc in self.map.arcs]
        )
        self.assertEqual({(row[3], row[4], row[5]) for row in rows}, {(None, 1, None)})

    def test_what_is_listed_can_be_read_back(self):
        listed = run("arcs", self.town)[0]
        output = run("update", self.town, "--weights", self.write("all.csv", listed), "-o", self.path("same.mcd"))
        self.assertEqual(output, ("", ""))
        with open(self.town, "rb") as before, open(self.path("same.mcd"), "rb") as after:
            self.assertEqual(before.read(), after.read())

    def test_prices_of_turns_stay(self):
        town, same, new, back = (self.path(name) for name in ("example.mcd", "example_same.mcd", "example_new.mcd", "example_back.mcd"))
        run("import", os.path.join(EXAMPLES, "town.osm"), "-o", town, "--quiet")
        ask = ("--from", "node:11", "--to", "node:35", "--format", "json")
        duration = lambda file: json.loads(run("route", file, *ask)[0])["duration"]
        header, rows = rows_of(run("arcs", town)[0])
        run("update", town, "--weights", self.write("all.csv", run("arcs", town)[0]), "-o", same)
        doubled = [[row[0], 2 * row[header.index("duration")]] for row in rows]
        run("update", town, "--weights", self.write("w.csv", "arc,duration\n" + "".join(f"{a},{d}\n" for a, d in doubled)), "-o", new)
        run("update", new, "--weights", self.write("w.csv", "arc,duration\n" + "".join(f"{a},imported\n" for a, _ in doubled)), "-o", back)
        self.assertEqual([duration(file) for file in (town, same, back)], [96000] * 3)
        self.assertGreater(duration(new), 96000)
        run("info", back, "--verify")

    def test_turns_have_prices(self):
        town, new, back = self.path("example.mcd"), self.path("example_turns.mcd"), self.path("example_back.mcd")
        run("import", os.path.join(EXAMPLES, "town.osm"), "-o", town, "--quiet")
        numbers = {(row[1], row[2]): row[0] for row in rows_of(run("arcs", town)[0])[1]}

        def route(file):
            return json.loads(run("route", file, "--from", "node:11", "--to", "node:22", "--format", "json")[0])

        before = route(town)
        self.assertEqual(before["arcs"][1]["price"]["duration"], 7000)
        from_arc, to_arc = numbers[11, 21], numbers[21, 22]
        for text, price in (
            ("from,via,to,duration\n11,21,22,500\n", 500),
            (f"from_arc,to_arc,duration\n{from_arc},{to_arc},0\n", 0),
            ("11,21,22,0.5\n", 500),  # OSRM's
        ):
            with self.subTest(text=text):
                self.assertEqual(run("update", town, "--turns", self.write("t.csv", text), "-o", new), ("", ""))
                self.assertEqual(route(new)["duration"], before["duration"] - 7000 + price)
        run("update", new, "--turns", self.write("t.csv", "from,via,to,duration\n11,21,22,imported\n"), "-o", back)
        self.assertEqual(route(back), before)
        run("update", town, "--turns", self.write("t.csv", "from,via,to,duration\n11,21,22,\n"), "-o", new)
        self.assertGreater(route(new)["duration"], before["duration"])
        for text, says in (
            ("from,via,to,duration\n11,21,99,5\n", "node 11 over node 21 to node 99"),
            ("from,via,duration\n11,21,5\n", "from_arc and to_arc"),
            ("from,via,to,colour\n11,21,22,5\n", "no such quantity"),
            ("11,21,22\n", "3 fields, not 4 or 5"),
            ("11,21,22,-1\n", "not a number from 0"),
            ("11,21,x,1\n", 't.csv:1: not the id of a node: "x"'),
        ):
            with self.subTest(text=text):
                self.assertUsage("update", town, "--turns", self.write("t.csv", text), "-o", new, says=says)
        output = run("update", town, "--turns", self.write("t.csv", "1,2,3,1.5,2\n11,21,22,1,2\n"), "-o", new)[1]
        self.assertIn("t.csv: 1 of 2 entries are not on the map", output)
        self.assertIn("the last column is ignored", output)
        foot = self.path("foot.mcd")
        run("import", os.path.join(EXAMPLES, "town.osm"), "--profile", "foot", "-o", foot, "--quiet")
        text = self.write("t.csv", "from,via,to,duration\n11,21,22,500\n")
        self.assertUsage("update", foot, "--turns", text, "-o", new, says="departures from node 21")

    def test_speeds_of_segments_are_those_of_osrm(self):
        nodes = "".join(f'<node id="{i}" lat="0" lon="{(i - 1) / 1000}"/>' for i in range(1, 5))
        way = "".join(f'<nd ref="{i}"/>' for i in range(1, 5))
        osm = f'<osm version="0.6">{nodes}<way id="1">{way}<tag k="highway" v="residential"/></way></osm>'
        run("import", self.write("line.osm", osm), "--node-ids", "-o", self.path("line.mcd"), "--quiet")
        run("import", self.write("line.osm", osm), "-o", self.path("bare.mcd"), "--quiet")

        def durations(file, text):
            new = self.path("line_new.mcd")
            _, said = run("update", self.path(file), "--weights", self.write("s.csv", text), "-o", new)
            return {row["tail"]: row["duration"] for row in self.arcs(new)}, said

        (before,) = {row["duration"] for row in self.arcs(self.path("line.mcd"))}
        length = self.arcs(self.path("line.mcd"))[0]["length_cm"] / 100
        (after, said) = durations("line.mcd", "2,3,36\n3,4,36\n1,9,50\n")
        self.assertEqual(after, {1: round(before / 3 + length * 2 / 3 * 100), 4: before})
        self.assertIn("s.csv: 1 of 3 entries are not on the map", said)
        self.assertEqual(durations("line.mcd", "1,2,36\n2,3,36\n3,4,36\n")[0], {1: round(length * 100), 4: before})
        self.assertEqual(durations("line.mcd", "3,2,0,7\n")[0], {1: before, 4: None})
        self.assertEqual(durations("bare.mcd", "1,4,36\n2,3,36\n")[0], {1: round(length * 100), 4: before})

    def test_a_way_is_changed_in_one_direction_or_both(self):
        there, back = [(1, 2), (2, 3), (3, 4)], [(2, 1), (3, 2), (4, 3)]
        self.assertEqual(self.changed("way,forward,duration\n11,1,7\n"), there)
        self.assertEqual(self.changed("way,forward,duration\n11,0,\n"), back)
        self.assertEqual(self.changed("way,forward,duration\n11,,7\n"), sorted(there + back))
        self.assertEqual(self.changed("way,duration\n14,7\n"), [(8, 5)])

    def test_nodes_within_a_way_name_the_arcs_between_them(self):
        self.assertEqual(self.changed("way,tail,head,duration\n11,1,3,7\n"), [(1, 2), (2, 3)])
        self.assertEqual(self.changed("way,tail,head,duration\n11,4,2,7\n"), [(3, 2), (4, 3)])
        self.assertEqual(self.changed("way,tail,head,duration\n14,8,5,\n"), [(8, 5)])
        # around the closed way, over the node where it begins, in the direction with fewer arcs
        self.assertEqual(self.changed("way,tail,head,duration\n15,7,6,7\n"), [(7, 6)])
        self.assertEqual(self.changed("way,tail,head,duration\n15,7,1,7\n"), [(7, 1)])

    def test_slots_and_segments(self):
        ask = ["route", self.town, "--from", "node:1", "--to", "node:10", "--quantities", "duration,distance",
               "--segments", "--format", "json"]  # fmt: skip
        (leg,) = json.loads(run(*ask, "--slot", "Mo09:00")[0])["legs"]
        segments = leg["segments"]
        self.assertEqual(segments["nodes"], [1, 7, 10])
        self.assertEqual(segments["class"], ["tertiary", "residential"])
        for name in "duration", "distance":
            self.assertEqual(sum(segments[name]), leg[name])
        for speed, duration, distance in zip(segments["speed_kmh"], segments["duration"], segments["distance"]):
            self.assertAlmostEqual(speed, 36 * distance / duration, delta=0.1)
        run(*ask, "--slot", "Mo08:59", status=1)
        self.assertUsage(*ask, "--slot", "08:59", says="08:59")
        for old in ("--departure", "Mo09:00"), ("--departure=Mo09:00",):
            self.assertUsage(*ask, *old, says=f"route has no option {old[0]}: use --slot (roads as they are in this quarter")
        self.assertUsage("info", self.town, "--departure", "Mo09:00", says="info has no option --departure; see")

    def test_a_vehicle_keeps_off_what_is_too_low(self):
        ask = ("route", self.town, "--from", "node:4", "--to", "node:8", "--format", "json")

        def nodes(*vehicle):
            return json.loads(run(*ask, *vehicle)[0])["nodes"]

        self.assertEqual(nodes(), [4, 3, 8])
        self.assertEqual(nodes("--height", "3"), [4, 3, 8])
        self.assertEqual(nodes("--height", "300cm", "--weight", "40", "--length", "18m"), [4, 3, 8])
        run(*ask, "--height", "3.01", status=1)
        self.assertUsage(*ask, "--height", "3ft", says="3ft")
        self.assertUsage(*ask, "--weight", "-1", says="-1")

    def test_unknown_ways_are_named(self):
        for text, says in (
            ("way,duration\n99,7\n", "way 99"),
            ("way,forward,duration\n14,1,7\n", "way 14 in this direction"),
            ("way,forward,duration\n11,2,7\n", "w.csv:2:"),
            ("way,tail,head,duration\n14,5,8,7\n", "way 14 does not lead from node 5 to node 8"),
            ("way,tail,head,duration\n11,1,99,7\n", "node 99"),
            ("forward,duration\n1,7\n", "w.csv:1:"),
        ):
            with self.subTest(text=text):
                weights = self.write("w.csv", text)
                self.assertUsage("update", self.town, "--weights", weights, "-o", self.path("no.mcd"), says=says)


if __name__ == "__main__":
    unittest.main()
