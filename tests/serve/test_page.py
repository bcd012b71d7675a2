"""The page: what it loads; and, where chromedriver is, what it does in a browser (W3C WebDriver)."""

import glob
import http.client
import json
import math
import os
import re
import shutil
import subprocess
import time
import unittest

from server import BLOCKS, TownTest

FILES = {
    "/": "text/html; charset=UTF-8",
    "/page.css": "text/css; charset=UTF-8",
    "/page.js": "text/javascript; charset=UTF-8",
    "/favicon.ico": "image/svg+xml",
}
PAGE_BYTES = 150 << 10  # all that it loads, but data
NAMESPACES = (b"http://www.w3.org/2000/svg", b"http://www.topografix.com/GPX/1/1")


class Files(TownTest):
    def load(self, path):
        status, headers, body = self.server.ask(path)
        self.assertEqual(status, 200, path)
        self.assertEqual(headers["Content-Security-Policy"], "default-src 'self'" if path == "/" else None)
        return headers["Content-Type"], body

    def test_all_files_come_from_the_server_and_are_small(self):
        found = {path: self.load(path) for path in FILES}
        waiting = ["/page.js"]
        while waiting:
            for name in re.findall(rb"from '\./(\w+\.js)'", found[waiting.pop()][1]):
                path = "/" + name.decode()
                if path not in found:
                    found[path] = self.load(path)
                    waiting.append(path)
        for path, (kind, body) in found.items():
            self.assertEqual(kind, FILES.get(path, FILES["/page.js"]))
            for space in NAMESPACES:
                body = body.replace(space, b"")
            self.assertNotRegex(body, rb"https?://|@import|url\(")
        self.assertIn(b"OpenStreetMap contributors", found["/"][1])
        self.assertLess(sum(len(body) for _, body in found.values()), PAGE_BYTES)
        self.assertFalse([path for path, (_, body) in found.items() if b"innerHTML" in body or b"eval(" in body])

    def test_each_control_of_the_page_has_a_name(self):
        page = self.load("/")[1].decode()
        self.assertIn('<html lang="en"', page)
        for tag in re.findall(r"<(?:button|select|input|canvas)[^>]*>", page):
            name = re.escape(tag)
            is_named = "aria-label" in tag or 'type="hidden"' in tag or re.search(rf"<label>[^/]*{name}|{name}\w", page)
            self.assertTrue(is_named, tag)

    def test_info_lists_the_languages_of_instructions(self):
        languages = self.get("/info")["languages"]
        self.assertEqual(languages, sorted(languages))
        for language in languages:
            self.get(f"/route/v1/driving/{self.town_at(0, 4)}", steps=True, language=language)

    @staticmethod
    def town_at(*nodes):
        return ";".join(f"{7 + node % BLOCKS * 0.002},{43 + node // BLOCKS * 0.002}" for node in nodes)


MILAN = [9.19, 45.46]
PLACES = {  # read on a map from 9 to 10 degrees east and 45 to 46 north
    "45.46, 9.19": MILAN,
    "45.46 9.19": MILAN,
    "(45.46; 9.19)": MILAN,
    "9.19,45.46": MILAN,  # only this order is on the map
    "[9.19, 45.46]": MILAN,
    "45,46 9,19": MILAN,
    "45,46; 9,19": MILAN,
    "45°27′36″N 9°11′24″E": MILAN,
    "N 45° 27.6' E 009° 11.4'": MILAN,
    "9.19E 45.46N": MILAN,
    "45.46°S, 9.19°W": [-9.19, -45.46],
    "-45.46, −9.19": [-9.19, -45.46],
    "geo:45.46,9.19?z=12": MILAN,
    "https://www.openstreetmap.org/#map=15/45.46/9.19": MILAN,
    "https://www.openstreetmap.org/?mlat=45.46&mlon=9.19": MILAN,
    "https://maps.example/@45.46,9.19,15z": MILAN,
    "52, 13": [13, 52],
    "Milan": None,
    "45.46": None,
    "45.46, 9.19, 100": None,
    "91, 181": None,
    "1.2.3, 4": None,
    "": None,
}


def axe():
    """The source of axe-core; None if it is not installed. A package of Python has it: axe-core-python."""
    folder = os.path.join(os.path.dirname(os.environ.get("MACADAM_ROUTINGPY", "")), "..", "lib", "python*", "site-packages")
    for name in filter(None, [os.environ.get("MACADAM_AXE"), *glob.glob(os.path.join(folder, "axe_core_python", "axe.min.js"))]):
        with open(name) as file:
            return file.read()
    return None


