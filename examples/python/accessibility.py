"""How many junctions every junction reaches within some minutes, drawn as a map.

Run: accessibility.py MAP.osm OUT.png [MINUTES]      needs: matplotlib
"""

import sys
import tempfile

import macadam
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

path = tempfile.mkdtemp() + "/map.mcd"
macadam.import_osm(sys.argv[1], path)
minutes = float(sys.argv[3]) if len(sys.argv) > 3 else 0.5
with macadam.open(path) as engine:
    reach = engine.reach(engine.ids, 60 * minutes)
    places = engine.snap(engine.ids)
    figure, axes = plt.subplots(figsize=(8, 8))
    drawn = axes.scatter(places.lon, places.lat, c=reach.nodes[:, 0], s=4)
    figure.colorbar(drawn, label=f"junctions within {minutes} minutes")
    axes.set_aspect(1.5)
    figure.savefig(sys.argv[2], dpi=80)
    print(f"from {reach.nodes.min()} to {reach.nodes.max()} of {len(engine.ids)} junctions within {minutes} minutes")
