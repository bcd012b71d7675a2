"""Answers of the services: the costs of an oracle, the members that OSRM documents, in every form."""

import base64
import contextlib
import gzip
import json
import random
import re
import struct

from server import BLOCKS, ServerTest, TownTest, encode, town
from support import EXIT, SIDE, climbs, decode, read_arrow, run


ACROSS = "7.0001,43.0005;7.008,43.0075"  # of the town


class Costs(ServerTest):
    def test_a_table_has_the_costs_of_the_oracle(self):
        nodes = [1, 9, 25, 30, 49, EXIT]
        answer = self.get(f"/table/v1/driving/{self.at(*nodes)}", annotations="duration,distance", snapping="any",
                          radiuses=";".join(["1000"] * len(nodes)))
        for row, source in enumerate(nodes):
            tree = self.map.tree(source)
            for column, target in enumerate(nodes):
                cost = tree.get(target, (None, None))
                self.assertEqual((answer["durations"][row][column], answer["distances"][row][column]), cost)

    def test_a_route_has_the_costs_of_the_oracle_and_adds_them_up(self):
        answer = self.get(f"/route/v1/driving/{self.at(1, 30, 49)}", annotations=True)
        (route,) = answer["routes"]
        first, second = self.map.tree(1)[30], self.map.tree(30)[49]
        self.assertEqual([(leg["duration"], leg["distance"]) for leg in route["legs"]], [first, second])
        self.assertEqual((route["duration"], route["distance"]), (first[0] + second[0], first[1] + second[1]))
        for leg in route["legs"]:
            for name in "duration", "distance", "weight":
                self.assertEqual(sum(leg["annotation"][name]), leg[name])

    def test_cells_without_a_way_fall_back_and_durations_are_scaled(self):
        path = f"/table/v1/driving/{self.at(SIDE * SIDE, EXIT)}"  # one leads to the other, but not back
        there = {"snapping": "any", "radiuses": "1000;1000"}  # no other road is as near
        answer = self.get(path, fallback_speed=10, scale_factor=2, annotations="duration,distance", **there)
        metres = answer["distances"][1][0]
        self.assertAlmostEqual(metres, 0.14 * 111195 * 0.7306, delta=30)  # 0.14 degrees at 43.06 degrees north
        self.assertAlmostEqual(answer["durations"][1][0], 2 * metres / 10, delta=2)
        self.assertEqual(answer["fallback_speed_cells"], [[1, 0]])
        self.assertEqual(answer["durations"][0], [0, 2 * 4])
        self.assertNotIn("fallback_speed_cells", self.get(path, **there))

    def test_sources_and_destinations_choose_cells(self):
        path = f"/table/v1/driving/{self.at(1, 9, 25, 30)}"
        whole, part = self.get(path), self.get(path, sources="2;0", destinations="3;1;1")
        self.assertEqual(part["durations"], [[whole["durations"][s][t] for t in (3, 1, 1)] for s in (2, 0)])
        self.assertEqual([place["location"] for place in part["sources"]], [[7.03, 43.03], [7.0, 43.0]])
        self.assertEqual(len(part["destinations"]), 3)
        self.assertNotIn("sources", self.get(path, skip_waypoints=True))

    def test_the_nearest_roads_come_in_order(self):
        answer = self.get("/nearest/v1/driving/7.0151,43.0101", number=5)
        distances = [place["distance"] for place in answer["waypoints"]]
        self.assertEqual(len(distances), 5)
        self.assertEqual(distances, sorted(distances))
        self.assertAlmostEqual(distances[0], 11.1, delta=0.1)  # 0.0001 degrees north of the street
        both = self.get("/nearest/v1/driving/7.0151,43.0101;7.0,43.0")
        self.assertEqual(both["waypoints"][0][0], answer["waypoints"][0])


class Nodes(TownTest):
    """A map that keeps the ids of all nodes."""

    import_options = ("--node-ids",)

    def test_annotations_name_the_nodes(self):
        (route,) = self.get(f"/route/v1/driving/{ACROSS};7.0005,43.0", annotations=True)["routes"]
        for leg in route["legs"]:
            nodes = leg["annotation"]["nodes"]
            self.assertEqual(len(nodes), len(leg["annotation"]["duration"]) + 1)
            self.assertTrue(all(1 <= node <= BLOCKS * BLOCKS for node in nodes))
            self.assertTrue(all(abs(a - b) in (1, BLOCKS) for a, b in zip(nodes, nodes[1:])))
        (route,) = self.get(f"/route/v1/driving/{ACROSS}", annotations="nodes")["routes"]
        self.assertEqual(set(route["legs"][0]["annotation"]), {"nodes"})

    def test_slots_are_checked(self):
        plain = self.get(f"/route/v1/driving/{ACROSS}")["routes"][0]["duration"]
        self.assertEqual(self.get(f"/route/v1/driving/{ACROSS}", slot="Mo08:15")["routes"][0]["duration"], plain)
        self.assertEqual(self.get(f"/table/v1/driving/{ACROSS}", slot="Su23:59")["code"], "Ok")


