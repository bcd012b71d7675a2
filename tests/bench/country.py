#!/usr/bin/env python3
"""Makes a country of towns from the map of one town: a .osm.pbf file of any size.

    country.py TOWN.osm.pbf TOWNS OUT.osm.pbf [--junction-bytes BYTES] [--processes N]

Each town is a copy with ids, coordinates and names of its own. 16 towns are a county, a square of four by four; 16 counties are a
region, 16 regions a state. Neighbouring towns are joined by the roads of their kind of border (BORDERS): their number makes
the hierarchy as high as those of real maps with as many junctions (docs/benchmarks/country.md). The last town is an
island, and a ferry goes there. Roads leave a town at the junctions nearest to its edge, and pass every 2 km a node of
their own.

Most of a real file is not roads. With --junction-bytes, buildings, land use and points of interest are added to each
town until its part of the file has about as many bytes for each junction, where roads for cars meet or end.

Nodes come first, then ways, then relations. They are sorted by id, as files from OpenStreetMap are, if the town is (osmium
sort). Blocks of the town are copied as they are but for their first ids, their offsets and their names; users and times,
which are not imported, are left out."""
import argparse
import math
import multiprocessing
import os
import random
import sys
import zlib

NODES, WAYS, RELATIONS = range(3)
STEP = 1 << 35  # between the ids of two towns: more than any id
CONTENT = STEP >> 1  # the first id of what is added to a town: above all of its own
SIDE = 4  # towns of a county, counties of a region, ... in a row
GAP_E7 = (1_000_000, 2_500_000, 6_000_000, 12_000_000)  # between towns of a county, counties, regions, states
# How many roads of each class join two neighbours, by the border between them; the first class is in the middle.
BORDERS = (
    {"trunk": 1, "secondary": 7, "unclassified": 20},
    {"motorway": 1, "primary": 3, "tertiary": 14},
    {"motorway": 1, "primary": 3, "secondary": 8},
    {"motorway": 1, "primary": 3, "secondary": 4},
)
SPEED = {"motorway": 130, "trunk": 100, "primary": 90, "secondary": 80, "tertiary": 70, "unclassified": 60}
LEAVES = ("primary", "secondary", "tertiary", "unclassified", "residential")  # roads of the town that may be left
SMALL = ("service", "living_street", "road")  # roads with junctions, besides these and those of SPEED
NODE_METRES = 2000
PER_BLOCK = 8000  # objects, as in files from OpenStreetMap


# ---- protobuf ----


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def zigzag(value):
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def unzigzag(value):
    return value >> 1 if value & 1 == 0 else -(value + 1 >> 1)


def fields(data):
    """Yields number and value (an int, or bytes) of each field of a message."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        value, at = read_varint(data, at)
        if key & 7 == 2:
            value, at = data[at : at + value], at + value
        yield key >> 3, value


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value & 0xFFFFFFFFFFFFFFFF)
    return varint(number << 3 | 2) + varint(len(value)) + value


def numbers(data):
    out, at = [], 0
    while at < len(data):
        value, at = read_varint(data, at)
        out.append(value)
    return out


def summed(data):
    """The values of a packed field of differences."""
    out, value = [], 0
    for difference in numbers(data):
        value += unzigzag(difference)
        out.append(value)
    return out


def differences(values):
    return b"".join(zigzag(value - before) for value, before in zip(values, [0, *values]))


# ---- the town ----


class Deltas:
    """A packed field of differences, to all of whose values something is added."""

    def __init__(self, data):
        first, at = read_varint(data, 0)
        self.first, self.rest = unzigzag(first), data[at:]

    def shifted(self, shift):
        return zigzag(self.first + shift) + self.rest


class Block:
    """Objects of one kind. Each is (its field, bytes that stay, its id, the ids that it has)."""

    def __init__(self, kind, strings, places, offsets, objects):
        self.kind, self.strings, self.places, self.offsets, self.objects = kind, strings, places, offsets, objects

    def bytes_of(self, town, east_e7, north_e7):
        """The block as that of a town. Names end with the town's number."""
        suffix, shift = b" %d" % town, town * STEP
        table = b"".join(field(1, text + suffix if at in self.places else text) for at, text in enumerate(self.strings))
        group = bytearray()
        for number, kept, name, ids in self.objects:
            moved = kept if name is None else field(1, name + shift) + kept
            if ids:
                moved += field(ids[0], ids[1].shifted(shift))
            group += field(number, moved)
        granularity, lat, lon = self.offsets
        where = field(17, granularity) + field(19, lat + north_e7 * 100) + field(20, lon + east_e7 * 100)
        return field(1, table) + field(2, bytes(group)) + where


def renamed(strings, pairs):
    """The places of strings that are only names."""
    names, others = set(), set()
    for key, value in pairs:
        (names if strings[key] in (b"name", b"ref") else others).add(value)
    return names - others


