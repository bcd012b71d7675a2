#!/usr/bin/env python3
"""Cuts the graph of a map into regions, and measures two ways to put them together (docs/benchmarks/country.md).

    regions.py MAP.mcd CUTS [QUANTILE]

Each of CUTS cuts, in turns by longitude and latitude, divides all regions at a quantile of their nodes (default: 0.5, the
median). The border nodes are a least vertex cover of the arcs that a cut crosses.

- Order: each region is ordered by itself, the border nodes last. The order is compared with that of an import.
- Overlay: each region is an engine of its own. Costs between border nodes are closed over all regions; costs of pairs are
  compared with those of the whole map.
- Separators: the nodes that the import itself would leave at the top, if no part below them had more than 1.2 shares."""
import pathlib
import struct
import sys
import tempfile
import time
import warnings

import macadam
import numpy as np

CLOSED = (1 << 31) - 1
PAIRS = 1000


def sections(path):
    """The sections of a ready file, as arrays."""
    data = np.memmap(path, np.uint8, "r")
    (at,), (count,) = struct.unpack_from("<Q", data, 24), struct.unpack_from("<I", data, 32)
    found = {}
    for entry in (bytes(data[at + 104 * i : at + 104 * (i + 1)]) for i in range(count)):
        offset, size, _, element, coding = struct.unpack_from("<QQQII", entry, 64)
        if coding == 0:
            kind = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[element]
            found[entry[:64].rstrip(b"\0").decode()] = data[offset : offset + size].view(kind)
    return found


def cover(pairs):
    """A least vertex cover of bipartite pairs (König): those ends of a largest matching that alternating paths separate."""
    to, mate_first, mate_second = {}, {}, {}
    for first, second in pairs:
        to.setdefault(first, []).append(second)
    for root in to:  # one augmenting path from each
        parent, queue = {}, [root]
        while queue:
            first = queue.pop(0)
            for second in to[first]:
                if second in parent:
                    continue
                parent[second] = first
                if second in mate_second:
                    queue.append(mate_second[second])
                    continue
                while second is not None:
                    mate_second[second], mate_first[parent[second]], second = parent[second], second, mate_first.get(parent[second])
                queue = []
                break
    reached, queue = set(), [first for first in to if first not in mate_first]
    passed = set(queue)
    while queue:
        for second in set(to[queue.pop()]) - reached:
            reached.add(second)
            if mate_second[second] not in passed:
                passed.add(mate_second[second])
                queue.append(mate_second[second])
    return [first for first in to if first not in passed] + list(reached)


def least_time(work):
    """Of the processor, in seconds."""
    times = []
    for _ in range(9):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def relabel(nodes, count):
    place = np.full(count, -1)
    place[nodes] = np.arange(len(nodes))
    return place


