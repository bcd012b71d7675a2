"""A small .osm.pbf file: a grid of streets with a turn restriction, made here byte by byte."""

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


def write(path):
    strings = [b"", b"highway", b"residential", b"name", b"Street", b"type", b"restriction", b"no_left_turn",
               b"from", b"via", b"to"]
    nodes = range(1, SIDE * SIDE + 1)
    dense = part(1, differences(nodes))
    dense += part(8, differences([500000000 + (i - 1) // SIDE * 10000 for i in nodes]))
    dense += part(9, differences([100000000 + (i - 1) % SIDE * 10000 for i in nodes]))
    ways = [[row * SIDE + column + 1 for column in range(SIDE)] for row in range(SIDE)]
    ways += [[row * SIDE + column + 1 for row in range(SIDE)] for column in range(SIDE)]
    group = part(2, dense)
    for i, way in enumerate(ways):
        group += part(3, number(1, i + 1) + part(2, bytes([1, 3])) + part(3, bytes([2, 4])) + part(8, differences(way)))
    group += part(4, number(1, 1) + part(2, bytes([5, 6])) + part(3, bytes([6, 7])) + part(8, bytes([8, 9, 10]))
                  + part(9, differences([2, 9, 9])) + part(10, bytes([1, 0, 1])))
    block = part(1, b"".join(part(1, text) for text in strings)) + part(2, group)
    with open(path, "wb") as file:
        file.write(blob(b"OSMHeader", part(4, b"OsmSchema-V0.6") + part(4, b"DenseNodes")))
        file.write(blob(b"OSMData", block))
