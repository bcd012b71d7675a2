#!/usr/bin/env python3
"""Points without a route, and why: lonely.py MACADAM MAP.osm.pbf [--points 3000] [--profile car] [--seed 1]

Random points within 30 m of a car's road are routed to and from the centre of the map (the median of all points). Of
each point that lacks a route the road where it goes is looked at, with all roads that hang together with it and are
not reached from the centre. The reason is one of these.

    leaves the map         no road that is reached touches them, and one names nodes that the file does not have
    an island              nothing touches them at all
    closed ways            only other ways touch them: their tags are told
    touches reached roads  the rest, with the tags where they touch: one-way streets, gates, or a defect
    no road                within 1000 m
"""

import argparse
import collections
import csv
import io
import random
import statistics
import subprocess
import tempfile

import osmium

ROADS = """motorway trunk primary secondary tertiary unclassified residential living_street service motorway_link
trunk_link primary_link secondary_link tertiary_link""".split()


class RawMap:
    def __init__(self, path):
        self.location, self.ways, self.node_tags = {}, {}, {}
        self.of_node = collections.defaultdict(list)
        for item in osmium.FileProcessor(path):
            tags = {tag.k: tag.v for tag in item.tags}
            if item.is_node():
                self.location[item.id] = (item.location.lon, item.location.lat)
                if tags:
                    self.node_tags[item.id] = tags
            elif item.is_way() and ("highway" in tags or "route" in tags):
                self.ways[item.id] = ([node.ref for node in item.nodes], tags)
        for way, (nodes, _) in self.ways.items():
            for node in nodes:
                self.of_node[node].append(way)


def rows_of(command, *arguments):
    done = subprocess.run([command, *arguments], capture_output=True, text=True, check=True)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def sample(raw, count, rng):
    nodes = sorted({n for nodes, tags in raw.ways.values() if tags.get("highway") in ROADS for n in nodes} & raw.location.keys())
    points = []
    for node in rng.choices(nodes, k=count):
        lon, lat = raw.location[node]
        points.append((lon + rng.uniform(-3e-4, 3e-4), lat + rng.uniform(-2e-4, 2e-4)))
    return points


def part_around(raw, way, reached):
    """The roads that hang together with `way` and are not reached from the centre, and the ways that touch them."""
    part, border, queue = {way}, set(), [way]
    while queue:
        for node in raw.ways[queue.pop()][0]:
            for other in raw.of_node[node]:
                if other in part:
                    continue
                if other not in reached and raw.ways[other][1].get("highway") in ROADS:
                    part.add(other)
                    queue.append(other)
                else:
                    border.add(other)
    return part, border


def short(tags):
    keys = ("highway", "route", "access", "vehicle", "motor_vehicle", "motorcar", "oneway", "barrier", "service", "area")
    return ", ".join(f"{key}={tags[key]}" for key in keys if key in tags)


def reason(raw, way, reached):
    part, border = part_around(raw, way, reached)
    bridges = [one for one in border if one in reached]
    if not bridges and any(node not in raw.location for one in part for node in raw.ways[one][0]):
        return "leaves the map", f"{len(part)} roads"
    if not bridges and not border:
        return "an island", f"{len(part)} roads"
    counted = collections.Counter(short(raw.ways[one][1]) for one in border)
    said = [f"{tags} ({count})" for tags, count in counted.most_common(3)]
    if not bridges:
        return "closed ways", f"{len(part)} roads; " + "; ".join(said)
    gates = {
        short(raw.node_tags[node])
        for one in bridges
        for node in raw.ways[one][0]
        if node in raw.node_tags and any(other in part for other in raw.of_node[node])
    }
    return "touches reached roads", short(raw.ways[way][1]) + "; " + "; ".join(said + sorted(gates)[:3])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("macadam")
    parser.add_argument("map")
    parser.add_argument("--points", type=int, default=3000)
    parser.add_argument("--profile", default="car")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    raw, rng = RawMap(options.map), random.Random(options.seed)
    points = sample(raw, options.points, rng)
    centre = tuple(statistics.median(point[i] for point in points) for i in (0, 1))
    with tempfile.TemporaryDirectory() as folder:
        file, places, pairs = (f"{folder}/{name}" for name in ("map.mcd", "places.csv", "pairs.csv"))
        subprocess.run([options.macadam, "import", options.map, "--profile", options.profile, "-o", file, "--quiet"], check=True)
        with open(places, "w") as out:
            print("lon,lat", *(f"{lon:.7f},{lat:.7f}" for lon, lat in points), sep="\n", file=out)
        with open(f"{folder}/centre.csv", "w") as out:
            print("lon,lat", "%.7f,%.7f" % centre, sep="\n", file=out)
        arguments = ("--quiet", "--statuses")
        there = rows_of(options.macadam, "matrix", file, "--sources", places, "--targets", f"{folder}/centre.csv", *arguments)
        back = rows_of(options.macadam, "matrix", file, "--sources", f"{folder}/centre.csv", "--targets", places, *arguments)
        snaps = rows_of(options.macadam, "snap", file, "--places", places, "--quiet")
        arcs = rows_of(options.macadam, "isochrone", file, "--from", "%.7f,%.7f" % centre, "--limits", "2000000000",
                       "--format", "csv")
    reached = set()
    for arc in arcs:
        reached.update(set(raw.of_node[int(arc["tail"])]) & set(raw.of_node[int(arc["head"])]))
    count, told = collections.Counter(), collections.defaultdict(list)
    for point, to, fro, snap in zip(points, there, back, snaps):
        if to["duration"] and fro["duration"]:
            continue
        if not snap["way"]:
            why, what = "no road", snap["status"]
        else:
            why, what = reason(raw, int(snap["way"]), reached)
        count[why, snap["status"]] += 1
        told[why].append(f"{point[0]:.5f},{point[1]:.5f} way {snap['way']} {what}")
    print(f"{options.map}: {sum(count.values())} of {len(points)} points lack a route")
    for (why, status), number in count.most_common():
        print(f"  {number}: {why} ({status})")
    for why, lines in told.items():
        for line in lines[:8]:
            print(f"    {why}: {line}")


if __name__ == "__main__":
    main()
