#!/usr/bin/env python3
"""Compares what Macadam, OSRM and Valhalla say on equal paths, as rows of a table of Markdown, with examples.

    guidance.py MACADAM MAP.osm.pbf FOLDER [--count 200] [--seed 1] [--examples FILE]

FOLDER holds what the two peers prepared (README.md beside this file). All engines route each random pair; the
longest part that their routes share is routed again, from the middle of its first piece to the middle of its
last. Paths that are then equal, node by node, are compared. Instructions are those between departure and
arrival. Two are the same if they are within 40 m along the path; each has one partner at most. """

import collections
import difflib
import random
import re

from engines import Along, Points, arguments, heading, length, line_of, regions, row

NAMES = ("Macadam", "OSRM", "Valhalla")
NEAR_M = 40
SHORTEST_M = 400
COLUMNS = """paths, instructions, lacks what both others have, only it says, straight but a turn,
other side than both, lanes differ from OSRM's, exits differ from OSRM's, nameless where OSRM has a name,
another name than OSRM's"""
COLUMNS = re.split(r",\s", COLUMNS)
(PATHS, SAID, LACKS, ONLY, STRAIGHT, SIDE, LANES, EXITS, NAMELESS, NAME) = COLUMNS


class Said:
    """One instruction: where along the path, and the step."""

    def __init__(self, position, step):
        self.position, self.step = position, step
        self.kind, self.modifier = step["maneuver"]["type"], step["maneuver"].get("modifier", "")
        self.exit, self.round = step["maneuver"].get("exit"), "round" in self.kind or "rotary" in self.kind
        self.name = " / ".join(filter(None, (step.get("name"), step.get("ref"))))
        self.names = set(self.name.replace(" / ", ";").split(";"))

    def __str__(self):
        exit = f"exit {self.exit:.0f}" if self.exit else ""
        parts = [self.kind, self.modifier, exit, f"[{self.name}]", lane_text(lanes(self))]
        return f"{self.position:.0f} m " + " ".join(filter(None, parts))


class Guided:
    """An engine's steps along a path of `total` metres."""

    def __init__(self, route, total):
        steps = [step for leg in route["legs"] for step in leg["steps"]]
        scale, position, self.all = total / max(1, sum(step["distance"] for step in steps)), 0, []
        for step in steps:
            self.all.append(Said(position * scale, step))
            position += step["distance"]
        self.said, self.total = self.all[1:-1], total
        self.crossings = {}
        for step in steps:
            for crossing in step["intersections"]:
                if "lanes" in crossing:
                    self.crossings[tuple(round(it, 5) for it in crossing["location"])] = crossing["lanes"]

    def around(self, position):
        return "; ".join(str(it) for it in self.said if abs(it.position - position) < 150) or "nothing"

    def told_before(self, said):
        """Whether an instruction to go on repeats the name of the step that began up to 100 m before."""
        steps = [it for it in self.all if 0 < said.position - it.position < 100]
        on = said.modifier == "straight" or said.kind == "new name"
        return on and bool(steps) and bool(said.name) and bool(steps[-1].names & said.names)

    def named(self):
        ends = [it.position for it in self.all[1:]]
        return [(it.position, end, it) for it, end in zip(self.all, ends) if end > it.position]


def lanes(said):
    return said.step["intersections"][0].get("lanes")


def lane_text(found):
    words = ("/".join(it["indications"]) for it in found or [])
    return "|".join(("*" if it["valid"] else "") + text for it, text in zip(found or [], words))


def partners(a, b):
    """Which of `a` pairs with which of `b`: the nearest first."""
    near = sorted(
        (abs(x.position - y.position), i, j)
        for i, x in enumerate(a) for j, y in enumerate(b) if abs(x.position - y.position) <= NEAR_M
    )  # fmt: skip
    ours, theirs = {}, {}
    for _, i, j in near:
        if i not in ours and j not in theirs:
            ours[i], theirs[j] = j, i
    return ours


