"""route: one route in every format."""

import json
import unittest

from support import ISLAND, CommandTest, rows_of, run


def decode_polyline(text, scale):
    """Google's encoded polyline: [(lon, lat)]."""
    numbers, value, shift = [], 0, 0
    for character in text:
        bits = ord(character) - 63
        value |= (bits & 0x1F) << shift
        shift += 5
        if bits < 0x20:
            numbers.append(~(value >> 1) if value & 1 else value >> 1)
            value, shift = 0, 0
    points, lat, lon = [], 0, 0
    for delta_lat, delta_lon in zip(numbers[::2], numbers[1::2]):
        lat, lon = lat + delta_lat, lon + delta_lon
        points.append((lon / scale, lat / scale))
    return points


class Route(CommandTest):
    def route(self, *arguments, status=0):
        return run("route", self.file, *arguments, status=status)[0]

    def nodes(self):
        return json.loads(self.route("--from", "node:8", "--to", "node:49", "--format", "json"))["nodes"]

    def test_csv_has_a_line_an_arc(self):
        header, rows = rows_of(
            self.route("--from", "node:8", "--to", "node:49", "--quantities", "duration,distance")
        )
        self.assertEqual(header, ["tail", "head", "arc", "duration", "distance"])
        node = 8
        for tail, head, arc, duration, distance in rows:
            self.assertEqual(tail, node)
            self.assertEqual((tail, head, duration, distance), self.map.arcs[arc - 1])
            node = head
        self.assertEqual(node, 49)
        self.assertEqual((sum(row[3] for row in rows), sum(row[4] for row in rows)), self.map.tree(8)[49])

    def test_json_has_costs_nodes_arcs_and_waypoints(self):
        route = json.loads(self.route("--from", "node:8", "--to", "node:49", "--format", "json"))
        self.assertIs(route["found"], True)
        self.assertEqual(route["duration"], self.map.tree(8)[49][0])
        self.assertEqual(sum(arc["duration"] for arc in route["arcs"]), route["duration"])
        self.assertEqual(route["nodes"], [8] + [arc["head"] for arc in route["arcs"]])
        self.assertEqual([waypoint["node"] for waypoint in route["waypoints"]], [8, 49])

    def test_goes_through_every_via(self):
        route = json.loads(
            self.route(
                "--from",
                "node:8",
                "--via",
                "node:43",
                "--via",
                "node:7",
                "--to",
                "node:49",
                "--format",
                "json",
            )
        )
        costs = [self.map.tree(8)[43][0], self.map.tree(43)[7][0], self.map.tree(7)[49][0]]
        self.assertEqual([leg["duration"] for leg in route["legs"]], costs)
        self.assertEqual(route["duration"], sum(costs))
        self.assertEqual([route["nodes"][leg["last_arc"]] for leg in route["legs"]], [43, 7, 49])

    def test_geojson_is_a_feature_with_the_line(self):
        feature = json.loads(self.route("--from", "node:8", "--to", "node:49", "--format", "geojson"))
        self.assertEqual((feature["type"], feature["geometry"]["type"]), ("Feature", "LineString"))
        self.assertEqual(feature["properties"]["duration"], self.map.tree(8)[49][0])
        line = [[round(x, 6) for x in point] for point in feature["geometry"]["coordinates"]]
        self.assertEqual(line, [[round(x, 6) for x in self.map.coordinates[node]] for node in self.nodes()])

    def test_polylines_decode_to_the_line(self):
        for digits in (5, 6):
            line = decode_polyline(
                self.route("--from", "node:8", "--to", "node:49", "--format", f"polyline{digits}").rstrip(
                    "\n"
                ),
                10**digits,
            )
            expected = [tuple(round(x, digits) for x in self.map.coordinates[node]) for node in self.nodes()]
            self.assertEqual(line, expected)

    def test_html_draws_the_line(self):
        page = self.route("--from", "node:8", "--to", "node:49", "--format", "html")
        points = page.split('points="')[1].split('"')[0].split()
        self.assertGreaterEqual(len(points), len(self.nodes()))
        self.assertNotIn("src=", page)

    def test_extension_names_the_format(self):
        self.route("--from", "node:8", "--to", "node:49", "-o", self.path("r.geojson"))
        with open(self.path("r.geojson")) as file:
            self.assertEqual(json.load(file)["type"], "Feature")

    def test_to_the_same_node_is_found_and_empty(self):
        self.assertEqual(self.route("--from", "node:8", "--to", "node:8"), "tail,head,arc,duration\n")
        line = json.loads(self.route("--from", "node:8", "--to", "node:8", "--format", "geojson"))
        self.assertEqual(len(line["geometry"]["coordinates"]), 2)

    def test_no_path_is_exit_1_with_an_answer_that_says_so(self):
        route = json.loads(
            self.route("--from", "node:8", "--to", f"node:{ISLAND}", "--format", "json", status=1)
        )
        self.assertEqual((route["found"], route["duration"], route["arcs"]), (False, None, []))
        feature = json.loads(
            self.route("--from", "node:8", "--to", f"node:{ISLAND}", "--format", "geojson", status=1)
        )
        self.assertIsNone(feature["geometry"])

    def test_a_place_far_from_all_roads_is_exit_1(self):
        error = run("route", self.file, "--from", "0,0", "--to", "node:8", status=1)[1]
        self.assertIn("0,0", error)


if __name__ == "__main__":
    unittest.main()
