"""Shared by the tests: a small map with its oracle, and ways to run the command and read answers.

The command is the executable named by MACADAM_COMMAND.
"""

import array
import ast
import csv
import heapq
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

COMMAND = os.environ["MACADAM_COMMAND"]
UNREACHED = 0xFFFFFFFF
# To be added to examples/town.osm: a street that no car can reach, with a path to Market Street.
ESTATE = """<osm version="0.6">
    <node id="901" version="1" lat="50.0018" lon="10.0040"/><node id="902" version="1" lat="50.0018" lon="10.0058"/>
    <way id="901" version="1"><nd ref="901"/><nd ref="902"/><tag k="highway" v="service"/></way>
    <way id="902" version="1"><nd ref="901"/><nd ref="23"/><tag k="highway" v="footway"/></way></osm>"""


def run(*arguments, status=0):
    """Runs the command, expects its exit status, returns (standard output, standard error)."""
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != status:
        raise AssertionError(f"exit {done.returncode}, expected {status}: {done.args}\n{done.stderr}")
    return done.stdout, done.stderr


def rows_of(text):
    """A CSV answer: (header, rows), values as integers, None where a field is empty."""
    lines = list(csv.reader(io.StringIO(text)))
    return lines[0], [[number(field) for field in line] for line in lines[1:]]


def number(field):
    if field == "":
        return None
    try:
        return int(field)
    except ValueError:
        return field


def read_npy(path):
    """A .npy answer: (shape, flat list of unsigned 32-bit values)."""
    with open(path, "rb") as file:
        assert file.read(8) == b"\x93NUMPY\x01\x00"
        header = file.read(int.from_bytes(file.read(2), "little")).decode()
        assert file.tell() % 64 == 0 and header.endswith("\n")
        fields = ast.literal_eval(header)
        assert fields["descr"] == "<u4" and not fields["fortran_order"]
        values = array.array("I", file.read())
    return fields["shape"], list(values)


def read_arrow(stream):
    """(width, {column: bytes}) of a stream of Apache Arrow (bytes, or their file) whose columns are lists of uint32 (energies:
    int32), by the format's description."""
    if isinstance(stream, str):
        with open(stream, "rb") as file:
            stream = file.read()

    def u(bytes_, at):
        return int.from_bytes(message[at : at + bytes_], "little")

    def field(table, number, bytes_):  # where it lies; 0 if it is absent
        vtable = table - int.from_bytes(message[table : table + 4], "little", signed=True)
        entry = u(2, vtable + 4 + 2 * number) if 4 + 2 * number < u(2, vtable) else 0
        assert not entry or (table + entry) % bytes_ == 0
        return entry and table + entry

    def follow(at):
        return at + u(4, at)

    def vector(table, number):
        at = follow(field(table, number, 4))
        return at + 4, u(4, at)

    at, columns, width = 0, {}, 0
    while True:
        assert stream[at : at + 4] == b"\xff\xff\xff\xff" and at % 8 == 0
        size = int.from_bytes(stream[at + 4 : at + 8], "little")
        message, at = stream[at + 8 : at + 8 + size], at + 8 + size
        if size == 0:
            assert at == len(stream)
            return width, {name: b"".join(parts) for name, parts in columns.items()}
        root = follow(0)
        assert u(2, field(root, 0, 2)) == 4
        header, body_bytes = follow(field(root, 2, 4)), u(8, field(root, 3, 8))
        if u(1, field(root, 1, 1)) == 1:
            first, count = vector(header, 1)
            for i in range(count):
                column = follow(first + 4 * i)
                name, length = vector(column, 0)
                title = message[name : name + length].decode()
                columns[title] = []
                assert u(1, field(column, 2, 1)) == 16
                width = u(4, field(follow(field(column, 3, 4)), 0, 4))
                children, ones = vector(column, 5)
                item = follow(children)
                assert ones == 1 and u(1, field(item, 2, 1)) == 2 and u(4, field(follow(field(item, 3, 4)), 0, 4)) == 32
                assert u(1, field(follow(field(item, 3, 4)), 1, 1)) == (title == "energies")
        else:
            rows, (nodes, count), (buffers, three) = u(8, field(header, 0, 8)), vector(header, 1), vector(header, 2)
            assert nodes % 8 == buffers % 8 == 0 and count == 2 * len(columns) and three == 3 * len(columns)
            for i, parts in enumerate(columns.values()):
                assert [u(8, nodes + 32 * i + k) for k in (0, 8, 16, 24)] == [rows, 0, rows * width, 0]
                begin, length = u(8, buffers + 48 * i + 32), u(8, buffers + 48 * i + 40)
                assert length == 4 * rows * width
                parts.append(stream[at + begin : at + begin + length])
        at += body_bytes


