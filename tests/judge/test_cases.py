"""The cases of cases.py: which way the command takes."""

import os
import tempfile
import unittest

from cases import TABLES, cases
from command import MapFile
from drawn import write

# Degrees east and north of node 2; the ways between the places.
PLACES = {1: (-0.0028, 0), 2: (0, 0), 3: (0.0014, 0), 4: (0.0028, 0), 5: (0.0056, 0), 6: (0.0014, 0.0027),
          7: (0.0014, 0.0045)}  # fmt: skip
WAYS = {1: (1, 2), 2: (2, 3, 4), 3: (4, 5), 4: (2, 6), 5: (6, 4), 6: (6, 7)}
DIRECT, DETOUR = 2, 4
SPACING, STEP = 0.05, 1000  # degrees and ids from one case to the next
BOARDING = {"truck": 600, "bus": 600, "bike": 180, "foot": 180}  # seconds that a ferry may take besides; of others 300
COMMAND = os.environ["MACADAM_COMMAND"]


def write_cases(path, drawn):
    """All cases in one file, one east of the other."""
    nodes, ways, turns, street = {}, {}, [], {"highway": "residential"}
    for at, case in enumerate(drawn):
        first = (at + 1) * STEP
        tags = {DIRECT: case.way, 4: case.detour, 5: case.detour}
        for node, (east, north) in PLACES.items():
            nodes[first + node] = at * SPACING + east, 50 + north, case.node if node == 3 else {}
        for way, members in WAYS.items():
            ways[first + way] = [first + node for node in members], tags.get(way, street)
        if case.turn:
            to = DETOUR if "only_" in str(case.turn) else DIRECT
            members = [("from", "way", first + 1), ("via", "node", first + 2), ("to", "way", first + to)]
            turns.append((members, {"type": "restriction", **case.turn}))
    write(path, nodes, ways, turns)


class Answers:
    """The command's answers for the cases of one profile."""

    def __init__(self, drawn, profile, folder):
        path = f"{folder}/{profile}.osm"
        write_cases(path, drawn)
        self.map_file, self.drawn = MapFile(COMMAND, path, profile, folder), drawn
        self.arcs = {int(row["arc"]): row for row in self.map_file.rows("arcs", self.map_file.file)}
        self.direct = {int(row["way"]): row for row in self.arcs.values() if row["forward"] == "1"}

    def all(self):
        found = {}
        for options in {case.options for case in self.drawn}:
            chosen = [(at, case) for at, case in enumerate(self.drawn) if case.options == options]
            ends = [(5, 1) if case.back else (1, 5) for _, case in chosen]
            pairs = [tuple((at + 1) * STEP + end for end in pair) for (at, _), pair in zip(chosen, ends)]
            try:
                routes = self.map_file.routes(pairs, options)
            except RuntimeError as error:
                found.update({at: str(error) for at, _ in chosen})
                continue
            found.update({at: self.answer(at, case, route) for (at, case), route in zip(chosen, routes)})
        return [found[at] for at in range(len(self.drawn))]

    def answer(self, at, case, route):
        way = (at + 1) * STEP + DIRECT
        if case.expected[0].isdigit():
            arc = self.direct.get(way)
            if not arc or not arc["duration"]:
                return "closed"
            seconds, metres = int(arc["duration"]) / 1000, int(arc["length_cm"]) / 100
            number, unit = case.expected.split()
            values = (seconds, seconds - BOARDING.get(case.profile, 300)) if unit == "s" else (metres / seconds * 3.6,)
            near = any(abs(value - float(number)) < 0.01 for value in values)
            return case.expected if near else f"{values[0]:.3f} {unit}"
        if route is None:
            return "none"
        return "direct" if way in {int(self.arcs[arc]["way"]) for arc in route} else "detour"


def differences(table):
    """Lines of the cases that the command answers otherwise, with its answers."""
    drawn = list(cases(table))
    with tempfile.TemporaryDirectory() as folder:
        for profile in dict.fromkeys(case.profile for case in drawn):
            own = [case for case in drawn if case.profile == profile]
            for case, answer in zip(own, Answers(own, profile, folder).all()):
                if answer != case.expected:
                    yield f"{case.line} [{case.page}]: {answer}"


class CasesTest(unittest.TestCase):
    def test_tables(self):
        for table in TABLES:
            with self.subTest(table=table):
                self.assertEqual(list(differences(table)), [])


if __name__ == "__main__":
    unittest.main()
