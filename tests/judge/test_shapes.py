"""Maps whose shape matters: ferries in pieces, two restrictions at one turn, the 180th meridian, roundabouts."""

import json
import math
import os
import tempfile
import unittest

from command import MapFile
from drawn import write

COMMAND = os.environ["MACADAM_COMMAND"]
ROAD = {"highway": "residential"}
METRE = 1 / 111_195  # degrees of latitude


class Shape:
    """A drawn map, imported for one profile."""

    def __init__(self, folder, nodes, ways, relations=(), profile="car"):
        write(f"{folder}/shape.osm", nodes, ways, relations)
        self.map_file = MapFile(COMMAND, f"{folder}/shape.osm", profile, folder)

    def route(self, source, target, *options):
        """(nodes, milliseconds) of a route between two nodes of the map, or None."""
        try:
            rows = list(self.map_file.rows("route", self.map_file.file, "--from", f"node:{source}", "--to",
                                           f"node:{target}", "--quiet", *options))  # fmt: skip
        except RuntimeError as error:
            if "no route" in str(error) or "no way" in str(error):
                return None
            raise
        return [source] + [int(row["head"]) for row in rows], sum(int(row["duration"]) for row in rows)

    def geometry(self, command, *options):
        """All lines or rings of an answer as GeoJSON, as lists of (lon, lat)."""
        found = json.loads(self.map_file.run(command, self.map_file.file, "--format", "geojson", *options))
        return list(lines_of([part["geometry"] for part in found.get("features", [found])]))


def lines_of(part):
    if isinstance(part, dict):
        part = part["coordinates"]
    if part and isinstance(part[0], list) and isinstance(part[0][0], (int, float)):
        yield part
    else:
        for inner in part:
            yield from lines_of(inner)


class ShapeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def shape(self, *arguments, **options):
        return Shape(self.folder, *arguments, **options)


# A road from 1 to 2, a ferry from 2 over 3 and 4 to 5, a road from 5 to 6; 3 and 4 have roads of their own.
SEA = {1: (9.993, 50, {}), 2: (10, 50, {}), 3: (10.021, 50, {}), 4: (10.063, 50, {}), 5: (10.084, 50, {}),
       6: (10.091, 50, {}), 7: (10.021, 50.0036, {}), 8: (10.063, 50.0036, {})}  # fmt: skip
FERRY = {"route": "ferry", "motor_vehicle": "yes", "foot": "yes", "bicycle": "yes"}
PIECES = """
# profile | pieces: nodes and duration | roads at 3 and 4
car | 23 00:20, 34 00:20, 45 00:20 | yes
car | 23 00:20, 34 00:20, 45 00:20 | no
car | 23 00:20, 345 00:40 | yes
car | 234 00:45, 45 00:15 | yes
car | 23 00:20, 43 00:20, 45 00:20 | yes
car | 32 20, 43 20, 54 20 | yes
car | 23 00:20, 34 PT20M, 45 20 min | yes
truck | 23 00:20, 34 00:20, 45 00:20 | yes
bus | 23 00:30, 345 00:30 | yes
bike | 23 00:20, 34 00:20, 45 00:20 | yes
foot | 23 00:20, 34 00:20, 45 00:20 | yes
foot | 23 00:10, 345 00:50 | no
"""


