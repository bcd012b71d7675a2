"""The map's facts of roads, and which roads a query avoids."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ._arguments import array_of
from ._errors import InvalidError
from ._options import ALL
from .tables import RoadFlag


def _flags(avoid: Any) -> int:
    """From a RoadFlag, a name such as "toll", or several names."""
    if isinstance(avoid, bool):
        raise TypeError(f"{avoid!r} is neither a RoadFlag nor a name")
    if isinstance(avoid, int):
        return int(avoid)
    out = 0
    for name in [avoid] if isinstance(avoid, str) else avoid:
        if not isinstance(name, str) or name.upper() not in RoadFlag.__members__:
            raise ValueError(f"{name!r} is none of {', '.join(it.lower() for it in RoadFlag.__members__)}")
        out |= RoadFlag[name.upper()]
    return out


def _vehicle(vehicle: Any) -> dict[str, Any]:
    if unknown := [it for it in _mapping(vehicle) if it not in ALL["vehicle"].words]:
        raise InvalidError(f"vehicle: {unknown[0]!r} is none of {', '.join(ALL['vehicle'].words)}")
    return dict(vehicle)


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{value!r} is not a mapping")
    return value


def _areas(value: Any) -> list[dict[str, Any]]:
    """From an array of shape (n, 2), GeoJSON, shapely, GeoPandas, or a list of these."""
    value = getattr(value, "__geo_interface__", value)
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{value!r} is not a polygon")
    if isinstance(value, dict):
        kind = value.get("type")
        if kind in ("FeatureCollection", "Feature"):
            parts = value["features"] if kind == "FeatureCollection" else [value["geometry"]]
            return [area for it in parts for area in _areas(it)]
        if kind in ("Polygon", "MultiPolygon"):
            return [_area(it) for it in ([value["coordinates"]] if kind == "Polygon" else value["coordinates"])]
        raise ValueError(f"{kind!r} is not a polygon")
    if isinstance(value, np.ndarray) or (value and isinstance(value[0], (tuple, list)) and not np.ndim(value[0][0])):
        return [_area([value])]
    return [area for it in value for area in _areas(it)]


def _area(rings: Any) -> dict[str, Any]:
    arrays = [array_of(it, "avoid_areas").astype(np.float64) for it in rings]
    points = np.concatenate(arrays)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"rings of shape {points.shape}, not (n, 2)")
    sizes = np.array([len(it) for it in arrays], np.uint64)
    lon, lat = points.T.copy()
    return {"lon": lon, "lat": lat, "point_count": len(lon), "ring_size": sizes, "ring_count": len(sizes)}


# The members of these arguments in macadam_conditions.
CONDITIONS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "avoid": lambda value: {"avoid": _flags(value)},
    "avoid_areas": lambda value: {"area": _areas(value)},
    "road_costs": lambda value: {"factor": [{"road_class": name, "factor": float(it)} for name, it in _mapping(value).items()]},
    "vehicle": _vehicle,
}
