"""Vector tiles, and the page that draws them."""

import http.client
import json
import math
import re
import shutil
import subprocess
import time
import unittest

from server import BLOCKS, TownTest


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
        if key & 7 == 2:
            size = number()
            at += size
            yield key >> 3, data[at - size : at]
        else:
            yield key >> 3, number()


class Tiles(TownTest):
    ZOOM = 14

    def tile_of(self, lon, lat):
        side = 2**self.ZOOM
        return int((lon + 180) / 360 * side), int((1 - math.asinh(math.tan(math.radians(lat))) / math.pi) / 2 * side)

    def names(self, x, y):
        """The names of the roads in a tile."""
        status, headers, body = self.server.ask(f"/tile/v1/driving/tile({x},{y},{self.ZOOM}).mvt")
        self.assertEqual((status, headers["Content-Type"]), (200, "application/x-protobuf"), body)
        found = set()
        for _, layer in fields(body):
            parts = list(fields(layer))
            self.assertEqual(dict(parts)[1], b"speeds")
            self.assertEqual([value for field, value in parts if field == 3], [b"name", b"class", b"speed"])
            found |= {text.decode() for field, value in parts if field == 4 for kind, text in fields(value) if kind == 1}
        return found

    def test_tiles_have_the_roads_that_cross_them(self):
        tiles = {self.tile_of(7 + column * 0.002, 43 + row * 0.002) for row in range(BLOCKS) for column in range(BLOCKS)}
        found = set().union(*(self.names(*tile) for tile in tiles))
        roads = {f"{kind} {i}" for kind in ("Road", "Street") for i in range(BLOCKS)}
        self.assertEqual(found, roads | {"residential", "primary"})
        self.assertEqual(self.names(0, 0), set())

    def test_bad_tiles_are_refused(self):
        self.assertFails("/tile/v1/car/tile(1,2,3).mvt", "InvalidOptions", "Invalid coodinates. Only zoomlevel 12+ is supported")
        self.assertFails("/tile/v1/car/tile(99999,0,14).mvt", "InvalidOptions")
        self.assertFails("/tile/v1/car/tile(0,0,4294967295)", "InvalidOptions")
        self.assertFails("/tile/v1/car/tile(0,0).mvt", "InvalidQuery")

    def test_the_page_takes_nothing_from_other_hosts(self):
        status, headers, body = self.server.ask("/")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=UTF-8"))
        self.assertIn(b"OpenStreetMap contributors", body)
        self.assertNotIn(b"http://", body)
        self.assertNotIn(b"https://", body)


@unittest.skipUnless(shutil.which("chromedriver"), "there is no chromedriver")
class Page(TownTest):
    """The page in a browser that a driver moves the pointer in (W3C WebDriver)."""

    heights = "N43E007"

    def setUp(self):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(self.end)
        self.session = ""
        ports = (re.search(r"on port (\d+)", line) for line in self.driver.stdout)
        self.port = next((int(port[1]) for port in ports if port and port[1] != "0"), None)
        self.assertIsNotNone(self.port, "chromedriver has ended")
        chrome = {"args": ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=800,600"]}
        begun = self.drive("/session", capabilities={"alwaysMatch": {"goog:chromeOptions": chrome}})
        if "sessionId" not in begun:
            self.skipTest(f"the browser does not start here: {begun['message'].splitlines()[0]}")
        self.session = "/session/" + begun["sessionId"]
        self.drive("/url", url=f"http://127.0.0.1:{self.server.port}/")

    def end(self):
        if self.session:
            self.drive("", "DELETE")
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()

    def drive(self, command, method="POST", **body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request(method, self.session + command, json.dumps(body))
        answer = json.loads(connection.getresponse().read())["value"]
        connection.close()
        return answer

    def drag(self, begin, *others):
        """Presses at a place, moves to others, and releases."""
        moves = [{"type": "pointerMove", "x": x, "y": y, "duration": 30} for x, y in (begin, *others)]
        steps = [moves[0], {"type": "pointerDown", "button": 0}, *moves[1:], {"type": "pointerUp", "button": 0}]
        self.drive("/actions", actions=[{"type": "pointer", "id": "mouse", "actions": steps}])

    def wait_for(self, expression):
        while True:
            if value := self.drive("/execute/sync", script=f"return {expression}", args=[]):
                return value
            time.sleep(0.05)

    def test_points_are_clicked_dragged_and_removed(self):
        self.wait_for("[...tiles.values()].some(roads => roads.length)")
        self.drag((450, 250))
        self.drag((600, 400))
        line = self.wait_for("drawn.line")
        self.assertRegex(self.wait_for("$('answer').textContent"), r"^[\d.]+ min, [\d.]+ km.*[A-Z]")
        self.drag((600, 400), (550, 350), (480, 380))
        moved = self.wait_for(f"JSON.stringify(drawn.line) != {json.dumps(json.dumps(line, separators=(',', ':')))} && points.map(point => toScreen(flat(point)))")
        for at, wanted in zip(moved, ((450, 250), (480, 380))):
            self.assertTrue(all(abs(a - b) < 1 for a, b in zip(at, wanted)), moved)
        heights = [float(pair.split(",")[1]) for pair in self.wait_for("document.querySelector('polyline').getAttribute('points')").split()]
        self.assertGreater(max(heights), min(heights))
        view = self.wait_for("[view.x, view.y]")
        self.drag((700, 100), (650, 130))  # the map itself
        self.assertEqual(len(self.wait_for("points")), 2)
        self.assertNotEqual(self.wait_for("[view.x, view.y]"), view)
        keys = [{"type": kind, "value": "\ue00c"} for kind in ("keyDown", "keyUp")]
        self.drive("/actions", actions=[{"type": "key", "id": "keys", "actions": keys}])
        self.wait_for("points.length == 0 && !drawn.line")
