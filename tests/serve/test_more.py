"""Services that OSRM does not have: areas, reach, trees, traffic, metrics; and clients that were written for OSRM."""

import json
import os
import struct
import subprocess
import sys

from server import Server, ServerTest, TownTest, town
from test_answers import read_arrow
from support import ESTATE, CommandTest, decode, run, write_heights

PAIR = "7.0,43.0;7.01,43.0"


TOWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "town.osm")


def import_vehicle(test, town=TOWN):
    """The town of the examples with heights and a vehicle."""
    file, folder = test.path("high.mcd" if town == TOWN else "other.mcd"), test.path("tiles")
    os.makedirs(folder, exist_ok=True)
    write_heights(folder, "N50E010", 5)
    with open(test.path("my.vehicle"), "w") as vehicle:
        vehicle.write("mass 1800\n")
    run("import", town, "--heights", folder, "--vehicle", test.path("my.vehicle"), "-o", file)
    return file


class Moved(ServerTest):
    """Coordinates whose nearest road is cut off: see ESTATE."""

    HOUSE, BARN, SHOP = "10.005,50.0019", "10.0056,50.0017", "10.0021,49.9999"

    @classmethod
    def setUpClass(cls):
        CommandTest.setUpClass.__func__(cls)
        with open(cls.path("estate.osm"), "w") as file:
            file.write(ESTATE)
        run("import", TOWN, cls.path("estate.osm"), "-o", cls.path("estate.mcd"))
        cls.server = Server(cls.path("estate.mcd"))

    def test_the_box_of_a_map_is_that_of_its_nodes(self):
        (info,) = json.loads(self.server.ask("/info")[2])["maps"]
        self.assertEqual(info["bbox"], [10, 50, 10.0095, 50.0039])

    def told(self, service, *places, **options):
        """Per waypoint: its status, rounded distance, and rounded distance from the nearest road."""
        answer = self.get(f"/{service}/v1/driving/{';'.join(places)}", **options)
        points = answer.get("waypoints") or answer.get("sources")
        return [(it.get("status"), round(it["distance"]), round(it.get("nearest_distance", -1))) for it in points]

    def test_waypoints_say_so(self):
        house, barn, near, ok = ("moved", 67, 11), ("moved", 29, 11), (None, 11, -1), (None, 11, -1)
        both, minutes = (self.HOUSE, self.SHOP), {"contours_minutes": 5}
        for service, places, options, expected in (
            ("route", both, {}, [house, ok]),
            ("route", both, {"snapping": "any"}, [house, ok]), # no way leads out
            ("route", (self.HOUSE, self.BARN), {}, [near, near]),
            ("route", (self.HOUSE, self.BARN, self.SHOP), {}, [near, ("moved", 29, 11), ok]),
            ("nearest", (self.HOUSE,), {}, [house]),
            ("nearest", (self.HOUSE,), {"snapping": "any"}, [near]),
            ("table", both, {}, [house, ok]),
            ("table", (self.HOUSE, self.BARN), {}, [house, barn]),
            ("trip", (self.HOUSE, self.BARN), {}, [near, near]),
            ("trip", both, {}, [house, ok]),
            ("match", both, {"radiuses": "50;50"}, None),
            ("reach", both, minutes, [house, ok]),
        ):
            with self.subTest(service=service, places=places, options=options):
                if expected is None:
                    self.assertNotIn(b"moved", self.server.ask(f"/{service}/v1/driving/{';'.join(places)}")[2])
                else:
                    self.assertEqual(self.told(service, *places, **options), expected)
        self.assertEqual({it[0] for it in self.told("nearest", self.HOUSE, number=4)}, {"moved"})
        self.assertEqual(self.told("nearest", self.HOUSE, radiuses="20"), [("cut_off", 11, -1)])