class Cut:
    """The graph of a map, and its regions."""

    def __init__(self, path, cuts, quantile, folder):
        self.folder, self.cuts = folder, cuts
        with macadam.open(path, device="cpu") as engine:
            engine.save(folder / "map.mcd", ready=True)
        stored = sections(folder / "map.mcd")
        degree, weight = np.diff(stored["first_out"].astype(np.int64)), stored["weight.duration"]
        self.count, usable = len(degree), weight < CLOSED
        self.tail, self.head = np.repeat(np.arange(self.count), degree)[usable], stored["head"].astype(np.int64)[usable]
        self.weight = weight[usable]
        self.region, self.level = np.zeros(self.count, int), np.full(self.count, cuts)  # by which cut a node is border
        for level in range(cuts):
            axis = stored["node_lat_e7" if level % 2 else "node_lon_e7"].view(np.int32)
            bound = np.array([np.quantile(axis[self.region == r], quantile) for r in range(1 << level)])
            self.region = 2 * self.region + (axis > bound[self.region])
            inside = (self.level[self.tail] == cuts) & (self.level[self.head] == cuts)
            crossing = inside & (self.region[self.tail] != self.region[self.head])
            ends = self.tail[crossing], self.head[crossing]
            pairs = np.where(self.region[ends[0]] % 2 == 0, ends, ends[::-1])
            self.level[cover(np.unique(pairs, axis=1).T.tolist())] = level
        self.border = self.level < cuts
        # an arc belongs to the region of an end that is not border, or of its tail
        self.owner = np.where(self.border[self.tail] & ~self.border[self.head], self.region[self.head], self.region[self.tail])

    def save(self, name, arcs, nodes, **options):
        place, path = relabel(nodes, self.count), self.folder / name
        graph = place[self.tail[arcs]], place[self.head[arcs]], {"duration": self.weight[arcs]}
        macadam.import_arrays(*graph, path, node_count=len(nodes), ready=True, **options)
        return path

    def order_of(self, region):
        """The order of a region's nodes that are not border."""
        member = (self.region == region) & ~self.border
        nodes = np.flatnonzero(member)
        path = self.save("region.mcd", member[self.tail] & member[self.head], nodes)
        return nodes[sections(path)["node_place"].astype(np.int64)][::-1]

    def compare_orders(self):
        every = np.arange(self.count)
        parts = [self.order_of(region) for region in range(1 << self.cuts)]
        parts += [np.flatnonzero(self.level == level) for level in reversed(range(self.cuts))]
        np.savetxt(self.folder / "order.txt", np.concatenate(parts), "%d")
        for name, options in (("free", {}), ("borders last", {"order": self.folder / "order.txt"})):
            path = self.save(f"{name}.mcd", slice(None), every, **options)
            stored, size = sections(path), path.stat().st_size / 1e6
            draw = np.random.default_rng(1)
            sources, targets = draw.integers(0, self.count, (2, 10_000))
            with macadam.open(path, device="cpu", threads=1) as engine:
                routes = least_time(lambda: engine.routes(sources, targets)) / len(sources)
                matrix = least_time(lambda: engine.matrix(sources[:1000], targets[:1000]))
                height, arcs = engine.info.height, engine.info.up_arc_count
            print(f"  order {name}: height {height}, mean depth {stored['depth'].mean():.0f}, {arcs / 1e6:.3f} M upward arcs, {size:.0f} MB; "
                  f"a route's cost {1e6 * routes:.1f} us, matrix of 1000 x 1000 {1e3 * matrix:.1f} ms")

    def overlay(self):
        number = relabel(np.flatnonzero(self.border), self.count)
        closed = np.full((self.border.sum(),) * 2, CLOSED, np.uint32)
        np.fill_diagonal(closed, 0)
        engines, border, place, cells, spent = [], [], [], 0, 0.0
        for region in range(1 << self.cuts):
            arcs = self.owner == region
            ends = np.concatenate([self.tail[arcs], self.head[arcs], np.flatnonzero((self.region == region) & ~self.border)])
            nodes = np.unique(ends)
            engines.append(macadam.open(self.save(f"{region}.mcd", arcs, nodes), device="cpu"))
            border.append(nodes[self.border[nodes]])
            place.append(relabel(nodes, self.count))
            began = time.process_time()
            costs = self.costs(engines[-1], place[-1][border[-1]], place[-1][border[-1]])
            spent += time.process_time() - began
            at = np.ix_(number[border[-1]], number[border[-1]])
            closed[at] = np.minimum(closed[at], costs)
            cells += costs.size
        began = time.process_time()
        for middle in range(len(closed)):
            np.minimum(closed, closed[:, middle, None] + closed[middle], out=closed)
        print(f"  overlay: {cells} cells within regions in {spent:.3f} s, closure of {closed.size} in {time.process_time() - began:.1f} s")
        draw = np.random.default_rng(1)
        nodes = np.flatnonzero(~self.border)
        near = np.unique(np.concatenate([self.tail[self.border[self.head]], self.head[self.border[self.tail]]]))
        near = near[~self.border[near]]
        equal = leave = within = 0
        with macadam.open(self.folder / "free.mcd", device="cpu") as engine:
            for pair in range(PAIRS):  # every second one: two places of one region near its border
                source = draw.choice(near if pair % 2 else nodes)
                here = self.region[source]
                target = draw.choice(near[self.region[near] == here] if pair % 2 else nodes)
                there = self.region[target]
                up = self.costs(engines[here], place[here][[source]], place[here][border[here]])[0]
                down = self.costs(engines[there], place[there][border[there]], place[there][[target]])[:, 0]
                middle = closed[np.ix_(number[border[here]], number[border[there]])].astype(np.int64)
                best = min(CLOSED, (up[:, None].astype(np.int64) + middle + down).min())
                if here == there:
                    inner = self.costs(engines[here], place[here][[source]], place[here][[target]])[0, 0]
                    within, leave = within + 1, leave + (best < inner)
                    best = min(best, inner)
                equal += best == self.costs(engine, [source], [target])[0, 0]
        if equal < PAIRS:
            sys.exit(f"{PAIRS - equal} of {PAIRS} pairs differ")
        print(f"  {equal} of {PAIRS} pairs equal; {within} within a region, the best path of {leave} of these leaves it")

    @staticmethod
    def costs(engine, sources, targets):
        return np.minimum(engine.matrix(np.asarray(sources), np.asarray(targets)).duration, CLOSED)

    def separators(self):
        size = sections(self.folder / "free.mcd")["subtree_end"].astype(np.int64) - np.arange(self.count)
        return int((size > 1.2 * self.count / (1 << self.cuts)).sum())


def main(path, cuts, quantile=0.5):
    warnings.simplefilter("ignore", macadam.PlaceWarning)
    with tempfile.TemporaryDirectory(prefix="macadam-regions-") as folder:
        cut = Cut(path, int(cuts), float(quantile), pathlib.Path(folder))
        levels = np.bincount(cut.level[cut.border]).tolist()
        print(f"{path}: {cut.count} nodes, {1 << cut.cuts} regions, {cut.border.sum()} border nodes, by cut {levels}")
        cut.compare_orders()
        print(f"  {cut.separators()} nodes separate parts of that size in the free order")
        cut.overlay()


if __name__ == "__main__":
    main(*sys.argv[1:])
