"""Draws answers.svg, the figure of README: an invented town, and the command's answers about it.

    python3 docs/figures/answers.py build/release/bindings/cli/macadam
"""

import csv
import json
import os
import random
import subprocess
import sys
import tempfile

COLUMNS, ROWS, STEP = 26, 20, 12  # junctions; pixels between them
AVENUES = {"rows": (4, 15), "columns": (5, 19)}
BRIDGES = (5, 12, 19)
LIMITS = ("1min", "2min", "3min")
PLACES = 22
BLUE, RED, GREEN = "#1a5fb4", "#c01c28", "#1b7f4d"
DEGREES = 1.2e-3, 0.8e-3  # between junctions, about 90 m


def town():
    """Junctions in degrees, streets of the two ends and whether they are avenues, and the river."""
    chance = random.Random(49).random
    at = {}
    for row in range(ROWS):
        for column in range(COLUMNS):
            shift = [0.56 * chance() - 0.28 for _ in range(2)]
            bank = 0.35 if row < river(column) else -0.35  # no street in the water
            near = abs(row - river(column)) < 1
            at[row, column] = column + shift[0], row + (0 if near else shift[1]) - bank * near
    streets = []
    for row, column in at:
        for other, lines, line in (((row, column + 1), "rows", row), ((row + 1, column), "columns", column)):
            if other not in at:
                continue
            avenue = line in AVENUES[lines]
            crosses = (row < river(column)) != (other[0] < river(other[1]))
            if (avenue and not crosses) or (crosses and column == other[1] and column in BRIDGES):
                streets.append(((row, column), other, avenue))
            elif not crosses and chance() > 0.16:
                streets.append(((row, column), other, False))
    return at, streets


def river(column):
    return 9.5 + (1.2 if column < 9 else 0.2 if column < 16 else -0.8)


def degrees(x, y):
    return 10 + x * DEGREES[0], 50 + y * DEGREES[1]


def pixel(lon, lat):
    return round((lon - 10) / DEGREES[0] * STEP, 1), round((ROWS - 1 - (lat - 50) / DEGREES[1]) * STEP, 1)


def write_osm(path, at, streets):
    number = {key: i + 1 for i, key in enumerate(at)}
    with open(path, "w") as file:
        print('<osm version="0.6">', file=file)
        for key, place in at.items():
            lon, lat = degrees(*place)
            print(f'<node id="{number[key]}" lon="{lon:.7f}" lat="{lat:.7f}"/>', file=file)
        for i, (one, other, avenue) in enumerate(streets):
            kind, speed = ("primary", 60) if avenue else ("residential", 30)
            print(f'<way id="{i + 1}"><nd ref="{number[one]}"/><nd ref="{number[other]}"/><tag k="highway" v="{kind}"/>'
                  f'<tag k="maxspeed" v="{speed}"/></way>', file=file)  # fmt: skip
        print("</osm>", file=file)


def line(points, close=False):
    """The d of a path, in tenths of a pixel from point to point."""
    text, last = "", None
    for point in points:
        here = [round(10 * value) for value in point]
        if last is None:
            text = "M{} {}".format(*here)
        elif here != last:
            text += "l{} {}".format(*(a - b for a, b in zip(here, last)))
        last = here
    return text + "z" * close


def mark(point, letter, colour):
    return (f'<g transform="translate({point[0]} {point[1]})"><circle r="8" fill="{colour}"/>'
            f'<text y="4" fill="#fff" font-size="11" font-weight="bold" text-anchor="middle">{letter}</text></g>')  # fmt: skip


def shade(share):
    return f"hsl({240 - round(24 * share) * 10} 75% 50%)"