def side(said):
    return next((word for word in ("left", "right") if word in said.modifier), "")


class Comparison:
    def __init__(self):
        self.count, self.examples = [collections.Counter() for _ in NAMES], []

    def note(self, engine, column, path, position, about=""):
        self.count[engine][column] += 1
        self.examples.append((NAMES[engine], column, path, position, about))

    def add(self, path):
        for i in range(3):
            self.count[i][PATHS] += 1
            self.count[i][SAID] += len(path.guided[i].said)
            self.alone(i, path)
            self.straight(i, path)
            if i != 1:
                self.beside_osrm(i, path)
        self.names_of(path)

    def alone(self, i, path):
        mine = path.guided[i].said
        j, k = (it for it in range(3) if it != i)
        first, second = path.guided[j].said, path.guided[k].said
        by_first, by_second, others = partners(mine, first), partners(mine, second), partners(first, second)
        for at, said in enumerate(mine):
            if at not in by_first and at not in by_second:
                self.note(i, ONLY, path, said.position, str(said))
            elif at in by_first and at in by_second and not said.round:
                sides = {side(first[by_first[at]]), side(second[by_second[at]])}
                if len(sides) == 1 and side(said) and sides.pop() not in ("", side(said)):
                    self.note(i, SIDE, path, said.position, str(said))
        for a, b in others.items():
            told = path.guided[i].told_before(first[a]) or path.guided[i].told_before(second[b])
            if a not in by_first.values() and b not in by_second.values() and not told:
                self.note(i, LACKS, path, first[a].position, str(first[a]))

    def straight(self, i, path):
        """Bends that no other instruction explains."""
        said_at = [it.position for it in path.guided[i].said]
        for said in path.guided[i].said:
            alone = sum(abs(said.position - it) < 30 for it in said_at) == 1
            if said.modifier == "straight" and alone and not said.round:
                at, before = said.position, path.along.bearing(said.position - 30, said.position - 5)
                bends = [
                    abs((path.along.bearing(at + start, at + end) - before + 180) % 360 - 180)
                    for start, end in ((5, 30), (30, 60))
                ]
                if min(bends) > 45 and at + 30 < path.along.at[-1]:
                    self.note(i, STRAIGHT, path, at, f"{said}: bends by {bends[0]:.0f} degrees")

    def beside_osrm(self, i, path):
        mine, theirs = path.guided[i], path.guided[1]
        for a, b in partners(mine.said, theirs.said).items():
            said, other = mine.said[a], theirs.said[b]
            if said.exit and other.exit and not said.kind.startswith("exit"):
                self.count[i]["exits"] += 1
                if said.exit != other.exit:
                    text = f"{said.exit:.0f} for {other.exit:.0f}"
                    self.note(i, EXITS, path, said.position, text)
        for place, found in mine.crossings.items():
            other = theirs.crossings.get(place)
            if other and len(other) == len(found):
                self.count[i]["lanes"] += 1
                if [it["valid"] for it in found] != [it["valid"] for it in other]:
                    text = f"{lane_text(found)} for {lane_text(other)}"
                    self.note(i, LANES, path, place, text)

    def names_of(self, path):
        """Stretches that have the same step in both, by their names."""
        for i, other in ((0, 1), (1, 0), (2, 1)):
            for start, end, said in path.guided[i].named():
                self.count[i]["metres"] += end - start
                for from_m, to_m, theirs in path.guided[other].named():
                    shared = min(end, to_m) - max(start, from_m)
                    if shared > 0 and theirs.name and not said.names & theirs.names:
                        column = NAME if said.name else NAMELESS
                        self.count[i][column] += shared
                        if shared > NEAR_M:
                            text = f"[{said.name}] for [{theirs.name}], {shared:.0f} m"
                            self.examples.append((NAMES[i], column, path, max(start, from_m), text))

    def row(self, i):
        count = self.count[i]
        cells = [count[it] for it in COLUMNS[:6]]
        for column, whole in ((LANES, "lanes"), (EXITS, "exits")):
            cells.append("" if i == 1 else f"{count[column]} of {count[whole]}")
        for column in COLUMNS[8:]:
            cells.append(f"{count[column]:.0f} ({100 * count[column] / max(1, count['metres']):.1f} %)")
        return cells


