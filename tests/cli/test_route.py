"""route: one route in every format."""

import json
import os
import re
import struct
import unittest

from support import ESTATE, ISLAND, CommandTest, climbs, decode, rows_of, run, write_heights


class Route(CommandTest):
    def route(self, *arguments, status=0):
        return run("route", self.file, *arguments, status=status)[0]

    def nodes(self):
        return json.loads(self.route("--from", "node:8", "--to", "node:49", "--format", "json"))["nodes"]

    def test_steps_of_a_map_that_has_none_are_refused(self):
        out, err = run("route", self.file, "--from", "node:1", "--to", "node:1", "--steps", "--format", "json")
        self.assertNotIn("steps", out)
        self.assertIn("the route has no steps", err)

    def test_a_text_has_the_sentences_of_the_steps(self):
        file = self.path("sentences.mcd")
        run("import", os.path.join(os.path.dirname(__file__), "..", "..", "examples", "town.osm"), "-o", file, "--quiet")
        drive = ("route", file, "--from", "node:11", "--via", "node:23", "--to", "node:35", "--language", "de", "--distances", "metric")
        legs = json.loads(run(*drive, "--format", "json")[0])["legs"]
        sentences = [step["maneuver"]["instruction"] for leg in legs for step in leg["steps"]]
        self.assertGreater(len(sentences), 4)
        self.assertEqual(run(*drive, "--format", "text")[0].splitlines(), sentences)
        out, err = run("route", self.file, "--from", "node:1", "--to", "node:2", "--format", "text")
        self.assertEqual(out, "")
        self.assertIn("the route has no steps", err)

    def test_a_name_with_a_line_break_keeps_its_sentence_on_one_line(self):
        osm, file = self.path("break.osm"), self.path("break.mcd")
        with open(osm, "w", encoding="utf-8") as out:
            out.write("<osm version='0.6'><node id='1' lat='0' lon='0'/><node id='2' lat='0' lon='0.01'/>")
            out.write("<way id='1'><nd ref='1'/><nd ref='2'/><tag k='highway' v='residential'/>")
            out.write("<tag k='name' v='One&#10;Road'/></way></osm>")
        run("import", osm, "-o", file, "--quiet")
        text = run("route", file, "--from", "node:1", "--to", "node:2", "--format", "text")[0]
        self.assertEqual(text, "Head east on One Road\nYou have arrived\n")

    def test_restricted_is_osrms_name_of_roads_for_destinations_only(self):
        file = self.path("town.mcd")
        run("import", os.path.join(os.path.dirname(__file__), "..", "..", "examples", "town.osm"), "-o", file, "--quiet")
        drive = ("route", file, "--from", "node:51", "--to", "node:15")
        steps = json.loads(run(*drive, "--steps", "--format", "json")[0])["legs"][0]["steps"]
        classes = [at.get("classes") for step in steps for at in step["intersections"]]
        self.assertEqual(classes, [["restricted"], None, None, None])
        for name in "restricted", "destination_only":
            self.assertIn("no route", run(*drive, "--avoid", name, status=1)[1])

    def test_a_sum_that_is_too_large_is_named(self):
        arcs = "p sp 4 3\na 1 2 1500000000\na 2 3 1500000000\na 1 4 1\n"
        graph, file = self.write("large.gr", arcs), self.path("large.mcd")
        run("import", "--weight", f"duration={graph}", "-o", file, "--quiet")
        error = run("route", file, "--from", "node:1", "--to", "node:3", status=1)[1]
        self.assertIn("or the cost is above 2147483646", error)
        error = run("route", file, "--from", "node:4", "--to", "node:1", status=1)[1]
        self.assertNotIn("too large", error)

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

    def test_totals_have_every_quantity(self):
        for units in ((), ("--units", "si")):
            ends = ("--from", "node:8", "--to", "node:49", "--totals")
            route = json.loads(self.route(*ends, *units, "--format", "json"))
            self.assertEqual(list(route["totals"]), ["duration", "distance"])
            self.assertEqual(route["totals"]["duration"], route["duration"])
            line = json.loads(self.route(*ends, *units, "--format", "geojson"))
            self.assertEqual(line["properties"]["totals"], route["totals"])
        self.assertNotIn("totals", json.loads(self.route("--from", "node:8", "--to", "node:49", "--format", "json")))

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
        self.assertEqual([route["nodes"][leg["end_arc"]] for leg in route["legs"]], [43, 7, 49])

    def test_geojson_is_a_feature_with_the_line(self):
        feature = json.loads(self.route("--from", "node:8", "--to", "node:49", "--format", "geojson"))
        self.assertEqual((feature["type"], feature["geometry"]["type"]), ("Feature", "LineString"))
        self.assertEqual(feature["properties"]["duration"], self.map.tree(8)[49][0])
        line = [[round(x, 6) for x in point] for point in feature["geometry"]["coordinates"]]
        self.assertEqual(line, [[round(x, 6) for x in self.map.coordinates[node]] for node in self.nodes()])

    def test_polylines_decode_to_the_line(self):
        for digits in (5, 6):
            line = self.route("--from", "node:8", "--to", "node:49", "--format", f"polyline{digits}").rstrip("\n")
            expected = [tuple(round(x, digits) for x in self.map.coordinates[node]) for node in self.nodes()]
            self.assertEqual(decode(line, digits), expected)

    def test_html_draws_the_line(self):
        page = self.route("--from", "node:8", "--to", "node:49", "--format", "html")
        points = page.split('points="')[1].split('"')[0].split()
        self.assertGreaterEqual(len(points), len(self.nodes()))
        self.assertNotIn("src=", page)

    def test_html_marks_its_places_and_names_the_roads(self):
        town = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "town.osm")
        run("import", town, "-o", self.path("town.mcd"), "--quiet")
        ask = "route", self.path("town.mcd"), "--from", "node:11", "--via", "node:23", "--via", "node:34", "--to", "node:35"
        page = run(*ask, "--format", "html")[0]
        self.assertEqual(re.findall('<circle [^>]*/><text y="5">(.*?)</text>', page), ["A", "1", "2", "B"])
        roads = re.findall('<path d="M[^"]*"><title>(.*?)</title>', page)
        self.assertIn("Market Street", roads)
        self.assertEqual(len(roads), len(set(roads)))  # a path a name

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