class Times(TownTest):
    """A town whose roads are all shut for an hour of Monday."""

    town = town().replace('<tag k="highway"', '<tag k="motor_vehicle:conditional" v="no @ (Mo 08:00-09:00)"/><tag k="highway"')

    def test_a_route_waits(self):
        plain = self.get(f"/route/v1/driving/{ACROSS}")["routes"][0]["duration"]
        for time, wait in ("Mo08:00", 3600), ("Mo08:59:59.500", 0.5), ("2026-11-30T08:30", 1800), ("Tu08:00", 0):
            (route,) = self.get(f"/route/v1/driving/{ACROSS}", depart=time)["routes"]
            self.assertAlmostEqual(route["duration"], plain + wait, places=3)
        path = f"/route/v1/driving/{ACROSS}?utc_offset=+01:00&depart="
        for time in "2026-11-30T08:30:00+01:00", "2026-11-30T08:30:00%2B01:00", "2026-11-30T07:30Z", "Mo08:30":
            self.assertAlmostEqual(self.get(path + time)["routes"][0]["duration"], plain + 1800, places=3)
        (route,) = self.get(f"/route/v1/driving/{ACROSS}", arrive_by="Mo09:00")["routes"]
        self.assertAlmostEqual(route["duration"], plain + 3600, places=3)

    def test_legs_of_a_trace_take_as_long_as_at_its_times(self):
        path = "/match/v1/driving/7.0005,43.00402;7.0025,43.00402;7.0055,43.00402"
        monday = 1796022000  # 2026-11-30T07:00Z
        legs = [
            [leg["duration"] for leg in self.get(path, timestamps=";".join(str(monday + it) for it in times), **more)["matchings"][0]["legs"]]
            for times, more in (((0, 90, 200), {}), ((7200, 7290, 7400), {"utc_offset": "+01:00"}), ((0, 90, 200), {"utc_offset": "+01:00"}))
        ]
        self.assertEqual(legs[0], legs[1])
        for leg, plain, wait in zip(legs[2], legs[0], (3600, 3510)):
            self.assertAlmostEqual(leg, plain + wait, places=3)
        self.assertFails(path + "?utc_offset=Z", "InvalidOptions", "a clock, and point 0 has no time")

    def test_a_table_has_a_part_for_each_time(self):
        path = f"/table/v1/driving/{ACROSS}"
        early, late = (self.get(path, depart=it)["durations"] for it in ("Mo08:00", "Tu08:00"))
        self.assertNotEqual(early, late)
        answer = self.get(path, depart="Mo08:00,Tu08:00", annotations="duration,distance")
        self.assertEqual(answer["durations"], [[early[s], late[s]] for s in (0, 1)])
        self.assertEqual(answer["distances"][0][0], answer["distances"][0][1])
        self.assertEqual(len(answer["sources"]), 2)
        early, late, last = (self.get(path, arrive_by=it)["durations"] for it in ("Mo09:00", "Mo12:00", "Mo13:00"))
        answer = self.get(path, arrive_by="Mo09:00,Mo12:00,Mo13:00")["durations"]
        self.assertEqual(answer, [[[early[s][t], late[s][t], last[s][t]] for t in (0, 1)] for s in (0, 1)])
        self.assertFails(f"{path}?depart=Mo08:00,Tu08:00&fallback_speed=9", "NotImplemented", None)

    def test_a_tree_has_a_row_for_each_time(self):
        path = f"/tree/v1/driving/{ACROSS}"
        for option, more in ("depart", {}), ("arrive_by", {"reverse": "true"}):
            with self.subTest(option=option):
                times = "Mo08:30", "Tu08:00", "Mo09:00"
                rows = [self.get(path, **{option: it}, **more)["durations"] for it in times]
                self.assertNotEqual(rows[0], rows[1])
                expected = [[row[source] for row in rows] for source in (0, 1)]
                answer = self.get(path, **{option: ",".join(times)}, **more)
                self.assertEqual(answer["durations"], expected)
                body = self.server.ask(f"{path}.npy?{option}={','.join(times)}{'&reverse=true' * len(more)}")[2]
                self.assertIn(f"'shape': (2,3,{len(answer['ids'])},)".encode(), body)
                numbers = struct.unpack(f"<{6 * len(answer['ids'])}I", body[-24 * len(answer["ids"]) :])
                self.assertEqual([it / 1000 for it in numbers], [it for part in expected for row in part for it in row])
                answer = self.get(path, **{option: ",".join(times[:2])}, time_each="true", **more)["durations"]
                self.assertEqual(answer, [rows[0][0], rows[1][1]])

    def test_no_service_takes_more_times_than_it_has_room_for(self):
        """It answers all of them, or refuses them."""
        start = ACROSS.split(";")[1]
        for service, at, more in (
            ("route", ACROSS, ""), ("nearest", start, ""), ("table", ACROSS, ""), ("trip", ACROSS, ""), ("tree", ACROSS, ""),
            ("match", ACROSS, "timestamps=1;60&"), ("isochrone", start, "contours_minutes=1&"), ("reach", start, "contours_minutes=1&"),
        ):  # fmt: skip
            for count in 2, 3000:
                with self.subTest(service=service, count=count):
                    times = ",".join(["Mo08:00"] * count)
                    status, _, body = self.server.ask(f"/{service}/v1/driving/{at}?{more}depart={times}")
                    if service not in ("nearest", "table", "tree"):
                        self.assertEqual((status, json.loads(body)["code"]), (400, "InvalidOptions"))
                    else:
                        self.assertEqual(status, 200)

    def test_areas_and_trips_wait(self):
        """All roads are closed for an hour: it passes before anything is reached."""
        start = ACROSS.split(";")[1]
        for service, read in (
            ("isochrone", lambda answer: answer["features"][0]["geometry"]), ("reach", lambda answer: answer["sources"][0]["nodes"]),
        ):  # fmt: skip
            with self.subTest(service=service):
                plain, monday, tuesday, less = (
                    read(json.loads(self.server.ask(f"/{service}/v1/driving/{start}?contours_minutes={options}")[2]))
                    for options in ("1", "61&depart=Mo08:00", "1&depart=Tu08:00", "60.5&depart=Mo08:00")
                )
                self.assertEqual([monday, tuesday], [plain, plain])
                self.assertNotEqual(less, plain)
        trip = f"/trip/v1/driving/{ACROSS};7.0005,43.0"
        (plain,), (monday,) = (self.get(trip, **more)["trips"] for more in ({}, {"depart": "Mo08:00"}))
        self.assertEqual([leg["duration"] for leg in monday["legs"][1:]], [leg["duration"] for leg in plain["legs"][1:]])
        self.assertAlmostEqual(monday["duration"], plain["duration"] + 3600, places=3)

    def test_an_approximate_table_has_its_error(self):
        path = f"/table/v1/driving/{ACROSS}"
        exact, found = self.get(path, depart="Tu12:00"), self.get(path, depart="Tu12:00", approximate="true")
        self.assertNotIn("approximation", exact)
        self.assertEqual(found["approximation"]["cells"], 4)
        self.assertLessEqual(found["approximation"]["mean_ppm"], found["approximation"]["worst_ppm"])
        for row, right in zip(found["durations"], exact["durations"]):
            for cell, duration in zip(row, right):
                self.assertAlmostEqual(cell, duration, delta=0.1)
        self.assertFails(f"{path}?arrive_by=Mo08:00&approximate=true", "NotImplemented", None)

    def test_a_table_explains_how_it_was_computed(self):
        path = f"/table/v1/driving/{ACROSS}"
        self.assertNotIn("plan", self.get(path, depart="Tu12:00"))
        self.assertEqual(self.get(path, depart="Tu12:00", explain="true")["plan"], {"route_cells": 4})
        self.assertEqual(self.get(path, explain="true")["plan"], {"label_rows": 2})

    def test_binary_tables_have_an_axis_of_times(self):
        points = ACROSS + ";7.0005,43.0"
        for option, shape in ("depart", "(1,3,2,3,)"), ("arrive_by", "(1,3,3,2,)"):
            durations = self.get(f"/table/v1/driving/{points}", **{option: "Mo08:30,Tu08:00"})["durations"]
            status, _, body = self.server.ask(f"/table/v1/driving/{points}.npy?{option}=Mo08:30,Tu08:00")
            self.assertEqual(status, 200)
            self.assertIn(f"'shape': {shape}".encode(), body)
            numbers = struct.unpack("<18I", body[-72:])
            self.assertEqual([it / 1000 for it in numbers], [it for part in durations for row in part for it in row])


