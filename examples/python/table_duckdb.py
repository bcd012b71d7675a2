"""SQL over a matrix: DuckDB reads it by Arrow, without a copy. Cells without a path are NULL.

Run: table_duckdb.py MAP.osm      needs: duckdb
"""

import sys
import tempfile

import duckdb
import macadam

path = tempfile.mkdtemp() + "/map.mcd"
macadam.import_osm(sys.argv[1], path)
with macadam.open(path) as engine:
    matrix = engine.matrix(engine.ids[:100], quantities=("duration", "distance"))
    rows = duckdb.sql(
        """
        SELECT source, count(*) AS targets, round(avg(duration) / 1000, 1) AS seconds, max(distance) / 100 AS metres
        FROM matrix WHERE duration > 0 GROUP BY source ORDER BY seconds LIMIT 3
        """
    ).fetchall()
    for source, targets, seconds, metres in rows:
        print(f"node {engine.ids[source]}: {targets} targets, {seconds} s on average, the farthest at {metres} m")
    best = matrix.seconds()[rows[0][0]]
    assert abs(best[best > 0].mean() - rows[0][2]) < 0.1
