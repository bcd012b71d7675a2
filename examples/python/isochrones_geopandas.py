"""Isochrones as polygons of GeoPandas: their sizes, where two overlap, a file for every GIS, and a picture.

Run: isochrones_geopandas.py MAP.osm OUT.geojson OUT.png      needs: geopandas, matplotlib
"""

import sys
import tempfile

import macadam
import matplotlib
import numpy as np

matplotlib.use("Agg")

path = tempfile.mkdtemp() + "/map.mcd"
macadam.import_osm(sys.argv[1], path)
with macadam.open(path) as engine:
    centres = engine.ids[[0, len(engine.ids) // 2]]
    areas = engine.isochrone(centres, [10, 20, 40], disjoint=True)
    frame = areas.to_geopandas()
    metric = frame.to_crs(frame.estimate_utm_crs())
    assert np.allclose(metric.area, frame.area_m2, rtol=0.01), "areas are those of the projection"
    within = engine.isochrone(centres, 40).shapely[:, 0]
    shared = within[0].intersection(within[1]).area / within[0].area
    frame.to_file(sys.argv[2])
    axes = frame.plot(column="limit", cmap="viridis_r", alpha=0.7, legend=True, figsize=(8, 8))
    engine.roads().to_geopandas().plot(ax=axes, color="black", linewidth=0.6)
    axes.figure.savefig(sys.argv[3], dpi=80)
    print(f"{len(frame)} areas; {100 * shared:.0f} % of the first place's 40 seconds are also the second's")
