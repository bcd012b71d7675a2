"""The generator of invented speeds: examples/invented_speeds.py on drawn roads that lead out of a town to the east."""

import collections
import csv
import os
import subprocess
import sys
import unittest

from support import COMMAND, CommandTest, run

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "invented_speeds.py")
# Node i is i tenths of a degree east of node 0, and way 10 + i leads on from there to the east.
TAGS = ("primary", "primary", "residential", "service", "primary", "primary", "motorway", "primary", "primary", "primary")
TOWN = "7,43"
MORNING, EVENING = ("Mo-Fr 07:00", "09:30"), ("Mo-Fr 16:30", "19:00")


class InventedSpeeds(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        nodes = "".join(f'<node id="{i + 1}" lat="43" lon="{7 + i / 10}"/>' for i in range(len(TAGS) + 1))
        ways = "".join(
            f'<way id="{10 + i}"><nd ref="{i + 1}"/><nd ref="{i + 2}"/><tag k="highway" v="{it}"/></way>' for i, it in enumerate(TAGS)
        )
        with open(cls.path("town.osm"), "w") as file:
            file.write(f'<osm version="0.6">{nodes}{ways}</osm>')
        cls.town = cls.path("town.mcd")
        run("import", cls.path("town.osm"), "-o", cls.town, "--quiet")
        cls.usual = {}
        for arc in csv.DictReader(run("arcs", cls.town)[0].splitlines()):
            key = int(arc["way"]), 1 if arc["forward"] == "1" else -1
            cls.usual[key] = 36 * float(arc["length_cm"]) / float(arc["duration"])

    def invent(self, *options, map=None, status=0):
        done = subprocess.run(
            [sys.executable, SCRIPT, map or self.town, self.path("speeds.csv"), "--command", COMMAND, *options], capture_output=True, text=True
        )
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def text(self, *options):
        self.assertIn("invented speeds, not measured ones", self.invent("--centre", TOWN, *options))
        with open(self.path("speeds.csv"), newline="") as file:
            return file.read()

    def relative(self, *options):
        """By way and direction, then by time: the speed as a part of the usual one."""
        out = collections.defaultdict(dict)
        for row in csv.DictReader(self.text(*options).splitlines()):
            key = int(row["way"]), int(row["direction"])
            times = row["from"], row["to"]
            self.assertNotIn(times, out[key])
            out[key][times] = float(row["km/h"]) / self.usual[key]
        return out

    def test_equal_seeds_give_equal_files(self):
        first = self.text("--seed", "5")
        self.assertEqual(first, self.text("--seed", "5"))
        self.assertNotEqual(first, self.text("--seed", "6"))
        self.assertEqual(first.partition("\n")[0], "way,direction,from,to,km/h")

    def test_roads_of_the_classes_have_speeds_in_their_directions(self):
        found = self.relative()
        right = {(10 + i, way) for i, it in enumerate(TAGS) if it != "service" for way in (1, -1)}
        self.assertEqual(set(found), right - {(16, -1)})  # a motorway leads one way
        self.assertEqual(set(map(len, found.values())), {10})
        for speeds in found.values():
            for (first, _), part in speeds.items():
                (self.assertGreater if "Mo-Su" in first else self.assertLessEqual)(part, 1)
                self.assertGreater(part, 0.19)

    def test_into_town_is_slow_in_the_morning_and_out_of_it_in_the_evening(self):
        for seed in "123":
            found = self.relative("--seed", seed)
            for way in (10, 11, 14):
                (into, out_of) = found[way, -1], found[way, 1]
                self.assertLess(into[MORNING], into[EVENING])
                self.assertLess(out_of[EVENING], out_of[MORNING])

    def test_rush_hours_are_worst_on_large_roads_near_the_centre(self):
        for seed in "123":
            found = self.relative("--seed", seed)
            worst = {way: min(found[way, it][rush] for it in (1, -1) for rush in (MORNING, EVENING)) for way in (10, 12, 19)}
            self.assertLess(worst[10], worst[19])  # the last primary road
            self.assertLess(worst[10], worst[12])  # a residential road
            self.assertLess(worst[10], 0.75)

    def test_maps_without_ways_are_refused(self):
        self.assertIn("no road of these classes has an OSM way", self.invent(map=self.file, status=1))


if __name__ == "__main__":
    unittest.main()