class Energy(ServerTest):
    PLACES = ("10.0001,50.0001", "10.0061,50.0026", "10,50.0039")

    @classmethod
    def setUpClass(cls):
        CommandTest.setUpClass.__func__(cls)
        cls.high = import_vehicle(cls)
        cls.server = Server(cls.high)
        with open(cls.path("places.csv"), "w") as places:
            places.write("\n".join(("lon,lat", *cls.PLACES)) + "\n")
        both = ("--sources", cls.path("places.csv"), "--targets", cls.path("places.csv"))
        cells = json.loads(run("matrix", cls.high, *both, "--metric", "energy", "--quantities", "energy,duration", "--format", "json")[0])
        cls.cost = {name: [cell[name] for cell in cells] for name in ("energy", "duration")}

    def ask(self, service, places=PLACES, **options):
        return self.get(f"/{service}/v1/driving/{';'.join(places)}", **options)

    def test_a_table_has_the_energies_of_the_matrix(self):
        self.assertLess(min(self.cost["energy"]), 0)
        table = self.ask("table", annotations="energy")
        self.assertEqual([round(1000 * it) for row in table["energies"] for it in row], self.cost["energy"])
        self.assertNotIn("durations", table)
        table = self.ask("table", annotations="duration,energy")
        self.assertEqual([round(1000 * it) for row in table["energies"] for it in row], self.cost["energy"])
        self.assertEqual([round(1000 * it) for row in table["durations"] for it in row], self.cost["duration"])
        path = f"/table/v1/driving/{';'.join(self.PLACES)}?annotations=energy"
        self.assertEqual(list(struct.unpack("<9i", self.server.ask(path + "&format=bin")[2])), self.cost["energy"])
        body = self.server.ask(path + "&format=npy")[2]
        self.assertIn(b"'<i4'", body)
        self.assertEqual(list(struct.unpack("<9i", body[-36:])), self.cost["energy"])
        columns = read_arrow(self.server.ask(path + ",duration&format=arrow")[2])[1]
        self.assertEqual(list(struct.unpack("<9i", columns["energies"])), self.cost["energy"])
        self.assertEqual(list(struct.unpack("<9I", columns["durations"])), self.cost["duration"])
        for more in (",distance", "&fallback_speed=10"):
            self.assertFails(path + more, "NotImplemented", "Energies have neither distances nor a fallback speed.")

    def test_arrays_of_energies_have_one_value_for_unreached_cells(self):
        places = {1: (10, 50), 2: (10.004, 50.001), 3: (10, 50.01), 4: (10.004, 50.01)}
        with open(self.path("roads.osm"), "w") as roads:
            roads.write("<osm version='0.6'>" + "".join(f"<node id='{i}' lon='{lon}' lat='{lat}'/>" for i, (lon, lat) in places.items()))
            for way in (1, 3):
                roads.write(f"<way id='{way}'><nd ref='{way}'/><nd ref='{way + 1}'/><tag k='highway' v='primary'/></way>")
            roads.write("</osm>")
        with open(self.path("ends.csv"), "w") as ends:
            ends.write("node:1\nnode:2\nnode:4\n")
        roads, both = import_vehicle(self, self.path("roads.osm")), ("--quantities", "duration,energy")
        ask = ("matrix", roads, "--sources", self.path("ends.csv"), "--targets", self.path("ends.csv"), "--metric", "energy", *both)
        rows = json.loads(run(*ask, "--format", "json")[0])
        cells = {name: [2**31 - 1 if row[name] is None else row[name] for row in rows] for name in ("duration", "energy")}
        self.assertEqual([cells[name].count(2**31 - 1) for name in cells], [4, 4])
        run(*ask, "--format", "npy", "-o", self.path("ends.npy"))
        with open(self.path("ends.npy"), "rb") as npy:
            self.assertEqual(list(struct.unpack("<18i", npy.read()[-72:])), [it for pair in zip(*cells.values()) for it in pair])
        server = Server(roads)
        path = "/table/v1/driving/" + ";".join("{},{}".format(*places[i]) for i in (1, 2, 4))
        for form in ("npy", "bin"):
            body = server.ask(path + f"?annotations=duration,energy&snapping=any&radiuses=100;100;100&format={form}")[2]
            self.assertEqual(list(struct.unpack("<18i", body[-72:])), cells["duration"] + cells["energy"])
        server.stop()

    def test_ways_of_least_energy_have_durations_and_distances(self):
        for options in ({"overview": "false"}, {"steps": "true", "annotations": "true"}):
            (route,) = self.ask("route", self.PLACES[:2], metric="energy", **options)["routes"]
            self.assertEqual(round(1000 * route["energy_wh"]), self.cost["energy"][1])
            self.assertEqual(round(1000 * route["duration"]), self.cost["duration"][1])
            wanted = json.loads(run("route", self.high, "--from", self.PLACES[0], "--to", self.PLACES[1], "--metric", "energy",
                                    "--quantities", "distance", "--format", "json")[0])["distance"]
            self.assertEqual(round(100 * route["distance"]), wanted)
            self.assertEqual(round(100 * sum(leg["distance"] for leg in route["legs"])), wanted)
        (trip,) = self.ask("trip", metric="energy")["trips"]
        orders = [sum(self.cost["energy"][3 * a + b] for a, b in zip(order, order[1:] + order[:1])) for order in ((0, 1, 2), (0, 2, 1))]
        self.assertEqual(round(1000 * trip["energy_wh"]), min(orders))
        self.assertFails(f"/route/v1/driving/{';'.join(self.PLACES[:2])}?metric=energy&alternatives=2", "NotImplemented",
                         "Alternatives by energy are not supported.")

    def test_a_trace_has_the_energy_of_its_way(self):
        usual, other = (self.ask("match", **it)["matchings"][0] for it in ({}, {"metric": "energy"}))
        energy = other.pop("energy_wh")
        self.assertEqual(usual, other)
        with open(self.path("trace.csv"), "w") as trace:
            trace.write("\n".join(("lon,lat", *self.PLACES)) + "\n")
        (wanted,) = json.loads(run("match", self.high, "--traces", self.path("trace.csv"), "--metric", "energy", "--format", "json")[0])["matchings"]
        self.assertEqual(round(1000 * energy), wanted["energy"])

    def test_contours_are_watt_hours(self):
        tree = json.loads(run("tree", self.high, "--from", self.PLACES[0], "--metric", "energy", "--format", "json")[0])
        costs = [node["energy"] for node in tree if node["energy"] is not None]
        (source,) = self.ask("reach", self.PLACES[:1], contours_wh="10,30")["sources"]
        self.assertEqual(source["nodes"], [sum(cost <= limit for cost in costs) for limit in (10000, 30000)])
        self.assertEqual(round(1000 * source["eccentricity"]), max(costs))
        path = f"/isochrone/v1/driving/{self.PLACES[0]}?contours_wh=10,30"
        areas, lines = (json.loads(self.server.ask(path + more)[2])["features"] for more in ("", "&polygons=false"))
        self.assertEqual([area["properties"]["limit"] for area in areas], [30, 10])
        self.assertLess(min(line["properties"]["weight"] for line in lines), 0)


