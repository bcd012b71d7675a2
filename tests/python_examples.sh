#!/bin/sh
# python_examples.sh BUILD [MAP.osm.pbf] - runs the examples of the Python package and those of its tests that need large
# packages, which come from PyPI into BUILD/python. Not a part of ./check --all: the packages are some hundred megabytes.
set -eu
build=$(cd "$1" && pwd)
if [ $# -gt 1 ]; then
    MACADAM_MAP=$(realpath "$2")
    export MACADAM_MAP
fi
cd "$(dirname "$0")/.."
MACADAM_PYTHON=ON tests/python/run "$build" ALL
python=$build/python/bin/python
"$python" -m pip install --quiet --disable-pip-version-check \
    distributed duckdb folium geopandas matplotlib networkx ortools osmnx polars pyarrow pyvroom scipy zarr
cd tests/python
exec "$python" -m pytest --quiet -p no:cacheprovider test_examples.py test_tables.py test_tiles.py
