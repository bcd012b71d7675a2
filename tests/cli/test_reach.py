"""reach: nodes and values within limits, and nearest targets, are the oracle's."""

import json
import math
import unittest

from support import EXIT, ISLAND, CommandTest, read_json, rows_of, run

SOURCES = [10, 1, EXIT, 10, ISLAND]
LIMITS = [30, 0, 12]
TARGETS = [49, 1, ISLAND, 7, 49, EXIT]
K = math.pi / (4 * math.sqrt(3))


class Reach(CommandTest):
    def setUp(self):
        self.sources = self.write("s.csv", "".join(f"node:{node}\n" for node in SOURCES))
        self.targets = self.write("t.csv", "".join(f"node:{node}\n" for node in TARGETS))
        self.value = {node: node * 100_000_000 % 4294967296 for node in range(2, EXIT + 1)}
        self.values = self.write(
            "v.csv", "node,value\n" + "".join(f"{node},{value}\n" for node, value in self.value.items())
        )

    def reach(self, *arguments):
        return run("reach", self.file, "--sources", self.sources, *arguments)[0]

    def limited(self, *arguments):
        return rows_of(self.reach("--limits", ",".join(map(str, LIMITS)), *arguments))

    def expected(self, values, **how):
        rows = []
        for source in SOURCES:
            cost = {node: pair[0] for node, pair in self.map.tree(source, **how).items()}
            row = [source]
            for limit in LIMITS:
                within = [node for node in cost if cost[node] <= limit]
                row.append(len(within))
                if values:
                    row.append(sum(self.value.get(node, 0) for node in within))
            rows.append(row + [len(cost), max(cost.values())])
        return rows

    def nearest(self, count, **how):
        rows = []
        for source in SOURCES:
            cost = self.map.tree(source, **how)
            found = sorted((cost[node][0], i) for i, node in enumerate(TARGETS) if node in cost)[:count]
            rows += [[source, rank + 1, TARGETS[i], price] for rank, (price, i) in enumerate(found)]
        return rows

    def test_counts_nodes_within_each_limit_in_the_order_given(self):
        header, rows = self.limited()
        self.assertEqual(header, ["source", "nodes_30", "nodes_0", "nodes_12", "reached", "eccentricity"])
        self.assertEqual(rows, self.expected(False))

    def test_sums_values_beside_each_count(self):
        header, rows = self.limited("--values", self.values)
        self.assertEqual(header[1:5], ["nodes_30", "value_30", "nodes_0", "value_0"])
        self.assertEqual(rows, self.expected(True))
        self.assertGreater(rows[0][2], 2**33)

    def test_reverse_and_another_metric(self):
        self.assertEqual(self.limited("--reverse")[1], self.expected(False, reverse=True))
        self.assertEqual(self.limited("--metric", "distance")[1], self.expected(False, objective="distance"))

    def test_every_node_is_a_source_unless_some_are_given(self):
        ids = range(1, self.map.node_count + 1)
        trees = {source: [pair[0] for pair in self.map.tree(source).values()] for source in ids}
        header, rows = rows_of(run("reach", self.file)[0])
        self.assertEqual(header, ["source", "reached", "eccentricity", "cost_sum"])
        self.assertEqual(rows, [[source, len(trees[source]), max(trees[source]), sum(trees[source])] for source in ids])
        rows = rows_of(run("reach", self.file, "--limits", 12)[0])[1]
        self.assertEqual([row[1] for row in rows], [sum(cost <= 12 for cost in trees[source]) for source in ids])
        self.assertUsage("reach", self.file, "--values", self.values, says="--limits")

    def test_lists_the_nearest_targets_equal_costs_in_their_order(self):
        for count in (1, 3, 100):
            header, rows = rows_of(self.reach("--targets", self.targets, "--nearest", count))
            self.assertEqual(header, ["source", "rank", "target", "duration"])
            self.assertEqual(rows, self.nearest(count))

    def test_nearest_by_reverse_costs(self):
        rows = rows_of(self.reach("--targets", self.targets, "--nearest", 4, "--reverse"))[1]
        self.assertEqual(rows, self.nearest(4, reverse=True))

    def test_json_names_the_columns(self):
        self.reach("--limits", "12", "--values", self.values, "-o", self.path("reach.json"))
        first = read_json(self.path("reach.json"))[0]
        self.assertEqual(list(first), ["source", "nodes_12", "value_12", "reached", "eccentricity"])
        nearest = json.loads(self.reach("--targets", self.targets, "--nearest", 2, "--format", "json"))
        self.assertEqual([list(row.values()) for row in nearest], self.nearest(2))

    def test_a_source_far_from_all_roads_reaches_nothing(self):
        self.sources = self.write("p.csv", "id,lon,lat\nmoon,0,0\nhome,7,43\n")
        header, rows = self.limited()
        self.assertEqual(rows[0], ["moon", 0, 0, 0, 0, None])
        self.assertEqual(rows[1][1:], self.expected(False)[1][1:])
        self.assertIsNone(json.loads(self.reach("--limits", "5", "--format", "json"))[0]["eccentricity"])

    def test_threads_do_not_matter(self):
        asked = ("--limits", "3,9,27", "--values", self.values, "--threads")
        for threads in (2, 3):
            self.assertEqual(self.reach(*asked, threads), self.reach(*asked, 1))

    def test_bad_options_are_named(self):
        for arguments, says in (
            ((), "--limits"),
            (("--nearest", "3"), "--targets"),
            (("--limits", "3", "--targets", self.targets), "--nearest"),
            (("--limits", ""), "--limits"),
            (("--limits", "3,"), "--limits 3,"),
            (("--limits", "3,x"), '"x"'),
            (("--limits", "2147483647"), "2147483647"),
            (("--limits", "7,8,7"), "7 twice"),
            (("--limits", ",".join(map(str, range(17)))), "more than 16"),
            (("--targets", self.targets, "--nearest", "0"), "--nearest 0"),
            (("--targets", self.targets, "--nearest", "1025"), "1025"),
            (("--limits", "3", "--quantities", "duration,distance"), "distance"),
            (("--limits", "3", "--format", "npy"), "npy"),
        ):
            with self.subTest(arguments=arguments):
                self.assertUsage("reach", self.file, "--sources", self.sources, *arguments, says=says)

    def test_bad_values_are_named_with_file_and_line(self):
        for text, says in (
            ("", "bad.csv"),
            ("1,5\n", "bad.csv:1:"),
            ("node,value\n1\n", "bad.csv:2:"),
            ("node,value\n1,5,6\n", "bad.csv:2:"),
            ("node,value\n1,5\n\n1000,5\n", 'bad.csv:4: no such node: "1000"'),
            ("node,value\nx,5\n", "bad.csv:2:"),
            ("node,value\n1,-5\n", "bad.csv:2:"),
            ("node,value\n1,4294967296\n", "bad.csv:2:"),
            ("node,value\n1,5\n2,7\n1,5\n", "bad.csv:4: a second value"),
        ):
            with self.subTest(text=text):
                bad = self.write("bad.csv", text)
                self.assertUsage(
                    "reach", self.file, "--sources", self.sources, "--limits", 9, "--values", bad, says=says
                )


