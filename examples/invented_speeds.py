#!/usr/bin/env python3
"""Invents plausible speeds over the week for a map, for demonstrations and tests. They are not measured.

    invented_speeds.py MAP.mcd SPEEDS.csv [--seed N] [--centre LON,LAT] [--command PATH]

Roads are slower in the rush hours of working days: large roads more than small ones, roads near the centre more than
those far away, into town above all in the morning, out of town above all in the evening. Saturdays are busy near the centre.
Nights are faster than the map says. Equal seeds give equal files. The centre is the median of the junctions unless it is
given. The map comes from OpenStreetMap: speeds are named by way and direction (1: as the way is drawn, -1: against it)."""

import argparse
import csv
import math
import random
import statistics
import subprocess
import sys

# How much of the speed the worst rush hour takes from each class next to the centre. Other classes keep their speed.
LOST = {
    "motorway": 0.55, "motorway_link": 0.5, "trunk": 0.55, "trunk_link": 0.5, "primary": 0.55, "primary_link": 0.5,
    "secondary": 0.5, "secondary_link": 0.45, "tertiary": 0.4, "tertiary_link": 0.35, "unclassified": 0.25, "residential": 0.15,
}  # fmt: skip
# Days, from, to; how bad it is for a road across the line to the centre; how much worse into town (less than 0: out of town).
BUSY = (
    ("Mo-Fr", "06:30", "07:00", 0.35, 0.15),
    ("Mo-Fr", "07:00", "09:30", 0.65, 0.35),
    ("Mo-Fr", "09:30", "10:00", 0.4, 0.15),
    ("Mo-Fr", "10:00", "16:00", 0.25, 0.0),
    ("Mo-Fr", "16:00", "16:30", 0.4, -0.15),
    ("Mo-Fr", "16:30", "19:00", 0.65, -0.35),
    ("Mo-Fr", "19:00", "20:00", 0.3, -0.1),
    ("Sa", "10:00", "18:00", 0.35, 0.0),
)
NIGHT = (("Mo-Su", "00:00", "05:30"), ("Mo-Su", "22:30", "24:00"))
NIGHT_GAIN = 1.08
UNLIKE = (0.7, 0.85, 1.0, 1.15, 1.3)  # roads differ by chance: this multiplies what a road loses
FLOOR = 0.2  # of the usual speed: no road is slower


def table(command, *arguments, text=None):
    """The rows that a command prints as CSV."""
    done = subprocess.run([command, *arguments], input=text, stdout=subprocess.PIPE, text=True, check=True)
    return csv.DictReader(done.stdout.splitlines())


def read_ways(command, path):
    """By way and direction: the class, the length in m, the time in s, and the arcs as pairs of nodes."""
    ways = {}
    for arc in table(command, "arcs", path):
        if arc["duration"] and arc["way"] != "0" and arc["class"] in LOST and float(arc["length_cm"]) > 0:
            key = int(arc["way"]), 1 if arc["forward"] == "1" else -1
            way = ways.setdefault(key, [arc["class"], 0.0, 0.0, []])
            way[1] += float(arc["length_cm"]) / 100
            way[2] += float(arc["duration"]) / 1000
            way[3].append((arc["tail"], arc["head"]))
    return ways


def read_places(command, path, ways):
    """The longitude and latitude of each node of the ways."""
    nodes = sorted({node for way in ways.values() for arc in way[3] for node in arc}, key=int)
    found = table(command, "snap", path, "--places", "-", text="".join(f"node:{node}\n" for node in nodes))
    return {node: (float(row["lon"]), float(row["lat"])) for node, row in zip(nodes, found)}


def lie_of(arcs, place, centre, unit):
    """How far a road is from the centre, as a multiple of the unit, and how much it leads there: 1 = straight, -1 = straight away."""
    ends = [(place[tail], place[head]) for tail, head in arcs]
    east = math.cos(math.radians(centre[1]))
    to_centre = [sum(centre[i] - (a[i] + b[i]) / 2 for a, b in ends) / len(ends) * (1, east)[i == 0] for i in (0, 1)]
    along = [sum(b[i] - a[i] for a, b in ends) * (1, east)[i == 0] for i in (0, 1)]
    distance, length = math.hypot(*to_centre), math.hypot(*along)
    inward = (along[0] * to_centre[0] + along[1] * to_centre[1]) / (distance * length) if distance and length else 0.0
    return distance / unit, inward


def speeds_of(usual_kmh, worst, inward):
    """Days, from, to and speed of a road of which the worst rush hour would take this part of the speed."""
    for days, first, end, share, more_inward in BUSY:
        yield days, first, end, usual_kmh * max(FLOOR, 1 - worst * (share + more_inward * inward))
    for days, first, end in NIGHT:
        yield days, first, end, usual_kmh * NIGHT_GAIN


def invent(command, path, seed, centre):
    """The rows of the file."""
    ways = read_ways(command, path)
    if not ways:
        sys.exit(f"{path}: no road of these classes has an OSM way: {', '.join(LOST)}")
    place = read_places(command, path, ways)
    centre = centre or tuple(statistics.median(it[i] for it in place.values()) for i in (0, 1))
    east = math.cos(math.radians(centre[1]))
    unit = statistics.median(math.hypot((lon - centre[0]) * east, lat - centre[1]) for lon, lat in place.values()) or 1.0
    for (way, direction), (road_class, metres, seconds, arcs) in sorted(ways.items()):
        distance, inward = lie_of(arcs, place, centre, unit)
        chance = random.Random(f"{seed} {way} {direction}").choice(UNLIKE)
        # in steps, so that roads share patterns
        worst = round(20 * LOST[road_class] * chance / (1 + distance * distance / 4)) / 20
        inward = round(2 * inward) / 2
        for days, first, end, kmh in speeds_of(3.6 * metres / max(seconds, 0.001), worst, inward):
            yield way, direction, f"{days} {first}", end, f"{kmh:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("map")
    parser.add_argument("speeds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--centre", type=lambda text: tuple(map(float, text.split(","))), metavar="LON,LAT")
    parser.add_argument("--command", default="macadam")
    given = parser.parse_args()
    rows = list(invent(given.command, given.map, given.seed, given.centre))
    with open(given.speeds, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(("way", "direction", "from", "to", "km/h"))
        out.writerows(rows)
    print(f"{given.speeds}: {len(rows)} rows of invented speeds, not measured ones", file=sys.stderr)


if __name__ == "__main__":
    main()