class FerryTest(ShapeTest):
    def crossing(self, profile, pieces, roads, source=1, target=6):
        ways = {10: ([1, 2], ROAD), 11: ([5, 6], ROAD)}
        if roads == "yes":
            ways.update({12: ([3, 7], ROAD), 13: ([4, 8], ROAD)})
        for number, piece in enumerate(pieces.split(", "), 20):
            members, duration = piece.split(" ", 1)
            ways[number] = ([int(node) for node in members], {**FERRY, "duration": duration})
        used = {node for members, _ in ways.values() for node in members}
        nodes = {node: place for node, place in SEA.items() if node in used}
        return self.shape(nodes, ways, profile=profile).route(source, target)[1]

    def test_a_ferry_in_pieces_costs_what_the_whole_costs(self):
        for line in PIECES.strip().splitlines()[1:]:
            with self.subTest(line):
                profile, pieces, roads = line.split(" | ")
                whole = self.crossing(profile, "2345 01:00", roads)
                self.assertAlmostEqual(self.crossing(profile, pieces, roads), whole, delta=5)

    def test_boarding_twice_is_waiting_twice(self):
        whole = self.crossing("car", "23 00:20, 45 00:20, 34 00:20", "yes")
        nodes = {**SEA, 9: (10.024, 50, {})}
        ways = {10: ([1, 2], ROAD), 11: ([5, 6], ROAD), 12: ([3, 9], ROAD), 20: ([2, 3], {**FERRY, "duration": "00:20"}),
                21: ([9, 4, 5], {**FERRY, "duration": "00:40"})}  # fmt: skip
        self.assertGreater(self.shape(nodes, ways).route(1, 6)[1], whole + 299_000)


# Streets 1 - 2 - 4 - 5 with a right turn at 4; 3 hangs on 2 and 6 on 4: who may not turn at 4 turns back at 6.
STREETS = {1: (9, -0.0036, {}), 2: (9, 0, {}), 3: (9, 0.0036, {}), 4: (9.0036, 0, {}), 5: (9.0036, -0.0036, {}),
           6: (9.0036, 0.0036, {})}  # fmt: skip
EVENING, MORNING = "no_right_turn @ (Mo-Fr 16:00-18:00)", "no_right_turn @ (Mo-Fr 07:00-11:00)"
TWO_BANS = [  # over way 12 from 1, at node 4, slot, from, turns at 4
    (EVENING, MORNING, "Tu17:00", 1, False),
    (EVENING, MORNING, "Tu08:00", 1, False),
    (EVENING, MORNING, "Tu13:00", 1, True),
    (EVENING, MORNING, "Sa17:00", 1, True),
    (EVENING, MORNING, "Tu17:00", 3, True),
    (EVENING, MORNING, "Tu08:00", 3, False),
    (MORNING, EVENING, "Tu08:00", 1, False),
    (MORNING, EVENING, "Tu08:00", 3, True),
    (MORNING, EVENING, "Tu17:00", 3, False),
    (EVENING, EVENING, "Tu17:00", 1, False),
    (EVENING, None, "Tu17:00", 1, False),
    (None, MORNING, "Tu08:00", 1, False),
    ("no_right_turn", MORNING, "Tu13:00", 1, False),
    ("no_right_turn", MORNING, "Tu13:00", 3, True),
    (EVENING, "no_right_turn", "Tu13:00", 1, False),
]


class TwoBansTest(ShapeTest):
    def test_bans_at_one_turn_hold_each_at_its_hours(self):
        ways = {11: ([1, 2], ROAD), 10: ([2, 3], ROAD), 12: ([2, 4], ROAD), 13: ([5, 4], ROAD), 14: ([4, 6], ROAD)}
        over = [("from", "way", 11), ("via", "way", 12), ("to", "way", 13)]
        at = [("from", "way", 12), ("via", "node", 4), ("to", "way", 13)]
        for bans in TWO_BANS:
            with self.subTest(bans):
                relations = [
                    (members, {"type": "restriction", "restriction:conditional" if "@" in ban else "restriction": ban})
                    for members, ban in ((over, bans[0]), (at, bans[1])) if ban
                ]  # fmt: skip
                path = self.shape(STREETS, ways, relations).route(bans[3], 5, "--slot", bans[2])[0]
                self.assertEqual(6 not in path, bans[4], path)


