"""The progress bar, as a terminal shows it: one bar from 0 to 100 %, whatever the phases and tiles.

The command has a clock of its own (tests/support/fast_clock.c), so that its bar moves as often on every machine.
"""

import os
import pty
import random
import re
import unittest

from support import COMMAND, CommandTest, Map

SIDE = 60


def percentages(*arguments):
    """The bar's numbers, in order."""
    child, terminal = pty.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execve(COMMAND, [COMMAND, *arguments], {**os.environ, "LD_PRELOAD": os.environ["MACADAM_FAST_CLOCK"]})
    seen = b""
    while True:
        try:
            more = os.read(terminal, 1 << 16)
        except OSError:  # the command has ended
            break
        if not more:
            break
        seen += more
    os.close(terminal)
    assert os.waitpid(child, 0)[1] == 0, seen
    return [int(number) for number in re.findall(rb"(\d+) %", seen)]


def has_terminals():
    if "MACADAM_FAST_CLOCK" not in os.environ:
        return False
    try:
        for end in os.openpty():
            os.close(end)
    except OSError:
        return False
    return True


@unittest.skipUnless(has_terminals(), "the system has no pseudo-terminals, or MACADAM_FAST_CLOCK names no clock")
class Progress(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rng, arcs = random.Random(3), []
        for node in range(1, SIDE * SIDE + 1):
            for other in (node + 1 if node % SIDE else 0, node + SIDE if node + SIDE <= SIDE * SIDE else 0):
                if other:
                    arcs.append((node, other, rng.randint(1, 99), 1))
                    arcs.append((other, node, rng.randint(1, 99), 1))
        Map(SIDE * SIDE, arcs, {}).write_dimacs(cls.folder)
        cls.grid = cls.folder + "/grid.mcd"
        cls.imported = percentages("import", "--weight", f"duration={cls.folder}/duration.gr", "-o", cls.grid)

    def assertOneBar(self, numbers, steps):
        self.assertEqual(numbers, sorted(numbers))
        self.assertGreaterEqual(len(set(numbers)), steps)

    def test_an_import_has_one_bar_for_all_phases(self):
        self.assertOneBar(self.imported, 4)
        self.assertLess(self.imported[len(self.imported) // 3], 67)

    def test_tiles_share_one_bar(self):
        places = self.write("places.csv", "\n".join(f"node:{node}" for node in range(1, 1001)))
        numbers = percentages(
            "matrix", self.grid, "--sources", places, "--targets", places, "--memory", "500000", "-o",
            self.path("matrix.npy"),
        )
        self.assertOneBar(numbers, 10)
        self.assertLess(numbers[len(numbers) // 3], 67)
        self.assertGreater(numbers[-1], 80)

    def test_verifying_and_making_ready_have_one_bar(self):
        ready = self.path("ready.mcd")
        self.assertOneBar(percentages("ready", self.grid, "-o", ready), 1)
        self.assertOneBar(percentages("info", ready, "--verify"), 1)

    def test_bands_of_all_pairs_share_one_bar(self):
        numbers = percentages("all-pairs", self.grid, "-o", self.path("pairs.npy"))
        self.assertOneBar(numbers, 5)
        self.assertLess(numbers[len(numbers) // 3], 67)


if __name__ == "__main__":
    unittest.main()