CTRL, ENTER, ESCAPE, TAB, RIGHT = "\ue009", "\ue007", "\ue00c", "\ue004", "\ue014"


@unittest.skipUnless(shutil.which("chromedriver"), "there is no chromedriver")
class Page(TownTest):
    heights = "N43E007"
    view = "map=16.00/43.00400/7.00400"
    ends = "at=7.000500,43.000000;7.008000,43.007500"

    def setUp(self):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(self.end)
        self.session = ""
        ports = (re.search(r"on port (\d+)", line) for line in self.driver.stdout)
        self.port = next((int(port[1]) for port in ports if port and port[1] != "0"), None)
        self.assertIsNotNone(self.port, "chromedriver has ended")
        chrome = {"args": ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1100,800", "--lang=en"]}
        wanted = {"goog:chromeOptions": chrome, "goog:loggingPrefs": {"browser": "ALL"}}
        begun = self.drive("/session", capabilities={"alwaysMatch": wanted})
        if "sessionId" not in begun:
            self.skipTest(f"the browser does not start here: {begun['message'].splitlines()[0]}")
        self.session = "/session/" + begun["sessionId"]

    def end(self):
        if self.session:
            messages = self.drive("/se/log", type="browser")
            self.drive("", "DELETE")
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()
        if self.session:
            self.assertEqual(messages, [])

    def drive(self, command, method="POST", **body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request(method, self.session + command, json.dumps(body))
        answer = json.loads(connection.getresponse().read())["value"]
        connection.close()
        return answer

    def open(self, state=""):
        self.drive("/url", url="about:blank")
        self.drive("/url", url=f"http://127.0.0.1:{self.server.port}/#{self.view}&{state}")
        is_ready = "document.querySelector('#map').dataset.state == 'drawn'"
        self.wait_for(is_ready + (" && document.querySelectorAll('#points button').length" if "at=" in state else ""))

    def drag(self, begin, *others, button=0):
        """Presses at a place, moves to others, and releases."""
        moves = [{"type": "pointerMove", "x": x, "y": y, "duration": 30} for x, y in (begin, *others)]
        steps = [moves[0], {"type": "pointerDown", "button": button}, *moves[1:], {"type": "pointerUp", "button": button}]
        self.drive("/actions", actions=[{"type": "pointer", "id": "mouse", "actions": steps}])

    def keys(self, *keys, held=None):
        each = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        if held:
            each = [{"type": "keyDown", "value": held}, *each, {"type": "keyUp", "value": held}]
        self.drive("/actions", actions=[{"type": "key", "id": "keys", "actions": each}])

    def run_script(self, script, *arguments):
        return self.drive("/execute/sync", script=script, args=arguments)

    def until(self, look, awaited):
        """The value of a call, as soon as it is true. Gives up after some minutes, which no machine needs."""
        for _ in range(6000):
            if value := look():
                return value
            self.assertIsNone(self.run_script("return document.querySelector('#status.bad')?.textContent"))
            time.sleep(0.05)
        self.fail(f"{awaited}: {self.run_script('return location.hash')}")

    def wait_for(self, expression):
        return self.until(lambda: self.run_script(f"return {expression}"), expression)

    def wait_for_state(self, pattern):
        """The permalink, as soon as it has what matches."""
        found = self.until(lambda: re.search(pattern, self.run_script("return decodeURIComponent(location.hash)")), pattern)
        return found.string

    def points(self, count):
        """The points of the permalink, when it has as many."""
        found = self.wait_for_state(r"at=[^;&]+(;[^;&]+){%d}&" % (count - 1) if count else r"^(?!.*at=)")
        return [tuple(map(float, point.split(","))) for point in re.search("at=([^&]+)", found)[1].split(";")] if count else []

    def on_screen(self, lon, lat):
        """Where a place is in the window, by the view that the permalink has."""
        zoom, *middle = map(float, re.search("map=([^&]+)", self.run_script("return location.hash"))[1].split("/"))
        width, height = self.run_script("return [innerWidth, innerHeight]")
        down = [-math.asinh(math.tan(math.radians(degrees))) / math.tau for degrees in (lat, middle[0])]
        side = 256 * 2**zoom
        return round(width / 2 + (lon - middle[1]) / 360 * side), round(height / 2 + (down[0] - down[1]) * side)

    def test_points_are_clicked_dragged_inserted_and_removed(self):
        self.open()
        self.drag((600, 300))
        self.drag((900, 600))
        first, last = self.points(2)
        self.wait_for("document.querySelectorAll('#steps li').length > 1")
        self.drag((900, 600), (850, 550), (800, 500))
        moved = self.until(lambda: (found := self.points(2))[1] != last and found, "a moved point")
        self.assertEqual(moved[0], first)
        per_pixel = (last[0] - first[0]) / 300
        self.assertAlmostEqual(moved[1][0], last[0] - 100 * per_pixel, delta=2 * per_pixel)
        self.drag((1000, 150), (1030, 170))  # the map itself
        self.wait_for_state(f"^(?!#{re.escape(self.view)})")
        self.assertEqual(self.points(2), moved)
        self.drag(self.on_screen(*moved[0]), button=2)
        self.assertEqual(self.points(1), moved[1:])
        self.keys(ESCAPE)
        self.points(0)

    def test_the_route_is_dragged_to_a_stop(self):
        self.open("at=7.000000,43.004000;7.008000,43.004000")
        self.wait_for("document.querySelectorAll('#steps li').length > 1")
        x, y = self.run_script("return [innerWidth / 2, innerHeight / 2]")
        self.drag((x, y), (x, y + 40), (x, y + 120))
        stop = self.points(3)[1]
        self.assertLess(stop[1], 43.004)
        self.keys("z", held=CTRL)
        self.points(2)

    def test_an_alternative_is_chosen_and_each_change_undone(self):
        self.open(self.ends)
        count = self.wait_for("document.querySelectorAll('#routes button').length")
        self.assertGreater(count, 1)
        self.run_script("document.querySelectorAll('#routes button')[1].click()")
        chosen = self.wait_for_state("chosen=1")
        self.assertTrue(self.run_script("return document.querySelectorAll('#routes button')[1].ariaPressed"))
        self.run_script("document.querySelector('[value=isochrone]').click()")
        self.wait_for("document.querySelectorAll('#areas li').length == 6")
        self.run_script("document.querySelector('#undo').click()")
        self.wait_for_state("mode=route.*chosen=1")
        self.run_script("document.querySelector('#undo').click()")
        self.wait_for_state("chosen=0")
        self.assertTrue(self.run_script("return document.querySelector('#undo').disabled"))
        self.open(chosen.split("&", 1)[1])
        self.wait_for("document.querySelectorAll('#routes button')[1]?.ariaPressed == 'true'")

    def test_the_address_restores_everything(self):
        state = f"{self.ends}&mode=route&profile=car&language=de&day=Mo&time=08:15&minutes=3,6&exclude=toll&chosen=0"
        self.open(state)
        self.assertTrue(self.wait_for("document.querySelector('#steps li')?.textContent").startswith("Fahren"))
        address = self.wait_for_state("chosen")
        self.assertEqual(address, f"#{self.view}&{state}")
        self.run_script("location.hash = arguments[0]", f"map=17.00/43.00400/7.00400&{self.ends}&mode=table")
        self.wait_for("document.querySelectorAll('#table td').length == 5")
        self.open(f"{self.ends}&profile=gone&language=gone&chosen=9")
        self.wait_for("document.querySelectorAll('#steps li').length > 1")

    def test_a_departure_is_sent_as_depart(self):
        self.open(f"{self.ends}&mode=route&day=Mo&time=08:15&clock=depart")
        self.wait_for("document.querySelectorAll('#steps li').length > 1")
        sent = "return performance.getEntriesByType('resource').map(one => decodeURIComponent(one.name)).filter(name => name.includes('/route/')).at(-1)"
        self.assertRegex(self.run_script(sent), "depart=Mo08:15")
        self.assertNotRegex(self.run_script(sent), "slot=|alternatives=")
        self.run_script("document.querySelector('[name=clock]').click()")
        self.wait_for("document.querySelectorAll('#steps li').length > 1 && performance.getEntriesByType('resource').some(one => /slot=Mo08/.test(one.name))")

    def test_keys_place_points_and_coordinates_are_typed_and_pasted(self):
        self.open()
        self.run_script("document.querySelector('#map').focus()")
        self.keys(ENTER)
        self.assertEqual(len(self.points(1)), 1)
        self.run_script("document.querySelector('[aria-label=\"Place B\"]').focus()")
        self.keys(*"43.0075 7.008", ENTER)
        self.assertEqual(self.points(2)[1], (7.008, 43.0075))
        paste = """const data = new DataTransfer(); data.setData('text', arguments[0])
            document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))"""
        self.run_script(paste, "43°0′7.2″N 7°0′14.4″E\nhttps://www.openstreetmap.org/#map=17/43.006/7.002")
        self.assertEqual(self.points(4)[2:], [(7.004, 43.002), (7.002, 43.006)])
        self.run_script(paste, "nowhere")
        self.assertIn("nowhere", self.run_script("return document.querySelector('#status.bad').textContent"))
        self.points(4)

    def test_places_are_read_as_people_write_them(self):
        self.open()
        script = """const done = arguments[1]; import('./places.js').then(({ readPlace }) =>
            done(arguments[0].map(text => readPlace(text, [9, 45, 10, 46]))), error => done(String(error)))"""
        found = self.drive("/execute/async", script=script, args=[list(PLACES)])
        self.assertEqual([at and [round(degrees, 5) for degrees in at] for at in found], list(PLACES.values()))

    def test_everything_is_reached_by_the_keyboard(self):
        self.open(self.ends)
        self.wait_for("document.querySelectorAll('#steps li').length > 1")
        self.run_script("document.querySelectorAll('details').forEach(one => one.open = true)")
        reached = set()
        for _ in range(80):
            self.keys(TAB)
            reached.add(self.run_script("const e = document.activeElement; return e.id || e.name || e.ariaLabel || e.closest('ul, ol')?.id"))
        wanted = {"theme", "mode", "Place A", "Remove place B", "reverse", "clear", "language", "day", "exclude", "routes", "steps", "gpx", "geojson"}
        self.assertEqual(wanted - reached, set())
        self.assertLessEqual({"map", "closer", "wider", "all"}, reached)

    def test_heights_and_files(self):
        self.open(self.ends)
        self.assertRegex(self.wait_for("document.querySelector('#heights svg')?.ariaLabel"), r"^Heights: .*\d.* to .*\d.*, up .*, down ")
        self.run_script("""window.files = []; const make = URL.createObjectURL
            URL.createObjectURL = blob => { blob.text().then(text => files.push(text)); return make(blob) }""")
        self.run_script("document.querySelector('#gpx').click(); document.querySelector('#geojson').click()")
        gpx, geojson = self.wait_for("files.length == 2 && files")
        line = json.loads(geojson)["features"][0]["geometry"]["coordinates"]
        self.assertEqual(len(json.loads(geojson)["features"]), 3)
        self.assertEqual(gpx.count("<trkpt"), len(line))
        self.assertEqual(gpx.count("<wpt"), 2)
        self.assertIn(f"<ele>{line[0][2]}</ele>", gpx)

    def test_the_theme_follows_the_system_until_it_is_switched(self):
        self.open()
        theme = "return document.documentElement.dataset.theme"
        before = self.run_script(theme)
        self.run_script("document.querySelector('#theme').click()")
        after = self.run_script(theme)
        self.assertEqual({before, after}, {"light", "dark"})
        address = self.wait_for_state("colours")
        self.open()
        self.assertEqual(self.run_script(theme), before)
        self.open(address.split("&", 1)[1])
        self.assertEqual(self.run_script(theme), after)

    def test_axe_finds_nothing_on_a_desk_and_on_a_phone(self):
        source = axe()
        if source is None:
            self.skipTest("axe-core-python is not installed; name its axe.min.js in MACADAM_AXE")
        script = """const done = arguments[0]; axe.run().then(found => done([found.passes.length,
            found.violations.map(one => [one.id, one.nodes.map(node => node.html)])]), error => done([0, String(error)]))"""
        for width in (1100, 360):
            self.drive("/window/rect", width=width, height=740)
            for mode in ("route", "isochrone", "table"):
                self.open(f"{self.ends}&mode={mode}")
                self.wait_for("document.querySelector('#answer *')")
                self.run_script("document.querySelectorAll('details').forEach(one => one.open = true)")
                self.run_script(source)
                for _ in ("a theme", "the other"):
                    passes, violations = self.drive("/execute/async", script=script, args=[])
                    self.assertEqual(violations, [], (width, mode))
                    self.assertGreater(passes, 20)
                    self.run_script("document.querySelector('#theme').click()")
            wide = self.run_script("return [document.documentElement.scrollWidth, innerWidth]")
            self.assertLessEqual(*wide)
