"""The width of isochrones: how many places beside roads an area holds that are not reached."""

import json
import os
import random
import unittest

from command import MapFile
from test_shapes import ShapeTest, lines_of

COMMAND = os.environ["MACADAM_COMMAND"]
DATA = os.environ.get("MACADAM_DATA", "")


def holds(ring, lon, lat):
    """Whether a ring goes around a point an odd number of times."""
    inside = False
    for (a, b), (c, d) in zip(ring, ring[1:]):
        if (b > lat) != (d > lat) and lon < a + (lat - b) * (c - a) / (d - b):
            inside = not inside
    return inside


CENTRE, SPREAD = (9.19, 45.465), {"car": 0.06, "foot": 0.008}  # degrees around a source in Milan


@unittest.skipUnless(DATA, "MACADAM_DATA names no folder of real maps")
class WidthTest(ShapeTest):
    def test_isochrones_hold_few_places_that_are_not_reached(self):
        """Of random places beside roads, the area of 5 minutes holds a tenth as many that are not reached as are."""
        for profile, spread in SPREAD.items():
            with self.subTest(profile):
                map_file = MapFile(COMMAND, f"{DATA}/osm/milan_italy_small.osm.pbf", profile, self.folder)
                rng = random.Random(3)
                reached = beyond = outside = 0
                for _ in range(5):
                    source = tuple(middle + rng.uniform(-0.02, 0.02) for middle in CENTRE)
                    places = [tuple(middle + rng.uniform(-spread, spread) for middle in source) for _ in range(1000)]
                    for near, held in self.sides(map_file, source, places):
                        reached, beyond, outside = reached + near, beyond + (held > near), outside + (near > held)
                self.assertLess(beyond, 0.1 * reached)
                self.assertLess(outside, 0.2 * reached)

    def sides(self, map_file, source, places):
        """(reached in 5 minutes, inside the area) of every place within 50 m of a road."""
        for name, rows in (("source", [source]), ("places", places)):
            with open(f"{self.folder}/{name}.csv", "w") as file:
                print("lon,lat", *("%.7f,%.7f" % place for place in rows), sep="\n", file=file)
        rows = map_file.rows("matrix", map_file.file, "--sources", f"{self.folder}/source.csv", "--targets",
                             f"{self.folder}/places.csv", "--snap-radius", "50m", "--quiet")  # fmt: skip
        area = map_file.run("isochrone", map_file.file, "--from", "%.7f,%.7f" % source, "--limits", "5min", "--format", "geojson")
        rings = list(lines_of(json.loads(area)["features"][0]["geometry"]))
        for place, row in zip(places, rows):
            if row["duration"]:
                yield int(row["duration"]) <= 300_000, sum(holds(ring, *place) for ring in rings) % 2 == 1


if __name__ == "__main__":
    unittest.main()
