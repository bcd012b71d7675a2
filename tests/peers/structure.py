#!/usr/bin/env python3
"""Sends random requests to `macadam serve` and to osrm-routed, and says where their answers differ in structure.

    structure.py MACADAM MAP.osm.pbf FOLDER [--count 2000] [--seed 1] [--show 3]

FOLDER is what `prepare` made (README.md beside this file). Equal are the HTTP status, the code, the members of each
object and their order, the types of their values, and the counts that a request decides: routes but for
alternatives, legs, waypoints, rows and columns. Members that roads decide about (the ref of a step) may differ, but
objects with equal members have them in one order. Each difference has a reason in DIFFERENCES, or the exit status is 1.
"""

import argparse
import collections
import http.client
import json
import math
import pathlib
import random
import re
import socket
import subprocess
import tempfile
import time
import urllib.parse

import osrm
from compare import RawMap

# ---- requests ----

BOOL = ["true", "false"]
OF_COORDINATES = {
    "radiuses": (["", "unlimited", "5", "30.5", "1000", "0"], ["-3", "x"]),
    "bearings": (["", "0,180", "90,45", "200,20", "360,10"], ["361,10", "10,200", "north", "10"]),
    "approaches": (["", "curb", "opposite", "unrestricted"], ["left"]),
}
PATHS = {
    "steps": (BOOL, ["yes"]),
    "annotations": ([*BOOL, "duration", "nodes,distance", "speed,weight,datasources", "nodes"], ["durations", "true,x"]),
    "geometries": (["polyline", "polyline6", "geojson"], ["wkt"]),
    "overview": (["simplified", "full", "false", "by_legs"], ["true"]),
}
GENERAL = {
    "generate_hints": (BOOL, ["no"]),
    "skip_waypoints": (BOOL, ["1"]),
    "exclude": (["motorway", "toll", "ferry"], ["hills", ""]),
    "snapping": (["default", "any"], ["some"]),
    "colour": ([], ["red"]),
}
SERVICES = {
    "route": PATHS
    | {
        "alternatives": ([*BOOL, "2", "3"], ["-1", "many"]),
        "continue_straight": ([*BOOL, "default"], ["maybe"]),
    },
    "nearest": {"number": (["1", "2", "5"], ["0", "-1", "two"])},
    "table": {
        "annotations": (["duration", "distance", "duration,distance", "distance,duration"], ["weight", "true"]),
        "fallback_speed": (["10", "3.5"], ["0", "-5", "fast"]),
        "fallback_coordinate": (["input", "snapped"], ["raw"]),
        "scale_factor": (["2", "0.5"], ["0", "-1", "big"]),
    },
    "match": PATHS | {"gaps": (["split", "ignore"], ["none"]), "tidy": (BOOL, ["2"])},
    "trip": PATHS
    | {
        "roundtrip": (BOOL, ["once"]),
        "source": (["any", "first"], ["last"]),
        "destination": (["any", "last"], ["first"]),
    },
    "tile": {},
}
WRONG_SHARE = 0.03
BROKEN_PATHS = (
    "/route/v1/driving/{0}", "/route/v1/driving/{0};{1}?", "/route/v1/driving/{0};{1}?steps", "/route/v2/driving/{0};{1}",
    "/walk/v1/driving/{0};{1}", "/route/v1/driving", "/route", "/", "/route/v1/driving/{0};{1};", "/route/v1/driving/a,b;c,d",
    "/route/v1/driving/200,95;{1}", "/route/v1/driving/{0};{1}.json", "/route/v1/driving/{0};{1}.json?steps=true",
    "/route/v1/driving/{0};{1}&steps=true", "/route/v1/driving/{0};{1}?steps=true&&overview=false",
    "/route/v1/driving/{0};{1}?steps=true&", "/table/v1/driving/{0}", "/match/v1/driving/{0}", "/trip/v1/driving/{0}",
    "/nearest/v1/driving/", "/route/v1/driving/polyline(_p~iF~ps|U)", "/route/v1//{0};{1}", "/Route/v1/driving/{0};{1}",
    "/route/v1/driving/{0};{1}?sources=0", "/route/v1/driving/{0};{1}?steps=true&steps=false", "/tile/v1/driving/1,2",
    "/route/v1/driving/{0};{1}?format=json",
)  # fmt: skip


