"""tests/bench/country.py makes a country of a real town: what is in it, and that imports within less memory are equal."""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

from support import run

DATA = os.environ.get("MACADAM_DATA")
COUNTRY = pathlib.Path(__file__).parents[1] / "bench" / "country.py"
TOWNS = 18


def section(file, wanted):
    data = pathlib.Path(file).read_bytes()
    directory, count = struct.unpack_from("<QI", data, 24)
    for i in range(count):
        name, offset, size = struct.unpack_from("<64sQQ", data, directory + 104 * i)
        if name.rstrip(b"\0").decode() == wanted:
            return data[offset : offset + size]
    return None


@unittest.skipUnless(DATA, "the real maps are where MACADAM_DATA says")
class Country(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="macadam-cli-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return f"{self.folder}/{name}"

    def make(self, towns, name, *options):
        path = self.path(name)
        subprocess.run([sys.executable, COUNTRY, pathlib.Path(DATA, "osm", "reisterstown-via-restriction.osm.pbf"), str(towns), path, *options], check=True)
        return path

    def counts(self, source, file, *options):
        lines = run("import", source, "-o", file, "--threads", 2, *options)[1].splitlines()
        return {name: int(value.split()[0]) for name, _, value in (line.partition(": ") for line in lines) if value[:1].isdigit()}

    def test_what_is_not_a_road_changes_only_the_size(self):
        made = {}
        for name, options in ("plain", ()), ("full", ("--junction-bytes", "100")):
            os.mkdir(self.path(name))
            source, file = self.make(2, f"{name}/country.osm.pbf", *options), self.path(f"{name}/country.mcd")
            counts = self.counts(source, file)
            made[name] = pathlib.Path(file).read_bytes(), counts, os.path.getsize(source) / counts["junctions"]
        self.assertEqual(made["plain"][0], made["full"][0])
        self.assertGreater(made["full"][1]["nodes in the file"], made["plain"][1]["nodes in the file"])
        self.assertGreater(made["full"][1]["ways that are not roads for the profile"], 10000)
        self.assertLess(made["plain"][2], 55)
        self.assertAlmostEqual(made["full"][2], 100, delta=5)

    def test_a_country_is_its_towns_and_the_roads_between_them(self):
        town = self.counts(self.make(1, "town.osm.pbf"), self.path("town.mcd"))
        source, file, bounded = self.make(TOWNS, "country.osm.pbf", "--processes", "2"), self.path("country.mcd"), self.path("bounded.mcd")
        self.assertEqual(pathlib.Path(source).read_bytes(), pathlib.Path(self.make(TOWNS, "again.osm.pbf", "--processes", "1")).read_bytes())
        country = self.counts(source, file)
        self.assertEqual(country["junctions"], TOWNS * town["junctions"])
        self.assertEqual(country["turn restrictions applied"], TOWNS * town["turn restrictions applied"])
        self.assertGreater(country["ways used"], TOWNS * town["ways used"])
        self.counts(source, bounded, "--memory", "16M")
        self.assertEqual(pathlib.Path(file).read_bytes(), pathlib.Path(bounded).read_bytes())
        # A ready file lists the ferry, which the snap index leaves out. It is made by both commands.
        ready, imported = self.path("ready.mcd"), self.path("imported.mcd")
        self.counts(source, imported, "--ready")
        run("ready", file, "-o", ready)
        self.assertEqual(*(section(made, "unindexed_arc") for made in (ready, imported)))
        self.assertEqual(len(section(ready, "unindexed_arc")), 4)
        run("info", ready, "--verify")
        # From the first town to the island, which only the ferry reaches.
        west, south, east, _ = json.loads(run("info", file, "--json")[0])["bbox"]
        ends = f"--from={west + 0.1},{south + 0.05}", f"--to={east - 0.1},{south + 0.05}"
        route = json.loads(run("route", file, *ends, "--format", "json", "--steps", "--snap-radius", "5km")[0])
        self.assertTrue(route["found"])
        self.assertIn("Ferry", json.dumps(route))
