"""The runner of OSRM's scenarios, with a feature made by hand."""

import os
import subprocess
import sys
import tempfile
import unittest

COMMAND = os.environ["MACADAM_COMMAND"]
RUNNER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "osrm_scenarios.py")
FEATURE = '''
@guidance
Feature: Roads that meet

    Background:
        Given the profile "car"
        Given a grid size of 20 meters

    Scenario: A road meets another
        Given the node map
            """
                    c
            a 1 b   |
                `---e
                    d
            """

        And the nodes
            | node | highway         |
            | c    | traffic_signals |

        And the ways
            | nodes | name  | oneway |
            | abe   | short |        |
            | ced   | ""    | no     |

        When I route I should get
            | waypoints | route    | turns                                 | locations | bearing                    | # |
            | 1,d       | short,,  | depart,turn right,arrive              | _,e,d     | 0->90,117->180,180->0 +- 5 |   |
            | 1,c       | short,,  | depart,turn (left\\|right),arrive       | _,e,c     | 0->90,117->0,0->0 +- 5     |   |
            | c,d       | /,/      | depart,arrive                         | c,d       | 0->180,180->0 +- 5         |   |
            | d,a       | ,short   | depart,arrive                         | d,a       | 0->0,270->0 +- 5           |   |

    @todo
    Scenario: Never looked at
        Given the node map
            """
            a b
            """
'''


class Runner(unittest.TestCase):
    def run_rows(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "roads.feature")
            with open(path, "w", encoding="utf-8") as file:
                file.write(FEATURE)
            run = [sys.executable, RUNNER, COMMAND, path, *arguments]
            return subprocess.run(run, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()

    def test_equal_rows_are_counted(self):
        counts = self.run_rows()[-1].split()
        self.assertEqual(counts, ["all", "1", "0", "4", "4", "2", "0", "2"])

    def test_differing_cells_are_listed(self):
        lines = [line.strip() for line in self.run_rows("roads:9[1,c]", "--list")]
        self.assertEqual(lines[0], "roads:9[1,c]")
        self.assertEqual(lines[1].split(None, 1), ["turns", "- depart,turn (left|right),arrive"])
        self.assertEqual(lines[2], "+ depart,turn left,arrive")


if __name__ == "__main__":
    unittest.main()
