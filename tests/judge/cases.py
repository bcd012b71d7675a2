"""Cases of traffic rules in the folder tables, each decided from the OpenStreetMap wiki before it was run.

A case is a map of its own: a direct way from node 2 to node 4 over node 3, and a detour over node 6 that is three times
as long. A line of a table: profile | tags | options | expected. Tags are joined by " + "; those of the direct way stand
as they are, @ marks those of node 3, > those of a restriction from way 1 over node 2 into the direct way (only_*: into
the detour), all: those of the direct way and the detour. Without highway, the direct way is a residential road, but a
ferry if it has a route. Expected is direct, detour, none, a duration of the direct way, such as 3600 s, or a speed on
it, such as 30 km/h. Options are those of the command; "back" goes from node 5 to node 1. A line that begins with #
names the page that decides.
"""

import os

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tables")
TABLES = sorted(name.removesuffix(".txt") for name in os.listdir(FOLDER))


class Case:
    """One line of a table."""

    def __init__(self, line, page):
        self.line, self.page = line, page
        self.profile, tags, options, self.expected = (part.strip() for part in line.split("|"))
        self.options = options.split()
        self.back = "back" in self.options
        self.options = tuple(option for option in self.options if option != "back")
        self.way, self.node, self.turn, self.detour = {}, {}, {}, {}
        for tag in filter(None, tags.split(" + ")):
            key, value = tag.split("=", 1)
            if key.startswith("all:"):
                self.detour[key[4:]] = value
            places = {"@": self.node, ">": self.turn}
            places.get(key[0], self.way)[key.lstrip("@>").removeprefix("all:")] = value
        for way in (self.way, self.detour):
            if "route" not in way:
                way.setdefault("highway", "residential")


def cases(table):
    page = ""
    with open(f"{FOLDER}/{table}.txt", encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("#"):
                page = line[2:]
            else:
                yield Case(line, page)
