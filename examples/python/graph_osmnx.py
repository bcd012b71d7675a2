"""A graph of osmnx in, routes out, as lists of nodes for osmnx, equal to those of networkx.

Run: graph_osmnx.py MAP.osm      needs: osmnx
"""

import sys
import tempfile

import macadam
import networkx as nx
import numpy as np
import osmnx as ox

graph = ox.graph_from_xml(sys.argv[1], simplify=False)
path = tempfile.mkdtemp() + "/graph.mcd"
macadam.from_networkx(graph, path, weights={"distance": "length"}, scale=100)  # osmnx counts in metres
with macadam.open(path) as engine:
    nodes = list(graph.nodes)[:20]
    matrix = engine.matrix(nodes).metres()
    lengths = [[nx.shortest_path_length(graph, a, b, weight="length") for b in nodes] for a in nodes]
    assert np.allclose(matrix, lengths, atol=0.5)  # weights are rounded to centimetres
    route = engine.route([nodes[0], nodes[-1]])
    path_nodes = [int(route.arcs.tail[0]), *route.arcs["head"].tolist()]
    assert abs(nx.path_weight(graph, path_nodes, "length") - matrix[0, -1]) < 0.5
    print(f"{len(path_nodes)} nodes, {matrix[0, -1]:.1f} m; ox.plot_graph_route(graph, nodes) draws them")
