"""tests/bench/country.py makes a country of a real town, and a grid is made of streets: what is in them, and that imports within
half of their usual memory are equal."""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

from support import COMMAND, run

DATA = os.environ.get("MACADAM_DATA")
COUNTRY = pathlib.Path(__file__).parents[1] / "bench" / "country.py"
TOWNS = 18
BOUNDS = not os.environ.get("MACADAM_SANITIZED")


# A process counts the memory of the one that started it, until it has replaced its program. This one is small.
MEASURE = "import resource, subprocess, sys; status = subprocess.call(sys.argv[1:]); " \
          "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(status)"


def peak_of(*arguments, status=0):
    """Runs the command; returns the most memory that was resident, in bytes, and standard error."""
    done = subprocess.run([sys.executable, "-c", MEASURE, COMMAND, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != status:
        raise AssertionError(f"exit {done.returncode}, expected {status}: {arguments}\n{done.stderr}")
    return int(done.stdout.split()[-1]) * 1024, done.stderr


def check_bound(test, source, file, bounded):
    """Imports `source` with and without a bound, which is kept, and into equal files."""
    peak, _ = peak_of("import", source, "-o", file, "--threads", 2)
    for threads in 1, 2:
        least, _ = peak_of("import", source, "-o", bounded, "--threads", threads, "--memory", peak // 2)
        test.assertLessEqual(least, peak * 5 // 8)  # busy machines exceed it for a moment: docs/reference/limits.md
        test.assertEqual(pathlib.Path(file).read_bytes(), pathlib.Path(bounded).read_bytes())
    test.assertFalse([name for name in os.listdir(test.folder) if name.endswith(".tmp")])


@unittest.skipUnless(BOUNDS, "sanitizers take memory of their own")
class Grid(unittest.TestCase):
    """TOWNS of SIDE by SIDE junctions in a row, by one road from each to the next. Some streets have a direction."""

    TOWNS, SIDE = 120, 40

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="macadam-cli-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.source, self.file = f"{self.folder}/grid.osm", f"{self.folder}/grid.mcd"
        side, number = self.SIDE, 0
        with open(self.source, "w") as out:
            out.write("<?xml version='1.0'?><osm version='0.6'>\n")
            for node in range(self.TOWNS * side * side):
                town, place = divmod(node, side * side)
                lat, lon = 40 + place // side * 1e-3 + node * 7 % 11 * 2e-5, 10 + town * 5e-2 + place % side * 1e-3 + node * 5 % 13 * 2e-5
                out.write(f"<node id='{node + 1}' version='1' lat='{lat:.7f}' lon='{lon:.7f}'/>\n")
            for town in range(self.TOWNS):
                base = town * side * side + 1
                streets = [(base + i * side, 1, side) for i in range(side)] + [(base + i, side, side) for i in range(side)]
                for first, step, count in streets + [(base, side * side, 2)] * (town < self.TOWNS - 1):
                    number += 1
                    nodes = "".join(f"<nd ref='{first + i * step}'/>" for i in range(count))
                    kind, oneway = ("residential", "tertiary", "secondary")[number % 3], "yes" if number % 5 == 1 and count > 2 else "no"
                    tags = f"<tag k='highway' v='{kind}'/><tag k='name' v='Street {number}'/><tag k='oneway' v='{oneway}'/>"
                    out.write(f"<way id='{number}' version='1'>{nodes}{tags}</way>\n")
            out.write("</osm>\n")

    def test_half_of_the_usual_memory_makes_the_same_file(self):
        self.assertGreater(os.path.getsize(self.source), 20e6)
        check_bound(self, self.source, self.file, f"{self.folder}/bounded.mcd")

    def test_a_bound_that_cannot_be_kept_is_refused(self):
        for memory in "1", "24M":
            error = peak_of("import", self.source, "-o", self.file, "--memory", memory, status=4)[1]
            self.assertIn("this process takes already", error)
            self.assertEqual(os.listdir(self.folder), ["grid.osm"])


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
        check_bound(self, source, file, bounded)
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
