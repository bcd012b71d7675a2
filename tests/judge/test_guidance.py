"""Instructions do not depend on how a map lies or is drawn: the maps of guidance.maps, turned, moved, mirrored with
the side of the traffic, drawn with other ways, ids and tags."""

import json
import math
import os
import random
import re
import subprocess
import tempfile
import unittest
import urllib.request

from drawn import write

COMMAND = os.environ["MACADAM_COMMAND"]
MAPS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guidance.maps")
SPACING, STEP = 3000, 100  # metres and ids from one map to the next
LON, LAT, METRE = 9, 45, 1 / 111_195  # degrees of latitude
OTHER_SIDE = {"left": "right", "right": "left"}
LINK = {"highway": "residential", "name": "Link Road"}  # from one map to the next: none is cut off
LEFT_TRAFFIC = {"type": "boundary", "boundary": "administrative", "driving_side": "left"}


def swapped(text):
    return re.sub("left|right", lambda side: OTHER_SIDE[side[0]], text)


class Maps:
    """All maps of a table in one plane, in metres, one east of the other."""

    def __init__(self, table):
        self.nodes, self.ways, self.routes, self.said = {}, {}, [], {}
        parts = re.split(r"^== ", table, flags=re.MULTILINE)[1:]
        for at, part in enumerate(parts):
            title, places, *lines = part.strip().splitlines()
            ways = [line for line in lines if ">" not in line]
            ids = {}
            for number, (letter, east, north) in enumerate(re.findall(r"(\w) (\S+),(\S+)", places)):
                ids[letter] = (at + 1) * STEP + number
                self.nodes[ids[letter]] = at * SPACING + float(east), float(north)
            for number, way in enumerate(ways):
                letters, tags = way.split(": ")
                tags = {"highway": "residential", **dict(tag.split("=") for tag in tags.split(", "))}
                self.ways[(at + 1) * STEP + number] = [ids[letter] for letter in letters], tags
            for line in (line for line in lines if ">" in line):
                routes, _, said = line.partition(": ")
                for route in routes.split():
                    ends = [tuple(ids[letter] for letter in place) for place in route.split(">")]
                    if said:
                        self.said[len(self.routes)] = said
                    self.routes.append((f"{title}, {route}", ends))
            corner = (at + 1) * STEP + STEP - 1
            self.nodes[corner] = at * SPACING, -1000.0
            self.ways[corner] = [(at + 1) * STEP, corner] + [corner + STEP] * (at + 1 < len(parts)), LINK

    def middle(self, street):
        """The middle of the way from one end of a street to the other."""
        return tuple(sum(values) / 2 for values in zip(*(self.nodes[node] for node in street)))


class Drawing:
    """The maps as one drawing of them: `angle` in degrees, `side` -1 = mirrored, `redraw` changes a way's nodes and tags."""

    def __init__(self, maps, angle=0.0, side=1, east=0.0, redraw=lambda number, way: [way], ids=1):
        self.turn = complex(math.cos(math.radians(angle)), math.sin(math.radians(angle)))
        self.maps, self.side, self.east, self.ids = maps, side, east, ids
        self.ways = [way for number, old in maps.ways.items() for way in redraw(number, old)]

    def place(self, metres):
        at = complex(self.side * metres[0], metres[1]) * self.turn
        return LON + self.east + at.real * METRE / math.cos(math.radians(LAT)), LAT + at.imag * METRE

    def write(self, path):
        nodes = {self.ids * node + 10**6: (*self.place(at), {}) for node, at in self.maps.nodes.items()}
        ways = {}
        for number, (members, tags) in enumerate(self.ways, 1):
            if self.side < 0:
                tags = {key: "|".join(reversed(swapped(value).split("|"))) for key, value in tags.items()}
            ways[self.ids * number + 10**6] = [self.ids * node + 10**6 for node in members], tags
        traffic = [([("outer", "way", min(ways))], LEFT_TRAFFIC)] if self.side < 0 else []
        write(path, dict(sorted(nodes.items())), dict(sorted(ways.items())), traffic)

    def steps(self):
        """The instructions of each route of the maps, left and right as in the map that is not mirrored."""
        with tempfile.TemporaryDirectory() as folder:
            self.write(f"{folder}/drawing.osm")
            command = [COMMAND, "import", f"{folder}/drawing.osm", "--profile", "car", "--quiet", "-o", f"{folder}/car.mcd"]
            subprocess.run(command, check=True)
            command = [COMMAND, "serve", f"{folder}/car.mcd", "--listen", "127.0.0.1:0", "--threads", "1"]
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
                try:
                    port = next(found[1] for found in (re.search(r"127\.0\.0\.1:(\d+)", line) for line in server.stderr)
                                if found)  # fmt: skip
                    return [(title, *self.said(port, ends)) for title, ends in self.maps.routes]
                finally:
                    server.terminate()

    def said(self, port, ends):
        coordinates = ";".join("%.7f,%.7f" % self.place(self.maps.middle(end)) for end in ends)
        options = "steps=true&language=en&lane_phrases=true"
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/route/v1/car/{coordinates}?{options}") as answer:
            steps = json.load(answer)["routes"][0]["legs"][0]["steps"]
        return [self.step(step) for step in steps]

    def step(self, step):
        maneuver = step["maneuver"]
        kind, departs = maneuver["type"], maneuver["type"] == "depart"
        words = [kind, "" if departs else maneuver.get("modifier", ""), str(maneuver.get("exit", "")), step["name"],
                 step.get("ref", ""), step.get("destinations", ""), "" if departs else maneuver["instruction"]]  # fmt: skip
        lanes = [("*" * lane["valid"] + "+".join(lane["indications"]))
                 for lane in step["intersections"][0].get("lanes", [])][::self.side]  # fmt: skip
        text = " / ".join(words + lanes)
        return swapped(text) if self.side < 0 else text


