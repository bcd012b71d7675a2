#!/usr/bin/env python3
"""Prints the sums of what is accessible from every node of a map, by Macadam and by pandana, as a table of Markdown.

    access.py MAP.mcd [--opportunities 10000] [--minutes 5,10]

Both have the same graph: the map's arcs with their durations, without turns. One thread each; times of the processor, those of
pandana of one call, ours the best of three. pandana sums with a step ("flat") and with a line that falls to 0 at the radius
("linear"); its sums must be ours to a millionth. It has no logistic decay. Needs the packages macadam and pandana."""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"
import macadam
import numpy as np
import pandana
import pandas


def best_of(rounds: int, call: Callable[[], Any]) -> tuple[float, Any]:
    """The best time of the processor in seconds, and the answer."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        answer = call()
        best = min(best, time.process_time() - start)
    return best, answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("map")
    parser.add_argument("--opportunities", type=int, default=10000)
    parser.add_argument("--minutes", default="5,10")
    given = parser.parse_args()
    with macadam.open(given.map, device="cpu") as source, tempfile.TemporaryDirectory() as folder:
        arcs, ids = source.arcs(), source.ids
        n, weight = len(ids), arcs.duration[arcs.duration != macadam.UNREACHED]
        tail, head = (np.searchsorted(ids, it[arcs.duration != macadam.UNREACHED]) for it in (arcs.tail, arcs.head))
        path = os.path.join(folder, "graph.mcd")
        macadam.import_arrays(tail, head, {"duration": weight}, path, ids=np.arange(n), progress=False)
        engine = macadam.open(path, device="cpu", threads=1, read_file=True)
    none = pandas.Series(np.zeros(n))
    ends = pandas.Series(tail), pandas.Series(head)
    network = pandana.Network(none, none, *ends, pandas.DataFrame({"ms": weight.astype(float)}), twoway=False)
    rng = np.random.default_rng(1)
    place, jobs = rng.integers(0, n, given.opportunities), rng.integers(1, 1000, given.opportunities).astype(float)
    network.set(pandas.Series(place), variable=pandas.Series(jobs), name="jobs")
    every = np.arange(n)
    engine.access(every[:100], place)  # customizes
    some, room = rng.integers(0, n, 10000), np.empty((10000, len(place)), np.uint32)
    print(f"10000 sources, {len(place)} opportunities, 30 min; seconds of one thread\n\n| Macadam | |\n|---|---|")
    print(f"| the matrix | {best_of(3, lambda: engine.matrix(some, place, out=room))[0]:.2f} |")
    step, logistic = macadam.Decay.step("30min"), macadam.Decay.logistic("30min", "10min")
    for name, decay, shares in (("step", step, []), ("logistic", logistic, []), ("logistic, median", logistic, [50])):
        ours = best_of(3, lambda: engine.access(some, place, {"jobs": jobs}, decay=decay, percentiles=shares))[0]
        print(f"| {name} | {ours:.2f} |")
    print(f"\n{n} sources, {len(place)} opportunities; seconds of one thread\n")
    print("| decay | pandana | Macadam | times |\n|---|---|---|---|", flush=True)
    for minutes in map(float, filter(None, given.minutes.split(","))):
        radius = minutes * 60
        for decay, kind, name in (
            (macadam.Decay.step(radius), "flat", "step"),
            (macadam.Decay.linear(radius / 2, radius), "linear", "linear"),
            (macadam.Decay.logistic(radius, radius / 3), None, "logistic"),
        ):
            ours, mine = best_of(3, lambda: engine.access(every, place, {"jobs": jobs}, decay=decay))
            if kind is None:
                print(f"| {name}, {minutes:g} min | - | {ours:.2f} | |", flush=True)
                continue
            theirs, sums = best_of(1, lambda: network.aggregate(radius * 1000, type="sum", decay=kind, name="jobs"))
            off = np.abs(sums.to_numpy() - mine["jobs"])
            worst = int(np.argmax(off))
            if not off[worst] <= 1e-6 * mine["jobs"][worst] + 1e-6:
                raise SystemExit(f"{name}: node {worst} has {mine['jobs'][worst]} and {sums.to_numpy()[worst]}")
            print(f"| {name}, {minutes:g} min | {theirs:.1f} | {ours:.2f} | {theirs / ours:.0f} |", flush=True)


if __name__ == "__main__":
    main()
