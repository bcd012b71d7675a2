"""The answers that clients of OSRM rely on: members of each object with types and order, and hints that outlive a map."""

import itertools
import json
import os
import signal

from server import Server, ServerTest, TownTest, text, town
from support import CommandTest, run


def table(lines):
    """{object: [[(member, type, optional)]]}: the orders of its members. A question mark: it may be absent."""
    orders = {}
    for line in lines.strip().splitlines():
        kind, _, members = line.partition(": ")
        row = [member.partition(":") for member in members.split()]
        orders.setdefault(kind.strip(), []).append([(name, type_.rstrip("?"), type_.endswith("?")) for name, _, type_ in row])
    return orders


# OSRM's page http.md, in the order in which OSRM 26.10 writes the members. Where it has several, some member decides.
ORDERS = table("""
error: message:text code:text
route: code:text routes:list waypoints:list?
match: code:text matchings:list tracepoints:list?
trip: code:text trips:list waypoints:list?
nearest: code:text waypoints:list?
table: code:text fallback_speed_cells:list? distances:list? destinations:list? durations:list? sources:list?
Route: confidence:number? legs:list weight_name:text geometry:line? weight:number duration:number distance:number
Leg: steps:list weight:number summary:text duration:number distance:number
Leg: annotation:object geometry:line? duration:number summary:text weight:number distance:number steps:list
Leg: geometry:line duration:number summary:text weight:number distance:number steps:list
Annotation: metadata:object? datasources:list? weight:list? nodes:list? distance:list? duration:list? speed:list?
Metadata: datasource_names:list
Step: intersections:list driving_side:text geometry:line maneuver:object rotary_name:text? exits:text? destinations:text? \
pronunciation:text? name:text mode:text weight:number duration:number distance:number
Step: intersections:list driving_side:text maneuver:object rotary_name:text? exits:text? destinations:text? \
pronunciation:text? geometry:line ref:text name:text mode:text weight:number duration:number distance:number
Maneuver: exit:number? bearing_after:number bearing_before:number location:list modifier:text? type:text
Intersection: lanes:list? out:number classes:list? in:number entry:list bearings:list location:list
Intersection: classes:list? out:number entry:list bearings:list location:list
Intersection: in:number entry:list bearings:list location:list
Lane: valid:truth indications:list
Waypoint: hint:text location:list name:text distance:number
Waypoint: distance:number name:text location:list
Near: nodes:list hint:text location:list name:text distance:number
Near: nodes:list name:text location:list distance:number
Tracepoint: alternatives_count:number waypoint_index:index distance:number name:text location:list hint:text matchings_index:number
Tracepoint: waypoint_index:index matchings_index:number name:text alternatives_count:number location:list distance:number
Stop: waypoint_index:number distance:number name:text location:list hint:text trips_index:number
Stop: waypoint_index:number trips_index:number name:text location:list distance:number
Line: coordinates:list type:text
""")
CHILDREN = {  # which objects stand in which members
    "route": {"routes": "Route", "waypoints": "Waypoint"},
    "match": {"matchings": "Route", "tracepoints": "Tracepoint"},
    "trip": {"trips": "Route", "waypoints": "Stop"},
    "nearest": {"waypoints": "Near"},
    "table": {"sources": "Waypoint", "destinations": "Waypoint"},
    "Route": {"legs": "Leg", "geometry": "Line"},
    "Leg": {"steps": "Step", "annotation": "Annotation", "geometry": "Line"},
    "Annotation": {"metadata": "Metadata"},
    "Step": {"maneuver": "Maneuver", "intersections": "Intersection", "geometry": "Line"},
    "Intersection": {"lanes": "Lane"},
}
TYPES = {
    "text": lambda it: isinstance(it, str),
    "number": lambda it: isinstance(it, (int, float)) and not isinstance(it, bool),
    "index": lambda it: it is None or isinstance(it, int),
    "truth": lambda it: isinstance(it, bool),
    "list": lambda it: isinstance(it, list),
    "object": lambda it: isinstance(it, dict),
    "line": lambda it: isinstance(it, (str, dict)),
}


