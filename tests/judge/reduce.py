"""Makes a drawn map as small as its verdict allows: what can be left out one by one, while the same pair is
judged the same."""

import copy

from command import MapFile
from judge import Verdicts, judge_pairs
from network import Network
from raw_map import read
from trip import Judge


def verdict(command, drawing, profile, pair, folder):
    """ "illegal", "lost" or None for one pair."""
    path = f"{folder}/reduced.osm"
    drawing.write(path)
    raw = read(path)
    try:
        map_file = MapFile(command, path, profile, folder)
        stops = set(map_file.nodes(raw.location[pair[0]]))
        if not stops.issuperset(pair):
            return None
        network = Network(raw.joined_at_meridian(stops), profile, stops)
        found = Verdicts()
        judge_pairs(map_file, network, Judge(network, True), Judge(network, False), stops, [pair], found)
    except (RuntimeError, KeyError):
        return None
    return "illegal" if found.illegal else "lost" if found.lost else None


def steps(drawing):
    """Ways to leave one thing out: each is a function that changes a drawing, or says that the thing is
    gone."""

    def without(collection, key):
        def act(less):
            del collection(less)[key]

        return act

    for relation in drawing.relations:
        yield lambda less, relation=relation: less.relations.remove(relation)
    for way in drawing.ways:
        yield without(lambda less: less.ways, way)
    for way, (_, tags) in drawing.ways.items():
        for key in tags:
            if key == "highway":
                yield lambda less, way=way: less.ways[way][1].update(highway="residential")
            else:
                yield without(lambda less, way=way: less.ways[way][1], key)
    for node, (_, _, tags) in drawing.nodes.items():
        for key in tags:
            yield without(lambda less, node=node: less.nodes[node][2], key)


def reduced(command, drawing, profile, pair, folder):
    wanted = verdict(command, drawing, profile, pair, folder)
    if wanted is None:
        return drawing
    for act in list(steps(drawing)):
        less = copy.deepcopy(drawing)
        try:
            act(less)
        except (KeyError, ValueError):
            continue  # left out with something else
        if verdict(command, less, profile, pair, folder) == wanted:
            drawing = less
    used = {node for nodes, _ in drawing.ways.values() for node in nodes}
    drawing.nodes = {node: item for node, item in drawing.nodes.items() if node in used}
    return drawing
