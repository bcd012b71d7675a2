#!/bin/sh
# python_examples.sh BUILD [MAP.osm.pbf] - runs the examples of the Python package and those of its tests that need large
# packages, which come from PyPI into BUILD/python. Not a part of ./check: the packages are some hundred megabytes.
set -eu
build=$(cd "$1" && pwd)
map=${2:-}
cd "$(dirname "$0")/.."
if [ -z "$map" ]; then map=examples/town.osm; fi
MACADAM_PYTHON=ON tests/python/run "$build"
python=$build/python/bin/python
"$python" -m pip install --quiet --disable-pip-version-check \
    distributed duckdb geopandas matplotlib networkx ortools osmnx polars pyarrow pyvroom scipy sphinx zarr
(cd tests/python && "$python" -m pytest --quiet -p no:cacheprovider test_tables.py test_tiles.py)
work=$(mktemp -d)
"$python" examples/python/tour.py "$map"
"$python" examples/python/traffic.py "$map"
"$python" examples/python/table_duckdb.py "$map"
"$python" examples/python/accessibility.py "$map" "$work/reach.png"
"$python" examples/python/graph_networkx.py
"$python" examples/python/graph_osmnx.py examples/town.osm
"$python" examples/python/isochrones_geopandas.py "$map" "$work/areas.geojson" "$work/areas.png"
"$python" examples/python/tour_vroom.py "$map" "$work/tours.geojson" "$work/tours.png"
PATH=$build/python/bin:$PATH bindings/python/docs/build "$work/pages"
rm -r "$work"
