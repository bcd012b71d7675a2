"""Roads that the map cuts at the 180th meridian, or that lead over it."""

import json
import re
import unittest

from support import CommandTest, rows_of, run

LAT = -16.8
ROAD = {"highway": "residential", "maxspeed": "36", "name": "Dateline Road"}
# West of the meridian: 1, then 2 at 180 degrees; east of it 3 at -180 degrees, then 4. They are 1,066 m (0.01 degrees) apart.
PLACES = {1: (179.99, 0), 2: (180, 0), 3: (-180, 0), 4: (-179.99, 0)}
METRES, SECONDS = 1065.98, 106.6


def osm(path, places, ways, relations=""):
    """Writes a file: places {id: (lon, degrees north of LAT, tags...)}, ways {id: (nodes, tags)}."""

    def tags(of):
        return "".join(f"<tag k='{key}' v='{value}'/>" for key, value in of.items())

    with open(path, "w") as file:
        file.write("<osm version='0.6'>")
        for node, (lon, north, *more) in places.items():
            file.write(f"<node id='{node}' lon='{lon}' lat='{LAT + north:.7f}'>{tags(*more) if more else ''}</node>")
        for way, (nodes, said) in ways.items():
            refs = "".join(f"<nd ref='{node}'/>" for node in nodes)
            file.write(f"<way id='{way}'>{refs}{tags(said)}</way>")
        file.write(relations + "</osm>")
    return path


