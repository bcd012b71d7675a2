"""Places: everything that names a node or a point becomes rows of one array, as the library has them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arguments import array_of, choice, naming, path_of
from ._errors import InvalidError
from ._table import dtype_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLACE = dtype_of("macadam_place")
_NAMES = {
    "lon": ("lon", "lng", "long", "longitude", "x"), "lat": ("lat", "latitude", "y"), "id": ("node", "id"),
    "heading": ("heading",), "tolerance": ("heading_tolerance",), "side": ("side",), "radius": ("radius",),
}  # fmt: skip
_INTEGERS, _FLOATS = (int, np.integer), (float, np.floating)
_SIDES = ("any", "curb", "opposite")


def places(
    value: Any, name: str = "places", *, heading: Any = None, tolerance: Any = 45.0, side: Any = None,
    radius: Any = None,
) -> NDArray[np.void]:  # fmt: skip
    """Converts places once, for use in many calls.

    Parameters
    ----------
    value : places
        Node ids, which are integers: one, a list, or an array of shape (n,). Or longitudes and latitudes in degrees:
        an array of floats of shape (n, 2), a list of tuples, shapely points, a GeoSeries, which is transformed to
        WGS 84, or one tuple with a float. A list may mix ids and tuples. A table (dict, DataFrame, Arrow) has the
        columns ``lon`` and ``lat``, or else ``id``; and perhaps ``heading``, ``heading_tolerance``, ``side`` and
        ``radius``. The type and the names decide, not the shape: floats are never ids, and an array of integers has
        no points. Masked and missing values and columns of objects are refused.
    heading : float or array, optional
        The direction of travel, in degrees clockwise from north.
    tolerance : float or array
        By how many degrees the direction of the road may differ from it.
    side : {"any", "curb", "opposite"} or array of them, optional
        "curb": the traveller arrives and departs on the side of the road where the point lies. "opposite": across it.
    radius : float or array, optional
        How far the point may be from a road, in metres, instead of the query's `snap_radius`.

    Returns
    -------
    ndarray
        A structured array, one row for each place. It can be sliced and concatenated.
    """
    out = _convert(value, name)
    if heading is None and side is None and radius is None:
        return out
    out = out.copy()
    if heading is not None:
        with naming(f"{name}: heading"):
            out["heading"] = array_of(heading, f"{name}: heading")
            out["heading_tolerance"] = array_of(tolerance, f"{name}: heading")
    if side is not None:
        with naming(f"{name}: side"):
            sides = np.broadcast_to(array_of(side, f"{name}: side", "UO"), len(out)).tolist()
            out["side"] = [choice(it, _SIDES, f"{name}: side") for it in sides]
    if radius is not None:
        with naming(f"{name}: radius"):
            out["radius_m"] = array_of(radius, f"{name}: radius")
    return out


def _convert(value: Any, name: str) -> Any:
    if isinstance(value, np.ndarray):
        return _from_array(array_of(value, name, "iufOV"), name)
    if isinstance(value, list):
        return _from_list(value, name)
    if isinstance(value, (str, bytes, bool, np.bool_)) or value is None:
        raise TypeError(f"{name}: {value!r} is not a place")
    if isinstance(value, (int, np.integer)):
        return _from_list([int(value)], name)
    if isinstance(value, tuple):
        if len(value) == 2 and all(isinstance(it, _INTEGERS) and not isinstance(it, bool) for it in value):
            raise InvalidError(f"{name}: {value!r} is ambiguous; two ids are a list, a point is a tuple with a float")
        return _from_list([value] if is_single(value) else list(value), name)
    if hasattr(value, "crs") and hasattr(value, "geometry"):
        return _from_geo(value.geometry)
    if hasattr(value, "geom_type"):
        if value.geom_type != "Point" or value.is_empty:
            raise InvalidError(f"{name}: a {value.geom_type}, not a point")
        return _from_points([value.x], [value.y], name)
    if column_names(value) is not None:
        return table_places(value, name)
    if not any(hasattr(value, it) for it in ("__array__", "__array_interface__", "__dlpack__", "__len__")):
        if hasattr(value, "__arrow_c_array__") or hasattr(value, "__arrow_c_stream__"):
            return _convert(_arrow(value), name)
        if not hasattr(value, "__iter__"):
            raise TypeError(f"{name}: {type(value).__name__} is not a place")
        return _convert(list(value), name)
    return _from_array(array_of(value, name, "iufOV"), name)


def read_points(path: Any, **options: Any) -> Any:
    """A frame of the points in a file, which every argument for places takes. Its column ``id``, if it has one, or its index names
    the places in answers.

    CSV, perhaps compressed, is read by pandas: with the columns ``lon`` and ``lat``, or ``node``. The ids keep their text, unless all
    are whole numbers, or `dtype` names their type. Parquet is read by pandas, GeoParquet, GeoJSON, GeoPackage and all that GDAL reads by geopandas. They take
    the options.
    """
    import pandas

    name = path_of(path, "path")
    if re.search(r"\.csv(\.\w+)?$", name):
        frame = pandas.read_csv(name, **options)
        types = options.get("dtype")
        if "id" in frame and "id" not in options.get("converters", ()) and (types is None or (isinstance(types, dict) and "id" not in types)):
            ids = pandas.read_csv(name, **{**options, "dtype": str, "na_filter": False})["id"]  # "NA" is a text, too
            frame["id"] = (ids.astype("int64") if ids.str.fullmatch(r"0|-?[1-9]\d{0,17}").all() else ids).array
        return frame
    if name.endswith(".parquet"):
        import pyarrow.parquet

        if b"geo" not in (pyarrow.parquet.read_schema(name).metadata or {}):
            return pandas.read_parquet(name, **options)
    import geopandas

    return (geopandas.read_parquet if name.endswith(".parquet") else geopandas.read_file)(name, **options)


def names_in(value: Any) -> Any:
    """The names of a frame's rows: its column id, or else node, or else its index. None: `value` is not a frame."""
    names = column_names(value) or ()
    key = next((it for it in ("id", "node") if it in names), None)
    return _with_nulls(value[key]) if key else value.index if hasattr(value, "iloc") else None


