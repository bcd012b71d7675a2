"""Maps for the tests: the town of examples/, and a random graph with an oracle that shares no code with the engine."""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import macadam
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
hypothesis.settings.register_profile("quick", max_examples=12, deadline=None, derandomize=True)
hypothesis.settings.register_profile(
    "long", max_examples=int(os.environ.get("MACADAM_EXAMPLES", "10000")), deadline=None
)
hypothesis.settings.load_profile(os.environ.get("MACADAM_HYPOTHESIS", "quick"))


@pytest.fixture(scope="session")
def town_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("town") / "town.mcd"
    macadam.import_osm(ROOT / "examples" / "town.osm", path)
    return path


@pytest.fixture(scope="session")
def town(town_path: Path) -> Iterator[macadam.Engine]:
    with macadam.open(town_path, device="cpu") as engine:
        yield engine


class Random:
    """A random directed graph of 200 nodes: 180 of them strongly connected, 20 that no path leaves."""

    def __init__(self) -> None:
        rng = np.random.default_rng(7)
        count, core = 200, 180
        ring = np.arange(core)
        self.tail = np.concatenate([ring, rng.integers(0, core, 500), rng.integers(0, core, 20)])
        self.head = np.concatenate([(ring + 1) % core, rng.integers(0, core, 500), np.arange(core, count)])
        self.ids = rng.permutation(10 * count)[:count] + 1000
        self.duration = rng.integers(0, 5000, len(self.tail)).astype(np.uint32)
        self.distance = rng.integers(1, 900, len(self.tail)).astype(np.uint32)
        self.lonlat = np.stack([9 + rng.random(count), 45 + rng.random(count)], axis=1)

    def tree(self, source: Any) -> Any:
        """The durations from one node, by its position, to all; -1 = unreached."""
        out: list[list[tuple[int, int]]] = [[] for _ in self.ids]
        for tail, head, weight in zip(self.tail.tolist(), self.head.tolist(), self.duration.tolist()):
            out[tail].append((head, weight))
        best, heap = {int(source): 0}, [(0, int(source))]
        while heap:
            cost, node = heapq.heappop(heap)
            if cost > best[node]:
                continue
            for head, weight in out[node]:
                if cost + weight < best.get(head, 1 << 40):
                    best[head] = cost + weight
                    heapq.heappush(heap, (cost + weight, head))
        return np.array([best.get(node, macadam.UNREACHED) for node in range(len(self.ids))], dtype=np.uint32)


@pytest.fixture(scope="session")
def graph() -> Random:
    return Random()


@pytest.fixture(scope="session")
def random_path(graph: Random, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("random") / "random.mcd"
    weights = {"duration": graph.duration, "distance": graph.distance}
    macadam.import_arrays(graph.tail, graph.head, weights, path, ids=graph.ids, lonlat=graph.lonlat)
    return path


@pytest.fixture(scope="session")
def engine(random_path: Path) -> Iterator[macadam.Engine]:
    with macadam.open(random_path, device="cpu") as engine:
        yield engine
