"""Times of departure and arrival."""

from __future__ import annotations

import datetime
import operator
from typing import Any

import numpy as np

from . import _core
from ._arguments import flag, integers, naming
from ._options import ALL

WEEK = 7 * 24 * 60 * 60 * 1000  # ms
THURSDAY = 3 * 24 * 60 * 60 * 1000  # 1970-01-01


def _of_dates(value: Any) -> Any:
    if np.isnat(value).any():
        raise ValueError("a time is missing (NaT)")
    return (value.astype("M8[ms]").astype(np.int64) + THURSDAY) % WEEK


def _instant(value: Any, utc_offset: Any) -> int:
    if isinstance(value, datetime.datetime):
        # without an offset, its zone has to be the map's
        value = (value if utc_offset else value.replace(tzinfo=None)).isoformat()
    if isinstance(value, str):
        return int(_core.instant(value, utc_offset))
    instant = operator.index(_of_dates(value) if isinstance(value, np.datetime64) else value)
    if not 0 <= instant < 2 * WEEK:  # the second week is of holidays
        raise ValueError(f"{instant} is not in 0..{WEEK - 1}, the milliseconds since Monday 00:00")
    return instant


def _instants(value: Any, utc_offset: Any) -> Any:
    """Milliseconds since Monday 00:00: an array without axes for one time, of one axis for several."""
    if np.ndim(value) > 1:
        raise ValueError(f"times of shape {np.shape(value)}, not one or a list")
    if isinstance(value, np.ndarray):
        value = (_of_dates(value) if value.dtype.kind == "M" else integers(value, "times", np.int64)).tolist()
    one = np.ndim(value) == 0
    return np.array(_instant(value, utc_offset) if one else [_instant(it, utc_offset) for it in value], np.uint32)


def clock_of(depart: Any, arrive_by: Any, utc_offset: Any, each: Any) -> tuple[dict[str, Any] | None, dict[str, tuple[int, ...]]]:
    """The members of macadam_clock, and the axes that its times add to an answer."""
    if utc_offset is not None:
        _core.instant("Mo00:00", ALL["utc_offset"].value(utc_offset))
    members: dict[str, Any] = {"each": flag(each, "time_each")}
    axes: dict[str, tuple[int, ...]] = {"depart": (), "arrive_by": ()}
    for name, count, value in (("depart", "depart_count", depart), ("arrive_by", "arrive_count", arrive_by)):
        if value is None:
            continue
        with naming(name):
            instants = _instants(value, utc_offset)
        members |= {name: np.atleast_1d(instants), count: instants.size}
        if not members["each"]:
            axes[name] = instants.shape
    return (members if members["each"] or utc_offset is not None or len(members) > 1 else None), axes
