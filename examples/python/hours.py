"""The area that a depot delivers to in some minutes, and its tour, at each hour of a Monday. The speeds are invented.

Run: hours.py MAP.osm OUT.png [MINUTES [STOPS]]      needs: ortools, matplotlib
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import macadam
import matplotlib
import numpy as np
from numpy.typing import NDArray
from ortools.constraint_solver import pywrapcp

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HOURS = [f"Mo{hour:02}:00" for hour in range(24)]
minutes = float(sys.argv[3]) if len(sys.argv) > 3 else 1
stop_count = int(sys.argv[4]) if len(sys.argv) > 4 else 8
path, speeds = (f"{tempfile.mkdtemp()}/{name}" for name in ("map.mcd", "speeds.csv"))
macadam.import_osm(sys.argv[1], path)
command = Path(macadam.__file__).with_name("command") / "macadam"
invent = Path(__file__ if "__file__" in globals() else "../hours.py").resolve().parent.parent / "invented_speeds.py"
subprocess.run([sys.executable, invent, path, speeds, "--command", command], capture_output=True).check_returncode()


def order_of(costs: NDArray[np.uint32]) -> list[int]:
    """The order of a short tour from stop 0 back to it, found with OR-tools."""
    manager = pywrapcp.RoutingIndexManager(len(costs), 1, 0)
    routing = pywrapcp.RoutingModel(manager)
    routing.SetArcCostEvaluatorOfAllVehicles(routing.RegisterTransitMatrix(costs.tolist()))
    solution = routing.SolveWithParameters(pywrapcp.DefaultRoutingSearchParameters())
    order = [0]
    while len(order) < len(costs):
        order.append(manager.IndexToNode(solution.Value(routing.NextVar(manager.NodeToIndex(order[-1])))))
    return [*order, 0]


def walk(order: list[int], hour: int, costs: list[list[list[int]]]) -> float:
    """The minutes that a tour takes if it begins at this hour and each of its legs has the costs of its own hour."""
    clock = hour * 3_600_000
    for a, b in zip(order, order[1:]):
        clock += costs[a][clock // 3_600_000 % 24][b]
    return clock / 60_000 - 60 * hour


def improve(order: list[int], hour: int, costs: list[list[list[int]]]) -> list[int]:
    """Reverses pieces of a tour as long as it becomes faster by the clock."""
    ends = [(i, j) for i in range(1, len(order) - 1) for j in range(i + 1, len(order))]
    while True:
        others = [order[:i] + order[i:j][::-1] + order[j:] for i, j in ends]
        best = min(others, key=lambda other: walk(other, hour, costs))
        if walk(best, hour, costs) >= walk(order, hour, costs):
            return order
        order = best


with macadam.open(path) as engine:
    engine.update_speeds(speeds)  # as import_osm(..., speeds=) would
    places = engine.snap(engine.ids)
    off_centre = np.hypot(places.lon - np.median(places.lon), 1.5 * (places.lat - np.median(places.lat)))
    middle = int(np.argmin(off_centre))
    depot = engine.ids[middle]
    leave, back = engine.tree(depot).duration, engine.tree(depot, reverse=True).duration
    connected = (leave < macadam.UNREACHED) & (back < macadam.UNREACHED) & (engine.ids != depot)
    stops = np.append(depot, np.random.default_rng(1).choice(engine.ids[connected], stop_count, replace=False))

    # Clocks move along the way: an area for each hour, and (stops, 24, stops) costs.
    areas = engine.isochrone([depot] * 24, 60 * minutes, depart=HOURS, time_each=True)
    matrix = engine.matrix(stops, depart=HOURS, strict=True).duration
    costs, frozen, orders = matrix.tolist(), [order_of(matrix[:, hour]) for hour in range(24)], []
    for hour in range(24):
        found = [improve(it, hour, costs) for it in (frozen[3], frozen[hour])]
        orders.append(min(found, key=lambda it: walk(it, hour, costs)))

    def drive(order: list[int], hour: int) -> float:
        """The duration of a tour that begins at this hour, with the traffic of the time at which it is at each stop."""
        route = engine.route(stops[order].tolist(), depart=HOURS[hour], via_turn="any")
        assert route.legs["duration"][0] == matrix[order[0], hour, order[1]]
        return route.duration / 60_000

    planned = [drive(order, hour) for hour, order in enumerate(orders)]
    unplanned = [drive(order, hour) for hour, order in enumerate(frozen)]

reached = areas.area_m2[:, 0] / 1e6
assert reached.min() < reached[3], "the area is smaller in traffic"
figure, (area, day) = plt.subplots(1, 2, figsize=(12, 5), width_ratios=(5, 6))
for hour in range(24):  # the darker, the more hours
    for outer, *_ in areas.polygons(hour):
        area.fill(*outer.T, color="tab:blue", alpha=1 / 16, linewidth=0, rasterized=True)
area.scatter(places.lon[middle], places.lat[middle], color="tab:red")
area.set_title(f"{minutes:g} min away or less: the darker, the more hours of the day", fontsize="small")
area.set_aspect(1.5)
day.bar(range(24), reached, color="tab:gray", alpha=0.5)
day.set_ylabel(f"km² within {minutes:g} min")
day.set_xlabel("departure on Monday, hour")
tours = day.twinx()
tours.plot(unplanned, "--", color="tab:red", label="ordered by costs at the departure")
tours.plot(planned, color="tab:blue", label="ordered by costs at the hour of each leg")
tours.set_ylim(0)
tours.set_ylabel(f"minutes of a tour of {stop_count} stops")
tours.legend(loc="lower right")
figure.suptitle("Monday, with invented speeds", fontsize="small")
figure.tight_layout()
figure.savefig(sys.argv[2], dpi=80)
worst = int(np.argmin(reached))
print(f"{reached[3]:.1f} km² within {minutes:g} min at 03:00, {reached[worst]:.1f} at {worst:02}:00")
slow = int(np.argmax(unplanned))
print(f"the tour at {slow:02}:00: {unplanned[slow]:.1f} min by that hour, {planned[slow]:.1f} min by that of each leg")
print(f"different orders over the day: {len(set(map(tuple, orders)))}")
