#!/usr/bin/env python3
"""Compares car routes with those of OSRM and Valhalla on one map, and says where they differ and by which
tags.

    compare.py MACADAM MAP.osm.pbf FOLDER [--pairs 1000] [--seed 1] [-o FINDINGS.md]

FOLDER holds what the two peers prepared (README.md beside this file). The pairs are random nodes of roads,
each moved by up to 30 m. A finding names the pair, the place where our route departs, and the tags of the way
there. """

import argparse
import csv
import io
import json
import math
import os
import random
import statistics
import subprocess
import tempfile

import osmium
import osrm
import valhalla

DRIVABLE = (
    """motorway trunk primary secondary tertiary unclassified residential living_street service motorway_link
trunk_link primary_link secondary_link tertiary_link""".split()
)
RADIUS_M = 1000  # how far we look for a road; the peers look farther
LONGER = 1.15
EXAMPLES = 30


def metres(a, b):
    x = (a[0] - b[0]) * math.cos(math.radians((a[1] + b[1]) / 2))
    return math.hypot(x, a[1] - b[1]) * 111_195


class RawMap:
    """The tags as they stand in the file: of ways by their pairs of nodes, of nodes, and restrictions by
    member."""

    def __init__(self, path):
        self.location, self.node_tags, self.way_of, self.way_tags, self.restriction_of = {}, {}, {}, {}, {}
        road_nodes = set()
        for item in osmium.FileProcessor(path).with_locations():
            tags = {tag.k: tag.v for tag in item.tags}
            if item.is_node() and tags:
                self.node_tags[item.id] = tags
            elif item.is_way() and ("highway" in tags or "route" in tags):
                self.way_tags[item.id] = tags
                nodes = [node.ref for node in item.nodes if node.location.valid()]
                self.location.update(
                    (node.ref, (node.lon, node.lat)) for node in item.nodes if node.location.valid()
                )
                for pair in zip(nodes, nodes[1:]):
                    self.way_of[pair] = self.way_of[pair[::-1]] = item.id
                if tags.get("highway") in DRIVABLE:
                    road_nodes.update(nodes)
            elif item.is_relation() and any(key.startswith("restriction") for key in tags):
                for member in item.members:
                    self.restriction_of.setdefault((member.type, member.ref), []).append((item.id, tags))
        self.road_nodes = sorted(road_nodes)

    def random_point(self, rng):
        lon, lat = self.location[rng.choice(self.road_nodes)]
        north, east = rng.uniform(-30, 30), rng.uniform(-30, 30)
        return lon + east / 111_195 / math.cos(math.radians(lat)), lat + north / 111_195

    def nearest(self, point):
        """The road with the nearest node, and its tags."""
        best, found = 1e9, None
        for pair, way in self.way_of.items():
            if self.way_tags[way].get("highway") in DRIVABLE:
                for node in pair:
                    here = abs(self.location[node][0] - point[0]) * 0.7 + abs(
                        self.location[node][1] - point[1]
                    )
                    if here < best:
                        best, found = here, way
        return f"way {found} {short(self.way_tags[found])}"

    def describe(self, nodes):
        """The ways and tagged nodes along a path of node ids."""
        words, seen = [], set()
        for pair in zip(nodes, nodes[1:]):
            way = self.way_of.get(pair)
            if way and way not in seen:
                seen.add(way)
                words.append(f"way {way} {short(self.way_tags[way])}")
        for node in nodes:
            if short(self.node_tags.get(node, {})) != "{}":
                words.append(f"node {node} {short(self.node_tags[node])}")
            for relation, tags in self.restriction_of.get(("n", node), []):
                words.append(f"relation {relation} {short(tags)} at node {node}")
        return "; ".join(words)[:700] or f"nodes {nodes[:3]}"