def drawing():
    """A road with all that steps can show, from west to east: streets, lanes, a rotary, a toll motorway, a tunnel, a lane
    for residents."""
    nodes = {"a": (0, 0), "b": (1, 0), "c": (2, 0), "w": (2.8, 0), "s": (3, -0.2), "e": (3.2, 0), "n": (3, 0.2), "f": (4, 0),
             "g": (3, 1), "h": (3, -1), "i": (1, 1), "j": (1, -1), "k": (2, 1), "l": (2, -1), "m": (4, 1), "o": (5, 1), "p": (6, 1),
             "q": (9, 1), "r": (7, 0), "t": (8, 0), "u": (9, 0), "v": (7, -1), "x": (8, -1), "y": (7.5, -1)}  # fmt: skip
    ways = (
        ("abi", "residential", {}),
        ("bj", "residential", {"name": "South Street"}),
        ("bc", "primary", {"name": "Main Street", "ref": "D 1", "name:pronunciation": "meɪn", "lanes": "2", "oneway": "yes", "turn:lanes": "left|through;right"}),
        ("kcl", "residential", {"name": "Side Street"}),
        ("cw", "primary", {"name": "Main Street", "ref": "D 1"}),
        ("wsenw", "primary", {"junction": "roundabout", "name": "Star Circle"}),
        ("ef", "primary", {"ref": "D 2"}),
        ("gn", "residential", {"name": "North Street"}),
        ("hs", "residential", {"name": "Mill Street"}),
        ("fo", "motorway_link", {"oneway": "yes", "destination": "Big City"}),
        ("mo", "motorway", {"oneway": "yes", "ref": "A 1", "toll": "yes"}),
        ("op", "motorway", {"oneway": "yes", "ref": "A 1", "toll": "yes"}),
        ("pq", "motorway", {"oneway": "yes", "ref": "A 1", "toll": "yes"}),
        ("pr", "motorway_link", {"oneway": "yes", "destination": "Small Town", "ref": "R 1"}),
        ("ov", "motorway_link", {"oneway": "yes", "destination": "Long Road"}),
        ("vrt", "secondary", {"name": "Hill Road", "tunnel": "yes"}),
        ("lj", "residential", {"name": "South Street"}),
        ("gm", "residential", {"name": "North Street"}),
        ("xyvh", "residential", {"name": "Long Road"}),
        ("tx", "residential", {"name": "Back Street", "name:pronunciation": "bæk"}),
        ("tu", "residential", {"name": "Quiet Lane", "access": "destination"}),
    )  # fmt: skip
    lines = ['<osm version="0.6">']
    for letter, (x, y) in nodes.items():
        tag = '<tag k="highway" v="motorway_junction"/><tag k="ref" v="12"/>' if letter in "op" else ""
        lines.append(f'<node id="{ord(letter)}" lon="{7 + 0.002 * x:.4f}" lat="{43 + 0.002 * y:.4f}">{tag}</node>')
    for number, (line, kind, tags) in enumerate(ways, 1):
        tag = "".join(f'<tag k="{key}" v="{value}"/>' for key, value in ({"highway": kind} | tags).items())
        lines.append(f'<way id="{number}">{"".join(f"<nd ref={chr(34)}{ord(letter)}{chr(34)}/>" for letter in line)}{tag}</way>')
    return "\n".join([*lines, "</osm>"])


def at(*places):
    return ";".join(f"{7 + 0.002 * x:.5f},{43 + 0.002 * y:.5f}" for x, y in places)


WEST, EAST = (0.1, 0.01), (8.9, 0.01)


