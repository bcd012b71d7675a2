"""What OSRM does not have: areas, reach, trees, traffic, metrics; and clients that were written for OSRM."""

import json
import os
import struct
import subprocess
import sys

from server import Server, ServerTest, TownTest, town
from support import CommandTest, run, write_heights

PAIR = "7.0,43.0;7.01,43.0"


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
        self.assertFails(path, "InvalidOptions", "contours_minutes or contours_meters is needed.")
        self.assertFails(path + "?contours_minutes=-1", "InvalidOptions")
        self.assertFails(path + "?contours_minutes=1&contours_meters=100", "InvalidOptions", "The limits are given twice.")
        self.assertFails(path + "?contours_minutes=1&polygons=false&disjoint=true", "InvalidOptions",
                         "polygons=false takes one coordinate, and not disjoint.")


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

    def test_new_weights_count_at_once(self):
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
            self.assertEqual(self.post("/reload", {}, token)[0], 400)
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
        file, folder = self.path("high.mcd"), self.path("tiles")
        os.mkdir(folder)
        write_heights(folder, "N50E010", 5)
        town_osm = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "town.osm")
        run("import", town_osm, "--heights", folder, "--vehicle", self.write("my.vehicle", "mass 1800\n"), "-o", file)
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
        done = subprocess.run([python, script, str(self.server.port)], capture_output=True, text=True, timeout=60)
        if done.returncode == 77:
            self.skipTest("routingpy is not installed; name a Python that has it in MACADAM_ROUTINGPY")
        self.assertEqual(done.returncode, 0, done.stderr)
