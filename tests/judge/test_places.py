"""Places that are moved past a nearer road that is cut off."""

import csv
import io
import json
import os
import subprocess
import unittest

from test_shapes import METRE, ROAD, ShapeTest

COMMAND = os.environ["MACADAM_COMMAND"]
LANE = 0.002  # degrees of latitude, 222 m, from the main street to the lane
ONE_WAY = {**ROAD, "oneway": "yes"}


SIDE, SPACING = 12, 0.005  # of the grid of streets, whose northern edge is the main street


def town(lane, link=None):
    """A grid of streets and a lane north of it, from 1 to 2; a link between."""
    nodes = {1: (10.02, 50 + LANE, {}), 2: (10.03, 50 + LANE, {})}
    for row in range(SIDE):
        for column in range(SIDE):
            nodes[100 + row * SIDE + column] = (10 + column * SPACING, 50 - row * SPACING, {})
    ways = {1: ([1, 2], lane)}
    for line in range(SIDE):
        ways[100 + line] = ([100 + line * SIDE + column for column in range(SIDE)], ROAD)
        ways[200 + line] = ([100 + row * SIDE + line for row in range(SIDE)], ROAD)
    if link:
        ways[2] = ([104, 1], link)
    return nodes, ways


PLACES = [  # profile, lane, link, metres south of the lane, whether the place is moved past the lane
    ("car", ROAD, None, 12, True),
    ("car", ROAD, None, 50, True),
    ("car", ROAD, None, 100, True),
    ("car", ROAD, None, 150, False),
    ("car", ROAD, None, 220, False),
    ("car", ROAD, ROAD, 12, False),
    ("car", ROAD, {"highway": "footway"}, 12, True),
    ("foot", ROAD, {"highway": "footway"}, 12, False),
    ("foot", ROAD, {"highway": "motorway"}, 12, True),
    ("foot", {"highway": "path"}, None, 12, True),
    ("bike", {"highway": "cycleway"}, None, 12, True),
    ("car", {"highway": "footway"}, None, 12, False),
    ("car", {"highway": "construction"}, None, 12, False),
    ("car", ROAD, ONE_WAY, 12, True),
]


class PlacesTest(ShapeTest):
    def test_a_place_that_is_moved_past_a_road_is_named(self):
        for case in PLACES:
            profile, lane, link, south, moved = case
            with self.subTest(case):
                shape = self.shape(*town(lane, link), profile=profile)
                place = f"10.025,{50 + LANE - south * METRE:.7f}"
                with open(f"{self.folder}/places.csv", "w") as file:
                    file.write(f"id,lon,lat\nshop,{place}\n")
                command = [COMMAND, "snap", shape.map_file.file, "--places", f"{self.folder}/places.csv"]
                for form in ("csv", "json"):
                    done = subprocess.run([*command, "--format", form], capture_output=True, text=True)
                    self.assertEqual("moved" in done.stdout, moved, done.stdout)
                    self.assertEqual("moved" in done.stderr, moved, done.stderr)
                row = next(csv.DictReader(io.StringIO(shape.map_file.run(*command[1:], "--quiet"))))
                self.assertTrue(not moved or float(row["distance_m"]) > LANE / METRE / 2)
                done = subprocess.run([COMMAND, "route", shape.map_file.file, "--from", place, "--to", "node:243", "--format",
                                       "json"], capture_output=True, text=True)  # fmt: skip
                self.assertEqual([point["status"] for point in json.loads(done.stdout)["waypoints"]],
                                 ["moved" if moved else "ok", "ok"])  # fmt: skip
                self.assertEqual("moved" in done.stderr, moved, done.stderr)


if __name__ == "__main__":
    unittest.main()
