#!/usr/bin/env python3
"""include_check.py - whether includes go one way: between folders only along the arrows below, never in a circle between
files (a header and its source are one), and under guards made from the whole path. Also whether folders are small enough
to be looked through, whether a type that several files share has a name of its own, and whether the library calls functions
that depend on the host's locale.

    include_check.py            check; names each fault, exit status 1 if there is one
    include_check.py --picture  print the layers as text: docs/architecture.md holds this picture, and the check compares
"""
import os
import re
import subprocess
import sys

# Folder -> folders that its files may include. A folder that is not named belongs to the one above it.
ARROWS = {
    "engine/include": [],
    "engine/base": ["engine/include"],
    "engine/area": ["engine/base"],
    "kernels": ["engine/base"],
    "kernels/host": ["kernels", "engine/base"],
    "kernels/cpu": ["kernels/host", "kernels", "engine/base"],
    "kernels/cuda": ["kernels/host", "kernels", "engine/base"],
    "engine/map": ["kernels", "engine/base", "engine/include"],
    "engine/file": ["engine/map", "kernels", "engine/base", "engine/include", "proto"],
    "engine/prepare": ["engine/file", "engine/map", "kernels", "engine/base"],
    "engine/runtime": ["engine/guide", "engine/prepare", "engine/file", "engine/map", "kernels", "engine/base"],
    "engine/guide": ["engine/map", "kernels", "engine/base", "engine/include"],
    "engine/session": ["engine/map", "engine/base", "engine/include"],
    "engine/query": ["engine/area", "engine/guide", "engine/runtime", "engine/file", "engine/map", "kernels", "engine/base"],
    "engine/match": ["engine/query", "engine/runtime", "engine/map", "kernels", "engine/base"],
    "engine/trip": ["engine/base", "engine/runtime"],
    "engine/call": ["engine/query", "engine/runtime", "engine/base", "engine/include", "proto"],
    "importers/base": ["engine/file", "engine/map", "engine/base"],
    "importers/heights": ["engine/base"],
    "importers/speeds": ["importers/base", "engine/map", "engine/base"],
    "importers/osm": ["importers/speeds", "importers/heights", "importers/base", "engine/map", "engine/base"],
    "importers/order": ["importers/base", "engine/map", "engine/base"],
    "importers": ["importers/osm", "importers/speeds", "importers/order", "importers/base", "importers/heights", "engine/prepare", "engine/map", "engine/base"],
    "bindings/formats": ["engine/include"],
    "bindings/options": ["engine/include"],
    "bindings/serve": ["bindings/options", "bindings/formats", "engine/include"],
    "bindings/cli": ["bindings/serve", "bindings/options", "bindings/formats", "engine/include"],
    "bindings/python": ["bindings/formats", "engine/include"],
    "bindings/java": ["engine/include"],
}
# Parts of one folder of ARROWS -> parts of it that their files may include.
PARTS = {
    "engine/query/places": [],
    "engine/query/clock": ["engine/query/places"],
    "engine/query/isochrones": ["engine/query/clock", "engine/query/places"],
    "engine/query/routes": ["engine/query/clock", "engine/query/places"],
    "engine/query/tables": ["engine/query/clock", "engine/query/places"],
    "importers/osm/read": [],
    "importers/osm/rules": ["importers/osm/read"],
    "importers/osm/roads": ["importers/osm/rules", "importers/osm/read"],
    "importers/osm/turns": ["importers/osm/roads", "importers/osm/rules", "importers/osm/read"],
}
# Included though their folders may not be: the meeting points of the runtime and a module that it loads, and of the runtime and
# the command that measures the rates by which it chooses devices.
MEETING = {"kernels/cuda/device/module.h", "engine/runtime/rates.h"}
NOUNS_MAX = 22  # of a folder: what differs between systems (x_linux.c) counts with x
# Headers of what only some sources of one noun share: they and these sources are one.
FAMILIES = {
    "engine/file/check_rule": "engine/file/check",
    "importers/osm/pbf": "importers/osm/osm_file",
    "kernels/cuda/customize/slice": "kernels/cuda/customize/schedule",
    "kernels/cuda/customize/triangles": "kernels/cuda/customize/schedule",
    "kernels/cuda/frontier/frontier_block": "kernels/cuda/frontier/frontier",
    "kernels/cuda/pairwise/paths": "kernels/cuda/pairwise/route",
    "kernels/cuda/pairwise/trips": "kernels/cuda/pairwise/route",
    "kernels/cuda/pairwise/unpack": "kernels/cuda/pairwise/route",
}
LAYERS = [
    ["bindings/cli", "bindings/python", "bindings/java"],
    ["bindings/serve"],
    ["bindings/formats", "bindings/options"],
    ["engine/include (macadam.h)"],
    ["engine/call", "importers"],
    ["engine/match", "engine/trip"],
    ["engine/query", "importers/osm", "importers/order"],
    ["importers/speeds"],
    ["engine/runtime", "importers/base", "importers/heights"],
    ["engine/prepare"],
    ["engine/file"],
    ["engine/guide", "engine/session"],
    ["engine/area", "engine/map", "kernels/cpu", "kernels/cuda"],
    ["kernels (backend.h, views.h)", "kernels/host"],
    ["engine/base"],
]


