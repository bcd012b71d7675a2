"""Requests by POST: the options that OSRM takes in JSON, and errors that name the element."""

import gzip
import json

from server import TownTest

PAIR = [[7.0, 43.0], [7.008, 43.004]]
PATH = "7.0,43.0;7.008,43.004"


def distinct(line):
    """Without points that equal the one before."""
    return [point for i, point in enumerate(line) if i == 0 or point != line[i - 1]]


class Posts(TownTest):
    def post(self, service, body):
        status, _, answer = self.server.ask(f"/{service}/v1/driving", "POST", body if isinstance(body, (str, bytes)) else json.dumps(body))
        return status, json.loads(answer)

    def test_a_body_says_what_a_path_says(self):
        for service, options, query in (
            ("route", {"format": "json"}, ""),
            ("route", {"foo": {"bar": [1, {}]}, "number": 3, "": 1}, ""),
            ("route", {"annotations": True, "steps": True}, "annotations=true&steps=true"),
            ("route", {"annotations": False, "overview": "by_legs"}, "overview=by_legs"),
            ("route", {name: [] for name in ("annotations", "exclude", "radiuses", "bearings", "waypoints", "hints", "approaches")}, ""),
            ("route", {"radiuses": [None, "unlimited"], "exclude": ["toll", "ferry"]}, "radiuses=;unlimited&exclude=toll,ferry"),
            ("table", {"annotations": True}, "annotations=duration,distance"),
            ("table", {"annotations": [], "sources": [], "destinations": [1]}, "destinations=1"),
            ("match", {"timestamps": []}, ""),
            ("table", {"depart": ["Mo08:15", "Tu09:30"]}, "depart=Mo08:15,Tu09:30"),
            ("table", {"arrive_by": ["Mo08:15", "Tu09:30"]}, "arrive_by=Mo08:15,Tu09:30"),
            ("table", {"depart": ["Mo08:15", "Tu09:30"], "time_each": True}, "depart=Mo08:15,Tu09:30&time_each=true"),
            ("reach", {"contours_minutes": [0.1, 0.2]}, "contours_minutes=0.1,0.2"),
            ("route", {"waypoints": [0, 1], "bearings": [[0, 90], [90, 90]]}, "waypoints=0;1&bearings=0,90;90,90"),
            ("route", {"exclude_polygons": [[[7, 43], [7.001, 43], [7, 43.001]], [[7, 44], [7.1, 44], [7, 44.1]]]},
             "exclude_polygons=7,43,7.001,43,7,43.001;7,44,7.1,44,7,44.1"),
        ):
            with self.subTest(service=service, options=options):
                self.assertEqual(self.post(service, {"coordinates": PAIR, **options}),
                                 (200, self.get(f"/{service}/v1/driving/{PATH}{'?' if query else ''}{query}")))

    def test_an_error_names_the_element(self):
        for service, body, code, message in (
            ("route", "", "InvalidQuery", "The body is not JSON: malformed close to position 0"),
            ("route", '{"coordinates": [[7,43],[7,', "InvalidQuery", "The body is not JSON: malformed close to position 26"),
            ("route", '{"coordinates": [[7,43],[7,43]]}\n x', "InvalidQuery", "The body is not JSON: malformed close to position 34"),
            ("route", [], "InvalidQuery", "The body is not an object with coordinates."),
            ("route", {"steps": True}, "InvalidQuery", "The body is not an object with coordinates."),
            ("route", {"coordinates": []}, "InvalidOptions", "The list of coordinates is empty."),
            ("route", '{"coordinates": [[7,43],[7,44]], "steps": 1, "coordinates": []}', "InvalidQuery", "The body has two members coordinates."),
            ("table", '{"sources": [0], "coordinates": [[7,43],[7,44]], "x": 1, "x": 2, "sources": []}', "InvalidQuery", "The body has two members sources."),
            ("route", {"coordinates": [*PAIR, [7]]}, "InvalidQuery", "coordinates[2]: malformed value: [7]"),
            ("route", {"coordinates": [*PAIR, [7, "a"], PAIR[0]]}, "InvalidQuery", 'coordinates[2]: malformed value: [7,"a"]'),
            ("route", {"coordinates": [[7, 43, 5], *PAIR]}, "InvalidQuery", "coordinates[0]: malformed value: [7,43,5]"),
            ("route", {"coordinates": [PAIR[0], None]}, "InvalidQuery", "coordinates[1]: malformed value: null"),
            ("route", {"coordinates": [PAIR[0], {"lon": 7}]}, "InvalidQuery", 'coordinates[1]: malformed value: {"lon":7}'),
            ("route", {"coordinates": {}}, "InvalidQuery", "coordinates: malformed value: {}"),
            ("route", {"coordinates": PAIR, "steps": "maybe"}, "InvalidQuery", 'steps: malformed value: "maybe"'),
            ("route", {"coordinates": PAIR, "overview": "false&steps=true"}, "InvalidQuery", 'overview: malformed value: "false&steps=true"'),
            ("route", {"coordinates": PAIR, "format": "xml"}, "InvalidQuery", 'format: malformed value: "xml"'),
            ("route", {"coordinates": PAIR, "radiuses": [5, "far"]}, "InvalidQuery", 'radiuses[1]: malformed value: "far"'),
            ("route", {"coordinates": PAIR, "annotations": ["speed", "x"]}, "InvalidQuery", 'annotations[1]: malformed value: "x"'),
            ("table", {"coordinates": PAIR, "depart": ["Mo08:15", "late"]}, "InvalidQuery", 'depart: malformed value: ["Mo08:15","late"]'),
            ("route", {"coordinates": PAIR, "overview": ["full", "false"]}, "InvalidQuery", 'overview: malformed value: ["full","false"]'),
            ("table", {"coordinates": PAIR, "sources": [0.5]}, "InvalidQuery", "sources[0]: malformed value: 0.5"),
            ("table", {"coordinates": PAIR, "sources": [0, 2]}, "InvalidOptions", "sources has the index 2, but there are 2 coordinates"),
        ):
            with self.subTest(service=service, body=body):
                status, answer = self.post(service, body)
                self.assertEqual((status, answer["code"], answer["message"]), (400, code, message))

    def test_a_compressed_body_is_named(self):
        for coding, status in (("gzip", 415), ("br", 415), ("identity, gzip", 415), ("identity", 200), ("Identity", 200)):
            with self.subTest(coding=coding):
                body = json.dumps({"coordinates": PAIR}).encode()
                got, _, answer = self.server.ask("/route/v1/driving", "POST", body if status == 200 else gzip.compress(body), {"Content-Encoding": coding})
                self.assertEqual(got, status, answer)
                if status == 415:
                    self.assertEqual(json.loads(answer), {"code": "InvalidQuery", "message": "The body is compressed: send it without Content-Encoding."})

    def test_lines_by_leg_join_to_the_line(self):
        path = "7.0,43.0;7.008,43.0;7.008,43.008"
        for service, member in (("route", "routes"), ("trip", "trips"), ("match", "matchings")):
            (whole,) = self.get(f"/{service}/v1/driving/{path}", geometries="geojson", overview="full")[member]
            (parts,) = self.get(f"/{service}/v1/driving/{path}", geometries="geojson", overview="by_legs")[member]
            self.assertNotIn("geometry", parts)
            lines = [leg["geometry"]["coordinates"] for leg in parts["legs"]]
            joined = [point for line in lines for point in line]
            self.assertEqual(distinct(joined), distinct(whole["geometry"]["coordinates"]), service)
            self.assertTrue(all("geometry" not in leg for leg in whole["legs"]))
