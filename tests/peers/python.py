#!/usr/bin/env python3
"""The same matrix and the same isochrone with Macadam and with other packages of Python, as tables of Markdown.

    python.py MAP.osm.pbf FOLDER [--places 200]

Two groups, each in one run, one thread each; times of the processor, the best of up to three:
- Packages that take a graph: igraph and pandana have the graph that osmnx makes of the map, with lengths in whole
  centimetres. Every cell and every reached node must be Macadam's.
- Engines for streets: OSRM and Valhalla have the map itself, with car profiles of their own, which FOLDER holds
  (README.md beside this file). Their durations must agree on the median within 15 %, and Valhalla's areas must cover
  most of ours.

Needs the packages macadam, osmnx, igraph, pandana, osmium, geopandas, osrm-bindings and pyvalhalla.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"
import igraph
import macadam
import numpy as np
import osmium
import osmnx
import osrm
import pandana
import pandas
import shapely
import valhalla

ROADS = """motorway trunk primary secondary tertiary unclassified residential living_street motorway_link trunk_link
primary_link secondary_link tertiary_link""".split()
LIMITS = (300, 600)  # seconds
REACH = 2000  # metres


def best_of(call: Callable[[], Any], rounds: int = 3) -> tuple[float, Any]:
    """The best time of the processor in seconds, and the answer."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        answer = call()
        best = min(best, time.process_time() - start)
    return best, answer


def row(*cells: Any) -> None:
    print("|", " | ".join(str(it) for it in cells), "|", flush=True)


def milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:,.1f} ms" if seconds < 0.1 else f"{1000 * seconds:,.0f} ms"


# ---- packages that take a graph ----


def drivable(source: str, path: str) -> None:
    """Writes the roads for cars as .osm, for osmnx."""
    nodes = set()

    def roads() -> Any:
        every = osmium.FileProcessor(source, osmium.osm.WAY).with_filter(osmium.filter.KeyFilter("highway"))
        return (way for way in every if way.tags.get("highway") in ROADS)

    for way in roads():
        nodes.update(node.ref for node in way.nodes)
    with osmium.SimpleWriter(path) as writer:
        for node in osmium.FileProcessor(source, osmium.osm.NODE):
            if node.id in nodes:
                writer.add_node(node)
        for way in roads():
            writer.add_way(way)


