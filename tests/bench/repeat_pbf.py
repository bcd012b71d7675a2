#!/usr/bin/env python3
"""Repeats a map over a grid, to make a .osm.pbf file of any size.

    repeat_pbf.py MAP.osm.pbf COLUMNS ROWS OUT.osm.pbf

Each copy has new ids and lies beside the others; no road joins two copies. Nodes come first, then ways, then relations,
each by id, as in files from OpenStreetMap. Blocks keep their strings; users and times, which are not imported, are left out."""
import sys
import zlib

NODES, WAYS, RELATIONS = range(3)
SHIFT_E9 = 700_000_000  # from copy to copy, both ways: more than a city's extent


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
    """Yields number, type and value (an int, or bytes) of each field of a message."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        if key & 7 == 0:
            value, at = read_varint(data, at)
        else:
            size, at = read_varint(data, at)
            value, at = data[at : at + size], at + size
        yield key >> 3, key & 7, value


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def shifted_deltas(data):
    """A packed field of differences as a function of what is added to all values."""
    if not data:
        return lambda shift: b""
    first, at = read_varint(data, 0)
    rest = data[at:]
    return lambda shift: zigzag(unzigzag(first) + shift) + rest


def shifted_object(data, id_field, deltas_field, dropped):
    kept, number, deltas = b"", 0, None
    for name, _, value in fields(data):
        if name == id_field and isinstance(value, int):
            number = value
        elif name == deltas_field:
            deltas = shifted_deltas(value)
        elif name not in dropped:
            kept += field(name, value)
    if id_field == deltas_field or deltas is None:
        deltas = deltas or (lambda shift: b"")
    return lambda shift: field(id_field, number + shift) + kept + field(deltas_field, deltas(shift))


def shifted_dense(data):
    ids = next(shifted_deltas(value) for name, _, value in fields(data) if name == 1)
    kept = b"".join(field(name, value) for name, _, value in fields(data) if name not in (1, 5))
    return lambda shift: field(1, ids(shift)) + kept


def read_blocks(path):
    """Lists the groups of a file: kind, head of the block, and its objects as functions of the shift of their ids."""
    with open(path, "rb") as file:
        data = file.read()
    at, groups, header = 0, [], None
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        head = {name: value for name, _, value in fields(data[at + 4 : at + 4 + size])}
        at += 4 + size
        blob = {name: value for name, _, value in fields(data[at : at + head[3]])}
        at += head[3]
        block = zlib.decompress(blob[3]) if 3 in blob else blob[1]
        if head[1] == b"OSMHeader":
            header = b"".join(field(name, value) for name, _, value in fields(block) if name == 4)
            continue
        strings = b"".join(field(name, value) for name, _, value in fields(block) if name in (1, 17))
        offset = {name: value for name, _, value in fields(block) if name in (19, 20)}
        for name, _, group in fields(block):
            if name != 2:
                continue
            made = {NODES: [], WAYS: [], RELATIONS: []}
            for kind, _, value in fields(group):
                if kind == 2:
                    made[NODES].append((2, shifted_dense(value)))
                elif kind == 3:
                    made[WAYS].append((3, shifted_object(value, 1, 8, (4,))))
                elif kind == 4:
                    made[RELATIONS].append((4, shifted_object(value, 1, 9, (4,))))
                else:
                    sys.exit("only dense nodes are repeated")
            groups += [(kind, strings, offset, objects) for kind, objects in made.items() if objects]
    return header, groups


def put(out, kind, block):
    blob = field(2, len(block)) + field(3, zlib.compress(block, 1))
    head = field(1, kind) + field(3, len(blob))
    out.write(len(head).to_bytes(4, "big") + head + blob)


def signed64(value):
    return value & 0xFFFFFFFFFFFFFFFF


def main():
    path, columns, rows, target = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    header, groups = read_blocks(path)
    step = 1 << 35  # more than any id
    with open(target, "wb") as out:
        put(out, b"OSMHeader", header)
        for wanted in (NODES, WAYS, RELATIONS):
            for copy in range(columns * rows):
                east, north = copy % columns * SHIFT_E9, copy // columns * SHIFT_E9
                for kind, strings, offset, objects in groups:
                    if kind != wanted:
                        continue
                    group = b"".join(field(number, of(copy * step)) for number, of in objects)
                    lat = field(19, signed64(offset.get(19, 0) - north))
                    lon = field(20, signed64(offset.get(20, 0) + east))
                    put(out, b"OSMData", strings + field(2, group) + lat + lon)


if __name__ == "__main__":
    main()
