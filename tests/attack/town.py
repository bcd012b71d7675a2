"""A small OpenStreetMap file in any format: a grid of streets with a turn restriction, made here byte by byte."""

import bz2
import gzip
import struct
import zlib

SIDE = 6


def varint(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def part(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def differences(values):
    return b"".join(varint((b - a) << 1 if b >= a else ((a - b) << 1) - 1) for a, b in zip([0, *values], values))


def blob(kind, data):
    body = number(2, len(data)) + part(3, zlib.compress(data))
    head = part(1, kind) + number(3, len(body))
    return struct.pack(">I", len(head)) + head + body


def node_places():
    """Their ids, latitudes and longitudes, in units of 1e-7 degrees."""
    return [(i, 500000000 + (i - 1) // SIDE * 10000, 100000000 + (i - 1) % SIDE * 10000)
            for i in range(1, SIDE * SIDE + 1)]


def way_nodes():
    ways = [[row * SIDE + column + 1 for column in range(SIDE)] for row in range(SIDE)]
    return ways + [[row * SIDE + column + 1 for row in range(SIDE)] for column in range(SIDE)]


MEMBERS = [("w", 2, "from"), ("n", 9, "via"), ("w", 9, "to")]
STREET = [("highway", "residential"), ("name", "Street")]
RESTRICTION = [("type", "restriction"), ("restriction", "no_left_turn")]


def pbf():
    strings = [b"", b"highway", b"residential", b"name", b"Street", b"type", b"restriction", b"no_left_turn",
               b"from", b"via", b"to"]
    ids, lats, lons = zip(*node_places())
    dense = part(1, differences(ids)) + part(8, differences(lats)) + part(9, differences(lons))
    group = part(2, dense)
    for i, way in enumerate(way_nodes()):
        group += part(3, number(1, i + 1) + part(2, bytes([1, 3])) + part(3, bytes([2, 4])) + part(8, differences(way)))
    group += part(4, number(1, 1) + part(2, bytes([5, 6])) + part(3, bytes([6, 7])) + part(8, bytes([8, 9, 10]))
                  + part(9, differences([2, 9, 9])) + part(10, bytes([1, 0, 1])))
    block = part(1, b"".join(part(1, text) for text in strings)) + part(2, group)
    return blob(b"OSMHeader", part(4, b"OsmSchema-V0.6") + part(4, b"DenseNodes")) + blob(b"OSMData", block)


def xml():
    kinds = {"n": "node", "w": "way"}
    tags = lambda of: "".join(f"<tag k='{key}' v='{value}'/>" for key, value in of)  # noqa: E731
    text = "<osm version='0.6'>"
    text += "".join(f"<node id='{i}' lat='{lat / 1e7}' lon='{lon / 1e7}'/>\n" for i, lat, lon in node_places())
    for i, way in enumerate(way_nodes()):
        text += f"<way id='{i + 1}'>" + "".join(f"<nd ref='{ref}'/>" for ref in way) + tags(STREET) + "</way>\n"
    members = "".join(f"<member type='{kinds[kind]}' ref='{ref}' role='{role}'/>" for kind, ref, role in MEMBERS)
    return (text + "<relation id='1'>" + members + tags(RESTRICTION) + "</relation></osm>").encode()


def opl():
    tags = lambda of: " T" + ",".join(f"{key}={value}" for key, value in of) + "\n"  # noqa: E731
    text = "".join(f"n{i} x{lon / 1e7} y{lat / 1e7}\n" for i, lat, lon in node_places())
    for i, way in enumerate(way_nodes()):
        text += f"w{i + 1} N" + ",".join(f"n{ref}" for ref in way) + tags(STREET)
    members = ",".join(f"{kind}{ref}@{role}" for kind, ref, role in MEMBERS)
    return (text + "r1 M" + members + tags(RESTRICTION)).encode()


def o5m():
    last = {}

    def step(kind, value):
        before, last[kind] = last.get(kind, 0), value
        return differences([value - before])

    def data_set(kind, data):
        return bytes([kind]) + varint(len(data)) + data

    def tags(of):
        return b"".join(b"\0" + key.encode() + b"\0" + value.encode() + b"\0" for key, value in of)

    out = b"\xff\xe0\x04o5m2"
    for i, lat, lon in node_places():
        out += data_set(0x10, step("id", i) + b"\0" + step("lon", lon) + step("lat", lat))
    for i, way in enumerate(way_nodes()):
        refs = b"".join(step("ref", ref) for ref in way)
        out += data_set(0x11, step("id", i + 1) + b"\0" + varint(len(refs)) + refs + tags(STREET))
    members = b"".join(step(kind, ref) + b"\0" + b"01"["nw".index(kind):][:1] + role.encode() + b"\0"
                       for kind, ref, role in MEMBERS)
    return out + data_set(0x12, step("id", 1) + b"\0" + varint(len(members)) + members + tags(RESTRICTION)) + b"\xfe"


def write(path):
    """Its name says the format."""
    data = pbf() if ".pbf" in path else opl() if ".opl" in path else o5m() if ".o5m" in path else xml()
    with open(path, "wb") as file:
        file.write(gzip.compress(data) if path.endswith(".gz") else bz2.compress(data) if path.endswith(".bz2") else data)
