"""Vector tiles."""

import gzip
import json
import math
import struct

from server import BLOCKS, Server, TownTest, town


def fields(data):
    """(number, value) of each field of a protobuf message."""
    at = 0

    def number():
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = number()
        size = {0: 0, 1: 8, 2: 0, 5: 4}[key & 7] or (number() if key & 7 == 2 else 0)
        at += size
        yield key >> 3, data[at - size : at] if size or key & 7 == 2 else number()


def numbers(data):
    """The varints of a packed field."""
    found, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.append(value)
            value, shift = 0, 0
    return found


def signed(number):
    return number >> 1 ^ -(number & 1)


VALUES = {1: ("text", bytes.decode), 2: ("float", lambda it: struct.unpack("<f", it)[0]), 3: ("double", lambda it: struct.unpack("<d", it)[0]),
          5: ("uint", int), 6: ("sint", signed), 7: ("bool", bool)}  # fmt: skip


def lines(commands):
    """The points of each line, or each point, in units of the tile."""
    found, x, y, at = [], 0, 0, 0
    while at < len(commands):
        command, count = commands[at] & 7, commands[at] >> 3
        at += 1
        for _ in range(count):
            x, y = x + signed(commands[at]), y + signed(commands[at + 1])
            at += 2
            if command == 1:
                found.append([])
            found[-1].append((x, y))
    return found


def decode(tile):
    """{layer: (keys with their kinds, features)}; of a feature: its id, shape, lines and tags."""
    layers = {}
    for _, layer in fields(tile):
        parts = list(fields(layer))
        of = lambda wanted: [value for field, value in parts if field == wanted]  # noqa: E731
        keys, values = [it.decode() for it in of(3)], [next(iter(fields(it))) for it in of(4)]
        kinds, features = {}, []
        for feature in map(dict, map(fields, of(2))):
            tags, pairs = {}, numbers(feature[2])
            for key, value in zip(pairs[::2], pairs[1::2]):
                kind, read = VALUES[values[value][0]]
                tags[keys[key]] = read(values[value][1])
                kinds.setdefault(keys[key], set()).add(kind)
            features.append({"id": feature[1], "shape": feature[3], "lines": lines(numbers(feature[4])), **tags})
        assert of(5) == [4096] and of(15) == [2] and all(len(it) == 1 for it in kinds.values())
        layers[of(1)[0].decode()] = {key: kinds[key].pop() for key in keys}, features
    return layers


def tile_of(lon, lat, zoom):
    side = 2**zoom
    return int((lon + 180) / 360 * side), int((1 - math.asinh(math.tan(math.radians(lat))) / math.pi) / 2 * side)


# The layers of osrm-routed 26.10 that its page names, and their properties.
OSRM = {
    "speeds": {"speed": "uint", "is_small": "bool", "datasource": "text", "weight": "double", "duration": "double", "name": "text", "rate": "double", "is_startpoint": "bool"},
    "turns": {"bearing_in": "sint", "turn_angle": "sint", "cost": "float", "weight": "float", "type": "text", "modifier": "text"},
}  # fmt: skip

# A town beside a curved road, a ferry and a road that is open one way.
CURVE = """<way id="300"><tag k="highway" v="tertiary"/><tag k="name" v="Curve"/><nd ref="301"/><nd ref="302"/><nd ref="303"/><nd ref="25"/></way>
<way id="310"><tag k="route" v="ferry"/><tag k="name" v="Ferry"/><nd ref="1"/><nd ref="311"/></way>
<way id="320"><tag k="highway" v="residential"/><tag k="name" v="Oneway"/><tag k="oneway" v="yes"/><nd ref="301"/><nd ref="321"/><nd ref="25"/></way>"""
NODES = {301: (7.1, 43.008), 302: (7.1, 43.1), 303: (7.008, 43.1), 311: (6.9, 42.96), 321: (7.05, 43.0081)}