class Members(TownTest):
    """Field by field, as OSRM's page http.md has them."""

    def test_a_route(self):
        answer = self.get(f"/route/v1/driving/{ACROSS}", steps=True, annotations=True, overview="full")
        self.assertEqual(set(answer), {"code", "routes", "waypoints"})
        self.check_waypoint(answer["waypoints"][0])
        (route,) = answer["routes"]
        self.assertEqual(set(route), {"distance", "duration", "geometry", "weight", "weight_name", "legs"})
        (leg,) = route["legs"]
        self.assertEqual(set(leg), {"distance", "duration", "weight", "summary", "steps", "annotation"})
        self.assertEqual(set(leg["annotation"]), {"distance", "duration", "datasources", "weight", "speed", "metadata"})
        points = len(decode(route["geometry"]))
        for name in "distance", "duration", "datasources", "weight", "speed":
            self.assertEqual(len(leg["annotation"][name]), points - 1)
        for step in leg["steps"]:
            self.check_step(step)
        self.assertEqual([leg["steps"][0]["maneuver"]["type"], leg["steps"][-1]["maneuver"]["type"]], ["depart", "arrive"])

    def test_costs_add_up(self):
        (route,) = self.get(f"/route/v1/driving/{ACROSS};7.0005,43.0", steps=True, annotations=True)["routes"]
        for name in "duration", "distance", "weight":
            self.assertAlmostEqual(sum(leg[name] for leg in route["legs"]), route[name], places=3)
            for leg in route["legs"]:
                self.assertAlmostEqual(sum(step[name] for step in leg["steps"]), leg[name], places=3)

    def test_high_vehicles_keep_off_low_roads(self):
        ends = ["7.0,43.0019", "7.008,43.0061"]  # the avenue is between them
        def cost(**options):
            return round(1000 * self.get(f"/route/v1/driving/{';'.join(ends)}", **options)["routes"][0]["duration"])

        for height in (3, 4):
            command = run("route", self.file, "--from", ends[0], "--to", ends[1], "--vehicle-height", height, "--format", "json")
            self.assertEqual(cost(vehicle_height=height), json.loads(command[0])["duration"])
        self.assertGreater(cost(vehicle_height=4), cost())

    def test_roads_can_be_excluded(self):
        status, _, body = self.server.ask(f"/route/v1/driving/{ACROSS}?exclude=toll,motorway,ferry")
        self.assertEqual(status, 200, body)

    def test_areas_can_be_excluded(self):
        """From the west to the east along Road 2; a box on it is driven around."""
        ends = "7.0005,43.004;7.0045,43.004"
        straight = self.get(f"/route/v1/driving/{ends}")["routes"][0]
        box = [[7.0021, 43.0035], [7.0026, 43.0035], [7.0026, 43.0045], [7.0021, 43.0045]]
        flat = ",".join(str(number) for corner in box for number in corner)
        around = self.get(f"/route/v1/driving/{ends}", exclude_polygons=f"{flat};8,44,8.1,44,8,44.1", overview="full", geometries="geojson")
        (route,) = around["routes"]
        self.assertGreater(route["distance"], straight["distance"])
        for lon, lat in route["geometry"]["coordinates"]:
            self.assertFalse(box[0][0] <= lon <= box[1][0] and box[0][1] <= lat <= box[2][1], (lon, lat))
        body = {"coordinates": [[7.0005, 43.004], [7.0045, 43.004]], "exclude_polygons": [box]}
        status, _, answer = self.server.ask("/route/v1/driving", "POST", json.dumps(body))
        self.assertEqual((status, json.loads(answer)["routes"][0]["distance"]), (200, route["distance"]))

    def test_a_point_is_reached_on_the_side_where_it_lies(self):
        """Driving on the right, a place north of a road from west to east is passed when driving from the east."""
        path = "/route/v1/driving/7.0001,43.0041;7.0039,43.0041"
        any_side, curb, opposite = (self.get(path, approaches=f";{side}")["routes"][0]["distance"] for side in ("", "curb", "opposite"))
        self.assertEqual(any_side, opposite)
        self.assertGreater(curb, any_side)
        hints = ";".join(place["hint"] for place in self.get(path)["waypoints"])
        for side, distance in (("", any_side), ("curb", curb), ("opposite", opposite)):  # a hint is on the road, on neither side
            self.assertAlmostEqual(self.get(path, approaches=f";{side}", hints=hints)["routes"][0]["distance"], distance, delta=0.1)

    def test_a_bearing_of_180_degrees_either_way_is_none(self):
        """A traveller may turn round at a junction, where no bearing keeps the place on one of its roads."""
        for there in "7.004,43.0", "7.008,43.004", "7.008,43.008", "7.0013,43.0041":
            path = f"/route/v1/driving/7.0,43.0;{there};7.0,43.0"
            self.assertEqual(self.get(path, bearings="0,180;77,180;360,180"), self.get(path))

    def test_a_trace_is_matched(self):
        """Along Road 2 from the west, then up Street 3."""
        trace = [(7.0005 + 0.001 * i, 43.00402) for i in range(6)] + [(7.00602, 43.0045 + 0.001 * i) for i in range(3)]
        path = "/match/v1/driving/" + ";".join(f"{lon:.6f},{lat:.6f}" for lon, lat in trace)
        answer = self.get(path, timestamps=";".join(str(10 * i) for i in range(9)), radiuses=";".join("10" for _ in trace), steps=True)
        self.assertEqual(set(answer), {"code", "matchings", "tracepoints"})
        (matching,) = answer["matchings"]
        self.assertEqual(len(matching["legs"]), 8)
        self.assertGreater(matching["confidence"], 0.5)
        for i, point in enumerate(answer["tracepoints"]):
            self.assertEqual((point["matchings_index"], point["waypoint_index"]), (0, i))
            self.assertEqual(point["name"], "Road 2" if i < 6 else "Street 3")
        self.assertFails("/match/v1/driving/1,1;2,2", "NoMatch", "Could not match the trace.")

    def test_a_trip_visits_every_stop(self):
        places = ["7.0001,43.0", "7.008,43.0075", "7.0021,43.0", "7.006,43.0041"]
        path = "/trip/v1/driving/" + ";".join(places)
        answer = self.get(path, roundtrip=False, source="first", destination="last")
        self.assertEqual(set(answer), {"code", "trips", "waypoints"})
        ranks = [place["waypoint_index"] for place in answer["waypoints"]]
        self.assertEqual((sorted(ranks), ranks[0], ranks[3]), ([0, 1, 2, 3], 0, 3))
        self.assertEqual(len(answer["trips"][0]["legs"]), 3)
        durations = self.get(path.replace("trip", "table"))["durations"]
        best = min(((1, 2), (2, 1)), key=lambda way: durations[0][way[0]] + durations[way[0]][way[1]] + durations[way[1]][3])
        self.assertEqual([ranks.index(1), ranks.index(2)], list(best))  # the route itself goes straight on at stops
        self.assertEqual(len(self.get(path)["trips"][0]["legs"]), 4)

    def test_alternatives_are_other_routes(self):
        routes = self.get(f"/route/v1/driving/{ACROSS}", alternatives=3, overview="full")["routes"]
        self.assertEqual(len({route["geometry"] for route in routes}), len(routes))
        self.assertEqual([route["duration"] for route in routes], sorted(route["duration"] for route in routes))
        straight, any_way = (self.get("/route/v1/driving/7.0001,43.0;7.0011,43.0;7.0001,43.0", continue_straight=straight)["routes"][0]
                             for straight in (True, False))
        self.assertGreater(straight["distance"], any_way["distance"])

    def test_a_summary_names_the_major_roads(self):
        (route,) = self.get(f"/route/v1/driving/{ACROSS}", steps=True)["routes"]
        self.assertIn("Road 2", route["legs"][0]["summary"].split(", "))
        (route,) = self.get(f"/route/v1/driving/{ACROSS}")["routes"]
        self.assertEqual(route["legs"][0]["summary"], "")

    def test_speeds_are_metres_a_second(self):
        (route,) = self.get("/route/v1/driving/7.0001,43.0;7.0019,43.0", annotations=True)["routes"]
        (speed,) = route["legs"][0]["annotation"]["speed"]
        self.assertAlmostEqual(speed, route["distance"] / route["duration"], delta=0.06)

    def check_waypoint(self, place):
        self.assertEqual({name: type(value) for name, value in place.items()},
                         {"hint": str, "location": list, "name": str, "distance": type(place["distance"])})

    def check_step(self, step):
        expected = {"distance", "duration", "weight", "geometry", "name", "mode", "maneuver", "intersections", "driving_side"}
        self.assertLessEqual(expected, set(step))
        self.assertLessEqual({"location", "bearing_before", "bearing_after", "type"}, set(step["maneuver"]))
        self.assertNotIn("instruction", step["maneuver"])
        for crossing in step["intersections"]:
            self.assertLessEqual({"location", "bearings", "entry"}, set(crossing))
            self.assertEqual(len(crossing["bearings"]), len(crossing["entry"]))
        self.assertGreaterEqual(len(decode(step["geometry"])), 2)

    def test_what_is_not_wanted_is_left_out(self):
        answer = self.get(f"/route/v1/driving/{ACROSS}", overview="false", skip_waypoints=True)
        self.assertEqual(set(answer), {"code", "routes"})
        self.assertNotIn("geometry", answer["routes"][0])
        self.assertEqual(answer["routes"][0]["legs"][0]["steps"], [])
        answer = self.get(f"/route/v1/driving/{ACROSS}", generate_hints=False, annotations="speed,weight")
        self.assertNotIn("hint", answer["waypoints"][0])
        self.assertEqual(set(answer["routes"][0]["legs"][0]["annotation"]), {"speed", "weight"})

    def test_a_language_brings_sentences(self):
        answer = self.get(f"/route/v1/driving/{ACROSS}", steps=True, language="de", distances="metric", lane_phrases="true")
        sentences = [step["maneuver"]["instruction"] for step in answer["routes"][0]["legs"][0]["steps"]]
        self.assertTrue(sentences[0] and all(re.match(r"In [\d,]+ k?m ", it) for it in sentences[1:]), sentences)

    def test_a_route_to_the_same_place(self):
        answer = self.get(f"/route/v1/driving/7.002,43.002;7.002,43.002", steps=True, geometries="geojson", overview="full")
        (route,) = answer["routes"]
        self.assertEqual((route["duration"], route["distance"]), (0, 0))
        self.assertEqual(route["geometry"]["coordinates"], [[7.002, 43.002]] * 2)


    def test_a_line_has_one_point_more_than_annotations(self):
        """Stops in the middle of roads: their place may differ in its last digits when the road is driven back."""
        chance = random.Random(1)
        for _ in range(100):
            places = [(7 + chance.random() * 0.008, 43 + chance.random() * 0.008) for _ in range(4)]
            path = "/route/v1/driving/" + ";".join(f"{lon:.6f},{lat:.6f}" for lon, lat in places)
            (route,) = self.get(path, annotations="distance", overview="full", geometries="geojson", continue_straight=False)["routes"]
            line = route["geometry"]["coordinates"]
            self.assertTrue(all(a != b for a, b in zip(line, line[1:])), path)
            self.assertEqual(sum(len(leg["annotation"]["distance"]) for leg in route["legs"]), len(line) - 1, path)