def star(random, title):
    """Nameless streets that meet in x, in the words of the table, with the routes from each to each other."""
    turns = [random.randrange(20, 160, 5) for _ in range(random.randrange(3, 6))]
    angles = [360 * sum(turns[:i]) / sum(turns) + random.randrange(360) / 100 for i in range(len(turns))]
    ends = "abcde"[: len(turns)]
    nodes = [f"{end} {200 * math.sin(math.radians(angle)):.1f},{200 * math.cos(math.radians(angle)):.1f}"
             for end, angle in zip(ends, angles)]  # fmt: skip
    kinds = "primary secondary tertiary unclassified residential residential living_street service service".split()
    ways = [f"{end}x: highway={random.choice(kinds)}" for end in ends]
    routes = " ".join(f"{a}x>x{b}" for a in ends for b in ends if a != b)
    return "\n".join([f"== {title}, {', '.join(ways)}", " ".join([*nodes, "x 0,0"]), *ways, routes])


def cut(number, way):
    members, tags = way
    return [(list(pair), tags) for pair in zip(members, members[1:])]


def backwards(number, way):
    members, tags = way
    if "oneway" in tags:
        return [way]
    return [(members[::-1], {key.replace(":forward", ":backward"): value for key, value in tags.items()})]


def noted(number, way):
    members, tags = way
    return [(members, {**tags, "note": f"note {number}", "lit": "yes" if number % 2 else "no", "source": "survey"})]


class GuidanceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(MAPS) as file:
            cls.maps = Maps(file.read())
        cls.steps = Drawing(cls.maps).steps()

    def check(self, **drawing):
        for expected, found in zip(self.steps, Drawing(self.maps, **drawing).steps()):
            with self.subTest(expected[0]):
                self.assertEqual(expected, found)

    def test_a_turned_map(self):
        self.check(angle=37)

    def test_a_map_turned_the_other_way(self):
        self.check(angle=-110)

    def test_a_moved_map(self):
        self.check(east=5)

    def test_a_mirrored_map_with_the_other_side_of_the_traffic(self):
        self.check(side=-1)

    def test_ways_cut_at_every_node(self):
        self.check(redraw=cut)

    def test_two_way_streets_drawn_backwards(self):
        self.check(redraw=backwards)

    def test_tags_that_do_not_matter(self):
        self.check(redraw=noted)

    def test_other_ids(self):
        self.check(ids=-1)

    def test_what_is_said(self):
        for number, said in self.maps.said.items():
            title, _, *steps, _ = self.steps[number]
            words = [" ".join(filter(None, (step.split(" / ")[i] for i in (0, 1, 3)))) for step in steps]
            with self.subTest(title):
                self.assertEqual(said, "; ".join(words) or "nothing")

    def test_only_one_way_out_of_a_junction_is_taken_without_a_word(self):
        table = "\n".join(star(random.Random(seed), f"star {seed}") for seed in range(60))
        silent = {}
        for title, *steps in Drawing(Maps(table)).steps():
            if len(steps) == 2:
                silent.setdefault(title[: -len(">xa")], []).append(title)
        for start, routes in silent.items():
            with self.subTest(start):
                self.assertEqual(1, len(routes), routes)

    def test_each_sentence_has_the_side_of_its_lit_lanes(self):
        for title, *steps in self.steps:
            for step in steps:
                lit = {side for lane in re.findall(r"/ \*(\S+( \w+)?)", step) for side in re.findall("left|right", lane[0])}
                side = re.findall("left|right", step.split(" / ")[1])
                with self.subTest(title, step=step):
                    self.assertTrue(not lit or not side or "uturn" in step or side[0] in lit)


if __name__ == "__main__":
    unittest.main()
