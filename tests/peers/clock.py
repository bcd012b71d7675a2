#!/usr/bin/env python3
"""Matrices with a departure beside Valhalla's time-dependent matrix, with the same speeds, as a table of Markdown.

    clock.py MACADAM MAP.osm.pbf FOLDER [--sizes 50,200] [--seed 1]

Both engines read one week of invented speeds (examples/invented_speeds.py) as the same 200 cosines a road: Macadam by way
and direction, Valhalla by the edges that have the shape of a part of that way, in a copy of the tiles in FOLDER, which
`prepare` made. Other roads have Macadam's usual speed all week. Turn costs and access stay each engine's own.

Each engine runs on one thread: Macadam as whole processes, which open the file, and Valhalla in this one, with its tiles in
memory. Seconds are of the processor, the best of three (Macadam) or two. A difference is the one to the same
engine's row with a departure. The last lines compare the two engines, by ratios, since they charge turns differently.
"""

import argparse
import base64
import csv
import json
import math
import pathlib
import random
import resource
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import osmium
import valhalla
from valhalla.baldr import GraphId, GraphTileHeader
from valhalla.baldr.utils import GraphUtils

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))
import invented_speeds

SLOTS, COSINES, DAYS = 2016, 200, ("Su", "Mo", "Tu", "We", "Th", "Fr", "Sa")
DEPART, DATE = "Mo08:15", "2026-11-30T08:15"
COSINE = [math.cos(math.pi / (2 * SLOTS) * i) for i in range(4 * SLOTS)]


# ---- speeds ----


