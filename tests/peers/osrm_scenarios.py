#!/usr/bin/env python3
"""OSRM's cucumber scenarios, answered by Macadam: how many rows of instructions are the same.

    osrm_scenarios.py COMMAND FEATURES [ROW ...] [--list] [--save FILE] [--against FILE]

COMMAND is the path of `macadam`; FEATURES a folder of .feature files or one of them (README.md beside this file). A ROW
names a file, a scenario of it by its line, or a row by its waypoints: collapse, collapse:392, collapse:392[a,d].

Each scenario is drawn as its steps say and imported with its profile; one `macadam serve` has all maps of a file. A
cell is compared as OSRM's own step definitions compare it. A row counts as equal if its columns `turns` and `route`
are, and as the same turns in other words if the directions are the same, but for those that lead straight on.
Scenarios marked @todo are left out, because OSRM does not pass them, and those whose profile takes no points of the compass
from relations, because ours always do: our "I 80 West" is OSRM's "I 80 $west".
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import dataclasses
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from typing import Any
from xml.sax.saxutils import quoteattr

Row = dict[str, str]

# ---- features ----


@dataclasses.dataclass
class Step:
    text: str
    line: int
    table: list[list[str]] = dataclasses.field(default_factory=list)
    lines: list[str] = dataclasses.field(default_factory=list)  # of its text block

    def rows(self) -> list[Row]:
        return [dict(zip(self.table[0], row)) for row in self.table[1:]]


@dataclasses.dataclass
class Scenario:
    file: str
    line: int
    name: str
    tags: set[str]
    steps: list[Step]


def cells_of(line: str) -> list[str]:
    """The cells of a table's line; a backslash makes the next character an ordinary one."""
    cells, cell, escaped = [], "", False
    for letter in line.strip()[1:]:
        if not escaped and letter == "|":
            cells.append(cell.strip())
            cell = ""
        elif escaped or letter != "\\":
            cell += letter if not escaped or letter in "|\\" else "\\" + letter
        escaped = not escaped and letter == "\\"
    return cells


def read_feature(path: str) -> list[Scenario]:
    """The scenarios of a file, each with the steps of its background."""
    file = os.path.splitext(os.path.basename(path))[0]
    background: list[Step] = []
    steps, scenarios = background, []
    tags: set[str] = set()
    block: int | None = None  # the indentation of the text block that is being read
    with open(path, encoding="utf-8") as feature:
        lines = [line.rstrip("\n").expandtabs(4) for line in feature]
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith('"""'):
            block = line.index('"""') if block is None else None
        elif block is not None:
            indent = min(block, len(line) - len(line.lstrip()))
            steps[-1].lines.append(line[indent:])
        elif text.startswith("@"):
            tags |= {tag.rstrip(":") for tag in text.split()}
        elif re.match(r"Scenario( Outline)?:", text):
            scenarios.append(Scenario(file, number, text.partition(":")[2].strip(), tags, list(background)))
            steps, tags = scenarios[-1].steps, set()
        elif text.startswith(("Feature:", "Background:")):
            tags = set()
        elif text.startswith("|"):
            steps[-1].table.append(cells_of(text))
        elif match := re.match(r"(Given|When|Then|And|But) (.*)", text):
            steps.append(Step(match[2].strip(), number))
    return scenarios


# ---- maps ----

LETTER, DIGIT = re.compile(r"[a-z]"), re.compile(r"[0-9]")
EQUATOR_RADIUS_M = 6378137.0
ECCENTRICITY = (2 - 1 / 298.257223563) / 298.257223563  # squared, of WGS84


