"""tree, routes and matrix: the answers are right, in every format."""

import array
import json
import math
import os
import re
import unittest

from support import EXIT, ISLAND, UNREACHED, CommandTest, read_arrow, read_json, read_npy, rows_of, run


class Tree(CommandTest):
    def tree(self, *arguments):
        return rows_of(run("tree", self.file, *arguments)[0])

    def expected(self, *quantities, **how):
        cost = self.map.tree(10, **how)
        nodes = range(1, self.map.node_count + 1)
        return [[node] + [cost[node][q] if node in cost else None for q in quantities] for node in nodes]

    def test_lists_every_node_by_ascending_id(self):
        self.assertEqual(self.tree("--from", "node:10"), (["node", "duration"], self.expected(0)))

    def test_reports_quantities_in_the_order_asked(self):
        header, rows = self.tree("--from", "node:10", "--quantities", "distance,duration")
        self.assertEqual(header, ["node", "distance", "duration"])
        self.assertEqual(rows, self.expected(1, 0))

    def test_can_report_the_companion_alone(self):
        self.assertEqual(
            self.tree("--from", "node:10", "--quantities", "distance"),
            (["node", "distance"], self.expected(1)),
        )

    def test_minimises_the_metric_asked(self):
        header, rows = self.tree(
            "--from", "node:10", "--metric", "distance", "--quantities", "distance,duration"
        )
        self.assertEqual(rows, self.expected(0, 1, objective="distance"))

    def test_reverse_gives_costs_to_the_place(self):
        self.assertEqual(self.tree("--from", "node:10", "--reverse")[1], self.expected(0, reverse=True))

    def test_limit_empties_costs_above_it(self):
        rows = self.expected(0)
        limit = sorted(row[1] for row in rows if row[1] is not None)[20]
        within = [[node, cost if cost is not None and cost <= limit else None] for node, cost in rows]
        self.assertEqual(self.tree("--from", "node:10", "--limit", limit)[1], within)

    def test_sweep_is_a_method(self):
        self.assertEqual(self.tree("--from", "node:10", "--method", "sweep")[1], self.expected(0))

    def test_starts_from_the_junction_where_a_point_is(self):
        lon, lat = self.map.coordinates[10]
        self.assertEqual(self.tree("--from", f"{lon},{lat}")[1], self.expected(0))

    def test_starts_part_way_along_a_road(self):
        weight = {}
        for tail, head, duration, _ in self.map.arcs:
            weight.setdefault((tail, head), duration)  # of parallel arcs the first
        quarter = f"{7 + 0.01 / 4},43.0001"  # of the road from 1 to 2
        there, back = weight[1, 2], weight[2, 1]
        ahead, behind = self.map.tree(2), self.map.tree(1)
        for node, cost in self.tree("--from", quarter)[1]:
            ways = [there - there // 4 + ahead[node][0]] if node in ahead else []
            if node in behind:
                ways.append(back - back * 3 // 4 + behind[node][0])
            self.assertEqual(cost, min(ways, default=None), node)
        for node, cost in self.tree("--from", quarter, "--heading", 60)[1]:
            self.assertEqual(cost, there - there // 4 + ahead[node][0] if node in ahead else None, node)

    def test_from_nowhere_reaches_nothing(self):
        rows = self.tree("--from", "-120,43", "--quiet")[1]
        self.assertEqual({cost for node, cost in rows}, {None})

    def test_npy_is_one_row(self):
        run("tree", self.file, "--from", "node:10", "-o", self.path("tree.npy"))
        shape, values = read_npy(self.path("tree.npy"))
        self.assertEqual(shape, (1, self.map.node_count))
        self.assertEqual(values, [UNREACHED if row[1] is None else row[1] for row in self.expected(0)])

    def test_json_names_the_columns(self):
        run("tree", self.file, "--from", "node:10", "-o", self.path("tree.json"))
        self.assertEqual(
            read_json(self.path("tree.json")),
            [{"node": node, "duration": cost} for node, cost in self.expected(0)],
        )

    def test_html_is_one_page_without_links(self):
        page = run("tree", self.file, "--from", "node:10", "--format", "html")[0]
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        self.assertNotIn("http", page)
        self.assertIn("const pixels=[", page)
        self.assertEqual(re.findall("<span>(.*?)</span>", page)[0], "0")

    def test_html_does_not_shrink_an_island_for_a_ferry(self):
        side = 20
        nodes = [(7 + x / 1000, 43 + y / 1000) for y in range(side) for x in range(side)]
        ends = [(i, i + 1) for i in range(side * side) if (i + 1) % side]
        ends += [(i, i + side) for i in range(side * (side - 1))]
        arcs = [(*end, 1000) for end in ends + [(b, a) for a, b in ends]]
        arcs.append((0, len(nodes), 7_200_000))  # the ferry
        nodes.append((9, 43))
        lines = "".join(f"a {tail + 1} {head + 1} {weight}\n" for tail, head, weight in arcs)
        graph = self.write("ferry.gr", f"p sp {len(nodes)} {len(arcs)}\n{lines}")
        lines = "".join(f"v {i + 1} {lon * 1e6:.0f} {lat * 1e6:.0f}\n" for i, (lon, lat) in enumerate(nodes))
        places = self.write("ferry.co", f"p aux sp co {len(nodes)}\n{lines}")
        run("import", "--weight", f"duration={graph}", "--coords", places, "-o", self.path("ferry.mcd"), "--quiet")
        page = run("tree", self.path("ferry.mcd"), "--from", "node:1", "--format", "html")[0]
        self.assertIn("reached outside the drawing: 1, up to 7200000", page)
        self.assertEqual(re.findall("<span>(.*?)</span>", page)[4], "38000")  # the island's other corner
        drawn = [int(number) for number in re.search(r"pixels=\[([0-9,]*)", page)[1].split(",")]
        self.assertEqual(len(drawn) // 2, side * side)  # each on a pixel of its own


class Matrix(CommandTest):
    def setUp(self):
        self.sources = self.write("s.csv", "node:10\nnode:1\nnode:10\n")
        self.targets = self.write("t.csv", f"node:{ISLAND}\nnode:49\nnode:1\nnode:{EXIT}\n")
        self.target = [ISLAND, 49, 1, EXIT]

    def matrix(self, *arguments):
        return run("matrix", self.file, "--sources", self.sources, "--targets", self.targets, *arguments)[0]

    def expected(self):
        """source, target, (duration, distance) or None"""
        return [[s, t, self.map.tree(s).get(t)] for s in (10, 1, 10) for t in self.target]

    def test_lists_cells_in_input_order_sources_outer(self):
        header, rows = rows_of(self.matrix("--quantities", "duration,distance"))
        self.assertEqual(header, ["source", "target", "duration", "distance"])
        self.assertEqual(rows, [[s, t, *(pair or (None, None))] for s, t, pair in self.expected()])

    def test_cells_without_a_path_become_straight_lines(self):
        def metres(a, b):
            (lon, lat), (other, south) = ([math.radians(degree) for degree in self.map.coordinates[node]] for node in (a, b))
            x, y, z = (f(lon, lat) - f(other, south) for f in (lambda p, q: math.cos(q) * math.cos(p), lambda p, q: math.cos(q) * math.sin(p), lambda p, q: math.sin(q)))
            return 2 * 6371000 * math.asin(math.hypot(x, y, z) / 2)

        ask = "--quantities", "duration,distance", "--fallback-speed", "36km/h", "--scale-factor", 1.5
        header, rows = rows_of(self.matrix(*ask))
        self.assertEqual(header, ["source", "target", "duration", "distance", "fallback"])
        expected = []
        for s, t, pair in self.expected():
            duration, distance = pair or (metres(s, t) / 10, metres(s, t))
            expected.append([s, t, int(int(duration + 0.5) * 1.5 + 0.5), int(distance + 0.5), int(pair is None)])
        self.assertEqual(rows, expected)
        self.assertEqual(sum(row[4] for row in rows), 3)
        records = json.loads(self.matrix(*ask, "--format", "json"))
        self.assertEqual([record["fallback"] for record in records], [bool(row[4]) for row in rows])
        run("matrix", self.file, "--sources", self.sources, "--targets", self.targets, *ask, "--strict")
        self.matrix(*ask, "-o", self.path("m.npy"))
        self.assertEqual(read_npy(self.path("m.npy"))[1], [cost for row in rows for cost in row[2:4]])
        same = self.matrix(*ask, "--fallback-coordinate", "snapped")  # junctions are where they are given
        self.assertEqual(rows_of(same)[1], rows)
        vroom, error = self.problem([10, ISLAND, 1], "--fallback-speed", "10m/s")
        self.assertEqual(vroom["matrices"]["car"]["durations"][0][1], int(metres(10, ISLAND) / 10 + 0.5))
        self.assertIn("4 of 9 cells have no path: they are straight lines", error)

    def test_a_refused_request_leaves_the_output(self):
        kept = self.write("kept.csv", "kept")
        for output in (), ("-o", kept):
            # more than the least memory that any matrix needs
            text, error = run("matrix", self.file, "--sources", self.sources, "--targets", self.targets, "--memory", 1, *output, status=4)
            self.assertEqual(text, "", error)
        with open(kept) as file:
            self.assertEqual(file.read(), "kept")

    def test_tiles_narrower_than_the_matrix_keep_their_marks(self):
        stops = self.write("many.csv", "".join(f"node:{node}\n" for node in range(1, self.map.node_count + 1)) * 40)
        ask = "matrix", self.file, "--sources", self.write("one.csv", f"node:{EXIT}\n" * 20), "--targets", stops, "--fallback-speed", 9
        self.assertEqual(run(*ask, "--memory", 60000)[0], run(*ask)[0])

    def problem(self, nodes, *more, format="vroom", status=0):
        """(what the command writes for these stops, what it reports)"""
        stops = self.write("stops.csv", "".join(f"node:{node}\n" for node in nodes))
        ask = "matrix", self.file, "--sources", stops, "--targets", stops, "--format", format
        output, error = run(*ask, *more, status=status)
        return output and json.loads(output), error

    def costs(self, nodes, none=None):
        return [[0 if s == t else self.map.tree(s).get(t, (none,))[0] for t in nodes] for s in nodes]

    def test_stops_without_a_path_are_left_out_and_named(self):
        nodes, kept = [10, ISLAND, 1, EXIT, 49], [0, 2, 4]
        costs = self.costs([nodes[i] for i in kept])
        vroom, error = self.problem(nodes)
        self.assertEqual(vroom["matrices"], {"car": {"durations": costs}})
        self.assertEqual([(job["id"], job["location_index"], job["description"]) for job in vroom["jobs"]],
                         [(2, 1, "1"), (4, 2, "49")])  # fmt: skip
        self.assertIn("2 of 5 stops are left out", error)
        for line, node in ((2, ISLAND), (4, EXIT)):
            self.assertIn(f"stops.csv:{line}: {node}\n", error)
        self.assertEqual(error.count("\n"), 3)
        data, _ = self.problem(nodes, format="ortools")
        self.assertEqual(data, {"time_matrix": costs, "num_vehicles": 1, "depot": 0, "stops": kept})

    def test_stops_without_a_path_may_fail(self):
        for more, says in (
            (["--unreachable", "fail"], "1 of 3 stops cannot be reached, and --unreachable fail allows none"),
            (["--strict"], "4 of 9 cells have no path, and --strict allows none"),
        ):
            for format in ("vroom", "ortools"):
                with self.subTest(more=more, format=format):
                    output, error = self.problem([10, ISLAND, 1], *more, format=format, status=2)
                    self.assertEqual(output, "")
                    self.assertIn(says, error)
                    self.problem([10, 49, 1], *more, format=format)

    def test_stops_without_a_path_may_have_a_cost_that_solvers_can_add(self):
        for count in (3, 40):
            nodes = [10, ISLAND, *range(11, 9 + count)]
            for format, bound in (("vroom", 2**32), ("ortools", 2**63)):
                with self.subTest(format=format, count=count):
                    problem, _ = self.problem(nodes, "--unreachable", "cost", format=format)
                    matrix = problem["matrices"]["car"]["durations"] if format == "vroom" else problem["time_matrix"]
                    none = matrix[0][1]
                    self.assertEqual(matrix, self.costs(nodes, none))
                    self.assertGreater(none, max(cost for row in self.costs(nodes, 0) for cost in row))
                    self.assertLess((count - 1 + 2 * count) * none, bound)  # as many vehicles as stops

    def test_a_depot_without_a_path_is_exit_1(self):
        self.assertIn("no stop can be reached from the depot", self.problem([ISLAND, 10, 1], status=1)[1])
        self.assertIn("no stop can be reached from the depot", self.problem([EXIT, 10], status=1)[1])

    def test_costs_that_vroom_cannot_add_are_refused(self):
        with open(self.path("large.gr"), "w") as file:
            file.write("p sp 3 3\na 1 2 1000000000\na 2 3 1000000000\na 3 1 1000000000\n")
        run("import", "--weight", "price=" + self.path("large.gr"), "-o", self.path("large.mcd"), "--quiet")
        stops = self.write("large.csv", "node:1\nnode:2\nnode:3\n")
        ask = "matrix", self.path("large.mcd"), "--sources", stops, "--targets", stops, "--format"
        self.assertUsage(*ask, "vroom", says="a price of 2000000000 is too high: of 3 stops, VROOM can add costs up to 1073741823")
        self.assertEqual(json.loads(run(*ask, "ortools")[0])["cost_matrix"][0], [0, 1000000000, 2000000000])

    def test_unreachable_belongs_to_problems(self):
        self.assertUsage("matrix", self.file, "--sources", self.sources, "--targets", self.targets, "--unreachable", "cost",
                         says="--unreachable")  # fmt: skip

    def test_strict_allows_no_cell_without_a_path(self):
        strict = "matrix", self.file, "--sources", self.sources, "--targets", self.targets, "--strict"
        out = self.path("strict.csv")
        self.assertIn("3 of 12 cells have no path, and --strict allows none", run(*strict, "-o", out, status=2)[1])
        self.assertFalse(os.path.exists(out))
        good = self.write("good.csv", "node:1\nnode:49\n")
        run("matrix", self.file, "--sources", good, "--targets", good, "--strict")

    def test_strict_allows_no_pair_without_a_path(self):
        pairs = self.write("pairs.csv", f"source,target\n1,49\n{ISLAND},49\n10,{ISLAND}\n")
        out = self.path("strict.csv")
        for more in (), ("--paths",):
            routes = "routes", self.file, "--pairs", pairs, *more
            run(*routes)
            says = run(*routes, "--strict", "-o", out, status=2)[1]
            self.assertIn("2 of 3 pairs have no path, and --strict allows none", says)
            self.assertFalse(os.path.exists(out))
        good = self.write("good.csv", "source,target\n1,49\n")
        run("routes", self.file, "--pairs", good, "--strict")

    def test_solvers_read_problems(self):
        nodes = [10, 1, 7, 49]
        stops = self.write("stops.csv", "".join(f"node:{node}\n" for node in nodes))
        ask = "matrix", self.file, "--sources", stops, "--targets", stops
        pairs = [[self.map.tree(s).get(t) for t in nodes] for s in nodes]
        durations, distances = (
            [[pair[q] for pair in row] for row in pairs] for q in (0, 1)
        )
        vroom = json.loads(run(*ask, "--quantities", "duration,distance", "--format", "vroom")[0])
        self.assertEqual(vroom["matrices"], {"car": {"durations": durations, "distances": distances}})
        self.assertEqual([job["location_index"] for job in vroom["jobs"]], [1, 2, 3])
        self.assertEqual([job["description"] for job in vroom["jobs"]], [str(node) for node in nodes[1:]])
        self.assertEqual(vroom["vehicles"], [{"id": 1, "start_index": 0, "end_index": 0}])
        data = json.loads(run(*ask, "--format", "ortools")[0])
        self.assertEqual(data, {"time_matrix": durations, "num_vehicles": 1, "depot": 0})
        self.assertUsage(
            "matrix",
            self.file,
            "--sources",
            stops,
            "--targets",
            self.targets,
            "--format",
            "vroom",
            says="same file",
        )

    def test_npy_of_one_quantity_has_two_dimensions(self):
        self.matrix("-o", self.path("m.npy"))
        self.assertEqual(
            read_npy(self.path("m.npy")),
            ((3, 4), [pair[0] if pair else UNREACHED for s, t, pair in self.expected()]),
        )

    def test_arrow_has_a_column_a_quantity_and_a_value_a_row(self):
        self.matrix("--quantities", "distance,duration", "-o", self.path("m.arrow"))
        run("hops", self.file, "--from", "node:10", "-o", self.path("hops.arrow"))
        (width, columns), (node_count, hops) = (read_arrow(self.path(name)) for name in ("m.arrow", "hops.arrow"))
        self.assertEqual((width, list(columns)), (4, ["distance", "duration"]))
        for name, q in (("duration", 0), ("distance", 1)):
            numbers = list(array.array("I", columns[name]))
            self.assertEqual(numbers, [pair[q] if pair else UNREACHED for s, t, pair in self.expected()])
        self.assertEqual((node_count, list(hops)), (self.map.node_count, ["hops"]))
        self.assertUsage(
            "tree", self.file, "--from", "node:10", "--statuses", "--format", "arrow", says="arrow holds whole numbers"
        )

    def test_npy_of_two_quantities_has_three_dimensions(self):
        self.matrix("--quantities", "distance,duration", "-o", self.path("m.npy"))
        flat = [
            value for s, t, pair in self.expected() for value in (pair[::-1] if pair else (UNREACHED,) * 2)
        ]
        self.assertEqual(read_npy(self.path("m.npy")), ((3, 4, 2), flat))

    def test_npy_has_the_numbers_of_csv_in_large_matrices_too(self):
        self.sources = self.targets = self.write("many.csv", "".join(f"node:{1 + i % 49}\n" for i in range(150)))
        for quantities, count in (("duration", 1), ("distance,duration", 2)):
            cells = rows_of(self.matrix("--quantities", quantities))[1]
            self.matrix("--quantities", quantities, "-o", self.path("m.npy"))
            flat = [UNREACHED if value is None else value for cell in cells for value in cell[2:]]
            shape = (150, 150) + ((2,) if count == 2 else ())
            self.assertEqual(read_npy(self.path("m.npy")), (shape, flat))

    def test_json_has_null_where_there_is_no_path(self):
        cells = json.loads(self.matrix("--format", "json"))
        self.assertEqual(
            cells,
            [
                {"source": s, "target": t, "duration": pair[0] if pair else None}
                for s, t, pair in self.expected()
            ],
        )

    def test_points_without_id_are_named_by_position(self):
        self.sources = self.write("s.csv", "lon,lat\n7,43\n7.05,43.06\n")
        rows = rows_of(self.matrix())[1]
        self.assertEqual([row[0] for row in rows], [0] * 4 + [1] * 4)
        self.assertEqual(rows[1], [0, 49, self.map.tree(1)[49][0]])

    def test_points_with_id_are_named_by_it(self):
        self.sources = self.write(
            "s.csv", 'id,lon,lat\n17,7.0001,43.0001\n"depot, north",7.05,43.06\n007,7,43\n'
        )
        self.assertEqual(
            [line.split(",49")[0] for line in self.matrix().split("\n") if ",49," in line],
            ["17", '"depot, north"', "007"],
        )
        self.assertEqual(
            [cell["source"] for cell in json.loads(self.matrix("--format", "json"))[::4]],
            [17, "depot, north", "007"],
        )

    def test_a_point_far_from_all_roads_empties_its_row_only(self):
        self.sources = self.write("s.csv", "lon,lat\n0,0\n7,43\n")
        rows = rows_of(self.matrix())[1]
        self.assertEqual([row[2] for row in rows[:4]], [None] * 4)
        self.assertEqual(rows[5][2], self.map.tree(1)[49][0])

    def test_snap_radius_decides_what_is_far(self):
        self.sources = self.write("s.csv", "lon,lat\n6.99,43\n")  # 813 m from node 1
        self.assertEqual(rows_of(self.matrix("--snap-radius", 900))[1][1][2], self.map.tree(1)[49][0])
        self.assertIsNone(rows_of(self.matrix("--snap-radius", 700))[1][1][2])

    def test_blank_lines_carriage_returns_and_a_byte_order_mark_do_not_matter(self):
        plain = self.matrix()
        self.sources = self.write("s.csv", "\ufeffnode:10\r\n\r\n node:1 \r\nnode:10")
        self.assertEqual(self.matrix(), plain)

    def test_more_cells_than_a_tile_arrive_in_order(self):
        nodes = list(range(1, 50)) * 10
        self.sources = self.targets = self.write("all.csv", "".join(f"node:{node}\n" for node in nodes))
        tree = {source: self.map.tree(source) for source in range(1, 50)}
        rows = rows_of(self.matrix())[1]
        self.assertEqual(rows, [[s, t, tree[s][t][0]] for s in nodes for t in nodes])


class Routes(CommandTest):
    def routes(self, text, *arguments):
        return run("routes", self.file, "--pairs", self.write("p.csv", text), *arguments)[0]

    def test_lists_pairs_in_input_order(self):
        header, rows = rows_of(
            self.routes(
                f"source,target\n10,49\n49,10\n7,7\n10,{ISLAND}\n", "--quantities", "duration,distance"
            )
        )
        self.assertEqual(header, ["source", "target", "duration", "distance"])
        self.assertEqual(
            rows,
            [
                [10, 49, *self.map.tree(10)[49]],
                [49, 10, *self.map.tree(49)[10]],
                [7, 7, 0, 0],
                [10, ISLAND, None, None],
            ],
        )

    def test_points_are_named_by_position(self):
        header, rows = rows_of(
            self.routes("source_lon,source_lat,target_lon,target_lat\n7,43,7.06,43.06\n0,0,7,43\n")
        )
        self.assertEqual(rows, [[0, 0, self.map.tree(1)[49][0]], [1, 1, None]])

    def test_paths_are_arcs_whose_weights_sum_to_the_costs(self):
        header, rows = rows_of(self.routes(f"source,target\n1,49\n49,1\n10,{ISLAND}\n2,2\n", "--paths"))
        self.assertEqual(header, ["source", "target", "duration", "arcs"])
        for source, target, duration, arcs in rows[:2]:
            node, total = source, 0
            for arc in map(int, arcs.split()):
                tail, head, weight, _ = self.map.arcs[arc - 1]
                self.assertEqual(tail, node)
                node, total = head, total + weight
            self.assertEqual((node, total), (target, duration))
        self.assertEqual(rows[2:], [[10, ISLAND, None, None], [2, 2, 0, None]])

    def test_paths_in_json_are_arrays_and_null_where_there_is_none(self):
        found, none, stay = json.loads(
            self.routes(f"source,target\n1,2\n1,{ISLAND}\n3,3\n", "--paths", "--format", "json")
        )
        self.assertTrue(all(isinstance(arc, int) for arc in found["arcs"]) and found["arcs"])
        self.assertIsNone(none["arcs"])
        self.assertEqual(stay["arcs"], [])

    def test_npy_has_one_row_a_pair(self):
        self.routes(f"source,target\n1,49\n1,{ISLAND}\n", "-o", self.path("r.npy"))
        self.assertEqual(read_npy(self.path("r.npy")), ((2, 1), [self.map.tree(1)[49][0], UNREACHED]))


if __name__ == "__main__":
    unittest.main()