class Lines(ServerTest):
    def test_the_forms_of_a_line_agree(self):
        path = f"/route/v1/driving/{self.at(1, 49)}"
        lines = {form: self.get(path, overview="full", geometries=form)["routes"][0]["geometry"]
                 for form in ("polyline", "polyline6", "geojson")}
        points = [tuple(point) for point in lines["geojson"]["coordinates"]]
        self.assertEqual(lines["geojson"]["type"], "LineString")
        self.assertEqual(decode(lines["polyline"], 5), points)
        self.assertEqual(decode(lines["polyline6"], 6), points)
        self.assertGreaterEqual(len(points), 2 * SIDE - 1)

    def test_a_simplified_line_keeps_the_ends_and_the_corners(self):
        path = f"/route/v1/driving/{self.at(1, 49)}"
        full = decode(self.get(path, overview="full")["routes"][0]["geometry"])
        simple = decode(self.get(path)["routes"][0]["geometry"])
        corners = [b for a, b, c in zip(full, full[1:], full[2:]) if (a[0] == b[0]) != (b[0] == c[0])]
        self.assertEqual(simple, [full[0], *corners, full[-1]])

    def test_coordinates_come_as_polylines_too(self):
        path = "/table/v1/driving/"
        plain = self.get(path + "7.0,43.0;7.01,43.0;7.02,43.05")["durations"]
        points = [(7.0, 43.0), (7.01, 43.0), (7.02, 43.05)]
        for name, precision in (("polyline", 5), ("polyline6", 6)):
            encoded = encode(points, precision)
            self.assertEqual(decode(encoded, precision), points)
            escaped = "".join(f"%{ord(character):02X}" for character in encoded)
            self.assertEqual(self.get(f"{path}{name}({escaped})")["durations"], plain)
            self.assertFails(f"{path}{name}({escaped})x", "InvalidQuery")

    def test_a_format_follows_any_number(self):
        for latitude in "43", "43.", "43.0", "4300000000000000000e-17":
            path = "/table/v1/driving/7,43;7.01," + latitude
            plain = self.get(path)
            self.assertEqual(self.get(path + ".json"), plain)
            self.assertEqual(self.server.ask(path + ".npy")[2][:6], b"\x93NUMPY")
            self.assertFails(path + ".xml", "InvalidQuery")