# Roads that are cut at the 180th meridian: 2 and 3 are one place.
EAST, WEST = (179.99, -16.8, {}), (-179.99, -16.8, {})
CUT = {1: EAST, 2: (180, -16.8, {}), 3: (-180, -16.8, {}), 4: WEST}
JOINS = [  # profile, nodes, ways, from, to, whether a way leads there
    ("car", CUT, {10: ([1, 2], ROAD), 11: ([3, 4], ROAD)}, 1, 4, True),
    ("car", CUT, {10: ([1, 2], ROAD), 11: ([3, 4], ROAD)}, 4, 1, True),
    ("foot", CUT, {10: ([2, 1], ROAD), 11: ([4, 3], ROAD)}, 1, 4, True),
    ("bike", CUT, {11: ([1, 2], ROAD), 10: ([3, 4], ROAD)}, 1, 4, True),
    ("foot", CUT, {10: ([1, 2], {"highway": "path"}), 11: ([3, 4], {"highway": "track"})}, 1, 4, True),
    ("car", CUT, {10: ([1, 2], {**ROAD, "oneway": "yes"}), 11: ([3, 4], ROAD)}, 1, 4, True),
    ("car", CUT, {10: ([1, 2], {**ROAD, "oneway": "yes"}), 11: ([3, 4], ROAD)}, 4, 1, False),
    ("car", {**CUT, 3: (-180, -16.81, {})}, {10: ([1, 2], ROAD), 11: ([3, 4], ROAD)}, 1, 4, False),
    ("car", {**CUT, 3: (-179.9999, -16.8, {})}, {10: ([1, 2], ROAD), 11: ([3, 4], ROAD)}, 1, 4, False),
    ("car", {**CUT, 5: (180, -16.79, {})}, {10: ([1, 2], ROAD), 11: ([3, 4], ROAD), 12: ([2, 5], ROAD)}, 5, 4, True),
    ("car", {**CUT, 5: (180, -16.79, {}), 6: (180, -16.81, {})}, {10: ([5, 2, 6], ROAD), 11: ([3, 4], ROAD)}, 6, 4, True),
    ("car", {**CUT, 2: (180, -16.8, {"barrier": "block"})}, {10: ([1, 2], ROAD), 11: ([3, 4], ROAD)}, 1, 4, False),
    ("car", {1: EAST, 4: WEST}, {10: ([1, 4], ROAD)}, 1, 4, True),
    ("car", CUT, {10: ([1, 2], FERRY), 11: ([3, 4], FERRY), 12: ([1, 5], ROAD), 13: ([4, 6], ROAD)}, 5, 6, True),
]  # fmt: skip
SHORES = {5: (179.98, -16.8, {}), 6: (-179.98, -16.8, {})}


class MeridianTest(ShapeTest):
    def test_roads_that_are_cut_there_join(self):
        for join in JOINS:
            profile, nodes, ways, source, target, joined = join
            with self.subTest(join):
                used = {node for members, _ in ways.values() for node in members}
                nodes = {node: place for node, place in {**SHORES, **nodes}.items() if node in used}
                route = self.shape(nodes, ways, profile=profile).route(source, target)
                self.assertEqual(route is not None, joined)
                if joined and ways[10][1] is ROAD:
                    self.assertLess(route[1], 3_600_000)  # not around the world

    def test_shapes_are_cut_there(self):
        for ways in ({10: ([1, 2], ROAD), 11: ([3, 4], ROAD)}, {10: ([1, 4], ROAD)}):
            used = {node for members, _ in ways.values() for node in members}
            shape = self.shape({node: CUT[node] for node in used}, ways)
            route = shape.geometry("route", "--from", "node:1", "--to", "node:4")
            rings = shape.geometry("isochrone", "--from", "node:1", "--limits", "10min")
            point = shape.geometry("route", "--from", "179.995,-16.8", "--to", "-179.995,-16.8")
            for lines in (route, rings, point):
                self.assertCut(lines)

    def assertCut(self, lines):
        self.assertEqual({lon > 0 for line in lines for lon, *_ in line}, {True, False})
        for line in lines:
            self.assertEqual(len({lon > 0 for lon, *_ in line}), 1, line)
            self.assertTrue(all(abs(lon) <= 180 for lon, *_ in line), line)


