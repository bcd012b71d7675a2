"""Asks a server of the town all that routingpy's OSRM client can ask: routingpy_client.py PORT. Exit status 77: it is not
installed."""

import sys

try:
    from routingpy import OSRM
except ImportError:
    sys.exit(77)

client = OSRM(base_url=f"http://127.0.0.1:{sys.argv[1]}", retry_over_query_limit=False)
places = [[7.0001, 43.0], [7.004, 43.004], [7.008, 43.0075]]

route = client.directions(places, profile="driving", steps=True, annotations=True, geometries="geojson", overview="full")
assert route.duration > 0 and route.distance > 900, (route.duration, route.distance)
assert abs(route.geometry[0][0] - 7.0001) < 1e-6, route.geometry
assert len(route.raw["routes"][0]["legs"]) == 2

route = client.directions(places[:2], profile="driving", radiuses=[50, 50], bearings=[[90, 45], [0, 180]], overview="simplified")
assert route.duration > 0

matrix = client.matrix(places, profile="driving", sources=[0, 2], destinations=[1], annotations=["duration", "distance"])
assert len(matrix.durations) == 2 and len(matrix.distances[0]) == 1, matrix.raw