class Town:
    def __init__(self, path):
        self.blocks, self.at, ways = [], {}, []  # at: by node (lon, lat) in 1e-7 degrees
        self.uses = {}  # by node of a road for cars: how often roads pass it; where one ends, twice
        with open(path, "rb") as file:
            data = file.read()
        at = 0
        while at < len(data):
            size = int.from_bytes(data[at : at + 4], "big")
            head = dict(fields(data[at + 4 : at + 4 + size]))
            at += 4 + size
            blob = dict(fields(data[at : at + head[3]]))
            at += head[3]
            block = zlib.decompress(blob[3]) if 3 in blob else blob[1]
            if head[1] == b"OSMHeader":
                self.features = b"".join(field(name, value) for name, value in fields(block) if name == 4)
            else:
                self.read(block, ways)
        west, east = (choose(lon for lon, _ in self.at.values()) for choose in (min, max))
        south, north = (choose(lat for _, lat in self.at.values()) for choose in (min, max))
        self.box = west, south, east, north
        self.size = east - west, north - south
        self.exits = [node for way in ways for node in (way[0], way[-1])]

    def read(self, block, ways):
        parts = {}
        for name, value in fields(block):
            parts.setdefault(name, []).append(value)
        strings = [text for _, text in fields(parts[1][0])]
        signed = [value - (1 << 64) if value >> 63 else value for value in (parts.get(19, [0])[0], parts.get(20, [0])[0])]
        offsets = parts.get(17, [100])[0], *signed
        for group in parts.get(2, []):
            of_kind, pairs = {}, []
            for number, value in fields(group):
                reader = {2: self.dense, 3: self.way, 4: self.relation}.get(number) or sys.exit("only dense nodes are copied")
                of_kind.setdefault(number, []).append((number, *reader(value, strings, offsets, pairs, ways)))
            for number, objects in of_kind.items():
                self.blocks.append(Block(number - 2, strings, renamed(strings, pairs), offsets, objects))

    def dense(self, data, _strings, offsets, pairs, _ways):
        of = dict(fields(data))
        granularity, south, west = offsets
        for node, lat, lon in zip(summed(of[1]), summed(of[8]), summed(of[9])):
            self.at[node] = (west + granularity * lon) // 100, (south + granularity * lat) // 100
        tags = iter(numbers(of.get(10, b"")))
        pairs += [(key, next(tags)) for key in tags if key]
        return b"".join(field(name, value) for name, value in of.items() if name not in (1, 5)), None, (1, Deltas(of[1]))

    def way(self, data, strings, _offsets, pairs, ways):
        of = dict(fields(data))
        own = list(zip(numbers(of.get(2, b"")), numbers(of.get(3, b""))))
        pairs += own
        tags = {strings[key]: strings[value] for key, value in own}
        nodes = of.get(8)
        highway = tags.get(b"highway", b"").decode()
        if nodes and highway.removesuffix("_link") in (*SPEED, *LEAVES, *SMALL):
            points = summed(nodes)
            for node in (*points, points[0], points[-1]):  # an end counts twice
                self.uses[node] = self.uses.get(node, 0) + 1
        if nodes and highway in LEAVES and not tags.keys() & {b"oneway", b"access", b"junction"}:
            ways.append(summed(nodes))
        kept = b"".join(field(name, value) for name, value in of.items() if name not in (1, 4, 8))
        return kept, of[1], (8, Deltas(nodes)) if nodes else None

    def relation(self, data, _strings, _offsets, pairs, _ways):
        of = dict(fields(data))
        pairs += zip(numbers(of.get(2, b"")), numbers(of.get(3, b"")))
        kept = b"".join(field(name, value) for name, value in of.items() if name not in (1, 4, 9))
        return kept, of[1], (9, Deltas(of[9])) if of.get(9) else None

    def junction_count(self):
        return sum(uses > 1 for uses in self.uses.values())

    def bytes_of(self, kind, number, east_e7, north_e7):
        blocks = (block for block in self.blocks if block.kind == kind)
        return b"".join(written(b"OSMData", block.bytes_of(number, east_e7, north_e7)) for block in blocks)

    def exit(self, side, share):
        """The node of an exit at a side (0 west, 1 south, 2 east, 3 north), about where the share says."""
        west, south, east, north = self.box
        lon = (west, west + share * (east - west), east, west + share * (east - west))[side]
        lat = (south + share * (north - south), south, south + share * (north - south), north)[side]
        return min(self.exits, key=lambda node: (math.hypot(self.at[node][0] - lon, self.at[node][1] - lat), node))


# ---- what a map has besides roads ----