class Areas(TownTest):
    def test_isochrones_are_polygons_or_lines(self):
        path = "/isochrone/v1/driving/7.004,43.004"
        status, headers, body = self.server.ask(path + "?contours_minutes=1,0.5")
        self.assertEqual((status, headers["Content-Type"]), (200, "application/geo+json"), body)
        features = json.loads(body)["features"]
        self.assertEqual([feature["properties"]["limit"] for feature in features], [60, 30])
        self.assertGreater(features[0]["properties"]["km2"], features[1]["properties"]["km2"])
        lines = json.loads(self.server.ask(path + "?contours_meters=100&polygons=false")[2])["features"]
        self.assertEqual(len(lines), 4)  # the blocks are longer
        self.assertFails(path, "InvalidOptions", "contours_minutes, contours_meters or contours_wh is needed.")
        self.assertFails(path + "?contours_minutes=-1", "InvalidOptions")
        self.assertFails(path + "?contours_minutes=1&contours_meters=100", "InvalidOptions", "The limits are given twice.")
        self.assertFails(path + "?contours_minutes=1&polygons=false&disjoint=true", "InvalidOptions",
                         "polygons=false takes one coordinate, and not disjoint.")
        self.assertFails(path + "?contours_wh=10", "NotImplemented", "The map has no energy.")
        wide = json.loads(self.server.ask(path + "?contours_minutes=1,0.5&width=200")[2])["features"]
        self.assertGreater(wide[0]["properties"]["km2"], features[0]["properties"]["km2"])
        self.assertFails(path + "?contours_minutes=1&polygons=false&width=9", "InvalidOptions",
                         "polygons=false takes one coordinate, and not width.")


class Reach(ServerTest):
    def test_reach_counts_nodes_as_the_oracle_does(self):
        tree = self.map.tree(9)
        answer = self.get(f"/reach/v1/driving/{self.at(9)}", contours_minutes="0.5,0.25")
        self.assertEqual(answer["limits"], [15, 30])
        (source,) = answer["sources"]
        self.assertEqual(source["nodes"], [sum(cost[0] <= limit for cost in tree.values()) for limit in (15, 30)])
        self.assertEqual((source["reached"], source["eccentricity"]), (len(tree), max(cost[0] for cost in tree.values())))

    def test_a_tree_has_the_costs_of_the_oracle(self):
        path = f"/tree/v1/driving/{self.at(9)}"
        tree, answer = self.map.tree(9), self.get(path)
        self.assertEqual(answer["ids"], list(range(1, self.map.node_count + 1)))
        self.assertEqual(answer["durations"], [[tree.get(node, (None,))[0] for node in answer["ids"]]])
        numbers = struct.unpack(f"<{self.map.node_count}I", self.server.ask(path + "?format=bin")[2])
        self.assertEqual([None if number == 0xFFFFFFFF else number for number in numbers], answer["durations"][0])


