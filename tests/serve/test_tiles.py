"""Vector tiles, and the page that draws them."""

import json
import math
import os
import shutil
import subprocess
import tempfile

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

    def test_a_browser_finds_a_route_between_two_clicks(self):
        chromium = shutil.which("chromium")
        if not chromium:
            self.skipTest("there is no chromium")
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "page_clicks.js")) as file:
            script = file.read()
        page = self.server.ask("/")[2].decode().replace("</html>", f"<script>{script}</script></html>")
        self.assertIn(script, page)
        with tempfile.TemporaryDirectory() as folder:
            path = self.write("page.html", page.replace("fetch('/", f"fetch('http://127.0.0.1:{self.server.port}/").replace(
                "fetch(`/", f"fetch(`http://127.0.0.1:{self.server.port}/"))
            done = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}", "--window-size=800,600",
                                   "--allow-file-access-from-files", "--virtual-time-budget=8000", "--dump-dom", "file://" + path],
                                  capture_output=True, text=True, timeout=60)
        self.assertIn("CLICKED", done.stdout, done.stderr[-2000:])
        result = json.loads(done.stdout.rsplit("CLICKED ", 1)[1].split("<", 1)[0])
        self.assertEqual(result["points"], 2)
        self.assertRegex(result["answer"], r"^[\d.]+ min, [\d.]+ km.*[A-Z]")
        self.assertGreater(result["line"], 1)
        self.assertGreater(result["tiles"], 0)
        self.assertEqual(result["after"], 0)