def graph_of(source: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        drivable(source, f"{folder}/roads.osm")
        graph = osmnx.graph_from_xml(f"{folder}/roads.osm", simplify=True)
    for _, _, data in graph.edges(data=True):
        data["length"] = round(100 * data["length"])
    return graph


def graphs(source: str, count: int) -> None:
    graph = graph_of(source)
    nodes, position = list(graph.nodes), {node: i for i, node in enumerate(graph.nodes)}
    edges = [(position[a], position[b], data["length"]) for a, b, data in graph.edges(data=True)]
    tail, head, length = np.array(edges).T
    places = np.random.default_rng(1).choice(len(nodes), count, replace=False)
    path = tempfile.mkdtemp() + "/graph.mcd"
    start = time.process_time()
    macadam.from_networkx(graph, path, weights={"distance": "length"}, threads=1)
    engine = macadam.open(path, device="cpu", threads=1)
    ids, ours = np.array(nodes)[places], {"prepared": time.process_time() - start}
    start = time.process_time()
    net = igraph.Graph(len(nodes), np.stack([tail, head], axis=1), directed=True, edge_attrs={"length": length})
    theirs = {"igraph": time.process_time() - start}
    start = time.process_time()
    xy = [pandas.Series([graph.nodes[it][axis] for it in nodes]) for axis in "xy"]
    network = pandana.Network(
        *xy, pandas.Series(tail), pandas.Series(head), pandas.DataFrame({"length": length / 100}), twoway=False
    )
    theirs["pandana"] = time.process_time() - start

    def of_pandana() -> Any:
        pairs = np.repeat(places, count), np.tile(places, count)
        return np.array(network.shortest_path_lengths(*pairs)).reshape(count, count)

    ours["matrix"], matrix = best_of(lambda: engine.matrix(ids).distance)
    seconds, other = best_of(lambda: np.array(net.distances(places.tolist(), places.tolist(), weights="length")), 1)
    equal = np.where(np.isinf(other), macadam.UNREACHED, other) == matrix
    assert equal.all(), f"igraph: {np.count_nonzero(~equal)} cells differ"
    seconds_pandana, other = best_of(of_pandana, 1)
    reached = (matrix != macadam.UNREACHED) & (other < 4e6)
    off = np.abs(other - matrix / 100)[reached]
    assert off.max() < 0.5 and np.array_equal(matrix == macadam.UNREACHED, other > 4e6), f"pandana: {off.max()} m"

    def within() -> Any:
        return engine.tree(ids[:100], limit=REACH).distance != macadam.UNREACHED

    ours["reach"], areas = best_of(within)
    areas = areas[:, np.searchsorted(engine.ids, nodes)]
    reach_igraph, other = best_of(
        lambda: np.array(net.distances(places[:100].tolist(), weights="length")) <= 100 * REACH
    )
    assert np.array_equal(other, areas), "igraph reaches other nodes"
    reach_pandana, frame = best_of(lambda: network.nodes_in_range(places[:100].tolist(), REACH))
    other = np.zeros_like(areas)
    row_of = {int(it): i for i, it in enumerate(places[:100])}
    other[[row_of[int(it)] for it in frame["source"]], frame["destination"].to_numpy(np.int64)] = True
    differ = np.count_nonzero(other != areas)
    assert differ <= areas.sum() // 10_000, f"pandana reaches {differ} other nodes"

    print(f"\nThe graph of osmnx: {len(nodes)} nodes, {len(edges)} edges; lengths.\n")
    row(
        "package", "graph made ready", f"matrix {count} x {count}", f"nodes within {REACH} m of 100 places", "agreement"
    )
    row(*["---"] * 5)
    row("Macadam", *map(milliseconds, (ours["prepared"], ours["matrix"], ours["reach"])), "")
    row(
        "igraph (as osmnx advises)",
        *map(milliseconds, (theirs["igraph"], seconds, reach_igraph)),
        "all cells, all nodes equal",
    )
    row("pandana", *map(milliseconds, (theirs["pandana"], seconds_pandana, reach_pandana)),
        f"all cells within {100 * off.max():.0f} cm; {differ} of {areas.sum()} nodes differ")  # fmt: skip


# ---- engines for streets ----


def of_osrm(engine: Any, points: Any) -> Any:
    answer = engine.Table(osrm.TableParameters(coordinates=[tuple(it) for it in points.tolist()]))
    return np.array([[np.nan if it is None else it for it in line] for line in answer["durations"]], float)


def of_valhalla(engine: Any, points: Any) -> Any:
    places = [{"lon": lon, "lat": lat} for lon, lat in points.tolist()]
    request = {"sources": places, "targets": places, "costing": "auto", "verbose": False}
    answer = json.loads(engine.matrix(json.dumps(request)))
    return np.array(answer["sources_to_targets"]["durations"], float)


def valhalla_areas(engine: Any, point: Any) -> list[Any]:
    request = {
        "locations": [{"lon": point[0], "lat": point[1]}], "costing": "auto", "polygons": True, "denoise": 0,
        "contours": [{"time": it / 60} for it in LIMITS],
    }  # fmt: skip
    features = json.loads(engine.isochrone(json.dumps(request)))["features"]
    areas = {it["properties"]["contour"]: shapely.geometry.shape(it["geometry"]).buffer(0) for it in features}
    return [areas[it / 60] for it in LIMITS]


def streets(source: str, folder: str, count: int) -> None:
    path = tempfile.mkdtemp() + "/map.mcd"
    macadam.import_osm(source, path)
    engine = macadam.open(path, device="cpu", threads=1)
    points = np.stack([engine.snap(engine.ids).lon, engine.snap(engine.ids).lat], axis=1)
    points = points[np.random.default_rng(2).choice(len(points), count, replace=False)]
    with open(f"{folder}/valhalla/config.json") as file:
        config = json.load(file)
    for limits in config["service_limits"].values():
        if isinstance(limits, dict):
            limits.update({it: 10_000_000 for it in limits if it.startswith("max_matrix")})
    peers = {
        "OSRM": (of_osrm, osrm.OSRM(storage_config=f"{folder}/osrm/map.osrm", algorithm="MLD", use_shared_memory=False, max_locations_distance_table=-1)),
        "Valhalla": (of_valhalla, valhalla.Actor(config)),
    }  # fmt: skip
    ours, matrix = best_of(lambda: engine.matrix(points).seconds())
    print(f"\nStreets: {len(engine.ids)} junctions, cars.\n")
    row("engine", f"matrix {count} x {count}", f"areas within {LIMITS[0]} and {LIMITS[1]} s of 20 places", "agreement")
    row(*["---"] * 4)
    area, answers = best_of(lambda: [engine.isochrone(it, LIMITS).shapely[0] for it in points[:20].tolist()])
    row("Macadam", milliseconds(ours), milliseconds(area), "")
    for name, (call, peer) in peers.items():
        seconds, other = best_of(lambda: call(peer, points), 2)
        both = np.isfinite(matrix) & np.isfinite(other) & (other > 60)
        ratio = (matrix[both] / other[both]).tolist()
        median = statistics.median(ratio)
        near = np.mean(np.abs(np.array(ratio) / median - 1) < 0.2)
        assert both.mean() > 0.9 and 0.8 < median < 1.2 and near > 0.8, (name, both.mean(), median, near)
        told, areas = (
            f"durations {median:.3f} of its on the median; {100 * near:.0f} % of the ratios within 20 % of that",
            "",
        )
        if name == "Valhalla":
            taken, found = best_of(lambda: [valhalla_areas(peer, it) for it in points[:20].tolist()])
            pairs = [(a, b) for mine, its in zip(answers, found) for a, b in zip(mine, its)]
            shared = statistics.median(a.intersection(b).area / a.union(b).area for a, b in pairs)
            assert shared > 0.6, shared
            told, areas = f"{told}; areas share {100 * shared:.0f} % of their union on the median", milliseconds(taken)
        row(name, milliseconds(seconds), areas or "it has none", told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("map")
    parser.add_argument("folder")
    parser.add_argument("--places", type=int, default=200)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    graphs(options.map, options.places)
    streets(options.map, options.folder, options.places)


if __name__ == "__main__":
    main()