class Orders(ServerTest):
    """Every object of every service, over a map that has all that OSRM's page describes."""

    @classmethod
    def setUpClass(cls):
        CommandTest.setUpClass.__func__(cls)
        with open(cls.path("drawn.osm"), "w", encoding="utf-8") as file:
            file.write(drawing())
        cls.file = cls.path("drawn.mcd")
        run("import", cls.path("drawn.osm"), "--node-ids", "-o", cls.file, "--quiet")
        cls.server = Server(cls.file)
        cls.seen = {}

    def check(self, kind, value):
        for member, child in CHILDREN.get(kind, {}).items():
            for it in flat(value.get(member)):
                self.check("error" if "code" in it else child, it)
        names = list(value)
        for order in ORDERS[kind]:
            present = [(name, type_) for name, type_, optional in order if name in value or not optional]
            if [name for name, _ in present] == names:
                self.assertTrue(all(TYPES[type_](value[name]) for name, type_ in present), (kind, value))
                self.seen.setdefault((kind, tuple(it[0] for it in order)), set()).update(names)
                return
        self.fail(f"{kind} has the members {', '.join(names)}")

    def look(self, service, places, **options):
        answer = self.get(f"/{service}/v1/driving/{places}", **options)
        self.check(service, answer)
        return answer

    def test_every_object_has_the_members_of_the_page_in_osrms_order(self):
        ways = at(WEST, EAST), at((4.5, 1), (8, -0.8)), at((4.5, 1), (6.9, -0.99)), at((8.5, 0.01), (7.5, 0)), at((0.5, 0), (3, -0.9), (3, 0.9), (1, 0.9))
        trace = at((0.9, 0), (1.2, 0.01), (1.5, 0), (1.9, 0.01), (2.4, 0))
        flags = [{"steps": a, "generate_hints": b, "skip_waypoints": c} for a, b, c in itertools.product((False, True), repeat=3)]
        for flag, overview, annotations in itertools.product(
            flags, ("false", "full", "simplified", "by_legs"), ("false", "true", "nodes", "speed,weight,datasources")
        ):
            options = flag | {"overview": overview, "annotations": annotations}
            for geometries in ("polyline", "polyline6", "geojson"):
                self.look("route", ways[0], geometries=geometries, **options)
            for way in ways[1:]:
                self.look("route", way, **options)
            self.look("trip", ways[-1], **options)
            self.look("match", trace, **options)
        for annotations, speed, hints, skip in itertools.product(("duration", "distance", "distance,duration"), (0, 10), *[(False, True)] * 2):
            fallback = {"fallback_speed": speed} if speed else {}
            self.look("table", ways[-1], annotations=annotations, generate_hints=hints, skip_waypoints=skip, **fallback)
        for places, hints, skip in itertools.product((ways[0], at(WEST), at(WEST, (900, 0))), *[(False, True)] * 2):
            self.look("nearest", places, generate_hints=hints, skip_waypoints=skip)
        for kind, orders in ORDERS.items():
            for order in orders:
                names = tuple(it[0] for it in order)
                lacks = set(names) - self.seen.get((kind, names), set())
                self.assertFalse(lacks, f"{kind} of {names}")

    def test_errors_have_the_message_first(self):
        for path in ("/route/v1/driving/7,43", "/walk/v1/driving/7,43;8,43", "/route/v1/driving/7,43;8,43?steps=maybe", "/nothing"):
            status, _, body = self.server.ask(path)
            self.assertGreaterEqual(status, 400)
            self.assertTrue(body.startswith(b'{"message":"'), body)
            self.assertRegex(body, rb'","code":"[A-Za-z]+"}$')

    def test_classes_are_those_of_osrm(self):
        classes = set()
        for leg in self.look("route", at(WEST, EAST), steps=True)["routes"][0]["legs"]:
            for step in leg["steps"]:
                for intersection in step["intersections"]:
                    classes.add((step["name"], step.get("ref"), *intersection.get("classes", [])))
        self.assertLessEqual({("", "A 1", "toll", "motorway"), ("Hill Road", None, "tunnel"), ("Quiet Lane", None, "restricted")}, classes)
        self.assertIn(("Main Street", "D 1"), classes)

    def test_an_annotation_does_not_hold_the_prices_of_turns(self):
        (route,) = self.look("route", at((0.5, 0), (3, -0.9)), annotations=True)["routes"]
        annotation = route["legs"][0]["annotation"]
        self.assertLess(sum(annotation["duration"]), route["duration"] - 1)
        self.assertEqual(annotation["duration"], annotation["weight"])
        for metres, seconds, speed in zip(annotation["distance"], annotation["duration"], annotation["speed"]):
            self.assertAlmostEqual(metres / seconds, speed, delta=0.1)
        self.assertAlmostEqual(sum(annotation["distance"]), route["distance"], delta=0.1)

    def test_columns_of_a_trip_as_r_reads_them(self):
        """R's osrm takes waypoints[, c(1, 2, 5)]: where a stop is in its trip, and which trip that is."""
        answer = self.look("trip", at((0.5, 0), (3, -0.9), (1, 0.9)), generate_hints=False, steps=False, geometries="geojson", overview="full")
        for stop in answer["waypoints"]:
            self.assertEqual([list(stop)[i - 1] for i in (1, 2, 5)], ["waypoint_index", "trips_index", "distance"])

    def test_the_nodes_of_a_road_are_those_of_its_piece(self):
        for place, nodes in (((1.5, 0.01), "bc"), ((3.1, -0.11), "se"), ((7.5, 0.02), "rt"), ((7.7, -1.01), "xy")):
            (found,) = self.look("nearest", at(place))["waypoints"]
            self.assertIn(found["nodes"], ([ord(node) for node in order] for order in (nodes, nodes[::-1])))

    def test_a_node_that_the_map_does_not_keep_is_0(self):
        run("import", self.path("drawn.osm"), "-o", self.path("plain.mcd"), "--quiet")
        server = Server(self.path("plain.mcd"))
        (found,) = json.loads(server.ask(f"/nearest/v1/driving/{at((7.7, -1.01))}")[2])["waypoints"]
        self.assertIn(found["nodes"], ([ord("x"), 0], [0, ord("x")]))
        self.assertEqual(server.stop()[0], 0)

    def test_waypoints_choose_where_legs_end(self):
        """At the others the route goes on, as if the road had been drawn without them."""
        places = [(0.5, 0.01), (1.2, 0.01), (1.6, -0.01), (2.5, 0.01), (6.5, -0.99)]
        path = at(*places)
        direct = self.look("route", at(places[0], places[-1]), steps=True, annotations=True, overview="full")
        whole = self.look("route", path)
        passed = self.look("route", path, steps=True, annotations=True, overview="full", waypoints="0;4")
        self.assertEqual(passed["routes"], direct["routes"])
        self.assertEqual(passed["waypoints"], whole["waypoints"])
        (route,) = self.look("route", path, steps=True, waypoints="0;2;4")["routes"]
        legs = whole["routes"][0]["legs"]
        for name in "distance", "duration", "weight":
            want = [sum(leg[name] for leg in part) for part in (legs[:2], legs[2:])]
            for leg, value in zip(route["legs"], want, strict=True):
                self.assertAlmostEqual(leg[name], value, places=3)
                self.assertAlmostEqual(sum(step[name] for step in leg["steps"]), value, places=3)
        (costs,) = self.look("route", path, overview="false", waypoints="0;2;4")["routes"]
        for name in "distance", "duration", "weight":
            self.assertEqual([leg[name] for leg in costs["legs"]], [leg[name] for leg in route["legs"]])
        for leg in route["legs"]:
            kinds = [step["maneuver"]["type"] for step in leg["steps"]]
            self.assertEqual([kinds.index("depart"), kinds.index("arrive")], [0, len(kinds) - 1])
        for service, wrong in (("route", ("0;2", "1;4", "2", "4;0")), ("match", ("0;2", "1;4", "2"))):
            for waypoints in wrong:
                self.assertFails(f"/{service}/v1/driving/{path}?waypoints={waypoints}", "InvalidValue",
                                 "First and last coordinates must be specified as waypoints.")  # fmt: skip

    def test_waypoints_of_a_trace_choose_where_legs_end(self):
        trace = at((0.9, 0), (1.2, 0.01), (1.5, 0), (1.9, 0.01), (2.4, 0))
        whole, some = (self.look("match", trace, steps=True, **options) for options in ({}, {"waypoints": "0;3;4"}))
        self.assertEqual([point["waypoint_index"] for point in some["tracepoints"]], [0, None, None, 1, 2])
        for point, other in zip(some["tracepoints"], whole["tracepoints"]):
            self.assertEqual(point | {"waypoint_index": 0}, other | {"waypoint_index": 0})
        (route,), (every,) = some["matchings"], whole["matchings"]
        self.assertEqual((len(route["legs"]), len(every["legs"])), (2, 4))
        self.assertAlmostEqual(route["legs"][0]["distance"], sum(leg["distance"] for leg in every["legs"][:3]), places=3)
        self.assertEqual(route["geometry"], every["geometry"])
        far = at((0.9, 0), (900, 0), (1.2, 0), (1.5, 0))
        self.assertFails(f"/match/v1/driving/{far}?waypoints=0;1;3", "NoMatch", "Requested waypoint parameter could not be matched.")
        self.look("match", far, waypoints="0;3")

    def test_where_there_is_no_alternative_later_points_change_nothing(self):
        """A trace may be cut there: clients that match while they drive do."""
        trace = [(0.3, 0.04), (0.9, 0.04), (1.3, 0.01), (1.95, 0.02), (2.0, -0.2), (2.01, -0.5)]
        others = (2.4, 0.01), (2.0, 0.4)
        counts = [point["alternatives_count"] for point in self.look("match", at(*trace))["tracepoints"]]
        self.assertIn(0, counts[1:-1])
        self.assertGreater(max(counts), 0)
        for last in range(1, len(trace) - 1):
            if counts[last] > 0:
                continue
            for other in others:
                whole, cut = (self.look("match", at(*points))["tracepoints"] for points in (trace, [*trace[: last + 1], other]))
                for point, same in zip(whole[:last], cut):
                    self.assertEqual(point["location"], same["location"])

    def test_times_that_descend_are_a_bad_value(self):
        path = f"/match/v1/driving/{at((0.9, 0), (1.2, 0.01), (1.5, 0))}"
        for times in ("3;2;1", "1;3;2"):
            self.assertFails(f"{path}?timestamps={times}", "InvalidValue", "Timestamps need to be monotonically increasing.")
        self.get(path, timestamps="1;1;2")

    def test_times_are_whole_seconds_of_every_point(self):
        path = f"/match/v1/driving/{at((0.9, 0), (1.2, 0.01), (1.5, 0))}?timestamps="
        for times in ("1;2.5;3", "1;;3", ";2;3", "1;2;", "", "1;-2;3", "1;1e2;300", "1;x;3", "1;2;4294967296"):
            with self.subTest(times=times):
                self.assertFails(path + times, "InvalidQuery")