JOBS = {49: 3, 1: 10.5, ISLAND: 7, 7: 0, EXIT: 2}


class Accessibility(CommandTest):
    def setUp(self):
        self.sources = self.write("s.csv", "".join(f"node:{node}\n" for node in SOURCES))
        self.places = self.write("o.csv", "jobs,node,shops\n" + "".join(f"{n},{node},1\n" for node, n in JOBS.items()))

    def access(self, *arguments):
        return rows_of(run("reach", self.file, "--sources", self.sources, "--opportunities", self.places, *arguments)[0])

    def costs(self, source, **how):
        """(cost, jobs) of what has a path, ascending."""
        cost = self.map.tree(source, **how)
        return sorted((cost[node][0], n) for node, n in JOBS.items() if node in cost)

    def expected(self, weight, **how):
        for source in SOURCES:
            found = [(cost, math.floor(weight(cost) * 2**30 + 0.5) / 2**30 * n) for cost, n in self.costs(source, **how)]
            total = sum(n for _, n in found)
            mean = sum(cost * n for cost, n in found) / total if total else None
            half = next((cost for i, (cost, n) in enumerate(found) if n and 2 * sum(n for _, n in found[: i + 1]) >= total), None)
            yield source, total, mean, half if total else None

    def check(self, rows, weight, **how):
        for row, right in zip(rows, self.expected(weight, **how), strict=True):
            self.assertEqual((row[0], row[3]), (right[0], right[3]))
            for is_, wanted in zip(row[1:3], right[1:3]):
                if wanted is None:
                    self.assertIsNone(is_)
                else:
                    self.assertAlmostEqual(float(is_), wanted, 5)

    def test_sums_means_and_percentiles_of_each_decay(self):
        table = self.write("t.csv", "cost,weight\n0,1\n10,0.5\n10,0.25\n30,0\n")
        for decay, weight in (
            ((), lambda c: 1),
            (("--decay", "step:12"), lambda c: c <= 12),
            (("--decay", "linear:12,8"), lambda c: min(1, max(0, 1 - (c - 8) / 8))),
            (("--decay", "logistic:12,4"), lambda c: (1 + math.exp(-12 * K)) / (1 + math.exp((c - 12) * K))),
            (("--decay", "exponential:5"), lambda c: 0.5 ** (c / 5)),
            (("--decay", "gaussian:9"), lambda c: math.exp(-(c / 9) ** 2 / 2)),
            (("--decay", f"table:{table}"), lambda c: 1 - c / 20 if c <= 10 else max(0, (30 - c) / 80)),
        ):
            for how, options in (({}, ()), ({"reverse": True}, ("--reverse",))):
                with self.subTest(decay=decay, **how):
                    header, rows = self.access("--percentiles", "50", *decay, *options)
                    names = ["jobs", "mean_jobs", "p50_jobs", "shops", "mean_shops", "p50_shops"]
                    self.assertEqual(header, ["source", *names])
                    self.check(rows, weight, **how)

    def test_json_has_the_same_columns(self):
        text = run("reach", self.file, "--opportunities", self.places, "--sources", self.sources, "--decay", "step:12",
                   "--format", "json")[0]
        first = json.loads(text)[0]
        _, total, mean, _ = next(self.expected(lambda cost: cost <= 12))
        self.assertEqual(list(first), ["source", "jobs", "mean_jobs", "shops", "mean_shops"])
        self.assertAlmostEqual(first["jobs"], total)
        self.assertAlmostEqual(first["mean_jobs"], mean, 5)

    def test_what_is_wrong_is_named(self):
        for options, says in (
            (("--decay", "cubic:3"), "--decay cubic:3: expected step:"),
            (("--decay", "step"), "--decay step: expected step:"),
            (("--decay", "step:1,2"), "step has 1 cost"),
            (("--decay", "logistic:5"), "logistic has 2 costs"),
            (("--decay", "linear:5,2km"), '--decay linear:5,2km: "2km" is not a whole number'),
            (("--decay", "exponential:0"), "cutoff is 0"),
            (("--percentiles", "50,x"), '"x" is not a number from 0 to 100'),
            (("--percentiles", "101"), '"101" is not'),
            (("--percentiles", ",".join(["1"] * 17)), "more than 16"),
            (("--percentiles", "50,50"), 'two columns of the answer are named "p50_jobs"'),
            (("--limits", "5"), "--limits"),
            (("--nearest", "1", "--targets", self.sources), "--nearest"),
        ):
            with self.subTest(options=options):
                self.assertUsage("reach", self.file, "--sources", self.sources, "--opportunities", self.places, *options, says=says)
        self.assertUsage("reach", self.file, "--decay", "step:5", says="--opportunities")

    def test_names_of_columns_are_taken_literally(self):
        names = [".5km", "a\\b", "tab\there", "caf\u00e9"]
        self.places = self.write("named.csv", "node," + ",".join(names) + "\n7,1,2,3,4\n")
        text = run("reach", self.file, "--sources", self.sources, "--opportunities", self.places, "--format", "json")[0]
        self.assertEqual([*json.loads(text)[0]], ["source", *(part + name for name in names for part in ("", "mean_"))])

    def test_sums_have_all_their_digits(self):
        for amount in ("5e12", "3e-7", "0.1"):
            self.places = self.write("sums.csv", f"node,jobs\n7,{amount}\n")
            text = run("reach", self.file, "--sources", self.sources, "--opportunities", self.places, "--format", "json")[0]
            self.assertEqual(json.loads(text)[0]["jobs"], float(amount))

    def test_a_table_of_a_decay_is_an_input(self):
        table = self.write("t.csv", "cost,weight\n0,1\n")
        asked = ("reach", self.file, "--sources", self.sources, "--opportunities")
        self.assertUsage(*asked, self.places, "--decay", f"table:{table}", "-o", table, says="t.csv")
        self.assertUsage(*asked, "-", "--decay", "table:-", says="only one input can be -")

    def test_a_long_cost_is_read_whole(self):
        long = self.access("--decay", "step:" + "0" * 40 + "1000")
        self.assertEqual(long, self.access("--decay", "step:1000"))
        self.assertNotEqual(long, self.access("--decay", "step:0"))

    def test_bad_files_are_named_with_line_and_value(self):
        for text, says in (
            ("node,jobs\n1,5\n7,-1\n", 'bad.csv:3: not an amount, a number from 0: "-1"'),
            ("node,jobs\n1,many\n", 'bad.csv:2: not an amount, a number from 0: "many"'),
            ("node,jobs\n1000,5\n", 'bad.csv:2: no such node: "1000"'),
            ("node\n1\n", "bad.csv:1: expected a header with columns of amounts"),
            ("node:1\n", "bad.csv:1: expected a header with columns of amounts"),
            ("node,a=b\n1,5\n", 'bad.csv:1: not a name of a column of amounts: "a=b"'),
            ("node" + ",n" * 17 + "\n", "bad.csv:1: more than 16 columns"),
            ("node,jobs\n", "there is no place"),
        ):
            with self.subTest(text=text):
                bad = self.write("bad.csv", text)
                self.assertUsage("reach", self.file, "--sources", self.sources, "--opportunities", bad, says=says)
        for text, says in (
            ("cost\n5\n", "t.csv:1: expected a header with the columns cost and weight"),
            ("cost,weight\n5,1\n4,1\n", 't.csv:3: a cost below the one before: "4"'),
            ("cost,weight\n5,1.5\n", 't.csv:2: not a weight from 0 to 1: "1.5"'),
            ("cost,weight\n5km,1\n", 't.csv:2: not a cost: "5km"'),
            ("cost,weight\n", "there is no cost"),
        ):
            with self.subTest(text=text):
                table = self.write("t.csv", text)
                self.assertUsage("reach", self.file, "--sources", self.sources, "--opportunities", self.places,
                                 "--decay", f"table:{table}", says=says)


if __name__ == "__main__":
    unittest.main()
