"""Delivery tours with OR-tools: vehicles share the stops, and all together drive as little as possible.

Run: tour.py MAP.osm OUT.png OUT.html [STOPS [VEHICLES]]      needs: ortools, matplotlib, folium
"""

import sys
import tempfile

import macadam
import numpy as np
from drawing import draw
from numpy.typing import NDArray
from ortools.constraint_solver import pywrapcp, routing_enums_pb2

source = sys.argv[1]
stop_count = int(sys.argv[4]) if len(sys.argv) > 4 else 8
vehicle_count = int(sys.argv[5]) if len(sys.argv) > 5 else 2
path = tempfile.mkdtemp() + "/map.mcd"
macadam.import_osm(source, path)
with macadam.open(path) as engine:
    def both_ways(node: int) -> NDArray[np.bool_]:
        """Which nodes reach a node and are reached from it: between them every cell has a path."""
        return (engine.tree(node).duration < macadam.UNREACHED) & (
            engine.tree(node, reverse=True).duration < macadam.UNREACHED
        )

    sample = engine.ids[:: len(engine.ids) // 20].tolist()
    connected = max(map(both_ways, sample), key=np.count_nonzero)
    rng = np.random.default_rng(1)
    stops = rng.choice(engine.ids[connected], stop_count, replace=False)
    matrix = engine.matrix(stops, strict=True).duration.tolist()

    manager = pywrapcp.RoutingIndexManager(stop_count, vehicle_count, 0)
    routing = pywrapcp.RoutingModel(manager)
    transit = routing.RegisterTransitMatrix(matrix)  # OR-tools reads it itself: a callback of Python is slower
    routing.SetArcCostEvaluatorOfAllVehicles(transit)
    share = -(-(stop_count - 1) // vehicle_count)
    stop = routing.RegisterUnaryTransitVector([0] + [1] * (stop_count - 1))
    routing.AddDimensionWithVehicleCapacity(stop, 0, [share] * vehicle_count, True, "stops")
    parameters = pywrapcp.DefaultRoutingSearchParameters()
    parameters.first_solution_strategy = routing_enums_pb2.FirstSolutionStrategy.PARALLEL_CHEAPEST_INSERTION
    parameters.local_search_metaheuristic = routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    parameters.time_limit.FromSeconds(20 if stop_count > 100 else 1)
    solution = routing.SolveWithParameters(parameters)

    visited, routes = [], {}
    for vehicle in range(vehicle_count):
        tour, index = [], routing.Start(vehicle)
        while not routing.IsEnd(index):
            tour.append(manager.IndexToNode(index))
            index = solution.Value(routing.NextVar(index))
        visited += tour[1:]
        if len(tour) > 1:
            route = engine.route(stops[[*tour, 0]].tolist(), via_turn="any")  # as the matrix has it
            assert route.duration == sum(matrix[a][b] for a, b in zip([*tour], [*tour[1:], 0]))
            routes[f"vehicle {vehicle}: {len(tour) - 1} stops, {route.duration / 60_000:.1f} min"] = route
    assert sorted(visited) == list(range(1, stop_count))
    print(*routes, sep="\n")
    draw(routes, sys.argv[2], sys.argv[3])
