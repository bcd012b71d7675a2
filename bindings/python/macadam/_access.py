"""Accessibility: the opportunities near each source, weighted by a decay."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np

from ._arguments import array_of, naming
from ._errors import InvalidError
from ._options import ReachOptions
from ._places import column_names
from ._session import Engine as Session, Unpack, question
from ._table import Table

Cost = Union[float, str, timedelta]
_UNITS = {  # in the units that files have
    "ms": ("ms", 1), "s": ("ms", 1e3), "min": ("ms", 6e4), "h": ("ms", 36e5), "cm": ("cm", 1), "m": ("cm", 100),
    "km": ("cm", 1e5), "mWh": ("mWh", 1), "Wh": ("mWh", 1e3), "kWh": ("mWh", 1e6),
}  # fmt: skip


class Decay(NamedTuple):
    """How the weight of an opportunity falls with its cost: see macadam_decay_kind in macadam.h.

    A cost is a text such as "30min" or "5km", a timedelta, or a number of seconds, metres or watt hours.
    """

    kind: int
    cutoff: Cost = 0
    width: Cost = 0
    costs: tuple[Cost, ...] = ()
    weights: tuple[float, ...] = ()

    @classmethod
    def step(cls, cutoff: Cost) -> Decay:
        """1 up to the cutoff, 0 beyond."""
        return cls(0, cutoff)

    @classmethod
    def linear(cls, cutoff: Cost, width: Cost) -> Decay:
        """Falls from 1 to 0 over a width around the cutoff."""
        return cls(1, cutoff, width)

    @classmethod
    def logistic(cls, cutoff: Cost, deviation: Cost) -> Decay:
        """A logistic curve around the cutoff, with this standard deviation."""
        return cls(2, cutoff, deviation)

    @classmethod
    def exponential(cls, half_life: Cost) -> Decay:
        """Halves with each half-life."""
        return cls(3, half_life)

    @classmethod
    def gaussian(cls, deviation: Cost) -> Decay:
        """The bell curve of this standard deviation, 1 at the cost 0."""
        return cls(4, 0, deviation)

    @classmethod
    def table(cls, costs: Iterable[Cost], weights: Iterable[float]) -> Decay:
        """Straight lines between costs with their weights; 0 beyond the last."""
        return cls(5, 0, 0, tuple(costs), tuple(weights))


class Engine(Session):
    """An engine's accessibility."""

    @question("reach")
    def access(
        self, sources: Any, opportunities: Any, columns: str | Iterable[str] | Mapping[str, Any] | None = None, *,
        decay: Decay | None = None, percentiles: Iterable[float] = (), **options: Unpack[ReachOptions],
    ) -> Any:  # fmt: skip
        """Sums of the opportunities that are accessible from each source, mean costs, and percentiles of cost.

        Sums are exact, and the same on any device with any number of threads.

        Parameters
        ----------
        sources : places
        opportunities : places
            A frame, of which `columns` are the names of columns with amounts such as jobs; or any other places.
        columns : str, list of str, or dict of arrays, optional
            The amounts, at most 16 columns. Without them, each opportunity counts once: "count".
        decay : Decay, optional
            ``macadam.Decay.logistic("30min", "10min")``; without it, each opportunity with a path counts fully.
        percentiles : sequence of float
            The costs within which these percentages of the sum are found, at most 16.
        **options

        Returns
        -------
        Table, DataFrame or GeoDataFrame
            A row for each source: status; for each column its sum, and as mean_NAME and pN_NAME its mean cost (nan) and
            percentiles (UNREACHED, or missing in frames) in the unit of the quantity. If `sources` is a frame, so is the answer,
            with its index and geometry.
        """
        (query, request), info = self._asked("reach", None, options, "access"), self.info
        if request.get("nearest_count"):
            raise InvalidError("nearest: ask Engine.reach for the nearest targets")
        given, wanted = self._sources(sources), self._sources(opportunities, "opportunities")
        amounts = _amounts(opportunities, columns, len(wanted))
        shares: list[float] = np.atleast_1d(np.array(percentiles, np.float64)).tolist()
        names = ["status", *(part + name for name in amounts for part in ("", "mean_", *(f"p{_plain(it)}_" for it in shares)))]
        if twice := sorted({it for it in names if names.count(it) > 1}):
            raise InvalidError(f"two columns of the answer are named {twice[0]!r}")
        shape = len(given), len(amounts)
        (cost,) = query.names.values()
        sums, means, costs = np.empty(shape), np.empty(shape), np.empty((*shape, len(shares)), cost)
        request |= {
            "source": given, "opportunity": wanted, "amount": np.stack([*amounts.values()]), "amount_count": len(amounts),
            "percentile": np.array(shares, np.float64), "decay": self._decay(decay, options.get("metric") or info.metric[0]),
        }  # fmt: skip
        answer = {"access": sums, "mean_cost": means, **({"percentile_cost": costs} if shares else {})}
        (status, _), _ = self._ask("reach", query, request, {"sources": given, "opportunities": wanted}, answer)
        out: dict[str, Any] = {"status": status}
        for i, name in enumerate(amounts):
            out |= {name: sums[:, i].copy(), f"mean_{name}": means[:, i].copy()}
            out |= {f"p{_plain(share)}_{name}": costs[:, i, k].copy() for k, share in enumerate(shares)}
        table = Table(out, nullable=tuple(it for it, column in out.items() if column.dtype == cost and it != "status"))
        if not hasattr(sources, "iloc"):
            return table
        frame = table.to_pandas()  # joined by position: an index may repeat
        if hasattr(sources, "geometry"):
            frame = sources[[sources.geometry.name]].reset_index(drop=True).join(frame)
        return frame.set_index(sources.index)

    def _decay(self, decay: Decay | None, metric: str) -> dict[str, Any] | None:
        """The library's decay, in the unit of the metric."""
        if decay is None:
            return None
        if not isinstance(decay, Decay):
            raise TypeError(f"decay: {decay!r} is not a macadam.Decay")

        def number(cost: Cost) -> float:
            if not isinstance(cost, str):
                seconds = isinstance(cost, timedelta)
                if seconds and self._units.get(metric) != "ms":
                    raise ValueError(f"{cost!r}, but the metric is not a duration")
                return float(cost / timedelta(seconds=1) if isinstance(cost, timedelta) else cost) * self._scale(metric)
            found = re.fullmatch(r"([0-9.]+) *([A-Za-z]+)", cost)
            base, factor = _UNITS.get(found[2] if found else "", ("", 0.0))
            if not found or not base or base != self._units.get(metric):
                raise ValueError(f"{cost!r} is not a {metric} such as '30min' or '5km'")
            return float(found[1]) * factor

        with naming("decay"):
            costs, weights = [*map(number, decay.costs)], [*map(float, decay.weights)]
            if len(costs) != len(weights):
                raise ValueError(f"{len(costs)} costs, but {len(weights)} weights")
            out = {"kind": decay.kind, "cutoff": number(decay.cutoff), "width": number(decay.width)}
            return {**out, "cost": np.array(costs), "weight": np.array(weights), "point_count": len(costs)}