class Map:
    """Arcs with a duration and a distance each; nodes 1 .. node_count with coordinates."""

    def __init__(self, node_count, arcs, coordinates):
        self.node_count, self.arcs, self.coordinates = node_count, arcs, coordinates

    def write_dimacs(self, folder):
        for column, name in ((2, "duration"), (3, "distance")):
            with open(f"{folder}/{name}.gr", "w") as file:
                print("c a test\np sp", self.node_count, len(self.arcs), file=file)
                for arc in self.arcs:
                    print("a", arc[0], arc[1], arc[column], file=file)
        with open(f"{folder}/map.co", "w") as file:
            print("p aux sp co", self.node_count, file=file)
            for node, (lon, lat) in self.coordinates.items():
                print("v", node, round(lon * 1e6), round(lat * 1e6), file=file)

    def tree(self, source, objective="duration", reverse=False):
        """The oracle: (objective, companion) of every reached node, the lexicographic least, by Dijkstra."""
        out = {}
        for tail, head, duration, distance in self.arcs:
            pair = (duration, distance) if objective == "duration" else (distance, duration)
            out.setdefault(head if reverse else tail, []).append((tail if reverse else head, pair))
        cost, heap = {}, [((0, 0), source)]
        while heap:
            reached, node = heapq.heappop(heap)
            if node in cost:
                continue
            cost[node] = reached
            for head, pair in out.get(node, ()):
                if head not in cost:
                    heapq.heappush(heap, ((reached[0] + pair[0], reached[1] + pair[1]), head))
        return cost


SIDE = 7
ISLAND = SIDE * SIDE + 1  # reached by nothing
EXIT = SIDE * SIDE + 2  # reached from the grid; nothing leaves it


def small_map():
    """A 7 x 7 grid, both directions different, with a loop, two parallel arcs, a node apart and an exit.
    Rows go north, columns east, 0.01 degrees apart."""
    random.seed(7)
    arcs, coordinates = [], {}
    for node in range(1, SIDE * SIDE + 1):
        row, column = divmod(node - 1, SIDE)
        coordinates[node] = (7 + column * 0.01, 43 + row * 0.01)
        for other in (node + 1 if column + 1 < SIDE else 0, node + SIDE if row + 1 < SIDE else 0):
            if other:
                arcs.append((node, other, random.randint(1, 20), random.randint(1, 20)))
                arcs.append((other, node, random.randint(1, 20), random.randint(1, 20)))
    arcs += [(5, 5, 3, 3), (1, 2, 50, 1), (1, 2, 50, 2), (SIDE * SIDE, EXIT, 4, 9)]
    coordinates[ISLAND], coordinates[EXIT] = (7.2, 43.0), (7.2, 43.06)
    return Map(EXIT, arcs, coordinates)


class CommandTest(unittest.TestCase):
    """A folder with the small map imported: `self.file`, with coordinates, both quantities."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="macadam-cli-")
        cls.map = small_map()
        cls.map.write_dimacs(cls.folder)
        cls.file = cls.path("map.mcd")
        run(
            "import",
            "--weight",
            "duration=" + cls.path("duration.gr"),
            "--weight",
            "distance=" + cls.path("distance.gr"),
            "--coords",
            cls.path("map.co"),
            "-o",
            cls.file,
            "--quiet",
        )

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def path(cls, name):
        return f"{cls.folder}/{name}"

    def write(self, name, text):
        with open(self.path(name), "w", newline="") as file:
            file.write(text)
        return self.path(name)

    def assertUsage(self, *arguments, says):
        """The command refuses: exit 2, one line that says what is wrong, nothing on standard output."""
        output, error = run(*arguments, status=2)
        self.assertEqual(output, "")
        self.assertEqual(error.count("\n"), 1, error)
        self.assertIn(says, error)


def read_json(path):
    with open(path) as file:
        return json.load(file)


def write_heights(folder, name, seed):
    """A made-up tile of heights: tests/height_tile.py."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "height_tile.py")
    subprocess.run([sys.executable, script, folder, name, str(seed)], check=True)


def decode(polyline, precision=5):
    """The points of an encoded polyline: (longitude, latitude), by the format's description."""
    numbers, value, shift = [], 0, 0
    for character in polyline:
        five = ord(character) - 63
        value |= (five & 31) << shift
        shift += 5
        if five < 32:
            numbers.append(~(value >> 1) if value & 1 else value >> 1)
            value, shift = 0, 0
    points, lat, lon = [], 0, 0
    for delta_lat, delta_lon in zip(numbers[::2], numbers[1::2]):
        lat, lon = lat + delta_lat, lon + delta_lon
        points.append((lon / 10**precision, lat / 10**precision))
    return points


def climbs(points):
    """How far a line of (lon, lat, metres) goes up, and down, in decimetres."""
    rises = [round(10 * b[2]) - round(10 * a[2]) for a, b in zip(points, points[1:])]
    return sum(rise for rise in rises if rise > 0), -sum(rise for rise in rises if rise < 0)