def flat(value):
    """The objects in a value: of a list, and of lists in it."""
    if isinstance(value, list):
        return [object_ for it in value for object_ in flat(it)]
    return [value] if isinstance(value, dict) else []


class LeafletRoutingMachine:
    """The requests of its OSRM client (L.Routing.OSRMv1): it keeps the hint of every place that an answer had."""

    def __init__(self, server):
        self.server, self.hints = server, {}

    def drag(self, test, places, geometry_only=False):
        hints = ";".join(self.hints.get(place, "") for place in places)
        coordinates = ";".join(f"{lon},{lat}" for lon, lat in places)
        kind = "overview=full" if geometry_only else "overview=false"
        alternatives = text(not geometry_only and len(places) == 2)
        status, _, body = self.server.ask(f"/route/v1/driving/{coordinates}?{kind}&alternatives={alternatives}&steps=true&hints={hints}")
        test.assertEqual(status, 200, body)
        answer = json.loads(body)
        test.assertEqual(answer["code"], "Ok")
        for place, waypoint in zip(places, answer["waypoints"]):
            self.hints[place] = waypoint["hint"]
        return answer


class Hints(TownTest):
    def drag_about(self, client, start, end):
        for i in range(3):
            moved = (round(start[0] + 0.0007 * i, 6), start[1])
            for geometry_only in (True, True, False):
                answer = client.drag(self, (moved, end), geometry_only)
        return answer

    def rebuild(self, change):
        """Another build of the map, from changed data, under the same name."""
        with open(self.path("changed.osm"), "w") as file:
            file.write(town().replace(*change))
        run("import", self.path("changed.osm"), "-o", self.path("changed.mcd"), "--quiet")
        os.replace(self.path("changed.mcd"), self.file)

    def test_every_drag_is_answered_across_a_reload_and_on_another_server(self):
        client = LeafletRoutingMachine(self.server)
        self.drag_about(client, (7.0001, 43.0005), (7.0079, 43.0075))
        before = dict(client.hints)
        self.rebuild(("residential", "tertiary"))
        self.server.process.send_signal(signal.SIGHUP)
        self.server.process.stderr.readline()  # that the maps are loaded again
        self.drag_about(client, (7.0011, 43.0025), (7.0079, 43.0075))
        self.assertNotEqual(client.hints[7.0079, 43.0075], before[7.0079, 43.0075])
        self.rebuild(("primary", "secondary"))
        other = Server(self.file)
        try:
            client.server = other
            self.drag_about(client, (7.0021, 43.0045), (7.0079, 43.0075))
            client.server = self.server  # and back again
            self.drag_about(client, (7.0021, 43.0045), (7.0079, 43.0075))
        finally:
            self.assertEqual(other.stop()[0], 0)

    def test_a_damaged_hint_is_ignored(self):
        path = "/nearest/v1/driving/7.0005,43.0005"
        plain = self.get(path)
        hint = plain["waypoints"][0]["hint"]
        for damaged in (hint[::-1], hint[:-4], hint + "AAAA", "abc", "%C3%A4", "...", hint[:-1] + "!", hint.swapcase()):
            self.assertEqual(self.get(f"{path}?hints={damaged}"), plain)
        body = {"coordinates": [[7.0005, 43.0005]], "hints": [hint[::-1]]}
        self.assertEqual(json.loads(self.server.ask("/nearest/v1/driving", "POST", json.dumps(body))[2]), plain)