class Hints(ServerTest):
    def test_a_hint_finds_the_place_again(self):
        path = "/nearest/v1/driving/7.0151,43.0101"
        (place,) = self.get(path)["waypoints"]
        (again,) = self.get(path, hints=place["hint"])["waypoints"]
        self.assertEqual(again["location"], place["location"])
        self.assertAlmostEqual(again["distance"], place["distance"], delta=0.1)

    def test_a_hint_of_another_coordinate_is_of_no_use(self):
        (place,) = self.get("/nearest/v1/driving/7.0151,43.0101")["waypoints"]
        plain = self.get("/nearest/v1/driving/7.04,43.04")
        self.assertEqual(self.get("/nearest/v1/driving/7.04,43.04", hints=place["hint"]), plain)

    def test_a_hint_of_another_map_is_ignored(self):
        plain = self.get("/nearest/v1/driving/7.0151,43.0101")
        words = list(struct.unpack("<6I", base64.urlsafe_b64decode(plain["waypoints"][0]["hint"])))
        for word in 0, 3:  # the map; where it was snapped
            words[word] ^= 1
            check = 2166136261
            for byte in struct.pack("<5I", *words[:5]):
                check = (check ^ byte) * 16777619 % 2**32
            words[5] = check
            hint = base64.urlsafe_b64encode(struct.pack("<6I", *words)).decode()
            self.assertEqual(self.get("/nearest/v1/driving/7.0151,43.0101", hints=hint), plain)


