"""Roads with their shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._table import Table

if TYPE_CHECKING:
    import geopandas
    from numpy.typing import NDArray
    from shapely import LineString, MultiLineString

    from .tables import Snaps


def points_of(core: Any) -> NDArray[np.float64]:
    """The points of an answer: longitudes and latitudes, shape (n, 2)."""
    return np.stack([core.lon, core.lat], axis=1)


def distinct(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The points of a line without those that repeat the one before; if one is left, it is there twice."""
    kept = points[np.any(np.diff(points[:, :2], axis=0, prepend=np.nan) != 0, axis=1)]
    return kept if len(kept) != 1 else np.repeat(kept, 2, axis=0)


def pieces_of(points: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """A line as pieces that do not cross the 180th meridian: see RFC 7946, section 3.1.9."""
    lon, inner = points[:, 0].copy(), np.abs(points[:, 0]) != 180
    if inner.any() and not inner[0]:
        lon[0] = np.copysign(180, lon[inner.argmax()])  # the first point is on the side of the next one
    lon = np.unwrap(lon, period=360)
    points = distinct(np.column_stack([lon, points[:, 1:]]))
    if np.abs(lon).max(initial=0) <= 180:
        return [points]
    pieces, turn = [[points[0]]], np.zeros(points.shape[1])
    for before, after in zip(points, points[1:]):
        if abs(after[0] - turn[0]) > 180:
            edge = np.copysign(180, after[0] - turn[0])
            end = before + (after - before) * ((edge + turn[0] - before[0]) / (after[0] - before[0]))
            pieces[-1].append(end - turn)
            turn[0] += 2 * edge
            pieces.append([end - turn])
        pieces[-1].append(after - turn)
    return [distinct(np.array(it)) for it in pieces]


def shape_of(points: NDArray[np.float64]) -> LineString | MultiLineString:
    """The line as shapely has it, a MultiLineString if it crosses the 180th meridian."""
    import shapely

    pieces = pieces_of(points)
    return shapely.MultiLineString(pieces) if len(pieces) > 1 else shapely.LineString(pieces[0])


class Lines(Table):
    """Roads with their shapes, and with what the map says of them. ``lines.coordinates(i)`` are the points of row i.

    Attributes
    ----------
    points : ndarray of float64, shape (n, 2)
        The points of all roads: those of row i are ``points[first_point[i]:end_point[i]]``.
    source : Snaps or None
        Of Engine.reached: where the place was snapped.
    to : ndarray of float64, shape (rows,)
        Of Engine.reached: the share of each arc's length up to which it is reached.
    """

    points: NDArray[np.float64]
    source: Snaps | Any = None

    def __init__(self, rows: Any, points: NDArray[np.float64], quantities: Any = (), **more: Any) -> None:
        super().__init__(rows, quantities)
        self.__dict__.update(points=points, **more)

    def coordinates(self, row: int) -> NDArray[np.float64]:
        """Longitudes and latitudes of one road, shape (n, 2)."""
        return self.points[self["first_point"][row] : self["end_point"][row]]

    def to_geopandas(self) -> geopandas.GeoDataFrame:
        """A GeoDataFrame of LineStrings in WGS 84; those over the 180th meridian are MultiLineStrings."""
        import geopandas
        import shapely

        first, counts = self["first_point"], (self["end_point"] - self["first_point"]).astype(np.int64)
        rows = np.repeat(np.arange(len(self)), counts)
        index = np.repeat(first, counts) + np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        geometry = shapely.linestrings(self.points[index.astype(np.int64)], indices=rows)
        over = np.abs(np.diff(self.points[index.astype(np.int64), 0])) > 180
        for row in np.unique(rows[1:][over & (rows[1:] == rows[:-1])]):
            geometry[row] = shape_of(self.coordinates(row))
        return geopandas.GeoDataFrame(self.to_pandas(), geometry=geometry, crs=4326)
