"""all-pairs and closure: every method is the oracle's, next hops lead there, and bits are what is reached."""

import ast
import json
import unittest

from support import EXIT, ISLAND, UNREACHED, CommandTest, read_npy, rows_of, run

NODES = range(1, EXIT + 1)
METHODS = ["auto", "sweep", "near-far", "bellman-ford", "dijkstra", "floyd-warshall"]


class AllPairs(CommandTest):
    def pairs(self, *arguments):
        return run("all-pairs", self.file, "--quiet", *arguments)[0]

    def expected(self, objective="duration"):
        rows = []
        for source in NODES:
            tree = self.map.tree(source, objective)
            rows += [[source, target, tree[target][0] if target in tree else None] for target in NODES]
        return rows

    def test_every_method_gives_every_pair(self):
        right = self.expected()
        for method in METHODS:
            header, rows = rows_of(self.pairs("--method", method))
            self.assertEqual(header, ["source", "target", "duration"])
            self.assertEqual(rows, right, method)

    def test_another_metric_with_its_companion(self):
        header, rows = rows_of(self.pairs("--metric", "distance", "--quantities", "duration,distance"))
        self.assertEqual(header, ["source", "target", "duration", "distance"])
        self.assertEqual([row[:2] + row[3:] for row in rows], self.expected("distance"))
        self.assertUsage(
            "all-pairs", self.file, "--quantities", "distance", "--method", "floyd-warshall", says="objective"
        )

    def test_next_hops_lead_to_the_target(self):
        header, rows = rows_of(self.pairs("--paths"))
        self.assertEqual(header, ["source", "target", "duration", "next"])
        self.assertEqual([row[:3] for row in rows], self.expected())
        hop = {(source, target): row[0] for source, target, _, *row in rows}
        lightest = {}
        for tail, head, duration, _ in self.map.arcs:
            lightest[tail, head] = min(duration, lightest.get((tail, head), duration))
        for source, target, cost, following in rows:
            if source == target or cost is None:
                self.assertIsNone(following)
                continue
            node, spent, met = source, 0, set()
            while node != target:
                self.assertNotIn(node, met)
                met.add(node)
                spent += lightest[node, hop[node, target]]
                node = hop[node, target]
            self.assertEqual(spent, cost)

    def test_json_names_the_next_node(self):
        cell = json.loads(self.pairs("--paths", "--format", "json"))[1]
        self.assertEqual(list(cell), ["source", "target", "duration", "next"])
        self.assertEqual(cell["next"], int(rows_of(self.pairs("--paths"))[1][1][3]))

    def test_npy_is_square_and_with_paths_two_squares(self):
        right = [UNREACHED if row[2] is None else row[2] for row in self.expected()]
        for method in METHODS:
            self.pairs("--method", method, "-o", self.path("pairs.npy"))
            self.assertEqual(read_npy(self.path("pairs.npy")), ((EXIT, EXIT), right))
        self.pairs("--paths", "-o", self.path("paths.npy"))
        shape, values = read_npy(self.path("paths.npy"))
        self.assertEqual((shape, values[: EXIT * EXIT]), ((2, EXIT, EXIT), right))
        hops = [row[3] for row in rows_of(self.pairs("--paths"))[1]]
        self.assertEqual(values[EXIT * EXIT :], [UNREACHED if hop is None else hop - 1 for hop in hops])

    def test_auto_says_what_it_chose(self):
        error = run("all-pairs", self.file, "-o", self.path("pairs.npy"))[1]
        self.assertRegex(error, "all pairs of 51 nodes by (sweep|floyd-warshall)\n")

    def test_without_a_hierarchy(self):
        plain = self.path("plain.mcd")
        run("import", "--weight", "duration=" + self.path("duration.gr"), "--no-hierarchy", "-o", plain, "--quiet")
        for method in ("auto", "near-far", "floyd-warshall"):
            found = run("all-pairs", plain, "--method", method, "--quiet")[0]
            self.assertEqual(rows_of(found)[1], self.expected())
        self.assertIn("hierarchy", run("all-pairs", plain, "--method", "sweep", status=2)[1])

    def test_misuse(self):
        self.assertUsage("all-pairs", self.file, "--method", "astar", says="astar")
        self.assertUsage("all-pairs", self.file, "--paths", "--method", "sweep", says="next hops")
        self.assertUsage("all-pairs", self.file, "--paths", "--format", "npy", says="npy")
        self.assertIn("bytes", run("all-pairs", self.file, "--method", "floyd-warshall", "--memory", "4K", status=4)[1])


class Closure(CommandTest):
    def test_bits_are_what_each_node_reaches(self):
        path = self.path("closure.npy")
        run("closure", self.file, "-o", path, "--quiet")
        with open(path, "rb") as file:
            data = file.read()
        header = ast.literal_eval(data[10:128].decode())
        row_bytes = (EXIT + 7) // 8
        self.assertEqual(header, {"descr": "|u1", "fortran_order": False, "shape": (EXIT, row_bytes)})
        for row, source in enumerate(NODES):
            bits = data[128 + row * row_bytes : 128 + (row + 1) * row_bytes]
            reached = {node for node in NODES if bits[(node - 1) // 8] >> (7 - (node - 1) % 8) & 1}
            self.assertEqual(reached, set(self.map.tree(source)))
        self.assertEqual(len(data), 128 + EXIT * row_bytes)
        self.assertNotEqual(data[128 + (ISLAND - 1) * row_bytes :][:row_bytes], data[128:][:row_bytes])

    def test_misuse(self):
        self.assertUsage("closure", self.file, says="-o FILE.npy")
        self.assertUsage("closure", self.file, "-o", self.path("c.csv"), says="csv")


if __name__ == "__main__":
    unittest.main()