def sources():
    names = subprocess.run(["git", "ls-files", "-z", "engine", "kernels", "importers", "bindings"], check=True,
                           capture_output=True, text=True).stdout.split("\0")
    return [name for name in names if name.endswith((".c", ".h", ".cpp", ".cu")) and os.path.exists(name)]


def folder_of(path):
    if path.startswith("macadam/v1/"):
        return "proto"
    folder = os.path.dirname(path)
    while folder and folder not in ARROWS:
        folder = os.path.dirname(folder)
    return folder or os.path.dirname(path)


def includes_of(path):
    with open(path, encoding="utf-8") as file:
        return re.findall(r'^\s*#\s*include "([^"]+)"', file.read(), re.MULTILINE)


def guard_fault(path):
    if not path.endswith(".h") or path in ("engine/include/macadam.h", "bindings/formats/macadam_formats.h"):
        return None
    guard = "MCD_" + re.sub(r"\W", "_", path[:-2]).upper() + "_H"
    with open(path, encoding="utf-8") as file:
        found = re.search(r"^#ifndef (\w+)\n#define \1$", file.read(), re.MULTILINE)
    if found and found.group(1) == guard:
        return None
    return f"{path}: its include guard is not {guard}"


def noun_of(path):
    stem = os.path.splitext(path)[0]
    return FAMILIES.get(stem, stem)


def crowded(paths):
    nouns = {}
    for path in paths:
        noun = re.sub(r"_(linux|darwin|windows)$", "", os.path.basename(path).split(".")[0])
        nouns.setdefault(os.path.dirname(path), set()).add(noun)
    for folder, names in sorted(nouns.items()):
        if len(names) > NOUNS_MAX:
            yield f"{folder}: {len(names)} nouns, above {NOUNS_MAX}"


def shared_names(paths):
    """Types of a header that another file defines too. The kernels of the CPU and of CUDA never meet."""
    places = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
        for name in re.findall(r"\b(?:struct|union|enum)\s+(?:alignas\(\w+\)\s+)?(\w+)\s*\{", text):
            places.setdefault(name, set()).add(path)
    for name, found in sorted(places.items()):
        if {folder_of(path) for path in found} != {"kernels/cpu", "kernels/cuda"} and len(found) > 1 and any(
                path.endswith(".h") for path in found):
            yield f"{name} is a type of each of these files: " + ", ".join(sorted(found))


# Their results depend on the host's locale: engine/base/letters.h knows the letters of ASCII.
LOCAL = re.compile(r"\b(to(?:lower|upper)|is(?:alpha|alnum|space|lower|upper|print|punct|cntrl|graph)|strn?casecmp|strcasestr|strcoll|strto[df]|atof)\s*\(")


def local_calls(paths):
    for path in paths:
        if path.startswith(("engine/", "importers/")):
            with open(path, encoding="utf-8") as file:
                text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
            yield from (f"{path}: {name} depends on the host's locale" for name in sorted(set(LOCAL.findall(text))))


def circles(graph):
    """Strong components of more than one file. (Tarjan 1972, without recursion over long chains)"""
    index, low, on_stack, stack, found = {}, {}, set(), [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        for other in graph[node]:
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on_stack:
                low[node] = min(low[node], index[other])
        if low[node] != index[node]:
            return
        component = []
        while not component or component[-1] != node:
            component.append(stack.pop())
            on_stack.discard(component[-1])
        if len(component) > 1:
            found.append(sorted(component))

    for node in graph:
        if node not in index:
            visit(node)
    return found


def faults():
    paths = sources()
    graph = {noun_of(path): set() for path in paths}
    for path in paths:
        if fault := guard_fault(path):
            yield fault
        own = folder_of(path)
        for included in includes_of(path):
            other = folder_of(included)
            if other != own and included not in MEETING and other not in ARROWS.get(own, []):
                yield f"{path} includes {included}: no arrow leads from {own} to {other}"
            part, other_part = os.path.dirname(path), os.path.dirname(included)
            if part in PARTS and other == own and other_part != part and other_part not in PARTS[part]:
                yield f"{path} includes {included}: no arrow leads from {part} to {other_part}"
            if noun_of(included) in graph and noun_of(included) != noun_of(path):
                graph[noun_of(path)].add(noun_of(included))
    for circle in circles(graph):
        yield "these files include each other in a circle: " + ", ".join(circle)
    yield from crowded(paths)
    yield from shared_names(paths)
    yield from local_calls(paths)
    yield from unlisted()
    yield from picture_fault()


def unlisted():
    path = "tests/listing.txt"
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#") and not os.path.exists(line.split()[-1]):
                yield f"{path}: there is no {line.split()[-1]}"


def picture():
    width = 74
    lines = ["```"]
    for layer in LAYERS:
        lines.append("  |  ".join(layer).center(width).rstrip())
    return "\n".join(lines + ["```"])


def picture_fault():
    path = "docs/architecture.md"
    if not os.path.exists(path):
        return
    with open(path, encoding="utf-8") as file:
        found = re.search(r"<!-- layers[^\n]*-->\n(.*?)\n<!-- layers: end -->", file.read(), re.DOTALL)
    if not found or found.group(1).strip() != picture():
        yield f"{path}: the picture of the layers is not what include_check.py --picture prints"


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    sys.setrecursionlimit(10000)
    if sys.argv[1:] == ["--picture"]:
        print(picture())
        return 0
    found = list(faults())
    print("\n".join(found) if found else "includes go one way")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
