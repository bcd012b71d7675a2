#!/usr/bin/env python3
"""Matches traces of known drives with Macadam, OSRM and Valhalla, as rows of a table, with examples.

    matching.py MACADAM MAP.osm.pbf FOLDER [--count 20] [--seed 1] [--kinds NAME,...] [--examples FILE]

FOLDER holds what the two peers prepared (README.md beside this file). OSRM routes one half of the drives and
Valhalla the other, at the speeds of its steps. The driver is faster or slower than these and waits at some
turns. The noise of the receiver is normal and correlated over 20 s; each engine gets its deviation. Mismatch is
the length of the roads that are matched wrongly and of those missed, as a share of the true length (Newson,
Krumm 2009). A point is unconnected if it is on no road, or if a match after the first begins with it; outliers by design are not
counted. """

import collections
import math
import random

from compare import DRIVABLE, decode, metres
from engines import Along, arguments, heading, line_of, regions, row


class Kind:
    def __init__(self, name, interval, noise, times=True, pauses=0, outliers=0, back=False):
        self.name, self.interval, self.noise, self.times = name, interval, noise, times
        self.pauses, self.outliers, self.back = pauses, outliers, back


KINDS = [
    Kind("1 s, 5 m", 1, 5),
    Kind("1 s, 5 m, no times", 1, 5, times=False),
    Kind("5 s, 10 m", 5, 10),
    Kind("15 s, 30 m", 15, 30),
    Kind("30 s, 10 m", 30, 10),
    Kind("60 s, 20 m", 60, 20),
    Kind("pauses: 5 s, 10 m", 5, 10, pauses=3),
    Kind("outliers: 5 s, 5 m", 5, 5, outliers=0.04),
    Kind("out and back: 5 s, 5 m", 5, 5, back=True),
]
PEERS = ("OSRM", "Valhalla")
SHORTEST_M, LONGEST_M = 1000, 8000
ACCESS = {"access", "vehicle", "motor_vehicle", "motorcar"}


class Drive:
    """Where the driver is at any time."""

    def __init__(self, route, kind, rng):
        slower, self.moments, self.along = rng.uniform(0.8, 1.4), [(0, 0)], Along(line_of(route))
        steps = [step for leg in route["legs"] for step in leg["steps"]]
        scale = self.along.at[-1] / sum(step["distance"] for step in steps)
        for step in steps:
            if rng.random() < 0.3:
                self.move(rng.uniform(3, 40), 0)
            before = rng.random()
            for share in (before, 1 - before):
                self.move(step["duration"] * slower * share, step["distance"] * scale * share)
                if rng.random() < kind.pauses / len(steps) / 2:
                    self.move(rng.uniform(60, 300), 0)

    def move(self, seconds, length):
        time, position = self.moments[-1]
        self.moments.append((time + seconds, position + length))

    def position(self, time):
        for (start, from_m), (end, to_m) in zip(self.moments, self.moments[1:]):
            if time <= end:
                return from_m + (to_m - from_m) * (time - start) / (end - start) if end > start else to_m
        return self.moments[-1][1]


def offset(place, east, north):
    east /= math.cos(math.radians(place[1]))
    return round(place[0] + east / 111_195, 6), round(place[1] + north / 111_195, 6)


class Trace:
    def __init__(self, drive, kind, rng):
        self.kind, self.points, self.times, self.outliers = kind, [], [], set()
        keep, east, north = math.exp(-kind.interval / 20), rng.gauss(0, kind.noise), rng.gauss(0, kind.noise)
        fresh = kind.noise * math.sqrt(1 - keep * keep)
        for time in range(0, int(drive.moments[-1][0]) + 1, kind.interval):
            place = drive.along.place(drive.position(time))
            if rng.random() < kind.outliers:
                angle, far = rng.uniform(0, 2 * math.pi), rng.uniform(100, 300)
                self.outliers.add(len(self.points))
                place = offset(place, far * math.cos(angle), far * math.sin(angle))
            self.points.append(offset(place, east, north))
            self.times.append(1_700_000_000 + time)
            east, north = (keep * it + rng.gauss(0, fresh) for it in (east, north))
        self.truth = drive.along.part(drive.position(self.times[-1] - self.times[0]))


