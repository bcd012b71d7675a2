"""import --resume: an import that is killed at any instant goes on from its checkpoints, and its file is the same."""

import glob
import os
import random
import subprocess
import time

from support import COMMAND, CommandTest, run

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DATA = os.path.join(os.environ.get("MACADAM_DATA", ""), "osm", "liechtenstein-gisops.osm.pbf")


class Resume(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        town = os.path.join(ROOT, "examples", "town.osm")
        with open(cls.path("speeds.csv"), "w") as file:
            file.write("way,direction,from,to,km/h\n1,0,Mo-Fr 07:00,09:30,21\n")
        os.makedirs(cls.path("tiles"))
        with open(cls.path("tiles/N50E010.hgt"), "wb") as file:
            file.write(random.Random(1).randbytes(2 * 1201 * 1201).translate(bytes(b % 2 for b in range(256))))
        with open(cls.path("tiles/N49E010.hgt"), "wb") as file:
            file.write(bytes(2 * 1201 * 1201))
        cls.imports = {
            "osm": [town, "--speeds", cls.path("speeds.csv"), "--heights", cls.path("tiles"), "--profile", "car", "--profile",
                    "foot", "--report", cls.path("report.json")],
            "dimacs": [f"--weight=duration={cls.path('duration.gr')}", f"--coords={cls.path('map.co')}"],
        }  # fmt: skip
        if os.path.exists(DATA):
            cls.imports["country"] = [DATA, "--threads", "2"]

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def begin(self, name, output):
        return subprocess.Popen(
            [COMMAND, "import", *self.imports[name], "-o", self.path(output), "--resume"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def assertAll(self, name, output):
        """That the file is the whole import's, and nothing but it is left."""
        self.assertEqual(self.read(output), self.read(f"{name}.mcd"), name)
        self.assertEqual(glob.glob(self.path(f"{output}.*")), [])

    def kill_until_done(self, name, whole_s, rng):
        """Kills the import after random times, which grow, so that it ends. Returns how often."""
        kills = 0
        while True:
            going = self.begin(name, "killed.mcd")
            try:
                says = going.communicate(timeout=rng.uniform(0.1, 1 + kills / 10) * whole_s)[1]
                self.assertEqual(going.returncode, 0, says)
                return kills
            except subprocess.TimeoutExpired:
                going.kill()
                going.communicate()
                kills += 1

    def test_killed_imports_go_on(self):
        for name, arguments in self.imports.items():
            began, kills = time.monotonic(), 0
            run("import", *arguments, "-o", self.path(f"{name}.mcd"), "--quiet")
            whole_s, report = time.monotonic() - began, self.read("report.json")
            for seed in range(4):
                kills += self.kill_until_done(name, whole_s, random.Random(seed))
                self.assertAll(name, "killed.mcd")
                self.assertEqual(self.read("report.json"), report)
            self.assertGreater(kills, 0)

    def test_two_imports_of_one_file_are_harmless(self):
        for name, arguments in self.imports.items():
            run("import", *arguments, "-o", self.path(f"{name}.mcd"), "--quiet")
            for _ in range(3):
                both = [self.begin(name, "both.mcd") for _ in range(2)]
                for one in both:
                    says = one.communicate()[1]
                    self.assertEqual(one.returncode, 0, says)
                self.assertAll(name, "both.mcd")