def ring(arms, radius, opening, tip, bare, points=0):
    """A roundabout: at each arm one leaves at an angle before the arm and enters after it; both meet at its tip. Arms
    in `bare` have no road beyond it. (nodes, ways): 10 + arm leaves, 30 + arm enters, 50 + arm is the tip."""
    nodes, ways, ring_nodes = {}, {}, []

    def place(node, angle, distance):
        x, y = distance * math.cos(angle) * METRE, distance * math.sin(angle) * METRE
        nodes[node] = (10 + x / math.cos(math.radians(50)), 50 + y, {})

    for arm in range(arms):
        middle = 2 * math.pi * arm / arms
        place(10 + arm, middle - opening, radius)
        place(30 + arm, middle + opening, radius)
        place(50 + arm, middle, radius + tip)
        ring_nodes += [10 + arm, 30 + arm]
        for point in range(points):
            place(1000 + 10 * arm + point, middle + opening + (2 * math.pi / arms - 2 * opening) * (point + 1) / (points + 1), radius)
            ring_nodes.append(1000 + 10 * arm + point)
        ways[100 + arm] = ([10 + arm, 50 + arm], {"highway": "primary", "oneway": "yes"})
        ways[120 + arm] = ([50 + arm, 30 + arm], {"highway": "primary", "oneway": "yes"})
        if arm not in bare:
            place(70 + arm, middle, radius + tip + 150)
            ways[140 + arm] = ([50 + arm, 70 + arm], {"highway": "primary"})
    return nodes, ways, ring_nodes + ring_nodes[:1]


RINGS = [  # profile, arms, radius, half the opening of an arm, distance of its tip, arms without a road, points between
    ("car", 4, 30, 0.35, 20, (), 0),
    ("car", 4, 30, 0.35, 20, (1,), 0),
    ("car", 4, 20, 0.4, 15, (1, 3), 0),
    ("car", 4, 40, 0.3, 30, (1,), 2),
    ("car", 3, 25, 0.4, 20, (1,), 0),
    ("car", 5, 35, 0.3, 20, (1, 3), 0),
    ("car", 6, 40, 0.25, 15, (), 0),
    ("truck", 4, 30, 0.35, 20, (1,), 0),
    ("truck", 6, 40, 0.25, 15, (), 0),
    ("bus", 4, 30, 0.35, 20, (1,), 1),
    ("motorcycle", 4, 30, 0.35, 20, (1,), 0),
    ("bike", 4, 30, 0.35, 20, (1,), 0),
]


class RingTest(ShapeTest):
    def test_a_roundabout_is_not_left_and_entered_again(self):
        for case in RINGS:
            profile, arms, radius, opening, tip, bare, points = case
            nodes, ways, ring_nodes = ring(arms, radius, opening, tip, bare, points)
            for tags in ({"junction": "roundabout"}, {"oneway": "yes"}, {"oneway": "yes", "lanes": "2"}):
                with self.subTest(case, tags=tags):
                    whole = {**ways, 99: (ring_nodes, {"highway": "primary", **tags})}
                    shape = self.shape(nodes, whole, profile=profile)
                    for arm in set(range(1, arms)) - set(bare):
                        path = shape.route(70, 70 + arm)[0]
                        tips = [node - 50 for node in path if 50 <= node < 70]
                        self.assertEqual(tips, [0, arm], path)

    def test_a_turbo_roundabout_in_short_ways(self):
        """Every stretch of the ring is a way of its own, as where the number of lanes changes."""
        for case in RINGS:
            profile, arms, radius, opening, tip, bare, points = case
            nodes, ways, ring_nodes = ring(arms, radius, opening, tip, bare, points)
            with self.subTest(case):
                pieces = dict(enumerate(zip(ring_nodes, ring_nodes[1:]), 200))
                tags = {"highway": "primary", "junction": "roundabout"}
                whole = {**ways, **{number: (list(piece), tags) for number, piece in pieces.items()}}
                shape = self.shape(nodes, whole, profile=profile)
                for arm in set(range(1, arms)) - set(bare):
                    path = shape.route(70, 70 + arm)[0]
                    self.assertEqual([node - 50 for node in path if 50 <= node < 70], [0, arm], path)


if __name__ == "__main__":
    unittest.main()