class Roads:
    """Which directed piece of a road, between two nodes of the map, a piece of a line runs along."""

    CELL = 40  # metres
    NOT_DRIVEN = ("footway", "path", "steps", "cycleway", "pedestrian", "construction", "proposed")

    def __init__(self, raw):
        self.east = 111_195 * math.cos(math.radians(next(iter(raw.location.values()))[1]))
        self.location, self.raw = raw.location, raw
        self.node_at, self.pieces, self.cells, self.found = {}, {}, collections.defaultdict(set), {}
        for (a, b), way in raw.way_of.items():
            if raw.way_tags[way].get("highway") not in self.NOT_DRIVEN:
                (x, y), (to_x, to_y) = self.plane(raw.location[a]), self.plane(raw.location[b])
                self.node_at[self.micro(raw.location[a])] = a
                self.pieces[a, b] = x, y, to_x - x, to_y - y
                count = 1 + int(math.hypot(to_x - x, to_y - y) / self.CELL)
                for share in (i / count for i in range(count + 1)) if a < b else ():
                    self.cells[self.cell(x + share * (to_x - x), y + share * (to_y - y))].add((a, b))

    def open(self, line):
        """Whether every engine lets cars drive along it: no tag of access may say otherwise."""
        ways = {self.raw.way_of.get(pair) for pair in self.lengths([line])}
        tags = [self.raw.way_tags.get(way, {}) for way in ways]
        return all(it.get("highway") in DRIVABLE and not ACCESS & set(it) for it in tags)

    def plane(self, point):
        return point[0] * self.east, point[1] * 111_195

    def cell(self, x, y):
        return int(x / self.CELL), int(y / self.CELL)

    @staticmethod
    def micro(point):
        return round(point[0] * 1e6), round(point[1] * 1e6)

    def node(self, point):
        x, y = self.micro(point)
        near = ((x + dx, y + dy) for dx in (0, -1, 1) for dy in (0, -1, 1))
        return next((self.node_at[it] for it in near if it in self.node_at), None)

    def piece(self, a, b):
        if (a, b) not in self.found:
            pair = self.node(a), self.node(b)
            self.found[a, b] = pair if pair in self.pieces else self.nearest(self.plane(a), self.plane(b))
        return self.found[a, b]

    def nearest(self, a, b):
        x, y = self.cell((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
        cells = [(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
        near = [pair for cell in cells for pair in self.cells.get(cell, ())]
        best = min(near, key=lambda pair: self.off(pair, a) + self.off(pair, b), default=None)
        if best:
            _, _, dx, dy = self.pieces[best]
            return best if dx * (b[0] - a[0]) + dy * (b[1] - a[1]) > 0 else best[::-1]

    def off(self, pair, point):
        x, y, dx, dy = self.pieces[pair]
        east, north, whole = point[0] - x, point[1] - y, dx * dx + dy * dy
        share = min(max((east * dx + north * dy) / whole, 0), 1) if whole else 0
        return math.hypot(east - share * dx, north - share * dy)

    def lengths(self, lines):
        total = collections.Counter()
        for line in lines:
            for a, b in zip(line, line[1:]):
                if a != b:
                    total[self.piece(a, b)] += metres(a, b)
        return total


def mismatch(roads, truth, lines):
    """Metres that are wrong or missed, the metres of the truth, and the pieces that differ."""
    true, found = roads.lengths([truth]), roads.lengths(lines)
    differ = {it: found[it] - true[it] for it in true | found if abs(found[it] - true[it]) > 1}
    return sum(map(abs, differ.values())), sum(true.values()), differ


def unconnected(answer, trace):
    count, before = 0, None
    for at, point in enumerate(answer.get("tracepoints") or [None] * len(trace.points)):
        if point is None:
            count += at not in trace.outliers
        else:
            count += before not in (None, point["matchings_index"])
            before = point["matchings_index"]
    return count


def matched(engine, trace):
    try:
        times = trace.times if trace.kind.times else None
        answer = engine.match(trace.points, times, trace.kind.noise)
    except RuntimeError:
        answer = {}
    return answer, [decode(it["geometry"]) for it in answer.get("matchings", [])]


def drive_of(engine, raw, roads, kind, rng):
    """A random drive on open roads, routed by `engine`; `back`: out and back the same way."""
    while True:
        places = [raw.random_point(rng), raw.random_point(rng)]
        if kind.back:
            angle, far = rng.uniform(0, 2 * math.pi), rng.uniform(200, 1500)
            places = [places[0], offset(places[0], far * math.cos(angle), far * math.sin(angle)), places[0]]
        try:
            route = engine.route(places)["routes"][0]
        except (RuntimeError, KeyError):
            continue
        least = SHORTEST_M / 2 if kind.back else SHORTEST_M
        if not least < route["distance"] < LONGEST_M or kind.back and not returns(route):
            continue
        if roads.open(line_of(route)):
            return route


def returns(route):
    """Whether the second leg is the first, backwards."""
    lines = ([point for step in leg["steps"] for point in decode(step["geometry"])] for leg in route["legs"])
    out, back = ({(round(x, 5), round(y, 5)) for x, y in line} for line in lines)
    return len(out & back) > 0.9 * len(out | back)


def compare_kind(all_engines, raw, roads, kind, options, out):
    """The sums of each engine; the traces of which ours is worse than the better peer go to `out`."""
    rng, sums = random.Random(f"{options.seed} {kind.name}"), [collections.Counter() for _ in all_engines]
    for i in range(options.count):
        trace = Trace(Drive(drive_of(all_engines[1 + i % 2], raw, roads, kind, rng), kind, rng), kind, rng)
        rows = []
        for engine, total in zip(all_engines, sums):
            answer, lines = matched(engine, trace)
            wrong, whole, differ = mismatch(roads, trace.truth, lines)
            loose = unconnected(answer, trace)
            total.update(wrong=wrong, whole=whole, unconnected=loose, points=len(trace.points))
            text = f"{engine.name} {wrong / whole:.3f}, {loose} unconnected"
            rows.append((wrong / whole, loose, text, differ))
        if rows[0][0] > min(rows[1][0], rows[2][0]) + 0.01 or rows[0][1] > min(rows[1][1], rows[2][1]):
            show(trace, rows, roads, out)
    return sums


def show(trace, rows, roads, out):
    told = "; ".join(text for _, _, text, _ in rows)
    print(f"# {trace.kind.name}: {len(trace.points)} points: {told}", file=out)
    for pair, length in sorted(rows[0][3].items(), key=lambda it: -abs(it[1]))[:6]:
        ends = " to ".join("%.6f,%.6f" % roads.location[node] for node in pair or ())
        print(f"#   {'wrong' if length > 0 else 'missed'} {abs(length):.0f} m: {ends}", file=out)
    print("lon,lat,time", file=out)
    for (lon, lat), time in zip(trace.points, trace.times):
        print(f"{lon:.6f},{lat:.6f},{time}", file=out)


def print_row(region, kind, sums):
    shares = [f"{100 * it['wrong'] / it['whole']:.1f} %" for it in sums]
    row(region, kind.name, sums[0]["points"], *shares, *(it["unconnected"] for it in sums))


def main():
    options = arguments(__doc__, 20)
    kinds = [kind for kind in KINDS if any(map(kind.name.startswith, options.kinds.split(",")))]
    totals = {kind: [collections.Counter() for _ in range(3)] for kind in kinds}
    heading("region", "trace", "points", "mismatch", *PEERS, "unconnected", *PEERS)
    with open(options.examples, "w") as out:
        for region, raw, all_engines in regions(options):
            roads = Roads(raw)
            print(f"# {region}", file=out)
            for kind, total in totals.items():
                sums = compare_kind(all_engines, raw, roads, kind, options, out)
                print_row(region, kind, sums)
                for one, its in zip(total, sums):
                    one.update(its)
    for kind, total in totals.items():
        print_row("all", kind, total)


if __name__ == "__main__":
    main()