class Forms(ServerTest):
    def test_a_body_asks_what_a_path_asks(self):
        body = {"coordinates": [[7.0, 43.0], [7.01, 43.0], [7.02, 43.05]], "sources": [0, 2], "annotations": ["duration", "distance"],
                "radiuses": [100, None, "unlimited"], "generate_hints": False}
        status, _, answer = self.server.ask("/table/v1/driving", "POST", json.dumps(body))
        self.assertEqual(status, 200, answer)
        path = "/table/v1/driving/7.0,43.0;7.01,43.0;7.02,43.05"
        self.assertEqual(json.loads(answer), self.get(path, sources="0;2", annotations="duration,distance",
                                                      radiuses="100;;unlimited", generate_hints=False))

    def test_tables_come_as_numbers(self):
        path = f"/table/v1/driving/{self.at(1, 9, 25)}"
        durations = self.get(path)["durations"]
        status, headers, body = self.server.ask(path + ".bin?annotations=duration,distance")
        self.assertEqual((status, headers["Content-Type"]), (200, "application/octet-stream"))
        numbers = struct.unpack("<18I", body)
        self.assertEqual([list(numbers[i : i + 3]) for i in (0, 3, 6)], durations)
        status, headers, body = self.server.ask(path + "?format=npy")
        self.assertEqual(body[:8], b"\x93NUMPY\x01\x00")
        size = int.from_bytes(body[8:10], "little")
        self.assertEqual((10 + size) % 64, 0)
        self.assertIn(b"(1,3,3,)", body[10 : 10 + size])
        self.assertEqual(struct.unpack("<9I", body[10 + size :]), numbers[:9])

    def test_tables_come_as_a_stream_of_arrow(self):
        path = f"/table/v1/driving/{self.at(1, 9, 25)}"
        durations = self.get(path)["durations"]
        status, headers, body = self.server.ask(path, headers={"Accept": "application/vnd.apache.arrow.stream"})
        self.assertEqual((status, headers["Content-Type"]), (200, "application/vnd.apache.arrow.stream"))
        self.assertEqual(self.server.ask(path + ".arrow")[2], body)
        width, columns = read_arrow(body)
        self.assertEqual((width, list(columns)), (3, ["durations"]))
        numbers = struct.unpack("<9I", columns["durations"])
        self.assertEqual([list(numbers[i : i + 3]) for i in (0, 3, 6)], durations)
        width, columns = read_arrow(self.server.ask(path + "?format=arrow&annotations=duration,distance&sources=0")[2])
        self.assertEqual((width, list(columns)), (3, ["durations", "distances"]))
        self.assertEqual(columns["durations"], struct.pack("<3I", *numbers[:3]))
        self.assertEqual(list(struct.unpack("<3I", columns["distances"])), self.get(path, sources=0, annotations="distance")["distances"][0])

    def test_large_tables_are_sent_while_they_are_made(self):
        small = struct.unpack("<9I", self.server.ask(f"/table/v1/driving/{self.at(1, 9, 25)}.bin")[2])
        expected = b"".join(struct.pack("<3I", *small[i : i + 3]) * 1400 for i in (0, 3, 6)) * 1400
        at = [[float(x) for x in place.split(",")] for place in self.at(1, 9, 25).split(";")] * 1400
        before = self.memory()
        _, headers, body = self.post_table(at, "bin")
        self.assertEqual(int(headers["Content-Length"]), len(body))
        self.assertTrue(body == expected)
        self.assertTrue(self.post_table(at, "npy")[2].endswith(expected))
        body = self.post_table(at, "arrow", annotations=["duration", "distance"])[2]
        width, columns = read_arrow(body)
        self.assertEqual(width, 4200)
        self.assertTrue(columns["durations"] == expected)
        self.assertLess(self.memory() - before, 100 << 20)  # of three answers with 64, 64 and 128 MiB
        for _ in range(3):  # a client that leaves keeps no memory in use
            with contextlib.closing(self.server.connect()) as connection:
                connection.request("POST", "/table/v1/driving", json.dumps({"coordinates": at, "format": "arrow"}))
                connection.getresponse().read(100000)
        self.assertEqual(self.post_table(at[:30], "json")[0], 200)
        status, _, body = self.post_table(at + [[0, 0]], "bin", radiuses=[100] * 4201)
        self.assertEqual((status, json.loads(body)["code"]), (400, "NoSegment"))

    def test_large_tables_are_scaled_and_filled_while_they_are_sent(self):
        options = {"snapping": "any", "fallback_speed": 10, "scale_factor": 2, "annotations": ["duration", "distance"]}
        at = [list(self.map.coordinates[node]) for node in (SIDE * SIDE, EXIT)]  # one leads to the other, but not back
        small = read_arrow(self.post_table(at, "arrow", **options)[2])[1]
        self.assertNotIn(b"\xff\xff\xff\xff", small["durations"])
        _, headers, body = self.post_table(at * 2100, "arrow", **options)
        self.assertEqual(headers["Transfer-Encoding"], "chunked")
        width, columns = read_arrow(body)
        self.assertEqual((width, list(columns)), (4200, ["durations", "distances"]))
        for name, cells in columns.items():
            self.assertTrue(cells == (small[name][:8] * 2100 + small[name][8:] * 2100) * 2100, name)

    def post_table(self, at, form, **options):
        return self.server.ask("/table/v1/driving", "POST", json.dumps({"coordinates": at, "format": form, "skip_waypoints": True, **options}))

    def memory(self):
        with open(f"/proc/{self.server.process.pid}/status") as file:
            return 1024 * int(next(line for line in file if line.startswith("VmHWM")).split()[1])

    def test_an_answer_is_compressed_for_those_who_want_it(self):
        path = f"/table/v1/driving/{self.at(*range(1, 20))}"
        _, headers, plain = self.server.ask(path)
        self.assertNotIn("Content-Encoding", headers)
        _, headers, body = self.server.ask(path, headers={"Accept-Encoding": "deflate, gzip"})
        self.assertEqual(headers["Content-Encoding"], "gzip")
        self.assertEqual(int(headers["Content-Length"]), len(body))
        self.assertEqual(gzip.decompress(body), plain)
        for accepted, is_compressed in (("gzip;q=0.5", True), ("gzip;q=0", False), ("gzip;q=0.0, br", False), ("br", False)):
            headers = self.server.ask(path, headers={"Accept-Encoding": accepted})[1]
            self.assertEqual("Content-Encoding" in headers, is_compressed, accepted)

    def test_a_connection_serves_many_requests(self):
        connection = self.server.connect()
        for _ in range(100):
            connection.request("GET", "/nearest/v1/driving/7.0,43.0")
            answer = connection.getresponse()
            self.assertEqual((answer.status, len(answer.read())), (200, int(answer.headers["Content-Length"])))
        connection.close()

    def test_browsers_of_other_sites_may_ask(self):
        status, headers, body = self.server.ask("/route/v1/driving/1,1;2,2", "OPTIONS")
        self.assertEqual((status, body), (204, b""))
        self.assertIn("POST", headers["Access-Control-Allow-Methods"])
        self.assertNotEqual(headers["Connection"], "close")  # the request itself follows on it
        _, headers, _ = self.server.ask("/nearest/v1/driving/7.0,43.0")
        self.assertEqual(headers["Access-Control-Allow-Origin"], "*")

    def test_a_head_has_the_length_of_its_answer(self):
        path = "/nearest/v1/driving/7.0,43.0"
        length = len(self.server.ask(path)[2])
        status, headers, body = self.server.ask(path, "HEAD")
        self.assertEqual((status, int(headers["Content-Length"]), body), (200, length, b""))


class Heights(TownTest):
    heights = "N43E007"

    def test_lines_have_heights_in_metres(self):
        for options in {}, {"overview": "full"}:
            (route,) = self.get(f"/route/v1/driving/{ACROSS}", geometries="geojson", steps=True, **options)["routes"]
            self.assertEqual({len(point) for point in route["geometry"]["coordinates"]}, {3})
            for step in route["legs"][0]["steps"]:
                self.assertEqual({len(point) for point in step["geometry"]["coordinates"]}, {3})
        up, down = climbs(route["geometry"]["coordinates"])
        self.assertEqual((route["ascent_m"], route["descent_m"]), (up / 10, down / 10))
        self.assertGreater(up + down, 0)