@dataclasses.dataclass
class Drawing:
    """A map as a scenario draws it; its ids are OSRM's: one row of numbers for all objects."""

    profile: str = "bicycle"
    traffic: str = ""
    grid: float = 100
    origin: tuple[float, float] = (1, 1)
    place: dict[str, tuple[float, float]] = dataclasses.field(default_factory=dict)  # of nodes and of locations
    id: dict[str, int] = dataclasses.field(default_factory=dict)
    tags: dict[str, Row] = dataclasses.field(default_factory=dict)  # of nodes
    ways: dict[str, tuple[int, Row]] = dataclasses.field(default_factory=dict)
    relations: list[tuple[int, list[tuple[str, int, str]], Row]] = dataclasses.field(default_factory=list)
    relation_id: dict[str, int] = dataclasses.field(default_factory=dict)
    last_id: int = 0

    def new_id(self) -> int:
        self.last_id += 1
        return self.last_id

    def add_place(self, name: str, place: tuple[float, float], own_id: str = "") -> None:
        self.place[name] = place
        if LETTER.match(name):
            self.id[name] = int(own_id) if own_id else self.new_id()
            self.tags[name] = {"name": name}

    def at(self, column: float, row: float) -> tuple[float, float]:
        cosine = math.cos(math.radians(self.origin[1]))
        squeeze = 1 / (1 - ECCENTRICITY * (1 - cosine * cosine))
        degree = math.radians(EQUATOR_RADIUS_M) * math.sqrt(squeeze)
        east, north = degree * cosine, degree * squeeze * (1 - ECCENTRICITY)
        return self.origin[0] + column * self.grid / east, self.origin[1] - row * self.grid / north

    def add_node_map(self, step: Step) -> None:
        for row, line in enumerate(step.lines):
            for column, name in enumerate(line):
                if LETTER.match(name) or DIGIT.match(name):
                    self.add_place(name, self.at(column / 2, row))

    def add_way(self, row: Row) -> None:
        tags = {"highway": "primary"} | row
        nodes = tags.pop("nodes")
        if tags["highway"] == "(nil)":
            del tags["highway"]
        name = tags.get("name", nodes)
        tags["name"] = "" if name in ('""', "''") else name
        if name in ("", "(nil)"):
            del tags["name"]
        self.ways[nodes] = self.new_id(), tags

    def add_relation(self, header: list[str], row: list[str]) -> None:
        own_id, members, tags = self.new_id(), [], Row()
        for key, value in zip(header, row):
            kind, _, role = key.partition(":")
            if kind not in ("node", "way", "relation"):
                tags[key] = value
                continue
            for name in (part.strip() for part in value.split(",")):
                members.append((kind, self.member_id(kind, name), role))
        self.relations.append((own_id, members, tags))
        if "name" in tags:
            self.relation_id[tags["name"]] = own_id

    def member_id(self, kind: str, name: str) -> int:
        if kind == "node":
            return self.id[name]
        if kind == "relation":
            return self.relation_id[name]
        return (self.ways.get(name) or self.ways[name[::-1]])[0]

    def osm(self) -> str:
        def tagged(element: str, inner: Iterable[str], tags: Row) -> str:
            tag = (f"<tag k={quoteattr(key)} v={quoteattr(value)}/>" for key, value in tags.items())
            return f"<{element}>{''.join(inner)}{''.join(tag)}</{element.split()[0]}>"

        stamp = 'version="1" uid="1" user="osrm" timestamp="2000-01-01T00:00:00Z"'
        nodes = sorted(
            (self.id[name], f'lon="{self.place[name][0]!r}" lat="{self.place[name][1]!r}"', self.tags[name])
            for name in self.id
        )
        lines = [tagged(f'node id="{own_id}" {place} {stamp}', [], tags) for own_id, place, tags in nodes]
        for way, (own_id, tags) in self.ways.items():
            lines.append(tagged(f'way id="{own_id}" {stamp}', (f'<nd ref="{self.id[name]}"/>' for name in way), tags))
        for own_id, members, tags in self.relations:
            member = (f'<member type="{kind}" ref="{ref}" role={quoteattr(role)}/>' for kind, ref, role in members)
            lines.append(tagged(f'relation id="{own_id}" {stamp}', member, tags))
        return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', '<osm version="0.6">', *lines, "</osm>"])


def draw(scenario: Scenario) -> tuple[Drawing, Row, list[Step]]:
    """The map of a scenario, the options of its requests, and the steps that route."""
    drawing, options, routes = Drawing(), Row(), []
    for step in scenario.steps:
        if match := re.match(r'the profile(?: file)? "(\w+)"', step.text):
            drawing.profile = match[1]
            if any("left_hand_driving = true" in line for line in step.lines):
                drawing.traffic = "left"
        elif match := re.match(r"a grid size of ([0-9.]+) meters", step.text):
            drawing.grid = float(match[1])
        elif match := re.match(r"the origin ([-+0-9.]+),([-+0-9.]+)", step.text):
            drawing.origin = float(match[1]), float(match[2])
        elif step.text == "the node map":
            drawing.add_node_map(step)
        elif step.text == "the node locations":
            for row in step.rows():
                drawing.add_place(row["node"], (float(row["lon"]), float(row["lat"])), row.get("id", ""))
        elif step.text == "the nodes":
            for row in step.rows():
                tags = {key: value for key, value in row.items() if key != "node" and value}
                drawing.id[row["node"]] = int(tags.pop("id", drawing.id[row["node"]]))
                drawing.tags[row["node"]] |= tags
        elif step.text in ("the ways", "the ways with locations"):
            for row in step.rows():
                drawing.add_way({key: value for key, value in row.items() if value or key == "name"})
        elif step.text == "the relations":
            for cells in step.table[1:]:
                drawing.add_relation(step.table[0], cells)
        elif step.text == "the query options":
            options |= {row[0]: row[1] for row in step.table}
        elif step.text == "skip waypoints":
            options["skip_waypoints"] = "true"
        elif re.match(r"I route (\d+ times )?I should get", step.text):
            routes.append(step)
    return drawing, options, routes


