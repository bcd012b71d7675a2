"""The command's routes on drawn maps, and on a real one if MACADAM_DATA is set: none is illegal, no sure way
is lost."""

import os
import random
import tempfile
import unittest

from command import MapFile
from judge import judge_map
from judge_drawn import PROFILES, judge_drawing
from raw_map import read

COMMAND = os.environ["MACADAM_COMMAND"]
DATA = os.environ.get("MACADAM_DATA", "")
MAPS, PAIRS = 12, 50


class RoutesTest(unittest.TestCase):
    def assertRight(self, profile, verdicts):
        self.assertEqual((profile, verdicts.illegal, verdicts.lost), (profile, {}, {}))

    def test_drawn_maps(self):
        routed = sure = 0
        for seed in range(1, MAPS + 1):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                for profile, verdicts in judge_drawing(COMMAND, seed, PAIRS, folder):
                    self.assertRight(profile, verdicts)
                    routed, sure = routed + verdicts.routed, sure + verdicts.sure
        self.assertGreater(min(routed, sure), MAPS * PAIRS)  # of four travellers; else the maps ask nothing

    @unittest.skipUnless(DATA, "MACADAM_DATA names no folder of real maps")
    def test_monaco(self):
        path = f"{DATA}/osm/monaco.osm.gz"
        raw = read(path)
        for profile in PROFILES:
            with tempfile.TemporaryDirectory() as folder:
                map_file = MapFile(COMMAND, path, profile, folder)
                self.assertRight(profile, judge_map(map_file, raw, profile, 200, random.Random(7)))


if __name__ == "__main__":
    unittest.main()