class Tiles(TownTest):
    ZOOM = 16

    @classmethod
    def setUpClass(cls):
        nodes = "".join(f'<node id="{id}" lon="{lon}" lat="{lat}"/>' for id, (lon, lat) in NODES.items())
        cls.town = town().replace("<way", nodes + "<way", 1).replace("</osm>", CURVE + "</osm>")
        super().setUpClass()
        cls.server.stop()
        with open(cls.path("token"), "w") as file:
            file.write("s3cret")
        cls.server = Server(cls.file, "--token-file", cls.path("token"))

    def tile(self, lon, lat, zoom=ZOOM, **headers):
        x, y = tile_of(lon, lat, zoom)
        return self.server.ask(f"/tile/v1/driving/tile({x},{y},{zoom}).mvt", headers={it.replace("_", "-"): value for it, value in headers.items()})

    def layer(self, name, lon, lat, zoom=ZOOM):
        """The features of a layer of the tile at a place."""
        status, headers, body = self.tile(lon, lat, zoom)
        self.assertEqual((status, headers["Content-Type"], headers["Access-Control-Allow-Origin"]), (200, "application/x-protobuf", "*"), body)
        return decode(body).get(name, ({}, []))[1]

    def post(self, path, body):
        status, _, answer = self.server.ask(path, "POST", json.dumps(body), {"Authorization": "Bearer s3cret"})
        self.assertEqual(status, 200, answer)

    def test_layers_and_properties_are_those_of_osrm(self):
        for zoom in range(12, 20):
            layers = decode(self.tile(7.004, 43.004, zoom)[2])
            self.assertEqual(list(layers), list(OSRM)[: 2 if zoom >= 15 else 1])
            for name, (kinds, features) in layers.items():
                more = {"class": "text"} if name == "speeds" else {}
                self.assertEqual(list(kinds.items()), list({**OSRM[name], **more}.items()))
                self.assertTrue(all(len(it) == 3 + len(kinds) for it in features))

    def test_tiles_have_the_roads_that_cross_them(self):
        corners = [(lon, lat) for lon in (7, 7.008) for lat in (43, 43.008)]
        found = {it["name"] for at in corners for it in self.layer("speeds", *at, 14)}
        self.assertLessEqual({f"{kind} {i}" for kind in ("Road", "Street") for i in range(BLOCKS)}, found)
        self.assertEqual([it["name"] for it in self.layer("speeds", 7.1, 43.05)], ["Curve"] * 2)  # no junction is there
        self.assertEqual(self.layer("speeds", 7.05, 43.05), [])  # only the box of the whole curve is
        self.assertEqual(self.tile(-120, 40)[2], b"")

    def test_properties_follow_the_roads(self):
        one, = self.layer("speeds", 7.05, 43.0081)
        self.assertEqual((one["name"], one["class"], one["shape"], one["datasource"]), ("Oneway", "residential", 2, "map"))
        self.assertEqual((one["weight"], one["is_startpoint"]), (one["duration"], True))
        self.assertEqual(one["rate"], round(one["speed"] / 3.6))
        there, back = self.layer("speeds", 7.1, 43.05)
        self.assertEqual(there["lines"], [it[::-1] for it in back["lines"]])
        self.assertEqual((there["speed"], there["is_small"]), (back["speed"], False))
        self.assertEqual([(it["name"], it["is_startpoint"], it["class"]) for it in self.layer("speeds", 6.95, 42.98)], [("Ferry", False, "ferry")] * 2)
        self.assertTrue(all(-128 <= number <= 4224 for line in there["lines"] for point in line for number in point))
        metres = 0.001 * 111.2e3  # of a block's half
        east = next(it for it in self.layer("speeds", 7.001, 43.004, 18) if it["name"] == "Road 2")
        self.assertAlmostEqual(east["speed"] / 3.6 * east["duration"], 2 * metres * math.cos(math.radians(43)), delta=metres / 20)

    def test_turns_have_their_directions(self):
        turns = [it for it in self.layer("turns", 7.002, 43.002, 19) if it["bearing_in"] == 90]
        self.assertEqual(sorted((it["turn_angle"], it["modifier"]) for it in turns), [(-90, "left"), (0, "straight"), (90, "right")])
        at = {it["turn_angle"]: it for it in turns}
        self.assertEqual([at[0]["cost"], at[0]["type"], at[90]["type"]], [0, "(noturn)", "turn"])
        self.assertGreater(at[-90]["cost"], 0)
        self.assertTrue(all(it["cost"] == it["weight"] and it["type"] and len(it["lines"][0]) == 1 for it in turns))

    def test_ids_are_the_numbers_that_traffic_takes(self):
        one, = self.layer("speeds", 7.05, 43.0081)
        self.post("/traffic/v1/driving", {"arc": [one["id"]], "value": [100 * round(10 * one["duration"]) * 2]})
        slow, = self.layer("speeds", 7.05, 43.0081)
        self.assertEqual((slow["datasource"], slow["duration"]), ("traffic", round(2 * one["duration"], 1)))
        self.assertAlmostEqual(slow["speed"], one["speed"] / 2, delta=1)
        self.post("/traffic/v1/driving", {"arc": [one["id"]], "value": [None]})
        self.assertEqual(self.layer("speeds", 7.05, 43.0081), [])
        self.post("/traffic/v1/driving", {"arc": [one["id"]], "value": ["imported"]})
        self.assertEqual(self.layer("speeds", 7.05, 43.0081), [one])

    def test_clients_ask_once_for_what_does_not_change(self):
        def tag(**headers):
            status, got, body = self.tile(7.004, 43.004, **headers)
            self.assertIn("max-age", got["Cache-Control"])
            self.assertEqual(bool(body), status == 200)
            return status, got["ETag"]

        first = tag()[1]
        self.assertEqual(tag(If_None_Match=first), (304, first))
        self.assertEqual(tag(If_None_Match=f'"a", {first}'), (304, first))
        self.assertEqual(tag(If_None_Match='"a"'), (200, first))
        self.post("/traffic/v1/driving", {"arc": [1], "value": ["imported"]})
        second = tag(If_None_Match=first)
        self.post("/reload", {})
        third = tag(If_None_Match=second[1])
        self.assertEqual((second[0], third[0], len({first, second[1], third[1]})), (200, 200, 3))

    def test_empty_tiles_follow_the_map(self):
        def get(**headers):
            status, got, body = self.tile(60, 10, **headers)
            self.assertEqual((body, got["Access-Control-Allow-Origin"]), (b"", "*"))
            self.assertEqual(got["Content-Type"], "application/x-protobuf" if status == 200 else None)
            return status, got["ETag"], got["Connection"]

        def twice(old):
            first = get(If_None_Match=old)[1]
            self.assertNotEqual(first, old)
            for _ in range(4):  # more than there are threads
                self.assertEqual(get(), (200, first, None))
                self.assertEqual(get(Connection="close"), (200, first, "close"))
                self.assertEqual(get(If_None_Match=first), (304, first, None))
            return first

        first = twice('"a"')
        self.post("/traffic/v1/driving", {"arc": [1], "value": ["imported"]})
        twice(first)

    def test_tiles_are_compressed(self):
        status, headers, body = self.tile(7.004, 43.004, Accept_Encoding="gzip")
        self.assertEqual((status, headers["Content-Encoding"], gzip.decompress(body)), (200, "gzip", self.tile(7.004, 43.004)[2]))

    def test_bad_tiles_are_refused(self):
        limits = "Invalid coodinates. Only zoomlevel 12+ is supported"
        for x, y, zoom in ((1, 2, 3), (0, 0, 11), (0, 0, 20), (99999, 0, 14), (0, 2**14, 14), (0, 0, 4294967295)):
            self.assertFails(f"/tile/v1/car/tile({x},{y},{zoom}).mvt", "InvalidOptions", limits)
        self.assertFails("/tile/v1/car/tile(0,0).mvt", "InvalidQuery")