# ---- answers ----


def text_of(value: Any) -> str:
    """A value as JavaScript writes it in a text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "undefined" if value is None else str(value)


def turn_of(step: dict[str, Any]) -> str:
    maneuver = step["maneuver"]
    kind, modifier, number = maneuver["type"], text_of(maneuver.get("modifier")), text_of(maneuver.get("exit"))
    if kind in ("depart", "arrive"):
        return str(kind)
    if kind in ("roundabout", "rotary"):
        return f"{step.get('rotary_name', kind) if kind == 'rotary' else kind}-exit-{number}"
    return f"{kind} {modifier} exit-{number}" if kind == "roundabout turn" else f"{kind} {modifier}"


def bearing_of(step: dict[str, Any]) -> str:
    first = step["intersections"][0]
    before = first["bearings"][first["in"]] if "in" in first else 180
    after = first["bearings"][first["out"]] if "out" in first else 0
    return f"{before - 180 if before >= 180 else before + 180}->{after}"


def entries_of(intersection: dict[str, Any]) -> str:
    pairs = zip(intersection["entry"], intersection["bearings"])
    return " ".join(f"{text_of(entry)}:{text_of(bearing)}" for entry, bearing in pairs)


def lanes_of(intersection: dict[str, Any]) -> str:
    lanes = intersection.get("lanes") or []
    return " ".join(f"{';'.join(lane['indications'])}:{text_of(lane['valid'])}" for lane in lanes)


def columns_of(route: dict[str, Any], drawing: Drawing) -> Row:
    steps = [step for leg in route["legs"] for step in leg["steps"]]
    margin = 0.25 * drawing.grid * 0.8990679362704610899694577444566908445396483347536032203503e-5

    def node_at(place: list[float]) -> str:
        near = (
            name
            for name in drawing.id
            if all(abs(have - want) <= margin for have, want in zip(place, drawing.place[name]))
        )
        return next(near, "_")

    def listed(key: str) -> str:
        return ",".join(text_of(step.get(key) or "") for step in steps)

    classes = (",".join(f"({','.join(at.get('classes', []))})" for at in step["intersections"]) for step in steps)
    return {
        "route": listed("name").strip(),
        "turns": ",".join(map(turn_of, steps)),
        "ref": re.sub(" (North|East|South|West)\\b", lambda point: " $" + point[1].lower(), listed("ref")),
        "pronunciations": listed("pronunciation"),
        "destinations": listed("destinations"),
        "exits": listed("exits"),
        "modes": listed("mode"),
        "driving_side": listed("driving_side"),
        "bearing": ",".join(map(bearing_of, steps)),
        "lanes": ",".join(";".join(map(lanes_of, step["intersections"])) for step in steps).strip(),
        "intersections": ";".join(",".join(map(entries_of, step["intersections"])) for step in steps),
        "locations": ",".join(node_at(step["maneuver"]["location"]) for step in steps),
        "classes": ",".join(f"[{text}]" for text in classes),
        "times": ",".join(text_of(step["duration"]) + "s" for step in steps),
        "distances": ",".join(text_of(step["distance"]) + "m" for step in steps),
        "summary": ";".join(leg["summary"] for leg in route["legs"]).strip(),
        "distance": text_of(route["distance"]) + "m",
        "time": text_of(route["duration"]) + "s",
    }


def in_range(have: str, want: str, margin: float) -> bool:
    numbers = [re.match(r"\s*[-+]?[0-9]*\.?[0-9]+", text) for text in (have, want)]
    return all(numbers) and abs(float(numbers[0][0]) - float(numbers[1][0])) <= margin  # type: ignore[index]


def cell_matches(have: str, want: str) -> bool:
    """As OSRM compares a cell: also a list of numbers with a tolerance, or a pattern."""
    if have == want:
        return True
    if match := re.fullmatch(r"/(.*)/", want):
        return re.search(match[1], have) is not None
    if match := re.fullmatch(r"(.*)\s+~(.+)%", want):
        target = float(match[1])
        return target == 0 or (have != "" and 100 * abs(1 - float(have.rstrip("ms")) / target) < float(match[2]))
    match = re.fullmatch(r"(.*?)\s*\+-\s*([0-9.]+)", want)
    if not match:
        return False
    parts = [re.split(r"(->|[;,: ])", text) for text in (have, match[1].strip())]
    margin = float(match[2])
    return len(parts[0]) == len(parts[1]) and all(a == b or in_range(a, b, margin) for a, b in zip(*parts))


# ---- runs ----

SIDES = {"left": "left", "right": "right", "straight": "", "uturn": "uturn"}
NOT_COMPARED = ("from", "to", "waypoints", "bearings", "approaches", "#", "intersection_lanes")


def sides_of(turns: str) -> list[str]:
    """The directions of the turns, but for those that lead straight on."""
    sides = [turn.split(" exit-")[0].split()[-1] for turn in turns.split(",")]
    return [SIDES.get(side, side) for side in sides if SIDES.get(side, side)]


@dataclasses.dataclass
class Result:
    scenario: Scenario
    key: str  # the waypoints
    want: Row
    have: Row

    def differing(self) -> list[str]:
        return [key for key in self.want if not cell_matches(self.have.get(key, ""), self.want[key])]

    def has_turns(self) -> bool:
        return "turns" in self.want

    def is_equal(self) -> bool:
        return not {"turns", "route"} & set(self.differing())

    def has_other_words(self) -> bool:
        return not self.is_equal() and sides_of(self.want["turns"]) == sides_of(self.have.get("turns", ""))

    def name(self) -> str:
        return f"{self.scenario.file}:{self.scenario.line}[{self.key}]"


def import_map(command: str, folder: str, scenario: Scenario, drawing: Drawing) -> str | None:
    """Makes the map of a scenario; returns why that failed, or None."""
    stem = os.path.join(folder, f"{scenario.file}-{scenario.line}")
    profile = {"bicycle": "bike", "testbot": "car"}.get(drawing.profile, drawing.profile)
    with open(stem + ".osm", "w", encoding="utf-8") as osm:
        osm.write(drawing.osm())
    if drawing.traffic:
        with open(stem + ".profile", "w", encoding="utf-8") as file:
            file.write(f"like {profile}\nname {profile}\ntraffic {drawing.traffic}\n")
        profile = stem + ".profile"
    arguments = ["import", stem + ".osm", "--profile", profile, "--quiet", "--threads", "1", "-o", stem + ".mcd"]
    done = subprocess.run([command, *arguments], stderr=subprocess.PIPE, text=True)
    return done.stderr.strip() if done.returncode else None


def route(address: str, name: str, drawing: Drawing, options: Row, row: Row) -> Row:
    names = [name.strip() for name in row["waypoints"].split(",")] if "waypoints" in row else [row["from"], row["to"]]
    places = ";".join(f"{drawing.place[name][0]!r},{drawing.place[name][1]!r}" for name in names)
    query = {"steps": "true", "alternatives": "false"} | options
    for key in row:
        if key.startswith("param:") and row[key]:
            query[key[6:]] = row[key]
    if row.get("bearings"):
        parts = ("" if part == "*" else part if "," in part else part + ",10" for part in row["bearings"].split())
        query["bearings"] = ";".join(parts)
    if row.get("approaches"):
        query["approaches"] = ";".join(row["approaches"].split())
    text = "&".join(f"{key}={value}" for key, value in query.items())
    try:
        with urllib.request.urlopen(f"{address}route/v1/{name}/{places}?{text}") as answer:
            return columns_of(json.load(answer)["routes"][0], drawing)
    except urllib.error.HTTPError as error:
        return {"code": json.load(error).get("code", "")}


def run_file(command: str, folder: str, scenarios: list[Scenario]) -> list[Result]:
    """All rows of scenarios, with one server for all of their maps."""
    drawn = [(scenario, *draw(scenario)) for scenario in scenarios]
    served, results = [], []
    for scenario, drawing, _, routes in drawn:
        failure = import_map(command, folder, scenario, drawing) if routes else None
        if failure:
            print(f"{scenario.file}:{scenario.line}: {failure}", file=sys.stderr)
        elif routes:
            served.append(f"m{scenario.line}={folder}/{scenario.file}-{scenario.line}.mcd")
    arguments = [command, "serve", *served, "--listen", "127.0.0.1:0", "--threads", "1"]
    if not served:
        return []
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr
        try:
            lines = iter(server.stderr.readline, "")
            address = next((line.split()[-1] for line in lines if "listening" in line), None)
            if address is None:
                sys.exit(f"macadam serve does not listen for {scenarios[0].file}")
            for scenario, drawing, options, routes in drawn:
                for row in (row for step in routes for row in step.rows()):
                    have = route(address, f"m{scenario.line}", drawing, options, row)
                    want = {k: v for k, v in row.items() if k not in NOT_COMPARED and not k.startswith("param:")}
                    results.append(Result(scenario, row.get("waypoints") or f"{row['from']},{row['to']}", want, have))
        finally:
            server.terminate()
    return results


def is_left_out(scenario: Scenario) -> bool:
    lines = (line for step in scenario.steps for line in step.lines)
    return "@todo" in scenario.tags or any("cardinal_directions = false" in line for line in lines)


def select(features: str, rows: list[str]) -> Iterator[list[Scenario]]:
    """The chosen scenarios of each file."""
    paths = sorted(glob.glob(os.path.join(features, "*.feature"))) if os.path.isdir(features) else [features]
    wanted = {row.split("[")[0] for row in rows}
    for path in paths:
        scenarios = [scenario for scenario in read_feature(path) if not is_left_out(scenario)]
        chosen = [s for s in scenarios if not wanted or wanted & {s.file, f"{s.file}:{s.line}"}]
        if chosen:
            yield chosen


def summarize(results: list[Result]) -> str:
    """A line a file, and their sum."""
    by_file: dict[str, list[Result]] = collections.defaultdict(list)
    for result in results:
        by_file[result.scenario.file].append(result)
        by_file["all"].append(result)
    by_file["all"] = by_file.pop("all", [])
    lines = [f"{'file':34}  scenarios   pass   rows  with turns  equal  other words  all cells equal"]
    for file, rows in by_file.items():
        failed = {id(row.scenario) for row in rows if row.differing()}
        turns = [row for row in rows if row.has_turns()]
        count = len({id(row.scenario) for row in rows})
        equal, words = sum(row.is_equal() for row in turns), sum(row.has_other_words() for row in turns)
        whole = sum(not row.differing() for row in turns)
        lines.append(
            f"{file:34}{count:11}{count - len(failed):7}{len(rows):7}{len(turns):12}{equal:7}{words:13}{whole:17}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", metavar="COMMAND")
    parser.add_argument("features", metavar="FEATURES")
    parser.add_argument("rows", metavar="ROW", nargs="*")
    parser.add_argument("--list", action="store_true", help="print the cells that differ")
    parser.add_argument("--all", action="store_true", help="with --list: also the rows that are equal")
    parser.add_argument("--columns", default="", help="list rows only where one of these columns differs")
    parser.add_argument("--save", metavar="FILE", help="write the rows that are equal, one a line")
    parser.add_argument("--against", metavar="FILE", help="print the rows that differ only now, or only then")
    parser.add_argument("--osm", metavar="FOLDER", help="keep the maps there")
    parser.add_argument("-j", type=int, default=2, metavar="N", help="files that run at the same time (default: 2)")
    given = parser.parse_args()
    chosen = list(select(given.features, given.rows))
    keys = [row for row in given.rows if "[" in row]
    columns = set(filter(None, given.columns.split(",")))
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(given.j) as pool:
        folder = given.osm or scratch
        os.makedirs(folder, exist_ok=True)
        results = sum(pool.map(lambda scenarios: run_file(given.command, folder, scenarios), chosen), [])
    equal = {result.name() for result in results if result.is_equal()}
    if given.save:
        with open(given.save, "w", encoding="utf-8") as file:
            file.writelines(f"{name}\n" for name in sorted(equal))
    if given.against:
        with open(given.against, encoding="utf-8") as file:
            before = {line.strip() for line in file} & {result.name() for result in results}
        print("equal now:", *sorted(equal - before), "\ndiffering now:", *sorted(before - equal))
    for result in results:
        if keys and result.name() not in keys:
            continue
        differing = result.differing()
        if given.list and (given.all or (differing and (not columns or columns & set(differing)))):
            print(result.name())
            for key in result.want if given.all else differing:
                have = result.have.get(key, result.have.get("code", ""))
                print(f"    {key:14} - {result.want[key]}\n{'':19}+ {have}")
    print(summarize(results))


if __name__ == "__main__":
    main()
