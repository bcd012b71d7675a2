"""Delivery tours with VROOM: vehicles with a capacity visit stops; the tours are drawn as PNG and as GeoJSON.

Run: tour_vroom.py MAP.osm OUT.geojson OUT.png [STOPS [VEHICLES]]      needs: pyvroom, matplotlib
"""

import json
import sys
import tempfile

import macadam
import matplotlib
import numpy as np
import vroom

matplotlib.use("Agg")
import matplotlib.pyplot as plt

stop_count = int(sys.argv[4]) if len(sys.argv) > 4 else 8
vehicle_count = int(sys.argv[5]) if len(sys.argv) > 5 else 2
path = tempfile.mkdtemp() + "/map.mcd"
macadam.import_osm(sys.argv[1], path)
with macadam.open(path) as engine:
    first = int(engine.ids[0])
    from_it, to_it = engine.tree(first).duration, engine.tree(first, reverse=True).duration
    both_ways = (from_it != macadam.UNREACHED) & (to_it != macadam.UNREACHED)
    stops = np.random.default_rng(1).choice(engine.ids[both_ways], stop_count, replace=False)
    durations = engine.matrix(stops, strict=True).duration

    problem = vroom.Input()
    problem.set_durations_matrix("car", durations.astype(np.uint32) // 1000)  # VROOM counts in seconds
    capacity = -(-(stop_count - 1) // vehicle_count)
    for number in range(vehicle_count):
        problem.add_vehicle(vroom.Vehicle(number, start=0, end=0, capacity=[capacity], profile="car"))
    for stop in range(1, stop_count):
        problem.add_job(vroom.Job(stop, location=stop, delivery=[1]))
    solution = problem.solve(exploration_level=1, nb_threads=2)

    figure, axes = plt.subplots(figsize=(8, 8))
    features, visited = [], []
    for number, steps in solution.routes.groupby("vehicle_id"):
        order = [int(it) for it in steps["location_index"]]
        visited += order[1:-1]
        route = engine.route(stops[order].tolist(), quantities=("duration", "distance"))
        assert route.duration == sum(int(durations[a, b]) for a, b in zip(order, order[1:]))
        axes.plot(*route.coordinates.T, label=f"vehicle {number}: {route.duration / 60_000:.1f} min")
        features.append(route.geojson())
        print(f"vehicle {number}: stops {order}, {route.duration / 1000:.0f} s, {route.distance / 100:.0f} m")
    assert sorted(visited) == list(range(1, stop_count))
    with open(sys.argv[2], "w") as file:
        json.dump({"type": "FeatureCollection", "features": features}, file)
    axes.legend()
    axes.set_aspect(1.5)
    figure.savefig(sys.argv[3], dpi=80)
