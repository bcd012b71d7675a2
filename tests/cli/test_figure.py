"""The figure of README is what the command answers."""

import os
import subprocess
import sys
import unittest

from support import COMMAND, CommandTest

FIGURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "figures")


class Figure(CommandTest):
    def test_the_figure_of_readme_is_drawn_from_answers(self):
        """To take over a new one: docs/figures/answers.py MACADAM."""
        drawn = self.path("answers.svg")
        subprocess.run([sys.executable, os.path.join(FIGURES, "answers.py"), COMMAND, drawn], check=True)
        with open(drawn) as new, open(os.path.join(FIGURES, "answers.svg")) as old:
            self.assertEqual(new.read(), old.read())


if __name__ == "__main__":
    unittest.main()