def _with_nulls(column: Any) -> Any:
    """A column as an array, in which integers stay integers if some are missing."""
    nulls = getattr(column, "null_count", 0)
    if nulls() if callable(nulls) else nulls:
        return np.array(column.to_pylist() if hasattr(column, "to_pylist") else column.to_list(), object)
    if hasattr(getattr(column, "dtype", None), "numpy_dtype") and column.isna().any():
        return column.to_numpy(object)
    return np.atleast_1d(column)


def is_single(value: Any) -> bool:
    """Whether the value is one place instead of a sequence of places."""
    point = isinstance(value, tuple) and len(value) == 2 and any(isinstance(it, _FLOATS) for it in value)
    return point or isinstance(value, _INTEGERS) or hasattr(value, "geom_type")


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


def _from_points(lon: Any, lat: Any, name: str) -> Any:
    if len(lon) != len(lat):
        raise InvalidError(f"{name}: lon and lat differ in length")
    out = np.zeros(len(lon), PLACE)
    out["kind"], out["lon"], out["lat"] = 1, lon, lat
    return out


def _from_array(array: Any, name: str) -> Any:
    kind = array.dtype.kind
    if array.dtype.names == PLACE.names and array.ndim == 1:
        return np.ascontiguousarray(array, PLACE)
    if array.dtype.names:
        return table_places(array, name)
    if array.ndim <= 2 and array.size == 0:
        return np.zeros(0, PLACE)
    if kind == "O" and array.ndim == 1 and all(hasattr(it, "geom_type") for it in array):
        return _from_list(list(array), name)
    if array.ndim == 2 and array.shape[1] == 2 and kind == "f":
        return _from_points(array[:, 0], array[:, 1], name)
    if array.ndim == 1 and kind in "iu":
        if kind == "u" and array.max() > np.iinfo(np.int64).max:
            raise InvalidError(f"{name}: the id {array.max()} does not fit into 64 bits with a sign")
        out = np.zeros(len(array), PLACE)
        out["id"] = array
        return out
    missing = int(np.count_nonzero(np.isnan(array))) if kind == "f" else 0
    raise InvalidError(
        f"{name}: an array of shape {array.shape} and type {array.dtype}; ids are integers of shape (n,), "
        "points are longitudes and latitudes, floats of shape (n, 2); one point is a tuple (lon, lat)"
        + (f"; {missing} values are missing (nan): leave them out" if missing else "")
    )