class Heights(CommandTest):
    """The town of examples/ with heights: every format contains them, and they are those of the quantities."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        town = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "town.osm")
        write_heights(cls.folder, "N50E010", 24)
        cls.file = cls.path("town.mcd")
        report = run("import", town, "--profile", "foot", "--heights", cls.folder, "-o", cls.file)[1]
        assert "tiles of heights: 1\n" in report, report

    def route(self, *options, ends=("node:11", "node:35")):
        return run("route", self.file, "--from", ends[0], "--to", ends[1], *options)[0]

    def test_ascent_and_descent_are_quantities(self):
        info = json.loads(run("info", self.file, "--json", "--verify")[0])
        self.assertIs(info["heights"], True)
        self.assertEqual([quantity["name"] for quantity in info["quantities"]], ["duration", "distance", "ascent", "descent"])
        for metric, member in ("ascent", "ascent_m"), ("descent", "descent_m"):
            route = json.loads(self.route("--metric", metric, "--format", "json"))
            self.assertEqual(route[metric], round(100 * route[member]))
            self.assertEqual(sum(arc[metric] for arc in route["arcs"]), route[metric])

    def test_geojson_has_heights_as_third_coordinates(self):
        for ends in ("node:11", "node:35"), ("10.001,50.0002", "10.009,50.0035"):
            feature = json.loads(self.route("--format", "geojson", ends=ends))
            route = json.loads(self.route("--format", "json", ends=ends))
            line = feature["geometry"]["coordinates"]
            self.assertEqual({len(point) for point in line}, {3})
            self.assertEqual(line, route["profile"])
            up, down = climbs(line)
            self.assertGreater(up + down, 0)
            self.assertEqual((route["ascent_m"], route["descent_m"]), (up / 10, down / 10))
            self.assertEqual(feature["properties"]["ascent_m"], up / 10)

    def test_the_page_draws_the_heights(self):
        page = self.route("--format", "html")
        (drawn,) = re.findall(r'<polyline id="heights"[^>]* points="([^"]*)"', page)
        self.assertEqual(len(drawn.split()), len(re.findall(r'id="route"[^>]* points="([^"]*)"', page)[0].split()))

    def test_maps_without_heights_have_none(self):
        route = json.loads(run("route", CommandTest.path.__func__(self, "map.mcd"), "--from", "node:8", "--to", "node:49",
                               "--format", "geojson")[0])
        self.assertEqual({len(point) for point in route["geometry"]["coordinates"]}, {2})
        self.assertNotIn("ascent_m", route["properties"])

    TOWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "town.osm")

    def energies(self, town=TOWN):
        """A map with a vehicle, by car."""
        file = self.path("energy.mcd")
        with open(self.path("my.vehicle"), "w") as vehicle:
            vehicle.write("mass 1800 # kg\nauxiliary 0\n")
        run("import", town, "--heights", self.folder, "--vehicle", self.path("my.vehicle"), "-o", file)
        return file

    def test_energies_are_signed_and_agree_in_every_answer(self):
        file, metric = self.energies(), ("--metric", "energy")
        info = json.loads(run("info", file, "--json", "--verify")[0])
        self.assertEqual(info["quantities"][-1], {"name": "energy", "unit": "mWh", "signed": True})
        arc_energy = {row["arc"]: row["energy"] for row in json.loads(run("arcs", file, "--format", "json")[0])}
        ends = ["node:11", "node:23", "node:35"]
        with open(self.path("places.csv"), "w") as places:
            places.write("\n".join(ends) + "\n")
        cells = json.loads(run("matrix", file, "--sources", self.path("places.csv"), "--targets", self.path("places.csv"),
                               "--format", "json", *metric)[0])
        signs = set()
        for number, cell in enumerate(cells):
            pair = ends[number // 3], ends[number % 3]
            route = json.loads(run("route", file, "--from", pair[0], "--to", pair[1], "--format", "json", "--segments",
                                   "--steps", *metric)[0])
            self.assertEqual(route["energy"], cell["energy"])
            self.assertEqual(sum(leg["energy"] for leg in route["legs"]), cell["energy"])
            self.assertEqual(sum(step["energy"] for step in route["legs"][0]["steps"]), cell["energy"])
            self.assertEqual(sum(part["energy"] for part in route["summary"]), cell["energy"])
            self.assertEqual(sum(route["legs"][0].get("segments", {}).get("energy", [])), cell["energy"])
            for arc in route["arcs"]:
                self.assertEqual(arc["energy"], arc_energy[arc["arc"]])
                signs.add(arc["energy"] < 0)
            tree = dict(line.split(",") for line in run("tree", file, "--from", pair[0], *metric)[0].split()[1:])
            self.assertEqual(int(tree[pair[1][5:]]), cell["energy"])
            back = dict(line.split(",") for line in run("tree", file, "--from", pair[1], "--reverse", *metric)[0].split()[1:])
            self.assertEqual(int(back[pair[0][5:]]), cell["energy"])
            rows = run("route", file, "--from", pair[0], "--to", pair[1], "--units", "si", *metric)[0].split()[1:]
            self.assertEqual(round(sum(1000 * float(row.split(",")[3]) for row in rows)), cell["energy"])
        self.assertEqual(signs, {False, True})

    def test_totals_count_each_leg_of_a_stop_with_two_positions(self):
        """The second stop's road is cut off: the way from the first stays on it, and the one to the third begins outside."""
        self.energies()  # writes the vehicle
        file, estate = self.path("estate.mcd"), self.path("estate.osm")
        with open(estate, "w") as part:
            part.write(ESTATE)
        run("import", self.TOWN, estate, "--heights", self.folder, "--vehicle", self.path("my.vehicle"), "-o", file)
        stops = ["--from", "10.005,50.0019", "--via", "10.0056,50.0017", "--to", "10.0021,49.9999"]
        routes = [json.loads(run("route", file, *stops, "--metric", "energy", "--quantities", it, "--totals", "--format", "json")[0])
                  for it in ("energy", "duration")]  # fmt: skip
        self.assertEqual([it["status"] for it in routes[0]["waypoints"]], ["ok", "moved", "ok"])
        self.assertEqual(routes[0]["totals"]["energy"], sum(leg["energy"] for leg in routes[0]["legs"]))
        self.assertEqual(routes[0]["totals"], routes[1]["totals"])

    def test_a_companion_decides_how_a_stop_is_passed_though_it_is_not_requested(self):
        """Two ways past the stop are equally long; on one of them there are fewer turns."""
        file, ways = self.energies(), []
        for quantities in "distance", "distance,duration", "duration":
            options = "--metric", "distance", "--quantities", quantities, "--totals", "--format", "json"
            ways.append(json.loads(run("route", file, "--from", "node:21", "--via", "10.006,50.0006", "--to", "node:21", *options)[0]))
        self.assertEqual(*({it["arc"] for it in way["arcs"]} for way in ways[:2]))
        self.assertEqual(ways[0]["totals"]["duration"], ways[1]["duration"])
        self.assertEqual(ways[0]["totals"], ways[2]["totals"])

    def test_ways_by_energy_cost_time_and_a_driven_way_energy(self):
        file = self.energies()
        arc_energy = {row["arc"]: row["energy"] for row in json.loads(run("arcs", file, "--format", "json")[0])}
        ends, both = ("--from", "node:11", "--to", "node:35"), ("--quantities", "distance,duration")
        usual = json.loads(run("route", file, *ends, "--metric", "energy", "--totals", "--format", "json")[0])
        other = json.loads(run("route", file, *ends, "--metric", "energy", "--totals", "--format", "json", *both)[0])
        self.assertEqual([arc["arc"] for arc in other["arcs"]], [arc["arc"] for arc in usual["arcs"]])
        self.assertEqual(other["totals"], usual["totals"])
        for name in ("distance", "duration"):
            self.assertEqual(other[name], usual["totals"][name])
            self.assertEqual(sum(arc[name] for arc in other["arcs"]), other[name])
        self.assertIn('"energy" has no quantity "ascent"',
                      run("route", file, *ends, "--metric", "energy", "--quantities", "ascent,energy", status=2)[1])
        with open(self.path("stops.csv"), "w") as stops:
            stops.write("node:11\nnode:35\n")
        trip = json.loads(run("trip", file, "--places", self.path("stops.csv"), "--open", "--from-first", "--metric", "energy",
                              *both, "--format", "json")[0])
        self.assertEqual((trip["distance"], trip["duration"]), (other["distance"], other["duration"]))
        line = json.loads(run("route", file, *ends, "--format", "geojson")[0])["geometry"]["coordinates"]
        with open(self.path("trace.csv"), "w") as trace:
            trace.write("trace,lon,lat,time\n" + "".join(f"a,{at[0]},{at[1]},{60 * i}\n" for i, at in enumerate(line)))
        ask = ("match", file, "--traces", self.path("trace.csv"))
        self.assertEqual(run(*ask, "--metric", "energy")[0], run(*ask)[0])
        (driven,), (timed,) = (json.loads(run(*ask, "--format", "json", *it)[0])["matchings"] for it in ((*("--metric", "energy"),), ()))
        self.assertEqual([arc["arc"] for arc in driven["arcs"]], [arc["arc"] for arc in timed["arcs"]])
        self.assertEqual((driven["distance_m"], driven["duration_s"]), (timed["distance_m"], timed["duration_s"]))
        self.assertEqual(sum(arc["energy"] for arc in driven["arcs"]), driven["energy"])
        for arc in driven["arcs"]:
            if arc.get("from", 0) == 0 and arc.get("to", 1) == 1:
                self.assertEqual(arc["energy"], arc_energy[arc["arc"]])

    def test_a_way_into_a_loop_keeps_its_direction(self):
        places = {1: "10.000", 2: "10.004", 3: "10.002", 4: "10.000"}, {1: "50.000", 2: "50.000", 3: "50.003", 4: "50.006"}
        with open(self.path("loop.osm"), "w") as town:
            town.write("<osm version='0.6'>" + "".join(f"<node id='{i}' lon='{places[0][i]}' lat='{places[1][i]}'/>" for i in places[0]))
            for way, nodes in ((1, (1, 2, 3, 1)), (2, (1, 4))):
                town.write(f"<way id='{way}'>" + "".join(f"<nd ref='{i}'/>" for i in nodes) + "<tag k='highway' v='primary'/>")
                town.write("<tag k='maxspeed:forward' v='20'/><tag k='maxspeed:backward' v='100'/></way>")
            town.write("</osm>")
        file = self.energies(self.path("loop.osm"))
        ask = ("route", file, "--from", "node:4", "--to", "10.003,50.0015", "--totals", "--format", "json")
        by_energy, by_duration = (json.loads(run(*ask, "--metric", metric)[0])["totals"] for metric in ("energy", "duration"))
        self.assertLess(by_energy["energy"], by_duration["energy"])
        self.assertLess(by_duration["duration"], by_energy["duration"])
        route = json.loads(run(*ask, "--metric", "energy", "--quantities", "distance,duration")[0])
        self.assertEqual(route["totals"], by_energy)
        self.assertEqual((route["distance"], route["duration"]), (by_energy["distance"], by_energy["duration"]))

    def test_factors_multiply_only_the_metric(self):
        file, ends = self.energies(), ("--from", "node:11", "--to", "node:35")

        def route(metric, quantities):
            factor = ("--factor", "residential=2,living_street=2,tertiary=2,service=2")
            return json.loads(run("route", file, *ends, "--metric", metric, "--quantities", quantities, *factor, "--totals",
                                  "--format", "json")[0])
        alone, both = route("energy", "duration"), route("energy", "duration,distance")
        self.assertEqual([arc["arc"] for arc in both["arcs"]], [arc["arc"] for arc in alone["arcs"]])
        self.assertEqual((both["duration"], both["totals"]), (alone["duration"], alone["totals"]))
        self.assertEqual(both["totals"]["duration"], both["duration"])
        metric, other = route("duration", "duration"), route("duration", "ascent,duration")
        self.assertEqual(other["duration"], metric["duration"])
        self.assertNotEqual(metric["duration"], route("distance", "duration")["duration"])

    def test_energy_limits_count_signed_costs(self):
        file = self.energies()
        whole = dict(line.split(",") for line in run("tree", file, "--from", "node:11", "--metric", "energy")[0].split()[1:])
        limit = sorted(int(cost) for cost in whole.values() if cost)[-4] / 1000
        near = dict(line.split(",") for line in
                    run("tree", file, "--from", "node:11", "--metric", "energy", "--limit", f"{limit}Wh")[0].split()[1:])
        self.assertEqual(near, {node: cost if cost and int(cost) <= 1000 * limit else "" for node, cost in whole.items()})
        self.assertIn("energy is measured in mWh, Wh or kWh",
                      run("tree", file, "--from", "node:11", "--metric", "energy", "--limit", "5min", status=2)[1])

    def test_energy_decides_what_is_reached_and_nearest(self):
        file, metric = self.energies(), ("--metric", "energy")
        pairs = {}
        for line in run("all-pairs", file, *metric)[0].split()[1:]:
            source, target, cost = line.split(",")
            if cost:
                pairs[int(source), int(target)] = int(cost)
        self.assertLess(min(pairs.values()), 0)
        nodes = sorted({source for source, _ in pairs})
        with open(self.path("places.csv"), "w") as places:
            places.write("\n".join(f"node:{node}" for node in nodes) + "\n")
        for reverse in (False, True):
            cost = {(b, a) if reverse else (a, b): it for (a, b), it in pairs.items()}
            flags = (*metric, *["--reverse"] * reverse)
            rows = [line.split(",") for line in run("reach", file, "--limits", "20,30Wh", *flags)[0].split()]
            self.assertEqual(rows[0], ["source", "nodes_20", "nodes_30Wh", "reached", "eccentricity"])
            for source, *cells in rows[1:]:
                own = [it for (a, _), it in cost.items() if a == int(source)]
                self.assertEqual([*map(int, cells)], [sum(it <= 20 for it in own), sum(it <= 30000 for it in own),
                                                      len(own), max(own)])
            rows = [line.split(",") for line in run("reach", file, *flags)[0].split()]
            self.assertEqual(rows[0], ["source", "reached", "eccentricity", "cost_sum"])
            for source, _, _, total in rows[1:]:
                self.assertEqual(int(total), sum(it for (a, _), it in cost.items() if a == int(source)))
            rows = [line.split(",") for line in run("reach", file, "--sources", self.path("places.csv"), "--targets",
                                                    self.path("places.csv"), "--nearest", "3", *flags)[0].split()]
            wanted = []
            for source in nodes:
                near = sorted((cost[source, target], target) for target in nodes if (source, target) in cost)[:3]
                wanted += [[source, rank + 1, target, it] for rank, (it, target) in enumerate(near)]
            self.assertEqual([[*map(int, row)] for row in rows[1:]], wanted)

    def test_isochrones_by_energy_go_on_downhill(self):
        file, metric, limit = self.energies(), ("--metric", "energy"), 15000
        arcs = json.loads(run("arcs", file, "--format", "json")[0])
        tree = dict(line.split(",") for line in run("tree", file, "--from", "node:11", *metric)[0].split()[1:])
        rows = [line.split(",") for line in
                run("isochrone", file, "--from", "node:11", "--limits", str(limit), *metric)[0].split()]
        self.assertEqual(rows[0], ["tail", "head", "arc", "energy", "weight", "before", f"reached_{limit}"])
        weight_of, falling = {arc["arc"]: arc["energy"] for arc in arcs}, 0
        for tail, _, arc, cost, weight, before, paid in ([*map(int, row)] for row in rows[1:]):
            self.assertEqual((weight, before), (weight_of[arc], 0))
            self.assertGreaterEqual(cost, int(tree[str(tail)]))  # above it if one must not turn back there
            self.assertLessEqual(min(cost, cost + weight), limit)
            self.assertEqual(paid, min(weight, limit - cost) if cost <= limit else limit - cost)
            falling += weight < 0
        self.assertGreater(falling, 0)
        areas = json.loads(run("isochrone", file, "--from", "node:11", "--limits", "5Wh,15Wh", "--format", "geojson",
                               "--units", "si", *metric)[0])["features"]
        self.assertEqual([area["properties"]["limit"] for area in areas], [15, 5])
        self.assertGreater(areas[0]["properties"]["km2"], areas[1]["properties"]["km2"])
        self.assertIn("5Wh", run("isochrone", file, "--from", "node:11", "--limits", "5Wh,15Wh", "--format", "html", *metric)[0])

    def test_energy_is_in_every_format(self):
        file, metric = self.energies(), ("--metric", "energy")
        cells = [int(line.split(",")[2]) for line in run("all-pairs", file, *metric)[0].split()[1:] if line[-1] != ","]
        nodes = sorted({line.split(",")[0] for line in run("all-pairs", file, *metric)[0].split()[1:]}, key=int)
        with open(self.path("places.csv"), "w") as places:
            places.write("\n".join(f"node:{node}" for node in nodes) + "\n")
        both = ("--sources", self.path("places.csv"), "--targets", self.path("places.csv"), *metric)
        rows = [line.split(",")[2] for line in run("matrix", file, *both)[0].split()[1:]]
        for name, ask in ((self.path("all.npy"), ("all-pairs", file, *metric)), (self.path("matrix.npy"), ("matrix", file, *both))):
            run(*ask, "--format", "npy", "-o", name)
            with open(name, "rb") as npy:
                header, data = npy.read(128), npy.read()
            self.assertIn(b"'<i4'", header)
            self.assertEqual(list(struct.unpack(f"<{len(data) // 4}i", data)), [int(it) if it else 2**31 - 1 for it in rows])
        self.assertLess(min(cells), 0)
        problem = json.loads(run("matrix", file, *both, "--format", "ortools")[0])["cost_matrix"]
        signed = [int(it) if it else None for it in rows]
        for row, cell in zip([it for row in problem for it in row], signed):
            self.assertEqual(row, 2**31 - 1 if cell is None else (abs(cell) + 500) // 1000 * (1 if cell >= 0 else -1))
        self.assertRegex(run("matrix", file, *both, "--format", "vroom", "-o", self.path("vroom.json"), status=2)[1],
                         "energy is -[1-9][0-9]* between two stops: VROOM accepts no negative costs")
        self.assertFalse(os.path.exists(self.path("vroom.json")))
        page = run("tree", file, "--from", "node:11", "--format", "html", *metric)[0]
        self.assertIn("energy from node:11;", page)
        self.assertRegex(page, '<div id="colours"><span>-[1-9][0-9]* mWh</span>')
        self.assertIn("energy", run("route", file, "--from", "node:11", "--to", "node:23", "--format", "html", *metric)[0])
        with open(self.path("stops.csv"), "w") as stops:
            stops.write("node:11\nnode:23\nnode:35\n")
        legs = run("trip", file, "--places", self.path("stops.csv"), "--open", *metric)[0].split()[1:]
        self.assertEqual(len(legs), 3)

    def test_energies_are_written_back_as_they_are(self):
        file = self.energies()
        before = run("arcs", file)[0]
        with open(self.path("weights.csv"), "w") as weights:
            weights.write(before)
        run("update", file, "--weights", self.path("weights.csv"), "-o", self.path("new.mcd"))
        self.assertEqual(run("arcs", self.path("new.mcd"))[0], before)
        tree = ("--from", "node:11", "--metric", "energy")
        with open(self.path("weights.csv"), "w") as weights:
            weights.write("arc,energy\n1,-2000000000\n")
        self.assertIn("the least weight of arc 1 is", run("update", file, "--weights", self.path("weights.csv"), "-o",
                                                          self.path("new.mcd"), status=2)[1])
        self.assertIn("alternatives by energy", run("route", file, "--from", "node:11", "--to", "node:23", "--alternatives",
                                                    "1", "--metric", "energy", "--format", "json", status=2)[1])
        town = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "town.osm")
        self.assertIn("needs heights", run("import", town, "--vehicle", self.path("my.vehicle"), "-o",
                                           self.path("no.mcd"), status=2)[1])

    def test_bad_folders_and_other_imports_are_refused(self):
        message = run("import", "--weight", "duration=" + self.path("duration.gr"), "--heights", self.folder, "-o",
                      self.path("no.mcd"), status=2)[1]
        self.assertIn("heights are taken only for OpenStreetMap data", message)
        self.assertFalse(os.path.exists(self.path("no.mcd")))


if __name__ == "__main__":
    unittest.main()
