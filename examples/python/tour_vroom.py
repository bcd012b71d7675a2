"""Delivery tours with VROOM: vehicles with a capacity visit stops; the tours are drawn as PNG and HTML.

Run: tour_vroom.py MAP.osm OUT.png OUT.html [STOPS [VEHICLES]]      needs: pyvroom, matplotlib, folium
"""

import sys
import tempfile

import macadam
import numpy as np
import vroom
from drawing import draw
from numpy.typing import NDArray

stop_count = int(sys.argv[4]) if len(sys.argv) > 4 else 8
vehicle_count = int(sys.argv[5]) if len(sys.argv) > 5 else 2
path = tempfile.mkdtemp() + "/map.mcd"
macadam.import_osm(sys.argv[1], path)
with macadam.open(path) as engine:
    def both_ways(node: int) -> NDArray[np.bool_]:
        """Which nodes reach a node and are reached from it: between them every cell has a path."""
        return (engine.tree(node).duration < macadam.UNREACHED) & (
            engine.tree(node, reverse=True).duration < macadam.UNREACHED
        )

    sample = engine.ids[:: len(engine.ids) // 20].tolist()
    connected = max(map(both_ways, sample), key=np.count_nonzero)
    stops = np.random.default_rng(1).choice(engine.ids[connected], stop_count, replace=False)
    durations = engine.matrix(stops, strict=True).duration

    problem = vroom.Input()
    problem.set_durations_matrix("car", durations.astype(np.uint32) // 1000)  # VROOM counts in seconds
    capacity = -(-(stop_count - 1) // vehicle_count)
    for number in range(vehicle_count):
        problem.add_vehicle(vroom.Vehicle(number, start=0, end=0, capacity=[capacity], profile="car"))
    for stop in range(1, stop_count):
        problem.add_job(vroom.Job(stop, location=stop, delivery=[1]))
    solution = problem.solve(exploration_level=1, nb_threads=2)

    routes, visited = {}, []
    for number, steps in solution.routes.groupby("vehicle_id"):
        order = [int(it) for it in steps["location_index"]]
        visited += order[1:-1]
        route = engine.route(stops[order].tolist(), via_turn="any")  # as the matrix has it
        assert route.duration == sum(int(durations[a, b]) for a, b in zip(order, order[1:]))
        routes[f"vehicle {number}: {len(order) - 2} stops, {route.duration / 60_000:.1f} min"] = route
    assert sorted(visited) == list(range(1, stop_count))
    print(*routes, sep="\n")
    draw(routes, sys.argv[2], sys.argv[3])
