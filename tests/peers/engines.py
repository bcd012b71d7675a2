"""Macadam, OSRM and Valhalla on one map. Each answers in the shape of OSRM's service: routes with steps, and
matches.

FOLDER is what `prepare` made; our own map is imported each time. """

import argparse
import http.client
import json
import math
import pathlib
import re
import subprocess
import tempfile

import osrm
import valhalla
from compare import RawMap, decode, metres


def arguments(about, count):
    """The options of both scripts."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("macadam", "map", "folder"):
        parser.add_argument(name)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default="")
    parser.add_argument("--examples", default="/dev/null")
    return parser.parse_args()


def regions(options):
    """Name, map and engines of an extract, or of all in the folder `map` that have a folder of their own."""
    folder = pathlib.Path(options.folder)
    maps = sorted(pathlib.Path(options.map).glob("*.osm.pbf")) or [pathlib.Path(options.map)]
    for path in maps:
        own = folder if path.samefile(options.map) else folder / path.name.removesuffix(".osm.pbf")
        if (own / "valhalla").exists():
            name = re.split(r"\W|_", path.name)[0].capitalize()
            yield name, RawMap(str(path)), (Service(options.macadam, str(path)), Osrm(own), Valhalla(own))


def row(*cells):
    print("|", " | ".join(map(str, cells)), "|", flush=True)


def heading(*cells):
    row(*cells)
    row(*["---"] * len(cells))


class Service:
    """Macadam: its HTTP service, which ends with this object."""

    name = "Macadam"

    def __init__(self, command, source):
        self.folder = tempfile.TemporaryDirectory()
        file = f"{self.folder.name}/map.mcd"
        subprocess.run([command, "import", source, "--ready", "-o", file, "--quiet"], check=True)
        serve = [command, "serve", file, "--listen", "127.0.0.1:0", "--threads", "1"]
        self.server = subprocess.Popen(serve, stderr=subprocess.PIPE, text=True)
        port = re.search(r"127\.0\.0\.1:(\d+)", self.server.stderr.readline())[1]
        self.connection = http.client.HTTPConnection("127.0.0.1", int(port))

    def __del__(self):
        self.server.kill()

    def ask(self, service, **options):
        self.connection.request("POST", f"/{service}/v1/driving", json.dumps(options))
        return json.loads(self.connection.getresponse().read())

    def route(self, places):
        return self.ask("route", coordinates=places, steps=True, overview="full", geometries="polyline6",
                        continue_straight=False)  # fmt: skip

    def match(self, places, times, accuracy):
        options = {"timestamps": times} if times else {}
        return self.ask("match", coordinates=places, radiuses=[accuracy] * len(places), overview="full",
                        geometries="polyline6", **options)  # fmt: skip


class Osrm:
    name = "OSRM"
    common = {"overview": "full", "geometries": "polyline6", "continue_straight": False}

    def __init__(self, folder):
        file = f"{folder}/osrm/map.osrm"
        self.engine = osrm.OSRM(storage_config=file, algorithm="MLD", use_shared_memory=False)

    def route(self, places):
        return plain(self.engine.Route(osrm.RouteParameters(coordinates=places, steps=True, **self.common)))

    def match(self, places, times, accuracy):
        options = {"timestamps": times} if times else {}
        options.update(coordinates=places, radiuses=[accuracy] * len(places), **self.common)
        return plain(self.engine.Match(osrm.MatchParameters(**options)))


def plain(value):
    """Dictionaries and lists in place of the objects of OSRM's package."""
    if isinstance(value, osrm.osrm_ext.Object):
        return {key: plain(value[key]) for key in value}
    if isinstance(value, osrm.osrm_ext.Array):
        return [plain(value[i]) for i in range(len(value))]
    return value


class Valhalla:
    name = "Valhalla"

    def __init__(self, folder):
        with open(f"{folder}/valhalla/config.json") as file:
            config = json.load(file)
        config["logging"] = {"type": ""}
        self.engine = valhalla.Actor(config)

    def route(self, places):
        places = [{"lon": lon, "lat": lat} for lon, lat in places]
        request = {"locations": places, "costing": "auto", "format": "osrm"}
        return json.loads(self.engine.route(json.dumps(request)))

    def match(self, places, times, accuracy):
        shape = [{"lon": lon, "lat": lat} for lon, lat in places]
        for point, time in zip(shape, times or []):
            point["time"] = time
        radius = min(100, max(50, 3 * accuracy))
        request = {"shape": shape, "costing": "auto", "format": "osrm", "shape_match": "map_snap",
                   "trace_options": {"gps_accuracy": accuracy, "search_radius": radius}}  # fmt: skip
        return json.loads(self.engine.trace_route(json.dumps(request)))


class Points:
    """Names points of three engines alike: those within a millionth of a degree are the same."""

    def __init__(self):
        self.known = {}

    def key(self, point):
        x, y = round(point[0] * 1e6), round(point[1] * 1e6)
        for dx, dy in [(0, 0), *((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1))]:
            if (x + dx, y + dy) in self.known:
                return self.known[x + dx, y + dy]
        return self.known.setdefault((x, y), (x, y))

    def keys(self, line):
        found = [self.key(point) for point in line]
        return [key for key, before in zip(found, [None, *found]) if key != before]


def length(line):
    return sum(metres(a, b) for a, b in zip(line, line[1:]))


def bearing(a, b):
    east = (b[0] - a[0]) * math.cos(math.radians((a[1] + b[1]) / 2))
    return math.degrees(math.atan2(east, b[1] - a[1])) % 360


class Along:
    """Positions along a line, in metres."""

    def __init__(self, line):
        self.line, self.at = line, [0]
        for a, b in zip(line, line[1:]):
            self.at.append(self.at[-1] + metres(a, b))

    def place(self, position):
        position = min(max(position, 0), self.at[-1])
        after = next((i for i in range(1, len(self.at)) if self.at[i] >= position), len(self.at) - 1)
        (a, b), (start, end) = self.line[after - 1 : after + 1], self.at[after - 1 : after + 1]
        share = (position - start) / (end - start) if end > start else 0
        return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])

    def part(self, end):
        """The line up to `end`."""
        return [point for point, at in zip(self.line, self.at) if at < end] + [self.place(end)]

    def nearest(self, place):
        distance = [abs(x - place[0]) + abs(y - place[1]) for x, y in self.line]
        return self.at[distance.index(min(distance))]

    def bearing(self, start, end):
        return bearing(self.place(start), self.place(end))


def line_of(route):
    return decode(route["geometry"])