def short(tags):
    """The tags that may decide a route."""
    dull = (
        "name",
        "ref",
        "source",
        "wiki",
        "note",
        "int_",
        "old_",
        "alt_",
        "created",
        "tiger",
        "lit",
        "crossing",
        "is_in",
        "description",
        "operator",
        "website",
        "destination",
        "sidewalk",
        "parking",
        "image",
        "survey",
        "loc_",
    )
    kept = {key: value for key, value in tags.items() if not key.startswith(dull) and key != "type"}
    return "{" + ", ".join(f"{key}={value}" for key, value in sorted(kept.items())) + "}"


class Macadam:
    def __init__(self, command, raw_path, folder):
        self.command, self.file, self.folder = command, f"{folder}/macadam.mcd", folder
        self.run("import", raw_path, "-o", self.file, "--quiet")
        self.nodes = None

    def run(self, *arguments, ok=(0,)):
        done = subprocess.run([self.command, *arguments], capture_output=True, text=True)
        if done.returncode not in ok:
            raise RuntimeError(f"{arguments}: {done.stderr}")
        return done.stdout

    def routes(self, pairs):
        """(seconds, metres) or None of each pair; a pair holds two places or two node ids."""
        by_id = bool(pairs) and isinstance(pairs[0][0], int)
        header = "source,target" if by_id else "source_lon,source_lat,target_lon,target_lat"
        line = "%d,%d" if by_id else "%.7f,%.7f,%.7f,%.7f"
        with tempfile.NamedTemporaryFile("w", suffix=".csv", dir=self.folder) as file:
            print(
                header,
                *(line % (pair if by_id else (*pair[0], *pair[1])) for pair in pairs),
                sep="\n",
                file=file,
                flush=True,
            )
            text = self.run(
                "routes", self.file, "--pairs", file.name, "--quantities", "duration,distance", "--quiet"
            )
        rows = list(csv.DictReader(io.StringIO(text)))
        return [
            (int(row["duration"]) / 1000, int(row["distance"]) / 100) if row["duration"] else None
            for row in rows
        ]

    def tree(self, place, reverse):
        """Seconds of every node of the map, None where unreached."""
        text = self.run("tree", self.file, "--from", "%.7f,%.7f" % place, *["--reverse"] * reverse)
        rows = csv.reader(io.StringIO(text))
        next(rows)
        return {int(row[0]): int(row[1]) / 1000 if row[1] else None for row in rows}


class Osrm:
    name = "OSRM"

    def __init__(self, folder):
        self.engine = osrm.OSRM(
            storage_config=f"{folder}/osrm/map.osrm", algorithm="MLD", use_shared_memory=False
        )

    def route(self, source, target):
        try:
            answer = self.engine.Route(
                osrm.RouteParameters(coordinates=[source, target], annotations=["nodes"], overview="false")
            )
        except RuntimeError:
            return None
        route = answer["routes"][0]
        ends = [tuple(place["location"]) for place in answer["waypoints"]]
        nodes = [int(node) for leg in route["legs"] for node in leg["annotation"]["nodes"]]
        return route["duration"], route["distance"], ends, nodes


class Valhalla:
    name = "Valhalla"

    def __init__(self, folder):
        self.engine = valhalla.Actor(f"{folder}/valhalla/config.json")

    def route(self, source, target):
        places = [{"lon": place[0], "lat": place[1]} for place in (source, target)]
        request = json.dumps({"locations": places, "costing": "auto", "directions_type": "none"})
        try:
            trip = json.loads(self.engine.route(request))["trip"]
        except RuntimeError:
            return None
        shape = decode(trip["legs"][0]["shape"])
        return trip["summary"]["time"], trip["summary"]["length"] * 1000, [shape[0], shape[-1]], shape