def things(town, count):
    """Yields the tags and the places of buildings, land use and points of interest, along the roads of the town."""
    draw, roads = random.Random(2026), list(town.at.values())
    for i in range(count):
        lon, lat = (at + draw.randint(-6000, 6000) for at in roads[i * len(roads) // count])
        address = {
            "addr:housenumber": str(draw.randint(1, 200)),
            "addr:street": f"Street {i * 400 // count}",
            "addr:city": "Town",
            "addr:postcode": f"{21000 + i * 10 // count}",
        }
        kind = draw.random()
        if kind < 0.88:
            east, north, slope = draw.randint(800, 2000), draw.randint(600, 1600), draw.randint(-400, 400)
            corners = [(0, 0), (east, slope), (east - slope, north + slope), (-slope, north)]
            if kind < 0.4:  # a wing
                corners[3:] = [(east // 2, north), (east // 2, north + 500), (0, north + 500)]
            tags = {"building": draw.choice(("yes", "house", "garage", "residential", "apartments")), **(address if kind < 0.5 else {})}
            yield tags, [(lon + dx, lat + dy) for dx, dy in corners]
        elif kind < 0.92:
            corners = draw.randint(8, 60)
            turns = (2 * math.pi * corner / corners for corner in range(corners))
            radii = ((turn, draw.randint(3000, 9000)) for turn in turns)
            tags = {"landuse": draw.choice(("forest", "farmland", "meadow", "residential")), "name": f"Wood {i}"}
            yield tags, [(lon + round(radius * math.cos(turn)), lat + round(radius * math.sin(turn))) for turn, radius in radii]
        else:
            tags = {"amenity": draw.choice(("restaurant", "bench", "cafe", "school")), "name": f"Place {i}", "opening_hours": "Mo-Sa 08:00-20:00"}
            yield {**tags, **address}, [(lon, lat)]


class Strings(dict):
    """The strings of a block, and their places."""

    def __init__(self):
        super().__init__({"": 0})

    def places(self, tags):
        return [self.setdefault(text, len(self)) for pair in tags.items() for text in pair]

    def block(self, kind, objects):
        return Block(kind, [text.encode() for text in self], set(), (100, 0, 0), objects)


def thing_blocks(town, count):
    """The blocks of `count` things."""
    nodes, ways, blocks = [], [], []
    for tags, places in things(town, count):
        first = CONTENT + len(nodes)
        nodes += [(tags if len(places) == 1 else {}, *place) for place in places]
        if len(places) > 1:
            ways.append((tags, [*range(first, first + len(places)), first]))
    for at in range(0, len(nodes), PER_BLOCK):
        part, strings = nodes[at : at + PER_BLOCK], Strings()
        pairs = b"".join(varint(place) for tags, _, _ in part for place in (*strings.places(tags), 0))
        dense = field(8, differences([lat for _, _, lat in part])) + field(9, differences([lon for _, lon, _ in part])) + field(10, pairs)
        ids = Deltas(differences(range(CONTENT + at, CONTENT + at + len(part))))
        blocks.append(strings.block(NODES, [(2, dense, None, (1, ids))]))
    for at in range(0, len(ways), PER_BLOCK):
        objects, strings = [], Strings()
        for number, (tags, ids) in enumerate(ways[at : at + PER_BLOCK]):
            places = strings.places(tags)
            kept = b"".join(field(name, b"".join(map(varint, part))) for name, part in ((2, places[::2]), (3, places[1::2])))
            objects.append((3, kept, CONTENT + at + number, (8, Deltas(differences(ids)))))
        blocks.append(strings.block(WAYS, objects))
    return blocks


def add_things(town, junction_bytes):
    """Adds things to a town until it has this many bytes for each junction."""
    own, trial = town.blocks, 2 * PER_BLOCK

    def size():
        return sum(len(town.bytes_of(kind, 1, 0, 0)) for kind in (NODES, WAYS, RELATIONS))

    missing = junction_bytes * town.junction_count() - size()
    town.blocks = thing_blocks(town, trial)
    town.blocks = own + thing_blocks(town, max(0, round(trial * missing / size())))


# ---- the country ----


class Country:
    def __init__(self, town, count):
        self.town, self.count = town, count
        self.columns = math.isqrt(max(0, count - 2)) + 1  # of the mainland
        self.exits = {}

    def place(self, number):
        """Column and row of a town; the last one is an island."""
        if number == self.count - 1 and self.count > 1:
            return self.columns + 1, 0
        return number % self.columns, number // self.columns

    def shift(self, number):
        """By how much a town is moved, in 1e-7 degrees."""
        return tuple(
            at * size + sum(GAP_E7[level] * (at // SIDE**level - at // SIDE ** (level + 1) * (level < 3)) for level in range(4))
            for at, size in zip(self.place(number), self.town.size)
        )

    def neighbours(self):
        """(town, next town, the side where it is left, the kind of border)"""
        for number in range(max(1, self.count - 1)):
            column, row = self.place(number)
            for side, other in ((2, (column + 1, row)), (3, (column, row + 1))):
                next_town = other[0] + other[1] * self.columns
                if other[0] < self.columns and next_town < self.count - 1:
                    at = other[side - 2]
                    level = next((level for level in (3, 2, 1) if at % SIDE**level == 0), 0)
                    yield number, next_town, side, level

    def end(self, number, side, share):
        if (side, share) not in self.exits:
            self.exits[side, share] = self.town.exit(side, share)
        node = self.exits[side, share]
        east, north = self.shift(number)
        lon, lat = self.town.at[node]
        return node + number * STEP, lon + east, lat + north

    def roads(self):
        """(tags, first end, last end) of each road between towns."""
        for number, other, side, level in self.neighbours():
            kinds = [kind for kind, count in BORDERS[level].items() for _ in range(count)]
            shares = sorted(((i + 0.5) / len(kinds) for i in range(len(kinds))), key=lambda share: abs(share - 0.5))
            for kind, share in zip(kinds, shares):
                first, last = self.end(number, side, share), self.end(other, side - 2, share)
                tags = {"highway": kind, "maxspeed": str(SPEED[kind]), "ref": f"{kind[0].upper()}{number}"}
                if kind == "motorway":
                    yield {**tags, "oneway": "yes"}, first, last
                    yield {**tags, "oneway": "yes"}, last, first
                else:
                    yield tags, first, last
        if self.count > 1:
            tags = {"route": "ferry", "motor_vehicle": "yes", "duration": "01:30", "name": "Ferry"}
            yield tags, self.end(0, 2, 0.5), self.end(self.count - 1, 0, 0.5)


def between(first, last):
    """The places of a road's own nodes."""
    metres = math.hypot((last[1] - first[1]) * math.cos(math.radians(first[2] / 1e7)), last[2] - first[2]) / 90
    count = int(metres / NODE_METRES)
    for i in range(1, count + 1):
        yield tuple(first[k] + (last[k] - first[k]) * i // (count + 1) for k in (1, 2))


def road_blocks(country):
    """The blocks of nodes, and those of ways, of the roads between towns."""
    base, nodes, ways = country.count * STEP, [], []
    for tags, first, last in country.roads():
        own = list(between(first, last))
        ids = range(base + len(nodes), base + len(nodes) + len(own))
        nodes += own
        ways.append((tags, [first[0], *ids, last[0]]))
    node_blocks, way_blocks = [], []
    for at in range(0, len(nodes), PER_BLOCK):
        part = nodes[at : at + PER_BLOCK]
        dense = field(1, differences(range(base + at, base + at + len(part))))
        dense += field(8, differences([lat for _, lat in part])) + field(9, differences([lon for lon, _ in part]))
        node_blocks.append(field(1, field(1, b"")) + field(2, field(2, dense)))
    for at in range(0, len(ways), PER_BLOCK):
        strings, group = {"": 0}, b""
        for number, (tags, ids) in enumerate(ways[at : at + PER_BLOCK]):
            keys, values = (b"".join(varint(strings.setdefault(text, len(strings))) for text in texts) for texts in (tags, tags.values()))
            way = field(1, base + at + number) + field(2, keys) + field(3, values) + field(8, differences(ids))
            group += field(3, way)
        way_blocks.append(field(1, b"".join(field(1, text.encode()) for text in strings)) + field(2, group))
    return node_blocks, way_blocks


# ---- the file ----


def written(kind, block):
    blob = field(2, len(block)) + field(3, zlib.compress(block, 1))
    head = field(1, kind) + field(3, len(blob))
    return len(head).to_bytes(4, "big") + head + blob


def town_bytes(job):
    """A town's blocks of one kind. The country is that of the process that forked."""
    kind, number = job
    return country.town.bytes_of(kind, number, *country.shift(number))


def main():
    global country
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("town")
    parser.add_argument("towns", type=int)
    parser.add_argument("out")
    parser.add_argument("--junction-bytes", type=int, default=0, help="of the file, for each junction of the towns")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if options.towns < 1:
        parser.error(f"{options.towns} towns")
    country = Country(Town(options.town), options.towns)
    if options.junction_bytes:
        add_things(country.town, options.junction_bytes)
    roads = road_blocks(country)
    with multiprocessing.get_context("fork").Pool(options.processes) as pool, open(options.out, "wb") as out:
        out.write(written(b"OSMHeader", country.town.features))
        for kind in (NODES, WAYS, RELATIONS):
            for part in pool.imap(town_bytes, ((kind, number) for number in range(options.towns))):
                out.write(part)
            for block in roads[kind] if kind < RELATIONS else ():
                out.write(written(b"OSMData", block))


if __name__ == "__main__":
    main()