def draw(ask, folder):
    """The figure: a route, areas and a matrix."""
    at, streets = town()
    write_osm(os.path.join(folder, "town.osm"), at, streets)
    file = os.path.join(folder, "town.mcd")
    ask("import", os.path.join(folder, "town.osm"), "-o", file, "--quiet")
    place = {key: "{:.7f},{:.7f}".format(*degrees(*at[key])) for key in at}
    first, last, middle = (2, 2), (17, 23), (8, 12)
    route = json.loads(ask("route", file, "--from", place[first], "--to", place[last], "--format", "geojson"))
    areas = json.loads(ask("isochrone", file, "--from", place[middle], "--limits", ",".join(LIMITS), "--width", "45m",
                           "--format", "geojson"))  # fmt: skip
    chance = random.Random(7)
    stops = sorted(chance.sample(sorted(at), PLACES), key=lambda key: (key[0] < river(key[1]), key[1]))
    with open(os.path.join(folder, "stops.csv"), "w") as out:
        out.write("lon,lat\n" + "".join(place[key] + "\n" for key in stops))
    stops_file = os.path.join(folder, "stops.csv")
    rows = list(csv.reader(ask("matrix", file, "--sources", stops_file, "--targets", stops_file).split()))[1:]
    cost = [int(row[2] or 0) for row in rows]

    lines = {True: "", False: ""}
    for one, other, avenue in streets:
        lines[avenue] += line(pixel(*degrees(*at[key])) for key in (one, other))
    water = line((column * STEP, (ROWS - 1 - river(column)) * STEP) for column in range(-1, COLUMNS + 1))
    parts = ['<defs><g id="town" fill="none" transform="scale(.1)">'
             f'<path d="{water}" stroke="#99c1f1" stroke-width="70" stroke-linejoin="round"/>'
             f'<path d="{lines[False]}" stroke="#bbb" stroke-width="10"/>'
             f'<path d="{lines[True]}" stroke="#888" stroke-width="22"/></g></defs>']  # fmt: skip

    minutes = route["properties"]["duration"] / 60000
    path = [pixel(*point[:2]) for point in route["geometry"]["coordinates"]]
    parts.append(f'<g transform="translate(20 44)"><text y="-16">A route: {minutes:.1f} minutes</text><use href="#town"/>'
                 f'<path transform="scale(.1)" d="{line(path)}" fill="none" stroke="{BLUE}" stroke-width="40" '
                 f'stroke-linejoin="round"/>{mark(path[0], "A", GREEN)}{mark(path[-1], "B", RED)}</g>')  # fmt: skip

    parts.append('<g transform="translate(350 44)"><text y="-16">Areas within 1, 2 and 3 minutes</text>')
    for area, hue in zip(areas["features"], (0, 60, 120)):  # the largest first
        rings = [ring for polygon in area["geometry"]["coordinates"] for ring in polygon]
        rings = "".join(line((pixel(*point) for point in ring[:-1]), True) for ring in rings)
        parts.append(f'<path transform="scale(.1)" d="{rings}" fill="hsl({hue} 75% 75%)" fill-rule="evenodd"/>')
    parts.append(f'<use href="#town" style="mix-blend-mode:multiply"/>{mark(pixel(*degrees(*at[middle])), "", RED)}</g>')

    cell, most = 10, max(cost)
    parts.append(f'<g transform="translate(680 44)"><text y="-16">A matrix: {PLACES} x {PLACES} durations</text>')
    for i, value in enumerate(cost):
        x, y = i % PLACES * cell, i // PLACES * cell
        parts.append(f'<path d="M{x} {y}h{cell}v{cell}h-{cell}z" fill="{shade(value / most)}"/>')
    stop = "".join(f'<stop offset="{i * 25}%" stop-color="{shade(i / 4)}"/>' for i in range(5))
    parts.append(f'<defs><linearGradient id="scale">{stop}</linearGradient></defs>'
                 f'<rect y="{PLACES * cell + 8}" width="{PLACES * cell}" height="6" fill="url(#scale)"/>'
                 f'<text y="{PLACES * cell + 29}" font-size="12">0</text>'
                 f'<text x="{PLACES * cell}" y="{PLACES * cell + 29}" font-size="12" text-anchor="end">'
                 f'{most / 60000:.1f} min</text></g>')  # fmt: skip
    return ('<svg xmlns="http://www.w3.org/2000/svg" width="920" height="310" viewBox="0 0 920 310" '
            'font-family="sans-serif" font-size="15" fill="#222"><rect width="920" height="310" fill="#fff"/>\n'
            + "\n".join(parts) + "\n</svg>\n")  # fmt: skip


def main(command, figure=os.path.join(os.path.dirname(os.path.abspath(__file__)), "answers.svg")):
    def ask(*arguments):
        return subprocess.run([command, *arguments], check=True, capture_output=True, text=True).stdout

    with tempfile.TemporaryDirectory() as folder:
        text = draw(ask, folder)
    with open(figure, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