class Meridian(CommandTest):
    def map_of(self, places, ways, relations="", profile="car"):
        return self.imported(profile, osm(self.path("drawn.osm"), places, ways, relations))

    def imported(self, profile, *paths):
        file = self.path("drawn.mcd")
        run("import", *paths, "--profile", profile, "-o", file, "--quiet")
        return file

    def ask(self, file, start, end, found=True, *options):
        """The nodes, seconds and metres of the route."""
        text, _ = run(
            "route", file, "--from", start, "--to", end, "--quantities", "duration,distance", "--format", "json",
            "--quiet", *options, status=0 if found else 1,
        )  # fmt: skip
        answer = json.loads(text)
        return answer["nodes"], (answer["duration"] or 0) / 1000, (answer["distance"] or 0) / 100

    def test_roads_cut_there_join(self):
        here, there = ([1, 2], ROAD), ([3, 4], ROAD)
        oneway, private = {**ROAD, "oneway": "yes"}, {**ROAD, "access": "private"}
        ferry = {"route": "ferry", "name": "Line"}
        gate = {**PLACES, 2: (180, 0, {"barrier": "block"})}
        no_exit = (
            "<relation id='1'><tag k='type' v='restriction'/><tag k='restriction' v='no_straight_on'/><member type='way'"
            " ref='10' role='from'/><member type='node' ref='2' role='via'/><member type='way' ref='11' role='to'/></relation>"
        )
        both, neither, only_east, only_west = (True, True), (False, False), (True, False), (False, True)
        for name, ways, (east, west), places, profile, relations in (
            ("both ways", (here, there), both, PLACES, "car", ""),
            ("drawn to the west", (([2, 1], ROAD), ([4, 3], ROAD)), both, PLACES, "car", ""),
            ("drawn apart", (([2, 1], ROAD), there), both, PLACES, "car", ""),
            ("one-way to the east", (([1, 2], oneway), ([3, 4], oneway)), only_east, PLACES, "car", ""),
            ("one-way to the west", (([2, 1], oneway), ([4, 3], oneway)), only_west, PLACES, "car", ""),
            ("one-way beside two-way", (here, ([3, 4], oneway)), only_east, PLACES, "car", ""),
            ("one-ways that face each other", (([1, 2], oneway), ([4, 3], oneway)), neither, PLACES, "car", ""),
            ("private", (([1, 2], private), ([3, 4], private)), both, PLACES, "car", ""),
            ("private on one side", (here, ([3, 4], private)), both, PLACES, "car", ""),
            ("blocked at the meridian", (here, there), neither, gate, "car", ""),
            ("forbidden to go on", (here, there), only_west, PLACES, "car", no_exit),
            ("on foot", (([1, 2], {"highway": "path"}), ([3, 4], {"highway": "footway"})), both, PLACES, "foot", ""),
            ("by bike", (here, ([3, 4], {"highway": "cycleway"})), both, PLACES, "bike", ""),
            ("ferries", (([1, 2], ferry), ([3, 4], ferry)), both, PLACES, "car", ""),
            ("other latitudes", (here, there), neither, {**PLACES, 3: (-180, 1e-7)}, "car", ""),
            ("one side", (here, there), neither, {**PLACES, 3: (180, 1e-7)}, "car", ""),
        ):
            with self.subTest(name):
                file = self.map_of(places, dict(enumerate(ways, 10)), relations, profile)
                for start, end, found in ((1, 4, east), (4, 1, west)):
                    nodes, _, metres = self.ask(file, f"node:{start}", f"node:{end}", found)
                    self.assertEqual(nodes, [1, 2, 3, 4][:: 1 if start == 1 else -1] if found else [])
                    self.assertAlmostEqual(metres, 2 * METRES if found else 0, delta=0.5)

    def test_both_nodes_are_places(self):
        file = self.map_of(PLACES, {10: ([1, 2], ROAD), 11: ([3, 4], ROAD)})
        for start, end, seconds in ((2, 3, 0), (3, 2, 0), (1, 3, SECONDS), (2, 4, SECONDS), (3, 1, SECONDS)):
            self.assertAlmostEqual(self.ask(file, f"node:{start}", f"node:{end}")[1], seconds, delta=0.05)

    def test_junctions_at_the_meridian_join(self):
        places = {**PLACES, 5: (180, 0.01), 6: (-180, -0.01), 7: (-179.99, 0.01)}
        file = self.map_of(places, {10: ([1, 2], ROAD), 11: ([3, 4], ROAD), 12: ([2, 5], ROAD), 13: ([6, 3, 7], ROAD)})
        for start in 1, 4, 5, 6, 7:
            for end in 1, 4, 5, 6, 7:
                if start != end:
                    nodes = self.ask(file, f"node:{start}", f"node:{end}")[0]
                    east = [node in (3, 4, 6, 7) for node in nodes]
                    self.assertEqual(sum(a != b for a, b in zip(east, east[1:])), east[0] != east[-1])

    def test_all_nodes_of_a_place_join(self):
        places = {**PLACES, 5: (180, 0), 6: (-180, 0), 7: (-180, 0), **{n: (179.99, n / 1000) for n in (8, 9)}}
        places |= {n: (-179.99, n / 1000) for n in (10, 11)}
        ways = [1, 2], [8, 5], [3, 4], [10, 6], [11, 7]
        for order in ways, ways[::-1], ways[1:4], ways[:3]:
            ends = [node for way in order for node in way if node not in (2, 3, 5, 6, 7)]
            file = self.map_of(places, {way: (nodes, ROAD) for way, nodes in enumerate(order, 20)})
            for start in ends:
                for end in ends:
                    self.assertTrue(start == end or self.ask(file, f"node:{start}", f"node:{end}")[0])

    def test_files_of_the_two_sides_join(self):
        west = osm(self.path("west.osm"), {n: PLACES[n] for n in (1, 2)}, {10: ([1, 2], ROAD)})
        east = osm(self.path("east.osm"), {n: PLACES[n] for n in (3, 4)}, {11: ([3, 4], ROAD)})
        self.assertEqual(self.ask(self.imported("car", west, east), "node:4", "node:1")[0], [4, 3, 2, 1])

    def test_way_over_the_meridian_is_short(self):
        places = {1: (179.99, 0), 2: (179.995, 0), 3: (-179.995, 0), 4: (-179.99, 0)}
        for ways in {10: ([1, 2, 3, 4], ROAD)}, {10: ([1, 2], ROAD), 11: ([2, 3], ROAD), 12: ([3, 4], ROAD)}:
            file = self.map_of(places, ways)
            self.assertAlmostEqual(self.ask(file, "node:1", "node:4")[2], 2 * METRES, delta=0.5)
            for lon in 179.999, 180, -180, -179.999:
                metres = (self.ask(file, f"{lon},{LAT}", f"node:{end}")[2] for end in (1, 4))
                west = METRES * (lon % 360 - 179.99) / 0.01
                for got, expected in zip(metres, (west, 2 * METRES - west)):
                    self.assertAlmostEqual(got, expected, delta=1)

    def test_points_snap_over_the_meridian(self):
        file = self.map_of(PLACES, {10: ([1, 2], ROAD)})
        places = self.write("p.csv", f"lon,lat\n-179.9999,{LAT}\n-179.99,{LAT}\n")
        rows = rows_of(run("snap", file, "--places", places, "--snap-radius", 2000)[0])[1]
        self.assertEqual([row[1] for row in rows], ["ok", "ok"])
        self.assertAlmostEqual(float(rows[0][4]), 10.66, delta=0.1)
        self.assertAlmostEqual(float(rows[1][4]), METRES, delta=2)

    def test_areas_over_the_meridian_are_avoided(self):
        places = {**PLACES, 5: (179.99, 0.02), 6: (-179.99, 0.02)}
        south, north = LAT - 0.001, LAT + 0.001
        east = [[-180, south], [-179.999, south], [-179.999, north], [-180, north], [-180, south]]
        west = [[179.999, south], [180, south], [180, north], [179.999, north], [179.999, south]]
        for straight in {10: ([1, 2], ROAD), 11: ([3, 4], ROAD)}, {10: ([1, 4], ROAD)}:
            file = self.map_of(places, {**straight, 12: ([1, 5, 6, 4], ROAD)})
            for rings, around in ([west], True), ([east], True), ([west, east], True), ([[[x, y + 0.01] for x, y in west]], False):
                shape = {"type": "MultiPolygon", "coordinates": [[ring] for ring in rings]}
                metres = self.ask(file, "node:1", "node:4", True, "--avoid-area", self.write("a.json", json.dumps(shape)))[2]
                self.assertEqual(metres > 3 * METRES, around)

    def test_lines_are_cut(self):
        for ways in {10: ([1, 2], ROAD), 11: ([3, 4], ROAD)}, {10: ([1, 4], ROAD)}:
            file = self.map_of(PLACES, ways)
            line = json.loads(run("route", file, "--from", "node:1", "--to", "node:4", "--format", "geojson")[0])["geometry"]
            cut = [[[179.99, LAT], [180, LAT]], [[-180, LAT], [-179.99, LAT]]]
            self.assertEqual(line, {"type": "MultiLineString", "coordinates": cut})

    def test_pages_draw_both_sides_together(self):
        file = self.map_of(PLACES, {10: ([1, 2], ROAD), 11: ([3, 4], ROAD)})
        page = run("route", file, "--from", "node:1", "--to", "node:4", "--format", "html")[0]
        (points,) = re.findall('id="route".*points="([^"]*)"', page)
        across = [float(point.split(",")[0]) for point in points.split()]
        self.assertEqual(across, sorted(across))
        self.assertAlmostEqual(across[len(across) // 2] - across[0], across[-1] - across[len(across) // 2], delta=1)
        (roads,) = re.findall('id="roads".* d="([^"]*)"', page)
        self.assertEqual(roads.count("M"), 2)
        page = run("isochrone", file, "--from", "node:1", "--limits", "200000", "--format", "html")[0]
        self.assertEqual(re.findall('id="roads".* d="([^"]*)"', page)[0].count("M"), 2)


if __name__ == "__main__":
    unittest.main()
