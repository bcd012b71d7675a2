"""The command on real maps, from the folder that MACADAM_DATA names (dimacs/, osm/); skipped without it."""

import filecmp
import glob
import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from support import COMMAND, Map, read_npy, rows_of, run

DATA = os.environ.get("MACADAM_DATA", "")


def read_dimacs(*paths):
    """A map with the arcs of one or two .gr files; of one, both quantities are the same."""
    columns = []
    for path in paths:
        with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
            lines = [line.split() for line in file if line[0] in "ap"]
        node_count = int(lines[0][2])
        columns.append([(int(tail), int(head), int(weight)) for _, tail, head, weight in lines[1:]])
    return Map(node_count, [(*arc, other[2]) for arc, other in zip(columns[0], columns[-1])], {})


@unittest.skipUnless(DATA, "MACADAM_DATA names no folder of real maps")
class RealMaps(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="macadam-cli-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.file = f"{self.folder}/map.mcd"

    def write(self, name, text):
        with open(f"{self.folder}/{name}", "w") as file:
            file.write(text)
        return f"{self.folder}/{name}"

    def test_rome_trees_in_both_directions(self):
        rome = read_dimacs(f"{DATA}/dimacs/rome99.gr")
        run("import", "--weight", f"distance={DATA}/dimacs/rome99.gr", "-o", self.file, "--quiet")
        for source in (1, 1000, 3353):
            for reverse in (False, True):
                cost = rome.tree(source, reverse=reverse)
                answer = run("tree", self.file, "--from", f"node:{source}", *["--reverse"][:reverse])[0]
                self.assertEqual(
                    rows_of(answer)[1],
                    [[node, cost[node][0] if node in cost else None] for node in range(1, 3354)],
                )

    def test_new_york_tree_with_companion(self):
        paths = [f"{DATA}/dimacs/USA-road-{kind}.NY.gr.gz" for kind in "td"]
        new_york = read_dimacs(*paths)
        run(
            "import",
            "--weight",
            f"duration={paths[0]}",
            "--weight",
            f"distance={paths[1]}",
            "--coords",
            f"{DATA}/dimacs/USA-road-d.NY.co.gz",
            "-o",
            self.file,
            "--quiet",
        )
        cost = new_york.tree(123456)
        run(
            "tree",
            self.file,
            "--from",
            "node:123456",
            "--quantities",
            "duration,distance",
            "-o",
            f"{self.folder}/tree.npy",
        )
        shape, values = read_npy(f"{self.folder}/tree.npy")
        self.assertEqual(shape, (1, new_york.node_count, 2))
        self.assertEqual(
            values, [value for node in range(1, new_york.node_count + 1) for value in cost[node]]
        )

    def test_an_interrupted_import_leaves_no_file(self):
        weight = f"duration={DATA}/dimacs/USA-road-t.NY.gr.gz"
        status, pause = 0, 0.2
        while status == 0:  # it was over before the signal came: once more, with a shorter pause
            done = subprocess.Popen([COMMAND, "import", "--weight", weight, "-o", self.file], stderr=subprocess.DEVNULL)
            time.sleep(pause)
            done.send_signal(signal.SIGINT)
            status, pause = done.wait(), pause / 2
            if status == 0:
                os.remove(self.file)
        self.assertEqual(status, -signal.SIGINT)
        self.assertEqual(os.listdir(self.folder), [])

    def test_openstreetmap_extracts_agree_with_themselves(self):
        for extract in sorted(glob.glob(f"{DATA}/osm/*.osm.*")):
            with self.subTest(extract=os.path.basename(extract)):
                self.check_extract(extract)

    @unittest.skipUnless(shutil.which("osmium"), "osmium is not installed")
    def test_two_halves_make_the_map_that_osmium_merges(self):
        """Both files have the same name, because the edge file contains the name of its source."""
        whole = f"{DATA}/osm/milan_italy_small.osm.pbf"
        merged = f"{self.folder}/west.osm.pbf, east.osm.pbf"
        halves = [f"{self.folder}/{name}.osm.pbf" for name in ("west", "east")]
        for half, box in zip(halves, ("9,45.3,9.19,45.6", "9.19,45.3,9.5,45.6")):
            subprocess.run(["osmium", "extract", "--no-progress", "-b", box, whole, "-o", half], check=True)
        subprocess.run(["osmium", "merge", "--no-progress", *halves, "-o", merged], check=True)
        for profile in ("car", "foot"):
            run("import", *halves, "--profile", profile, "-o", self.file, "--quiet")
            run("import", merged, "--profile", profile, "-o", f"{self.folder}/merged.mcd", "--quiet")
            self.assertTrue(filecmp.cmp(self.file, f"{self.folder}/merged.mcd", shallow=False), profile)

    def check_extract(self, extract):
        run("import", extract, "-o", self.file, "--quiet")
        west, south, east, north = json.loads(run("info", self.file, "--json", "--verify")[0])["bbox"]
        random.seed(1)
        points = [(random.uniform(west, east), random.uniform(south, north)) for _ in range(12)]
        places = self.write("p.csv", "lon,lat\n" + "".join(f"{lon:.7f},{lat:.7f}\n" for lon, lat in points))
        pairs = self.write(
            "q.csv",
            "source_lon,source_lat,target_lon,target_lat\n"
            + "".join(f"{a[0]:.7f},{a[1]:.7f},{b[0]:.7f},{b[1]:.7f}\n" for a in points for b in points),
        )
        both = ("--quantities", "duration,distance", "--snap-radius", "20000")
        matrix = rows_of(run("matrix", self.file, "--sources", places, "--targets", places, *both)[0])[1]
        routes = rows_of(run("routes", self.file, "--pairs", pairs, *both)[0])[1]
        self.assertEqual([row[2:] for row in matrix], [row[2:] for row in routes])
        self.assertTrue(any(row[2] for row in matrix))
        source, target, duration, distance = max((row for row in matrix if row[2]), key=lambda row: row[2])
        ends = ("--from", "%.7f,%.7f" % points[source], "--to", "%.7f,%.7f" % points[target])
        route = json.loads(run("route", self.file, *ends, *both, "--format", "json")[0])
        self.assertEqual((route["duration"], route["distance"]), (duration, distance))
        self.assertEqual(sum(arc["duration"] for arc in route["arcs"]), duration)
        for before, after in zip(route["arcs"], route["arcs"][1:]):
            self.assertEqual(before["head"], after["tail"])


if __name__ == "__main__":
    unittest.main()
