"""Traces over small maps, drawn in metres east and north of a corner: where they went."""

import json
import math
import os
import random

from support import CommandTest, run

METRE = 1 / 111_195
WEST, SOUTH = 10.0, 50.0

STREET = {"A": [(-300, 0), (0, 0)], "B": [(0, 0), (1000, 0)], "C": [(1000, 0), (1200, 0)]}
# A street, and 40 m north of it one in many pieces, with a drive at each joint: all within three accuracies of a point.
PIECES = [(x, 40) for x in range(-100, 101, 10)]
CUT_UP = {
    "Trunk": [(-1000, 0), (1000, 0)],
    "West": [(-500, 300), PIECES[0]],
    "East": [PIECES[-1], (500, 300)],
    **{f"Piece {i}": [a, b] for i, (a, b) in enumerate(zip(PIECES, PIECES[1:]))},
    **{f"Drive {i}": [a, (a[0], 140)] for i, a in enumerate(PIECES)},
}
# From the west over a border, where one waits, and on to the north; the lane beside it leads nowhere.
BORDER = {
    "Main": [(-400, 0), (-40, 0), (0, 0), (0, 20), (0, 400)],
    "Lane": [(-60, 0), (-60, -20), (12, -20), (12, 400)],
}
BESIDE = {"Road": [(0, 0), (2000, 0)], "Link": [(1000, 0), (1000, 65)], "Lane": [(900, 65), (1100, 65)]}


def line(start, end, count, off=(0,)):
    """`count` points from one to another, moved sideways by `off` in turn."""
    length = math.dist(start, end)
    side = ((start[1] - end[1]) / length, (end[0] - start[0]) / length)
    return [
        tuple(
            a + (b - a) * i / (count - 1) + s * off[i % len(off)] for a, b, s in zip(start, end, side)
        )
        for i in range(count)
    ]


OUT_AND_BACK = line((100, 1), (400, 1), 11) + line((370, -1), (100, -1), 10)
OUTLIER = line((100, 0), (1900, 0), 37)
OUTLIER[18] = (OUTLIER[18][0], 66)
NOISE = random.Random(1)
JITTER = [(x + NOISE.gauss(0, 8), NOISE.gauss(0, 8)) for x in range(50, 951, 5)]

# map, profile, points, seconds between them (0: without times), accuracy, the length of the way, the points left out
CASES = {
    "one turns round in a car": (STREET, "car", OUT_AND_BACK, 3, 5, 600, 0),
    "one turns round in a car, without times": (STREET, "car", OUT_AND_BACK, 0, 5, 600, 0),
    "one turns round on foot": (STREET, "foot", OUT_AND_BACK, 20, 5, 600, 0),
    "one turns round by bike": (STREET, "bike", OUT_AND_BACK, 6, 5, 600, 0),
    "few points show the turn": (STREET, "foot", OUT_AND_BACK[::5], 100, 5, 600, 0),
    "pieces hide no road": (CUT_UP, "car", [(-500, 5), (-250, -8), (0, 35), (250, 4), (500, -3)], 15, 30, 1000, 0),
    "the least time of a way has no waits": (BORDER, "car", line((-400, 0), (0, 0), 9) + line((0, 50), (0, 400), 8), 4, 5, 800, 0),
    "an outlier has no way": (BESIDE, "car", OUTLIER, 4, 5, 1800, 1),
    "one does not drive to and fro with the noise": (STREET, "car", JITTER, 0, 8, 900, 0),
}


def write_map(path, roads):
    ids, ways = {}, []
    for number, (name, points) in enumerate(roads.items(), 1):
        refs = "".join(f"<nd ref='{ids.setdefault(point, len(ids) + 1)}'/>" for point in points)
        kind = "service" if name[:5] in ("Drive", "Lane") else "tertiary"
        ways.append(f"<way id='{number}'><tag k='highway' v='{kind}'/><tag k='name' v='{name}'/>{refs}</way>")
    control = "<tag k='barrier' v='border_control'/>"
    nodes = [
        f"<node id='{node}' lat='{north_of(point):.7f}' lon='{east_of(point):.7f}'>{control if point == (-40, 0) else ''}</node>"
        for point, node in ids.items()
    ]
    with open(path, "w") as file:
        file.write("<osm version='0.6'>" + "\n".join(nodes + ways) + "</osm>")


def north_of(point):
    return SOUTH + point[1] * METRE


def east_of(point):
    return WEST + point[0] * METRE / math.cos(math.radians(SOUTH))


class Traces(CommandTest):
    def match(self, roads, profile, points, seconds, accuracy, *options):
        source, binary, traces = (os.path.join(self.folder, it) for it in ("m.osm", "m.mcd", "t.csv"))
        write_map(source, roads)
        run("import", source, "--profile", profile, "-o", binary)
        with open(traces, "w") as file:
            file.write("time,lon,lat,accuracy\n")
            for i, point in enumerate(points):
                time = i * seconds if seconds else ""
                file.write(f"{time},{east_of(point):.7f},{north_of(point):.7f},{accuracy}\n")
        return json.loads(run("match", binary, "--traces", traces, "--format", "json", *options)[0])

    def test_ways_are_as_long_as_they_were(self):
        for name, (roads, profile, points, seconds, accuracy, length, left_out) in CASES.items():
            with self.subTest(name):
                answer = self.match(roads, profile, points, seconds, accuracy)
                self.assertEqual(len(answer["matchings"]), 1)
                self.assertAlmostEqual(answer["matchings"][0]["distance_m"], length, delta=0.02 * length)
                statuses = [point["status"] for point in answer["points"]]
                self.assertEqual(len(statuses) - statuses.count("ok"), left_out)

    def test_a_point_is_where_its_share_of_the_arc_ends(self):
        """Also one that goes back a little, and so counts as standing."""
        points = self.match(STREET, "car", JITTER, 0, 8)["points"]
        self.assertEqual({(point["status"], point["name"]) for point in points}, {("ok", "B")})
        easts = [(point["lon"] - WEST) * math.cos(math.radians(SOUTH)) / METRE for point in points]
        self.assertNotEqual(easts, sorted(easts))
        for point, east in zip(points, easts):
            self.assertAlmostEqual(1000 * point["along"], east, delta=0.1)

    def test_factors_change_no_lengths(self):
        for metric in "duration", "distance":
            with self.subTest(metric):
                factor = "--metric", metric, "--factor", "tertiary=0.3"
                answer = self.match(STREET, "foot", OUT_AND_BACK, 20, 5, *factor)["matchings"]
                self.assertAlmostEqual(answer[0]["distance_m"], 600, delta=12)