def decode(text):
    """Valhalla's polylines: six digits."""
    values, value, shift = [], 0, 0
    for letter in text:
        bits = ord(letter) - 63
        value, shift = value | (bits & 31) << shift, shift + 5
        if bits < 32:
            values.append(~(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    points, lat, lon = [], 0, 0
    for north, east in zip(values[::2], values[1::2]):
        lat, lon = lat + north, lon + east
        points.append((lon / 1e6, lat / 1e6))
    return points


class Explainer:
    """Lays a peer's path on our map and finds where ours cannot follow."""

    def __init__(self, raw, ours):
        self.raw, self.ours = raw, ours
        self.at = {(round(lon, 5), round(lat, 5)): node for node, (lon, lat) in raw.location.items()}
        self.known = set(ours.tree(raw.location[raw.road_nodes[0]], False))

    def path(self, nodes):
        """Node ids of a peer's path; Valhalla gives places, which are matched by their coordinates."""
        if nodes and isinstance(nodes[0], tuple):
            nodes = [self.at.get((round(lon, 5), round(lat, 5))) for lon, lat in nodes]
        return [node for node in nodes if node]

    def unrouted(self, source, target, nodes):
        """Which end is cut off, the road nearest to it, and where the peer's path leaves what we reach."""
        nodes = self.path(nodes)
        ahead, behind = self.ours.tree(source, False), self.ours.tree(target, True)
        for end, costs, point in (("start", ahead, source), ("end", behind, target)):
            count = sum(cost is not None for cost in costs.values())
            if count < len(costs) / 10:
                near = f"the {end} joins {count} nodes only, near {self.raw.nearest(point)}; "
                break
        else:
            near = ""
        on_map = [at for at, node in enumerate(nodes) if node in self.known]
        reached = [at for at in on_map if ahead[nodes[at]] is not None]
        reaching = [at for at in on_map if behind[nodes[at]] is not None]
        if not reached:
            return f"{near}nothing of the path is reached: {self.raw.describe(nodes[:3])}"
        if not reaching:
            return f"{near}nothing of the path leads to the end: {self.raw.describe(nodes[-3:])}"
        last = reached[-1] if reached[-1] < reaching[0] else reaching[0] - 1
        stop = next((at for at in on_map if at > last), len(nodes) - 1)
        return f"{near}stops after node {nodes[last]}: " + self.raw.describe(nodes[last : stop + 1])

    def longer(self, nodes):
        """The stretches of the peer's path, or the turns between them, which cost us a detour."""
        nodes = self.path(nodes)
        on_map = [at for at, node in enumerate(nodes) if node in self.known]
        stretches = [(a, b) for step in (1, 2) for a, b in zip(on_map, on_map[step:])]
        costs = self.ours.routes([(nodes[a], nodes[b]) for a, b in stretches])
        found = []
        for (a, b), cost in zip(stretches, costs):
            length = sum(
                metres(self.raw.location[x], self.raw.location[y])
                for x, y in zip(nodes[a:b], nodes[a + 1 : b + 1])
                if x in self.raw.location and y in self.raw.location
            )
            if cost is None or cost[0] > 20 + length / 2:  # slower than 2 m/s and a wait: a detour
                inside = any(a <= c and d <= b for c, d, _ in found)
                if not inside:
                    found.append(
                        (
                            a,
                            b,
                            f"{length:.0f} m {f'take us {cost[0]:.0f} s' if cost else 'are closed to us'}: "
                            + self.raw.describe(nodes[a : b + 1]),
                        )
                    )
        return [text for _, _, text in found[:3]] or ["other speeds or turn costs"]


def compare(ours, peer, raw, explainer, pairs, routed, out):
    """The findings about one peer; returns which pairs it routes from and to places within our radius."""
    theirs = [peer.route(*pair) for pair in pairs]
    near = [
        answer is not None and all(metres(a, b) < RADIUS_M for a, b in zip(pair, answer[2]))
        for pair, answer in zip(pairs, theirs)
    ]
    lost = [i for i in range(len(pairs)) if near[i] and not routed[i]]
    gained = sum(1 for mine, other in zip(routed, theirs) if mine and not other)
    far = sum(1 for answer, close in zip(theirs, near) if answer and not close)
    print(
        f"\n## {peer.name}\n\n{len(lost)} pairs are routed by {peer.name} and not by us, {gained} the other way round; "
        f"{far} more are routed by {peer.name} from or to places that are over {RADIUS_M} m away.",
        file=out,
    )
    reasons = {}
    for i in lost:
        reasons.setdefault(explainer.unrouted(*pairs[i], theirs[i][3]), []).append(i)
    for reason, group in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"- {len(group)} such as {place(pairs[group[0]])}: {reason}", file=out)
    compare_costs(ours, peer, explainer, pairs, theirs, out)
    return near


def compare_costs(ours, peer, explainer, pairs, theirs, out):
    """Routes between the places that the peer found, so that both begin and end at the same points."""
    both = [i for i in range(len(pairs)) if theirs[i] and theirs[i][0] > 5]
    found = dict(zip(both, ours.routes([theirs[i][2] for i in both])))
    both = [i for i in both if found[i] and found[i][0] > 5]
    time_ratio = {i: found[i][0] / theirs[i][0] for i in both}
    length_ratio = {i: found[i][1] / max(theirs[i][1], 1) for i in both}
    usual = statistics.median(time_ratio.values())
    print(
        f"\nDurations, ours to theirs: median {usual:.3f} ({len(both)} pairs); by {peer.name}'s length:",
        file=out,
    )
    for low, high in ((0, 1000), (1000, 3000), (3000, 10000), (10000, 30000), (30000, 1e9)):
        part = [time_ratio[i] for i in both if low <= theirs[i][1] < high]
        if len(part) > 4:
            quartiles = statistics.quantiles(part)
            print(
                f"- from {low / 1000:.0f} km: {quartiles[1]:.3f} (quartiles {quartiles[0]:.3f}, {quartiles[2]:.3f}; "
                f"{len(part)} pairs)",
                file=out,
            )
    print(f"\nLengths: median {statistics.median(length_ratio.values()):.3f}.", file=out)
    for title, ratio, limit in (("slower", time_ratio, usual * LONGER), ("longer", length_ratio, LONGER)):
        chosen = sorted((i for i in both if ratio[i] > limit), key=lambda i: -ratio[i])
        print(
            f"\n{len(chosen)} ({100 * len(chosen) / len(both):.1f} %) are more than 15 % {title}, such as",
            file=out,
        )
        for i in chosen[:EXAMPLES]:
            print(
                f"- {place(theirs[i][2])}: {found[i][0]:.0f} s for {theirs[i][0]:.0f} s, {found[i][1]:.0f} m for "
                f"{theirs[i][1]:.0f} m",
                file=out,
            )
            for reason in explainer.longer(theirs[i][3]):
                print(f"  - {reason}", file=out)


def place(pair):
    return " -> ".join("%.6f,%.6f" % point for point in pair)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("macadam")
    parser.add_argument("map")
    parser.add_argument("folder")
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", dest="out", default="/dev/stdout")
    options = parser.parse_args()
    raw = RawMap(options.map)
    ours = Macadam(options.macadam, options.map, options.folder)
    rng = random.Random(options.seed)
    pairs = [(raw.random_point(rng), raw.random_point(rng)) for _ in range(options.pairs)]
    routed = ours.routes(pairs)
    explainer = Explainer(raw, ours)
    with open(options.out, "w") as out:
        print(
            f"# {os.path.basename(options.map)}: {len(pairs)} pairs, seed {options.seed}; we route "
            f"{sum(answer is not None for answer in routed)}",
            file=out,
        )
        theirs = [
            compare(ours, peer(options.folder), raw, explainer, pairs, routed, out)
            for peer in (Osrm, Valhalla)
        ]
        all_lost = [i for i in range(len(pairs)) if not routed[i] and all(near[i] for near in theirs)]
        print(f"\n## Both\n\nRouted by both and not by us: {len(all_lost)}", file=out)
        for i in all_lost:
            print(f"- {place(pairs[i])}", file=out)


if __name__ == "__main__":
    main()
