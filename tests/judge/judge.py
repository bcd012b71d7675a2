#!/usr/bin/env python3
"""Judges routes of the command on a map, for every traveller.

    judge.py MACADAM MAP.osm.pbf|.osm|.osm.gz... [--pairs 2000] [--profiles car,bike,foot,truck] [--seed 1]

Of random pairs of junctions: a route that violates a tag under every reading of the wiki is illegal; a pair
without a route that has a way under every reading is lost. Exit status 1 if there is one of either.
"""

import argparse
import os
import random
import sys
import tempfile

from command import MapFile
from law import BIKES, CLOSED, OPEN
from network import Network
from raw_map import read
from trip import Judge, edges_along, short, violation

TARGETS = 50  # pairs that share a source: one search answers them
WALKING_KMH = 8  # a bike is not pushed faster


class Verdicts:
    def __init__(self):
        self.pairs = self.routed = self.sure = 0
        self.illegal, self.lost = {}, {}  # reason -> pairs

    def add(self, kind, reason, pair):
        kind.setdefault(reason, []).append(pair)


def judge_map(map_file, raw, mode, pair_count, rng):
    verdicts = Verdicts()
    nodes = map_file.nodes(next(iter(raw.location.values())))
    stops = set(nodes)
    network = Network(raw.joined_at_meridian(stops), mode, stops)
    strict, lenient = Judge(network, True), Judge(network, False)
    nodes = [
        node for node in nodes if node in network.out and not network.node_level.get(node, OPEN) & CLOSED
    ]
    for first in range(0, pair_count, TARGETS):
        source = rng.choice(nodes)
        pairs = [(source, rng.choice(nodes)) for _ in range(min(TARGETS, pair_count - first))]
        judge_pairs(map_file, network, strict, lenient, stops, pairs, verdicts)
    return verdicts


def judge_pairs(map_file, network, strict, lenient, stops, pairs, verdicts):
    """Pairs with one source."""
    source = pairs[0][0]
    routes, arc = map_file.routes(pairs), map_file.arcs_from(source)
    parent = strict.reach(source)
    arrival = {}
    for state in parent:
        arrival.setdefault(network.head[state[0]], state)
    reached = None
    for pair, route in zip(pairs, routes):
        verdicts.pairs += 1
        verdicts.routed += route is not None
        verdicts.sure += pair[1] in arrival
        if route is None and pair[1] in arrival and pair[1] != source:
            reached = reached or map_file.reached(source)
            verdicts.add(verdicts.lost, blame(network, parent, arrival[pair[1]], reached, stops), pair)
        elif route is not None:
            path = [(*arc[number][:2], None) for number in route]
            why, shortcut = violation(lenient, path, stops)
            why = why or ridden(network, [arc[number] for number in route], stops)
            if why and (shortcut is None or is_reached(strict, pair, shortcut)):
                verdicts.add(verdicts.illegal, why, pair)


def is_reached(strict, pair, shortcut):
    """Whether the pair surely has a way without the shortcut; else it is the only way and no shortcut."""
    return any(strict.network.head[edge] == pair[1] for edge, _, _ in strict.reach(pair[0], (shortcut,)))


def blame(network, parent, state, reached, stops):
    """Where the engine leaves a legal trip: the first edge past the last node that it reaches."""
    edges = []
    while state is not None:
        edges.append(state[0])
        state = parent[state]
    edges.reverse()
    last = max((at for at, edge in enumerate(edges) if network.head[edge] in reached), default=-1)
    words = []
    for edge in edges[max(last, 0) :]:
        way, node = network.way[edge], network.head[edge]
        words.append(f"way {way} {short(network.raw.ways[way][1])}")
        if node in network.node_level:
            words.append(f"node {node} {short(network.raw.node_tags[node])}")
        if edge != edges[max(last, 0)] and node in stops:
            break
    return (
        "stops after "
        + ("the start" if last < 0 else f"node {network.head[edges[last]]}")
        + ": "
        + "; ".join(dict.fromkeys(words))
    )


def ridden(network, arcs, stops):
    """A bike that goes faster than it can be pushed where riding is forbidden."""
    if network.mode not in BIKES:
        return None
    for tail, head, milliseconds in arcs:
        runs = list(edges_along(network, tail, head, None, stops))
        if not runs or any(all(network.riding[edge] != CLOSED for edge in run) for run in runs):
            continue
        if network.areas_of.get(tail, set()) & network.areas_of.get(head, set()) & network.ridden_areas:
            continue  # along the outline of a square
        metres = min(sum(network.length[edge] for edge in run) for run in runs)
        if metres > 30 and metres * 3600 > WALKING_KMH * milliseconds:
            way = network.way[runs[0][0]]
            return f"way {way} is ridden, not walked: {short(network.raw.ways[way][1])}"
    return None


def report(name, mode, verdicts, examples, out=sys.stdout):
    illegal, lost = (sum(map(len, kind.values())) for kind in (verdicts.illegal, verdicts.lost))
    print(
        f"{name} {mode}: {verdicts.pairs} pairs, {verdicts.routed} routed, {verdicts.sure} surely have a way; "
        f"{illegal} illegal, {lost} lost",
        file=out,
        flush=True,
    )
    for title, kind in (("illegal", verdicts.illegal), ("lost", verdicts.lost)):
        for reason, pairs in sorted(kind.items(), key=lambda item: -len(item[1]))[:examples]:
            print(
                f"  {title}: {len(pairs)} such as {pairs[0][0]} -> {pairs[0][1]}: {reason[:700]}",
                file=out,
                flush=True,
            )
    return illegal + lost


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("macadam")
    parser.add_argument("maps", nargs="+")
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--profiles", default="car,bike,foot,truck")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=25)
    options = parser.parse_args()
    wrong = 0
    for path in options.maps:
        raw = read(path)
        for mode in options.profiles.split(","):
            with tempfile.TemporaryDirectory() as folder:
                map_file = MapFile(options.macadam, path, mode, folder)
                verdicts = judge_map(map_file, raw, mode, options.pairs, random.Random(options.seed))
            wrong += report(os.path.basename(path), mode, verdicts, options.examples)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
