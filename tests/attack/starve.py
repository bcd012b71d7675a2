"""Commands whose Nth allocation, read or write fails: they say so, and leave nothing half done.

Runs for ATTACK_SECONDS, with numbers drawn from ATTACK_SEED; 0 seconds: each N once, which takes many minutes.
"""

import bisect
import contextlib
import http.client
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

for folder in ("cli", "serve"):
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", folder))

import town  # noqa: E402
from server import Server  # noqa: E402
from support import COMMAND, small_map  # noqa: E402

SECONDS = float(os.environ.get("ATTACK_SECONDS", 3))
SEED = int(os.environ.get("ATTACK_SEED", 1))


class Starve(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="macadam-starve-")
        cls.work = os.path.join(cls.folder, "work")
        small_map().write_dimacs(cls.folder)
        os.mkdir(cls.work)
        path = lambda name: os.path.join(cls.folder, name)  # noqa: E731
        dimacs = ["import", "--weight", "duration=" + path("duration.gr"), "--weight", "distance=" + path("distance.gr"),
                  "--coords", path("map.co"), "--quiet", "-o"]
        subprocess.run([COMMAND, *dimacs, path("map.mcd")], check=True)
        with open(path("weights.csv"), "w") as file:
            file.write("arc,duration\n1,7\n2,9\n")
        with open(path("places.csv"), "w") as file:
            file.write("node:1\nnode:5\nnode:17\n")
        with open(path("pairs.csv"), "w") as file:
            file.write("source,target\n1,5\n17,3\n")
        towns = [path("town." + form) for form in ("osm.pbf", "osm", "osm.gz", "osm.bz2", "opl", "o5m")]
        for name in (*towns, path("again.osm.pbf")):
            town.write(name)
        output, cls.places = os.path.join(cls.work, "out"), path("places.csv")
        cls.given = given = path("map.mcd")
        cls.commands = [
            [*dimacs, output],
            [*dimacs, output, "--no-hierarchy"],
            *(["import", name, "--quiet", "-o", output] for name in towns),
            ["import", path("town.osm.pbf"), path("again.osm.pbf"), "--quiet", "-o", output],
            ["import-arrays", output],
            ["import-arrays", output, "ready"],
            ["update", given, "--weights", path("weights.csv"), "-o", output],
            ["info", given, "--verify"],
            ["route", given, "--from", "node:1", "--to", "7.05,43.05", "--format", "geojson", "-o", output],
            ["routes", given, "--pairs", path("pairs.csv"), "-o", output],
            ["tree", given, "--from", "node:1", "-o", output],
            ["matrix", given, "--sources", path("places.csv"), "--targets", path("places.csv"), "-o", output],
            ["reach", given, "--sources", path("places.csv"), "--limits", "10,20", "-o", output],
            ["isochrone", given, "--from", "node:1", "--limits", "20", "-o", output],
            ["hops", given, "--from", "node:1", "-o", output],
            ["connect", given, "--from", "node:1", "--to", "node:40", "-o", output],
            ["all-pairs", given, "-o", output + ".npy"],
            ["closure", given, "-o", output + ".npy"],
        ]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def run_one(self, command, failing=None, nth=0):
        """Runs in an empty work folder: (result, whether the call failed, what was left: name -> bytes)."""
        report = os.path.join(self.folder, "report")
        environment = dict(os.environ, MCD_FAIL=f"{failing}:{nth}", MCD_FAIL_REPORT=report,
                           LD_PRELOAD=os.environ["ATTACK_FAILING_CALLS"])
        if command[0] == "import-arrays":
            line = [os.environ["ATTACK"], *command]
        else:
            line = [COMMAND, *command, *([] if command[0] == "import" else ["--device", "cpu"]), "--threads", "2"]
        done = subprocess.run(line, capture_output=True, text=True,
                              env=environment if failing else dict(os.environ))
        left = {}
        for name in os.listdir(self.work):
            path = os.path.join(self.work, name)
            with open(path, "rb") as file:
                left[name] = file.read()
            os.remove(path)
        has_failed = os.path.exists(report)
        if has_failed:
            os.remove(report)
        return done, has_failed, left

    def check(self, command, failing, nth, expected):
        """Returns whether there was an Nth call to fail."""
        done, has_failed, left = self.run_one(command, failing, nth)
        where = f"{failing} {nth} of {' '.join(command)}: exit {done.returncode}\n{done.stderr}"
        self.assertGreaterEqual(done.returncode, 0, where)
        if done.returncode == expected[0].returncode:
            self.assertEqual(left, expected[2], where)  # what failed was not needed, or was done in another way
        else:
            self.assertTrue(has_failed, where)
            self.assertIn(done.returncode, (4,) if failing == "memory" else (2, 3, 4), where)
            self.assertEqual(done.stderr.count("\n"), 1, where)
            if command[0] in ("import", "import-arrays", "update"):
                # only the sync of the folder comes after the whole file
                self.assertIn(left, ({}, expected[2]) if "cannot sync" in done.stderr else ({},), where)
        return has_failed

    def test_each_failure_is_reported(self):
        rng = random.Random(SEED)
        tasks = [(command, failing) for command in self.commands for failing in ("memory", "write", "read")]
        rng.shuffle(tasks)
        end = time.monotonic() + SECONDS
        for i, (command, failing) in enumerate(tasks):
            expected = self.run_one(command)
            share = (end - time.monotonic()) / (len(tasks) - i)  # of the time left
            stop, nth, most = time.monotonic() + share, 1, None
            while most is None or SECONDS:
                with self.subTest(command=command[0], failing=failing, nth=nth):
                    if not self.check(command, failing, nth, expected):
                        most = nth if most is None else most
                        if not SECONDS:
                            break
                if SECONDS and time.monotonic() > stop:
                    break
                # first ever farther, then anywhere below
                nth = nth + 1 if not SECONDS else nth + 1 + nth // 2 if most is None else rng.randint(1, most)

    def test_arrays_are_whole_or_fail(self):
        for question in (["tree", "--from", "node:1"], ["matrix", "--sources", self.places, "--targets", self.places]):
            for form in ("npy", "arrow"):
                command = [question[0], self.given, *question[1:], "-o", os.path.join(self.work, "out." + form)]
                expected, nth = self.run_one(command), 1
                with self.subTest(command=command[0], form=form):
                    while self.check(command, "memory", nth, expected):
                        nth += 1

    def ask_service(self, path, nth):
        """The (status, body) with which the service answers, and whether its Nth allocation failed."""
        report, answer = os.path.join(self.folder, "served"), None
        failing = {"MCD_FAIL": f"memory:{nth}", "MCD_FAIL_REPORT": report, "LD_PRELOAD": os.environ["ATTACK_FAILING_CALLS"]}
        with contextlib.suppress(AssertionError, http.client.HTTPException, ConnectionError):
            with unittest.mock.patch.dict(os.environ, failing):
                service = Server(self.given, "--threads", "1")
            try:
                status, _, body = service.ask(path)
                answer = status, body
            finally:
                service.stop()
        has_failed = os.path.exists(report)
        if has_failed:
            os.remove(report)
        return answer, has_failed

    def test_arrays_of_the_service_are_whole_or_fail(self):
        path = "/table/v1/driving/7.05,43.05;7.06,43.06?format=arrow"
        whole = self.ask_service(path, 0)[0]
        self.assertEqual(whole[0], 200)
        count = bisect.bisect_left(range(1, 4096), True, key=lambda nth: not self.ask_service(path, nth)[1])
        for nth in range(count - 20, count + 1):  # the last ones, which write the answer
            answer, _ = self.ask_service(path, nth)
            with self.subTest(nth=nth):
                if answer and answer[0] == 200:
                    self.assertEqual(answer, whole)


if __name__ == "__main__":
    unittest.main()
