"""declare.py HEADER STRUCTS OUT - writes the module macadam.tables, in which type checkers find macadam.h: its enumerations,
macadam_info, and a class for each structure whose rows are a table, with its columns and their types. STRUCTS is what structs.py makes
of HEADER."""

import keyword
import re
import sys

ENUMS = {  # its base, its name in C, its help
    "PlaceStatus": ("IntEnum", "macadam_place_status", "Whether a place was found, as the column ``status`` says. CUT_OFF: yes, but from there most of the map\n    cannot be reached, or not left. MOVED: yes, but its nearest road is cut off, and it is on the nearest one that is not.\n    UNREACHED: yes, but a trip leaves it out: no way leads there from its stops, or none leads back."),
    "MatchStatus": ("IntEnum", "macadam_match_status", "Whether a point of a trace is matched."),
    "RoadFlag": ("IntFlag", "macadam_road_flag", "The flags in the column ``flags`` of roads, steps and intersections."),
    "LaneArrow": ("IntFlag", "macadam_modifier", "Where the arrows of a lane point: the column ``modifiers`` of lanes."),
}  # fmt: skip
TABLES = {  # those with shapes are Lines
    "Snaps": "macadam_snap", "Legs": "macadam_leg", "RouteArcs": "macadam_route_arc", "Segments": "macadam_segment",
    "Steps": "macadam_step", "Intersections": "macadam_intersection", "Branches": "macadam_branch", "Lanes": "macadam_lane",
    "MatchPoints": "macadam_match_point", "Matchings": "macadam_matching", "Arcs": "macadam_arc", "Roads": "macadam_road",
    "ReachedArcs": "macadam_reached_arc", "Approximation": "macadam_approximation", "MatrixPlan": "macadam_matrix_plan",
}  # fmt: skip
QUANTITIES = {"duration": "uint32", "distance": "uint32", "ascent": "uint32", "descent": "uint32", "energy": "int32"}
TYPES = {"?": "uint8", "B": "uint8", "b": "int8", "H": "uint16", "i": "int32", "I": "uint32", "q": "int64", "Q": "uint64", "f": "float32", "d": "float64"}
INFO = {"companion": "list[str | None]", "device_reason": "str | None", "is_signed": "list[bool]"}  # what the header does not say
WORDS = ("type", "modifier", "mode")  # columns of enumerations that are text
NAMES = {"first_shape": "first_point", "end_shape": "end_point", "macadam_step.exit": "exit_number"}
UNSAID = ("macadam_snap.node", "macadam_arc.node_count")
HEAD = '''"""The tables of answers, and the numbers in their columns: those of macadam.h.

A column has the name of the member of the structure. Costs have the names of the quantities that were requested."""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING, NamedTuple

from ._lines import Lines
from ._table import Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
'''


def enumerators(header, enum):
    body = re.search(rf"typedef enum {enum} {{(.*?)}}", header, re.DOTALL)[1]
    return {name: int(value) for name, value in re.findall(r"MACADAM_[A-Z]+_(\w+) = (\d+)", body)}


def columns_of(structs, struct):
    """The columns of a structure: where each is stored (a member of a member), and its type: NumPy's, or "s" for text."""
    out = {}
    for name, code, stars, of in structs[struct]:
        if code == "S" and (not stars or name == "facts"):
            for inner, (path, kind) in columns_of(structs, list(structs)[of]).items():
                out.setdefault(inner, ((name, *path), kind))
        elif name in ("value", "price") and not stars:
            out |= {f"{name}{q}": ((name, str(q)), code) for q in range(2)}
        elif name != "reserved" and f"{struct}.{name}" not in UNSAID and stars == (code == "s"):
            out[NAMES.get(f"{struct}.{name}", NAMES.get(name, name))] = (name,), code
    return out


def types_of(columns):
    """The names of the columns, and their types."""
    for name, (path, code) in columns.items():
        if path[-1].isdigit():
            is_cost = path[-2] == "value"
            costs = QUANTITIES.items() if path[-1] == "0" else ()
            yield from ((it, kind) if is_cost else (f"price_{it}", TYPES[code]) for it, kind in costs)
        elif not keyword.iskeyword(name):
            is_text = code == "s" or (code == "i" and name in WORDS)
            yield name, "object_" if is_text else "int64" if name in ("in", "out") else TYPES[code]


def info_of(members):
    """The members of macadam_info, but for counts of arrays and the box, which is one."""
    counts = {f"{name.rstrip('s')}_count" for name, *_ in members}
    for name, code, stars, _ in members:
        if name not in {"size", *counts} and code != "d":
            one = {"s": "str", "?": "bool"}.get(code, "int")
            yield name, INFO.get(name, f"list[{one}]" if stars == 2 else one)
    yield "bbox", "tuple[float, float, float, float] | None"


def main():
    header, rows = (open(path, encoding="utf-8").read() for path in sys.argv[1:3])
    structs = {name: [] for name in re.findall(r"^STRUCT\((\w+)", rows, re.MULTILINE)}
    for struct, name, code, stars, of in re.findall(r"MEMBER\((\w+), (\w+), '(.)', (\d+), (-?\d+)", rows):
        structs[struct].append((name, code, int(stars), int(of)))
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        out.write(HEAD)
        for name, (base, enum, help) in ENUMS.items():
            out.write(f'\n\nclass {name}({base}):\n    """{help}"""\n\n')
            bits = name == "LaneArrow"
            members = enumerators(header, enum).items()
            out.writelines(f"    {it} = {1 << value if bits else value}\n" for it, value in members if value or not bits)
        out.write('\n\nclass Info(NamedTuple):\n    """The properties of an engine and its file: see macadam_info in macadam.h."""\n\n')
        out.writelines(f"    {name}: {kind}\n" for name, kind in info_of(structs["macadam_info"]))
        for name, struct in TABLES.items():
            columns = columns_of(structs, struct)
            base = "Lines" if "first_point" in columns else "Table"
            out.write(f'\n\nclass {name}({base}):\n    """A row for each {struct}."""\n\n    _struct = "{struct}"\n    _members = {columns}\n')
            out.writelines(f"    {it}: NDArray[np.{kind}]\n" for it, kind in types_of(columns))


main()
