"""A graph of networkx in, as osmnx makes them; routes out, equal to those of networkx.

Run: graph_networkx.py      needs: networkx
"""

import tempfile

import macadam
import networkx as nx

graph = nx.MultiDiGraph(nx.grid_2d_graph(20, 20))
graph = nx.convert_node_labels_to_integers(graph, first_label=1000, label_attribute="cell")
for node, data in graph.nodes(data=True):
    data["x"], data["y"] = 9.0 + data["cell"][0] / 1000, 45.0 + data["cell"][1] / 1000
for tail, head, data in graph.edges(data=True):
    data["length"] = 50.25 + (7 * tail + 3 * head) % 40  # metres, as osmnx has them
path = tempfile.mkdtemp() + "/graph.mcd"
macadam.from_networkx(graph, path, weights={"distance": "length"}, scale=100)
with macadam.open(path) as engine:
    matrix = engine.matrix([1000, 1210, 1399]).metres()
    assert matrix[0, 2] == nx.shortest_path_length(graph, 1000, 1399, weight="length")
    route = engine.route([1000, 1399])
    nodes = [route.arcs.tail[0], *route.arcs.head]
    assert nx.path_weight(graph, nodes, "length") == matrix[0, 2]
    print(f"{len(nodes)} nodes, {matrix[0, 2]} m")