def _plain(number: float) -> str:
    """All digits of a number, without an exponent: "50", "99.99999"."""
    return np.format_float_positional(float(number), trim="-")


def _amounts(opportunities: Any, columns: Any, count: int) -> dict[str, Any]:
    """The columns of amounts, by their names."""
    if columns is None:
        return {"count": np.ones(count)}
    if isinstance(columns, Mapping):
        given, what = dict(columns), "columns"
    else:
        names, known = [columns] if isinstance(columns, str) else list(columns), column_names(opportunities) or []
        missing = [it for it in names if it not in known]
        if missing:
            raise InvalidError(f"columns: the opportunities have no column {missing[0]!r}")
        given, what = {it: opportunities[it] for it in names}, "opportunities"
    out = {name: np.asarray(array_of(it, f"{what}[{name!r}]"), np.float64) for name, it in given.items()}
    for name, it in out.items():
        wrong = it[~(np.isfinite(it) & (it >= 0))] if it.shape == (count,) else None
        if wrong is None:
            raise InvalidError(f"{what}[{name!r}]: the shape is {it.shape}, not {(count,)}")
        if len(wrong):
            raise InvalidError(f"{what}[{name!r}]: {wrong[0]:g} is not an amount, a number from 0")
    if not out:
        raise InvalidError("columns: there is none")
    return out