class Requests:
    """Random paths; each a service, its coordinates and options."""

    def __init__(self, raw, seed):
        self.raw, self.random = raw, random.Random(seed)
        places = [raw.location[node] for node in raw.road_nodes]
        self.middle = sorted(places)[len(places) // 2]
        self.hints = []  # (coordinate, OSRM's hint, ours)

    def choose(self, values):
        right, wrong = values
        return self.random.choice(wrong if wrong and (not right or self.random.random() < WRONG_SHARE) else right)

    def place(self):
        if self.random.random() < 0.02:
            return self.middle[0] + self.random.uniform(-5, 5), self.middle[1] + self.random.uniform(-5, 5)
        return self.raw.random_point(self.random)

    def places(self, service):
        if service == "match":
            return self.trace()
        most = {"nearest": 3, "route": 4}.get(service, 7)
        least = 1 if service == "nearest" else 2
        return [self.place() for _ in range(self.random.randint(least, most))]

    def trace(self):
        """Points along a way, each moved by some metres."""
        way = self.random.choice(list(self.raw.way_of))
        nodes = [way[0]]
        while len(nodes) < 12:
            following = [pair[1] for pair in self.next_of(nodes[-1]) if pair[1] not in nodes]
            if not following:
                break
            nodes.append(self.random.choice(following))
        trace = [self.raw.location[node] for node in nodes]
        trace = [tuple(at + self.random.gauss(0, 4e-5) for at in place) for place in trace]
        if self.random.random() < 0.1 and len(trace) > 3:
            trace[len(trace) // 2] = self.place()
        return trace if len(trace) > 1 else self.trace()

    def next_of(self, node):
        if not hasattr(self, "pairs"):
            self.pairs = collections.defaultdict(list)
            for pair in self.raw.way_of:
                if self.raw.way_tags[self.raw.way_of[pair]].get("highway") in ("primary", "secondary", "tertiary",
                        "residential", "unclassified", "trunk"):  # fmt: skip
                    self.pairs[pair[0]].append(pair)
        return self.pairs[node]

    def indices(self, count):
        if self.random.random() < WRONG_SHARE:
            return self.random.choice(["x", str(count), "-1", "0;0"])
        return ";".join(map(str, sorted(self.random.sample(range(count), self.random.randint(1, count)))))

    def waypoints(self, count):
        if self.random.random() < 3 * WRONG_SHARE:
            return self.random.choice(["x", f"0;{count}", "1", "0", f"{count - 1};0", f"1;{count - 1}", "0;0"])
        inner = sorted(self.random.sample(range(1, count - 1), self.random.randint(0, max(0, count - 2))))
        return ";".join(map(str, [0, *inner, count - 1]))

    def timestamps(self, count):
        start, step = 1424684612, self.random.choice([1, 5, 5, 15, 90])
        times = [start + step * i for i in range(count)]
        if self.random.random() < 0.1:
            times[-1] = self.random.choice([start, times[-2], "noon", start - 5])
        return ";".join(map(str, times))

    def options(self, service, count):
        chosen = {}
        possible = GENERAL | SERVICES[service]
        for name in self.random.sample(sorted(possible), self.random.randint(0, 4)):
            if possible[name][0] or self.random.random() < 0.2:
                chosen[name] = self.choose(possible[name])
        for name, values in OF_COORDINATES.items():
            if self.random.random() < 0.08:
                size = count if self.random.random() > WRONG_SHARE else count + 1
                chosen[name] = ";".join(self.choose(values) for _ in range(size))
        for name, services, share in (("sources", ("table",), 0.3), ("destinations", ("table",), 0.3),
                                      ("waypoints", ("route", "match"), 0.15), ("timestamps", ("match",), 0.5)):  # fmt: skip
            if service in services and self.random.random() < share:
                make = {"waypoints": self.waypoints, "timestamps": self.timestamps}.get(name, self.indices)
                chosen[name] = make(count)
        return chosen

    def next(self):
        """The paths of both, which differ in their hints only."""
        if self.random.random() < 0.05:
            return (self.random.choice(BROKEN_PATHS).format(*(text_of(self.place()) for _ in range(2))),) * 2
        service = self.random.choice(list(SERVICES))
        if service == "tile":
            return (self.tile(),) * 2
        places = [text_of(place) for place in self.places(service)]
        options = self.options(service, len(places))
        other = dict(options)
        if self.hints and self.random.random() < 0.1:
            hinted = [self.random.choice([None, *self.hints[-20:]]) for _ in places]
            for i, hint in enumerate(hinted):
                places[i] = hint[0] if hint else places[i]
            options["hints"] = ";".join(hint[1] if hint else "" for hint in hinted)
            other["hints"] = ";".join(hint[2] if hint else "" for hint in hinted)
            if self.random.random() < 0.3:  # of another map
                options["hints"], other["hints"] = other["hints"], options["hints"]
        start = f"/{service}/v1/driving/{';'.join(places)}"
        return tuple(start + ("?" + urllib.parse.urlencode(o, safe=";,") if o else "") for o in (options, other))

    def remember(self, path, answer, ours):
        """Keeps the hints of the waypoints of both answers."""
        places = re.split(r"[/?]", path)[4].split(";")
        pairs = (body.get("waypoints", []) for body in (answer, ours))
        for place, waypoint, own in zip(places, *pairs):
            if isinstance(waypoint, dict) and "hint" in waypoint and "hint" in own:
                self.hints.append((place, waypoint["hint"], own["hint"]))

    def tile(self):
        zoom = self.random.choice([9, 12, 14, 16])
        lon, lat = self.place()
        x = int((lon + 180) / 360 * 2**zoom)
        y = int((1 - math.asinh(math.tan(math.radians(lat))) / math.pi) / 2 * 2**zoom)
        return f"/tile/v1/driving/tile({x},{y},{zoom}).mvt"


def text_of(place):
    return f"{place[0]:.6f},{place[1]:.6f}"


# ---- answers ----

# The request decides which members an object has, but for those of steps: their orders are compared over all answers.
OF_ROADS = re.compile(r"\.steps\[\]")
COUNTED = ("routes", "matchings", "trips", "legs", "waypoints", "tracepoints", "sources", "destinations", "durations", "distances")
OURS = {"status", "nearest_distance"}  # of a place whose nearest road is cut off


class Engine:
    """One of the two servers."""

    def __init__(self, command, port):
        self.command, self.port = command, port
        self.orders = collections.defaultdict(set)  # of the objects at a path, by their members
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        while self.process.poll() is None and self.ask("/")[0] is None:
            time.sleep(0.1)

    def stop(self):
        self.process.kill()
        self.process.wait()

    def ask(self, path):
        """(status, JSON or bytes); None, None: the connection was closed without an answer."""
        for _ in range(2):  # an idle connection may have been closed
            try:
                self.connection.request("GET", path)
                answer = self.connection.getresponse()
                body = answer.read()
                break
            except (OSError, http.client.HTTPException):
                self.connection.close()
        else:
            return None, None
        try:
            return answer.status, json.loads(body)
        except ValueError:
            return answer.status, body


def walk(value, path, found, orders):
    """Adds what is at the paths of a value: ("members", path, names), ("type", path, type), ("count", path, number)."""
    if isinstance(value, dict):
        names = tuple(name for name in value if name not in OURS)
        orders[path, frozenset(names)].add(names)
        if not OF_ROADS.search(path):
            found.add(("members", path, names))
        for name in names:
            if name in COUNTED and isinstance(value[name], list):
                found.add(("count", f"{path}.{name}", len(value[name])))
            walk(value[name], f"{path}.{name}", found, orders)
    elif isinstance(value, list):
        for it in value:
            walk(it, f"{path}[]", found, orders)
    elif not OF_ROADS.search(path):
        kind = "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__
        found.add(("type", path, kind))


def differences(path, answers, engines):
    """Texts: what differs between OSRM's answer and ours."""
    (status, body), (our_status, our_body) = answers
    service = path.split("/")[1]
    codes = [it.get("code") if isinstance(it, dict) else type(it).__name__ for it in (body, our_body)]
    if status != our_status or codes[0] != codes[1]:
        return [f"{service}: {status} {codes[0]} | {our_status} {codes[1]}"]
    found = set(), set()
    for it, what, engine in zip((body, our_body), found, engines):
        walk(it, service, what, engine.orders)
    texts = []
    for kind, at in sorted({it[:2] for it in found[0] ^ found[1]}):
        values = (sorted(str(it[2]) for it in what if it[:2] == (kind, at)) for what in found)
        texts.append(f"{kind} {at}: {' & '.join(next(values))} | {' & '.join(next(values))}")
    return texts


# ---- the differences that are meant ----

DIFFERENCES = [  # what differs, of which paths, why
    (r"400 InvalidQuery \| 400 InvalidOptions", "colour=|sources=0", "an option that a service lacks is named"),
    (r"400 InvalidQuery \| 200 Ok", "format=json|annotations=true", "a path may have what bodies have"),
    (r"400 InvalidQuery \| 200 Ok", "hints=", "a hint of another map is ignored whatever its length"),
    (r"400 InvalidQuery \| 400", "&.*&|hints=", "of two wrong values the first one is named"),
    (r"trip: 400 NotImplemented \|", "roundtrip=false", "a trip may begin and end anywhere"),
    (r"400 InvalidUrl \| 200 bytes", "^/$", "/ is a page with the map"),
    (r"count route.routes", "alternatives=", "alternatives by other rules; none is guaranteed"),
    (r"count nearest.waypoints", "number=", "each place is on another road, where OSRM counts segments"),
    (r"400 No(Route|Trips) \| 200 Ok", "", "a place on a road that is cut off is moved to one that is not"),
    (r"match: .*NoMatch", "^/match", "another matcher: it finds ways where OSRM does not, and the other way round"),
    (r"(count|type) match\.(matchings|tracepoints)", "^/match", "another matcher: it leaves out other points"),
]


def reason_of(text, path):
    for what, of_path, why in DIFFERENCES:
        if re.search(what, text) and re.search(of_path, path):
            return why
    return None


def compare(options, engines):
    """Returns how many differences have no reason."""
    requests = Requests(RawMap(options.map), options.seed)
    found, equal = collections.defaultdict(list), 0
    for _ in range(options.count):
        paths = requests.next()
        answers = [engine.ask(path) for engine, path in zip(engines, paths)]
        if all(isinstance(body, dict) and body.get("code") == "Ok" for _, body in answers):
            requests.remember(paths[0], *(body for _, body in answers))
        if answers[0][0] is None:  # it closes the connection, or never ends to compute
            print(f"OSRM does not answer {paths[0]}", flush=True)
            engines[0].stop()
            engines[0].start()
            continue
        texts = differences(paths[0], answers, engines)
        equal += not texts
        for text in texts:
            found[text].append(paths[0])
    for (at, names), orders in engines[1].orders.items():
        known = engines[0].orders.get((at, names))
        if known and known != orders:
            found[f"order of {at}: {known} | {orders}"].append("")
    reasons, unknown = collections.Counter(), 0
    for text, paths in sorted(found.items(), key=lambda it: -len(it[1])):
        bare = [path for path in paths if reason_of(text, path) is None]
        reasons.update(reason_of(text, path) for path in paths)
        unknown += len(bare)
        if bare:
            print(f"{len(bare)} x {text}")
            for path in bare[: options.show]:
                print(f"      {path}")
    print(f"{equal} of {options.count} answers are equal; {unknown} differences have no reason")
    for why, count in reasons.most_common():
        if why:
            print(f"{count:6} {why}")
    return unknown


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("macadam", "map", "folder"):
        parser.add_argument(name)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=3, help="examples of each difference")
    options = parser.parse_args()
    routed, ports = pathlib.Path(osrm.__file__).parent / "bin" / "osrm-routed", (free_port(), free_port())
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/map.mcd"
        subprocess.run([options.macadam, "import", options.map, "--node-ids", "--ready", "-o", file, "--quiet"], check=True)
        commands = (
            f"{routed} {options.folder}/osrm/map.osrm -a MLD -i 127.0.0.1 -p {ports[0]} -t 1",
            f"{options.macadam} serve {file} --listen 127.0.0.1:{ports[1]} --default-radius unlimited --max-alternatives 3",
        )
        engines = tuple(Engine(command.split(), port) for command, port in zip(commands, ports))
        try:
            unknown = compare(options, engines)
        finally:
            for engine in engines:
                engine.stop()
    raise SystemExit(unknown > 0)


if __name__ == "__main__":
    main()
