"""Places: everything that names a node or a point becomes one array for the library."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._errors import InvalidError

Places = _core.Places
_LON = ("lon", "lng", "long", "longitude", "x")
_LAT = ("lat", "latitude", "y")
_ID = ("node", "id")
_SIDES = ("any", "curb", "opposite")


def places(
    value: Any,
    name: str = "places",
    *,
    heading: Any = None,
    tolerance: Any = 45.0,
    side: Any = None,
    radius: Any = None,
) -> Places:
    """Converts places once, for use in many calls.

    Parameters
    ----------
    value : places
        Node ids (a 1-D array of integers), or longitudes and latitudes in degrees (an array of shape (n, 2), a list
        of tuples, shapely points, a GeoSeries, which is transformed to WGS 84). A list may mix ids and tuples. A
        table (dict, DataFrame, Arrow) has the columns ``lon`` and ``lat``, or ``id``; and perhaps ``heading``,
        ``heading_tolerance``, ``side`` and ``radius``.
    heading : float or array, optional
        The direction of travel, in degrees clockwise from north.
    tolerance : float or array
        By how many degrees the direction of the road may differ from it.
    side : {"any", "curb", "opposite"} or array of them, optional
        "curb": the traveller arrives and departs on the side of the road where the point lies. "opposite": across it.
    radius : float or array, optional
        How far the point may be from a road, in metres, instead of the query's `snap_radius`.
    """
    out = _convert(value, name)
    try:
        if heading is not None:
            out.set_headings(_broadcast(heading, out, np.float64), _broadcast(tolerance, out, np.float64))
        if side is not None:
            sides = np.broadcast_to(np.asarray(side, str), len(out)).tolist()
            if unknown := set(sides) - set(_SIDES):
                raise ValueError(f"a side is {min(unknown)!r}, not any, curb or opposite")
            out.set_side(np.array([_SIDES.index(it) for it in sides], np.int32))
        if radius is not None:
            out.set_radius(_broadcast(radius, out, np.float64))
    except ValueError as error:
        raise InvalidError(f"{name}: {error}") from None
    return out


def areas_of(value: Any, name: str = "avoid_areas") -> list[list[Any]]:
    """Polygons as lists of rings: from an array of shape (n, 2), GeoJSON, shapely, GeoPandas, or a list of these."""
    value = getattr(value, "__geo_interface__", value)
    if isinstance(value, dict):
        parts = {
            "FeatureCollection": lambda: [area for it in value["features"] for area in areas_of(it, name)],
            "Feature": lambda: areas_of(value["geometry"], name),
            "Polygon": lambda: [[_ring(it, name) for it in value["coordinates"]]],
            "MultiPolygon": lambda: [[_ring(ring, name) for ring in it] for it in value["coordinates"]],
        }
        if value.get("type") not in parts:
            raise InvalidError(f"{name}: {value.get('type')!r} is no polygon")
        return parts[value["type"]]()
    if isinstance(value, np.ndarray) or (value and isinstance(value[0], (tuple, list)) and not np.ndim(value[0][0])):
        return [[_ring(value, name)]]
    return [area for it in value for area in areas_of(it, name)]


def _ring(value: Any, name: str) -> Any:
    try:
        ring = np.ascontiguousarray(value, np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidError(f"{name}: {error}") from None
    if ring.ndim != 2 or ring.shape[1] != 2:
        raise InvalidError(f"{name}: a ring of shape {ring.shape}, not (n, 2)")
    return ring


def _broadcast(value: Any, to: Places, dtype: Any) -> Any:
    return np.broadcast_to(np.asarray(value, dtype), len(to))


def _convert(value: Any, name: str) -> Places:
    if isinstance(value, _core.Places):
        return value
    if type(value) is list:
        fast = _core.Places.from_list(value)
        if fast is not None:
            return fast
        return _from_items(value, name)
    if isinstance(value, (str, bytes, bool)) or value is None:
        raise TypeError(f"{name}: {value!r} is no place")
    if isinstance(value, (int, np.integer)):
        return _from_array(np.asarray([value]), name)
    if isinstance(value, tuple):
        single = len(value) == 2 and any(isinstance(v, (float, np.floating)) for v in value)
        return _from_items([value], name) if single else _convert(list(value), name)
    if hasattr(value, "crs") and hasattr(value, "geometry"):
        return _from_geo(value.geometry)
    if hasattr(value, "geom_type"):
        return _from_shapely([value], name)
    if _column_names(value) is not None:
        return _from_table(value, name)
    if not any(hasattr(value, it) for it in ("__array__", "__array_interface__", "__dlpack__", "__len__")):
        if hasattr(value, "__arrow_c_array__") or hasattr(value, "__arrow_c_stream__"):
            return _convert(_arrow(value), name)
        if not hasattr(value, "__iter__"):
            raise TypeError(f"{name}: {type(value).__name__} is no place")
        return _convert(list(value), name)
    return _from_array(_array(value, name), name)


def _arrow(value: Any) -> Any:
    import pyarrow

    if hasattr(value, "__arrow_c_array__"):
        out = pyarrow.array(value)
    else:
        try:
            return pyarrow.table(value)
        except (TypeError, ValueError, pyarrow.ArrowInvalid):
            out = pyarrow.chunked_array(value)
    return out.to_numpy(zero_copy_only=False)


def _array(value: Any, name: str) -> Any:
    """An array in host memory, without a copy where possible."""
    try:
        if hasattr(value, "__cuda_array_interface__") or getattr(value, "is_cuda", False):
            value = value.get() if hasattr(value, "get") else value.cpu()
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
            return np.from_dlpack(value)
        return np.asarray(value)
    except (ValueError, TypeError, OverflowError, BufferError, RuntimeError) as error:
        raise InvalidError(f"{name}: not an array of places: {error}") from None


def _from_array(array: Any, name: str) -> Places:
    if array.dtype == object:
        return _from_items(list(array), name)
    if array.dtype.names:
        return _from_table(array, name)
    kind = array.dtype.kind
    if array.ndim == 2 and array.shape[1] == 2 and kind in "iuf":
        points = array.astype(np.float64, copy=False)
        return _core.Places.from_points(points[:, 0], points[:, 1])
    if array.ndim == 1 and array.shape[0] == 2 and kind == "f":
        return _from_array(array[None, :], name)
    if array.ndim <= 1 and array.size == 0:
        return _core.Places.from_list([])
    if array.ndim == 1 and kind in "iu":
        if kind == "u" and array.dtype.itemsize == 8 and array.max() > np.iinfo(np.int64).max:
            raise InvalidError(f"{name}: the id {array.max()} does not fit into 64 bits with a sign")
        return _core.Places.from_ids(array.astype(np.int64, copy=False))
    raise InvalidError(
        f"{name}: an array of shape {array.shape} and type {array.dtype}; ids are integers of shape (n,), "
        "points are longitudes and latitudes of shape (n, 2)"
    )


def _from_items(items: list[Any], name: str) -> Places:
    if items and all(hasattr(item, "geom_type") for item in items):
        return _from_shapely(items, name)
    if items and all(isinstance(item, (float, np.floating)) for item in items):
        return _from_array(np.asarray(items), name)
    out = _core.Places.from_list([])
    for index, item in enumerate(items):
        where = f"{name}[{index}]"
        if isinstance(item, (bool, np.bool_, float)) or (isinstance(item, (list, tuple)) and not _is_pair(item)):
            raise TypeError(f"{where}: {item!r} is no place")
        if isinstance(item, int) and not -(2**63) <= item < 2**63:
            raise InvalidError(f"{where}: the id {item} does not fit into 64 bits with a sign")
        one = _core.Places.from_list([(float(item[0]), float(item[1]))]) if _is_pair(item) else _convert(item, where)
        assert one is not None
        if len(one) != 1:
            raise InvalidError(f"{where}: {item!r} is not one place")
        out.append(one)
    return out


def _is_pair(item: Any) -> bool:
    """Whether these are two numbers that floats hold."""
    number = (int, float, np.integer, np.floating)
    pair = isinstance(item, (list, tuple)) and len(item) == 2 and not any(isinstance(v, bool) for v in item)
    return pair and all(isinstance(v, number) and not (isinstance(v, int) and abs(v) >= 2**63) for v in item)


def _from_shapely(points: list[Any], name: str) -> Places:
    for index, point in enumerate(points):
        if point.geom_type != "Point" or point.is_empty:
            raise InvalidError(f"{name}[{index}]: a {point.geom_type}, not a point")
    return _from_array(np.array([(p.x, p.y) for p in points], dtype=np.float64).reshape(-1, 2), name)


def _from_geo(series: Any) -> Places:
    if series.crs is not None and series.crs.to_epsg() != 4326:
        series = series.to_crs(4326)
    return _core.Places.from_points(series.x.to_numpy(np.float64), series.y.to_numpy(np.float64))


def _column_names(value: Any) -> list[str] | None:
    if isinstance(value, dict):
        return list(value)
    names = getattr(value, "column_names", None)
    if names is None:
        names = getattr(value, "columns", None)
    return None if names is None or callable(names) else [str(name) for name in names]


def _from_table(table: Any, name: str) -> Places:
    names = list(table.dtype.names) if isinstance(table, np.ndarray) else _column_names(table) or []

    def column(choices: tuple[str, ...], dtype: Any = None) -> Any:
        for choice in choices:
            if choice in names:
                values = _array(table[choice], f"{name}[{choice!r}]")
                return np.atleast_1d(values if dtype is None else values.astype(dtype))
        return None

    lon, lat, ids = column(_LON, np.float64), column(_LAT, np.float64), column(_ID)
    if lon is not None and lat is not None:
        out = _core.Places.from_points(lon, lat)
    elif ids is not None:
        out = _from_array(ids, name)
    else:
        raise InvalidError(f"{name}: a table with the columns {names}, but neither lon and lat nor id")
    heading, tolerance, side, radius = map(column, (("heading",), ("heading_tolerance",), ("side",), ("radius",)))
    tolerance = 45.0 if tolerance is None else tolerance
    return places(out, name, heading=heading, tolerance=tolerance, side=side, radius=radius)