def _from_list(items: list[Any], name: str) -> Any:
    """Ids and tuples of numbers are converted directly, other lists by NumPy, and the rest item by item."""
    out = np.zeros(len(items), PLACE)
    if _core.fill_places(out, items):
        return out
    kinds = set(map(type, items))
    integers = all(issubclass(it, _INTEGERS) and it is not bool for it in kinds)
    if integers or all(issubclass(it, (tuple, list)) for it in kinds):
        try:
            array = np.array(items, np.int64 if integers else None)
            if array.dtype.kind in "if" and array.shape[1:] == (2,):
                return _from_points(array[:, 0], array[:, 1], name)
            if integers:
                return _from_array(array, name)
        except (ValueError, OverflowError):
            pass  # the item that is wrong is named below
    found = []
    for index, item in enumerate(items):
        where = f"{name}[{index}]"
        if isinstance(item, (float, tuple, list)) and (len(items) == 1 or isinstance(item, float) or len(item) != 2):
            hint = "; ids are integers, a point is a tuple (lon, lat)" if isinstance(item, float) else ""
            raise TypeError(f"{where}: {item!r} is not a place{hint}")
        if isinstance(item, int) and not -(2**63) <= item < 2**63:
            raise InvalidError(f"{where}: the id {item} does not fit into 64 bits with a sign")
        found.append(_from_list([item], where) if isinstance(item, (tuple, list)) else _convert(item, where))
        if len(found[-1]) != 1:
            raise InvalidError(f"{where}: {item!r} is not one place")
    return np.concatenate(found)


def _from_geo(series: Any) -> Any:
    if series.crs is not None and series.crs.to_epsg() != 4326:
        series = series.to_crs(4326)
    return _from_points(series.x.to_numpy(np.float64), series.y.to_numpy(np.float64), "places")


def column_names(value: Any) -> list[str] | None:
    if isinstance(value, dict):
        return list(value)
    names = value.dtype.names if isinstance(value, np.ndarray) else getattr(value, "column_names", None)
    if names is None:
        names = getattr(value, "columns", None)
    return None if names is None or callable(names) else [str(name) for name in names]


def table_places(table: Any, name: str, end: str = "") -> Any:
    """The places of a table; those of one `end` of pairs, whose columns begin with its name, and that is the one of ids."""
    names = column_names(table) or []
    choices = {what: [end + "_" + it for it in its] for what, its in _NAMES.items()} | {"id": [end]} if end else _NAMES
    found = {what: next((it for it in its if it in names), None) for what, its in choices.items()}

    def column(what: str, kinds: str = "iuf") -> Any:
        where = f"{name}[{found[what]!r}]"
        array = np.atleast_1d(array_of(table[found[what]], where, kinds))
        if array.ndim != 1:
            raise InvalidError(f"{where}: a column of shape {array.shape}, not of one number a row")
        missing = int(np.count_nonzero(np.isnan(array))) if array.dtype.kind == "f" and what != "id" else 0
        if missing:
            raise InvalidError(f"{where}: {missing} of {len(array)} values are missing (nan); leave them out, or fill them")
        return array

    if found["lon"] and found["lat"]:
        out = _from_points(column("lon"), column("lat"), name)
    elif found["id"]:
        out = _from_array(column("id"), f"{name}[{found['id']!r}]")
    else:
        wanted = f"{end}_lon and {end}_lat nor {end}" if end else "lon and lat nor id"
        raise InvalidError(f"{name}: a table with the columns {names}, but neither {wanted}")
    more = {it: column(it) for it in ("heading", "tolerance", "radius") if found[it]}
    return places(out, name, side=column("side", "UO") if found["side"] else None, **more)
