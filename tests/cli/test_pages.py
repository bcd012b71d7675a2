"""html: what a browser shows of the pages. Skips where there is no Chromium."""

import collections
import re
import shutil
import struct
import subprocess
import unittest
import zlib

from support import CommandTest, run

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
SIDE = 700


def read_png(path):
    """Rows of pixels (red, green, blue) of an 8-bit RGB or RGBA file that is not interlaced."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", data[at + 8 : at + 21])
        if kind == b"IDAT":
            packed += data[at + 8 : at + 8 + size]
        at += size + 12
    assert depth == 8 and colour in (2, 6) and not interlaced
    bytes_each = 3 if colour == 2 else 4
    line = width * bytes_each
    raw, above, rows = zlib.decompress(packed), bytearray(line), []
    for y in range(height):
        method, row = raw[y * (line + 1)], bytearray(raw[y * (line + 1) + 1 : (y + 1) * (line + 1)])
        for i in range(line):
            left = row[i - bytes_each] if i >= bytes_each else 0
            corner = above[i - bytes_each] if i >= bytes_each else 0
            row[i] = (row[i] + predict(method, left, above[i], corner)) & 0xFF
        rows.append([tuple(row[i : i + 3]) for i in range(0, line, bytes_each)])
        above = row
    return rows


def predict(method, left, up, corner):
    if method == 3:
        return (left + up) // 2
    if method < 3:
        return (0, left, up)[method]
    estimate = left + up - corner
    return min((abs(estimate - value), i, value) for i, value in enumerate((left, up, corner)))[2]


@unittest.skipUnless(BROWSER, "no Chromium")
class Pages(CommandTest):
    def write_page(self, *arguments, script=""):
        """Writes a page; the script is its last."""
        run(*arguments, "-o", self.path("page.html"))
        with open(self.path("page.html"), "a", encoding="utf-8") as file:
            file.write(f"<script>{script}</script>")

    def browse(self, *options):
        """Opens the page in the browser and returns what the browser prints."""
        browser = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.folder}/browser"]
        page = "file://" + self.path("page.html")
        return subprocess.run([*browser, *options, page], check=True, capture_output=True, text=True).stdout

    def text(self):
        """The page after its scripts have run."""
        return self.browse("--dump-dom")

    def pixels(self):
        """How many pixels of the drawn page have each colour."""
        picture = self.path("page.png")
        self.browse(f"--screenshot={picture}", f"--window-size={SIDE},{SIDE}")
        return collections.Counter(pixel for row in read_png(picture) for pixel in row)

    def test_a_route_lies_on_the_roads(self):
        self.write_page("route", self.file, "--from", "node:8", "--to", "node:49")
        self.assertEqual(len(re.findall("<circle ", self.text())), 2)
        pixels = self.pixels()
        self.assertGreater(pixels[(0x1A, 0x5F, 0xB4)], 2000)  # the route: 4 pixels wide
        self.assertGreater(pixels[(0xC0, 0x1C, 0x28)], 50)  # two places
        roads = sum(n for (r, g, b), n in pixels.items() if r == g == b and 0xB0 < r < 0xF0 and r != 0xCC)
        self.assertGreater(roads, 1000)  # thin and grey, as the frame (0xCC) is

    def test_a_drawing_is_zoomed_and_moved(self):
        def view(script):
            self.write_page("route", self.file, "--from", "node:8", "--to", "node:49", script=script)
            page = self.text()
            scale = re.search(r'<div id="scale" style="width: ([0-9.]+)px;">([0-9]+) (k?m)<', page)
            box = [float(side) for side in re.search(r'id="map"[^>]* viewBox="([^"]*)"', page)[1].split()]
            return box, float(scale[1]) / (int(scale[2]) * (1000 if scale[3] == "km" else 1))

        whole, per_metre = view("")
        zoomed, larger = view("map.dispatchEvent(new WheelEvent('wheel', {deltaY: -1, clientX: 99, clientY: 99}))")
        self.assertAlmostEqual(zoomed[2], 0.8 * whole[2], places=1)
        self.assertAlmostEqual(larger, per_metre / 0.8, places=4)
        moved, same = view("map.dispatchEvent(new PointerEvent('pointermove', {buttons: 1, movementX: -50}))")
        self.assertGreater(moved[0], whole[0] + 10)
        self.assertAlmostEqual(same, per_metre, places=6)

    def test_an_isochrone_is_drawn_in_the_colours_of_its_limits(self):
        self.write_page("isochrone", self.file, "--from", "node:25", "--limits", "10,25")
        self.assertEqual(len(re.findall('class="area"', self.text())), 2)
        pixels = self.pixels()
        green = sum(n for (r, g, b), n in pixels.items() if g > r + 40 and g > b + 40)
        red = sum(n for (r, g, b), n in pixels.items() if r > g + 40 and r > b + 40)
        self.assertGreater(green, 1000)
        self.assertGreater(red, 10000)
        for shade in ((179, 242, 179), (242, 179, 179)):  # 35 % over white: those of the legend, too
            self.assertGreater(pixels[shade], 200)

    def test_a_tree_is_painted_by_its_script(self):
        self.write_page("tree", self.file, "--from", "node:8")
        coloured = sum(n for (r, g, b), n in self.pixels().items() if max(r, g, b) > min(r, g, b) + 80)
        self.assertGreater(coloured, 30)


if __name__ == "__main__":
    unittest.main()
