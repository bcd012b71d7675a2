"""isochrone: reached arcs and areas against the oracle."""

import json
import math
import unittest

from support import EXIT, ISLAND, CommandTest, rows_of, run

METRES_PER_DEGREE = 111319.49


def inside(rings, point):
    """Whether the point is within a polygon: an odd number of sides lie east of it."""
    x, y = point
    odd = False
    for ring in rings:
        for (x1, y1), (x2, y2) in zip(ring, ring[1:]):
            if (y1 > y) != (y2 > y) and x < x1 + (x2 - x1) * (y - y1) / (y2 - y1):
                odd = not odd
    return odd


def signed_area(ring):
    return sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(ring, ring[1:])) / 2


def metres(a, b):
    return math.hypot((a[0] - b[0]) * math.cos(math.radians(a[1])), a[1] - b[1]) * METRES_PER_DEGREE


class Isochrone(CommandTest):
    def isochrone(self, *arguments, status=0):
        return run("isochrone", self.file, *arguments, status=status)[0]

    def expected_arcs(self, source, limits, reverse=False, objective="duration"):
        cost = {node: pair[0] for node, pair in self.map.tree(source, objective, reverse).items()}
        rows = []
        for number, (tail, head, duration, distance) in enumerate(self.map.arcs, 1):
            entered = cost.get(head if reverse else tail)
            weight = duration if objective == "duration" else distance
            if entered is None or entered > max(limits):
                continue
            reached = [min(weight, limit - entered) if limit >= entered else None for limit in sorted(limits)]
            rows.append([tail, head, number, entered, weight, 0, *reached])
        return rows

    def test_csv_lists_the_arcs_that_can_be_entered(self):
        for options in ({}, {"reverse": True}, {"objective": "distance"}):
            flags = ["--reverse"] if options.get("reverse") else []
            flags += ["--metric", options.get("objective", "duration")]
            header, rows = rows_of(self.isochrone("--from", "node:10", "--limits", "30,12", *flags))
            objective = options.get("objective", "duration")
            self.assertEqual(
                header, ["tail", "head", "arc", objective, "weight", "before", "reached_12", "reached_30"]
            )
            self.assertEqual(rows, self.expected_arcs(10, [12, 30], **options))

    def test_csv_has_the_position_of_a_place_within_its_arc(self):
        tail, head, weight, _ = self.map.arcs[0]
        lon, lat = ((a + b) / 2 for a, b in zip(self.map.coordinates[tail], self.map.coordinates[head]))
        _, rows = rows_of(self.isochrone("--from", f"{lon},{lat}", "--limits", "1000000"))
        within = [row for row in rows if row[5]]
        self.assertIn([tail, head], [row[:2] for row in within])
        for row in within:
            self.assertEqual(row[3], 0)
            self.assertLessEqual(abs(row[5] - row[4] / 2), 1)
            self.assertEqual(row[6], row[4] - row[5])

    def test_geojson_holds_what_is_reached_and_no_more(self):
        limits = [10, 25]
        for reverse in (False, True):
            flags = ["--reverse"] if reverse else []
            answer = json.loads(
                self.isochrone("--from", "node:25", "--limits", "10,25", "--format", "geojson", "--width", "100m", *flags)
            )
            self.assertEqual([f["properties"]["limit"] for f in answer["features"]], [25, 10])
            for feature in answer["features"]:
                self.check_area(feature, self.points(25, feature["properties"]["limit"], reverse))

    def points(self, source, limit, reverse):
        """Points of the reached pieces, some metres apart."""
        points = [self.map.coordinates[source]]
        for tail, head, _, entered, weight, _, reached in self.expected_arcs(source, [limit], reverse):
            begin, end = self.map.coordinates[tail], self.map.coordinates[head]
            if reverse:
                begin, end = end, begin
            for step in range(26):
                share = step / 25 * (reached / weight if weight else 1)
                points.append(tuple(b + (e - b) * share for b, e in zip(begin, end)))
        return points

    def check_area(self, feature, points):
        polygons = feature["geometry"]["coordinates"]
        for rings in polygons:
            for i, ring in enumerate(rings):
                self.assertEqual(ring[0], ring[-1])
                self.assertEqual(signed_area(ring) > 0, i == 0)
        for point in points:
            self.assertTrue(any(inside(rings, point) for rings in polygons), point)
        for rings in polygons:
            for corner in rings[0]:
                self.assertLess(min(metres(corner, point) for point in points), 300)
        far = [p for p in self.map.coordinates.values() if min(metres(p, point) for point in points) > 300]
        self.assertTrue(far)
        for point in far:
            self.assertFalse(any(inside(rings, point) for rings in polygons), point)
        self.assertGreater(feature["properties"]["km2"], 0)

    def test_nothing_leaves_the_exit_but_it_is_an_area(self):
        self.assertEqual(rows_of(self.isochrone("--from", f"node:{EXIT}", "--limits", "5"))[1], [])
        answer = json.loads(
            self.isochrone("--from", f"node:{EXIT}", "--limits", "5", "--format", "geojson")
        )
        self.assertEqual(len(answer["features"][0]["geometry"]["coordinates"]), 1)

    def test_a_place_far_from_all_roads_reaches_nothing(self):
        output, error = run("isochrone", self.file, "--from", "0,0", "--limits", "5", "--format", "geojson")
        self.assertEqual(json.loads(output)["features"][0]["geometry"]["coordinates"], [])

    def test_a_width_without_memory_is_refused_with_one_that_fits(self):
        ask = ("isochrone", self.file, "--from", "node:1", "--limits", "5", "--format", "geojson", "--memory", "64M")
        for width in ("0.00001", "0.0000000001"):
            error = run(*ask, "--width", width, status=4)[1]
            self.assertRegex(error, "areas of a width of [-.0-9e]+ m need [0-9]+ bytes of memory, .*; a width of [.0-9]+ m does")
        run(*ask, "--width", error.split()[-3])

    def test_areas_cross_the_antimeridian(self):
        arcs = self.write("line.gr", "p sp 3 4\na 1 2 10\na 2 1 10\na 2 3 5\na 3 2 5\n")
        nodes = self.write("line.co", "p aux sp co 3\nv 1 179999000 0\nv 2 -179999000 0\nv 3 -179998000 0\n")
        file = self.path("line.mcd")
        run("import", "--weight", f"duration={arcs}", "--coords", nodes, "-o", file, "--quiet")
        for limit, metres_east in ((15, 333), (5, 111)):
            output, _ = run(
                "isochrone", file, "--from", "node:1", "--limits", limit, "--format", "geojson"
            )
            (feature,) = json.loads(output)["features"]
            (west,), (east,) = feature["geometry"]["coordinates"]
            self.assertEqual((max(x for x, _ in west), min(x for x, _ in east)), (180, -180))
            width = (max(x for x, _ in east) - min(x for x, _ in west) + 360) * METRES_PER_DEGREE
            self.assertGreater(width, metres_east)
            self.assertLess(width, metres_east + 300)

    def test_bad_usage_is_reported(self):
        self.assertUsage("isochrone", self.file, "--from", "node:1", says="--limits")
        self.assertUsage("isochrone", self.file, "--limits", "5", says="--from")
        self.assertUsage("isochrone", self.file, "--from", "node:1", "--limits", "x", says="x")
        self.assertUsage(
            "isochrone",
            self.file,
            "--from",
            "node:1",
            "--limits",
            "5",
            "--quantities",
            "distance",
            says="distance",
        )

    def test_html_is_one_page_without_links(self):
        page = self.isochrone("--from", f"node:{ISLAND}", "--limits", "5,9", "--format", "html")
        self.assertEqual(page.count('class="area"'), 2)
        self.assertNotIn("src=", page)


if __name__ == "__main__":
    unittest.main()