class Profiles(CommandTest):
    def test_all_profiles_of_a_file_are_served(self):
        with open(self.path("town.osm"), "w") as file:
            file.write(town())
        path = self.path("town.mcd")
        run("import", self.path("town.osm"), "--profile", "car", "--profile", "foot", "-o", path, "--quiet")
        for names in ({"car": "car", "driving": "car", "foot": "foot", "walking": "foot"}, {"foot": "foot"}):
            server = Server(path if "car" in names else f"foot={path}")
            maps = json.loads(server.ask("/info")[2])["maps"]
            self.assertEqual([it["profile"] for it in maps], list(dict.fromkeys(names.values())))
            durations = {}
            for name, profile in names.items():
                answer = json.loads(server.ask(f"/route/v1/{name}/7.001,43.001;7.004,43.004")[2])
                durations.setdefault(profile, set()).add(answer["routes"][0]["duration"])
            self.assertEqual([len(it) for it in durations.values()], [1] * len(durations))
            self.assertEqual(len(set.union(*durations.values())), len(durations))  # people walk slower
            self.assertEqual(server.stop()[0], 0)


class Meridian(CommandTest):
    """A road from 179.99 to -179.99 degrees: one way, or two that the meridian cuts."""

    PLACES = "179.992,-16.8;-179.992,-16.8"

    def ask(self, path):
        status, _, body = self.server.ask(path)
        self.assertEqual(status, 200, body)
        return json.loads(body)

    def assertCut(self, geometry):
        self.assertEqual(geometry["type"], "MultiLineString")
        self.assertEqual(geometry["coordinates"], [[[179.992, -16.8], [180, -16.8]], [[-180, -16.8], [-179.992, -16.8]]])

    def test_lines_and_areas_are_cut(self):
        lons = "179.99", "180", "-180", "-179.99"
        nodes = "".join(f"<node id='{i}' lon='{lon}' lat='-16.8'/>" for i, lon in enumerate(lons, 1))
        for ways in ((1, 4),), ((1, 2), (3, 4)):
            way = "<way id='{}'><nd ref='{}'/><nd ref='{}'/><tag k='highway' v='residential'/><tag k='name' v='Date Line Road'/></way>"
            roads = "".join(way.format(i, *ends) for i, ends in enumerate(ways, 10))
            file = self.path(f"{len(ways)}.mcd")
            run("import", self.write("line.osm", f"<osm version='0.6'>{nodes}{roads}</osm>"), "-o", file, "--quiet")
            self.server = Server(file)
            self.addCleanup(self.server.process.kill)
            for overview in "full", "simplified":
                (route,) = self.ask(f"/route/v1/car/{self.PLACES}?geometries=geojson&overview={overview}&steps=true")["routes"]
                steps = route["legs"][0]["steps"]
                self.assertCut(route["geometry"])
                self.assertCut(steps[0]["geometry"])
                self.assertEqual([step["maneuver"]["type"] for step in steps], ["depart", "arrive"])
                self.assertAlmostEqual(route["distance"], 1705.6, delta=1)
            (trip,) = self.ask(f"/trip/v1/car/{self.PLACES}?geometries=geojson&overview=full&roundtrip=false&source=first&destination=last")["trips"]
            self.assertCut(trip["geometry"])
            line = self.ask(f"/route/v1/car/{self.PLACES}")["routes"][0]["geometry"]
            self.assertEqual([decode(line)[0], decode(line)[-1]], [(179.992, -16.8), (-179.992, -16.8)])
            around = "179.992,-16.8?contours_minutes=10"
            (feature,) = self.ask(f"/isochrone/v1/car/{around}")["features"]
            sides = {x > 0 for polygon in feature["geometry"]["coordinates"] for x, _ in polygon[0]}
            self.assertEqual((len(feature["geometry"]["coordinates"]), sides), (2, {True, False}))
            arcs = self.ask(f"/isochrone/v1/car/{around}&polygons=false")["features"]
            kinds = [arc["geometry"]["type"] for arc in arcs]
            self.assertEqual("MultiLineString" in kinds, len(ways) == 1)
            for x in 0, 2**14 - 1:
                self.assertIn(b"Date Line Road", self.server.ask(f"/tile/v1/car/tile({x},8967,14).mvt")[2])
            self.assertEqual(self.server.stop()[0], 0)


