#!/usr/bin/env python3
"""Prints one table of what answers take from the first one on, beside the aims of docs/benchmarks/cpu.md.

    table.py BUILD MAPS

BUILD is a build folder with its benchmarks, MAPS has NY.mcd, NE.mcd and milan.mcd, and MACADAM_DATA the data that they were
imported from. Ready files are made for the time of the run. One thread; a run takes two minutes. Milan stands for Porto,
whose extract is not at hand. "Of D" is the time in trees by plain Dijkstra on New York, of the same run; NE has its own D."""
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

RUNS = 9  # of whole processes


def run(*command):
    print(*command, file=sys.stderr)
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def number(text, pattern):
    return float(re.search("^" + pattern, text, re.MULTILINE)[1])


def process_ms(*command):
    """Returns the processor time of a process: the median of RUNS."""
    times = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return sorted(times)[RUNS // 2]


def matrix_ms(macadam, file, folder, out, sources, targets):
    files = folder / "sources.csv", folder / "targets.csv"
    for path, places in zip(files, (sources, targets)):
        path.write_text("\n".join(places) + "\n")
    return process_ms(macadam, "matrix", file, "--sources", files[0], "--targets", files[1], "--threads", "1",
                      "--device", "cpu", "--quiet", "-o", folder / out)


def main():
    build, maps, data = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(os.environ["MACADAM_DATA"])
    bench, macadam = build / "tests/bench", build / "bindings/cli/macadam"
    york, milan, north_east = maps / "NY.mcd", maps / "milan.mcd", maps / "NE.mcd"
    gr = [data / f"dimacs/USA-road-{kind}.NY.gr.gz" for kind in "td"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ready = {file: folder / ("ready-" + file.name) for file in (york, milan)}
        for file, to in ready.items():
            run(macadam, "ready", file, "-o", to, "--quiet")
        ratios = run(bench / "ratios", york, *gr, "1", "one tree")
        dijkstra = number(ratios, r"D: .*? ([\d.]+) us") / 1e3
        updates = run(bench / "updates", york, *gr)
        opening = [run(bench / "opening", file, "7") for file in (milan, ready[milan])]
        points = [run(bench / "points", milan, side, runs) for side, runs in (("1000", "15"), ("4000", "5"))]
        match = run(bench / "match", milan, "100")
        nearest = run(bench / "nearest", york, "1000", "5", "9")
        steps = run(bench / "steps", ready[milan])
        areas = run(bench / "areas", milan, "car")
        far = run(bench / "ratios", north_east, data / "dimacs/NE-topology.gr.xz", "1", "as lanes", "1000 x", "4000 x")
        points_of_milan = [["lon,lat", "9.15,45.45"], ["lon,lat", "9.2,45.48"]]
        nodes_of_york = [[f"node:{first + 250 * i}" for i in range(1000)] for first in (1, 100)]
        whole = [[matrix_ms(macadam, file, folder, out, *places) for file in (of, ready[of])]
                 for of, out, places in ((milan, "m.csv", points_of_milan), (york, "m.npy", nodes_of_york))]

    def until(change, question):
        return number(updates, rf"{change}, until {question} +([\d.]+) ms")

    def opened(question):
        return [number(text, re.escape(question) + r" +[\d.]+ +([\d.]+)") for text in opening]

    def slowest(text):
        return max(number(text, rf"route {i} +[\d.]+ +([\d.]+)") for i in range(2, 21))

    hundred, tree, any_answer = "a matrix, 100 x 100", "a tree", "any answer"
    rows = [
        ("New York, 1 arc changed, until 10 routes; 100 x 100; a tree; any answer", "1; 5; 8 ms",
         [until("1 arc", question) for question in ("10 routes", hundred, tree, any_answer)], 1),
        ("70; 7,300; all arcs changed, until 100 x 100", "6; 60; 90 ms",
         [until(change, hundred) for change in ("70 arcs", "1 % of the arcs", "all arcs")], 1),
        ("70; 7,300; all arcs changed, until any answer", "",
         [until(change, any_answer) for change in ("70 arcs", "1 % of the arcs", "all arcs")], 1),
        ("the first update; until any answer", "2 ms",
         [number(updates, r"the first update +([\d.]+) ms"), until("the first update", any_answer)], 1),
        ("1 arc; 70 arcs changed, until a route", "0.2; 2 ms",
         [until(change, "a route") for change in ("1 arc", "70 arcs")], 1),
        ("Milan, open + 10 x 10: compact; ready", "120; 12 ms", opened("open + 10 x 10"), 1),
        ("open + 20 routes: compact; ready", "100; 15 ms", opened("open + 20 routes"), 1),
        ("the slowest of these but the first", "", [slowest(text) for text in opening], 1),
        ("open + route: compact; ready", "40; 5 ms", opened("open + route"), 1),
        ("open, until any answer: compact; ready", "", opened("until any answer"), 1),
        ("`macadam matrix` of 1 x 1, whole process: compact; ready", "150; 20 ms", whole[0], 1),
        ("New York, 1000 x 1000 to .npy, whole process: compact; ready", "180; 50 ms", whole[1], 1),
        ("Milan, points 1000 x 1000; 4000 x 4000", "12; 100 ms",
         [number(text, r"\d+ x \d+ points: ([\d.]+) ms") for text in points], 1),
        ("New York, one tree alone", "1.8 ms", [number(ratios, r"one tree alone.*? ([\d.]+) us") / 1e3], 1),
        ("a tree of 128, as rows by id; as lanes", "0.3; 0.157 ms",
         [number(ratios, rf"one tree of a batch, as {order}.*? ([\d.]+) us") / 1e3 for order in ("rows", "lanes")], 1),
        ("Milan, matching with routes, a point each 10 s", "10 us",
         [1e6 / number(match, r" +10 +5 " + r" +[\d.]+" * 5 + r" +[\d.]+ +[\d.]+ +([\d.]+)")], 1e3),
        ("New York, `reach` of the 5 nearest of 1,000", "3 us",
         [number(nearest, r"reach of 1000, a source: ([\d.]+) us")], 1e3),
        ("Milan, a pair of points; a route with its line", "8; 40 us",
         [number(steps, rf"{kind} +([\d.]+) us") for kind in ("cost", "arcs and line")], 1e3),
        ("areas of 10, 20 and 30 minutes; of 3, 5 and 10", "30; 6 ms",
         [number(areas, rf"{limits} minutes in one call: ([\d.]+) ms") for limits in ("10, 20 and 30", "3, 5 and 10")], 1),
    ]
    print("| | now | of D | aim |\n|---|---|---|---|")
    print(f"| D: one tree by plain Dijkstra, New York | {dijkstra:.1f} ms | 1 | |")
    for what, aim, times, per_ms in rows:
        now = "; ".join(f"{time:.3g}" for time in times) + (" us" if per_ms > 1 else " ms")
        print(f"| {what} | {now} | {'; '.join(f'{time / per_ms / dijkstra:.2g}' for time in times)} | {aim} |")
    north = [number(far, pattern + r".*? ([\d.]+) us")
             for pattern in ("D: ", "one tree of a batch, as lanes", "1000 x", "4000 x")]
    print(f"| NE, a tree of 128, as lanes; 1000 x 1000; 4000 x 4000 | {north[1]:.0f} us; {north[2] / 1e3:.3g}; "
          f"{north[3] / 1e3:.3g} ms | 1/{north[0] / north[1]:.0f}; {north[2] / north[0]:.3f}; {north[3] / north[0]:.2f} | "
          "1/300; 0.07; 0.45 of its D |")


main()
