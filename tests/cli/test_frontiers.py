"""hops, connect, all-pairs and the methods of tree, on files with a hierarchy and without."""

import json
import unittest
from collections import deque

from support import EXIT, ISLAND, UNREACHED, CommandTest, read_json, read_npy, rows_of, run

METHODS = ("auto", "near-far", "bellman-ford", "dijkstra")


class Frontiers(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.flat = cls.path("flat.mcd")
        weights = [f"--weight={name}={cls.path(name)}.gr" for name in ("duration", "distance")]
        run("import", *weights, "--coords", cls.path("map.co"), "--no-hierarchy", "-o", cls.flat, "--quiet")

    def hops(self, source, reverse=False):
        """The oracle."""
        out = {}
        for tail, head, _, _ in self.map.arcs:
            out.setdefault(head if reverse else tail, []).append(tail if reverse else head)
        hops, queue = {source: 0}, deque([source])
        while queue:
            node = queue.popleft()
            for head in out.get(node, ()):
                if head not in hops:
                    hops[head] = hops[node] + 1
                    queue.append(head)
        return hops

    def files(self):
        for file in (self.file, self.flat):
            with self.subTest(file=file):
                yield file


class Tree(Frontiers):
    def test_every_method_gives_the_same_costs(self):
        for how in ({}, {"reverse": True}):
            cost = self.map.tree(10, **how)
            expected = [
                [node, *cost.get(node, (None, None))] for node in range(1, self.map.node_count + 1)
            ]
            options = ["--from", "node:10", "--quantities", "duration,distance"] + ["--reverse"] * len(how)
            for file in self.files():
                for method in METHODS:
                    with self.subTest(method=method, how=how):
                        answer = run("tree", file, *options, "--method", method)[0]
                        self.assertEqual(rows_of(answer), (["node", "duration", "distance"], expected))

    def test_a_sweep_needs_a_hierarchy(self):
        output, error = run("tree", self.flat, "--from", "node:10", "--method", "sweep", status=2)
        self.assertIn("hierarchy", error)

    def test_an_unknown_method_is_answered_with_those_there_are(self):
        for command in (["tree", self.file, "--from", "node:1"], ["all-pairs", self.file]):
            self.assertUsage(*command, "--method", "guess", says="bellman-ford")


class Hops(Frontiers):
    def check(self, file, *options, limit=None, **how):
        header, rows = rows_of(run("hops", file, "--from", "node:10", *options)[0])
        self.assertEqual(header, ["node", "hops", "parent"])
        hops = {n: h for n, h in self.hops(10, **how).items() if limit is None or h <= limit}
        nodes = range(1, self.map.node_count + 1)
        self.assertEqual([row[:2] for row in rows], [[node, hops.get(node)] for node in nodes])
        arcs = {(head, tail) if how else (tail, head) for tail, head, _, _ in self.map.arcs}
        for node, _, parent in rows:
            self.assertEqual(parent is None, hops.get(node) in (None, 0))
            if parent is not None:
                self.assertIn((parent, node), arcs)
                self.assertEqual(hops[parent] + 1, hops[node])

    def test_are_the_fewest_arcs_with_parents_one_nearer(self):
        for file in self.files():
            self.check(file)
            self.check(file, "--reverse", reverse=True)
            self.check(file, "--limit", 3, limit=3)

    def test_are_the_same_by_every_method(self):
        for method in ("auto", "top-down", "bottom-up"):
            self.check(self.flat, "--method", method)
        self.assertUsage("hops", self.flat, "--from", "node:10", "--method", "near-far", says="bottom-up")

    def test_npy_has_the_hops_alone(self):
        run("hops", self.flat, "--from", "node:10", "-o", self.path("hops.npy"))
        shape, values = read_npy(self.path("hops.npy"))
        hops = self.hops(10)
        self.assertEqual(shape, (1, self.map.node_count))
        self.assertEqual(values, [hops.get(node, UNREACHED) for node in range(1, self.map.node_count + 1)])

    def test_json_has_null_where_there_is_nothing(self):
        run("hops", self.flat, "--from", "node:10", "-o", self.path("hops.json"))
        rows = {row["node"]: row for row in read_json(self.path("hops.json"))}
        self.assertEqual(rows[10], {"node": 10, "hops": 0, "parent": None})
        self.assertEqual(rows[ISLAND], {"node": ISLAND, "hops": None, "parent": None})
        self.assertEqual(rows[11], {"node": 11, "hops": 1, "parent": 10})

    def test_from_is_needed(self):
        self.assertUsage("hops", self.file, says="--from")


class Connect(Frontiers):
    def connect(self, file, source, target, status=0):
        options = ["--from", f"node:{source}", "--to", f"node:{target}"]
        return run("connect", file, *options, status=status)

    def test_prints_the_fewest_hops_and_such_a_path(self):
        arcs = {(tail, head) for tail, head, _, _ in self.map.arcs}
        for file in self.files():
            for source, target in ((1, 30), (10, EXIT), (7, 7), (49, 1)):
                lines = self.connect(file, source, target)[0].splitlines()
                self.assertEqual((len(lines), lines[0]), (2, "connected,hops,path"))
                connected, hops, path = lines[1].split(",")
                path = [int(node) for node in path.split(" ")]
                self.assertEqual((connected, int(hops)), ("1", self.hops(source)[target]))
                self.assertEqual((path[0], path[-1], len(path)), (source, target, int(hops) + 1))
                self.assertTrue(all(arc in arcs for arc in zip(path, path[1:])))

    def test_unconnected_is_exit_1_with_a_line_that_says_so(self):
        for file in self.files():
            output, error = self.connect(file, EXIT, 1, status=1)
            self.assertEqual(output, "connected,hops,path\n0,,\n")
            self.assertEqual(error.count("\n"), 1)

    def test_json(self):
        options = ["--from", "node:1", "--to", "node:2", "--format", "json"]
        self.assertEqual(
            json.loads(run("connect", self.flat, *options)[0]),
            {"connected": True, "hops": 1, "path": [1, 2]},
        )
        options[3] = f"node:{ISLAND}"
        self.assertEqual(
            json.loads(run("connect", self.flat, *options, status=1)[0]),
            {"connected": False, "hops": None, "path": None},
        )

    def test_unknown_ids_are_bad_usage(self):
        self.assertUsage("connect", self.file, "--from", "node:1", "--to", "node:999", says="999")
        self.assertUsage("connect", self.file, "--from", "node:1", says="--to")


class AllPairs(Frontiers):
    def test_every_pair_in_the_order_of_ids(self):
        nodes = range(1, self.map.node_count + 1)
        expected = []
        for source in nodes:
            cost = self.map.tree(source)
            expected += [[source, target, cost[target][0] if target in cost else None] for target in nodes]
        for file in self.files():
            for method in METHODS:
                header, rows = rows_of(run("all-pairs", file, "--method", method)[0])
                self.assertEqual(header, ["source", "target", "duration"])
                self.assertEqual(rows, expected)

    def test_npy_has_rows_columns_and_quantities(self):
        run("all-pairs", self.flat, "--quantities", "distance,duration", "-o", self.path("all.npy"))
        shape, values = read_npy(self.path("all.npy"))
        self.assertEqual(shape, (self.map.node_count, self.map.node_count, 2))
        cost = self.map.tree(2)
        row = values[2 * self.map.node_count :][: 2 * self.map.node_count]
        for target in range(1, self.map.node_count + 1):
            duration, distance = cost.get(target, (UNREACHED, UNREACHED))
            self.assertEqual(row[2 * target - 2 : 2 * target], [distance, duration])


if __name__ == "__main__":
    unittest.main()