def slots_of(days, first, end):
    """The slots of 5 minutes of a part of the week, which begins on Sunday."""
    names = DAYS[1:] + DAYS[:1]
    a, b = (names.index(it) for it in (days.split("-") * 2)[:2])
    begin, stop = (12 * int(it[:2]) + int(it[3:]) // 5 for it in (first, end))
    return [288 * DAYS.index(day) + slot for day in names[a : b + 1] for slot in range(begin, stop)]


def transform(slots):
    """The DCT-II of a week that is 1 in these slots and 0 in others."""
    sums = (sum(COSINE[(2 * slot + 1) * k % (4 * SLOTS)] for slot in slots) for k in range(COSINES))
    return [it * math.sqrt(2 / SLOTS) * (1 if k else math.sqrt(0.5)) for k, it in enumerate(sums)]


def weeks(command, path, seed):
    """By way and direction: the usual speed and the coefficients of its week."""
    usual = {}
    for arc in invented_speeds.table(command, "arcs", path):
        if arc["duration"] and arc["way"] != "0" and float(arc["duration"]) > 0:
            way = usual.setdefault((int(arc["way"]), 1 if arc["forward"] == "1" else -1), [0.0, 0.0])
            way[0] += float(arc["length_cm"])
            way[1] += float(arc["duration"])
    usual = {key: min(36 * length / duration, 140) for key, (length, duration) in usual.items()}
    part = {None: transform(range(SLOTS))}
    coefficient = {key: [kmh * it for it in part[None]] for key, kmh in usual.items()}
    for way, direction, when, end, kmh in invented_speeds.invent(command, path, seed, None):
        if (when, end) not in part:
            part[when, end] = transform(slots_of(*when.split(), end))
        week, more = coefficient[way, direction], float(kmh) - usual[way, direction]
        coefficient[way, direction] = [a + more * b for a, b in zip(week, part[when, end])]
    return {
        key: (max(5, round(usual[key])), base64.b64encode(struct.pack(f">{COSINES}h", *map(round, week))).decode())
        for key, week in coefficient.items()
    }


# ---- Valhalla's tiles ----


def place(lon, lat):
    return round(lon * 1e6), round(lat * 1e6)


def ways_by_segment(source, ways):
    """By two places next to each other on a road: its way and direction."""
    found = {}
    for way in osmium.FileProcessor(source, osmium.osm.NODE | osmium.osm.WAY).with_locations():
        if way.is_way() and ((way.id, 1) in ways or (way.id, -1) in ways):
            line = [place(node.lon, node.lat) for node in way.nodes if node.location.valid()]
            for a, b in zip(line, line[1:]):
                found[a, b], found[b, a] = (way.id, 1), (way.id, -1)
    return found


def feed(config, folder, ways, segments):
    """Writes the speeds into the tiles, and returns how many edges there are and how many have speeds."""
    graph, count, done = GraphUtils(config), 0, 0
    tiles = pathlib.Path(config["mjolnir"]["tile_dir"])
    for file in sorted(tiles.rglob("*.gph")):
        base, rows = GraphId.from_tile_path(str(file)), []
        for i in range(GraphTileHeader.from_file(file).directededgecount):
            shape = [place(*it) for it in graph.get_edge_shape(GraphId(base.tileid(), base.level(), i))]
            keys = {segments.get(pair) for pair in zip(shape, shape[1:])} - {None}  # some places differ by rounding
            key = keys.pop() if len(keys) == 1 else None
            count += 1
            if key in ways:
                rows.append(f"{base.level()}/{base.tileid()}/{i},{ways[key][0]},{ways[key][0]},{ways[key][1]}\n")
        done += len(rows)
        out = pathlib.Path(folder, "traffic", file.relative_to(tiles)).with_suffix(".csv")
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text("".join(rows))
    (pathlib.Path(folder) / "config.json").write_text(json.dumps(config))
    program = pathlib.Path(valhalla.__file__).parent / "bin/valhalla_add_predicted_traffic"
    subprocess.run([program, "-c", f"{folder}/config.json", f"{folder}/traffic"], check=True, stdout=subprocess.DEVNULL)
    return count, done


# ---- matrices ----


def best_of(call, who, rounds=3):
    best = math.inf
    for _ in range(rounds):
        start = resource.getrusage(who).ru_utime + resource.getrusage(who).ru_stime
        answer = call()
        best = min(best, resource.getrusage(who).ru_utime + resource.getrusage(who).ru_stime - start)
    return best, answer


def of_macadam(command, path, places, *when):
    """By source and target: seconds."""
    common = [command, "matrix", path, "--sources", places, "--targets", places, "--threads", "1", "--quiet"]
    seconds, text = best_of(lambda: subprocess.run([*common, *when], stdout=subprocess.PIPE, check=True).stdout.decode(),
                            resource.RUSAGE_CHILDREN)  # fmt: skip
    rows = (it for it in csv.DictReader(text.splitlines()) if it["duration"])
    return seconds, {(int(it["source"]), int(it["target"])): float(it["duration"]) / 1000 for it in rows}


def of_valhalla(engine, points, kind):
    places = [{"lon": lon, "lat": lat} for lon, lat in points]
    request = {"sources": places, "targets": places, "costing": "auto", "verbose": False}
    if kind:
        request |= {"date_time": {"type": kind, "value": DATE}, "prioritize_bidirectional": False}
    seconds, answer = best_of(lambda: json.loads(engine.matrix(json.dumps(request))), resource.RUSAGE_SELF, 2)
    assert answer["algorithm"] == ("timedistancematrix" if kind else "costmatrix"), answer["algorithm"]
    cells = enumerate(answer["sources_to_targets"]["durations"])
    return seconds, {(i, j): it for i, line in cells for j, it in enumerate(line) if it is not None}


def differences(cells, exact):
    both = [key for key in exact if key in cells and key[0] != key[1]]
    off = sorted(abs(cells[key] - exact[key]) for key in both)
    share = 100 * sum(off) / sum(exact[key] for key in both)
    return f"{statistics.mean(off):.1f} s ({share:.1f} %)", f"{off[len(off) * 99 // 100]:.0f} s", f"{off[-1]:.0f} s"


def row(*cells):
    print("|", " | ".join(map(str, cells)), "|", flush=True)


def compare(command, path, engine, points):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("id,lon,lat\n" + "".join(f"{i},{lon:.7f},{lat:.7f}\n" for i, (lon, lat) in enumerate(points)))
        file.flush()
        exact = of_macadam(command, path, file.name, "--depart", DEPART)
        frozen = of_macadam(command, path, file.name, "--slot", DEPART)
    theirs = of_valhalla(engine, points, 1)
    size = f"{len(points)} x {len(points)}"
    row(size, "Macadam, `--depart`", f"{exact[0]:.2f} s", "0", "0", "0")
    row(size, "Macadam, `--slot`", f"{frozen[0]:.2f} s", *differences(frozen[1], exact[1]))
    row(size, "Valhalla, departure", f"{theirs[0]:.2f} s", "0", "0", "0")
    for name, kind in (("Valhalla, invariant", 3), ("Valhalla, no time", None)):
        seconds, cells = of_valhalla(engine, points, kind)
        row(size, name, f"{seconds:.2f} s", *differences(cells, theirs[1]))
    both = [key for key, it in theirs[1].items() if key in exact[1] and it > 60]
    ratio = sorted(exact[1][key] / theirs[1][key] for key in both)
    middle = ratio[len(ratio) // 2]
    near = 100 * sum(abs(it / middle - 1) < 0.1 for it in ratio) / len(ratio)
    return (f"{size}: {len(exact[1])} cells of Macadam, {len(theirs[1])} of Valhalla, ours {middle:.3f} of its on the "
            f"median, {near:.0f} % of the ratios within 10 % of that")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("macadam", "map", "folder"):
        parser.add_argument(name)
    parser.add_argument("--sizes", default="50,200")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    config = json.loads(pathlib.Path(options.folder, "valhalla/config.json").read_text())
    config["logging"] = config["mjolnir"]["logging"] = {"type": ""}
    config["service_limits"]["max_timedep_distance_matrix"] = 10_000_000
    config["service_limits"]["auto"] |= {"max_matrix_distance": 10_000_000.0, "max_matrix_location_pairs": 10_000_000}
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(pathlib.Path(options.folder, "valhalla/tiles"), f"{folder}/tiles")
        config["mjolnir"]["tile_dir"] = f"{folder}/tiles"
        plain, path, speeds = (f"{folder}/{it}" for it in ("plain.mcd", "map.mcd", "speeds.csv"))
        run = [options.macadam, "import", options.map, "--quiet"]
        subprocess.run([*run, "-o", plain], check=True)
        ways = weeks(options.macadam, plain, options.seed)
        rows = (f"{way},{direction},{kmh},{kmh},{week}\n" for (way, direction), (kmh, week) in ways.items())
        pathlib.Path(speeds).write_text("way,direction,freeflow,constrained,coefficients\n" + "".join(rows))
        subprocess.run([*run, "--speeds", f"valhalla:{speeds}", "--ready", "-o", path], check=True)
        segments = ways_by_segment(options.map, ways)
        print("{1} of {0} of Valhalla's edges have speeds.\n".format(*feed(config, folder, ways, segments)))
        engine = valhalla.Actor(config)
        row("matrix", "", "seconds", "mean difference", "p99", "worst")
        row(*["---"] * 6)
        agreement = []
        for size in map(int, options.sizes.split(",")):
            drawn = random.Random(options.seed).sample(sorted(segments), size)
            points = [((a[0] + b[0]) / 2e6, (a[1] + b[1]) / 2e6) for a, b in drawn]
            agreement.append(compare(options.macadam, path, engine, points))
    print("", *agreement, sep="\n")


if __name__ == "__main__":
    main()