class Path:
    def __init__(self, ends, routes, line):
        self.ends, self.along = ends, Along(line)
        self.guided = [Guided(route, self.along.at[-1]) for route in routes]


def tried(engine, places):
    try:
        return engine.route(places)["routes"][0]
    except (RuntimeError, KeyError):
        return None


def lines_of(all_engines, points, places):
    routes = [tried(engine, places) for engine in all_engines]
    if None in routes:
        return None
    return routes, [points.keys(line_of(route)) for route in routes]


def common_part(keys):
    """The longest run that three paths share."""
    shared = keys[0]
    for other in keys[1:]:
        found = difflib.SequenceMatcher(None, shared, other, autojunk=False).find_longest_match()
        shared = shared[found.a : found.a + found.size]
    return [(x / 1e6, y / 1e6) for x, y in shared]


def middle(a, b):
    return round((a[0] + b[0]) / 2, 6), round((a[1] + b[1]) / 2, 6)


def equal_path(all_engines, points, pair):
    """The path that all three take between the ends of what their routes of `pair` share, or None."""
    first = lines_of(all_engines, points, pair)
    part = common_part(first[1]) if first else []
    if len(part) < 4 or length(part) < SHORTEST_M:
        return None
    ends = [middle(*part[:2]), middle(*part[-2:])]
    again = lines_of(all_engines, points, ends)
    if not again or any(keys[1:-1] != again[1][0][1:-1] for keys in again[1]):
        return None
    return Path(ends, again[0], line_of(again[0][0]))


def show(comparison, region, out):
    """Each place once, with the number of paths that meet it: ours first, in the order of the columns."""
    groups = {}
    print(f"# {region}", file=out)
    for name, column, path, position, about in comparison.examples:
        at = path.along.nearest(position) if isinstance(position, tuple) else position
        place = path.along.place(at)
        key = name, column, *(round(it, 4) for it in place)
        groups.setdefault(key, []).append((path, at, place, about))
    order = lambda it: (NAMES.index(it[0][0]), COLUMNS.index(it[0][1]), -len(it[1]))
    for (name, column, *_), group in sorted(groups.items(), key=order):
        path, at, place, about = group[0]
        ends = ";".join("%.6f,%.6f" % end for end in path.ends)
        print(f"{name}: {column}: {place[0]:.6f},{place[1]:.6f} x{len(group)} {about}", file=out)
        print(f"    path {ends}", file=out)
        for engine, guided in zip(NAMES, path.guided):
            print(f"    {engine}: {guided.around(at)}", file=out)


def compare_region(raw, all_engines, options):
    rng, points, comparison = random.Random(options.seed), Points(), Comparison()
    for _ in range(20 * options.count):
        path = equal_path(all_engines, points, [raw.random_point(rng), raw.random_point(rng)])
        if path:
            comparison.add(path)
        if comparison.count[0][PATHS] == options.count:
            break
    return comparison


def main():
    options, total = arguments(__doc__, 200), Comparison()
    heading("region", "engine", *COLUMNS)
    with open(options.examples, "w") as out:
        for region, raw, all_engines in regions(options):
            comparison = compare_region(raw, all_engines, options)
            show(comparison, region, out)
            for i, name in enumerate(NAMES):
                row(region, name, *comparison.row(i))
                total.count[i].update(comparison.count[i])
    for i, name in enumerate(NAMES):
        row("all", name, *total.row(i))


if __name__ == "__main__":
    main()