class Traffic(CommandTest):
    def setUp(self):
        self.server = Server(self.file, "--token-file", self.write("token", "s3cret\n"))

    def tearDown(self):
        self.assertEqual(self.server.stop()[0], 0)

    def post(self, path, body, token="s3cret"):
        status, _, answer = self.server.ask(path, "POST", json.dumps(body), {"Authorization": f"Bearer {token}"})
        return status, json.loads(answer)["code"]

    def duration(self):
        return json.loads(self.server.ask(f"/route/v1/driving/{PAIR}?overview=false")[2])["routes"][0]["duration"]

    def test_new_weights_count_immediately(self):
        change = {"tail": [1, 2], "head": [2, 3], "value": [1, 7]}
        before = self.duration()
        self.assertNotEqual(before, 1)
        self.assertEqual(self.post("/traffic/v1/driving", change), (200, "Ok"))
        self.assertEqual(self.duration(), 1)
        self.assertEqual(self.post("/traffic/v1/driving", {**change, "value": ["imported"] * 2}), (200, "Ok"))
        self.assertEqual(self.duration(), before)
        self.assertEqual(self.post("/traffic/v1/driving", change), (200, "Ok"))
        self.assertEqual(self.post("/reload", {}), (200, "Ok"))
        self.assertEqual(self.duration(), before)

    def test_only_those_with_the_token_may(self):
        change, before = {"tail": [1], "head": [2], "value": [1]}, self.duration()
        for token in ("", "s3cre", "s3cretx", "S3cret", "s3crets3cret"):
            self.assertEqual(self.post("/traffic/v1/driving", change, token), (401, "Unauthorized"))
            self.assertEqual(self.post("/reload", {}, token), (401, "Unauthorized"))
        self.assertEqual(self.duration(), before)

    def test_bad_changes_change_nothing(self):
        before = self.duration()
        for change in ({}, {"tail": [1], "head": [2]}, {"tail": [1], "head": [], "value": [1]}, {"arc": [1], "value": ["x"]},
                       {"arc": [-1], "value": [1]}, {"arc": [1], "value": [-1]}, {"arc": [1e300], "value": [1]}, {"arc": {}, "value": [1]},
                       {"arc": [1, 99999999], "value": [1, 1]}, {"quantity": "toll", "arc": [1], "value": [1]}, {"quantity": 1, "arc": [1], "value": [1]}):
            with self.subTest(change=change):
                self.assertEqual(self.post("/traffic/v1/driving", change)[0], 400)
        self.assertEqual(self.duration(), before)

    def test_energies_are_taken_with_their_signs(self):
        file = import_vehicle(self)
        arcs = json.loads(run("arcs", file, "--format", "json")[0])
        self.assertLess(min(arc["energy"] for arc in arcs), 0)
        change = {"quantity": "energy", "arc": [arc["arc"] for arc in arcs], "value": [arc["energy"] for arc in arcs]}
        own, self.server = self.server, Server(file, "--token-file", self.path("token"))
        try:
            self.assertEqual(self.post("/traffic/v1/driving", change), (200, "Ok"))
            for word in (None, "imported"):
                self.assertEqual(self.post("/traffic/v1/driving", {**change, "value": [word] * len(arcs)}), (200, "Ok"))
            self.assertEqual(self.post("/traffic/v1/driving", {**change, "value": [-(2**30)] * len(arcs)})[0], 400)
            self.assertEqual(self.post("/traffic/v1/driving", {**change, "value": [-(2**31)] * len(arcs)})[0], 400)
        finally:
            self.assertEqual(self.server.stop()[0], 0)
            self.server = own

    def test_administrators_see_what_goes_on(self):
        self.duration()
        self.server.ask("/route/v1/driving/x")
        self.assertEqual(json.loads(self.server.ask("/health")[2]), {"code": "Ok"})
        (info,) = json.loads(self.server.ask("/info")[2])["maps"]
        self.assertEqual(info["nodes"], self.map.node_count)
        self.assertNotIn(self.folder, json.dumps(info))
        metrics = self.server.ask("/metrics")[2].decode()
        self.assertIn('macadam_requests_total{service="route",status="2xx"} 1\n', metrics)
        self.assertIn('macadam_request_seconds_count{service="route"} 1\n', metrics)


class Clients(TownTest):
    def test_routingpy_finds_everything_where_it_expects_it(self):
        python = os.environ.get("MACADAM_ROUTINGPY", "")
        if not os.path.exists(python):
            python = sys.executable
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "routingpy_client.py")
        done = subprocess.run([python, script, str(self.server.port)], capture_output=True, text=True)
        if done.returncode == 77:
            self.skipTest("routingpy is not installed; name a Python that has it in MACADAM_ROUTINGPY")
        self.assertEqual(done.returncode, 0, done.stderr)
